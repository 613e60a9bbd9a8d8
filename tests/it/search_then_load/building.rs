//! What `build()` refuses of the settings, and what they do.

use super::*;

#[test]
fn what_cannot_work_is_refused_all_at_once() {
    let search = ToolSearch::search_then_load().top_k(0).budget(Budget::tools(0));
    let both = Toolset::new("both").tool(hidden("refund", "R.")).always_available([eager("refund")]);
    let errors = Registry::builder()
        .tools([hidden("one", "One."), eager("unload_tool")])
        .search(search)
        .toolset(Toolset::new(" "))
        .toolset(both)
        .toolset(Toolset::new("capped").budget(Budget::tokens(0)))
        .build()
        .unwrap_err();
    let text = errors.to_string();
    for part in [
        "the search tool: `top_k` is 0",
        "the search tool: a budget of 0",
        "toolset `capped`: a budget of 0",
        "a toolset has a blank namespace",
        "two tools are called `refund`",
        "`unload_tool` is called like a discovery tool",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(errors.errors().len(), 6, "{text}");
}

#[test]
fn the_names_of_the_four_tools_are_reserved_for_tools_of_every_kind() {
    for name in ["search_tools", "load_tool", "unload_tool", "clear_loaded_tools"] {
        let search =
            || Registry::builder().tool(hidden("one", "One.")).search(ToolSearch::search_then_load());
        for registry in [
            search().tool(eager(name)),
            search().tool(hidden(name, "Hidden.")),
            search().toolset(Toolset::new("box").deferred().always_available([eager(name)])),
        ] {
            let text = registry.build().unwrap_err().to_string();
            assert!(text.contains(&format!("`{name}` is called like a discovery tool")), "{text}");
        }
    }
}

#[tokio::test]
async fn stop_words_and_token_length_of_the_host_hold_for_documents_and_queries() {
    let ranker = FieldedRanker::builder().stop_words(["city"]).minimum_token_length(4).build().unwrap();
    let tools = [hidden("map_of", "A map of the city."), hidden("weather", "Rain and sun in a city.")];
    let search = ToolSearch::search_then_load().ranker(ranker);
    let session = Registry::builder().tools(tools).search(search).build().unwrap().session();
    let found = async |query: &str| {
        hits(&answer(&session, call_with("1", "search_tools", json!({ "query": query }))).await)
    };
    assert_eq!(found("rain").await, ["weather"]);
    // The stop word and the short words of the other document count for nothing.
    assert_eq!(found("city with rain and map").await, ["weather"]);
    assert_eq!(found("city").await, [""; 0]);
    assert_eq!(found("sun map").await, [""; 0]);
}
