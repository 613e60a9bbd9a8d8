//! Recall, nDCG, MRR and times.
//!
//! Recall at k is the share of the relevant tools among the first k, the mean over the queries.

use std::time::Duration;

use serde::Serialize;

/// Sums over queries.
#[derive(Default)]
pub(crate) struct Metrics {
    queries: usize,
    recall: [f64; 3],
    ndcg: f64,
    mrr: f64,
    no_result: usize,
    times: Vec<Duration>,
}

/// Where recall is measured.
const AT: [usize; 3] = [1, 5, 10];

/// The one line of output.
#[derive(Serialize)]
pub(crate) struct Report {
    tools: usize,
    queries: usize,
    #[serde(rename = "recall@1")]
    recall_at_1: f64,
    #[serde(rename = "recall@5")]
    recall_at_5: f64,
    #[serde(rename = "recall@10")]
    recall_at_10: f64,
    #[serde(rename = "ndcg@10")]
    ndcg: f64,
    mrr: f64,
    no_result: usize,
    index_ms: f64,
    search_us_p50: f64,
    search_us_p95: f64,
}

#[allow(clippy::cast_precision_loss, reason = "counts of queries and ranks")]
impl Metrics {
    pub(crate) fn add(&mut self, found: &[&str], relevant: &[String], elapsed: Duration) {
        let is_relevant = |name: &&str| relevant.iter().any(|relevant| relevant == name);
        self.queries += 1;
        self.times.push(elapsed);
        self.no_result += usize::from(found.is_empty());
        let hits: Vec<usize> = (0..)
            .zip(found.iter().take(10))
            .filter(|(_, name)| is_relevant(name))
            .map(|(at, _)| at)
            .collect();
        for (recall, at) in self.recall.iter_mut().zip(AT) {
            let first = hits.iter().filter(|hit| **hit < at).count();
            *recall += first as f64 / relevant.len().max(1) as f64;
        }
        let gain = |at: usize| 1.0 / (at as f64 + 2.0).log2();
        let ideal: f64 = (0..relevant.len().min(10)).map(gain).sum();
        self.ndcg += hits.iter().map(|hit| gain(*hit)).sum::<f64>() / ideal.max(f64::MIN_POSITIVE);
        self.mrr += hits.first().map_or(0.0, |hit| 1.0 / (*hit as f64 + 1.0));
    }

    pub(crate) fn recall_at_5(&self) -> f64 {
        self.recall[1] / self.queries.max(1) as f64
    }

    pub(crate) fn report(&mut self, tools: usize, index_ms: f64) -> Report {
        let queries = self.queries.max(1) as f64;
        self.times.sort_unstable();
        let last = self.times.len().saturating_sub(1);
        let micros = |percent: usize| {
            self.times.get(last * percent / 100).map_or(0.0, |time| time.as_secs_f64() * 1e6)
        };
        Report {
            tools,
            queries: self.queries,
            recall_at_1: self.recall[0] / queries,
            recall_at_5: self.recall[1] / queries,
            recall_at_10: self.recall[2] / queries,
            ndcg: self.ndcg / queries,
            mrr: self.mrr / queries,
            no_result: self.no_result,
            index_ms,
            search_us_p50: micros(50),
            search_us_p95: micros(95),
        }
    }
}
