//! A person's word about a call, and how far it carries.

use crate::ask::{ApprovalRequest, ApprovalState, PATIENCE};
use crate::tasks::until_deadline;
use crate::{Error, Gateway};
use parking_lot::Mutex;
use std::collections::HashMap;
use toolscout_core::authorization::AuthorizationError;
use toolscout_core::{Cx, Digest, Moment, ToolCall, ToolOutput};

/// More calls that a tool has not finished with are not kept track of: then a person is asked once more.
const MAX_UNFINISHED: usize = 1_000;

/// Yeses to calls that their tools have not finished with.
///
/// A tool may answer that it wants to have something first; then the same call is made again with it, and the person who
/// was asked about the call should not be asked about it again. So the yes is remembered, and this is why nothing slips
/// through:
///
/// - It is remembered only when a call that a person had said yes to was made, and its tool answered that it wants
///   something. Nobody else can put one here.
/// - It is found only under everything that the question was about: caller, user, whose the request is, tool, definition,
///   arguments, words for the program, all under the store's secret. Change one byte and it is another call, about which nobody said anything.
/// - And only under the state that this very answer said to bring along, so that it is for going on with that run, and not
///   for beginning another one, nor for going on with that of somebody else who was told the same.
/// - Whoever finds it takes it: of two who go on at once, one is asked. It comes back only if the tool wants something
///   again; a result, a failure, a call that was dropped use it up.
/// - It is as old as the yes, however often the tool wants something: five minutes after the person spoke they are asked
///   again.
/// - Policies, reviews and trust are looked at before it and after it, as they are then: it stands in for a person's
///   answer, and for nothing else.
///
/// It is kept in memory: another process asks again.
#[derive(Default)]
pub(crate) struct UnfinishedApprovals {
    yeses: Mutex<HashMap<ApprovalKey, Moment>>,
}

/// What a yes is about, and the state of the run that it is for.
type ApprovalKey = (String, Option<Digest>);

/// A person has said yes to a call.
pub(crate) struct GrantedApproval {
    /// What it is about; none where the store has no secret to say that with.
    binding: Option<String>,
    given: Moment,
}

impl UnfinishedApprovals {
    /// Remembers the yes, if the call that was made with it is to be made again.
    pub(crate) fn keep(&self, yes: GrantedApproval, output: &ToolOutput, now: Moment) {
        let (true, Some(binding)) = (output.wants_input(), yes.binding) else { return };
        let mut yeses = self.yeses.lock();
        yeses.retain(|_, given| counts(*given, now));
        if yeses.len() < MAX_UNFINISHED {
            yeses.insert(place(binding, output.state().as_deref()), yes.given);
        }
    }

    /// The moment of the yes to what this call goes on with; from now on it is not there any more.
    fn take(&self, call: &ToolCall, binding: &str, now: Moment) -> Option<Moment> {
        let resume = call.resume.as_ref()?;
        let given = self.yeses.lock().remove(&place(binding.to_owned(), resume.state.as_deref()))?;
        counts(given, now).then_some(given)
    }
}

/// A clock that was set back must not prolong a yes.
fn counts(given: Moment, now: Moment) -> bool {
    given <= now && now < given.after(PATIENCE)
}

fn place(binding: String, state: Option<&str>) -> ApprovalKey {
    (binding, state.map(|it| Digest::of_bytes(it.as_bytes())))
}

impl Gateway {
    /// Has a person say yes to this very call: they did so before, where the call only goes on; right away, where one can
    /// be asked; else by an answer that waits.
    pub(crate) async fn consent(&self, call: &ToolCall, digest: Digest, cx: &Cx) -> Result<GrantedApproval, Error> {
        let questions = &self.pending_approvals;
        let asking = ApprovalRequest { call, definition: digest, cx, keys: self.requests.keys(cx) };
        let binding = questions.binding(&asking).ok();
        let before = binding.as_deref().and_then(|it| self.unfinished_approvals.take(call, it, questions.now()));
        if let Some(given) = before {
            return Ok(GrantedApproval { binding, given });
        }
        let denied =
            |because: &str| AuthorizationError::Denied { tool: call.tool.to_string(), because: because.to_owned() };
        let unanswered = |question| AuthorizationError::NeedsApproval { tool: call.tool.to_string(), question };
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
