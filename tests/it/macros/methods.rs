//! Tools that are methods.

use std::{
    fmt::Display,
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
};

use serde_json::json;
use tool_core::{Json, Registry, ToolContext, Toolset, function_tools};

use super::shown;

struct Service<T> {
    value: T,
    calls: AtomicU8,
}

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Held<T> {
    value: T,
}

#[function_tools]
impl<T: Display + Clone + serde::Serialize + schemars::JsonSchema + Send + Sync + 'static> Service<T> {
    const LIMIT: u8 = { 3 };

    fn new(value: T) -> Arc<Self> {
        Arc::new(Self { value, calls: AtomicU8::new(0) })
    }

    /// Borrows the service.
    #[function_tool(defer_loading, keywords = ["find"])]
    async fn borrowed(&self, query: &str, #[default(2)] limit: u8, note: Option<&str>) -> String {
        self.calls.fetch_add(1, Ordering::Relaxed);
        format!("{} {query} {limit} {note:?}", self.value)
    }

    /// Shares the service.
    #[function_tool(name = "of-arc", blocking)]
    fn of_arc(self: Arc<Self>, #[context] cx: &ToolContext) -> Result<u8, String> {
        cx.tool_name().map(|_| self.calls.load(Ordering::Relaxed)).ok_or_else(|| "no name".to_owned())
    }

    /// Borrows what is shared.
    #[function_tool]
    fn of_borrowed_arc(self: &Arc<Self>, #[serde(rename = "maxRows", default)] max_rows: u8) -> usize {
        Arc::strong_count(self).min(1) + usize::from(max_rows) + usize::from(Self::LIMIT)
    }

    /// Takes and returns the type's own parameter.
    #[function_tool]
    async fn of_parameter(&self, #[default(None)] given: Option<u8>) -> Json<Held<T>> {
        let _ = given;
        Json(Held { value: self.value.clone() })
    }

    /// Left out.
    #[cfg(any())]
    #[function_tool]
    fn left_out(&self, not: Compiled) {}
}

#[tokio::test]
async fn methods_of_a_generic_service() {
    let service = Service::new(1.5);
    let registry = Registry::builder()
        .toolset(Toolset::new("first").prefix("first").tools(service.tools()))
        .toolset(Toolset::new("second").prefix("second").tools(Service::new(2.5).tools()))
        .build()
        .unwrap();
    let session = registry.session();
    let call = async |name: &str, arguments| shown(session.call(name, arguments).await);
    assert_eq!(call("first_borrowed", json!({"query": "q"})).await, "1.5 q 2 None");
    assert_eq!(
        call("second_borrowed", json!({"query": "q", "limit": 1, "note": "n"})).await,
        r#"2.5 q 1 Some("n")"#
    );
    assert_eq!(call("first_of-arc", json!(null)).await, "1");
    assert_eq!(call("first_of_borrowed_arc", json!({"maxRows": 2})).await, "6");
    assert_eq!(call("second_of_parameter", json!({})).await, r#"{"value":2.5}"#);
    assert_eq!(service.borrowed("q", 0, None).await, "1.5 q 0 None");
    assert_eq!(service.calls.load(Ordering::Relaxed), 2);
}

#[test]
fn names_of_methods() {
    let names = &Service::<f64>::TOOLS;
    assert_eq!([names.borrowed.name(), names.of_arc.name()], ["borrowed", "of-arc"]);
    assert!(names.borrowed.location().file.ends_with("methods.rs"));
    assert_eq!(Service::new(1.5).tools().len(), 4);
}

#[tokio::test]
async fn a_policy_names_a_method_under_whatever_prefix() {
    let registry = Registry::builder()
        .toolset(Toolset::new("first").prefix("first").tools(Service::new(1.5).tools()))
        .deny([Service::<f64>::TOOLS.borrowed])
        .build()
        .unwrap();
    let names: Vec<&str> =
        registry.definitions().iter().map(|definition| definition.name().as_str()).collect();
    assert!(names.contains(&"first_of-arc") && !names.contains(&"first_borrowed"), "{names:?}");
}

#[tokio::test]
async fn methods_are_called_in_every_way() {
    let service = Service::new(1.5);
    let arguments = [json!({"query": "q"}), json!(null), json!({"maxRows": 2}), json!({})];
    let mut answers = Vec::new();
    for (tool, arguments) in service.tools().into_iter().zip(arguments) {
        answers.push(super::call(tool, arguments).await);
        // Counted by `borrowed`, told by `of_arc`.
        service.calls.store(0, Ordering::Relaxed);
    }
    assert_eq!(answers, ["1.5 q 2 None", "0", "6", r#"{"value":1.5}"#]);
}
