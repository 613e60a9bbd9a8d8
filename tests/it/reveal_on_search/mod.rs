//! Reveal on search, the default mode: what `tool_search` takes and answers, and what its hits change.

mod answers;
mod arguments;
mod building;
mod circles;
mod discovery;
mod flags;
mod gate;
mod matching;
mod rankers;
mod sessions;
mod visibility;
