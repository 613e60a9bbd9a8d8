//! What each process does. The order is the point: messages are saved before the session, and `decide` and `finish` (here
//! within `agent.resume`) save before anything runs.

use std::{
    io::{self, Read, Write},
    process,
};

use examples::Outcome;
use tool_core::{Agent, ApprovalDecision, RunOptions, StopReason};

use crate::{host::Host, shop};

/// The last line of a process that does no more by itself.
pub(crate) const WAITS_TO_BE_KILLED: &str = "waits to be killed";

/// One process of the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Takes the input, and leaves a call waiting.
    Ask,
    /// Allows the call, and is killed when it has run.
    Decide,
    /// Goes on from there.
    Answer,
}

impl Part {
    const ALL: [Self; 3] = [Self::Ask, Self::Decide, Self::Answer];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Decide => "decide",
            Self::Answer => "answer",
        }
    }

    pub(crate) fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|part| part.name() == name)
    }

    pub(crate) async fn play(self, host: &Host) -> Outcome {
        let registry = shop::registry(&host.folder)?;
        let agent = Agent::builder(shop::model()).registry(registry.clone()).build()?;
        let (session, report) = registry.session().open(&host.store, &host.key).await?;
        assert!(report.is_complete(), "{report:?}");
        println!("opens the conversation: revealed {:?}", session.revealed());
        let mut conversation = agent.conversation(session)?.with_messages(host.messages()?);

        match self {
            Self::Ask => {
                let run = agent.continue_run(&mut conversation, "Charge 12.50 to my card.").await?;
                let StopReason::AwaitingApproval(waiting) = run.stop_reason else {
                    return Err(format!("no call waits: {}", run.stop_reason).into());
                };
                host.save(&conversation).await?;
                for request in waiting {
                    println!("this waits for a person: {request}");
                }
                wait_to_be_killed()
            }
            Self::Decide => {
                for request in conversation.session().undecided() {
                    println!("the person allows: {request}");
                    conversation.session().decide(&request.call_id, ApprovalDecision::AllowOnce).await?;
                }
                // The charge is made and its result is in the store, and the host never gets to save its messages.
                let killed = RunOptions::new().before_request(|_| {
                    println!("made the charge, and would ask the model now");
                    wait_to_be_killed();
                });
                let run = agent.resume(&mut conversation).options(killed).await?;
                Err(format!("the model was not asked: {}", run.stop_reason).into())
            }
            Self::Answer => {
                let run = agent.resume(&mut conversation).await?;
                println!("the model answers: {}", run.text);
                host.save(&conversation).await
            }
        }
    }
}

/// Nothing is saved, flushed or dropped after this.
fn wait_to_be_killed() -> ! {
    println!("{WAITS_TO_BE_KILLED}");
    // Ends where the process that kills is gone itself.
    let _ = io::stdout().flush().and_then(|()| io::stdin().read(&mut [0]));
    process::exit(1)
}
