//! Which tools a query finds, and in which order.

use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::{FunctionTool, Registry, Session, SubstringRanker, ToolContext, ToolSearch, Toolset};

use crate::support::{builder, hidden, hits, note, search, text};

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Transfer {
    /// Whom the money goes to.
    recipient: String,
    #[serde(default)]
    details: Option<Details>,
    items: Vec<Item>,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Details {
    /// Shown on the statement.
    memo: String,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Item {
    /// In hundredths.
    quantity: u64,
}

fn transfer() -> FunctionTool {
    builder("send_money", "Moves funds.").deferred().handler(async |_: Transfer, _: ToolContext| "sent")
}

fn session(tools: impl IntoIterator<Item = FunctionTool>) -> Session {
    Registry::builder().tools(tools).build().unwrap().session()
}

fn by_substring(tools: impl IntoIterator<Item = FunctionTool>) -> Session {
    let search = ToolSearch::new().ranker(SubstringRanker::default());
    Registry::builder().tools(tools).search(search).build().unwrap().session()
}

async fn found(session: &Session, query: &str) -> Vec<String> {
    hits(&text(&session.turn().await.unwrap(), search("1", query)).await)
}

#[tokio::test]
async fn a_word_of_name_description_argument_or_argument_description_finds_the_tool() {
    for word in [
        "money",
        "send",
        "funds",
        "recipient",
        "goes",
        "memo",
        "statement",
        "quantity",
        "hundredths",
        "MONEY",
        "mone",
        "cipien",
    ] {
        let session = by_substring([transfer(), hidden("other", "Unlike.")]);
        assert_eq!(found(&session, word).await, ["send_money"], "{word}");
        assert_eq!(session.revealed(), ["send_money"], "{word}");
    }
}

#[tokio::test]
async fn keywords_find_a_tool_and_are_never_shown() {
    let refund = crate::support::Runs::default()
        .tool(builder("give_back", "Returns money.").deferred().keywords(["refund", "chargeback"]));
    let session = session([refund, hidden("other", "Unlike.")]);
    let text = text(&session.turn().await.unwrap(), search("1", "chargeback")).await;
    assert_eq!(hits(&text), ["give_back"]);
    assert!(!text.contains("chargeback") && !text.contains("refund"), "{text}");
    assert!(!crate::support::bytes(&session.turn().await.unwrap()).contains("refund"));
}

#[tokio::test]
async fn a_word_in_the_name_or_a_keyword_outweighs_one_in_the_description() {
    let keyword =
        crate::support::Runs::default().tool(builder("a_third", "X.").deferred().keywords(["invoice"]));
    let session = by_substring([
        hidden("a_first", "Sends an invoice."),
        hidden("b_second", "Prints an invoice."),
        hidden("invoice_maker", "Makes them."),
        keyword,
    ]);
    assert_eq!(found(&session, "invoice").await, ["a_third", "invoice_maker", "a_first", "b_second"]);
}

#[tokio::test]
async fn more_words_that_match_rank_higher_and_ties_keep_the_order_of_names() {
    let session = session([
        hidden("z", "Alpha beta."),
        hidden("y", "Alpha."),
        hidden("x", "Alpha."),
        hidden("w", "Alpha beta gamma."),
    ]);
    for _ in 0..100 {
        assert_eq!(found(&session, "alpha beta gamma").await, ["w", "z", "x", "y"]);
    }
}

#[tokio::test]
async fn one_letter_queries_reveal_only_whole_word_hits() {
    let mut tools: Vec<_> =
        (0..200).map(|n| hidden(&format!("tool_{n}_abcdefgh"), "Every letter is inside.")).collect();
    tools.push(hidden("plan_x", "Draws on the axis."));
    tools.push(hidden("exact", "Uses the letter x alone."));
    let session = session(tools);
    for letter in ["a", "b", "c", "d", "e", "f", "g", "h", "i", "l"] {
        let text = text(&session.turn().await.unwrap(), search("1", letter)).await;
        assert_eq!(hits(&text), [""; 0], "{letter}: {text}");
    }
    assert!(session.revealed().is_empty());
    assert_eq!(found(&session, "x").await, ["plan_x", "exact"]);
}

#[tokio::test]
async fn one_letter_of_another_script_is_a_letter_too() {
    let session = session([hidden("mail", "Отправляет письмо."), hidden("sign", "Ставит подпись я.")]);
    assert_eq!(found(&session, "я").await, ["sign"]);
    assert_eq!(found(&session, "т").await, [""; 0]);
}

#[tokio::test]
async fn a_in_a_sentence_reveals_nothing_by_itself() {
    let tools = (0..200).map(|n| hidden(&format!("banana_{n}"), "A banana on a plate."));
    let mut tools: Vec<_> = tools.collect();
    tools.push(hidden("weather", "The forecast."));
    let session = session(tools);
    assert_eq!(found(&session, "I need a forecast").await, ["weather"]);
    assert_eq!(session.revealed(), ["weather"]);
}

#[tokio::test]
async fn exact_names_come_first_whatever_the_ranking_says() {
    let mut tools: Vec<_> = (0..20).map(|n| hidden(&format!("get_user_{n}"), "get user get user")).collect();
    tools.push(hidden("get_user", "Looks up."));
    let session = session(tools);
    for query in ["get_user", "get-user", "GetUser", "GET_USER", "get user", "\"get_user\""] {
        assert_eq!(found(&session, query).await[0], "get_user", "{query}");
    }
}

#[tokio::test]
async fn exact_names_count_in_top_k_raised_to_their_number() {
    let session = session((0..60).map(|n| hidden(&format!("job_{n:02}"), "Runs a job.")));
    let wanted = ["job_50", "job_41", "job_32", "job_23", "job_14", "job_05"];
    let text = text(&session.turn().await.unwrap(), search("1", &wanted.join(", "))).await;
    assert_eq!(hits(&text), wanted);
    assert!(note(&text).contains("6 of 60"), "{text}");
}

#[tokio::test]
async fn a_prefixed_tool_is_found_by_full_name_and_by_its_own() {
    let git = Toolset::new("git").prefix("git").tool(hidden("blame", "Who wrote it."));
    let registry =
        Registry::builder().toolset(git).tool(hidden("blame_game", "blame blame")).build().unwrap();
    for query in ["git_blame", "blame", "Git-Blame"] {
        let session = registry.session();
        assert_eq!(found(&session, query).await[0], "git_blame", "{query}");
    }
}

#[tokio::test]
async fn a_plain_word_in_a_sentence_is_no_exact_name() {
    let session =
        session([hidden("report", "Writes."), hidden("sales_report", "A sales report of the quarter.")]);
    assert_eq!(found(&session, "sales report of the quarter").await[0], "sales_report");
}

#[tokio::test]
async fn revealed_tools_keep_their_rank() {
    let session = session([hidden("alpha_one", "X."), hidden("alpha_two", "X.")]);
    let first = found(&session, "alpha").await;
    let second = found(&session, "alpha").await;
    assert_eq!(first, second);
}

#[tokio::test]
async fn long_queries_are_cut_and_answered() {
    let session = session([hidden("charge", "Charges.")]);
    let long = format!("charge {}", "word ".repeat(100_000));
    assert_eq!(found(&session, &long).await, ["charge"]);
}
