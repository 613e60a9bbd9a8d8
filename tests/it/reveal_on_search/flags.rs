//! Eager or deferred: as declared, from every way of making a tool.

use std::sync::Arc;

use tool_core::{
    Arguments, FunctionTool, Loading, Registry, Tool, ToolContext, Toolset, function_tool, function_tools,
    tools,
};

use crate::support::{builder, names};

/// Without a flag.
#[function_tool]
fn plain_function() -> &'static str {
    "ran"
}

/// With the bare flag.
#[function_tool(defer_loading)]
fn flagged_function() -> &'static str {
    "ran"
}

/// With the flag set.
#[function_tool(defer_loading = true)]
fn true_function() -> &'static str {
    "ran"
}

/// With the flag unset.
#[function_tool(defer_loading = false)]
fn false_function() -> &'static str {
    "ran"
}

struct Service(&'static str);

#[function_tools]
impl Service {
    /// Without a flag.
    #[function_tool]
    fn plain_method(&self) -> &'static str {
        self.0
    }

    /// With the bare flag.
    #[function_tool(defer_loading)]
    fn flagged_method(&self) -> &'static str {
        self.0
    }

    /// With the flag set.
    #[function_tool(defer_loading = true)]
    fn true_method(&self) -> &'static str {
        self.0
    }

    /// With the flag unset.
    #[function_tool(defer_loading = false)]
    fn false_method(&self) -> &'static str {
        self.0
    }
}

fn loading(tool: &impl Tool) -> Loading {
    tool.options().loading
}

#[test]
fn a_macro_flag_is_as_written() {
    assert_eq!(loading(&plain_function::TOOL), Loading::Eager);
    assert_eq!(loading(&flagged_function::TOOL), Loading::Deferred);
    assert_eq!(loading(&true_function::TOOL), Loading::Deferred);
    assert_eq!(loading(&false_function::TOOL), Loading::Eager);
    let methods: Vec<_> = Arc::new(Service("ran"))
        .tools()
        .iter()
        .map(|tool| (tool.definition().name().to_string(), loading(tool)))
        .collect();
    let expected = [
        ("plain_method", Loading::Eager),
        ("flagged_method", Loading::Deferred),
        ("true_method", Loading::Deferred),
        ("false_method", Loading::Eager),
    ];
    assert_eq!(methods, expected.map(|(name, loading)| (name.to_owned(), loading)));
}

#[test]
fn a_tool_by_hand_is_eager_unless_it_says_otherwise() {
    const SCHEMA: &str = r#"{"type":"object"}"#;
    let handler = async |(): (), _: ToolContext| "";
    let raw = async |_: Arguments, _: ToolContext| "";
    let blocking = |(): (), _: ToolContext| "";
    assert_eq!(loading(&FunctionTool::new("t", "T.", handler)), Loading::Eager);
    assert_eq!(loading(&builder("t", "T.").handler(handler)), Loading::Eager);
    assert_eq!(loading(&builder("t", "T.").blocking(blocking)), Loading::Eager);
    assert_eq!(loading(&builder("t", "T.").raw(SCHEMA, raw)), Loading::Eager);
    assert_eq!(loading(&builder("t", "T.").loading(Loading::Eager).handler(handler)), Loading::Eager);
    assert_eq!(loading(&builder("t", "T.").deferred().handler(handler)), Loading::Deferred);
    assert_eq!(loading(&builder("t", "T.").deferred().blocking(blocking)), Loading::Deferred);
    assert_eq!(loading(&builder("t", "T.").deferred().raw(SCHEMA, raw)), Loading::Deferred);
    assert_eq!(loading(&builder("t", "T.").loading(Loading::Deferred).handler(handler)), Loading::Deferred);
    let last_word = builder("t", "T.").deferred().loading(Loading::Eager);
    assert_eq!(loading(&last_word.handler(handler)), Loading::Eager);
}

#[tokio::test]
async fn lists_toolsets_and_shared_tools_keep_the_flag() {
    let all = || tools![plain_function, flagged_function, true_function, false_function];
    let eager_only = ["false_function", "plain_function", "tool_search"];
    let one_by_one = all().into_iter().fold(Registry::builder(), tool_core::RegistryBuilder::tool);
    let shared: Vec<Arc<dyn Tool>> = all().into_iter().map(|tool| Arc::new(tool) as Arc<dyn Tool>).collect();
    for builder in [
        one_by_one,
        Registry::builder().tools(all()),
        Registry::builder().tools(shared),
        Registry::builder().toolset(Toolset::new("mine").tools(all())),
        all()
            .into_iter()
            .fold(Registry::builder(), |builder, tool| builder.toolset(Toolset::new(tool.name()).tool(tool))),
        Registry::builder().tools(all()).wrap(|tool| tool),
    ] {
        assert_eq!(names(&builder.build().unwrap().session().turn().await.unwrap()), eager_only);
    }
}
