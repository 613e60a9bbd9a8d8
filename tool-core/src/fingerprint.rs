//! What the model was told of a tool, as one hash: reveals and approvals hold only as long as it is the same.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::{SourceTool, ToolDefinition, schema::Schema, text};

/// `v1:` and the SHA-256 of name, title, description, schemas and annotations as JSON with sorted keys and no white space.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(String);

impl Fingerprint {
    /// The fingerprint of a definition. Makes its schemas; one that cannot be made counts as none.
    pub fn of(definition: &ToolDefinition) -> Self {
        let parse = |schema: &Schema| parse(schema.as_str());
        Self::of_members(&[
            ("annotations", serde_json::to_value(definition.annotations()).ok()),
            ("description", Some(definition.description().into())),
            ("inputSchema", definition.input_schema().ok().and_then(parse)),
            ("name", Some(definition.name().as_str().into())),
            ("outputSchema", definition.output_schema().ok().flatten().and_then(parse)),
            ("title", definition.title().map(Into::into)),
        ])
    }

    /// The fingerprint of a tool of a source: of its members as they came, with the name that the source gave.
    pub(crate) fn of_source(tool: &SourceTool) -> Self {
        Self::of_members(&[
            ("annotations", tool.annotations.clone()),
            ("description", tool.description.as_deref().map(Into::into)),
            ("inputSchema", parse(&tool.input_schema)),
            ("name", Some(tool.name.as_str().into())),
            ("outputSchema", tool.output_schema.as_deref().and_then(parse)),
            ("title", tool.title.as_deref().map(Into::into)),
        ])
    }

    fn of_members(members: &[(&str, Option<Value>); 6]) -> Self {
        let mut json = String::from("{");
        for (index, (name, value)) in members.iter().enumerate() {
            let separator = if index == 0 { "" } else { "," };
            json.push_str(&format_member(separator, name));
            write_sorted(value.as_ref().unwrap_or(&Value::Null), &mut json);
        }
        json.push('}');
        let mut fingerprint = String::from("v1:");
        text::push_hex(&mut fingerprint, &Sha256::digest(json.as_bytes()));
        Self(fingerprint)
    }

    /// The text, `v1:` included.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn parse(json: &str) -> Option<Value> {
    serde_json::from_str(json).ok()
}

fn format_member(separator: &str, name: &str) -> String {
    format!("{separator}\"{name}\":")
}

/// JSON with sorted keys, whatever order the map has.
fn write_sorted(value: &Value, out: &mut String) {
    match value {
        Value::Object(object) => {
            let mut members: Vec<_> = object.iter().collect();
            members.sort_by_key(|(name, _)| *name);
            out.push('{');
            for (index, (name, value)) in members.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                out.push_str(&Value::from(name.as_str()).to_string());
                out.push(':');
                write_sorted(value, out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_sorted(item, out);
            }
            out.push(']');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}
