//! What can be set of the built-in ranker.

use serde_json::json;
use tool_core::{ArgumentText, FieldedRanker, FieldedRankerError, SearchField, ToolSearch};

use super::{catalog, document, found, found_by};

fn names(query: &str, ranker: &FieldedRanker) -> Vec<String> {
    let tools = catalog(&[("alpha_1", "Beta gamma."), ("beta_1", "Alpha gamma of it.")]);
    found_by(ranker, &tools, query)
}

#[test]
fn weights_order_and_a_field_without_one_is_not_searched() {
    let described = FieldedRanker::builder()
        .weight(SearchField::Name, 0.5)
        .weight(SearchField::Description, 5.0)
        .build()
        .unwrap();
    assert_eq!(names("alpha", &described), ["beta_1", "alpha_1"]);
    let named = FieldedRanker::builder().weight(SearchField::Description, 0.0).build().unwrap();
    assert_eq!(names("alpha", &named), ["alpha_1"]);
    assert!(names("gamma", &named).is_empty());
}

#[test]
fn own_stop_words_replace_the_built_in_ones() {
    let own = FieldedRanker::builder().stop_words(["gamma"]).build().unwrap();
    assert!(names("gamma", &own).is_empty());
    assert_eq!(names("of", &own), ["beta_1"]);
    assert!(names("of", &FieldedRanker::new()).is_empty());
}

#[test]
fn short_tokens_can_be_dropped_but_not_those_of_scripts_without_spaces() {
    let tools = catalog(&[("go_up", "Go."), ("elevator", "図.")]);
    let long = FieldedRanker::builder().minimum_token_length(3).build().unwrap();
    assert!(found_by(&long, &tools, "go").is_empty());
    assert_eq!(found_by(&long, &tools, "図"), ["elevator"]);
    assert_eq!(found(&tools, "go"), ["go_up"]);
}

#[test]
fn own_synonyms_lead_both_ways_or_one() {
    let tools = catalog(&[("kubernetes", "Clusters."), ("kubectl", "A command.")]);
    let one_way = FieldedRanker::builder().synonyms(["k8s -> kubernetes"]).build().unwrap();
    assert_eq!(found_by(&one_way, &tools, "k8s"), Vec::<String>::new(), "a term is one token");
    let words = FieldedRanker::builder().synonyms(["pods -> kubernetes", "steer kubectl"]).build().unwrap();
    assert_eq!(found_by(&words, &tools, "pod"), ["kubernetes"]);
    assert_eq!(found_by(&words, &tools, "steering"), ["kubectl"]);
    assert!(found(&tools, "pod").is_empty());
}

#[test]
fn a_minimum_score_leaves_the_weak_out() {
    let all = FieldedRanker::new();
    let tools = catalog(&[("alpha", "Beta."), ("beta", "Alpha.")]);
    let scores: Vec<f32> = all.search("alpha", &tools, 5).iter().map(|hit| hit.score).collect();
    let between = f32::midpoint(scores[0], scores[1]);
    let strict = FieldedRanker::builder().minimum_score(between).build().unwrap();
    assert_eq!(found_by(&strict, &tools, "alpha"), ["alpha"]);
}

#[test]
fn what_cannot_work_is_refused() {
    let refused = |builder: tool_core::FieldedRankerBuilder| builder.build().unwrap_err();
    let builder = FieldedRanker::builder;
    assert_eq!(refused(builder().minimum_token_length(0)), FieldedRankerError::MinimumTokenLength);
    assert_eq!(refused(builder().minimum_score(f32::NAN)), FieldedRankerError::MinimumScore);
    let line = "lonely".to_owned();
    assert_eq!(refused(builder().synonyms(["lonely"])), FieldedRankerError::Synonyms { line });
    for weight in [-1.0, f32::INFINITY, f32::NAN] {
        let error = refused(builder().weight(SearchField::Name, weight));
        assert!(error.to_string().contains("the weight of Name"), "{error}");
    }
    let none = [
        SearchField::Name,
        SearchField::Description,
        SearchField::ArgumentNames,
        SearchField::ArgumentDescriptions,
    ];
    let none = none.into_iter().fold(builder(), |builder, field| builder.weight(field, 0.0));
    assert_eq!(refused(none), FieldedRankerError::NoField);
    let _ = ToolSearch::new().ranker(FieldedRanker::new());
}

#[test]
fn arguments_their_descriptions_and_their_values_are_searched() {
    let schema = json!({"type": "object", "properties": {
        "deliveryWindow": {"type": "string", "description": "When the courier comes.", "enum": ["overnight", "noon"]},
        "items": {"type": "array", "items": {"type": "object", "properties": {"barcode": {"type": "string"}}}},
    }});
    let tool = document("ship", "Ships.").with_arguments(&schema).with_keywords(["dispatch"]);
    let arguments: Vec<&ArgumentText> = tool.arguments.iter().collect();
    assert_eq!(arguments[0].values, ["overnight", "noon"]);
    let tools = tool_core::Catalog::new([tool, document("other", "Unlike.")]);
    for query in ["window", "courier", "overnight", "barcodes", "dispatching"] {
        assert_eq!(found(&tools, query), ["ship"], "{query}");
    }
}
