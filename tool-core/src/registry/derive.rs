//! Registries that are made of another one: the same declarations, built again with less, or with a tool of the library.
//!
//! Agents make them: one with the tool that starts sub-agents, and one for each type of sub-agent. All rules of `build()`
//! hold for them as for any other.

use std::sync::Arc;

use super::{Registry, RegistryBuilder, Warning};
use crate::{
    ApprovalDecision, ApprovalFuture, ApprovalPolicy, ApprovalRequest, Tool, ToolContext, ToolGroup, Toolset,
    approval::Approvals,
    context::Requirement,
    policy::{Policy, Subject},
    toolset::{DEFAULT_NAMESPACE, RegisteredTool},
};

impl Registry {
    /// What this registry was built from.
    pub(crate) fn declared(&self) -> RegistryBuilder {
        self.0.declared.clone()
    }

    /// Warnings that `other` does not have.
    pub(crate) fn warnings_beside(&self, other: &Self) -> impl Iterator<Item = Warning> + use<> {
        let known = other.warnings();
        self.warnings().into_iter().filter(move |warning| !known.contains(warning))
    }

    /// A value that sessions must bring, and that those of `other` need not have.
    pub(crate) fn value_missing_in(&self, other: &Self) -> Option<&Requirement> {
        self.0.session_values.iter().find(|value| {
            !other.0.values.contains(value.id) && !other.0.session_values.iter().any(|it| it.id == value.id)
        })
    }
}

impl RegistryBuilder {
    /// The same declarations, with each tool in its toolset: an annotated tool that `linked()` left to a list stays out
    /// when that list goes.
    pub(super) fn declared(&self, toolsets: &[Toolset], groups: &[ToolGroup]) -> Self {
        let mut toolsets = toolsets.iter().cloned();
        Self {
            default_toolset: toolsets.next().unwrap_or_else(|| Toolset::new(DEFAULT_NAMESPACE)),
            toolsets: toolsets.collect(),
            linked: None,
            groups: groups.to_vec(),
            ..self.clone()
        }
    }

    /// Adds one of the library's own tools, which no `allow` takes away.
    pub(crate) fn own_tool(mut self, tool: impl Tool) -> Self {
        let registered = RegisteredTool { subject: Subject::BuiltIn, ..RegisteredTool::new(tool) };
        self.default_toolset.tools.push(registered);
        self
    }

    /// Hides what `policy` hides, too.
    pub(crate) fn narrowed_by(mut self, policy: Policy) -> Self {
        self.policy = self.policy.narrowed_by(policy);
        self
    }

    /// Has these groups and no others; the tools of the others are not there.
    pub(crate) fn only_groups(mut self, groups: Vec<ToolGroup>) -> Self {
        let stays = |tool: &RegisteredTool| {
            tool.tool.options().group.as_ref().is_none_or(|name| groups.iter().any(|it| it.name == *name))
        };
        for toolset in std::iter::once(&mut self.default_toolset).chain(&mut self.toolsets) {
            toolset.tools.retain(stays);
        }
        self.groups = groups;
        self
    }

    /// Takes a call that would wait for a person as denied.
    pub(crate) fn without_a_person(mut self) -> Self {
        if let Some(Approvals { policy, .. }) = &mut self.approvals {
            *policy = Arc::new(NobodyToAsk(Arc::clone(policy)));
        }
        self
    }
}

/// A policy whose answers come at once or not at all.
struct NobodyToAsk(Arc<dyn ApprovalPolicy>);

impl ApprovalPolicy for NobodyToAsk {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest, context: &'a ToolContext) -> ApprovalFuture<'a> {
        Box::pin(async move {
            match self.0.decide(request, context).await {
                ApprovalDecision::Suspend => ApprovalDecision::deny("needs a person"),
                decision => decision,
            }
        })
    }
}
