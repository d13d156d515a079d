//! The approval of a call, and how long it remains valid.

use crate::pending_approvals::{APPROVAL_LIFETIME, ApprovalRequest, ApprovalState, MAX_ARGUMENTS};
use crate::tasks::until_deadline;
use crate::{Error, Gateway};
use parking_lot::Mutex;
use std::collections::HashMap;
use toolscout_core::authorization::AuthorizationError;
use toolscout_core::cx::ApprovalAnswer;
use toolscout_core::{Cx, Digest, Moment, SourceError, ToolCall, ToolOutput};

/// Maximum number of approvals for unfinished calls. Beyond that, the user has to approve such a
/// call again.
const MAX_UNFINISHED: usize = 1_000;

/// Approvals of calls that their tools have not finished.
///
/// A tool may answer that it needs input first. The client then repeats the same call with that
/// input, and the user who approved the call should not have to approve it again. So the approval
/// is remembered. It cannot be misused, because:
///
/// - It is stored only after an approved call was made and its tool answered that it needs input.
///   There is no other way to add one.
/// - It is found only under everything that the approval is bound to: caller, user, request keys,
///   tool, definition, arguments and program arguments, all hashed with the store's secret. If one
///   byte changes, it is a different call without an approval.
/// - It is also bound to the state that this very answer returned. It continues that run; it cannot
///   start another run, or continue the run of another caller that received the same answer.
/// - A lookup removes it: of two concurrent continuations, one needs a new approval. It is stored
///   again only if the tool needs input again; a result, a failure or a dropped call uses it up.
/// - It keeps the age of the approval, however often the tool needs input: five minutes after the
///   user approved, or after a decision in the store was used, the call needs a new approval.
/// - Policies, reviews and trust are checked before and after it, with their values at that time:
///   it replaces the user's approval, and nothing else.
///
/// It is kept in memory: another process requests approval again.
#[derive(Default)]
pub(crate) struct UnfinishedApprovals {
    by_key: Mutex<HashMap<ApprovalKey, Moment>>,
}

/// The binding of an approval, and the digest of the state of the run that it continues.
type ApprovalKey = (String, Option<Digest>);

/// The approval of a call.
pub(crate) struct GrantedApproval {
    /// The keyed hash of the call; `None` if the store has no secret for it.
    binding: Option<String>,
    granted_at: Moment,
}

impl UnfinishedApprovals {
    /// Stores the approval, if the tool needs input and the client has to repeat the call.
    pub(crate) fn store_if_unfinished(
        &self,
        approval: GrantedApproval,
        output: &ToolOutput,
        now: Moment,
    ) {
        let (true, Some(binding)) = (output.wants_input(), approval.binding) else { return };
        let mut by_key = self.by_key.lock();
        by_key.retain(|_, granted_at| is_valid(*granted_at, now));
        if by_key.len() < MAX_UNFINISHED {
            by_key.insert(approval_key(binding, output.state().as_deref()), approval.granted_at);
        }
    }

    /// Removes the approval of the run that this call continues, and returns its time.
    fn take(&self, call: &ToolCall, binding: &str, now: Moment) -> Option<Moment> {
        let resume = call.resume.as_ref()?;
        let granted_at = self
            .by_key
            .lock()
            .remove(&approval_key(binding.to_owned(), resume.state.as_deref()))?;
        is_valid(granted_at, now).then_some(granted_at)
    }
}

/// Whether the approval is still valid. Setting the clock back must not prolong it.
fn is_valid(granted_at: Moment, now: Moment) -> bool {
    granted_at <= now && now < granted_at.after(APPROVAL_LIFETIME)
}

fn approval_key(binding: String, state: Option<&str>) -> ApprovalKey {
    (binding, state.map(|state| Digest::of_bytes(state.as_bytes())))
}

/// The person that a prompt reaches, in the words of the audit log.
fn prompted_person(cx: &Cx) -> String {
    if cx.caller.is_user() {
        return cx.decider();
    }
    format!("client {} through elicitation", cx.client.as_deref().unwrap_or("without a name"))
}

fn too_many_pending(call: &ToolCall) -> SourceError {
    let minutes = APPROVAL_LIFETIME.as_secs() / 60;
    let what = format!(
        "busy, retry after {minutes} min: too many calls of this client wait for approval; \
         an operator can decide them with `toolscout approve`"
    );
    SourceError::Busy { id: call.tool.source.clone(), what, after: Some(APPROVAL_LIFETIME) }
}

impl Gateway {
    /// Obtains the approval of exactly this call: an earlier one if the call continues a run, an
    /// immediate one if the client can ask the user, or else a decision about a pending approval.
    pub(crate) async fn obtain_approval(
        &self,
        call: &ToolCall,
        digest: Digest,
        cx: &Cx,
    ) -> Result<GrantedApproval, Error> {
        let approvals = &self.pending_approvals;
        let request =
            ApprovalRequest { call, definition: digest, cx, keys: self.requests.keys(cx) };
        let binding = approvals.binding(&request).ok();
        let earlier = binding
            .as_deref()
            .and_then(|binding| self.unfinished_approvals.take(call, binding, approvals.now()));
        if let Some(granted_at) = earlier {
            return Ok(GrantedApproval { binding, granted_at });
        }
        let denied = |because: &str| AuthorizationError::Denied {
            tool: call.tool.to_string(),
            reason: because.to_owned(),
        };
        let undecided = |approval_id| AuthorizationError::NeedsApproval {
            tool: call.tool.to_string(),
            approval_id,
        };
        let emit = |action, by: &str| cx.emit_decision_by("call", &call.tool, action, by);
        let mut pending = approvals.to_pending_approval(&request);
        if let (Some(_), Some(ApprovalAnswer::Given { approval_id, is_approved })) =
            (&cx.approval_prompt, &cx.approval_answer)
        {
            // The answer is that to another question if anything of the call has changed.
            let state = if **approval_id == pending.id {
                approvals.use_answer(&request, *is_approved)
            } else {
                ApprovalState::NotRecorded
            };
            let by = prompted_person(cx);
            return match state {
                ApprovalState::Approved => {
                    emit("approved", &by);
                    Ok(GrantedApproval { binding, granted_at: approvals.now() })
                }
                ApprovalState::Rejected => {
                    emit("rejected", &by);
                    Err(denied("because the user rejected this call").into())
                }
                _ => Err(undecided(None).into()),
            };
        }
        let is_awaited = cx.approval_answer == Some(ApprovalAnswer::Awaited);
        if let Some(prompt) = cx.approval_prompt.as_ref().filter(|_| is_awaited) {
            match approvals.take_decision(&request) {
                ApprovalState::Pending => {
                    emit("requested", &format!("the policy, as approval {}", pending.id));
                    prompt(pending.clone()).await;
                    return Err(undecided(Some(pending.id)).into());
                }
                // The client can answer to this process alone.
                ApprovalState::NotRecorded => pending.id.clear(),
                decided => return self.conclude(decided, &request, binding, pending.id),
            }
        }
        if let Some(prompt) = &cx.approval_prompt {
            emit("requested", "the policy");
            let by = prompted_person(cx);
            match until_deadline(cx, prompt(pending.clone())).await {
                Some(true) => {
                    emit("approved", &by);
                    return Ok(GrantedApproval { binding, granted_at: approvals.now() });
                }
                Some(false) => {
                    emit("rejected", &by);
                    return Err(denied("because the user rejected this call").into());
                }
                None => {}
            }
        }
        let mut state = approvals.take_decision(&request);
        if state == ApprovalState::Pending {
            emit("requested", &format!("the policy, as approval {}", pending.id));
            let wait = self.catalog().policies.ask_wait;
            let wait = cx.remaining().map_or(wait, |remaining| wait.min(remaining));
            if !wait.is_zero() {
                state = approvals.wait_for_decision(&request, wait).await;
            }
        }
        self.conclude(state, &request, binding, pending.id)
    }

    /// The result of a decision, or of its absence.
    fn conclude(
        &self,
        state: ApprovalState,
        request: &ApprovalRequest<'_>,
        binding: Option<String>,
        approval_id: String,
    ) -> Result<GrantedApproval, Error> {
        let ApprovalRequest { call, cx, .. } = request;
        let tool = || call.tool.to_string();
        let denied = |reason: String| AuthorizationError::Denied { tool: tool(), reason };
        let undecided =
            |approval_id| AuthorizationError::NeedsApproval { tool: tool(), approval_id };
        Err(match state {
            ApprovalState::Approved => {
                cx.emit_decision_by("call", &call.tool, "allowed", "an earlier approval");
                let granted_at = self.pending_approvals.now();
                return Ok(GrantedApproval { binding, granted_at });
            }
            ApprovalState::Rejected => {
                denied("because a user rejected this call".to_owned()).into()
            }
            ApprovalState::Pending => undecided(Some(approval_id)).into(),
            ApprovalState::TooMany => too_many_pending(call).into(),
            ApprovalState::TooLarge => {
                let limit = MAX_ARGUMENTS / 1024;
                denied(format!(
                    "because its arguments are longer than {limit} KiB, too long for a review"
                ))
                .into()
            }
            ApprovalState::NotRecorded => undecided(None).into(),
        })
    }
}
