//! The way back to a client, for what is wanted of it in the middle of a request.

use super::client::{Client, Outlet};
use super::exchange::Exchange;
use super::{logging, message};
use serde_json::{Value, json};
use std::sync::{Arc, LazyLock, OnceLock};
use tokio::sync::{mpsc, oneshot};
use toolscout_core::cx::ApprovalPrompt;
use toolscout_core::authorization::PendingApproval;
use toolscout_core::{BoxFuture, Counterpart, RpcError, RawJson, escape};

/// Something a client of the modern era is to bring along when it asks again.
pub(super) struct Wanted {
    pub(super) method: String,
    pub(super) params: RawJson,
    pub(super) answer: oneshot::Sender<Result<RawJson, RpcError>>,
}

/// The way back to a client.
pub(super) struct Back {
    client: Arc<Client>,
    out: Arc<dyn Outlet>,
    said: RawJson,
    capabilities: OnceLock<Value>,
    log_level: Option<u8>,
    /// In the modern era nobody sends requests to a client; what is wanted is handed out with the answer, where it can be.
    wanted: Option<mpsc::UnboundedSender<Wanted>>,
    is_modern: bool,
}

impl Back {
    pub(super) fn new(exchange: &Exchange, wanted: Option<mpsc::UnboundedSender<Wanted>>) -> Self {
        let said = exchange.capabilities().unwrap_or_else(nothing);
        Self {
            client: exchange.client.clone(),
            out: exchange.out.clone(),
            capabilities: OnceLock::new(),
            said,
            log_level: exchange.log_level(),
            wanted,
            is_modern: exchange.is_modern(),
        }
    }

    /// Whether the client says that it can do this.
    pub(super) fn can(&self, capability: &str) -> bool {
        // Most clients can do little, and few requests want to know.
        self.said.as_str().contains(capability) && self.parsed()[capability].is_object()
    }

    fn parsed(&self) -> &Value {
        self.capabilities.get_or_init(|| self.said.to_value())
    }

    fn can_answer(&self, method: &str, params: &RawJson) -> bool {
        match method {
            "elicitation/create" if params.to_value()["mode"] == "url" => {
                self.parsed()["elicitation"]["url"].is_object()
            }
            "elicitation/create" => self.can("elicitation"),
            "sampling/createMessage" => self.can("sampling"),
            "roots/list" => self.can("roots"),
            _ => false,
        }
    }

    async fn want(
        &self,
        wanted: &mpsc::UnboundedSender<Wanted>,
        method: &str,
        params: RawJson,
    ) -> Result<RawJson, RpcError> {
        let (answer, answered) = oneshot::channel();
        let gone = || RpcError::failed("the client did not ask again");
        wanted.send(Wanted { method: method.to_owned(), params, answer }).map_err(|_| gone())?;
        answered.await.unwrap_or_else(|_| Err(gone()))
    }
}

impl Counterpart for Back {
    fn capabilities(&self) -> RawJson {
        self.said.clone()
    }

    fn ask<'a>(&'a self, method: &'a str, params: RawJson) -> BoxFuture<'a, Result<RawJson, RpcError>> {
        Box::pin(async move {
            if !self.can_answer(method, &params) {
                return Err(RpcError::unsupported(method));
            }
            match &self.wanted {
                Some(wanted) => self.want(wanted, method, params).await,
                None if self.is_modern => Err(RpcError::unsupported(method)),
                None => self.client.ask(method, params.as_str(), &self.out).await,
            }
        })
    }

    fn tell(&self, method: &str, params: RawJson) {
        let is_wanted = match method {
            "notifications/message" => self.log_level.is_some_and(|it| logging::rank_of(&params) >= it),
            _ => true,
        };
        if is_wanted {
            self.out.send(message::notification(method, Some(params.as_str())));
        }
    }
}

/// What a client can do that says nothing about it.
fn nothing() -> RawJson {
    static NOTHING: LazyLock<RawJson> = LazyLock::new(|| RawJson::from_value(&json!({})));
    NOTHING.clone()
}

/// Asks the person behind the client whether a call may be made, and shows all of it.
pub(super) fn asker(back: Arc<Back>) -> ApprovalPrompt {
    Arc::new(move |question| {
        let back = back.clone();
        Box::pin(async move { says_yes(&back, &question).await })
    })
}

async fn says_yes(back: &Back, question: &PendingApproval) -> bool {
    let arguments = serde_json::to_string_pretty(&question.arguments).unwrap_or_default();
    let (tool, arguments) = (question.tool.to_string(), escape::text(&arguments).into_owned());
    let text = format!("Run `{}` with these arguments?\n\n{arguments}", escape::line(&tool));
    let params = json!({"message": text, "requestedSchema": {"type": "object", "properties": {}}});
    match back.ask("elicitation/create", RawJson::from_value(&params)).await {
        Ok(answer) => answer.to_value()["action"] == "accept",
        Err(_) => false,
    }
}
