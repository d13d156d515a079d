//! Reverse requests: requests and notifications from a server to the client, while a request is
//! processed.

use super::client::{Client, Outlet};
use super::logging;
use serde_json::{Value, json};
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use toolscout_core::authorization::PendingApproval;
use toolscout_core::cx::ApprovalPrompt;
use toolscout_core::jsonrpc;
use toolscout_core::{BoxFuture, LogMessage, LogSink, RawJson, ReverseChannel, RpcError, escape};

/// Input that a client of the modern era has to send when it repeats its request.
pub(super) struct InputRequest {
    pub(super) method: String,
    pub(super) params: RawJson,
    pub(super) response_sender: oneshot::Sender<Result<RawJson, RpcError>>,
    /// The pending approval that the question is about; none if the request waits for the response.
    pub(super) approval_id: Option<String>,
}

/// Sends reverse requests to a client.
pub(super) struct ReverseRequests {
    client: Arc<Client>,
    out: Arc<dyn Outlet>,
    /// The unparsed capabilities of the client.
    capabilities_json: RawJson,
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
        let capabilities_json = capabilities.unwrap_or_else(no_capabilities);
        Self { client, out, capabilities_json, capabilities: OnceLock::new(), log_level, era }
    }

    /// Whether the client has this capability.
    pub(super) fn can(&self, capability: &str) -> bool {
        // Most clients have few capabilities, and few requests need them, so the text is searched
        // before it is parsed.
        self.capabilities_json.as_str().contains(capability)
            && self.parsed()[capability].is_object()
    }

    fn parsed(&self) -> &Value {
        self.capabilities.get_or_init(|| self.capabilities_json.to_value())
    }

    fn supports(&self, method: &str, params: &RawJson) -> bool {
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
    let (response_sender, response) = oneshot::channel();
    let abandoned = || RpcError::failed("the client did not continue the request");
    sender
        .send(InputRequest {
            method: method.to_owned(),
            params,
            response_sender,
            approval_id: None,
        })
        .map_err(|_| abandoned())?;
    response.await.unwrap_or_else(|_| Err(abandoned()))
}

impl ReverseChannel for ReverseRequests {
    fn capabilities(&self) -> RawJson {
        self.capabilities_json.clone()
    }

    fn request<'a>(
        &'a self,
        method: &'a str,
        params: RawJson,
    ) -> BoxFuture<'a, Result<RawJson, RpcError>> {
        Box::pin(async move {
            if !self.supports(method, &params) {
                return Err(RpcError::unsupported(method));
            }
            match &self.era {
                ReverseEra::Modern(Some(sender)) => request_input(sender, method, params).await,
                ReverseEra::Modern(None) => Err(RpcError::unsupported(method)),
                ReverseEra::Legacy => self.client.request(method, params.as_str(), &self.out).await,
            }
        })
    }

    fn notify(&self, method: &str, params: RawJson) {
        let is_sent = match method {
            "notifications/message" => {
                self.log_level.is_some_and(|log_level| logging::message_rank(&params) >= log_level)
            }
            _ => true,
        };
        if is_sent {
            self.out.send(jsonrpc::notification(method, Some(params.as_str())));
        }
    }

    fn expects_requests_during_call(&self) -> bool {
        matches!(self.era, ReverseEra::Legacy)
            && ["elicitation", "sampling", "roots"].iter().any(|capability| self.can(capability))
    }

    fn stream_closed(&self, retry: Duration) {
        self.out.suspend(retry);
    }
}

/// The capabilities of a client that sent none.
fn no_capabilities() -> RawJson {
    static EMPTY: LazyLock<RawJson> = LazyLock::new(|| RawJson::from_value(&json!({})));
    EMPTY.clone()
}

/// Sends the log messages of a tool to the client, as far as its log level allows, and passes them
/// on to the log of this process.
pub(super) fn log_sink(requests: Arc<ReverseRequests>, own: Option<LogSink>) -> LogSink {
    Arc::new(move |entry: LogMessage| {
        if let Some(own) = &own {
            own(entry.clone());
        }
        let data = if entry.data.is_empty() {
            Value::from(entry.message)
        } else {
            let mut data = entry.data;
            data.insert("message".to_owned(), entry.message.into());
            Value::Object(data)
        };
        let params = json!({"level": entry.level.mcp_name(), "logger": entry.logger, "data": data});
        requests.notify("notifications/message", RawJson::from_value(&params));
    })
}

/// A prompt that requests approval of a call from the user of the client, and shows all arguments.
pub(super) fn approval_prompt(requests: Arc<ReverseRequests>) -> ApprovalPrompt {
    Arc::new(move |approval| {
        let requests = requests.clone();
        Box::pin(async move { is_approved(&requests, &approval).await })
    })
}

/// Whether the user approves the call. If the store has the pending approval and the client repeats
/// its request with the answer, only the question is sent here.
async fn is_approved(requests: &ReverseRequests, approval: &PendingApproval) -> bool {
    let params = approval_question(approval);
    if let ReverseEra::Modern(Some(sender)) = &requests.era
        && !approval.id.is_empty()
    {
        let (response_sender, _) = oneshot::channel();
        let (method, approval_id) = ("elicitation/create".to_owned(), Some(approval.id.clone()));
        let _ = sender.send(InputRequest { method, params, response_sender, approval_id });
        return false;
    }
    match requests.request("elicitation/create", params).await {
        Ok(response) => accepts(&response),
        Err(_) => false,
    }
}

/// Whether this response to an elicitation accepts it.
pub(super) fn accepts(response: &RawJson) -> bool {
    response.to_value()["action"] == "accept"
}

fn approval_question(approval: &PendingApproval) -> RawJson {
    let arguments = serde_json::to_string_pretty(&approval.arguments).unwrap_or_default();
    let (tool, arguments) = (approval.tool.to_string(), escape::text(&arguments).into_owned());
    let text = format!("Run `{}` with these arguments?\n\n{arguments}", escape::line(&tool));
    let params = json!({"message": text, "requestedSchema": {"type": "object", "properties": {}}});
    RawJson::from_value(&params)
}
