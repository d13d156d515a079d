//! Which session a record belongs to. Requests of a client without sessions are grouped by their
//! origin and by time.

use super::record::CountedRecord;
use std::collections::HashMap;
use toolscout_core::Moment;

/// A pause of this many milliseconds between two requests of a client without sessions starts a
/// new session.
const MAX_PAUSE_MILLIS: u64 = 30 * 60 * 1_000;

/// Identifies a session.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SessionKey {
    /// Name and version the client reports; `cli` for commands, `unknown` if it reports none.
    pub(super) client: String,
    /// The label of the session; empty for a group of requests.
    pub(super) session: String,
    /// User, project and number of a group of requests.
    group: Option<(String, String, u32)>,
}

/// The last group of each origin.
#[derive(Default)]
pub(super) struct RequestGroups(HashMap<(String, String, String), (u32, Moment)>);

impl RequestGroups {
    /// The session of a record, and the one before it if a group starts with this record.
    pub(super) fn key(
        &mut self,
        row: &CountedRecord<'_>,
        at: Moment,
    ) -> (SessionKey, Option<SessionKey>) {
        let text = |value: &Option<std::borrow::Cow<'_, str>>| {
            value.as_deref().unwrap_or_default().to_owned()
        };
        let is_at_terminal = row.caller.as_deref() == Some("cli");
        let unnamed = if is_at_terminal { "cli" } else { "unknown" };
        let client = row.client.as_deref().unwrap_or(unnamed).to_owned();
        let session = text(&row.session);
        if !session.is_empty() {
            return (SessionKey { client, session, group: None }, None);
        }
        let (user, project) = (text(&row.user), text(&row.project));
        let origin = (client.clone(), user.clone(), project.clone());
        let (number, last) = self.0.entry(origin).or_insert((0, at));
        let is_new = at.0.saturating_sub(last.0) > MAX_PAUSE_MILLIS;
        let key = |number| SessionKey { client, session, group: Some((user, project, number)) };
        let earlier = is_new.then(|| key.clone()(*number));
        *number += u32::from(is_new);
        *last = (*last).max(at);
        (key(*number), earlier)
    }
}
