//! Clients that call tools and search all the time, and the history of their requests.

use super::client::{CallResult, ReplicaClient};
use super::site::{Addresses, FleetSite, pause};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The pause of a client between two requests, and after a lost connection.
const PAUSE: Duration = Duration::from_millis(5);
/// Every so many requests is a search.
const SEARCH_EVERY: usize = 8;

/// What the clients do.
#[derive(Clone, Copy)]
pub(super) struct LoadPlan {
    pub(super) clients_per_replica: usize,
    pub(super) tool: LoadTool,
}

/// The tool that the clients call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LoadTool {
    /// Responds at once, and only reads.
    Echo,
    /// Takes 20 milliseconds, and does not say that it only reads.
    Sleep,
}

/// One request of a client, from begin to end.
#[derive(Debug, Clone)]
pub(super) struct ClientOperation {
    pub(super) begin: Instant,
    pub(super) end: Instant,
    pub(super) replica: usize,
    /// The label of a call, which no other call has; none for a search.
    pub(super) nonce: Option<String>,
    pub(super) result: CallResult,
}

/// Running clients. Dropping it stops them.
pub(super) struct Load {
    is_stopped: Arc<AtomicBool>,
    clients: Vec<JoinHandle<Vec<ClientOperation>>>,
}

impl Load {
    pub(super) fn start(site: &FleetSite, plan: LoadPlan) -> Self {
        let is_stopped = Arc::new(AtomicBool::new(false));
        let client = |number: usize| {
            let client = LoadClient {
                number,
                plan,
                addresses: site.addresses.clone(),
                token: site.operator.clone(),
                is_stopped: is_stopped.clone(),
            };
            thread::spawn(move || client.run())
        };
        let count = plan.clients_per_replica * site.len();
        let clients = (0..count).map(client).collect();
        Self { is_stopped, clients }
    }

    /// Stops the clients, and returns all of their requests in the order of their ends.
    pub(super) fn stop(mut self) -> Vec<ClientOperation> {
        self.is_stopped.store(true, Ordering::Relaxed);
        let mut all: Vec<ClientOperation> =
            self.clients.drain(..).flat_map(|client| client.join().unwrap_or_default()).collect();
        all.sort_by_key(|operation| operation.end);
        all
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }
}

struct LoadClient {
    number: usize,
    plan: LoadPlan,
    addresses: Addresses,
    token: String,
    is_stopped: Arc<AtomicBool>,
}

impl LoadClient {
    /// Each client stays at its replica. A lost call is never repeated with the same nonce.
    fn run(self) -> Vec<ClientOperation> {
        let replica = self.number % self.addresses.len();
        let mut operations = Vec::new();
        let mut connection = None;
        while !self.is_stopped.load(Ordering::Relaxed) {
            let client = match connection.take() {
                Some(client) => Ok(client),
                None => ReplicaClient::connect(self.addresses.of(replica), &self.token),
            };
            if let Ok(mut client) = client {
                let operation = self.request(&mut client, replica, operations.len());
                if !matches!(operation.result, CallResult::Lost(_)) {
                    connection = Some(client);
                }
                operations.push(operation);
            }
            pause(PAUSE);
        }
        operations
    }

    fn request(&self, client: &mut ReplicaClient, replica: usize, turn: usize) -> ClientOperation {
        let begin = Instant::now();
        if turn % SEARCH_EVERY == SEARCH_EVERY - 1 {
            let result = client.search("wait so many seconds");
            return ClientOperation { begin, end: Instant::now(), replica, nonce: None, result };
        }
        let nonce = format!("client {} call {turn}", self.number);
        let result = match self.plan.tool {
            LoadTool::Echo => client.call("s/echo", &json!({"text": nonce})),
            LoadTool::Sleep => client.call("s/sleep", &json!({"seconds": 0.02, "label": nonce})),
        };
        ClientOperation { begin, end: Instant::now(), replica, nonce: Some(nonce), result }
    }
}
