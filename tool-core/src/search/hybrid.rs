//! Lexical and semantic ranking in one, over an embedding function of the host.
//!
//! Vectors are kept by the content that they were made of: what stays in a catalogue is embedded once, whatever changes
//! beside it. If the function fails or is late, the search answers with the lexical part alone and says `Degraded`.

use std::{
    collections::HashMap,
    fmt,
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
};

use sha2::{Digest, Sha256};

use super::{Catalog, FieldedRanker, RankFuture, Ranked, Ranker, RankerError, SearchDocument};

/// The most texts that are embedded at once.
const BATCH: usize = 64;
/// How many documents are returned: those past these are like the query by chance.
const MAX_HITS: usize = 50;

type EmbedFuture = Pin<Box<dyn Future<Output = Result<Vec<Vec<f32>>, RankerError>> + Send>>;
type Hash = [u8; 32];

/// Ranks by a sum of the built-in ranker's score, the best being 1, and the cosine of embeddings, from 0 to 1.
///
/// # Examples
/// ```
/// use tool_core::{HybridRanker, ToolSearch};
///
/// // A vector for each text, from a model of the host: in process, or behind an endpoint.
/// let ranker = HybridRanker::new(|texts: Vec<String>| async move {
///     Ok(texts.iter().map(|text| vec![text.len() as f32, 1.0]).collect())
/// });
/// let search = ToolSearch::new().ranker(ranker.lexical_share(0.4));
/// ```
pub struct HybridRanker {
    embed: Box<dyn Fn(Vec<String>) -> EmbedFuture + Send + Sync>,
    lexical: FieldedRanker,
    lexical_share: f32,
    vectors: Mutex<HashMap<Hash, Arc<[f32]>>>,
}

impl HybridRanker {
    /// With a function from texts to vectors of one length, in the same order.
    pub fn new<F, Fut>(embed: F) -> Self
    where
        F: Fn(Vec<String>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Vec<Vec<f32>>, RankerError>> + Send + 'static,
    {
        Self {
            embed: Box::new(move |texts| Box::pin(embed(texts))),
            lexical: FieldedRanker::default(),
            lexical_share: 0.5,
            vectors: Mutex::default(),
        }
    }

    /// Sets up the lexical part.
    #[must_use]
    pub fn lexical(mut self, ranker: FieldedRanker) -> Self {
        self.lexical = ranker;
        self
    }

    /// How much the lexical part counts, from 0 to 1: 0.5 unless set.
    #[must_use]
    pub fn lexical_share(mut self, share: f32) -> Self {
        self.lexical_share = share.clamp(0.0, 1.0);
        self
    }

    async fn rank_both(&self, query: &str, catalog: &Catalog) -> Result<Vec<Ranked>, RankerError> {
        let documents = self.embedded(catalog).await?;
        let query_vector = self.embed(vec![query.to_owned()]).await?.pop().unwrap_or_default();
        let cosines: Vec<f32> = documents.iter().map(|vector| cosine(vector, &query_vector)).collect();
        let (least, most) = cosines.iter().fold((f32::MAX, f32::MIN), |(a, b), c| (a.min(*c), b.max(*c)));
        let spread = (most - least).max(f32::MIN_POSITIVE);
        let semantic = 1.0 - self.lexical_share;
        let mut scores: Vec<f32> = cosines.iter().map(|c| semantic * (c - least) / spread).collect();
        let lexical = self.lexical.search(query, catalog, catalog.len());
        let best = lexical.first().map_or(1.0, |best| best.score).max(f32::MIN_POSITIVE);
        for hit in lexical {
            if let Some(score) = scores.get_mut(hit.document) {
                *score += self.lexical_share * hit.score / best;
            }
        }
        let mut ranked: Vec<Ranked> =
            scores.into_iter().enumerate().map(|(document, score)| Ranked::new(document, score)).collect();
        ranked.sort_by(|a, b| b.score.total_cmp(&a.score));
        ranked.truncate(MAX_HITS);
        Ok(ranked)
    }

    /// The vectors of all documents. What is embedded stays so, even if the search is dropped half way.
    async fn embedded(&self, catalog: &Catalog) -> Result<Vec<Arc<[f32]>>, RankerError> {
        let texts: Vec<String> = catalog.iter().map(|document| text(document)).collect();
        let hashes: Vec<Hash> = texts.iter().map(|text| Sha256::digest(text.as_bytes()).into()).collect();
        let missing: Vec<(Hash, String)> = {
            let known = self.vectors.lock().unwrap_or_else(PoisonError::into_inner);
            hashes.iter().copied().zip(texts).filter(|(hash, _)| !known.contains_key(hash)).collect()
        };
        for batch in missing.chunks(BATCH) {
            let vectors = self.embed(batch.iter().map(|(_, text)| text.clone()).collect()).await?;
            let mut known = self.vectors.lock().unwrap_or_else(PoisonError::into_inner);
            known.extend(batch.iter().map(|(hash, _)| *hash).zip(vectors.into_iter().map(Arc::from)));
        }
        let mut known = self.vectors.lock().unwrap_or_else(PoisonError::into_inner);
        let found: Option<Vec<Arc<[f32]>>> = hashes.iter().map(|hash| known.get(hash).cloned()).collect();
        if known.len() > 2 * hashes.len() + BATCH {
            // Mostly of documents that are gone.
            known.retain(|hash, _| hashes.contains(hash));
        }
        found.ok_or_else(|| RankerError::new("vectors went missing while others were made"))
    }

    async fn embed(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, RankerError> {
        let expected = texts.len();
        let vectors = (self.embed)(texts).await?;
        if vectors.len() != expected {
            return Err(RankerError::new(format!(
                "{expected} texts were embedded to {} vectors",
                vectors.len()
            )));
        }
        Ok(vectors)
    }
}

impl Ranker for HybridRanker {
    fn rank<'a>(&'a self, query: &'a str, catalog: &'a Catalog) -> RankFuture<'a> {
        Box::pin(self.rank_both(query, catalog))
    }

    fn built_in(&self) -> Option<&FieldedRanker> {
        Some(&self.lexical)
    }
}

impl fmt::Debug for HybridRanker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HybridRanker").field("lexical_share", &self.lexical_share).finish_non_exhaustive()
    }
}

/// What is embedded of a document: names as words, what it does, what it takes.
fn text(document: &SearchDocument) -> String {
    let arguments: Vec<&str> = document.arguments.iter().map(|argument| argument.name.as_str()).collect();
    let name = super::text::tokens(document.searched_name()).join(" ");
    format!("{name}: {} {}", document.description, arguments.join(" "))
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    let norms = (dot(a, a) * dot(b, b)).sqrt();
    // No direction, or one with a number that is none.
    if norms > 0.0 && norms.is_finite() { dot(a, b) / norms } else { 0.0 }
}
