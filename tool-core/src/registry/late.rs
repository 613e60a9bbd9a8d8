//! Tools that come after `build()`: of a lazy group, or added to one session. The same rules, told one by one.

use std::{
    borrow::Cow,
    sync::{Arc, OnceLock},
};

use super::{
    Entry, Holder, Place, Registry, ScopeId,
    entry::{fault_of, prefixed},
};
use crate::{Approval, Tool, approval::Approvals, budget::Budget, context::Requirements, policy::Subject};

/// Where a late tool belongs.
pub(crate) struct LateTool {
    pub(crate) namespace: Cow<'static, str>,
    pub(crate) prefix: Option<Cow<'static, str>>,
    pub(crate) place: Place,
    pub(crate) holder: Holder,
    pub(crate) scope: Option<ScopeId>,
    pub(crate) budget: Option<Arc<Budget>>,
}

/// Why a late tool is not there.
pub(crate) enum LateFault {
    /// `deny` or `allow` hides it: nothing is said of it.
    Denied,
    Unusable {
        name: String,
        fault: String,
    },
}

impl Registry {
    /// The entry of a late tool, with the host's layers around it.
    pub(crate) fn late_entry(&self, tool: Arc<dyn Tool>, late: &LateTool) -> Result<Entry, LateFault> {
        let bare = tool.definition().name().to_string();
        let unusable = |fault: String| LateFault::Unusable { name: bare.clone(), fault };
        if let Some(fault) = fault_of(&*tool) {
            return Err(unusable(fault));
        }
        let definition =
            prefixed(&*tool, late.prefix.as_deref()).map_err(|error| unusable(error.to_string()))?;
        if self.0.policy.hides(Subject::Tool, tool.declared(), definition.name()) {
            return Err(LateFault::Denied);
        }
        let mut requirements = Requirements::default();
        tool.requires(&mut requirements);
        let has = |id| self.0.values.contains(id) || self.0.session_values.iter().any(|value| value.id == id);
        if let Some(missing) = requirements.iter().find(|needed| !has(needed.id)) {
            return Err(unusable(format!("it needs a host value of type `{}`", missing.name)));
        }
        if tool.options().approval == Approval::Required && self.0.approvals.is_none() {
            return Err(unusable("it requires approval, but there is no approval policy".to_owned()));
        }
        if let Some(error) = definition.unusable() {
            return Err(unusable(error.to_string()));
        }
        let mut options = tool.options().clone();
        let asks = |approvals: &Approvals| approvals.asks_about(tool.declared(), definition.name());
        if self.0.approvals.as_ref().is_some_and(asks) {
            options.approval = Approval::Required;
        }
        Ok(Entry {
            options,
            tool: self.0.layers.iter().fold(tool, |tool, layer| layer(tool)),
            definition,
            namespace: late.namespace.clone(),
            prefix: late.prefix.clone(),
            place: late.place,
            holder: late.holder.clone(),
            scope: late.scope,
            budget: late.budget.clone(),
            built_in: None,
            fingerprint: OnceLock::new(),
            sourced: None,
            document: OnceLock::new(),
        })
    }
}
