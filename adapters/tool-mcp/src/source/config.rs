//! `mcp.json`, as desktop clients write it: `{"mcpServers": {"name": {"command": …} or {"url": …}}}`.

use std::{collections::BTreeMap, env};

use serde::Deserialize;
use serde_json::Value;

use super::{AddressError, McpSource};

/// The servers of an `mcp.json`, by name.
///
/// `${NAME}` and `${NAME:-default}` in any text stand for variables of this process's environment.
///
/// # Examples
/// ```
/// use tool_mcp::McpConfig;
///
/// let config = McpConfig::parse(
///     r#"{"mcpServers": {"files": {"command": "files-server", "args": ["${HOME:-/}"]}}}"#,
/// )?;
/// let names: Vec<_> = config.servers.iter().map(|(name, _)| name.as_str()).collect();
/// assert_eq!(names, ["files"]);
/// # Ok::<(), tool_mcp::ConfigError>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct McpConfig {
    /// In the order of their names. Those that are switched off are not here.
    pub servers: Vec<(String, McpSource)>,
}

/// What is wrong with an `mcp.json`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// Not JSON, or not of the expected form.
    #[error("the configuration cannot be read: {0}")]
    Json(#[from] serde_json::Error),
    /// Neither or both of `command` and `url`.
    #[error("server `{server}`: give it either `command` or `url`")]
    Endpoint {
        /// The name of the server.
        server: String,
    },
    /// A transport that there is not.
    #[error("server `{server}`: transport `{transport}` is not supported; `stdio` and `http` are")]
    Transport {
        /// The name of the server.
        server: String,
        /// As given.
        transport: String,
    },
    /// A variable that the environment does not have.
    #[error(
        "server `{server}`: the environment has no variable `{variable}`; set it, or give a default with `${{{variable}:-…}}`"
    )]
    Variable {
        /// The name of the server.
        server: String,
        /// The name of the variable.
        variable: String,
    },
    /// An address that is none.
    #[error("server `{server}`: {source}")]
    Address {
        /// The name of the server.
        server: String,
        /// What is wrong.
        source: AddressError,
    },
}

#[derive(Deserialize)]
struct File {
    #[serde(rename = "mcpServers")]
    servers: BTreeMap<String, Server>,
}

#[derive(Deserialize)]
struct Server {
    #[serde(default, rename = "type", alias = "transport")]
    kind: Option<String>,
    #[serde(default)]
    command: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, Value>,
    #[serde(default)]
    cwd: Option<String>,
    #[serde(default, alias = "serverUrl")]
    url: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    disabled: bool,
}

impl McpConfig {
    /// Reads the text of an `mcp.json`.
    ///
    /// # Errors
    /// [`ConfigError`] with the name of the server that is at fault.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        let file: File = serde_json::from_str(text)?;
        let enabled = file.servers.into_iter().filter(|(_, server)| !server.disabled);
        let servers = enabled.map(|(name, server)| source(&name, &server).map(|source| (name, source)));
        Ok(Self { servers: servers.collect::<Result<_, _>>()? })
    }
}

fn source(name: &str, server: &Server) -> Result<McpSource, ConfigError> {
    let expanded = |text: &str| {
        expand(text, |variable| env::var(variable).ok())
            .map_err(|variable| ConfigError::Variable { server: name.to_owned(), variable })
    };
    let address = |source| ConfigError::Address { server: name.to_owned(), source };
    if let Some(kind) = &server.kind
        && !matches!(kind.as_str(), "stdio" | "http" | "streamable-http" | "streamableHttp")
    {
        return Err(ConfigError::Transport { server: name.to_owned(), transport: kind.clone() });
    }
    match (&server.command, &server.url) {
        (Some(command), None) => {
            let mut source = McpSource::command(expanded(command)?);
            for argument in &server.args {
                source = source.args([expanded(argument)?]);
            }
            for (key, value) in &server.env {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                source = source.env(key, expanded(&value)?);
            }
            if let Some(folder) = &server.cwd {
                source = source.current_dir(expanded(folder)?);
            }
            Ok(source)
        }
        (None, Some(url)) => {
            let mut source = McpSource::http(expanded(url)?).map_err(address)?;
            for (key, value) in &server.headers {
                source = source.header(key, &expanded(value)?).map_err(address)?;
            }
            Ok(source)
        }
        _ => Err(ConfigError::Endpoint { server: name.to_owned() }),
    }
}

/// Replaces `${NAME}` and `${NAME:-default}`.
///
/// # Errors
/// The name of a variable that is not there.
fn expand(text: &str, variable: impl Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((inner, behind)) = after.split_once('}') else { break };
        expanded.push_str(before);
        let (name, default) = match inner.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (inner, None),
        };
        let value = variable(name).filter(|value| default.is_none() || !value.is_empty());
        match value.or_else(|| default.map(str::to_owned)) {
            Some(value) => expanded.push_str(&value),
            None => return Err(name.to_owned()),
        }
        rest = behind;
    }
    expanded.push_str(rest);
    Ok(expanded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_and_defaults_are_put_in_their_places() {
        let of = |name: &str| match name {
            "A" => Some("x".to_owned()),
            "EMPTY" => Some(String::new()),
            _ => None,
        };
        assert_eq!(expand("a ${A} b${A}", of).unwrap(), "a x bx");
        assert_eq!(expand("${B:-d}${EMPTY:-e}${EMPTY}", of).unwrap(), "de");
        assert_eq!(expand("${B}", of).unwrap_err(), "B");
        assert_eq!(expand("$A ${unclosed", of).unwrap(), "$A ${unclosed");
    }

    #[test]
    fn faults_name_the_server() {
        let text = |config: &str| McpConfig::parse(config).unwrap_err().to_string();
        assert_eq!(
            text(r#"{"mcpServers":{"a":{"command":"x","url":"http://h"}}}"#),
            "server `a`: give it either `command` or `url`"
        );
        assert_eq!(text(r#"{"mcpServers":{"a":{}}}"#), "server `a`: give it either `command` or `url`");
        assert_eq!(
            text(r#"{"mcpServers":{"a":{"type":"sse","url":"http://h"}}}"#),
            "server `a`: transport `sse` is not supported; `stdio` and `http` are"
        );
        assert_eq!(
            text(r#"{"mcpServers":{"a":{"url":"ftp://h"}}}"#),
            "server `a`: `ftp://h` is not an http or https URL"
        );
        assert!(
            text(r#"{"mcpServers":{"a":{"command":"${NO_SUCH_VARIABLE_HERE}"}}}"#)
                .contains("NO_SUCH_VARIABLE_HERE")
        );
        assert!(text("[]").starts_with("the configuration cannot be read: "));
    }

    #[test]
    fn servers_that_are_switched_off_are_left_out() {
        let config = McpConfig::parse(
            r#"{"mcpServers":{"b":{"command":"x"},"a":{"url":"http://h/mcp","headers":{"X-Key":"k"}},
                "c":{"command":"y","disabled":true}}}"#,
        )
        .unwrap();
        let names: Vec<_> = config.servers.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        assert!(!format!("{config:?}").contains("\"k\""));
    }
}
