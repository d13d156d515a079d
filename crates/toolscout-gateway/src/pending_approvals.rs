//! Calls that need approval: requested here, decided elsewhere, used once.
//!
//! A pending approval is bound to the caller, the tool, its definition and the exact arguments; if
//! one byte changes, it is a different request. It waits in the store for five minutes, so that
//! another process can decide it. An approval is valid for five minutes and for one call.

mod changes;
mod row;

use crate::requests::RequestKeys;
use crate::seal::RowSeal;
use crate::{Approvals, Error};
use changes::PendingChanges;
use row::ApprovalRow;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};
use toolscout_core::authorization::PendingApproval;
use toolscout_core::{
    Cx, Digest, HeldPlaces, Moment, Namespace, RawJson, RowNote, ShareKey, Store, StoreError,
    ToolCall, ToolId, digest, redact,
};

const PURPOSE: &str = "toolscout approvals of calls";
/// How long a request for approval stays pending, and how long an approval is valid.
pub const APPROVAL_LIFETIME: Duration = Duration::from_secs(5 * 60);
/// Maximum number of approvals waiting in a project, and of one principal. One client of it gets
/// half of those at most: no operator would read them all.
const MAX_PENDING: usize = 1_000;
const MAX_PENDING_EACH: usize = 200;
/// The longest arguments that wait for an approval, in bytes of JSON. They are stored for minutes,
/// and an operator has to read them.
pub(crate) const MAX_ARGUMENTS: usize = 64 * 1024;
const ATTEMPTS: usize = 64;

/// The pending approvals of one project.
#[derive(Clone)]
pub(crate) struct PendingApprovals {
    store: Arc<dyn Store>,
    partition: Arc<str>,
    now: Arc<dyn Fn() -> Moment + Send + Sync>,
    changes: Arc<PendingChanges>,
}

/// A call that needs approval, and everything that the approval is bound to.
pub(crate) struct ApprovalRequest<'a> {
    pub(crate) call: &'a ToolCall,
    pub(crate) definition: Digest,
    pub(crate) cx: &'a Cx,
    /// The keys of the request for request-specific sources: the same tool id may be a different
    /// tool in another request.
    pub(crate) keys: Option<RequestKeys>,
}

/// The state of a request for approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ApprovalState {
    /// The operator approved the call, and the approval is now used up.
    Approved,
    /// The operator rejected the call.
    Rejected,
    /// There is no decision yet; the approval is pending.
    Pending,
    /// There is no decision, and too many requests of the same client are pending.
    TooMany,
    /// The arguments are larger than an operator can review.
    TooLarge,
    /// There is no decision, and the request cannot be recorded.
    NotRecorded,
}

impl PendingApprovals {
    /// The pending approvals of the project that these approvals are of.
    pub(crate) fn sharing_store_of(approvals: &Approvals) -> Self {
        let Approvals { store, partition, now, .. } = approvals;
        let changes = Arc::new(PendingChanges::of(store.clone()));
        Self { store: store.clone(), partition: partition.clone(), now: now.clone(), changes }
    }

    /// Waits for the decision about a pending call, and uses it up. Returns `Pending` if there is
    /// none within this time.
    pub(crate) async fn wait_for_decision(
        &self,
        request: &ApprovalRequest<'_>,
        limit: Duration,
    ) -> ApprovalState {
        let until = Instant::now() + limit;
        let mut changes = self.changes.subscribe();
        loop {
            match self.take_decision(request) {
                ApprovalState::Pending => {}
                state => return state,
            }
            tokio::select! {
                () = self.changes.next(&mut changes) => {}
                () = sleep_until(until) => return ApprovalState::Pending,
            }
        }
    }

    /// Uses up the pending approval that the client has decided, with its answer. Another
    /// process may have recorded it. `NotRecorded` if it was used or has expired.
    pub(crate) fn use_answer(
        &self,
        request: &ApprovalRequest<'_>,
        is_approved: bool,
    ) -> ApprovalState {
        self.try_use_answer(request, is_approved).unwrap_or(ApprovalState::NotRecorded)
    }

    fn try_use_answer(
        &self,
        request: &ApprovalRequest<'_>,
        is_approved: bool,
    ) -> Result<ApprovalState, StoreError> {
        let binding = self.binding(request)?;
        let key = self.store_key(&short(&binding));
        for _ in 0..ATTEMPTS {
            let bytes = self.store.read(Namespace::Pending, &key)?;
            let row = bytes.as_ref().and_then(|bytes| self.open(&key, bytes));
            let row = row.filter(|row| row.binding == binding && row.is_valid((self.now)()));
            let Some(row) = row else { return Ok(ApprovalState::NotRecorded) };
            if row.answer == Some(false) {
                return Ok(ApprovalState::Rejected);
            }
            if self.store.swap(Namespace::Pending, &key, bytes.as_deref(), None)? {
                let state =
                    if is_approved { ApprovalState::Approved } else { ApprovalState::Rejected };
                return Ok(state);
            }
        }
        Ok(ApprovalState::NotRecorded)
    }

    /// The current time, by the clock that approvals use.
    pub(crate) fn now(&self) -> Moment {
        (self.now)()
    }

    /// The pending approval for this call.
    pub(crate) fn to_pending_approval(&self, request: &ApprovalRequest<'_>) -> PendingApproval {
        let (ApprovalRequest { call, definition, cx, .. }, now) = (request, (self.now)());
        PendingApproval {
            id: self.binding(request).map(|binding| short(&binding)).unwrap_or_default(),
            tool: call.tool.clone(),
            digest: *definition,
            arguments: redact::json(&Value::Object(call.arguments.clone())),
            rest: call.rest.clone(),
            caller: cx.caller,
            user: cx.user.clone(),
            client: cx.client.clone(),
            requested_at: now,
            expires: now.after(APPROVAL_LIFETIME),
            approved: None,
        }
    }

    /// The decision about exactly this call. Uses up an approval; if there is no decision, records
    /// the call as pending.
    pub(crate) fn take_decision(&self, request: &ApprovalRequest<'_>) -> ApprovalState {
        self.try_take_decision(request).unwrap_or(ApprovalState::NotRecorded)
    }

    fn try_take_decision(
        &self,
        request: &ApprovalRequest<'_>,
    ) -> Result<ApprovalState, StoreError> {
        let binding = self.binding(request)?;
        let key = self.store_key(&short(&binding));
        for _ in 0..ATTEMPTS {
            let bytes = self.store.read(Namespace::Pending, &key)?;
            let row = bytes
                .as_ref()
                .and_then(|bytes| self.open(&key, bytes))
                .filter(|value| value.binding == binding);
            match row.filter(|row| row.is_valid((self.now)())).map(|row| row.answer) {
                Some(Some(true))
                    if self.swap(
                        &key,
                        bytes.as_deref(),
                        None,
                        (&request.call.tool, "used", &request.cx.decider()),
                    )? =>
                {
                    return Ok(ApprovalState::Approved);
                }
                // Another process used the approval first, or changed the decision.
                Some(Some(true)) => {}
                Some(Some(false)) => return Ok(ApprovalState::Rejected),
                Some(None) => return Ok(ApprovalState::Pending),
                None if bytes.as_ref().is_some_and(|bytes| self.is_newer(&key, bytes)) => {
                    return Ok(ApprovalState::NotRecorded);
                }
                None => {
                    let requester = ShareKey::of(request.cx);
                    if !has_room(&self.sweep()?, &requester) {
                        return Ok(ApprovalState::TooMany);
                    }
                    let pending = self.to_pending_approval(request);
                    if size(&pending) > MAX_ARGUMENTS {
                        return Ok(ApprovalState::TooLarge);
                    }
                    let row = ApprovalRow::new(&pending, binding.clone(), &requester);
                    let row = self.seal()?.seal(&key, &row)?;
                    let meaning = (&request.call.tool, "requested", "the policy");
                    if self.swap(&key, bytes.as_deref(), Some(&row), meaning)? {
                        return Ok(ApprovalState::Pending);
                    }
                }
            }
        }
        Ok(ApprovalState::NotRecorded)
    }

    /// All pending approvals, including decided ones that are not used yet, oldest first.
    pub(crate) fn pending(&self) -> Result<Vec<PendingApproval>, StoreError> {
        self.sweep()?;
        let mut all = Vec::new();
        for key in self.store_keys()? {
            let row = self
                .store
                .read(Namespace::Pending, &key)?
                .and_then(|store| self.open(&key, &store));
            all.extend(row.and_then(|row| row.pending()));
        }
        all.sort_by(|one, other| (one.requested_at, &one.id).cmp(&(other.requested_at, &other.id)));
        Ok(all)
    }

    /// Records the answer of this person to a pending approval.
    pub(crate) fn decide(
        &self,
        id: &str,
        approve: bool,
        by: &str,
    ) -> Result<PendingApproval, Error> {
        let action = if approve { "approved" } else { "rejected" };
        let (key, unknown) = (self.store_key(id), || Error::UnknownApproval { id: id.to_owned() });
        for _ in 0..ATTEMPTS {
            let bytes = self.store.read(Namespace::Pending, &key)?.ok_or_else(unknown)?;
            let now = (self.now)();
            let mut row =
                self.open(&key, &bytes).filter(|value| value.is_valid(now)).ok_or_else(unknown)?;
            row.answer = Some(approve);
            row.expires = now.after(APPROVAL_LIFETIME);
            let pending = row.pending().ok_or_else(unknown)?;
            let row = self.seal()?.seal(&key, &row)?;
            if self.swap(&key, Some(&bytes), Some(&row), (&pending.tool, action, by))? {
                return Ok(pending);
            }
        }
        Err(Error::Contended)
    }

    /// Swaps a row; `meaning` is the tool, the decision and who made it.
    fn swap(
        &self,
        key: &str,
        expected: Option<&[u8]>,
        next: Option<&[u8]>,
        (tool, action, by): (&ToolId, &str, &str),
    ) -> Result<bool, StoreError> {
        let subject = tool.to_string();
        let note = RowNote { subject: &subject, action, by };
        self.store.swap_noted(Namespace::Pending, key, expected, next, &note)
    }

    /// Removes expired and unreadable rows, except those of later versions. Returns the requesters of undecided ones.
    fn sweep(&self) -> Result<Vec<ShareKey>, StoreError> {
        let (mut undecided, now) = (Vec::new(), (self.now)());
        for key in self.store_keys()? {
            let Some(bytes) = self.store.read(Namespace::Pending, &key)? else { continue };
            match self.open(&key, &bytes).filter(|row| !row.is_expired(now)) {
                Some(row) if row.answer.is_none() => undecided.push(row.requester()),
                Some(_) => {}
                None if self.is_newer(&key, &bytes) => {}
                None => {
                    self.store.swap(Namespace::Pending, &key, Some(&bytes), None)?;
                }
            }
        }
        Ok(undecided)
    }

    fn store_keys(&self) -> Result<Vec<String>, StoreError> {
        let prefix = format!("{}/", self.partition);
        Ok(self
            .store
            .keys(Namespace::Pending)?
            .into_iter()
            .filter(|key| key.starts_with(&prefix))
            .collect())
    }

    fn store_key(&self, id: &str) -> String {
        format!("{}/{id}", self.partition)
    }

    fn seal(&self) -> Result<RowSeal, StoreError> {
        RowSeal::new(&*self.store, PURPOSE)
    }

    fn open(&self, key: &str, bytes: &[u8]) -> Option<ApprovalRow> {
        ApprovalRow::read(self.unsealed(key, bytes)?.as_str())
    }

    /// Whether a later version wrote the row. This one must neither use nor replace it.
    fn is_newer(&self, key: &str, bytes: &[u8]) -> bool {
        self.unsealed(key, bytes).is_some_and(|body| ApprovalRow::is_newer(body.as_str()))
    }

    fn unsealed(&self, key: &str, bytes: &[u8]) -> Option<RawJson> {
        self.seal().ok()?.open(key, bytes).ok()
    }

    /// A keyed hash of everything an approval is bound to. The key prevents guessing secrets in the
    /// arguments from the hash.
    pub(crate) fn binding(&self, request: &ApprovalRequest<'_>) -> Result<String, StoreError> {
        let ApprovalRequest { call, definition, cx, keys } = request;
        let bound_values = json!([
            cx.caller.as_str(),
            cx.user.as_deref(),
            call.tool.source.as_str(),
            call.tool.name.as_str(),
            definition.to_string(),
            Value::Object(call.arguments.clone()),
            call.rest,
            keys,
        ]);
        let mut text = String::new();
        digest::canonical(&bound_values, &mut text);
        Ok(self.seal()?.hash(&text).to_hex().to_string())
    }
}

/// Whether this client may request one more approval.
fn has_room(undecided: &[ShareKey], requester: &ShareKey) -> bool {
    let is_principal = |key: &&ShareKey| key.principal == requester.principal;
    let by_principal = undecided.iter().filter(is_principal).count();
    let by_client = undecided.iter().filter(|key| *key == requester).count();
    let held = HeldPlaces { all: undecided.len(), by_principal, by_client };
    held.leave_room(1, MAX_PENDING, MAX_PENDING_EACH)
}

/// The id of an approval, short enough to type.
fn short(binding: &str) -> String {
    binding.chars().take(12).collect()
}

/// The size of what an operator would review.
fn size(pending: &PendingApproval) -> usize {
    let rest: usize = pending.rest.iter().map(String::len).sum();
    pending.arguments.to_string().len() + rest
}
