//! Notices runs that go in circles: turns that only search, turns whose every call is refused, the same search again.
//!
//! Counted per turn, never per call. The first time a limit is met, the results say so; if the next turn does it again,
//! the turn has a stop reason. New input, a turn after one without calls, and a turn after a stop start the counts again.

/// How many turns of a kind in a row are too many.
const LIMIT: u32 = 5;

/// Why a run should end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TurnStop {
    /// Turn after turn only searched, or searched for the same again.
    Searching,
    /// Turn after turn had every call refused.
    Refused,
}

/// What the calls of a batch were.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TurnKind {
    /// Searches only.
    Searched,
    /// Every call was refused.
    Refused,
    Other,
}

/// Turns that go in circles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Circle {
    pub(crate) doing: TurnStop,
    pub(crate) stage: CircleStage,
    /// What to tell the model.
    pub(crate) note: &'static str,
}

/// How far a circle is noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CircleStage {
    /// The model is told now.
    Noticed,
    /// It was told before: the turn has a stop reason.
    WentOn,
}

/// The counts of a session.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    turn: u64,
    /// The last turn whose calls were counted.
    counted: u64,
    searched: u32,
    refused: u32,
    /// The words of the last search, and how often the reveals had changed then.
    last_search: Option<(Vec<String>, u64)>,
    repeated: bool,
    warned: Option<TurnStop>,
    stop: Option<(u64, TurnStop)>,
}

impl Progress {
    /// Begins a turn and gives its number.
    pub(crate) fn begin_turn(&mut self) -> u64 {
        // A stop ends what the host was doing; whatever it does next is something else.
        if self.counted != self.turn || self.stop.is_some() {
            self.restart();
        }
        self.turn += 1;
        self.turn
    }

    /// Starts the counts again.
    pub(crate) fn restart(&mut self) {
        (self.searched, self.refused, self.warned, self.stop) = (0, 0, None, None);
        self.last_search = None;
    }

    /// Notes a search by its words; `version` counts the changes of the reveals.
    pub(crate) fn searched(&mut self, words: &[String], version: u64) {
        let same = |(last, then): &(Vec<String>, u64)| !words.is_empty() && last == words && *then == version;
        self.repeated |= self.last_search.as_ref().is_some_and(same);
    }

    /// Remembers the last search of a batch with the version that its reveals made.
    pub(crate) fn remember_search(&mut self, words: Vec<String>, version: u64) {
        self.last_search = Some((words, version));
    }

    /// Counts the calls of a turn, and says whether they go in circles.
    pub(crate) fn end_batch(&mut self, turn: u64, kind: TurnKind) -> Option<Circle> {
        // A second batch of one turn is not another turn.
        let first = self.counted != turn;
        self.counted = turn;
        match kind {
            TurnKind::Searched => (self.searched, self.refused) = (self.searched + u32::from(first), 0),
            TurnKind::Refused => (self.searched, self.refused) = (0, self.refused + u32::from(first)),
            TurnKind::Other => (self.searched, self.refused) = (0, 0),
        }
        let repeated = std::mem::take(&mut self.repeated);
        let met = if self.searched >= LIMIT || repeated {
            Some(TurnStop::Searching)
        } else if self.refused >= LIMIT {
            Some(TurnStop::Refused)
        } else {
            None
        };
        let before = std::mem::replace(&mut self.warned, met);
        let doing = met?;
        let stage = if before == Some(doing) { CircleStage::WentOn } else { CircleStage::Noticed };
        if stage == CircleStage::WentOn {
            self.stop = Some((turn, doing));
        }
        let note = match doing {
            TurnStop::Searching if repeated => {
                "This search was made before and nothing has changed since: call what it found, or answer without it."
            }
            TurnStop::Searching => {
                "Your last turns only searched: call what was found, or answer without it."
            }
            TurnStop::Refused => {
                "Every call of your last turns was refused: call listed tools only, or answer without them."
            }
        };
        Some(Circle { doing, stage, note })
    }

    pub(crate) fn stop(&self, turn: u64) -> Option<TurnStop> {
        self.stop.filter(|(of, _)| *of == turn).map(|(_, stop)| stop)
    }
}
