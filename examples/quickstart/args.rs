//! The command line. Nothing is read from the environment and no file is opened here.

use std::{ffi::OsString, path::PathBuf};

use lexopt::{Arg, Parser, ValueExt as _};

/// What `--help` prints.
pub(crate) const HELP: &str = "\
An agent with 15 tools, 12 of them hidden until they are searched for.

Usage: cargo run --example quickstart [-- OPTIONS]

Without options a recorded conversation runs, offline, and checks its own outcome.

Options:
  --json                    print one JSON object per turn and nothing else
  --catalog FILE...         add the tools of captured MCP `tools/list` answers, hidden until found;
                            each file is {\"server\": ..., \"tools\": [{\"name\", \"description\", \"inputSchema\"}]}
  --ask QUESTION            search the hidden tools with your own words, without a model
  --model NAME QUESTION     ask a real model; needs `cargo run --features live --example quickstart -- ...`
  --base-url URL            the server of --model, such as http://127.0.0.1:8080/v1
  -h, --help                print this

Examples:
  cargo run --example quickstart -- --ask \"charge a credit card\"
  cargo run --example quickstart -- --catalog catalogs/*.json --ask \"create a pull request\"
  cargo run --features live --example quickstart -- --model claude-sonnet-4-5 \"Charge order A-1042.\"
";

const OPTIONS: [&str; 6] = ["--json", "--catalog", "--ask", "--model", "--base-url", "--help"];

/// What the user asked for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Args {
    pub(crate) mode: Mode,
    pub(crate) catalogs: Vec<PathBuf>,
    pub(crate) format: Format,
}

/// What is run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Help,
    Recorded,
    Ask { question: String },
    Live { model: String, base_url: Option<String>, question: String },
}

/// What is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Format {
    #[default]
    Table,
    Json,
}

/// What is wrong with the command line.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ArgsError {
    #[error("there is no option `{option}`{}; `--help` lists them", did_you_mean(option))]
    UnknownOption { option: String },
    #[error(transparent)]
    Value(#[from] lexopt::Error),
    #[error(
        "`{0}` is not an option; put a question after `--ask` or `--model NAME`, files after `--catalog`"
    )]
    Stray(String),
    #[error("`{0}` is empty")]
    Empty(&'static str),
    #[error("`--model {0}` needs a question: `--model {0} \"Charge order A-1042.\"`")]
    NoQuestion(String),
    #[error("`--base-url` is the server of a model; add `--model NAME`")]
    NoModel,
    #[error("two questions: `{0}` and `{1}`")]
    TwoQuestions(String, String),
}

impl Args {
    /// Reads the arguments that follow the program's name.
    pub(crate) fn parse(arguments: &[OsString]) -> Result<Self, ArgsError> {
        let (mut catalogs, mut format) = (Vec::new(), Format::default());
        let (mut question, mut model, mut base_url, mut stray) = (None, None, None, Vec::new());
        let mut parser = Parser::from_args(arguments);
        while let Some(argument) = parser.next()? {
            match argument {
                Arg::Short('h') | Arg::Long("help") => {
                    return Ok(Self { mode: Mode::Help, catalogs, format });
                }
                Arg::Long("json") => format = Format::Json,
                Arg::Long("catalog") => catalogs.extend(parser.values()?.map(PathBuf::from)),
                Arg::Long("ask") => question = Some(text("--ask", parser.value()?)?),
                Arg::Long("model") => model = Some(text("--model", parser.value()?)?),
                Arg::Long("base-url") => base_url = Some(text("--base-url", parser.value()?)?),
                Arg::Value(value) => stray.push(value.to_string_lossy().into_owned()),
                Arg::Short(letter) => {
                    return Err(ArgsError::UnknownOption { option: format!("-{letter}") });
                }
                Arg::Long(name) => return Err(ArgsError::UnknownOption { option: format!("--{name}") }),
            }
        }
        for value in stray {
            match &question {
                _ if model.is_none() => return Err(ArgsError::Stray(value)),
                Some(first) => return Err(ArgsError::TwoQuestions(first.clone(), value)),
                None => question = Some(value),
            }
        }
        let mode = match (model, question) {
            (Some(model), Some(question)) => Mode::Live { model, base_url, question },
            (Some(model), None) => return Err(ArgsError::NoQuestion(model)),
            (None, _) if base_url.is_some() => return Err(ArgsError::NoModel),
            (None, Some(question)) => Mode::Ask { question },
            (None, None) => Mode::Recorded,
        };
        Ok(Self { mode, catalogs, format })
    }
}

fn text(option: &'static str, value: OsString) -> Result<String, ArgsError> {
    let value = value.string()?;
    if value.trim().is_empty() { Err(ArgsError::Empty(option)) } else { Ok(value) }
}

fn did_you_mean(option: &str) -> String {
    let closest = OPTIONS.into_iter().min_by_key(|known| strsim::damerau_levenshtein(known, option));
    closest
        .filter(|known| strsim::damerau_levenshtein(known, option) <= 2)
        .map(|known| format!("; did you mean `{known}`?"))
        .unwrap_or_default()
}
