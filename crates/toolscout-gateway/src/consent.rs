//! The approval of a call, and how long it remains valid.

use crate::ask::{ApprovalRequest, ApprovalState, PATIENCE};
use crate::tasks::until_deadline;
use crate::{Error, Gateway};
use parking_lot::Mutex;
use std::collections::HashMap;
use toolscout_core::authorization::AuthorizationError;
use toolscout_core::{Cx, Digest, Moment, ToolCall, ToolOutput};

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
    yeses: Mutex<HashMap<ApprovalKey, Moment>>,
}

/// The binding of an approval, and the digest of the state of the run that it continues.
type ApprovalKey = (String, Option<Digest>);

/// The approval of a call.
pub(crate) struct GrantedApproval {
    /// The keyed hash of the call; `None` if the store has no secret for it.
    binding: Option<String>,
    given: Moment,
}

impl UnfinishedApprovals {
    /// Stores the approval, if the tool needs input and the client has to repeat the call.
    pub(crate) fn keep(&self, yes: GrantedApproval, output: &ToolOutput, now: Moment) {
        let (true, Some(binding)) = (output.wants_input(), yes.binding) else { return };
        let mut yeses = self.yeses.lock();
        yeses.retain(|_, given| counts(*given, now));
        if yeses.len() < MAX_UNFINISHED {
            yeses.insert(place(binding, output.state().as_deref()), yes.given);
        }
    }

    /// Removes the approval of the run that this call continues, and returns its time.
    fn take(&self, call: &ToolCall, binding: &str, now: Moment) -> Option<Moment> {
        let resume = call.resume.as_ref()?;
        let given =
            self.yeses.lock().remove(&place(binding.to_owned(), resume.state.as_deref()))?;
        counts(given, now).then_some(given)
    }
}

/// Whether the approval is still valid. Setting the clock back must not prolong it.
fn counts(given: Moment, now: Moment) -> bool {
    given <= now && now < given.after(PATIENCE)
}

fn place(binding: String, state: Option<&str>) -> ApprovalKey {
    (binding, state.map(|it| Digest::of_bytes(it.as_bytes())))
}

impl Gateway {
    /// Obtains the approval of exactly this call: an earlier one if the call continues a run, an
    /// immediate one if the client can ask the user, or else a decision about a pending approval.
    pub(crate) async fn consent(
        &self,
        call: &ToolCall,
        digest: Digest,
        cx: &Cx,
    ) -> Result<GrantedApproval, Error> {
        let questions = &self.pending_approvals;
        let asking = ApprovalRequest { call, definition: digest, cx, keys: self.requests.keys(cx) };
        let binding = questions.binding(&asking).ok();
        let before = binding
            .as_deref()
            .and_then(|it| self.unfinished_approvals.take(call, it, questions.now()));
        if let Some(given) = before {
            return Ok(GrantedApproval { binding, given });
        }
        let denied = |because: &str| AuthorizationError::Denied {
            tool: call.tool.to_string(),
            because: because.to_owned(),
        };
        let unanswered =
            |question| AuthorizationError::NeedsApproval { tool: call.tool.to_string(), question };
        let tell = |word, by: &str| cx.decided_by("call", &call.tool, word, by);
        let question = questions.of(&asking);
        if let Some(asker) = &cx.asker {
            tell("asked", "the policy");
            match until_deadline(cx, asker(question.clone())).await {
                Some(true) => {
                    tell("allowed", "the person who was asked");
                    return Ok(GrantedApproval { binding, given: questions.now() });
                }
                Some(false) => {
                    tell("denied", "the person who was asked");
                    return Err(denied("by the person who was asked").into());
                }
                None => {}
            }
        }
        match questions.word(&asking) {
            ApprovalState::Yes => {
                tell("allowed", "an answer that waited");
                Ok(GrantedApproval { binding, given: questions.now() })
            }
            ApprovalState::No => Err(denied("by a person").into()),
            ApprovalState::Waiting => {
                tell("asked", &format!("the policy, as question {}", question.id));
                Err(unanswered(Some(question.id)).into())
            }
            ApprovalState::Unkept => Err(unanswered(None).into()),
        }
    }
}
