//! The conversation that a run works on.

use crate::agent::Conversation;

/// The conversation of a run.
pub(in crate::agent) enum Target<'c> {
    /// Made for this run.
    Own(Conversation),
    /// The host's.
    Borrowed(&'c mut Conversation),
}

impl Target<'_> {
    pub(super) fn get(&self) -> &Conversation {
        match self {
            Self::Own(conversation) => conversation,
            Self::Borrowed(conversation) => conversation,
        }
    }

    pub(super) fn get_mut(&mut self) -> &mut Conversation {
        match self {
            Self::Own(conversation) => conversation,
            Self::Borrowed(conversation) => conversation,
        }
    }
}
