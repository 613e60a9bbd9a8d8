//! One truth per request: every order of the calls of a batch, and every order in which they finish.

use std::time::Duration;

use tool_core::{
    Batch, Catalog, FunctionTool, RankFuture, Ranked, Ranker, Registry, Session, ToolCall, ToolContext,
    ToolError, ToolSearch,
};

use crate::support::{Gates, Runs, builder, call, hits, note, permutations, poll_once, search, text};

/// A registry whose calls end when the test says so: searches by their query, tools by the id of the call.
pub(super) struct World {
    pub(super) registry: Registry,
    pub(super) gates: Gates,
    pub(super) runs: Runs,
}

/// Finds the tool whose name stands behind `find`, once the gate of the query is open.
struct Gated(Gates);

impl Ranker for Gated {
    fn rank<'a>(&'a self, query: &'a str, documents: &'a Catalog) -> RankFuture<'a> {
        Box::pin(async move {
            self.0.pass(query).await;
            let wanted = query.strip_prefix("find ").unwrap_or_default();
            let found = documents.iter().position(|document| document.name.as_str() == wanted);
            Ok(found.map(|document| Ranked::new(document, 1.0)).into_iter().collect())
        })
    }
}

impl World {
    pub(super) fn new() -> Self {
        let (gates, runs) = (Gates::default(), Runs::default());
        let search =
            ToolSearch::new().ranker(Gated(gates.clone())).ranker_timeout(Duration::from_secs(3_600));
        let registry = Registry::builder()
            .tools([runs.hidden("alpha", "X."), runs.hidden("beta", "X.")])
            .tools([
                gated("works", &gates, &runs, Ok("worked")),
                gated("fails", &gates, &runs, Err("failed")),
            ])
            .search(search)
            .build()
            .unwrap();
        Self { registry, gates, runs }
    }
}

fn gated(
    name: &str,
    gates: &Gates,
    runs: &Runs,
    outcome: Result<&'static str, &'static str>,
) -> FunctionTool {
    let (gates, runs) = (gates.clone(), runs.clone());
    builder(name, "Waits for its gate.").handler(move |(): (), context: ToolContext| {
        let (gates, runs) = (gates.clone(), runs.clone());
        async move {
            runs.add(context.call_id());
            gates.pass(context.call_id()).await;
            outcome.map_err(ToolError::new)
        }
    })
}

const SEARCH_ALPHA: &str = "find alpha";
const SEARCH_BETA: &str = "find beta";
const GATES: [&str; 4] = [SEARCH_ALPHA, SEARCH_BETA, "w", "f"];

fn calls() -> Vec<ToolCall> {
    vec![
        search("s", SEARCH_ALPHA),
        search("t", SEARCH_BETA),
        call("h", "alpha"),
        call("w", "works"),
        call("f", "fails"),
    ]
}

fn expected(id: &str) -> &'static str {
    match id {
        "s" => "[{\"name\":\"alpha\",\"description\":\"X.\"}]\n\nCallable from your next message: alpha.",
        "t" => "[{\"name\":\"beta\",\"description\":\"X.\"}]\n\nCallable from your next message: beta.",
        "h" => "Tool 'alpha' is not in your current tool list. Call tool_search to find tools.",
        "w" => "worked",
        _ => "failed",
    }
}

/// Opens the gates one by one; until the last one the batch is pending and nothing is committed.
async fn finish_in_order(
    session: &Session,
    mut batch: impl Future<Output = Batch> + Unpin,
    gates: &Gates,
    order: &[&str],
) -> Batch {
    for gate in order {
        assert!(poll_once(&mut batch).await.is_none(), "pending before {gate} of {order:?}");
        assert!(session.revealed().is_empty(), "committed before {gate} of {order:?}");
        gates.open(gate);
    }
    poll_once(&mut batch).await.expect("all gates are open")
}

#[tokio::test]
async fn every_order_of_calls_and_of_finishing_gives_the_same_results_in_call_order() {
    let world = World::new();
    for calls in permutations(&calls()) {
        for order in permutations(&GATES) {
            let session = world.registry.session();
            let turn = session.turn().await.unwrap();
            let batch = Box::pin(tokio::task::unconstrained(turn.call_all(calls.clone())));
            let results = finish_in_order(&session, batch, &world.gates, &order).await.into_results();

            assert_eq!(results.len(), calls.len());
            for (call, result) in calls.iter().zip(&results) {
                assert_eq!((&result.call_id, &result.name), (&call.id, &call.name), "{order:?}");
                assert_eq!(result.text(), expected(&call.id), "{calls:?} {order:?}");
            }
            let searched = calls.iter().filter_map(|call| match call.id.as_str() {
                "s" => Some("alpha"),
                "t" => Some("beta"),
                _ => None,
            });
            assert_eq!(session.revealed(), searched.collect::<Vec<_>>(), "in call order: {order:?}");
        }
    }
    assert!(!world.runs.all().contains(&"alpha".to_owned()), "a hidden tool ran");
}

#[tokio::test]
async fn the_turn_after_the_batch_allows_what_it_refused() {
    let world = World::new();
    for gate in GATES {
        world.gates.open(gate);
    }
    let session = world.registry.session();
    session.turn().await.unwrap().call_all(calls()).await;
    let turn = session.turn().await.unwrap();
    assert_eq!(text(&turn, call("1", "alpha")).await, "alpha ran");
    assert_eq!(text(&turn, call("2", "beta")).await, "beta ran");
}

#[tokio::test]
async fn of_two_calls_with_one_id_the_first_runs_in_every_order() {
    let repeated = [call("w", "works"), call("w", "fails"), search("s", SEARCH_ALPHA), call("w", "alpha")];
    for calls in permutations(&repeated) {
        for order in permutations(&["w", SEARCH_ALPHA]) {
            let world = World::new();
            let session = world.registry.session();
            let turn = session.turn().await.unwrap();
            let batch = Box::pin(tokio::task::unconstrained(turn.call_all(calls.clone())));
            let first_is_refused = calls.iter().find(|call| call.id == "w").unwrap().name == "alpha";
            // A refused first call leaves nothing that waits.
            let order: Vec<_> = order.into_iter().filter(|gate| *gate != "w" || !first_is_refused).collect();
            let results = finish_in_order(&session, batch, &world.gates, &order).await.into_results();
            let mut seen = false;
            for (call, result) in calls.iter().zip(&results) {
                let expected = match (call.id.as_str(), call.name.as_str()) {
                    ("s", _) => expected("s"),
                    // Its name is judged first, whatever its id.
                    (_, "alpha") => expected("h"),
                    _ if seen => "duplicate call id",
                    (_, "works") => "worked",
                    _ => "failed",
                };
                seen |= call.id == "w";
                assert_eq!(result.text(), expected, "{calls:?}");
            }
            assert_eq!(world.runs.all().len(), usize::from(!first_is_refused), "{:?}", world.runs.all());
        }
    }
}

#[tokio::test]
async fn calls_without_ids_are_no_repetitions() {
    let world = World::new();
    for _ in 0..2 {
        world.gates.open("");
    }
    let turn = world.registry.session().turn().await.unwrap();
    let results = turn.call_all([call("", "works"), call("", "works")]).await.into_results();
    assert!(results.iter().all(|result| result.text() == "worked"));
}

#[tokio::test]
async fn discovery_calls_act_in_call_order_on_one_provisional_state() {
    let world = World::new();
    let session = world.registry.session();
    let turn = session.turn().await.unwrap();
    let calls = ["1", "2", "3"].map(|id| search(id, SEARCH_ALPHA));
    for _ in &calls {
        world.gates.open(SEARCH_ALPHA);
    }
    let results = turn.call_all(calls).await.into_results();
    let notes: Vec<_> = results.iter().map(|result| note(&result.text()).to_owned()).collect();
    assert_eq!(
        notes,
        [
            "Callable from your next message: alpha.",
            "Callable from your next message, found already: alpha.",
            "Callable from your next message, found already: alpha."
        ]
    );
    assert!(results.iter().all(|result| hits(&result.text()) == ["alpha"]));
    assert_eq!(session.revealed(), ["alpha"]);
}

#[tokio::test]
async fn at_most_eight_calls_run_at_a_time_and_all_run() {
    let world = World::new();
    let session = world.registry.session();
    let turn = session.turn().await.unwrap();
    let ids: Vec<String> = (0..20).map(|id| id.to_string()).collect();
    let calls: Vec<_> = ids.iter().map(|id| call(id, "works")).collect();
    let mut batch = Box::pin(tokio::task::unconstrained(turn.call_all(calls)));
    assert!(poll_once(&mut batch).await.is_none());
    assert_eq!(world.runs.all().len(), 8);
    for (done, id) in ids.iter().enumerate() {
        world.gates.open(id);
        let ended = poll_once(&mut batch).await;
        assert_eq!(ended.is_some(), done == 19);
        assert_eq!(world.runs.all().len(), (8 + done + 1).min(20));
    }
}

#[tokio::test]
async fn one_turn_serves_many_batches_with_the_same_list() {
    let world = World::new();
    let session = world.registry.session();
    let turn = session.turn().await.unwrap();
    world.gates.open(SEARCH_ALPHA);
    turn.call_all([search("1", SEARCH_ALPHA)]).await;
    for _ in 0..2 {
        assert_eq!(text(&turn, call("h", "alpha")).await, expected("h"));
    }
    world.gates.open("w");
    assert_eq!(text(&turn, call("w", "works")).await, "worked");
    assert_eq!(session.revealed(), ["alpha"]);
}

#[tokio::test]
async fn a_batch_of_nothing_is_done() {
    let world = World::new();
    let session = world.registry.session();
    assert!(session.turn().await.unwrap().call_all([]).await.into_results().is_empty());
}
