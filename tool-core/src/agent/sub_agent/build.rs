//! From declared types to agents: each gets a registry of its own, derived from the agent's or from the one it was given.
//!
//! A registry is immutable and shared, so the tool that starts sub-agents cannot be added to the host's: the agent has a
//! derived one, and its sessions come from that.

use std::{collections::HashSet, sync::Arc};

use super::{
    super::{Agent, AgentInner, Model},
    Search, SubAgent, SubAgentError, SubAgentFault, spawn,
};
use crate::{BuildErrors, Location, Registry, ToolGroup, ToolName, Warning};

/// A type that can be started.
pub(in crate::agent) struct SubAgentType {
    pub(super) name: String,
    pub(super) agent: Agent,
    /// Which types it may start, by their places.
    pub(super) spawns: Vec<usize>,
}

/// The types of an agent, and the registry from which they can be started.
pub(in crate::agent) struct Built {
    pub(in crate::agent) types: Arc<[SubAgentType]>,
    pub(in crate::agent) registry: Registry,
    pub(in crate::agent) warnings: Vec<Warning>,
}

/// Makes the types of an agent, all faults at once.
pub(in crate::agent) fn build(
    registry: &Registry,
    model: &Arc<dyn Model>,
    declared: Vec<SubAgent>,
    spawn_name: &ToolName,
) -> Result<Built, Faults> {
    let mut faults = Faults::default();
    let offers: Vec<Offer> = declared.iter().map(Offer::of).collect();
    check(&offers, &declared, &mut faults.types);
    let mut types = Vec::with_capacity(declared.len());
    let mut warnings = Vec::new();
    for sub_agent in declared {
        let (name, location) = (sub_agent.name.clone(), sub_agent.location);
        match made(registry, model, sub_agent, &offers, spawn_name) {
            Ok(made) => {
                let of = |warning| Warning::SubAgent { name: name.clone(), warning: Box::new(warning) };
                let base = made.agent.0.registry.warnings_beside(registry);
                warnings.extend(base.chain(made.agent.0.warnings.iter().cloned()).map(of));
                types.push(made);
            }
            Err(fault) => faults.types.push(SubAgentError { name, location, fault }),
        }
    }
    let own = spawn::Spawn::new(spawn_name, &offers.iter().collect::<Vec<_>>());
    match registry.declared().own_tool(own).build() {
        Ok(registry) if faults.types.is_empty() => {
            let described =
                offers.iter().flat_map(|offer| registry.hidden_tools_named_in(&offer.description));
            let tool = || spawn_name.clone();
            warnings.extend(described.map(|hidden| Warning::NamesHiddenTool { tool: tool(), hidden }));
            Ok(Built { types: types.into(), registry, warnings })
        }
        Ok(_) => Err(faults),
        Err(errors) => {
            faults.tools = Some(errors);
            Err(faults)
        }
    }
}

/// What keeps an agent from having its sub-agents.
#[derive(Default)]
pub(in crate::agent) struct Faults {
    pub(in crate::agent) types: Vec<SubAgentError>,
    /// Of the registry with the tool that starts them.
    pub(in crate::agent) tools: Option<BuildErrors>,
}

/// What a model reads of a type.
pub(super) struct Offer {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) location: Location,
}

impl Offer {
    fn of(sub_agent: &SubAgent) -> Self {
        let SubAgent { name, description, location, .. } = sub_agent;
        Self { name: name.clone(), description: description.clone(), location: *location }
    }
}

fn check(offers: &[Offer], declared: &[SubAgent], errors: &mut Vec<SubAgentError>) {
    let mut names = HashSet::new();
    for (offer, sub_agent) in offers.iter().zip(declared) {
        let name = offer.name.as_str();
        let unknown = sub_agent.spawns.iter().filter(|wanted| !offers.iter().any(|it| it.name == **wanted));
        let faults = [
            name.trim().is_empty().then_some(SubAgentFault::EmptyName),
            (name.trim() != name || name.chars().any(char::is_control)).then_some(SubAgentFault::BadName),
            offer.description.trim().is_empty().then_some(SubAgentFault::EmptyDescription),
            (!names.insert(name.trim())).then_some(SubAgentFault::DuplicateName),
        ];
        let faults = faults.into_iter().flatten().chain(unknown.cloned().map(SubAgentFault::UnknownType));
        errors.extend(faults.map(|fault| SubAgentError {
            name: offer.name.clone(),
            location: offer.location,
            fault,
        }));
    }
}

fn made(
    parent: &Registry,
    model: &Arc<dyn Model>,
    declared: SubAgent,
    offers: &[Offer],
    spawn_name: &ToolName,
) -> Result<SubAgentType, SubAgentFault> {
    let SubAgent { name, instructions, registry, policy, groups, search, limits, spawns, .. } = declared;
    let mut builder = match &registry {
        None => parent.declared().only_groups(groups),
        Some(own) => {
            if let Some(missing) = own.value_missing_in(parent) {
                return Err(SubAgentFault::MissingHostValue(missing.name));
            }
            groups.into_iter().fold(own.declared(), |builder, group: ToolGroup| builder.group(group))
        }
    };
    builder = match search {
        Search::Inherited => builder,
        Search::With(search) => builder.search(search),
        Search::Without => builder.without_search(),
    };
    let spawns: Vec<usize> = (0..offers.len())
        .filter(|at| offers.get(*at).is_some_and(|offer| spawns.contains(&offer.name)))
        .collect();
    if !spawns.is_empty() {
        let offered: Vec<&Offer> = spawns.iter().filter_map(|at| offers.get(*at)).collect();
        builder = builder.own_tool(spawn::Spawn::new(spawn_name, &offered));
    }
    let registry = builder.narrowed_by(policy).without_a_person().build().map_err(SubAgentFault::Tools)?;
    let model = declared.model.unwrap_or_else(|| Arc::clone(model));
    let warnings = super::super::builder::warnings(&registry, instructions.as_deref());
    let inner = AgentInner {
        name: Some(name.clone()),
        model,
        registry,
        instructions,
        limits,
        warnings,
        sub_agents: Arc::default(),
    };
    Ok(SubAgentType { name, agent: Agent(Arc::new(inner)), spawns })
}
