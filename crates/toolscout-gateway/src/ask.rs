//! Calls that need a person's word: asked here, answered elsewhere, used once.
//!
//! A question is bound to who asks, the tool, its definition and the exact arguments; change one byte and it is another
//! question. It waits in the store for five minutes, so that it may be answered from another process; a yes counts for
//! five minutes and for one call.

mod row;

use crate::requests::RequestKeys;
use crate::seal::RowSeal;
use crate::{Approvals, Error};
use row::ApprovalRow;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use toolscout_core::authorization::PendingApproval;
use toolscout_core::{Cx, Digest, Moment, Namespace, RawJson, Store, StoreError, ToolCall, digest, redact};

const PURPOSE: &str = "toolscout approvals of calls";
/// How long a question waits, and how long a yes counts.
pub const PATIENCE: Duration = Duration::from_secs(5 * 60);
/// An agent that asks for more at once is not kept track of; nobody would read them all.
const MAX_WAITING: usize = 100;
const ATTEMPTS: usize = 64;

/// The questions of one project.
#[derive(Clone)]
pub(crate) struct PendingApprovals {
    store: Arc<dyn Store>,
    partition: Arc<str>,
    now: Arc<dyn Fn() -> Moment + Send + Sync>,
}

/// A call that a person is asked about, and everything that their answer is bound to.
pub(crate) struct ApprovalRequest<'a> {
    pub(crate) call: &'a ToolCall,
    pub(crate) definition: Digest,
    pub(crate) cx: &'a Cx,
    /// Whose the request is to who gives it tools of its own: the same tool may be another one's there.
    pub(crate) keys: Option<RequestKeys>,
}

/// What a question came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ApprovalState {
    /// A person said yes, and that is now used up.
    Yes,
    /// A person said no.
    No,
    /// Nobody has said anything yet; the question waits.
    Waiting,
    /// Nobody has said anything, and the question cannot be kept.
    Unkept,
}

impl PendingApprovals {
    /// The pending approvals of the project that these approvals are of.
    pub(crate) fn beside(approvals: &Approvals) -> Self {
        let Approvals { store, partition, now, .. } = approvals;
        Self { store: store.clone(), partition: partition.clone(), now: now.clone() }
    }

    /// By the clock that questions go by.
    pub(crate) fn now(&self) -> Moment {
        (self.now)()
    }

    /// The question that this call is.
    pub(crate) fn of(&self, asking: &ApprovalRequest<'_>) -> PendingApproval {
        let (ApprovalRequest { call, definition, cx, .. }, asked) = (asking, (self.now)());
        PendingApproval {
            id: self.binding(asking).map(|it| short(&it)).unwrap_or_default(),
            tool: call.tool.clone(),
            digest: *definition,
            arguments: redact::secrets(&Value::Object(call.arguments.clone())),
            rest: call.rest.clone(),
            caller: cx.caller,
            user: cx.user.clone(),
            asked,
            expires: asked.after(PATIENCE),
            answer: None,
        }
    }

    /// What a person has said about this very call. A yes is used up by this; where there is no answer, the question is
    /// put.
    pub(crate) fn word(&self, asking: &ApprovalRequest<'_>) -> ApprovalState {
        self.try_word(asking).unwrap_or(ApprovalState::Unkept)
    }

    fn try_word(&self, asking: &ApprovalRequest<'_>) -> Result<ApprovalState, StoreError> {
        let binding = self.binding(asking)?;
        let place = self.place(&short(&binding));
        for _ in 0..ATTEMPTS {
            let bytes = self.store.read(Namespace::Pending, &place)?;
            let row = bytes.as_ref().and_then(|it| self.open(&place, it)).filter(|it| it.binding == binding);
            match row.filter(|it| it.counts((self.now)())).map(|it| it.answer) {
                Some(Some(true)) if self.store.swap(Namespace::Pending, &place, bytes.as_deref(), None)? => {
                    return Ok(ApprovalState::Yes);
                }
                // Somebody else was quicker, or said something else meanwhile.
                Some(Some(true)) => {}
                Some(Some(false)) => return Ok(ApprovalState::No),
                Some(None) => return Ok(ApprovalState::Waiting),
                None => {
                    if self.sweep()? >= MAX_WAITING {
                        return Ok(ApprovalState::Unkept);
                    }
                    let row = ApprovalRow::new(&self.of(asking), binding.clone());
                    let row = self.seal()?.close(&place, &row)?;
                    if self.store.swap(Namespace::Pending, &place, bytes.as_deref(), Some(&row))? {
                        return Ok(ApprovalState::Waiting);
                    }
                }
            }
        }
        Ok(ApprovalState::Unkept)
    }

    /// Everything that waits, oldest first.
    pub(crate) fn pending(&self) -> Result<Vec<PendingApproval>, StoreError> {
        self.sweep()?;
        let mut all = Vec::new();
        for place in self.places()? {
            let row = self.store.read(Namespace::Pending, &place)?.and_then(|it| self.open(&place, &it));
            all.extend(row.and_then(|it| it.pending()));
        }
        all.sort_by(|one, other| (one.asked, &one.id).cmp(&(other.asked, &other.id)));
        Ok(all)
    }

    /// Records the answer to a pending approval.
    pub(crate) fn settle(&self, id: &str, yes: bool) -> Result<PendingApproval, Error> {
        let (place, unknown) = (self.place(id), || Error::UnknownApproval { id: id.to_owned() });
        for _ in 0..ATTEMPTS {
            let bytes = self.store.read(Namespace::Pending, &place)?.ok_or_else(unknown)?;
            let now = (self.now)();
            let mut row = self.open(&place, &bytes).filter(|it| it.counts(now)).ok_or_else(unknown)?;
            row.answer = Some(yes);
            row.expires = now.after(PATIENCE);
            let pending = row.pending().ok_or_else(unknown)?;
            let row = self.seal()?.close(&place, &row)?;
            if self.store.swap(Namespace::Pending, &place, Some(&bytes), Some(&row))? {
                return Ok(pending);
            }
        }
        Err(Error::Contended)
    }

    /// Forgets what nobody waits for any more; says how many are left.
    fn sweep(&self) -> Result<usize, StoreError> {
        let (mut left, now) = (0, (self.now)());
        for place in self.places()? {
            let Some(bytes) = self.store.read(Namespace::Pending, &place)? else { continue };
            if self.open(&place, &bytes).is_some_and(|it| it.counts(now)) {
                left += 1
            } else {
                self.store.swap(Namespace::Pending, &place, Some(&bytes), None)?;
            }
        }
        Ok(left)
    }

    fn places(&self) -> Result<Vec<String>, StoreError> {
        let ours = format!("{}/", self.partition);
        Ok(self.store.keys(Namespace::Pending)?.into_iter().filter(|it| it.starts_with(&ours)).collect())
    }

    fn place(&self, id: &str) -> String {
        format!("{}/{id}", self.partition)
    }

    fn seal(&self) -> Result<RowSeal, StoreError> {
        RowSeal::of(&*self.store, PURPOSE)
    }

    fn open(&self, place: &str, bytes: &[u8]) -> Option<ApprovalRow> {
        let body: RawJson = self.seal().ok()?.open(place, bytes).ok()?;
        serde_json::from_str(body.as_str()).ok()
    }

    /// Everything an answer is about, hashed with a secret: arguments may hold what should not be guessed back.
    pub(crate) fn binding(&self, asking: &ApprovalRequest<'_>) -> Result<String, StoreError> {
        let ApprovalRequest { call, definition, cx, keys } = asking;
        let all = json!([
            cx.caller.word(),
            cx.user.as_deref(),
            call.tool.source.as_str(),
            call.tool.name.as_str(),
            definition.to_string(),
            Value::Object(call.arguments.clone()),
            call.rest,
            keys,
        ]);
        let mut text = String::new();
        digest::canonical(&all, &mut text);
        Ok(self.seal()?.hash(&text).to_hex().to_string())
    }
}

/// Short enough to type.
fn short(binding: &str) -> String {
    binding.chars().take(12).collect()
}
