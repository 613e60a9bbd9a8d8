//! A shop's back office: an agent with 15 tools that sees three of them, and finds the others when it needs them.
//!
//! Look at `tools.rs` for how tools are declared, at `setup.rs` for how they are collected, and at `recorded.rs` for
//! what the model does with them. `--help` lists what else can be run.

mod args;
mod ask;
mod catalog;
mod error;
mod json_text;
#[cfg(feature = "live")]
mod live;
mod record;
mod recorded;
mod report;
mod setup;
mod shop;
mod style;
mod summary;
#[cfg(test)]
mod tests;
mod tokens;
mod tools;

use std::{
    env,
    ffi::OsString,
    io::{self, Write},
    process::ExitCode,
};

use args::{Args, HELP, Mode};
use error::QuickstartError;
use setup::Setup;
use style::Style;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let (mut out, mut err) = (io::stdout().lock(), io::stderr().lock());
    match run(&arguments, Style::of_stdout(), &mut out, &mut err).await {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever reads has read enough: `quickstart | head`.
        Err(QuickstartError::Write(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            // If even this cannot be written, the exit code still says it.
            let _ = writeln!(err, "error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The whole program: answers go to `out`, what was not taken from catalogs to `err`.
async fn run(
    arguments: &[OsString],
    style: Style,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<(), QuickstartError> {
    let Args { mode, catalogs, format } = Args::parse(arguments)?;
    match mode {
        Mode::Help => Ok(out.write_all(HELP.as_bytes())?),
        Mode::Recorded => recorded::run(Setup::new(&catalogs, format, style, out, err)?).await,
        Mode::Ask { question } => ask::run(Setup::new(&catalogs, format, style, out, err)?, &question).await,
        #[cfg(feature = "live")]
        Mode::Live { model, base_url, question } => {
            let setup = Setup::new(&catalogs, format, style, out, err)?;
            live::run(setup, &model, base_url.as_deref(), &question).await
        }
        #[cfg(not(feature = "live"))]
        Mode::Live { .. } => Err(QuickstartError::not_live(arguments)),
    }
}
