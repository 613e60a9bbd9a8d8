//! Words and a real sentence model together: `tests/embedding/run` installs the server and runs these.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};
use tool_core::{Catalog, FieldedRanker, HybridRanker, Ranker, RankerError};

use super::{catalog, found};

/// A server that ends with the test.
struct Server {
    process: Child,
    url: String,
}

impl Server {
    fn start() -> Self {
        let python = std::env::var("EMBEDDING_TEST_PYTHON").expect("set by tests/embedding/run");
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/embedding/serve.py");
        let mut command = Command::new(python);
        command.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let mut ready = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut ready).unwrap();
        let port = ready.trim().strip_prefix("ready ").expect("the server listens");
        Self { process, url: format!("http://127.0.0.1:{port}/v1/embeddings") }
    }

    fn ranker(&self) -> HybridRanker {
        let url = self.url.clone();
        HybridRanker::new(move |texts| {
            let url = url.clone();
            async move {
                let answered = tokio::task::spawn_blocking(move || embed(&url, &texts)).await;
                answered.map_err(RankerError::new)?.map_err(RankerError::new)
            }
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn embed(url: &str, texts: &[String]) -> Result<Vec<Vec<f32>>, ureq::Error> {
    let answer: Value = ureq::post(url).send_json(json!({"input": texts}))?.body_mut().read_json()?;
    let vector = |embedding: &Value| serde_json::from_value(embedding["embedding"].clone()).unwrap();
    Ok(answer["data"].as_array().unwrap().iter().map(vector).collect())
}

async fn first(ranker: &HybridRanker, tools: &Catalog, query: &str) -> Option<String> {
    let hits = ranker.rank(query, tools).await.unwrap();
    hits.first().map(|hit| tools[hit.document].name.to_string())
}

#[tokio::test]
#[ignore = "needs the embedding server"]
async fn embedding_server_finds_by_meaning_what_shares_no_word() {
    let server = Server::start();
    let tools = catalog(&[
        ("refund_payment", "Pays a customer's money back."),
        ("ship_parcel", "Hands a parcel over to the carrier."),
        ("schedule_backup", "Saves the data every night."),
        ("resize_image", "Scales a picture to a width."),
        ("get_weather", "Forecast for a city."),
    ]);
    let ranker = server.ranker();
    let plain = FieldedRanker::builder().without_built_in_synonyms().build().unwrap();
    for (query, name) in [
        ("reimburse the buyer", "refund_payment"),
        ("will I get wet outside tomorrow", "get_weather"),
        ("make a thumbnail", "resize_image"),
        ("RESIZE_IMAGE", "resize_image"),
    ] {
        assert_eq!(first(&ranker, &tools, query).await.as_deref(), Some(name), "{query}");
    }
    assert!(super::found_by(&plain, &tools, "reimburse the buyer").is_empty(), "words alone do not");
    assert!(found(&tools, "zzqx vrblk").is_empty());
    for nonsense in ["zzqx vrblk", "qwpoe asdkj", "!!! ???"] {
        assert_eq!(first(&ranker, &tools, nonsense).await, None, "{nonsense}");
    }
}

#[tokio::test]
#[ignore = "needs the embedding server"]
async fn embedding_server_that_ends_leaves_the_words() {
    use crate::support::{Log, hidden, hits, search, text};
    use tool_core::{Registry, SessionEvent, ToolSearch};

    let mut server = Server::start();
    let log = Log::default();
    let tools = [hidden("refund_payment", "Pays money back."), hidden("ship_parcel", "Sends.")];
    let with = ToolSearch::new().ranker(server.ranker());
    let registry = Registry::builder().tools(tools).search(with).events(log.clone()).build().unwrap();
    let session = registry.session();
    let turn = session.turn().await.unwrap();
    assert_eq!(hits(&text(&turn, search("1", "reimburse the buyer")).await)[0], "refund_payment");
    server.process.kill().unwrap();
    server.process.wait().unwrap();
    let turn = session.turn().await.unwrap();
    assert_eq!(hits(&text(&turn, search("2", "parcels")).await), ["ship_parcel"]);
    assert!(log.all().iter().any(|event| matches!(event, SessionEvent::Degraded { .. })));
}
