//! Approvals: a person says yes or no to each call of a tool with `requires_approval`.
//!
//! Look at `AskPerson`, which lets every such call wait, and at `decide`, which asks in the terminal. Nothing has run
//! until `session.finish()`. Try it, or give the answers: `printf 'y\nn too much\n' | cargo run --example approval`.

#[cfg(test)]
mod tests;

use std::{
    error::Error,
    io::{self, BufRead, Write},
    process::ExitCode,
    sync::{Arc, Mutex, PoisonError},
};

use examples::Outcome;
use serde_json::json;
use tool_core::{
    ApprovalDecision, ApprovalFuture, ApprovalPolicy, ApprovalRequest, Batch, Registry, Session, ToolCall,
    ToolContext, ToolOutput, function_tool,
};

/// What was really charged, in cents, and the notes.
#[derive(Default)]
struct Till(Mutex<Vec<(u64, String)>>);

impl Till {
    fn charged(&self) -> Vec<u64> {
        let entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.iter().map(|(cents, _)| *cents).collect()
    }
}

/// Charge a credit card.
#[function_tool(requires_approval)]
fn charge_card(amount_cents: u64, note: &str, #[context] till: &Till) -> String {
    till.0.lock().unwrap_or_else(PoisonError::into_inner).push((amount_cents, note.to_owned()));
    format!("charged {amount_cents} cents")
}

/// The total of an order, in cents.
#[function_tool(read_only)]
fn order_total(order_id: &str) -> String {
    format!("{order_id}: 1250")
}

/// Calls wait until somebody has decided. A policy with rules of its own would allow or deny some of them here.
struct AskPerson;

impl ApprovalPolicy for AskPerson {
    fn decide<'a>(&'a self, _: &'a ApprovalRequest, _: &'a ToolContext) -> ApprovalFuture<'a> {
        Box::pin(async { ApprovalDecision::Suspend })
    }
}

/// Where the person sits.
struct Terminal<'t> {
    input: &'t mut dyn BufRead,
    out: &'t mut dyn Write,
}

impl Terminal<'_> {
    /// Asks until there is an answer; `None` where the input has ended.
    fn decide(&mut self, request: &ApprovalRequest) -> io::Result<Option<ApprovalDecision>> {
        loop {
            // The arguments are a model's: shown as they came, they could clear this line and write another. A request
            // displays itself so that all of it is seen.
            writeln!(self.out, "\nThe model wants: {request}")?;
            write!(self.out, "[y]es, yes for this [s]ession, [n]o REASON, [a]nswer TEXT? ")?;
            self.out.flush()?;
            let mut line = String::new();
            if self.input.read_line(&mut line)? == 0 {
                writeln!(self.out)?;
                return Ok(None);
            }
            let (answer, text) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
            return Ok(Some(match answer {
                "y" | "yes" => ApprovalDecision::AllowOnce,
                "s" | "session" => ApprovalDecision::AllowForSession,
                "n" | "no" if text.is_empty() => ApprovalDecision::deny("the user said no"),
                "n" | "no" => ApprovalDecision::deny(text),
                "a" | "answer" => ApprovalDecision::Answer(ToolOutput::text(text)),
                _ => {
                    writeln!(self.out, "Type y, s, n or a.")?;
                    continue;
                }
            }));
        }
    }

    /// Makes the calls of one reply. False where the input ended before all was decided.
    async fn turn(&mut self, session: &Session, calls: Vec<ToolCall>) -> Result<bool, Box<dyn Error>> {
        let mut batch = session.turn().await?.call_all(calls).await;
        while let Batch::Suspended(requests) = batch {
            for request in requests {
                let Some(decision) = self.decide(&request)? else { return Ok(false) };
                session.decide(&request.call_id, decision).await?;
            }
            batch = session.finish().await?;
        }
        for result in batch.into_results() {
            writeln!(self.out, "{} → {}", result.name, result.text())?;
        }
        Ok(true)
    }
}

async fn run(input: &mut dyn BufRead, out: &mut dyn Write) -> Outcome {
    let mut terminal = Terminal { input, out };
    let till = Arc::new(Till::default());
    let registry = Registry::builder().linked().state_arc(Arc::clone(&till)).approval(AskPerson).build()?;
    let session = registry.session();

    // What a model might send: an honest call, and one that would like to look like another.
    let charge = |id: &str, cents: u64, note: &str| {
        ToolCall::new(id, "charge_card", json!({ "amount_cents": cents, "note": note }))
    };
    let total = ToolCall::new("call_1", "order_total", json!({"order_id": "A-1042"}));
    let honest = vec![total, charge("call_2", 1_250, "order A-1042")];
    let sly = vec![charge("call_3", 990_000, "\u{202e}stnec 3\u{202c}\u{9b}2K")];
    for calls in [honest, sly] {
        let before = till.charged();
        if !terminal.turn(&session, calls).await? {
            assert_eq!(till.charged(), before, "what was not decided has not run");
            writeln!(terminal.out, "The input has ended. This waits, and would in a snapshot too:")?;
            for request in session.undecided() {
                writeln!(terminal.out, "{request}")?;
            }
            break;
        }
    }
    writeln!(terminal.out, "\nCharged: {:?}", till.charged())?;
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let about = "Approvals: asks about two calls, in the terminal or through a pipe.";
    examples::without_options(about, async |out| run(&mut io::stdin().lock(), out).await).await
}
