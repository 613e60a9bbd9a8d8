//! Tools that come from outside and may change: the seam that an adapter (MCP, a plug-in system) implements.
//!
//! The library asks for the list when it needs it, names the tools, hides and reveals them like all others, and calls them
//! by the names that the source gave. It calls a source from several tasks at once; time-outs, panics and retries are
//! the library's.

mod settings;
mod status;
mod tool;

use std::{error::Error, fmt, future::Future, pin::Pin, sync::Arc};

use serde_json::{Map, Value};
pub use settings::SourceSettings;
pub use status::{SourceState, SourceStatus};
use tokio::sync::watch;
pub use tool::{RejectedTool, SourceListing, SourceTool};

use crate::{ToolContext, ToolFuture};

/// The future of one operation of a source.
pub type SourceFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Lists and calls tools that come from outside and may change.
///
/// # Examples
/// ```
/// use serde_json::{Map, Value};
/// use tool_core::{
///     Registry, SourceError, SourceFuture, SourceListing, SourceTool, ToolContext, ToolFuture, ToolOutput,
///     ToolSource, Toolset,
/// };
///
/// struct Weather;
///
/// impl ToolSource for Weather {
///     fn list(&self) -> SourceFuture<'_, Result<SourceListing, SourceError>> {
///         let schema = r#"{"type":"object","properties":{"city":{"type":"string"}}}"#;
///         Box::pin(async move { Ok(vec![SourceTool::new("forecast", "Weather of a city.", schema)].into()) })
///     }
///
///     fn call<'a>(&'a self, name: &'a str, _: Map<String, Value>, _: &'a ToolContext) -> ToolFuture<'a> {
///         Box::pin(async move { Ok(ToolOutput::text(format!("{name}: rain"))) })
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let registry = Registry::builder().toolset(Toolset::new("weather").source(Weather)).build()?;
/// registry.ready(std::time::Duration::from_secs(30)).await;
/// let output = registry.session().call("weather_forecast", "{}").await?;
/// assert_eq!(output.to_text(), "forecast: rain");
/// # Ok(())
/// # }
/// ```
pub trait ToolSource: Send + Sync + 'static {
    /// All tools, as they came; connects first where that is needed. Asked again after each change, and after a failure.
    /// Pages are read inside.
    ///
    /// # Errors
    /// [`SourceError`] where there is no list; the last good one stays in use. One bad tool is no error: it is in
    /// [`SourceListing::rejected`], or left for the library to reject.
    fn list(&self) -> SourceFuture<'_, Result<SourceListing, SourceError>>;

    /// Calls a tool by the name that the source gave it. `arguments` are what the model sent; the schema is not checked.
    ///
    /// Dropping the future cancels the call, as [`ToolContext::cancellation`] says too; [`ToolContext::deadline`] is when
    /// that will happen.
    fn call<'a>(
        &'a self,
        wire_name: &'a str,
        arguments: Map<String, Value>,
        context: &'a ToolContext,
    ) -> ToolFuture<'a>;

    /// A channel on which the source says that its list changed, or that its connection broke. Asked once; many changes
    /// in a row are one. `None` for a list that never changes.
    fn changed(&self) -> Option<watch::Receiver<()>> {
        None
    }

    /// Ends connections and processes.
    fn close(&self) -> SourceFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}

impl<S: ToolSource + ?Sized> ToolSource for Arc<S> {
    fn list(&self) -> SourceFuture<'_, Result<SourceListing, SourceError>> {
        (**self).list()
    }

    fn call<'a>(
        &'a self,
        wire_name: &'a str,
        arguments: Map<String, Value>,
        context: &'a ToolContext,
    ) -> ToolFuture<'a> {
        (**self).call(wire_name, arguments, context)
    }

    fn changed(&self) -> Option<watch::Receiver<()>> {
        (**self).changed()
    }

    fn close(&self) -> SourceFuture<'_, ()> {
        (**self).close()
    }
}

/// Why a source has no list.
#[derive(Debug)]
pub struct SourceError(Box<dyn Error + Send + Sync>);

impl SourceError {
    /// An error with the given text or cause. The text is cleaned and cut before anybody reads it.
    pub fn new(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self(error.into())
    }
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for SourceError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}
