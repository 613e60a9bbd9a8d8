//! The quickstart's annotated tools for any MCP client, the deferred ones hidden until a search finds them.
//!
//! Look at `serve`: a registry becomes a server in one line, over standard input and output or HTTP. In a client's
//! configuration: `{"mcpServers": {"shop": {"command": "…/mcp_server"}}}`.

#[path = "../quickstart/shop.rs"]
#[allow(dead_code, reason = "the quickstart checks what its tools did")]
mod shop;
#[path = "../quickstart/tools.rs"]
mod tools;

use std::{env, io, net::SocketAddr, process::ExitCode};

use examples::{Outcome, exit_code};
use tokio::net::TcpListener;
use tool_core::{CancellationToken, Registry};
use tool_mcp::McpServer;

const HELP: &str = "\
Fifteen tools as an MCP server, twelve of them hidden until they are searched for.

Usage: cargo run --features mcp --example mcp_server [-- --http ADDR]

Options:
  --http ADDR   serve http://ADDR/mcp instead of standard input and output, such as 127.0.0.1:8000
  -h, --help    print this";

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    exit_code(match arguments.as_slice() {
        [] => serve(None).await,
        ["--http", address] => match address.parse() {
            Ok(address) => serve(Some(address)).await,
            Err(_) => Err(format!("`{address}` is no address; one is `127.0.0.1:8000`").into()),
        },
        ["-h" | "--help", ..] => {
            println!("{HELP}");
            Ok(())
        }
        other => Err(format!("`{}` is not understood; `--help` says what is", other.join(" ")).into()),
    })
}

async fn serve(http: Option<SocketAddr>) -> Outcome {
    let registry = Registry::builder().linked().state(shop::Shop::default()).build()?;
    let stop = CancellationToken::new();
    let server = McpServer::builder(registry)
        .name("shop")
        .version(env!("CARGO_PKG_VERSION"))
        .instructions("Tools of a shop. Search for what is not listed.")
        // One person on this machine; a server for many maps their authentication to keys.
        .session_key(|_| Some("local".to_owned()))
        .shutdown(stop.clone())
        .build();
    let Some(address) = http else { return Ok(server.serve_stdio().await?) };
    let listener = TcpListener::bind(address).await?;
    eprintln!("serving http://{}/mcp", listener.local_addr()?);
    let router = axum::Router::new().nest_service("/mcp", server.http_service());
    let until_interrupted = async move {
        interrupted().await;
        stop.cancel();
    };
    axum::serve(listener, router).with_graceful_shutdown(until_interrupted).await?;
    Ok(())
}

/// Control-C, or the end of the process's manager.
async fn interrupted() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let Ok(mut terminate) = signal(SignalKind::terminate()) else { return wait_for_control_c().await };
        tokio::select! {
            _ = terminate.recv() => {}
            () = wait_for_control_c() => {}
        }
    }
    #[cfg(not(unix))]
    wait_for_control_c().await;
}

async fn wait_for_control_c() {
    let waited: io::Result<()> = tokio::signal::ctrl_c().await;
    if waited.is_err() {
        // No signals here: whoever started it ends it.
        std::future::pending::<()>().await;
    }
}
