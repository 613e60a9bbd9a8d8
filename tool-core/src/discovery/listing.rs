//! What the search tool's description says of hidden tools: names, toolsets or counts, as far as the budget goes.

use super::Listing;
use crate::registry::Entry;

/// The text to append to the description; empty without a listing. Fixed when the registry is built.
pub(super) fn text(listing: Listing, hidden: &[&Entry]) -> String {
    if hidden.is_empty() {
        return String::new();
    }
    match listing {
        Listing::None => String::new(),
        Listing::Groups { tokens } => fitting(tokens, [toolsets(hidden, tokens)], hidden),
        Listing::Names { tokens } => fitting(tokens, [names(hidden), toolsets(hidden, tokens)], hidden),
    }
}

/// The first text within the budget; past all of them the count alone.
fn fitting<const N: usize>(tokens: usize, texts: [String; N], hidden: &[&Entry]) -> String {
    let fits = |text: &String| text.len().div_ceil(4) <= tokens;
    let count = || format!("\n\nHidden: {} tools.", hidden.len());
    texts.into_iter().find(fits).unwrap_or_else(count)
}

fn names(hidden: &[&Entry]) -> String {
    let names: Vec<&str> = hidden.iter().map(|entry| entry.name().as_str()).collect();
    format!("\n\nHidden tools: {}.", names.join(", "))
}

/// Toolsets with their counts, as many as fit, then how many tools are left.
fn toolsets(hidden: &[&Entry], tokens: usize) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for entry in hidden {
        match counts.iter_mut().find(|(namespace, _)| *namespace == entry.namespace) {
            Some((_, count)) => *count += 1,
            None => counts.push((&entry.namespace, 1)),
        }
    }
    counts.sort_unstable();
    let render = |shown: usize| {
        let mut parts: Vec<String> =
            counts.iter().take(shown).map(|(namespace, count)| format!("{namespace} ({count})")).collect();
        let left: usize = counts.iter().skip(shown).map(|(_, count)| count).sum();
        if left > 0 {
            parts.push(format!("{left} more tools"));
        }
        format!("\n\nHidden tools by toolset: {}.", parts.join(", "))
    };
    let fits = |shown: &usize| render(*shown).len().div_ceil(4) <= tokens;
    let shown = (1..=counts.len()).rev().find(fits).unwrap_or(counts.len());
    render(shown)
}
