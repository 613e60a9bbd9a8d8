//! A session with tools of its own.

use tool_core::{Registry, Toolset};

use crate::support::{hidden, hits, search, text};

#[tokio::test]
async fn its_tools_are_found_from_the_search_after_they_came_and_by_no_other_session() {
    let registry = Registry::builder().tool(hidden("alpha_tool", "Moves parcels.")).build().unwrap();
    let session = registry.session();
    for (name, expected) in [
        ("beta_tool", vec!["alpha_tool", "beta_tool"]),
        ("gamma_tool", vec!["alpha_tool", "beta_tool", "gamma_tool"]),
    ] {
        session.add(Toolset::new(name).tool(hidden(name, "Moves parcels.")));
        for _ in 0..2 {
            let turn = session.turn().await.unwrap();
            assert_eq!(hits(&text(&turn, search("1", "parcels")).await), expected);
        }
    }
    let other = registry.session().turn().await.unwrap();
    assert_eq!(hits(&text(&other, search("1", "parcels")).await), ["alpha_tool"]);
}
