//! The host value of the tools: what they did to the shop, so that the example can check that nothing else happened.

use std::sync::{Mutex, PoisonError};

/// The shop's books. Tools borrow it with `#[context]`; no model ever sees it.
#[derive(Debug, Default)]
pub(crate) struct Shop {
    entries: Mutex<Vec<Entry>>,
}

/// Something that cannot be taken back by not looking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Entry {
    Charged { amount_cents: u64 },
    Refunded { amount_cents: u64 },
    Migrated { sql: String },
}

impl Shop {
    pub(crate) fn enter(&self, entry: Entry) {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).push(entry);
    }

    pub(crate) fn entries(&self) -> Vec<Entry> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
