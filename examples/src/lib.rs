//! How the small examples begin and end, so that each of them shows its own subject only.

use std::{
    env,
    error::Error,
    io::{self, Write},
    process::ExitCode,
};

/// What an example returns. The error is shown as its user reads it, on one line.
pub type Outcome = Result<(), Box<dyn Error>>;

/// Runs an example that takes no options. `--help` prints `about`; anything else is an error.
pub async fn without_options(about: &str, example: impl AsyncFnOnce(&mut dyn Write) -> Outcome) -> ExitCode {
    let mut out = io::stdout().lock();
    exit_code(match env::args_os().nth(1) {
        None => example(&mut out).await,
        Some(option) if option == "--help" || option == "-h" => {
            writeln!(out, "{about}\n\nIt takes no options.").map_err(Into::into)
        }
        Some(option) => Err(format!("`{}`: this example takes no options", option.display()).into()),
    })
}

/// Says what went wrong, if anything. A reader that has read enough (`… | head -1`) is no fault.
pub fn exit_code(outcome: Outcome) -> ExitCode {
    let Err(error) = outcome else { return ExitCode::SUCCESS };
    let is_closed = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    if error.downcast_ref().is_some_and(is_closed) {
        return ExitCode::SUCCESS;
    }
    // If even this cannot be written, the exit code still says it.
    let _ = writeln!(io::stderr(), "error: {error}");
    ExitCode::FAILURE
}
