//! The attribute macros of `tool-core`; documented there.
