//! Catalogues and queries: a JSON value a line, or one array.

use std::{error::Error, path::Path};

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use tool_core::{NameError, SearchDocument, ToolName};

/// A tool as it is sent to a model.
#[derive(Deserialize)]
pub(crate) struct Tool {
    pub(crate) name: String,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    parameters: Value,
}

impl Tool {
    /// Names that no provider accepts (`math.factorial`) are searched under the nearest that all do.
    pub(crate) fn document(&self) -> Result<SearchDocument, NameError> {
        let legal = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
        let cleaned: String = self.name.chars().map(legal).collect();
        let name = ToolName::new(cleaned.as_str()).or_else(|_| ToolName::new(format!("_{cleaned:.62}")))?;
        let description = self.description.as_deref().unwrap_or_default();
        Ok(SearchDocument::new(name, description).with_arguments(&self.parameters))
    }
}

/// A query and the names of the tools that serve it.
#[derive(Deserialize)]
pub(crate) struct Query {
    pub(crate) query: String,
    #[serde(alias = "expected")]
    pub(crate) relevant: Vec<String>,
}

/// The values of a file, or of `own` without one.
pub(crate) fn read<T: DeserializeOwned>(path: Option<&Path>, own: &str) -> Result<Vec<T>, Box<dyn Error>> {
    let text = match path {
        Some(path) => {
            std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?
        }
        None => own.to_owned(),
    };
    if text.trim_start().starts_with('[') {
        return Ok(serde_json::from_str(&text)?);
    }
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(at, line)| {
            serde_json::from_str(line).map_err(|error| format!("line {}: {error}", at + 1).into())
        })
        .collect()
}
