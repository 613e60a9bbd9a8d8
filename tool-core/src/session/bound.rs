//! A session that is kept in a store: what it did since it was loaded or saved, and which of its saves have landed.
//!
//! At all times the session is what is stored as `version`, with `log` applied to it. A save writes that; a conflict takes
//! what is stored instead as the new ground and applies the log to it again.

use std::{fmt, sync::Arc};

use serde::{Deserialize, Serialize};

use super::{
    change::{Change, Content, Decided},
    reveals::Reveals,
    snapshot::SessionSnapshot,
    state::{SharedState, State},
};
use crate::{Limit, Registry, SessionStore, StoreVersion, StoredSession, ToolName};

/// How many sessions that saved under a key are remembered there.
const MAX_WRITERS: usize = 32;

/// A session that saved under a key: what it wrote last tells it whether a save landed whose answer was lost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Writer {
    id: String,
    /// The number of its last save.
    saves: u64,
}

/// Where a session is kept.
pub(super) struct Bound {
    store: Arc<dyn SessionStore>,
    key: Arc<str>,
    /// The id of this session as a writer.
    id: String,
    /// What was loaded or saved last; `None` where nothing was kept.
    version: Option<StoreVersion>,
    /// As stored with that version, the last one to save at the end.
    writers: Vec<Writer>,
    /// The number of the last save that was tried.
    saves: u64,
    /// What the session did since that version.
    log: Vec<Change>,
    /// Saves over that version whose outcome is not known: number, and how much of the log each wrote.
    unsure: Vec<(u64, usize)>,
    /// Decisions of this session that came to nothing: somebody else had begun the call, or ended its batch.
    overtaken: Vec<Decided>,
}

/// One save to be tried.
pub(super) struct Attempt {
    pub(super) store: Arc<dyn SessionStore>,
    pub(super) snapshot: SessionSnapshot,
    pub(super) expected: Option<StoreVersion>,
    number: u64,
}

/// What of the session's own changes is lost when they are applied to what somebody else stored.
#[derive(Debug, Default)]
pub(super) struct Lost {
    pub(super) over_budget: Vec<(ToolName, Limit)>,
    pub(super) calls: Vec<String>,
}

/// How the reveals differ from before.
#[derive(Debug)]
pub(super) struct Merged {
    pub(super) lost: Lost,
    pub(super) before: Arc<Reveals>,
    pub(super) after: Arc<Reveals>,
    /// Whether everything is stored already.
    pub(super) is_saved: bool,
}

impl Bound {
    /// A session that has just been loaded; `stored` is what it was made of.
    pub(super) fn new(
        store: Arc<dyn SessionStore>,
        key: &str,
        version: Option<StoreVersion>,
        writers: Vec<Writer>,
    ) -> Self {
        let id = uuid::Uuid::new_v4().to_string();
        Self {
            store,
            key: key.into(),
            id,
            version,
            writers,
            saves: 0,
            log: Vec::new(),
            unsure: Vec::new(),
            overtaken: Vec::new(),
        }
    }

    /// Notes a change that took effect.
    pub(super) fn record(&mut self, change: &Change) {
        self.log.push(change.clone());
    }

    /// The id of this session as a writer.
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// The writers after save `number` of this session.
    fn writers_after(&self, number: u64) -> Vec<Writer> {
        let mut writers: Vec<Writer> =
            self.writers.iter().filter(|writer| writer.id != self.id).cloned().collect();
        writers.push(Writer { id: self.id.clone(), saves: number });
        writers.drain(..writers.len().saturating_sub(MAX_WRITERS));
        writers
    }

    /// How much of the log may have been stored, where so many have saved since that nobody remembers. A save of this
    /// session would stand behind those that were remembered before it.
    fn in_doubt(&self, stored: &[Writer]) -> usize {
        let is_remembered = |writer: &Writer| writer.id == self.id || self.writers.contains(writer);
        if stored.len() < MAX_WRITERS || stored.iter().any(is_remembered) {
            return 0;
        }
        self.unsure.iter().map(|(_, written)| *written).max().unwrap_or_default()
    }

    /// Whether one of these decisions came to nothing; they are not told of again.
    pub(super) fn take_overtaken(&mut self, decided: &[Decided]) -> bool {
        let before = self.overtaken.len();
        self.overtaken.retain(|overtaken| !decided.contains(overtaken));
        self.overtaken.len() < before
    }

    fn forget(&mut self, written: usize) {
        self.log.drain(..written.min(self.log.len()));
        self.unsure.clear();
    }
}

impl SharedState {
    pub(super) fn bind(&self, bound: Bound) {
        self.lock().bound = Some(bound);
    }

    pub(crate) fn is_bound(&self) -> bool {
        self.lock().bound.is_some()
    }

    pub(super) fn key(&self) -> Option<Arc<str>> {
        self.lock().bound.as_ref().map(|bound| Arc::clone(&bound.key))
    }

    /// A save of all that the session is now; `None` without a store.
    pub(super) fn attempt(&self, registry: &Registry) -> Option<Attempt> {
        let mut state = self.lock();
        let content = state.content.clone();
        let bound = state.bound.as_mut()?;
        bound.saves += 1;
        let number = bound.saves;
        bound.unsure.push((number, bound.log.len()));
        let (store, expected) = (Arc::clone(&bound.store), bound.version.clone());
        let writers = bound.writers_after(number);
        // Without the lock: fingerprints may be made for it.
        drop(state);
        let mut snapshot = SessionSnapshot::of(registry, content);
        snapshot.writers = writers;
        Some(Attempt { store, snapshot, expected, number })
    }

    /// A save has not landed: somebody else was sooner.
    pub(super) fn conflicted(&self, attempt: &Attempt) {
        if let Some(bound) = &mut self.lock().bound {
            bound.unsure.retain(|(number, _)| *number != attempt.number);
        }
    }

    /// A save has landed.
    pub(super) fn saved(&self, attempt: &Attempt, version: StoreVersion) {
        let mut state = self.lock();
        let Some(bound) = &mut state.bound else { return };
        let written = bound.unsure.iter().find(|(number, _)| *number == attempt.number);
        let written = written.map_or(0, |(_, written)| *written);
        bound.writers = bound.writers_after(attempt.number);
        bound.forget(written);
        bound.version = Some(version);
    }

    /// Goes over to what somebody else has stored, and applies to it what this session did. `content` is what
    /// `stored` means here.
    pub(super) fn adopt(
        &self,
        registry: &Registry,
        stored: StoredSession,
        writers: Vec<Writer>,
        content: Content,
    ) -> Option<Merged> {
        let mut state = self.lock();
        let State { bound, content: current, added, .. } = &mut *state;
        let bound = bound.as_mut()?;
        let in_doubt = bound.in_doubt(&writers);
        let landed = writers.iter().find(|writer| writer.id == bound.id).map_or(0, |writer| writer.saves);
        let written =
            bound.unsure.iter().find(|(number, _)| *number == landed).map_or(0, |(_, written)| *written);
        bound.forget(written);
        let before = Arc::clone(&current.reveals);
        *current = content;
        let (mut applied, mut lost) = (Vec::new(), Lost::default());
        for operation in added.iter() {
            Arc::make_mut(&mut current.reveals).apply(registry, operation);
        }
        let Bound { log, overtaken, .. } = bound;
        let mut place = 0;
        log.retain(|change| {
            place += 1;
            // A batch that may have been stored may have run since: it is not stored again.
            let is_known = place > in_doubt || !matches!(change, Change::Suspend(_));
            let effective = is_known && current.apply(registry, change, &mut applied);
            match change {
                Change::Suspend(open) if !effective => lost.calls.extend(open.call_ids()),
                Change::Decide { decided, .. } if !effective => overtaken.push(decided.clone()),
                _ => {}
            }
            effective
        });
        lost.over_budget = applied.into_iter().flat_map(|applied| applied.over).collect();
        bound.version = Some(stored.version);
        bound.writers = writers;
        let is_saved = bound.log.is_empty();
        let after = Arc::clone(&current.reveals);
        state.reveals_changed();
        Some(Merged { lost, before, after, is_saved })
    }
}

impl fmt::Debug for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bound")
            .field("key", &self.key)
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}
