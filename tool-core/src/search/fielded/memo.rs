//! The words of earlier queries with what they find: the words of queries come again.
//!
//! One for each version of an index, shared by all sessions. It holds no more than a few times what the documents do.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, PoisonError, RwLock},
};

use super::query::Term;

/// How many documents are remembered for each one of the index, in all words together, and for none.
const PER_DOCUMENT: usize = 16;
const AT_LEAST: usize = 4_096;
const AT_MOST: usize = 1 << 20;
/// What a word takes that finds nothing.
const WORD: usize = 16;

/// Words by key.
#[derive(Default)]
pub(super) struct Memo {
    words: RwLock<Words>,
    /// Until so much is in `recent`.
    capacity: usize,
}

#[derive(Default)]
struct Words {
    recent: HashMap<Box<str>, Arc<Term>>,
    size: usize,
    /// What was recent before: forgotten when `recent` is full again.
    older: HashMap<Box<str>, Arc<Term>>,
}

impl Memo {
    pub(super) fn new(documents: usize) -> Self {
        let capacity = documents.saturating_mul(PER_DOCUMENT).clamp(AT_LEAST, AT_MOST);
        Self { words: RwLock::default(), capacity }
    }

    /// What is remembered under a key, or made now.
    pub(super) fn term(&self, key: &str, make: impl FnOnce() -> Term) -> Arc<Term> {
        // A word is whole or not there: a panic leaves nothing half done.
        let known = {
            let words = self.words.read().unwrap_or_else(PoisonError::into_inner);
            words.recent.get(key).or_else(|| words.older.get(key)).cloned()
        };
        known.unwrap_or_else(|| {
            let term = Arc::new(make());
            let mut words = self.words.write().unwrap_or_else(PoisonError::into_inner);
            let size = WORD + term.values.len();
            if words.size + size > self.capacity {
                words.older = std::mem::take(&mut words.recent);
                words.size = 0;
            }
            words.size += size;
            words.recent.insert(key.into(), Arc::clone(&term));
            term
        })
    }
}

impl fmt::Debug for Memo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memo").field("capacity", &self.capacity).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn term(values: usize) -> Term {
        Term {
            text: String::new(),
            occurrence: None,
            variants: Vec::new(),
            values: vec![(0, 0.0); values].into(),
        }
    }

    #[test]
    fn a_word_is_made_once_while_there_is_room_and_what_is_kept_is_bounded() {
        let memo = Memo::new(1);
        memo.term("a", || term(1));
        memo.term("a", || panic!("made again"));
        for n in 0..10_000 {
            memo.term(&n.to_string(), || term(100));
        }
        let words = memo.words.read().unwrap();
        assert!(words.size <= AT_LEAST && words.recent.len() + words.older.len() <= 2 * AT_LEAST / 100);
    }
}
