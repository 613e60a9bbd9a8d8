//! Tools of captured MCP `tools/list` answers, as deferred tools that echo their arguments.
//!
//! A file that is no such answer is an error. A tool that cannot be taken is one tool less, with the reason: nothing is
//! made up for it, no description and no schema.

use std::{
    collections::HashSet,
    fs, io,
    path::{Path, PathBuf},
};

use serde::Deserialize;
use serde_json::value::RawValue;
use tool_core::{Arguments, FunctionTool, MAX_NAME_LEN, Registry, Schema, ToolContext, ToolName, Toolset};

use crate::{json_text, style::one_line};

/// Longest prefix, in bytes: leaves half of a name to the tool.
const MAX_PREFIX: usize = 31;
/// Longest reason, in characters.
const MAX_REASON: usize = 300;

/// What was read: one toolset per file.
#[derive(Debug, Default)]
pub(crate) struct Catalogs {
    pub(crate) toolsets: Vec<Toolset>,
    pub(crate) taken: usize,
    pub(crate) rejected: Vec<Rejected>,
}

/// A tool that cannot be taken.
#[derive(Debug, thiserror::Error)]
#[error("{}: tool {tool} is not taken: {reason}", file.display())]
pub(crate) struct Rejected {
    file: PathBuf,
    /// Its name, or its number in the list.
    tool: String,
    reason: String,
}

/// A file that gives no toolset.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CatalogError {
    #[error("cannot read {}: {source}", file.display())]
    Read { file: PathBuf, source: io::Error },
    #[error(
        "{} is not a captured `tools/list` answer: expected \
         {{\"server\": \"...\", \"tools\": [{{\"name\", \"description\", \"inputSchema\"}}]}}, but {reason}",
        file.display()
    )]
    NotACatalog { file: PathBuf, reason: String },
    #[error("the tools of {} would begin with `{prefix}_`, as those of an earlier file do", file.display())]
    SamePrefix { file: PathBuf, prefix: String },
}

#[derive(Deserialize)]
struct Document<'d> {
    server: String,
    #[serde(borrow)]
    tools: Vec<&'d RawValue>,
}

#[derive(Deserialize)]
struct ForeignTool<'d> {
    name: String,
    title: Option<String>,
    description: Option<String>,
    #[serde(borrow, rename = "inputSchema")]
    input_schema: &'d RawValue,
}

/// Just enough of a tool to name it.
#[derive(Deserialize)]
struct Named {
    name: String,
}

/// Reads the files. Names that `own` has stay its own.
pub(crate) fn read(files: &[PathBuf], own: &Registry) -> Result<Catalogs, CatalogError> {
    let mut catalogs = Catalogs::default();
    let mut prefixes = HashSet::new();
    let mut names: HashSet<String> = own.definitions().iter().map(|tool| tool.name().to_string()).collect();
    for file in files {
        let text =
            fs::read_to_string(file).map_err(|source| CatalogError::Read { file: file.clone(), source })?;
        let not_a_catalog = |reason| CatalogError::NotACatalog { file: file.clone(), reason };
        let document: Document<'_> =
            serde_json::from_str(&text).map_err(|error| not_a_catalog(error.to_string()))?;
        let prefix = prefix(&document.server).ok_or_else(|| not_a_catalog("`server` is blank".to_owned()))?;
        if !prefixes.insert(prefix.to_ascii_lowercase()) {
            return Err(CatalogError::SamePrefix { file: file.clone(), prefix });
        }
        let mut toolset = Toolset::new(prefix.clone()).prefix(prefix.clone());
        for (index, raw) in document.tools.iter().enumerate() {
            match tool(raw.get(), &prefix, &mut names) {
                Ok(tool) => {
                    toolset = toolset.tool(tool);
                    catalogs.taken += 1;
                }
                Err(reason) => catalogs.rejected.push(rejected(file, index, raw.get(), &reason)),
            }
        }
        catalogs.toolsets.push(toolset);
    }
    Ok(catalogs)
}

/// The legal form of a server's name.
fn prefix(server: &str) -> Option<String> {
    let server = server.trim();
    (!server.is_empty()).then(|| {
        let mut prefix = String::from(ToolName::from_wire("", server));
        prefix.truncate(MAX_PREFIX);
        prefix
    })
}

/// A tool under the name that it has without the prefix, or why there is none.
fn tool(json: &str, prefix: &str, names: &mut HashSet<String>) -> Result<FunctionTool, String> {
    let tool: ForeignTool<'_> = serde_json::from_str(json).map_err(|error| in_words(&error))?;
    if tool.name.trim().is_empty() {
        return Err("its name is empty".to_owned());
    }
    let texts = [tool.description, tool.title];
    let description = texts
        .into_iter()
        .flatten()
        .find(|text| !text.trim().is_empty())
        .ok_or("it has neither a description nor a title, and a model must know what it does")?;
    let schema = json_text::compact(tool.input_schema.get());
    Schema::foreign(&schema).map_err(|error| error.to_string())?;
    let name = bare_name(prefix, &tool.name)?;
    let listed = format!("{prefix}_{name}");
    if !names.insert(listed.clone()) {
        return Err(format!("another tool is called `{listed}`"));
    }
    Ok(FunctionTool::builder(String::from(name), description)
        .deferred()
        .raw(&schema, async |arguments: Arguments, _: ToolContext| arguments.to_text().into_owned()))
}

/// `ToolName::from_wire` without the prefix that the toolset puts before it again.
fn bare_name(prefix: &str, wire_name: &str) -> Result<ToolName, String> {
    let listed = ToolName::from_wire(prefix, wire_name);
    let rest =
        listed.as_str().strip_prefix(prefix).and_then(|rest| rest.strip_prefix('_')).unwrap_or_default();
    // `2fa` is legal behind a prefix only.
    let bare = ToolName::new(rest).unwrap_or_else(|_| ToolName::from_wire("", wire_name));
    match ToolName::new(format!("{prefix}_{bare}")) {
        Ok(_) => Ok(bare),
        Err(error) => Err(error.to_string()),
    }
}

fn rejected(file: &Path, index: usize, json: &str, reason: &str) -> Rejected {
    let tool = match serde_json::from_str::<Named>(json) {
        Ok(Named { name }) if !name.trim().is_empty() => format!("`{}`", one_line(&name, MAX_NAME_LEN)),
        _ => format!("number {}", index + 1),
    };
    // Reasons quote the file.
    Rejected { file: file.to_owned(), tool, reason: one_line(reason, MAX_REASON) }
}

/// Without the place, which counts from the start of the tool and not of the file.
fn in_words(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rfind(" at line ").and_then(|end| text.get(..end)).unwrap_or(&text).to_owned()
}
