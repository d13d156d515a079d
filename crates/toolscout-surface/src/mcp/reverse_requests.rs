//! Reverse requests: requests and notifications from a server to the client, while a request is
//! processed.

use super::client::{Client, Outlet};
use super::logging;
use serde_json::{Value, json};
use std::sync::{Arc, LazyLock, OnceLock};
use tokio::sync::{mpsc, oneshot};
use toolscout_core::authorization::PendingApproval;
use toolscout_core::cx::ApprovalPrompt;
use toolscout_core::jsonrpc;
use toolscout_core::{BoxFuture, Counterpart, RawJson, RpcError, escape};

/// Input that a client of the modern era has to send when it repeats its request.
pub(super) struct InputRequest {
    pub(super) method: String,
    pub(super) params: RawJson,
    pub(super) answer: oneshot::Sender<Result<RawJson, RpcError>>,
}

/// Sends reverse requests to a client.
pub(super) struct ReverseRequests {
    client: Arc<Client>,
    out: Arc<dyn Outlet>,
    /// The unparsed capabilities of the client.
    said: RawJson,
    capabilities: OnceLock<Value>,
    log_level: Option<u8>,
    era: ReverseEra,
}

/// How a client receives requests while its own request is processed.
pub(super) enum ReverseEra {
    /// The client is sent a request.
    Legacy,
    /// The client receives the request for input as the result. Without a sender, the method has no
    /// such result.
    Modern(Option<mpsc::UnboundedSender<InputRequest>>),
}

impl ReverseRequests {
    pub(super) fn new(
        client: Arc<Client>,
        out: Arc<dyn Outlet>,
        capabilities: Option<RawJson>,
        log_level: Option<u8>,
        era: ReverseEra,
    ) -> Self {
        let said = capabilities.unwrap_or_else(nothing);
        Self { client, out, said, capabilities: OnceLock::new(), log_level, era }
    }

    /// Whether the client has this capability.
    pub(super) fn can(&self, capability: &str) -> bool {
        // Most clients have few capabilities, and few requests need them, so the text is searched
        // before it is parsed.
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
}

async fn request_input(
    sender: &mpsc::UnboundedSender<InputRequest>,
    method: &str,
    params: RawJson,
) -> Result<RawJson, RpcError> {
    let (answer, answered) = oneshot::channel();
    let gone = || RpcError::failed("the client did not ask again");
    sender.send(InputRequest { method: method.to_owned(), params, answer }).map_err(|_| gone())?;
    answered.await.unwrap_or_else(|_| Err(gone()))
}

impl Counterpart for ReverseRequests {
    fn capabilities(&self) -> RawJson {
        self.said.clone()
    }

    fn ask<'a>(
        &'a self,
        method: &'a str,
        params: RawJson,
    ) -> BoxFuture<'a, Result<RawJson, RpcError>> {
        Box::pin(async move {
            if !self.can_answer(method, &params) {
                return Err(RpcError::unsupported(method));
            }
            match &self.era {
                ReverseEra::Modern(Some(sender)) => request_input(sender, method, params).await,
                ReverseEra::Modern(None) => Err(RpcError::unsupported(method)),
                ReverseEra::Legacy => self.client.ask(method, params.as_str(), &self.out).await,
            }
        })
    }

    fn tell(&self, method: &str, params: RawJson) {
        let is_wanted = match method {
            "notifications/message" => {
                self.log_level.is_some_and(|it| logging::rank_of(&params) >= it)
            }
            _ => true,
        };
        if is_wanted {
            self.out.send(jsonrpc::notification(method, Some(params.as_str())));
        }
    }
}

/// The capabilities of a client that sent none.
fn nothing() -> RawJson {
    static NOTHING: LazyLock<RawJson> = LazyLock::new(|| RawJson::from_value(&json!({})));
    NOTHING.clone()
}

/// A prompt that requests approval of a call from the user of the client, and shows all arguments.
pub(super) fn approval_prompt(requests: Arc<ReverseRequests>) -> ApprovalPrompt {
    Arc::new(move |question| {
        let requests = requests.clone();
        Box::pin(async move { is_approved(&requests, &question).await })
    })
}

async fn is_approved(requests: &ReverseRequests, question: &PendingApproval) -> bool {
    let arguments = serde_json::to_string_pretty(&question.arguments).unwrap_or_default();
    let (tool, arguments) = (question.tool.to_string(), escape::text(&arguments).into_owned());
    let text = format!("Run `{}` with these arguments?\n\n{arguments}", escape::line(&tool));
    let params = json!({"message": text, "requestedSchema": {"type": "object", "properties": {}}});
    match requests.ask("elicitation/create", RawJson::from_value(&params)).await {
        Ok(answer) => answer.to_value()["action"] == "accept",
        Err(_) => false,
    }
}
