//! What every mode begins with: the registry, what its definitions cost, and where to report.

use std::{
    io::{self, Write},
    path::PathBuf,
    sync::Arc,
};

use tool_core::{Registry, RegistryBuilder};

use crate::{
    args::Format,
    catalog::{self, Catalogs},
    error::QuickstartError,
    report::Report,
    shop::Shop,
    style::Style,
    tokens::TokenCounts,
};

/// Everything that a mode needs.
pub(crate) struct Setup<'w> {
    pub(crate) registry: Registry,
    pub(crate) shop: Arc<Shop>,
    pub(crate) tokens: TokenCounts,
    pub(crate) report: Report<'w>,
}

impl<'w> Setup<'w> {
    /// Builds the registry; what was not taken from `catalogs` is said on `err`.
    pub(crate) fn new(
        catalogs: &[PathBuf],
        format: Format,
        style: Style,
        out: &'w mut dyn Write,
        err: &mut dyn Write,
    ) -> Result<Self, QuickstartError> {
        let shop = Arc::new(Shop::default());
        let mut builder = own_tools(&shop);
        if !catalogs.is_empty() {
            let read = catalog::read(catalogs, &own_tools(&shop).build()?)?;
            report_catalogs(&read, err)?;
            builder = read.toolsets.into_iter().fold(builder, RegistryBuilder::toolset);
        }
        let registry = builder.build()?;
        let tokens = TokenCounts::of(&registry);
        Ok(Self { registry, shop, tokens, report: Report::new(out, format, style) })
    }
}

/// Every annotated function of this binary, and the host value that some of them borrow.
fn own_tools(shop: &Arc<Shop>) -> RegistryBuilder {
    Registry::builder().linked().state_arc(Arc::clone(shop))
}

fn report_catalogs(read: &Catalogs, err: &mut dyn Write) -> io::Result<()> {
    for tool in &read.rejected {
        writeln!(err, "{tool}")?;
    }
    let (taken, servers, not_taken) = (read.taken, read.toolsets.len(), read.rejected.len());
    writeln!(err, "catalogs: {taken} tools of {servers} servers taken, {not_taken} not")
}
