//! Integration tests, by behaviour.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod agent;
mod approvals;
mod bridge;
mod budgets;
mod build_errors;
mod context;
mod field_reports;
mod groups;
mod loading;
mod macros;
mod reveal_on_search;
mod rules;
mod search;
mod search_then_load;
mod support;
