//! The command line.

use std::path::PathBuf;

use lexopt::{Arg::Long, Parser, ValueExt as _};

/// What is to be measured.
pub(crate) struct Args {
    pub(crate) tools: Option<PathBuf>,
    pub(crate) queries: Option<PathBuf>,
    pub(crate) synonyms: bool,
    pub(crate) ranker: Choice,
    /// Where embeddings are made, for a hybrid of the fielded ranker and these.
    pub(crate) embeddings: Option<String>,
    pub(crate) k: usize,
    pub(crate) misses: bool,
}

/// Who ranks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Choice {
    Fielded,
    Substring,
}

impl Args {
    pub(crate) fn read() -> Result<Self, lexopt::Error> {
        let mut args = Self {
            tools: None,
            queries: None,
            synonyms: true,
            ranker: Choice::Fielded,
            embeddings: None,
            k: 10,
            misses: false,
        };
        let mut parser = Parser::from_env();
        while let Some(arg) = parser.next()? {
            match arg {
                Long("tools") => args.tools = Some(parser.value()?.into()),
                Long("queries") => args.queries = Some(parser.value()?.into()),
                Long("embeddings") => args.embeddings = Some(parser.value()?.parse()?),
                Long("no-synonyms") => args.synonyms = false,
                Long("k") => args.k = parser.value()?.parse()?,
                Long("misses") => args.misses = true,
                Long("ranker") => {
                    args.ranker = parser.value()?.parse_with(|name| match name {
                        "fielded" => Ok(Choice::Fielded),
                        "substring" => Ok(Choice::Substring),
                        _ => Err("expected `fielded` or `substring`"),
                    })?;
                }
                _ => return Err(arg.unexpected()),
            }
        }
        if args.tools.is_some() != args.queries.is_some() {
            return Err("--tools and --queries go together".into());
        }
        if args.embeddings.is_some() && args.ranker != Choice::Fielded {
            return Err("--embeddings goes with the fielded ranker".into());
        }
        Ok(args)
    }
}
