//! You play the model: list, search and call tools, and read exactly what a model would read.
//!
//! Look at `repl.rs`, a whole host in one function: a turn, its list, its calls. `--tools FILE` tries your own catalogue.
//! Type `help`, or pipe the lines: `printf 'search pay\ntools\n' | cargo run --example playground`.

mod catalogue;
mod repl;
#[cfg(test)]
mod tests;

use std::{
    env,
    ffi::OsString,
    io::{self, BufRead, IsTerminal, Write},
    path::PathBuf,
    process::ExitCode,
};

use examples::Outcome;
use lexopt::{Arg, Parser, ValueExt as _};
use tool_core::ToolSearch;

const HELP: &str = "\
You play the model: list, search and call tools, and read what a model would read.

Usage: cargo run --example playground [-- OPTIONS]

Options:
  --mode search|load|bridge   what a search does: reveals (default), offers to load, or shows schemas
  --tools FILE                tools of your own, one JSON object a line or one list:
                              {\"name\", \"description\", \"parameters\"}; all are hidden and echo their arguments
  -h, --help                  print this
";

/// How a hidden tool comes to be called.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Search,
    Load,
    Bridge,
}

impl Mode {
    fn tool_search(self) -> ToolSearch {
        match self {
            Self::Search => ToolSearch::new(),
            Self::Load => ToolSearch::search_then_load(),
            Self::Bridge => ToolSearch::bridge(),
        }
    }
}

/// Whether somebody types, and wants to be asked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Input {
    Typed,
    Piped,
}

async fn run(
    arguments: Vec<OsString>,
    kind: Input,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Outcome {
    let (mut mode, mut file) = (Mode::Search, None);
    let mut parser = Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => return Ok(out.write_all(HELP.as_bytes())?),
            Arg::Long("mode") => {
                mode = parser.value()?.parse_with(|name| match name {
                    "search" => Ok(Mode::Search),
                    "load" => Ok(Mode::Load),
                    "bridge" => Ok(Mode::Bridge),
                    _ => Err("expected `search`, `load` or `bridge`"),
                })?;
            }
            Arg::Long("tools") => file = Some(PathBuf::from(parser.value()?)),
            other => return Err(format!("{}; `--help` lists the options", other.unexpected()).into()),
        }
    }
    let builder = match file {
        Some(file) => catalogue::read(&file, err)?,
        None => catalogue::own(),
    };
    repl::run(&builder.search(mode.tool_search()).build()?, mode, kind, input, out).await
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let kind = if io::stdin().is_terminal() { Input::Typed } else { Input::Piped };
    let (mut input, mut out, mut err) = (io::stdin().lock(), io::stdout().lock(), io::stderr());
    examples::exit_code(run(env::args_os().skip(1).collect(), kind, &mut input, &mut out, &mut err).await)
}
