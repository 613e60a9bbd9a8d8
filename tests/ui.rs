//! What a user reads when a declaration is wrong: one file per fault in `ui/fail`, beside it the compiler's output.
//!
//! The words are ours, the frame around them is the compiler's, so they are compared with one version only.
//! `TRYBUILD=overwrite cargo test -p integration --test ui` writes them anew.

use std::{env, io::Write as _, process::Command};

/// The compiler that printed the `.stderr` files.
const COMPILER: &str = "rustc 1.95.";

#[test]
fn messages() {
    let cases = trybuild::TestCases::new();
    cases.pass("ui/pass/*.rs");
    let compiler = compiler();
    if compiler.starts_with(COMPILER) {
        cases.compile_fail("ui/fail/*.rs");
    } else {
        // Past the capture of test output: a test that compares nothing must not look like one that does.
        let note =
            format!("ui/fail was NOT compared: its messages are those of {COMPILER}x, this is {compiler}\n");
        let _ = std::io::stderr().write_all(note.as_bytes());
    }
}

fn compiler() -> String {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    match Command::new(rustc).arg("--version").output() {
        Ok(output) => String::from_utf8_lossy(&output.stdout).trim().to_owned(),
        Err(error) => format!("unknown ({error})"),
    }
}
