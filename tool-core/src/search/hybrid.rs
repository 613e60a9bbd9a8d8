//! Lexical and semantic ranking in one, over an embedding function of the host.
//!
//! Vectors are kept by the content that they were made of: what stays in a catalogue is embedded once, whatever changes
//! beside it. If the function fails or is late, the search answers with the lexical part alone and says `Degraded`.

use std::{
    collections::{HashMap, HashSet},
    fmt,
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{Catalog, ContentHash, FieldedRanker, RankFuture, Ranked, Ranker, RankerError};

/// The most texts that are embedded at once.
const BATCH: usize = 64;
/// How many documents are returned: those past these are like the query by chance.
const MAX_HITS: usize = 50;

type EmbedFuture = Pin<Box<dyn Future<Output = Result<Vec<Vec<f32>>, RankerError>> + Send>>;

/// Ranks by a sum of the built-in ranker's score, the best being 1, and the cosine of embeddings, from 0 to 1.
///
/// A tool that no word of the query finds must be as like it as [`minimum_similarity`](Self::minimum_similarity) says:
/// nonsense finds nothing.
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
    minimum_similarity: f32,
    vectors: Mutex<Vectors>,
}

/// What was embedded.
#[derive(Default)]
struct Vectors {
    /// Of length 1, or empty where a text has no direction.
    known: HashMap<ContentHash, Arc<[f32]>>,
    /// How many documents the largest catalogue had: several may share a ranker, and none of them loses its vectors to a
    /// smaller one.
    largest: usize,
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
            minimum_similarity: 0.25,
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

    /// The cosine from which a tool is found that shares no word with the query, from -1 to 1: 0.25 unless set, which suits
    /// sentence models such as `all-MiniLM-L6-v2`. Models differ: look at the cosines of queries that mean nothing.
    #[must_use]
    pub fn minimum_similarity(mut self, cosine: f32) -> Self {
        self.minimum_similarity = cosine;
        self
    }

    async fn rank_both(&self, query: &str, catalog: &Catalog) -> Result<Vec<Ranked>, RankerError> {
        let documents = self.embedded(catalog).await?;
        let query_vector = self.embed(vec![query.to_owned()]).await?.pop().map(unit).unwrap_or_default();
        let cosines: Vec<f32> = documents.iter().map(|vector| dot(vector, &query_vector)).collect();
        let (least, most) = cosines.iter().fold((f32::MAX, f32::MIN), |(a, b), c| (a.min(*c), b.max(*c)));
        let spread = (most - least).max(f32::MIN_POSITIVE);
        let mut by_words = vec![None; catalog.len()];
        let lexical = self.lexical.search(query, catalog, catalog.len());
        let best = lexical.first().map_or(1.0, |best| best.score).max(f32::MIN_POSITIVE);
        for hit in lexical {
            if let Some(score) = by_words.get_mut(hit.document) {
                *score = Some(hit.score / best);
            }
        }
        let score = |(document, (cosine, words)): (usize, (&f32, &Option<f32>))| {
            let is_found = words.is_some() || *cosine >= self.minimum_similarity;
            let meant = (1.0 - self.lexical_share) * (cosine - least) / spread;
            let said = self.lexical_share * words.unwrap_or_default();
            is_found.then(|| Ranked::new(document, meant + said))
        };
        let mut ranked: Vec<Ranked> = cosines.iter().zip(&by_words).enumerate().filter_map(score).collect();
        ranked.sort_by(|a, b| b.score.total_cmp(&a.score));
        ranked.truncate(MAX_HITS);
        Ok(ranked)
    }

    /// The vectors of all documents. What is embedded stays so, even if the search is dropped half way.
    async fn embedded(&self, catalog: &Catalog) -> Result<Vec<Arc<[f32]>>, RankerError> {
        let hashes = || catalog.iter().map(|document| document.content_hash());
        let missing: Vec<(ContentHash, String)> = {
            let known = &self.vectors().known;
            let documents = hashes().zip(catalog.iter()).filter(|(hash, _)| !known.contains_key(hash));
            documents.map(|(hash, document)| (hash, document.content())).collect()
        };
        for batch in missing.chunks(BATCH) {
            let vectors = self.embed(batch.iter().map(|(_, text)| text.clone()).collect()).await?;
            let hashes = batch.iter().map(|(hash, _)| *hash);
            self.vectors().known.extend(hashes.zip(vectors.into_iter().map(unit)));
        }
        let mut vectors = self.vectors();
        vectors.largest = vectors.largest.max(catalog.len());
        let known = &vectors.known;
        let found: Option<Vec<Arc<[f32]>>> = hashes().map(|hash| known.get(&hash).cloned()).collect();
        if known.len() > 2 * vectors.largest + BATCH {
            // Mostly of documents that are gone.
            let still: HashSet<ContentHash> = hashes().collect();
            vectors.known.retain(|hash, _| still.contains(hash));
        }
        found.ok_or_else(|| RankerError::new("vectors went missing while others were made"))
    }

    fn vectors(&self) -> MutexGuard<'_, Vectors> {
        self.vectors.lock().unwrap_or_else(PoisonError::into_inner)
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

/// A vector of the same direction and length 1; an empty one without a direction, or with a number that is none.
fn unit(mut vector: Vec<f32>) -> Arc<[f32]> {
    let length = dot(&vector, &vector).sqrt();
    if !(length > 0.0 && length.is_finite()) {
        vector.clear();
    }
    for number in &mut vector {
        *number /= length;
    }
    vector.into()
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
