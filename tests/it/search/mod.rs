//! The built-in ranker over catalogues: what it finds, in which order, and what cannot fool it.

mod changes;
mod embedding_server;
mod hostile;
mod hybrid;
mod languages;
mod names;
mod own;
mod settings;

use tool_core::{Catalog, FieldedRanker, SearchDocument, ToolName};

pub(super) fn document(name: &str, description: &str) -> SearchDocument {
    SearchDocument::new(ToolName::new(name).unwrap(), description)
}

pub(super) fn catalog(tools: &[(&str, &str)]) -> Catalog {
    Catalog::new(tools.iter().map(|(name, description)| document(name, description)))
}

/// The names that a ranker finds, best first.
pub(super) fn found_by(ranker: &FieldedRanker, catalog: &Catalog, query: &str) -> Vec<String> {
    let hits = ranker.search(query, catalog, 5);
    hits.iter().map(|hit| catalog[hit.document].name.to_string()).collect()
}

pub(super) fn found(catalog: &Catalog, query: &str) -> Vec<String> {
    found_by(&FieldedRanker::new(), catalog, query)
}

/// Tools of several trades, for tests that look for one among many.
pub(super) fn shop() -> Catalog {
    catalog(&[
        ("refund_payment", "Pays a customer's money back."),
        ("ship_parcel", "Hands a parcel over to the carrier."),
        ("getExchangeRate", "Rate of a currency on a day."),
        ("HTTPServerStart", "Starts the web server."),
        ("resize-image", "Scales a picture to a width."),
        ("canvas_create_edge", "Connects two nodes."),
        ("mcp__plugin_x__ask_codex", "Asks for a second opinion."),
        ("list_invoices", "All invoices of a customer."),
        ("schedule_backup", "Saves the data every night."),
        ("translate_text", "Text in another language."),
    ])
}
