//! Kill and continue: a conversation whose call waits for a person goes on in another process, and the call runs once.
//!
//! Look at `part.rs`: it is all that a host does, and in which order. Three processes play the conversation, each a run of
//! this program: the first finds a tool and leaves a charge waiting, the second lets it run, the third answers. The first
//! two are killed at the worst moment: before anybody decided, and when the charge was made but is in no message yet.
//!
//! `cargo run --example resume`, with `-- --store file:PATH`, or, with `-p examples --features redis`,
//! `-- --store redis://127.0.0.1`.

mod args;
mod host;
mod part;
mod shop;

use std::{
    env,
    io::{self, BufRead, BufReader, Write},
    process::{Child, Command, ExitCode, Stdio},
};

use args::Args;
use examples::Outcome;
use host::{Folder, Host};
use part::{Part, WAITS_TO_BE_KILLED};
use tool_core::{Batch, Message, ResultStatus};

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    examples::exit_code(run().await)
}

async fn run() -> Outcome {
    let Some(args) = Args::read()? else { return Ok(write!(io::stdout(), "{}", args::HELP)?) };
    if let Some((part, folder)) = &args.part {
        return part.play(&Host::new(&args, folder).await?).await;
    }
    let folder = Folder::new()?;
    let host = Host::new(&args, folder.path()).await?;
    let outcome = watch(&args, &host, &mut io::stdout().lock()).await;
    host.store.delete(&host.key).await?;
    outcome
}

/// Starts the processes, kills them, and looks at what they leave.
async fn watch(args: &Args, host: &Host, out: &mut dyn Write) -> Outcome {
    let has_charge = |messages: &[Message]| {
        messages.iter().any(|message| matches!(message, Message::Tool { name, .. } if name == "charge_card"))
    };
    process(Part::Ask, args, host, out)?;
    assert_eq!(shop::log(&host.folder)?, "", "nothing has run");

    process(Part::Decide, args, host, out)?;
    assert_eq!(shop::log(&host.folder)?, "charge_card 1250\n");
    assert!(!has_charge(&host.messages()?), "only the store knows of it");

    process(Part::Answer, args, host, out)?;
    assert_eq!(shop::log(&host.folder)?, "charge_card 1250\n", "it ran once, and nothing else did");
    let messages = host.messages()?;
    let done = |name: &str| {
        let done = |message: &&Message| matches!(message, Message::Tool { name: of, status: ResultStatus::Succeeded, .. } if of == name);
        messages.iter().filter(done).count()
    };
    assert_eq!((done("tool_search"), done("charge_card")), (1, 1));
    assert_eq!(messages.len(), 6, "input, search, hits, charge, receipt, answer");

    let registry = shop::registry(&host.folder)?;
    let (session, _) = registry.session().open(&host.store, &host.key).await?;
    assert_eq!(session.revealed(), ["charge_card"]);
    let nothing = session.finish().await?;
    assert!(matches!(&nothing, Batch::Done(results) if results.is_empty()), "{nothing:?}");
    writeln!(out, "Charged once: {}", shop::log(&host.folder)?.trim_end())?;
    Ok(())
}

/// Runs one process until it ends, or says that it waits to be killed.
fn process(part: Part, args: &Args, host: &Host, out: &mut dyn Write) -> Outcome {
    let mut command = Command::new(env::current_exe()?);
    command.arg("--part").arg(part.name()).arg("--folder").arg(&host.folder);
    if let Some(store) = &args.store {
        command.arg("--store").arg(store);
    }
    // It reads its input while it waits: if this process ends, so does it.
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let is_killed = listen(&mut child, out)?;
    let status = child.wait()?;
    match part {
        Part::Ask | Part::Decide if is_killed && !status.success() => Ok(()),
        Part::Answer if !is_killed && status.success() => Ok(()),
        _ => Err(format!("the process `{}` ended with {status}", part.name()).into()),
    }
}

/// Says whether it killed the process.
fn listen(child: &mut Child, out: &mut dyn Write) -> io::Result<bool> {
    let id = child.id();
    let Some(output) = child.stdout.take() else { return Ok(false) };
    for line in BufReader::new(output).lines() {
        let line = line?;
        writeln!(out, "[{id}] {line}")?;
        if line == WAITS_TO_BE_KILLED {
            child.kill()?;
            writeln!(out, "[{id}] is killed\n")?;
            return Ok(true);
        }
    }
    writeln!(out)?;
    Ok(false)
}
