//! How a `#[context]` parameter gets its value.

use std::{
    any::{TypeId, type_name},
    sync::Arc,
};

use super::ToolContext;
use crate::{ToolError, ToolErrorKind};

/// How a `#[context]` parameter of this type gets its value. `&T` and `Arc<T>` look up the host value of type `T`;
/// implement it for a type of your own to compute one.
///
/// # Examples
/// ```
/// use tool_core::{FromContext, ToolContext, ToolError};
///
/// struct CallId(String);
///
/// impl FromContext<'_> for CallId {
///     fn from_context(context: &ToolContext) -> Result<Self, ToolError> {
///         Ok(Self(context.call_id().to_owned()))
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a `#[context]` parameter",
    label = "not a `#[context]` type",
    note = "borrow the host value (`&{Self}`), take it as `Arc<{Self}>`, or implement `tool_core::FromContext` for `{Self}`"
)]
pub trait FromContext<'c>: Sized {
    /// The value for this call.
    ///
    /// # Errors
    /// A [`ToolError`] ends the call before the function runs.
    fn from_context(context: &'c ToolContext) -> Result<Self, ToolError>;

    /// Names the host values that [`from_context`](Self::from_context) looks up, for the check of `build()`.
    fn requires(requirements: &mut Requirements) {
        let _ = requirements;
    }
}

/// A type of host value that some tool looks up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Requirement {
    pub(crate) id: TypeId,
    /// `Arc` of the type: a host that gave this to `state` meant `state_arc`.
    pub(crate) arc_id: TypeId,
    pub(crate) name: &'static str,
}

/// The host values that a tool looks up.
#[derive(Debug, Default, Clone)]
pub struct Requirements(Vec<Requirement>);

impl Requirements {
    /// Adds the host value of type `T`.
    pub fn host_value<T: ?Sized + Send + Sync + 'static>(&mut self) {
        if TypeId::of::<T>() != TypeId::of::<ToolContext>() {
            let (id, arc_id) = (TypeId::of::<T>(), TypeId::of::<Arc<T>>());
            self.0.push(Requirement { id, arc_id, name: type_name::<T>() });
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Requirement> + '_ {
        self.0.iter().copied()
    }
}

fn missing<T: ?Sized>() -> ToolError {
    ToolError::of_kind(ToolErrorKind::MissingContext, format!("no host value of type {}", type_name::<T>()))
        .for_model("This tool is not available right now.")
}

#[diagnostic::do_not_recommend]
impl<'c, T: ?Sized + Send + Sync + 'static> FromContext<'c> for &'c T {
    fn from_context(context: &'c ToolContext) -> Result<Self, ToolError> {
        context.get::<T>().map(|value| &**value).ok_or_else(missing::<T>)
    }

    fn requires(requirements: &mut Requirements) {
        requirements.host_value::<T>();
    }
}

#[diagnostic::do_not_recommend]
impl<'c, T: ?Sized + Send + Sync + 'static> FromContext<'c> for Arc<T> {
    fn from_context(context: &'c ToolContext) -> Result<Self, ToolError> {
        context.get::<T>().cloned().ok_or_else(missing::<T>)
    }

    fn requires(requirements: &mut Requirements) {
        requirements.host_value::<T>();
    }
}

impl FromContext<'_> for ToolContext {
    fn from_context(context: &ToolContext) -> Result<Self, ToolError> {
        Ok(context.clone())
    }
}
