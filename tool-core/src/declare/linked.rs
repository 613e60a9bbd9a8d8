//! The annotated tools of the whole binary, through `inventory`.

#[cfg(feature = "inventory")]
use super::ToolRef;

#[cfg(feature = "inventory")]
inventory::collect!(ToolRef);

/// All of them, in the order of their declarations: never in link order.
#[cfg(feature = "inventory")]
pub(crate) fn linked() -> impl Iterator<Item = ToolRef> {
    let mut tools: Vec<ToolRef> = inventory::iter::<ToolRef>.into_iter().copied().collect();
    tools.sort_by_key(|tool| (tool.name(), tool.location()));
    tools.into_iter()
}

/// Collects a [`ToolRef`]; nothing without the feature. A `cfg` in the expansion would ask the user's crate.
#[cfg(feature = "inventory")]
#[doc(hidden)]
#[macro_export]
macro_rules! __submit {
    ($($tool:tt)*) => { $crate::__private::inventory::submit! { $($tool)* } };
}

/// Collects a [`ToolRef`]; nothing without the feature. A `cfg` in the expansion would ask the user's crate.
#[cfg(not(feature = "inventory"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __submit {
    ($($tool:tt)*) => {};
}
