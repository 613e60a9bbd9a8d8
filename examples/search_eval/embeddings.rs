//! Embeddings of an endpoint in OpenAI's form: `{"input": […]}` gives `{"data": [{"index", "embedding"}]}`.

use serde::Deserialize;
use serde_json::json;
use tool_core::{HybridRanker, RankerError};

/// Ranks by words and by the meanings that the endpoint knows.
pub(crate) fn ranker(url: &str) -> HybridRanker {
    let url = url.to_owned();
    HybridRanker::new(move |texts| {
        let url = url.clone();
        async move {
            let answered = tokio::task::spawn_blocking(move || embed(&url, &texts)).await;
            answered.map_err(RankerError::new)?.map_err(RankerError::new)
        }
    })
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Embedding>,
}

#[derive(Deserialize)]
struct Embedding {
    index: usize,
    embedding: Vec<f32>,
}

fn embed(url: &str, texts: &[String]) -> Result<Vec<Vec<f32>>, ureq::Error> {
    // Endpoints that serve several models want a name; those that serve one ignore it.
    let model = std::env::var("EMBEDDINGS_MODEL").unwrap_or_else(|_| "default".to_owned());
    let mut answer = ureq::post(url).send_json(json!({"model": model, "input": texts}))?;
    let mut data = answer.body_mut().read_json::<Answer>()?.data;
    data.sort_by_key(|embedding| embedding.index);
    Ok(data.into_iter().map(|embedding| embedding.embedding).collect())
}
