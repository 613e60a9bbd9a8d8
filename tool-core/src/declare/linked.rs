//! The annotated tools of the whole binary, through `inventory`.

use super::ToolRef;

inventory::collect!(ToolRef);

/// All of them, in the order of their declarations: never in link order.
pub(crate) fn linked() -> impl Iterator<Item = ToolRef> {
    let mut tools: Vec<ToolRef> = inventory::iter::<ToolRef>.into_iter().copied().collect();
    tools.sort_by_key(|tool| (tool.name(), tool.location()));
    tools.into_iter()
}
