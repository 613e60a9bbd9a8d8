//! The command line.

use std::path::PathBuf;

use lexopt::{
    Arg::{Long, Short},
    Parser, ValueExt as _,
};

use crate::part::Part;

pub(crate) const HELP: &str = "\
A conversation that is killed and goes on in another process.

Usage: cargo run --example resume [-- --store STORE]

Options:
  --store file:PATH     keep the session in this folder; by default in a temporary one
  --store redis://HOST  keep it in a Redis server; needs `-p examples --features redis`
  -h, --help            print this

It starts itself with `--part ask|decide|answer --folder PATH` for each process of the conversation.
";

/// What is to be played.
pub(crate) struct Args {
    pub(crate) store: Option<String>,
    /// One process of the conversation, and the folder that it shares with the others.
    pub(crate) part: Option<(Part, PathBuf)>,
}

impl Args {
    /// `None` where help is asked for.
    pub(crate) fn read() -> Result<Option<Self>, lexopt::Error> {
        let (mut store, mut part, mut folder) = (None, None, None);
        let mut parser = Parser::from_env();
        while let Some(arg) = parser.next()? {
            match arg {
                Long("help") | Short('h') => return Ok(None),
                Long("store") => store = Some(parser.value()?.string()?),
                Long("part") => {
                    let value = parser.value()?;
                    part =
                        Some(value.parse_with(|name| {
                            Part::of(name).ok_or("expected `ask`, `decide` or `answer`")
                        })?);
                }
                Long("folder") => folder = Some(parser.value()?.into()),
                _ => return Err(arg.unexpected()),
            }
        }
        let part = match (part, folder) {
            (None, None) => None,
            (Some(part), Some(folder)) => Some((part, folder)),
            _ => return Err("--part and --folder go together".into()),
        };
        Ok(Some(Self { store, part }))
    }
}
