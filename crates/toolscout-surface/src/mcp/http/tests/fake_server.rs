use super::super::Protocol;
use crate::http::fixture::soon;
use crate::mcp::client::{Client, Outlet};
use crate::mcp::message::{Incoming, Request};
use crate::mcp::server::Reply;
use crate::mcp::version::Version;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, watch};
use toolscout_core::BoxFuture;
use toolscout_core::jsonrpc::{self, RpcError};

/// A fake server that responds as tests require, and counts.
pub(super) struct FakeServer {
    counts: watch::Sender<Counts>,
    /// Lets requests of `wait` end.
    pub(super) go: Semaphore,
    /// Notifies all clients of the legacy era.
    pub(super) changes: watch::Sender<u64>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Counts {
    pub(super) started: usize,
    /// With or without a response.
    pub(super) finished: usize,
    pub(super) notified: usize,
    pub(super) notified_clients: usize,
    pub(super) sent: usize,
    pub(super) dropped: usize,
    pub(super) suspended: usize,
}

/// Counts a request as over, however it ends.
struct RunningGuard(Arc<FakeServer>);

impl Drop for RunningGuard {
    fn drop(&mut self) {
        self.0.count(|counts| counts.finished += 1);
    }
}

/// Decrements the number of notified clients.
struct NotifyGuard(Arc<FakeServer>);

impl Drop for NotifyGuard {
    fn drop(&mut self) {
        self.0.count(|counts| counts.notified_clients -= 1);
    }
}

impl FakeServer {
    pub(super) fn new() -> Arc<Self> {
        let (counts, changes) = (watch::Sender::default(), watch::Sender::new(0));
        Arc::new(Self { counts, go: Semaphore::new(0), changes })
    }

    pub(super) fn counts(&self) -> Counts {
        *self.counts.borrow()
    }

    /// Waits until the counts satisfy the condition.
    pub(super) async fn until(&self, condition: impl Fn(&Counts) -> bool) {
        let mut counts = self.counts.subscribe();
        let waited = soon(counts.wait_for(|counts| condition(counts))).await.map(|soon| *soon);
        waited.expect("the counters exist");
    }

    fn count(&self, change: impl FnOnce(&mut Counts)) {
        self.counts.send_modify(change);
    }

    fn send_progress(&self, out: &Arc<dyn Outlet>, number: u64, padding: usize) {
        let params =
            json!({"progressToken": 1, "progress": number, "message": "x".repeat(padding)})
                .to_string();
        if out.send(jsonrpc::notification("notifications/progress", Some(&params))) {
            self.count(|counts| counts.sent += 1)
        } else {
            self.count(|counts| counts.dropped += 1)
        }
    }

    async fn respond(
        &self,
        client: &Arc<Client>,
        request: &Request,
        out: &Arc<dyn Outlet>,
    ) -> Result<Value, RpcError> {
        let params = request.params.as_ref().map_or(Value::Null, |params| params.to_value());
        match request.method.as_str() {
            "initialize" => {
                let version = params["protocolVersion"]
                    .as_str()
                    .ok_or(RpcError::new(RpcError::PARAMS, "no version"))?;
                let version = Version::negotiate(version);
                let name = params["clientInfo"]["name"].as_str().map(Arc::from);
                client.initialize(version, name, None);
                Ok(json!({"protocolVersion": version.name()}))
            }
            "ping" | "tools/list" => Ok(json!({})),
            "tools/call" | "resources/read" | "prompts/get" => Ok(json!({"params": params})),
            "who" => Ok(json!({
                "user": client.identity.user.as_deref(),
                "headers": client.identity.headers.as_deref(),
                "showsAll": client.identity.shows_all,
            })),
            "say" => {
                for number in 0..params["times"].as_u64().unwrap_or(1) {
                    self.send_progress(
                        out,
                        number,
                        params["padding"].as_u64().unwrap_or(0) as usize,
                    );
                    if params["slowly"] == true {
                        tokio::task::yield_now().await;
                    }
                }
                Ok(json!({"said": true}))
            }
            "wait" => {
                self.go
                    .acquire()
                    .await
                    .map_err(|_| RpcError::new(RpcError::INTERNAL, "closed"))?
                    .forget();
                Ok(json!({"waited": true}))
            }
            // Reports something, closes the stream for a while, and waits.
            "poll" => {
                if params["reports"] == true {
                    self.send_progress(out, 0, 0);
                }
                out.suspend(Duration::from_millis(params["retry"].as_u64().unwrap_or(250)));
                self.count(|counts| counts.suspended += 1);
                self.go
                    .acquire()
                    .await
                    .map_err(|_| RpcError::new(RpcError::INTERNAL, "closed"))?
                    .forget();
                Ok(json!({"waited": true}))
            }
            "ask" => {
                let response =
                    client.request("elicitation/create", r#"{"message":"sure?"}"#, out).await;
                Ok(
                    json!({"answer": response.map_or_else(|it| it.message.into(), |it| it.to_value())}),
                )
            }
            "subscriptions/listen" => {
                out.send(jsonrpc::notification("notifications/subscriptions/acknowledged", None));
                client.disconnected().await;
                Ok(json!({"left": true}))
            }
            "lacking" => Err(RpcError::new(-32021, "a capability is missing")),
            "failing" => Err(RpcError::new(RpcError::PARAMS, "no such tool")),
            other => Err(RpcError::unknown_method(other)),
        }
    }
}

impl Protocol for FakeServer {
    fn handle(
        self: Arc<Self>,
        client: Arc<Client>,
        incoming: Incoming,
        out: Arc<dyn Outlet>,
    ) -> BoxFuture<'static, Option<Reply>> {
        Box::pin(async move {
            let request = match incoming {
                Incoming::Request(request) => request,
                Incoming::Notification { method, params } => {
                    self.count(|counts| counts.notified += 1);
                    if method == "notifications/cancelled" {
                        let id = params.expect("an id").to_value()["requestId"].to_string();
                        client.cancel(&toolscout_core::RawJson::parse(&id).expect("an id"));
                    }
                    return None;
                }
                Incoming::Response { id, outcome } => {
                    client.handle_response(&id, outcome);
                    return None;
                }
            };
            let (_in_flight, cancelled) =
                client.register_request(&request.id).expect("the client accepts another request");
            self.count(|counts| counts.started += 1);
            let _running = RunningGuard(self.clone());
            let result = tokio::select! {
                result = self.respond(&client, &request, &out) => result,
                _ = cancelled => return None,
            };
            Some(match result {
                Ok(result) => Reply {
                    text: jsonrpc::result(request.id.as_str(), &result.to_string()),
                    code: None,
                },
                Err(error) => Reply::error(Some(&request.id), &error),
            })
        })
    }

    fn notify_of_changes(self: Arc<Self>, client: Arc<Client>) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            let mut changes = self.changes.subscribe();
            self.count(|counts| counts.notified_clients += 1);
            let _guard = NotifyGuard(self.clone());
            while changes.changed().await.is_ok() {
                client.out.send(jsonrpc::notification("notifications/tools/list_changed", None));
                let number = *changes.borrow_and_update();
                client.out.send(jsonrpc::notification(
                    "notifications/message",
                    Some(&number.to_string()),
                ));
            }
        })
    }
}
