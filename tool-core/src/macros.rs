//! The macros, documented here because their examples run here.

/// Makes a function a tool: the model reads its doc comment and the schema of its parameters, and calls it by name.
///
/// ```
/// use std::sync::Mutex;
/// use tool_core::{Registry, function_tool, tools};
///
/// /// What the host gives; never in the schema.
/// struct Ledger(Mutex<Vec<u64>>);
///
/// #[function_tool(defer_loading)]
/// /// Charge a credit card via the payment gateway.
/// async fn payment_processor(
///     /// Amount to charge, in cents.
///     amount_cents: u64,
///     #[default("EUR")] currency: &str,
///     #[context] ledger: &Ledger,
/// ) -> Result<String, String> {
///     let mut charged = ledger.0.lock().map_err(|_| "the ledger is closed")?;
///     charged.push(amount_cents);
///     Ok(format!("charged {amount_cents} {currency}"))
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let registry =
///     Registry::builder().tools(tools![payment_processor]).state(Ledger(Mutex::default())).build()?;
/// let output = registry.session().call(payment_processor::NAME, r#"{"amount_cents":1250}"#).await?;
/// assert_eq!(output.to_text(), "charged 1250 EUR");
/// # Ok(())
/// # }
/// ```
///
/// # Keys
/// Without a value (`defer_loading`) or as `key = value`, separated by commas.
///
/// | key | form | meaning |
/// | --- | --- | --- |
/// | `name` | `"charge-card"` | what the model calls; default: the function's name. `[A-Za-z_][A-Za-z0-9_-]{0,63}` |
/// | `description` | `"…"` | for the model; default: the doc comment up to its first heading, lines of a paragraph joined |
/// | `title` | `"…"` | a name for people |
/// | `defer_loading` | flag | hidden until the model finds it |
/// | `group` | `"web"` | hidden until the model loads this group as a whole |
/// | `keywords` | `["refund", "pay"]` | words that only the search sees |
/// | `read_only`, `destructive`, `idempotent`, `open_world` | flag | annotations; what is not written is not sent |
/// | `requires_approval` | flag | each call waits for the host |
/// | `blocking` | flag | runs a function that is not `async` on the blocking pool |
/// | `timeout` | `"500ms"`, `"30s"`, `"2m"` | longest run of one call |
/// | `enabled` | path of a `fn(&ToolContext) -> bool` | whether the tool exists for a session |
/// | `discovery` | flag | a discovery tool of your own |
/// | `handle` | name or `none` | the handle's name, where the function's name is taken by a type or module |
/// | `crate` | path | where this crate is, if you renamed it: `crate = ::renamed` |
///
/// A flag is `flag`, `flag = true` or `flag = false`.
///
/// # Parameters
/// Each is one argument: any owned type that implements `serde::Deserialize` and `schemars::JsonSchema`, and also
/// `&str` and `Option<&str>`. A doc comment on it is its description.
/// - `Option<T>`, `#[default(expression)]` and `#[serde(default)]` make it optional.
/// - `#[serde(…)]` and `#[schemars(…)]` work as on a field of a struct, for schema and decoding alike; only such a
///   parameter pays for derives at compile time.
/// - `#[args]` on the only argument makes the fields of its struct the arguments.
/// - `#[context]` takes a value of the host: `&T` and `Arc<T>` look up the value of type `T` (it may be `dyn Trait`) in
///   the session, then in the registry; `&ToolContext` is the context itself; other types implement
///   [`FromContext`](crate::FromContext).
///
/// ```
/// use schemars::JsonSchema;
/// use serde::Deserialize;
/// use tool_core::{Tool as _, function_tool};
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Search {
///     /// In words.
///     query: String,
///     #[serde(default)]
///     tags: Vec<String>,
/// }
///
/// /// Searches the archive.
/// #[function_tool]
/// fn search(#[args] Search { query, tags }: Search) -> Vec<String> {
///     tags.into_iter().filter(|tag| tag.contains(&query)).collect()
/// }
///
/// /// Lists rows.
/// #[function_tool]
/// fn rows(#[serde(rename = "maxRows")] #[schemars(range(min = 1))] #[default(10)] max_rows: u16) -> u16 {
///     max_rows
/// }
///
/// let sent = serde_json::to_value(rows::TOOL.definition())?;
/// let expected = serde_json::json!({"type": "integer", "default": 10, "minimum": 1, "maximum": 65535});
/// assert_eq!(sent["inputSchema"]["properties"]["maxRows"], expected);
/// # let _ = search::TOOL;
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// # Results
/// Any type that serialises (texts as they are, `()` as `ok`, all else as JSON), [`ToolOutput`](crate::ToolOutput) for
/// pictures and several parts, [`Json<T>`](crate::Json) to declare an output schema, or a `Result` of these, also behind
/// an alias, with any error that implements `Display`. The model reads the error's own text on one line; its sources
/// stay with the host. Return [`ToolError`](crate::ToolError) to say different things to each.
///
/// # The handle
/// The function stays as it is. Beside it, in the namespace of types, stands a handle of the same name and visibility,
/// so that one `use` imports both:
/// - `payment_processor::NAME` is the name as a constant,
/// - `payment_processor::TOOL` is the [`ToolRef`](crate::ToolRef) that lists and policies take,
/// - [`tools!`](crate::tools)`[payment_processor]` is a list of these.
///
/// A misspelt name therefore does not compile. With the `inventory` feature (default) the tool is also found by
/// [`RegistryBuilder::linked`](crate::RegistryBuilder::linked).
///
/// # Errors
/// What cannot work does not compile, with all faults at once and a `help:` for each: a missing description, an illegal
/// name, an unknown key, `self`, generics, `impl Trait` or a pattern as a parameter, references other than those above,
/// `unsafe`, `extern` and `const` functions, types that cannot be decoded or returned.
#[doc(inline)]
pub use tool_macros::function_tool;
/// Makes methods tools of an instance: the `impl` block carries this attribute, its tools carry
/// [`#[function_tool]`](macro@crate::function_tool) with the same keys (but `handle` and `crate`).
///
/// The block may be generic. A method takes `&self`, `self: &Arc<Self>` or `self: Arc<Self>`. It gives the type two more
/// items: `tools()`, on an `Arc` of the instance, and `TOOLS`, which has a field per tool and so names it at compile time.
/// A type has one such block. Methods are not found by `linked()`: they need their instance.
///
/// `#[function_tools(crate = ::renamed)]` says where this crate is, if you renamed it.
///
/// # Examples
/// ```
/// use std::sync::Arc;
/// use tool_core::{Registry, function_tools};
///
/// struct Archive {
///     pages: Vec<String>,
/// }
///
/// #[function_tools]
/// impl Archive {
///     /// Finds pages that contain a word.
///     #[function_tool(read_only)]
///     async fn find(&self, word: &str) -> Vec<String> {
///         self.pages.iter().filter(|page| page.contains(word)).cloned().collect()
///     }
///
///     /// Not annotated, so no tool.
///     fn wipe(&mut self) {
///         self.pages.clear();
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let archive = Arc::new(Archive { pages: vec!["a page".into(), "another".into()] });
/// let registry = Registry::builder().tools(archive.tools()).build()?;
/// let found = registry.session().call(Archive::TOOLS.find.name(), r#"{"word":"page"}"#).await?;
/// assert_eq!(found.to_text(), r#"["a page"]"#);
/// # let _ = Archive::wipe;
/// # Ok(())
/// # }
/// ```
#[doc(inline)]
pub use tool_macros::function_tools;

/// A list of annotated functions for [`RegistryBuilder::tools`](crate::RegistryBuilder::tools),
/// [`Toolset::tools`](crate::Toolset::tools) and policies: an array of [`ToolRef`](crate::ToolRef)s, also in a constant.
///
/// A misspelt name does not compile, and neither do two tools of one name.
///
/// # Examples
/// ```
/// use tool_core::{ToolRef, function_tool, tools};
///
/// /// Repeats a message.
/// #[function_tool]
/// fn echo(msg: String) -> String {
///     msg
/// }
///
/// mod billing {
///     /// Gives money back.
///     #[tool_core::function_tool(defer_loading)]
///     pub fn refund(cents: u64) -> u64 {
///         cents
///     }
/// }
///
/// const ALL: [ToolRef; 2] = tools![echo, billing::refund];
/// # fn main() {
/// assert_eq!(ALL.map(|tool| tool.name()), ["echo", "refund"]);
/// # }
/// ```
///
/// ```compile_fail
/// # use tool_core::{function_tool, tools};
/// # /// Repeats a message.
/// # #[function_tool]
/// # fn echo(msg: String) -> String { msg }
/// # fn main() {
/// tools![ehco]; // help: an enum with a similar name exists: `echo`
/// # }
/// ```
#[macro_export]
macro_rules! tools {
    ($($tool:tt)*) => {
        $crate::__private::tools_impl! { $crate; $($tool)* }
    };
}
