//! Who is there: sessions that programs have made here, and conversations that agents have over MCP.

use super::answer::{Answer, JSON};
use super::asked::Asked;
use super::catalog::{Configuration, Configured, Entries, is_internal, servers, written};
use super::{ErrorCode, OperationError, Route};
use axum::http::StatusCode;
use parking_lot::Mutex;
use ring::rand::{SecureRandom, SystemRandom};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;
use toolscout_core::Moment;

/// Sessions that are kept; the oldest make room.
const MOST: usize = 1_000;

/// Who else is there: told by those who keep conversations.
pub type Conversations = Arc<dyn Fn() -> Vec<Session> + Send + Sync>;

/// Somebody who is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// Names it; nobody gets in by it.
    pub id: String,
    /// `api`, `stdio` or `mcp`.
    pub kind: &'static str,
    /// What it calls itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// RFC 3339.
    pub created: String,
    /// Whose it is; none where all are the same.
    #[serde(skip)]
    pub owner: Option<Arc<str>>,
    /// Whether it is one of this process, whose servers it then uses.
    #[serde(skip)]
    pub is_here: bool,
}

/// Those that were made here.
#[derive(Default)]
pub(super) struct Sessions {
    made: Mutex<BTreeMap<String, Session>>,
}

#[derive(Serialize, JsonSchema)]
struct One {
    session: Session,
}

#[derive(Serialize, JsonSchema)]
struct All {
    sessions: Vec<Session>,
}

/// What a new session is about.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewSession {
    /// Which project: `current`, or its id.
    #[serde(default)]
    project: Option<String>,
    /// What it calls itself.
    #[serde(default)]
    #[schemars(length(max = 100))]
    name: Option<String>,
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/sessions", "Who is there", list),
        Route::told("POST", "/api/sessions", "Begin a session", begin).status(StatusCode::CREATED),
        Route::delete("/api/sessions/{id}", "End a session that was begun here", end),
        Route::written::<Configured<'_>, _>(
            "/api/sessions/{id}/configuration",
            "What a session has: what running servers list now, else what is remembered",
            configuration,
        ),
    ]
}

async fn list(asked: Asked) -> Result<All, OperationError> {
    Ok(All { sessions: seen(&asked) })
}

async fn begin(asked: Asked, new: NewSession) -> Result<One, OperationError> {
    let project = new.project.as_deref().unwrap_or("current");
    if ![asked.api.desk.project_id().as_str(), "current"].contains(&project) {
        return Err(OperationError::not_found("Project"));
    }
    let session = Session {
        id: new_id().ok_or_else(|| OperationError::new(ErrorCode::Conflict, "this system gives no random numbers"))?,
        kind: "api",
        client: new.name.or_else(|| asked.cx.client.as_deref().map(str::to_owned)),
        created: Moment::now().to_string(),
        owner: asked.principal.name.clone(),
        is_here: true,
    };
    asked.api.sessions.add(session.clone());
    Ok(One { session })
}

async fn end(asked: Asked) -> Result<(), OperationError> {
    let session = find(&asked)?;
    match asked.api.sessions.made.lock().remove(&session.id) {
        Some(_) => Ok(()),
        None => {
            Err(OperationError::new(ErrorCode::Conflict, "this session is a conversation over MCP, which ends itself"))
        }
    }
}

/// D-15, D-16, D-17.
async fn configuration(asked: Asked) -> Result<Answer, OperationError> {
    let session = find(&asked)?;
    // Which servers run for others is theirs to know.
    let live = if session.is_here { asked.api.desk.live() } else { BTreeMap::new() };
    let view = asked.view().await;
    let (snapshot, policies) = (view.snapshot(), asked.gateway().policies());
    let discoveries = asked.api.desk.discoveries(&asked.cx);
    let entries = Entries { policies: &policies, discoveries: &discoveries };
    let mut tools = entries.native(&snapshot, |it| !is_internal(it));
    for id in servers(&snapshot).chain(live.keys()).collect::<BTreeSet<_>>() {
        let listed = live.get(id).map_or(snapshot.tools_of(id), Vec::as_slice);
        tools.extend(listed.iter().filter(|it| !is_internal(it)).map(|it| entries.of_server(it)));
    }
    let source = if live.is_empty() { "cached" } else { "runtime" };
    let name = session.client.as_deref().unwrap_or(session.kind);
    let configuration = Configuration::new(&session.id, name, &policies, Some(source), tools);
    Ok(Answer::bytes(StatusCode::OK, JSON, written(&Configured { configuration })))
}

/// To others there is none.
fn find(asked: &Asked) -> Result<Session, OperationError> {
    let id = asked.part("id");
    seen(asked).into_iter().find(|it| it.id == id).ok_or_else(|| OperationError::not_found("Session"))
}

fn seen(asked: &Asked) -> Vec<Session> {
    let mut all: Vec<_> = asked.api.sessions.made.lock().values().cloned().collect();
    all.extend((asked.api.conversations)());
    all.retain(|it| asked.is_operator() || it.owner == asked.principal.name);
    all.sort_by(|one, other| (&one.created, &one.id).cmp(&(&other.created, &other.id)));
    all
}

impl Sessions {
    fn add(&self, session: Session) {
        let mut made = self.made.lock();
        if made.len() >= MOST {
            let oldest = made.values().min_by_key(|it| it.created.clone()).map(|it| it.id.clone());
            oldest.and_then(|it| made.remove(&it));
        }
        made.insert(session.id.clone(), session);
    }
}

fn new_id() -> Option<String> {
    let mut bytes = [0; 8];
    SystemRandom::new().fill(&mut bytes).ok()?;
    let mut id = String::with_capacity(16);
    for byte in bytes {
        let _ = write!(id, "{byte:02x}");
    }
    Some(id)
}
