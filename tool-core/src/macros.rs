//! The macros, documented here because their examples run here.

/// Makes a function a tool.
///
/// # Examples
/// ```
/// use tool_core::function_tool;
///
/// /// Repeats a message.
/// #[function_tool]
/// fn echo(msg: &str) -> String {
///     msg.to_owned()
/// }
/// assert_eq!(echo::NAME, "echo");
/// assert_eq!(echo("hi"), "hi");
/// ```
#[doc(inline)]
pub use tool_macros::function_tool;
/// Makes methods of a type tools.
#[doc(inline)]
pub use tool_macros::function_tools;

/// A list of annotated functions, for [`Registry`](crate::Registry) and [`Toolset`](crate::Toolset): an array of
/// [`ToolRef`](crate::ToolRef)s. A misspelt name does not compile, and neither do two tools of one name.
///
/// # Examples
/// ```
/// use tool_core::{function_tool, tools};
///
/// /// Repeats a message.
/// #[function_tool]
/// fn echo(msg: String) -> String {
///     msg
/// }
/// # fn main() {
/// assert_eq!(tools![echo][0].name(), "echo");
/// # }
/// ```
#[macro_export]
macro_rules! tools {
    ($($tool:tt)*) => {
        $crate::__private::tools_impl! { $crate; $($tool)* }
    };
}
