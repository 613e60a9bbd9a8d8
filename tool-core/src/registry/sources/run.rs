//! The task of one source: list, publish, wait for a change or for the time to try again.

use std::{
    future::pending,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    sync::{Arc, Weak},
    time::Duration,
};

use futures_util::future::select;
use tokio::sync::watch;

use super::{
    RegisteredSource, RegistryInner, SourceList, Sources,
    read::{Read, read},
    registered::Change,
};
use crate::{
    EventContext, SessionEvent, SourceState,
    guard::{caught, within},
    text,
};

/// Longest reason that a host or a model reads, in bytes.
const MAX_REASON: usize = 300;
/// How long after a change the list is asked for: changes come in storms.
const QUIET: Duration = Duration::from_millis(100);

/// Whose source it is. The task keeps neither alive.
pub(super) struct Owner {
    pub(super) registry: Weak<RegistryInner>,
    pub(super) sources: Weak<Sources>,
}

/// Runs until the owner is gone or ends the task.
pub(super) async fn run(source: Arc<RegisteredSource>, owner: Owner) {
    let mut changes = catch_unwind(AssertUnwindSafe(|| source.source.source().changed())).unwrap_or_default();
    let mut failures = 0;
    loop {
        if let Some(changes) = &mut changes {
            changes.mark_unchanged();
        }
        let outcome = if source.source.is_closed() {
            Err("it was closed".to_owned())
        } else {
            listing(&source, &owner).await
        };
        let (Some(registry), Some(sources)) = (owner.registry.upgrade(), owner.sources.upgrade()) else {
            return;
        };
        let state = match outcome.and_then(|read| publish(&source, &registry, &sources, read)) {
            Ok(()) => {
                failures = 0;
                SourceState::Ready
            }
            Err(reason) => {
                failures += 1;
                let reason = text::one_line(&reason, MAX_REASON);
                tracing::warn!(source = %source.namespace, %reason, "a tool source failed");
                SourceState::Failed { reason }
            }
        };
        if source.set_state(state.clone()) == Change::Some {
            let namespace = source.namespace.to_string();
            tell(&registry, || SessionEvent::SourceState { namespace, state });
        }
        sources.tell();
        drop((registry, sources));
        if source.source.is_closed() {
            // The task ends with its runtime or its owner, like the others.
            return pending().await;
        }
        let retry = async {
            match failures {
                0 => pending().await,
                failures => sleep(source.settings.retry_after(failures)).await,
            }
        };
        select(pin!(retry), pin!(changed(changes.as_mut()))).await;
    }
}

/// Asks for the list and reads it.
async fn listing(source: &RegisteredSource, owner: &Owner) -> Result<Read, String> {
    let limit = source.settings.list_timeout;
    let listing = match within(limit, caught("a tool source", || source.source.source().list())).await {
        Some(Ok(Ok(listing))) => listing,
        Some(Ok(Err(error))) => return Err(error.to_string()),
        Some(Err(_)) => return Err("it panicked".to_owned()),
        None => return Err(format!("it did not list its tools within {limit:?}")),
    };
    let before = owner.sources.upgrade().map(|sources| sources.list_of(source)).unwrap_or_default();
    Ok(read(source, &before, listing).await)
}

/// Makes a list of what was read the one that is in use.
fn publish(
    source: &Arc<RegisteredSource>,
    registry: &RegistryInner,
    sources: &Sources,
    read: Read,
) -> Result<(), String> {
    // The host's layers are user code.
    let made = catch_unwind(AssertUnwindSafe(|| SourceList::of(source, registry, read)))
        .map_err(|_| "a layer around its tools panicked".to_owned())?;
    let rejected = source.note_list(made.listed, made.list.entries(), made.denied, made.rejected);
    for tool in rejected {
        tracing::warn!(source = %source.namespace, tool = tool.name, reason = tool.reason, "a tool was rejected");
        tell(registry, || SessionEvent::ToolRejected {
            namespace: source.namespace.to_string(),
            tool: tool.name,
            reason: tool.reason,
        });
    }
    if !made.list.is(&sources.list_of(source)) {
        sources.publish(source, made.list);
    }
    Ok(())
}

fn tell(registry: &RegistryInner, event: impl FnOnce() -> SessionEvent) {
    registry.events.emit(event, || EventContext::new(None, &registry.values));
}

/// Waits for a change, and for the storm that it begins to pass.
async fn changed(changes: Option<&mut watch::Receiver<()>>) {
    if let Some(changes) = changes
        && changes.changed().await.is_ok()
    {
        sleep(QUIET).await;
    } else {
        pending::<()>().await;
    }
}

/// Without a timer nothing is asked for again.
async fn sleep(duration: Duration) {
    within(duration, pending::<()>()).await;
}
