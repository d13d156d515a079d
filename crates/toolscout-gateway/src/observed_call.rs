//! A running call that emits exactly one event when it ends or is cancelled.

use crate::{CatalogView, Error};
use toolscout_core::authorization::AuthorizationError;
use toolscout_core::event::{CallEvent, CallOutcome, CallStart, EventKind, PendingEvent};
use toolscout_core::{Tool, ToolCall, ToolOutput};

/// A running call. Dropping it before [`finish`](Self::finish) reports the call as cancelled.
pub(crate) struct ObservedCall(Option<(PendingEvent, CallEvent)>);

impl ObservedCall {
    /// Collects nothing if there are no observers.
    pub(crate) fn new(view: &CatalogView, call: &ToolCall, pending: PendingEvent) -> Self {
        Self(pending.is_observed().then(|| {
            let standing = view.tool(&call.tool).ok().map(|(_, standing)| standing);
            let event = CallEvent {
                tool: call.tool.clone(),
                digest: standing.map(|standing| standing.facts.digest()),
                arguments: call.arguments.clone(),
                policy: standing.map(|standing| standing.decision.policy),
                outcome: CallOutcome::Cancelled,
            };
            (pending, event)
        }))
    }

    /// Reports that the call is about to reach this tool, unless the tool only reads. If the process
    /// is killed during the call, this is the only trace of it.
    pub(crate) fn start(&self, tool: &Tool) {
        let Some((pending, event)) = self.0.as_ref().filter(|_| !tool.is_read_only()) else {
            return;
        };
        pending.announce(|| {
            EventKind::CallStarted(CallStart { tool: event.tool.clone(), digest: event.digest })
        });
    }

    pub(crate) fn finish(mut self, output: &Result<ToolOutput, Error>) {
        if let Some((_, event)) = &mut self.0 {
            event.outcome = outcome(output);
        }
    }
}

impl Drop for ObservedCall {
    fn drop(&mut self) {
        if let Some((pending, event)) = self.0.take() {
            pending.finish(|| EventKind::Call(event));
        }
    }
}

fn outcome(output: &Result<ToolOutput, Error>) -> CallOutcome {
    match output {
        Err(Error::Refused(AuthorizationError::NeedsApproval { .. })) => CallOutcome::Pending,
        Err(error) => CallOutcome::Failed { kind: error.kind(), message: error.to_string() },
        Ok(output) if output.wants_input() => CallOutcome::InputRequired,
        Ok(output) if output.is_error() => CallOutcome::ToolError(output.raw().as_str().len()),
        Ok(output) => CallOutcome::Succeeded(output.raw().as_str().len()),
    }
}
