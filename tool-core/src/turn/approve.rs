//! Asks the host's policy about the calls that need it: all at once, after the gate, before anything runs.

use std::sync::Arc;

use futures_util::future::join_all;

use super::{
    View, announce,
    batch::{Allowed, place},
    run::context_of,
};
use crate::{
    Approval, ApprovalDecision, ApprovalRequest, CallOutcome, CallResult, SessionEvent, ToolCall, ToolName,
    approval::Approvals,
    guard::{caught, within},
    registry::Entry,
    session::{Change, SessionCore, WaitingCall},
    text,
};

/// Longest reason that the model reads, in bytes.
const MAX_REASON: usize = 1_000;

/// The calls that may run, and those that wait.
pub(super) struct Approved {
    pub(super) allowed: Vec<Allowed>,
    pub(super) waiting: Vec<WaitingCall>,
}

pub(super) async fn all(
    core: &Arc<SessionCore>,
    view: &Arc<View>,
    calls: Vec<Allowed>,
    results: &mut [Option<CallResult>],
) -> Approved {
    let Some(approvals) = &core.registry.inner().approvals else {
        return Approved { allowed: calls, waiting: Vec::new() };
    };
    let mut approved = Approved { allowed: Vec::with_capacity(calls.len()), waiting: Vec::new() };
    let mut asked = Vec::new();
    for call in calls {
        if needs_approval(core, &call.entry) {
            asked.push(call);
        } else {
            approved.allowed.push(call);
        }
    }
    let decisions = join_all(asked.into_iter().map(|call| async {
        let request = request(&call);
        let decision = decide(core, view, approvals, &call, &request).await;
        (call, request, decision)
    }));
    for (call, request, decision) in decisions.await {
        match decision {
            ApprovalDecision::Suspend => {
                core.emit(|| SessionEvent::Suspended {
                    call_id: request.call_id.clone(),
                    tool: request.tool.clone(),
                });
                let Allowed { index, call, .. } = call;
                approved.waiting.push(WaitingCall::new(index, call, request));
            }
            decision => match apply(core, view, &call.call, &request, decision) {
                Some(result) => place(results, call.index, result),
                None => approved.allowed.push(call),
            },
        }
    }
    // Discovery calls act in call order, whoever was asked about them.
    approved.allowed.sort_by_key(|call| call.index);
    approved
}

pub(super) fn needs_approval(core: &SessionCore, entry: &Entry) -> bool {
    entry.options.approval == Approval::Required && !core.state.is_approved(entry.name(), entry.fingerprint())
}

fn request(call: &Allowed) -> ApprovalRequest {
    // Calls without an id are decided one by one too.
    let call_id = match call.call.id.as_str() {
        "" => uuid::Uuid::new_v4().to_string(),
        id => id.to_owned(),
    };
    ApprovalRequest::new(
        call_id,
        call.entry.name().clone(),
        call.call.arguments.clone(),
        call.entry.fingerprint().clone(),
    )
}

/// What a decision other than `Suspend` means: a result, or `None` for a call that may run.
pub(super) fn apply(
    core: &Arc<SessionCore>,
    view: &View,
    call: &ToolCall,
    request: &ApprovalRequest,
    decision: ApprovalDecision,
) -> Option<CallResult> {
    match decision {
        ApprovalDecision::AllowOnce => None,
        ApprovalDecision::AllowForSession => {
            core.commit([Change::Approve(request.tool.clone(), request.fingerprint.clone())]);
            None
        }
        ApprovalDecision::Deny { reason } => Some(not_approved(core, view, call, &request.tool, &reason)),
        ApprovalDecision::Suspend => Some(not_approved(core, view, call, &request.tool, "no decision")),
        ApprovalDecision::Answer(output) => {
            let (call_id, tool) = (&call.id, &request.tool);
            core.emit(|| SessionEvent::Answered { call_id: call_id.clone(), tool: tool.clone() });
            Some(CallResult::new(call.id.clone(), call.name.clone(), CallOutcome::Succeeded(output)))
        }
    }
}

/// The result of a call that was not approved, told to the host with the dead end that it may be in this view.
pub(super) fn not_approved(
    core: &Arc<SessionCore>,
    view: &View,
    call: &ToolCall,
    tool: &ToolName,
    reason: &str,
) -> CallResult {
    let reason = text::one_line(reason, MAX_REASON);
    let text = format!("Tool '{tool}' was not approved: {reason}");
    core.emit(|| SessionEvent::NotApproved { call_id: call.id.clone(), tool: tool.clone(), reason });
    announce::not_approved(core, view, tool);
    CallResult::new(call.id.clone(), call.name.clone(), CallOutcome::NotApproved(text))
}

/// Asks the policy; one that panics or is late means deny.
async fn decide(
    core: &Arc<SessionCore>,
    view: &Arc<View>,
    approvals: &Approvals,
    call: &Allowed,
    request: &ApprovalRequest,
) -> ApprovalDecision {
    let context = context_of(core, view, &call.call, &call.entry);
    let failed = |what: &str| {
        tracing::warn!(tool = %request.tool, "the approval policy {what}: taken as deny");
        ApprovalDecision::deny("the approval could not be asked for")
    };
    let asked = caught("the approval policy", || approvals.policy.decide(request, &context));
    match within(approvals.timeout, asked).await {
        Some(Ok(decision)) => decision,
        Some(Err(_)) => failed("panicked"),
        None => failed("was late"),
    }
}
