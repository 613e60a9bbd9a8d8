//! A [`ToolRef`] is a [`Tool`]: its run-time form is made when a registry first asks.

use super::{Declaration, Declared, ToolRef};
use crate::{
    Arguments, Tool, ToolContext, ToolDefinition, ToolFuture, ToolName, ToolOptions, context::Requirements,
    definition::LazySchema,
};

impl ToolRef {
    fn made(self) -> &'static (ToolDefinition, ToolOptions) {
        let declaration = self.0;
        declaration.made.0.get_or_init(|| (definition(declaration), options(declaration)))
    }
}

fn definition(declaration: &'static Declaration) -> ToolDefinition {
    ToolDefinition::new(
        ToolName::checked(declaration.name),
        declaration.description.into(),
        LazySchema::new(declaration.input_schema),
    )
    .with_title(declaration.title.map(Into::into))
    .with_annotations(declaration.annotations)
    .with_output_schema(declaration.output_schema.map(LazySchema::new))
}

fn options(declaration: &'static Declaration) -> ToolOptions {
    ToolOptions {
        loading: declaration.loading,
        kind: declaration.kind,
        group: declaration.group.map(Into::into),
        keywords: declaration.keywords.iter().map(|keyword| (*keyword).into()).collect(),
        approval: declaration.approval,
        timeout: declaration.timeout,
        enabled: declaration.enabled,
        location: Some(declaration.location),
    }
}

impl Tool for ToolRef {
    fn definition(&self) -> &ToolDefinition {
        &self.made().0
    }

    fn options(&self) -> &ToolOptions {
        &self.made().1
    }

    fn requires(&self, requirements: &mut Requirements) {
        (self.0.requires)(requirements);
    }

    fn declared(&self) -> Option<Declared> {
        Some(self.identity())
    }

    fn call<'a>(&'a self, arguments: &'a Arguments, context: ToolContext) -> ToolFuture<'a> {
        (self.0.call)(arguments, context)
    }
}
