#!/usr/bin/env python3
"""What annotated tools cost to build, beside the same tools written by hand.

    python3 benches/build_cost.py [--tools 200] [--rounds 3] [--no-release]

Writes two crates with the same functions into the target folder: `annotated` has `#[function_tool]` on each, `by_hand`
what one writes without the library: a derived struct of the arguments, its schema, `inventory`, a boxed future. Both are
built in turn, each step in every round, and the medians are printed with their ratio. Times are processor seconds of
cargo and all that it starts, for that one crate: what it depends on is built before.
"""
import argparse, os, pathlib, resource, statistics, subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "build-cost"
KINDS = ("by_hand", "annotated")

MANIFEST = """[package]
name = "{name}"
version = "0.0.0"
edition = "2024"

[workspace]

[dependencies]
tool-core = {{ path = "{root}/tool-core" }}
serde = {{ version = "1", features = ["derive"] }}
serde_json = "1"
schemars = "1"
inventory = "0.3"

[profile.release]
debug = false
"""

BY_HAND_HEAD = """use std::{future::Future, pin::Pin};

pub struct Tool {
    pub name: &'static str,
    pub description: &'static str,
    pub schema: fn() -> schemars::Schema,
    pub call: fn(&str) -> Pin<Box<dyn Future<Output = Result<String, String>> + Send>>,
}

inventory::collect!(Tool);

fn main() {
    let mut bytes = 0;
    for tool in inventory::iter::<Tool> {
        bytes += tool.name.len() + tool.description.len() + serde_json::to_string(&(tool.schema)()).unwrap().len();
        drop((tool.call)("{}"));
    }
    println!("{bytes}");
}
"""

BY_HAND = """
/// {description}
async fn tool_{n}(query: String, limit: u32, verbose: Option<bool>) -> Result<String, String> {{
    Ok(format!("{{query}} {{limit}} {{verbose:?}} {salt}"))
}}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args{n} {{
    /// What to look for.
    query: String,
    /// How many at most.
    limit: u32,
    /// Say more.
    verbose: Option<bool>,
}}

inventory::submit!(Tool {{
    name: "tool_{n}",
    description: "{description}",
    schema: || schemars::schema_for!(Args{n}),
    call: |text| match serde_json::from_str::<Args{n}>(text) {{
        Ok(args) => Box::pin(tool_{n}(args.query, args.limit, args.verbose)),
        Err(error) => Box::pin(std::future::ready(Err(error.to_string()))),
    }},
}});
"""

ANNOTATED_HEAD = """use tool_core::{Registry, function_tool};

fn main() {
    let registry = Registry::builder().linked().build().unwrap();
    let bytes: usize = registry
        .definitions()
        .iter()
        .map(|tool| tool.name().as_str().len() + tool.description().len() + tool.input_schema().unwrap().as_str().len())
        .sum();
    println!("{bytes}");
}
"""

ANNOTATED = """
/// {description}
#[function_tool]
async fn tool_{n}(
    /// What to look for.
    query: String,
    /// How many at most.
    limit: u32,
    /// Say more.
    verbose: Option<bool>,
) -> Result<String, String> {{
    Ok(format!("{{query}} {{limit}} {{verbose:?}} {salt}"))
}}
"""


def write(kind, tools, salt="", description="Find things of one kind."):
    """Writes a crate; `salt` and `description` change the first tool only."""
    folder = TARGET / "crates" / kind
    (folder / "src").mkdir(parents=True, exist_ok=True)
    (folder / "Cargo.toml").write_text(MANIFEST.format(name=kind, root=ROOT))
    head, body = (BY_HAND_HEAD, BY_HAND) if kind == "by_hand" else (ANNOTATED_HEAD, ANNOTATED)
    text = head
    for n in range(tools):
        first = n == 0
        text += body.format(n=n, salt=salt if first else "", description=description if first else "Find things of one kind.")
    (folder / "src" / "main.rs").write_text(text)
    return folder


def cargo(folder, *words):
    """Runs cargo and gives the processor seconds of it and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "CARGO_TARGET_DIR": str(TARGET / "target"), "CARGO_INCREMENTAL": "1"}
    subprocess.run(["cargo", *words, "--quiet"], cwd=folder, env=environment, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def steps(kind, tools, round_):
    """One round: each step and what it took."""
    folder = write(kind, tools)
    cargo(folder, "clean", "--package", kind)
    yield "clean build, s", cargo(folder, "build")
    write(kind, tools, salt=f"body {round_}")
    yield "one body changed, s", cargo(folder, "build")
    write(kind, tools, salt=f"body {round_}", description=f"Find things, round {round_}.")
    yield "one description changed, s", cargo(folder, "build")
    write(kind, tools, salt=f"check {round_}")
    yield "cargo check, s", cargo(folder, "check")


def sizes(kind, tools):
    folder = write(kind, tools)
    cargo(folder, "build", "--release")
    program = TARGET / "target" / "release" / kind
    yield "release, kB", program.stat().st_size / 1000
    stripped = TARGET / f"{kind}-stripped"
    subprocess.run(["strip", "-o", str(stripped), str(program)], check=True)
    yield "release, stripped, kB", stripped.stat().st_size / 1000


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--tools", type=int, default=200)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--no-release", action="store_true")
    options = options.parse_args()
    taken = {kind: {} for kind in KINDS}
    for kind in KINDS:
        folder = write(kind, options.tools)
        cargo(folder, "build")
        cargo(folder, "check")
    for round_ in range(options.rounds):
        for kind in KINDS:
            for step, seconds in steps(kind, options.tools, round_):
                taken[kind].setdefault(step, []).append(seconds)
    if not options.no_release:
        for kind in KINDS:
            for step, size in sizes(kind, options.tools):
                taken[kind][step] = [size]
    print(f"{options.tools} tools, medians of {options.rounds} rounds")
    print(f"{'':<28}{'by hand':>10}{'annotated':>11}{'ratio':>8}")
    for step, values in taken["by_hand"].items():
        by_hand, annotated = statistics.median(values), statistics.median(taken["annotated"][step])
        print(f"{step:<28}{by_hand:>10.2f}{annotated:>11.2f}{annotated / by_hand:>8.2f}")


if __name__ == "__main__":
    main()
