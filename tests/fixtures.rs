//! Crates as users have them, outside of the workspace: one with tool-core as its only dependency and lints that forbid
//! nearly everything, one with tool-core renamed. Each is linted, documented and run.
//!
//! Ignored, because they build tool-core anew: `cargo test -p integration --test fixtures -- --ignored`.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::{env, fs, path::Path, process::Command};

#[test]
#[ignore = "builds crates of their own"]
fn only_dependency() {
    lint_and_run("only_dependency");
}

#[test]
#[ignore = "builds crates of their own"]
fn renamed() {
    lint_and_run("renamed");
}

fn lint_and_run(name: &str) {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let fixture = tests.join("fixtures").join(name);
    // The versions of the workspace, so that nothing is downloaded.
    fs::copy(tests.join("../Cargo.lock"), fixture.join("Cargo.lock")).expect("copy the lock file");
    let commands =
        [&["clippy", "--all-targets", "--", "-D", "warnings"][..], &["doc", "--no-deps"], &["run"]];
    for arguments in commands {
        let status = Command::new(env!("CARGO"))
            .args(arguments)
            .current_dir(&fixture)
            .env("CARGO_TARGET_DIR", target().join("fixtures"))
            .env("RUSTDOCFLAGS", "-D warnings")
            .status()
            .expect("run cargo");
        assert!(status.success(), "cargo {} failed in {}", arguments.join(" "), fixture.display());
    }
}

/// The target directory that this test was built in.
fn target() -> std::path::PathBuf {
    let executable = env::current_exe().expect("path of the test");
    executable.ancestors().nth(3).expect("target/debug/deps").to_owned()
}
