//! The ways in which a model comes to see a tool. What a tool does must not depend on them, so tests of tools run in all.

use serde_json::json;
use tool_core::{
    Arguments, CallOutcome, CallResult, Registry, RegistryBuilder, Session, Tool, ToolCall, ToolError,
    ToolGroup, ToolOutput, ToolSearch, Toolset, Turn,
};

use super::{call_with, names};

/// How a tool gets into the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// It is there from the first turn, whatever its author declared.
    Listed,
    /// Hidden, until `tool_search` reveals it.
    Found,
    /// Hidden, until `search_tools` offers it and `load_tool` loads it.
    Loaded,
    /// Hidden, until `load_tools` loads its group.
    Grouped,
}

pub(crate) const WAYS: [Way; 4] = [Way::Listed, Way::Found, Way::Loaded, Way::Grouped];

impl Way {
    /// A registry with these tools, hidden or not.
    pub(crate) fn registry(self, tools: impl IntoIterator<Item = impl Tool>) -> RegistryBuilder {
        let toolset = || Toolset::new("subjects");
        let builder = Registry::builder();
        match self {
            Self::Listed => builder.toolset(toolset().always_available(tools)),
            Self::Found => builder.toolset(toolset().deferred().tools(tools)),
            Self::Loaded => {
                builder.toolset(toolset().deferred().tools(tools)).search(ToolSearch::search_then_load())
            }
            Self::Grouped => builder.group(ToolGroup::linked("subjects", "What is tested.").tools(tools)),
        }
    }

    /// Does what a model has to do before it sees a tool. A tool that is disabled stays where it is.
    pub(crate) async fn reveal(self, session: &Session, name: &str) {
        let calls: &[_] = match self {
            Self::Listed => &[],
            Self::Found => &[("tool_search", json!({ "query": name }))],
            Self::Loaded => {
                &[("search_tools", json!({ "query": name })), ("load_tool", json!({ "tool_name": name }))]
            }
            Self::Grouped => &[("load_tools", json!({ "name": "subjects" }))],
        };
        for (tool, arguments) in calls {
            let turn = session.turn().await.unwrap();
            assert!(!names(&turn).contains(&name.to_owned()), "{self:?}: {name} is listed before {tool}");
            turn.call_all([call_with("find", tool, arguments.clone())]).await;
        }
    }

    /// The first turn that lists a tool.
    pub(crate) async fn turn(self, session: &Session, name: &str) -> Turn {
        self.reveal(session, name).await;
        let turn = session.turn().await.unwrap();
        assert!(names(&turn).contains(&name.to_owned()), "{self:?}: {turn:?}");
        turn
    }

    /// What the model's call of a tool in a session gives.
    pub(crate) async fn call(
        self,
        session: &Session,
        name: &str,
        arguments: impl Into<Arguments>,
    ) -> Result<ToolOutput, ToolError> {
        let turn = self.turn(session, name).await;
        into_result(turn.call_all([ToolCall::new("", name, arguments)]).await.into_results().remove(0))
    }
}

fn into_result(result: CallResult) -> Result<ToolOutput, ToolError> {
    match result.outcome {
        CallOutcome::Succeeded(output) => Ok(output),
        CallOutcome::Failed(error) => Err(error),
        other => panic!("{other:?}"),
    }
}

/// Calls one tool as the model does, in every way, and as the host does: all must agree.
pub(crate) async fn in_every_way(
    tool: impl Tool,
    arguments: impl Into<Arguments>,
) -> Result<ToolOutput, ToolError> {
    let (tool, arguments) = (std::sync::Arc::new(tool), arguments.into());
    let name = tool.definition().name().to_string();
    let host = Way::Listed.registry([std::sync::Arc::clone(&tool)]).build().unwrap();
    let by_host = host.session().call(&name, arguments.clone()).await;
    for way in WAYS {
        let session = way.registry([std::sync::Arc::clone(&tool)]).build().unwrap().session();
        let by_model = way.call(&session, &name, arguments.clone()).await;
        match (&by_host, &by_model) {
            (Ok(host), Ok(model)) => assert_eq!(host, model, "{way:?}"),
            (Err(host), Err(model)) => {
                let seen =
                    |error: &ToolError| (error.kind(), error.to_string(), error.model_message().to_owned());
                assert_eq!(seen(host), seen(model), "{way:?}");
            }
            _ => panic!("{way:?}: {by_host:?}, {by_model:?}"),
        }
    }
    by_host
}
