//! Lines become calls, calls become what a model would read.

use std::io::{self, BufRead, Write};

use examples::Outcome;
use serde::Deserialize;
use serde_json::json;
use tool_core::{Arguments, CallResult, Registry, ToolCall, Turn};

use crate::{Input, Mode};

const HELP: &str = "\
Each line is a reply of the model, or a look at what it cannot see:
  search WORDS   call the search tool with these words
  NAME {JSON}    call a tool, such as: echo {\"msg\": \"hi\"}
  [{\"name\": NAME, \"arguments\": {JSON}}, …]   several calls in one reply
  tools          the tool list of the next request, as JSON
  hidden         the tools that it does not have
  help, quit
";

/// A call of a line that is a list.
#[derive(Deserialize)]
struct Typed {
    name: String,
    #[serde(default)]
    arguments: Arguments,
}

/// Runs until the input ends. Each line with calls is one reply of the model, in a turn of its own.
pub(crate) async fn run(
    registry: &Registry,
    mode: Mode,
    kind: Input,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
) -> Outcome {
    let session = registry.session();
    let first = session.turn().await?;
    let hidden = first.deferred().count();
    writeln!(out, "{} tools listed, {hidden} hidden. Type `help`.", first.tools().len())?;
    let mut ids = 1..;
    while let Some(line) = next_line(kind, input, out)? {
        let turn = session.turn().await?;
        let line = line.trim();
        match line {
            "" => {}
            "quit" | "exit" => break,
            "help" => write!(out, "{HELP}")?,
            "tools" => {
                for tool in turn.tools() {
                    writeln!(out, "{}", serde_json::to_string(tool)?)?;
                }
            }
            "hidden" => turn.deferred().try_for_each(|tool| writeln!(out, "{}", tool.name()))?,
            _ => {
                let typed = match calls(line, mode) {
                    Ok(typed) => typed,
                    Err(reason) => {
                        writeln!(out, "{reason}")?;
                        continue;
                    }
                };
                let call = |(typed, id): (Typed, u64)| {
                    ToolCall::new(format!("call_{id}"), typed.name, typed.arguments)
                };
                let results = turn.call_all(typed.into_iter().zip(&mut ids).map(call)).await.into_results();
                results.iter().try_for_each(|result| answer(&turn, mode, result, out))?;
                if let Some(reason) = turn.stop_reason() {
                    writeln!(out, "(an agent would stop here: {reason:?})")?;
                }
                changes(&turn, &session.turn().await?, out)?;
            }
        }
    }
    Ok(())
}

/// `None` at the end of the input. What is piped is shown, so that the output reads like a conversation.
fn next_line(kind: Input, input: &mut dyn BufRead, out: &mut dyn Write) -> io::Result<Option<String>> {
    if kind == Input::Typed {
        write!(out, "> ")?;
    }
    out.flush()?;
    let mut line = String::new();
    if input.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    if kind == Input::Piped && !line.trim().is_empty() {
        writeln!(out, "> {}", line.trim())?;
    }
    Ok(Some(line))
}

/// The calls of a line. Arguments go as they are typed: what is wrong with them, the tool's answer says.
fn calls(line: &str, mode: Mode) -> Result<Vec<Typed>, String> {
    if line.starts_with('[') {
        return serde_json::from_str(line).map_err(|error| format!("This is no list of calls: {error}"));
    }
    let (name, arguments) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let arguments = arguments.trim();
    Ok(vec![match name {
        "search" => {
            let name = if mode == Mode::Load { "search_tools" } else { "tool_search" };
            Typed { name: name.to_owned(), arguments: json!({ "query": arguments }).into() }
        }
        _ => Typed { name: name.to_owned(), arguments: arguments.into() },
    }])
}

/// Shows the result as the model reads it.
fn answer(turn: &Turn, mode: Mode, result: &CallResult, out: &mut dyn Write) -> io::Result<()> {
    let listed = turn.tools().any(|tool| tool.name() == result.name.as_str());
    assert!(listed || mode == Mode::Bridge || !result.succeeded(), "{} is not listed, and ran", result.name);
    writeln!(out, "{}: {:?}", result.call_id, result.status())?;
    for line in result.text().lines() {
        let line = format!("  {}", line.replace(char::is_control, "�"));
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

/// What the next request lists, and this one did not.
fn changes(before: &Turn, after: &Turn, out: &mut dyn Write) -> io::Result<()> {
    let has = |turn: &Turn, name: &str| turn.tools().any(|tool| tool.name() == name);
    for tool in after.tools().filter(|tool| !has(before, tool.name().as_str())) {
        writeln!(out, "+ {}", tool.name())?;
    }
    for tool in before.tools().filter(|tool| !has(after, tool.name().as_str())) {
        writeln!(out, "- {}", tool.name())?;
    }
    Ok(())
}
