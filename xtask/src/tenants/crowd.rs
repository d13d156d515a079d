//! All tenants at once: sessions of both eras, over a few shared connections.

use super::house::{self, House};
use super::http_client::{HttpClient, HttpResponse};
use super::tally::{TenantFault, TenantTally};
use super::task::TenantTask;
use super::{TenantPlan, canary};
use anyhow::{Context, bail};
use parking_lot::Mutex;
use std::net::SocketAddr;
use std::thread;

/// The number of connections, each with its own thread.
const CONNECTIONS: usize = 16;
/// The number of result handles that are recorded for later reads.
const HANDLES: usize = 24;

pub(super) struct TenantCrowd {
    addr: SocketAddr,
    tenants: usize,
    calls: usize,
    disguise: fn(usize) -> usize,
    sessions: Vec<TenantSession>,
    /// Handles of large results, with their tenants.
    handles: Mutex<Vec<(usize, String)>>,
}

/// One client.
struct TenantSession {
    tenant: usize,
    /// The session id; `None` in the modern era, which has no sessions.
    id: Option<String>,
}

/// One call to make.
struct Turn<'a> {
    session: &'a TenantSession,
    task: TenantTask,
    /// Another tenant, whose data must not be accessible.
    other: usize,
    /// The handle of a result, and its tenant.
    handle: Option<(usize, String)>,
}

impl TenantCrowd {
    pub(super) fn new(
        house: &House,
        plan: &TenantPlan,
        disguise: fn(usize) -> usize,
    ) -> anyhow::Result<Self> {
        let mut client = HttpClient::new(house.addr)?;
        let mut sessions = Vec::with_capacity(plan.sessions);
        for number in 0..plan.sessions {
            let tenant = number % plan.tenants;
            // Each tenant has sessions of both eras.
            let is_modern = (number / plan.tenants).is_multiple_of(2);
            let who = TenantIdentity::of(disguise(tenant));
            let id = if is_modern {
                None
            } else {
                Some(client.greet(&who.headers()).context("begin a session")?)
            };
            sessions.push(TenantSession { tenant, id });
        }
        let (tenants, calls, handles) = (plan.tenants, plan.calls, Mutex::default());
        Ok(Self { addr: house.addr, tenants, calls, disguise, sessions, handles })
    }

    pub(super) fn go(&self) -> anyhow::Result<TenantTally> {
        thread::scope(|scope| {
            let workers: Vec<_> =
                (0..CONNECTIONS).map(|worker| scope.spawn(move || self.work(worker))).collect();
            let mut all = TenantTally::default();
            for worker in workers {
                match worker.join() {
                    Ok(tally) => all.add(tally?),
                    Err(_) => bail!("a connection broke down"),
                }
            }
            Ok(all)
        })
    }

    /// The share of calls of this worker, over one connection.
    fn work(&self, worker: usize) -> anyhow::Result<TenantTally> {
        let mut client = HttpClient::new(self.addr)?;
        let mut tally = TenantTally::default();
        for number in (worker..self.calls).step_by(CONNECTIONS) {
            // Each turn uses another tenant, and over time each task runs for all of them.
            let session = &self.sessions[number.wrapping_mul(7) % self.sessions.len()];
            let turn = self.turn(session, TenantTask::of_turn(number / 3), number);
            let answer =
                self.call(&mut client, &turn).with_context(|| format!("{:?}", turn.task))?;
            if turn.task == TenantTask::Large {
                self.remember(session.tenant, &answer);
            }
            tally.count(turn.task, session.id.is_none(), judge(&turn, &answer));
        }
        Ok(tally)
    }

    fn turn<'a>(&self, session: &'a TenantSession, task: TenantTask, number: usize) -> Turn<'a> {
        let other = (session.tenant + 1 + number % (self.tenants - 1).max(1)) % self.tenants;
        let handle = match task {
            TenantTask::ReadOn => self.handle(|owner| owner == session.tenant, number),
            TenantTask::ForeignResult => self.handle(|owner| owner != session.tenant, number),
            _ => None,
        };
        // A task that is not possible yet becomes a search.
        let is_vain =
            matches!(task, TenantTask::ReadOn | TenantTask::ForeignResult) && handle.is_none();
        let is_alone =
            task == TenantTask::ForeignSession && self.foreign_session(session, number).is_none();
        let task = if is_vain || is_alone { TenantTask::Search } else { task };
        Turn { session, task, other, handle }
    }

    fn call(&self, client: &mut HttpClient, turn: &Turn<'_>) -> anyhow::Result<HttpResponse> {
        let Turn { session, task, other, handle } = turn;
        let mut who = TenantIdentity::of((self.disguise)(session.tenant));
        who.has_token = *task != TenantTask::WithoutToken;
        let (method, params) = task.request(*other, handle.as_ref().map_or("", |(_, value)| value));
        let foreign = (*task == TenantTask::ForeignSession)
            .then(|| self.foreign_session(session, *other))
            .flatten();
        // Without the token the caller is a different one, so the call is not part of this session.
        let own = session.id.as_deref().filter(|_| who.has_token);
        let answer = match foreign.or(own) {
            Some(id) => client.legacy(&who.headers(), id, method, params)?,
            None => client.modern(&who.headers(), method, params)?,
        };
        Ok(answer)
    }

    /// The session of another tenant.
    fn foreign_session(&self, own: &TenantSession, number: usize) -> Option<&str> {
        let all = self
            .sessions
            .iter()
            .cycle()
            .skip(number % self.sessions.len())
            .take(self.sessions.len());
        let mut foreign = all.filter(|value| value.tenant != own.tenant);
        foreign.find_map(|foreign| foreign.id.as_deref())
    }

    fn handle(&self, is_wanted: impl Fn(usize) -> bool, number: usize) -> Option<(usize, String)> {
        let handles = self.handles.lock();
        let wanted: Vec<_> = handles.iter().filter(|(owner, _)| is_wanted(*owner)).collect();
        (!wanted.is_empty()).then(|| wanted[number % wanted.len()].clone())
    }

    fn remember(&self, tenant: usize, answer: &HttpResponse) {
        let message = answer.message();
        let note = message["result"]["content"][1]["text"].as_str().unwrap_or_default();
        let Some(handle) =
            note.split("\"result\":\"").nth(1).and_then(|part| part.split('"').next())
        else {
            return;
        };
        let mut handles = self.handles.lock();
        handles.push((tenant, handle.to_owned()));
        if handles.len() > HANDLES {
            handles.remove(0);
        }
    }
}

/// The fault of a response, if any.
fn judge(turn: &Turn<'_>, answer: &HttpResponse) -> Option<TenantFault> {
    let own = canary::of(turn.session.tenant);
    let seen = canary::all(&answer.body);
    // A result that is delivered in pieces may be cut in the middle of a canary.
    if seen.iter().any(|item| !own.starts_with(item)) {
        return Some(TenantFault::Foreign);
    }
    let is_refused = match turn.task {
        TenantTask::ForeignSession => answer.status == 404,
        _ => answer.message()["result"]["isError"] == true,
    };
    match turn.task.is_own() {
        true if !seen.is_empty() => None,
        // The storage is bounded, and the oldest results are evicted.
        true if turn.task == TenantTask::ReadOn
            && answer.body.contains("that result has expired") =>
        {
            None
        }
        true => Some(TenantFault::Missing),
        false if is_refused && seen.is_empty() => None,
        false => Some(TenantFault::Granted),
    }
}

/// The identity of a request.
struct TenantIdentity {
    name: String,
    token: String,
    has_token: bool,
}

impl TenantIdentity {
    fn of(tenant: usize) -> Self {
        Self { name: house::name(tenant), token: house::token(tenant), has_token: true }
    }

    fn headers(&self) -> Vec<(&str, &str)> {
        let token = self.has_token.then_some(("X-Vault-Token", self.token.as_str()));
        [("X-Tenant", self.name.as_str())].into_iter().chain(token).collect()
    }
}
