//! Integration tests, by behaviour.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod agent;
mod approvals;
mod bridge;
mod budgets;
mod build_errors;
mod context;
mod events;
mod field_reports;
mod group_faults;
mod groups;
mod introspection;
mod ledger;
mod loading;
mod machine;
mod macros;
mod nested_calls;
mod reveal_on_search;
mod rules;
mod search;
mod search_then_load;
mod sources;
mod spans;
mod state;
mod support;
