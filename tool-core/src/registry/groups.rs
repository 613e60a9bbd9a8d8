//! A group in a registry.

use std::{borrow::Cow, fmt, sync::Arc, time::Duration};

use super::Entry;
use crate::{ToolName, group::Origin};

/// One [`ToolGroup`](crate::ToolGroup) of a registry.
pub(crate) struct Group {
    pub(crate) name: Cow<'static, str>,
    pub(crate) description: Cow<'static, str>,
    pub(crate) guidance: Option<Cow<'static, str>>,
    pub(crate) note: Option<Cow<'static, str>>,
    pub(crate) timeout: Duration,
    pub(crate) origin: Origin,
    /// Tools that are known without a build.
    pub(crate) entries: Vec<Arc<Entry>>,
}

/// A group as a session sees it.
pub(crate) struct GroupState<'a> {
    pub(crate) name: &'a str,
    pub(crate) description: &'a str,
    pub(crate) note: Option<&'a str>,
    pub(crate) status: GroupStatus,
    /// The tools that are known: declared, or loaded.
    pub(crate) tools: Vec<ToolName>,
}

/// How far a group is loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GroupStatus {
    Loadable,
    Loaded,
    Resident,
}

impl fmt::Display for GroupStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Loadable => "loadable",
            Self::Loaded => "loaded",
            Self::Resident => "resident",
        })
    }
}

impl GroupState<'_> {
    pub(crate) fn is_loadable(&self) -> bool {
        self.status == GroupStatus::Loadable
    }
}
