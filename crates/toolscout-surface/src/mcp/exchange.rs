//! One request of a client, while it is processed.

use super::client::{Client, ClientInfo, Outlet};
use super::first_requests::FirstRequest;
use super::message::Request;
use super::reverse_requests::{
    InputRequest, ReverseEra, ReverseRequests, approval_prompt, log_sink,
};
use super::server::Server;
use super::version::{SUPPORTED_VERSIONS, Version};
use super::{logging, object::Object};
use crate::mcp::errors;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::mpsc;
use toolscout_core::cx::{ApprovalAnswer, ClientApprovals};
use toolscout_core::event::trace_context;
use toolscout_core::jsonrpc::{self, RpcError};
use toolscout_core::{Cx, Progress, RawJson};

/// The key of the log level in a request of the modern era.
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// One request of a client, while it is processed.
#[derive(Clone)]
pub(super) struct Exchange {
    pub(super) server: Arc<Server>,
    pub(super) client: Arc<Client>,
    pub(super) out: Arc<dyn Outlet>,
    pub(super) id: RawJson,
    pub(super) version: Version,
    pub(super) meta: Arc<Meta>,
    /// The unparsed parameters; always an object.
    pub(super) params: RawJson,
}

/// The `_meta` of a request.
#[derive(Default, Deserialize)]
pub(super) struct Meta {
    #[serde(rename = "progressToken")]
    progress_token: Option<RawJson>,
    #[serde(rename = "io.modelcontextprotocol/protocolVersion")]
    version: Option<String>,
    #[serde(rename = "io.modelcontextprotocol/clientCapabilities")]
    capabilities: Option<RawJson>,
    #[serde(rename = "io.modelcontextprotocol/logLevel")]
    log_level: Option<String>,
    #[serde(rename = "io.modelcontextprotocol/clientInfo")]
    client: Option<ClientInfo>,
    traceparent: Option<String>,
    tracestate: Option<String>,
    baggage: Option<String>,
    /// The gateways that forwarded the request.
    #[serde(rename = "toolscout/via")]
    via: Option<RawJson>,
}

#[derive(Deserialize)]
struct Params {
    #[serde(rename = "_meta", default)]
    meta: Option<Meta>,
}

impl Exchange {
    /// Determines the era of the request. A request that names a version itself needs no
    /// `initialize` before it.
    pub(super) fn from_request(
        server: &Arc<Server>,
        client: &Arc<Client>,
        out: Arc<dyn Outlet>,
        request: &Request,
    ) -> Result<Self, RpcError> {
        let params = request.params.clone().unwrap_or_else(|| RawJson::from_value(&json!({})));
        let parsed: Params = serde_json::from_str(params.as_str()).map_err(|error| {
            RpcError::invalid_params(format!("`_meta` cannot be parsed: {error}"))
        })?;
        let meta = parsed.meta.unwrap_or_default();
        let version = match (&meta.version, request.method.as_str()) {
            // `initialize` belongs to the old era, whatever version it names.
            (None, _) | (_, "initialize") => client.version().unwrap_or(Version::LEGACY),
            (Some(requested), _) => {
                Version::supported(requested).ok_or_else(|| unsupported(requested))?
            }
        };
        let (server, client, id) = (server.clone(), client.clone(), request.id.clone());
        Ok(Self { server, client, out, id, version, meta: Arc::new(meta), params })
    }

    pub(super) fn is_modern(&self) -> bool {
        self.version.is_modern()
    }

    /// The owner of the data that is stored for this request.
    pub(super) fn owner(&self) -> Option<Arc<str>> {
        self.server.owner(&self.client.identity)
    }

    /// Parses the parameters of this method.
    pub(super) fn parse_params<'a, T: Deserialize<'a>>(&'a self) -> Result<T, RpcError> {
        serde_json::from_str(self.params.as_str())
            .map_err(|error| RpcError::invalid_params(error.to_string()))
    }

    /// The context for the gateway. In the modern era, requests for input go to `input_requests`.
    pub(super) fn cx(&self, input_requests: Option<mpsc::UnboundedSender<InputRequest>>) -> Cx {
        let is_repeated = self.is_modern() && input_requests.is_some();
        let era =
            if self.is_modern() { ReverseEra::Modern(input_requests) } else { ReverseEra::Legacy };
        let (client, out) = (self.client.clone(), self.out.clone());
        let requests =
            Arc::new(ReverseRequests::new(client, out, self.capabilities(), self.log_level(), era));
        let mut cx = self.client.identity.cx(&self.server.options.request);
        cx.client = self.client_name();
        cx.session = self.client.session.clone();
        cx.trace = self.meta.trace().unwrap_or_else(|| trace_context(&cx.headers));
        cx.via = self.meta.via();
        cx.progress = self.progress();
        let can_approve = self.counts_approvals() && requests.can("elicitation");
        cx.approval_prompt = can_approve.then(|| approval_prompt(requests.clone()));
        cx.approval_answer = is_repeated.then_some(ApprovalAnswer::Awaited);
        cx.log = Some(log_sink(requests.clone(), cx.log.take()));
        cx.request_id = Some(self.id.as_str().trim_matches('"').into());
        cx.reverse_channel = Some(requests);
        cx
    }

    /// Whether the answer of this client to an elicitation approves a call.
    fn counts_approvals(&self) -> bool {
        match self.client.identity.approvals {
            ClientApprovals::Never => false,
            ClientApprovals::AsConfigured => self.server.options.client_approvals,
            ClientApprovals::Always => true,
        }
    }

    /// The name of the client, if it sent one.
    pub(super) fn client_name(&self) -> Option<Arc<str>> {
        self.meta.client.as_ref().and_then(ClientInfo::name).or_else(|| self.client.name())
    }

    /// Waits until the servers that are still loading have answered, if this is the first request
    /// of its kind of the client, and at most as long as the options allow. Cancel-safe.
    pub(super) async fn wait_for_loading(&self, kind: FirstRequest) {
        let limit = self.server.options.wait_for_discovery;
        if limit.is_zero() {
            return;
        }
        // A client without a session is identified by its user and its name.
        let client = match &self.client.session {
            Some(session) => json!(session.as_ref()),
            None => json!([self.owner().as_deref(), self.client_name().as_deref()]),
        };
        if self.server.first_requests.is_first(kind, client) {
            self.server.gateway.wait_until_loaded(limit).await;
        }
    }

    /// The capabilities that the client sent.
    fn capabilities(&self) -> Option<RawJson> {
        if self.is_modern() { self.meta.capabilities.clone() } else { self.client.capabilities() }
    }

    /// The lowest level of log messages that are sent; none if the client wants no log messages.
    fn log_level(&self) -> Option<u8> {
        if self.is_modern() {
            self.meta.log_level.as_deref().and_then(logging::rank)
        } else {
            self.client.log_level().or(Some(0))
        }
    }

    /// The `_meta` of a call. A client of the old era sets its log level once, but a server of the
    /// modern era expects it with every call, so the level is added.
    pub(super) fn call_meta(&self, original: Option<&RawJson>) -> Option<RawJson> {
        let level =
            self.client.log_level().filter(|_| !self.is_modern()).and_then(logging::level_name);
        let Some(level) = level else { return original.cloned() };
        let mut meta =
            original.and_then(|original| Object::parse(original.as_str())).unwrap_or_default();
        let level = jsonrpc::quoted(level);
        meta.set(LOG_LEVEL, level.as_str());
        RawJson::parse(&meta.to_string()).ok()
    }

    /// Completes a result for the era: every result of the modern era has a type, and no result of
    /// the old era has the type that a server of the modern era adds.
    pub(super) fn complete(&self, result: String) -> String {
        if !self.is_modern() {
            return without_result_type(result);
        }
        if has_result_type(&result) {
            return result;
        }
        let rest = result.trim_start().trim_start_matches('{');
        let comma = if rest.trim_start().starts_with('}') { "" } else { "," };
        format!(r#"{{"resultType":"complete"{comma}{rest}"#)
    }

    fn progress(&self) -> Option<Arc<dyn Fn(Progress) + Send + Sync>> {
        let token = self.meta.progress_token.clone()?;
        let out = self.out.clone();
        Some(Arc::new(move |progress: Progress| {
            let mut params = json!({"progress": number(progress.done)});
            if let Some(total) = progress.total {
                params["total"] = number(total);
            }
            if let Some(message) = progress.message {
                params["message"] = message.into();
            }
            let rest = params.to_string();
            let params = format!(r#"{{"progressToken":{},{}"#, token.as_str(), &rest[1..]);
            out.send(jsonrpc::notification("notifications/progress", Some(&params)));
        }))
    }
}

/// Writes whole numbers as integers, because progress mostly counts steps.
fn number(number: f64) -> Value {
    // Below this limit, `f64` represents every integer exactly.
    let is_whole = number.fract() == 0.0 && number.abs() < 9e15;
    if is_whole { json!(number as i64) } else { json!(number) }
}

impl Meta {
    fn via(&self) -> Arc<[String]> {
        self.via.as_ref().map_or_else(
            || Arc::new([]) as Arc<[String]>,
            |via| toolscout_gateway::parse_via(via).into(),
        )
    }

    /// The trace context of the message; none if the message has none, and then the headers are
    /// used.
    fn trace(&self) -> Option<Arc<[(String, String)]>> {
        let named = [
            ("traceparent", &self.traceparent),
            ("tracestate", &self.tracestate),
            ("baggage", &self.baggage),
        ];
        let trace_headers: Arc<[_]> = named
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value.clone()?)))
            .collect();
        Some(trace_headers).filter(|value| !value.is_empty())
    }
}

fn has_result_type(result: &str) -> bool {
    // Few results have a type, and some are long, so the text is searched before it is parsed.
    result.contains("\"resultType\"")
        && Object::parse(result).is_some_and(|object| object.get("resultType").is_some())
}

/// The result without the type `complete`; all other bytes of its members stay as they are.
fn without_result_type(result: String) -> String {
    if !result.contains("\"resultType\"") {
        return result;
    }
    match Object::parse(&result) {
        Some(mut object) if object.get("resultType") == Some("\"complete\"") => {
            object.remove("resultType");
            object.to_string()
        }
        _ => result,
    }
}

fn unsupported(requested: &str) -> RpcError {
    let error = RpcError::new(errors::VERSION, "unsupported protocol version");
    error.with_data(&json!({"supported": SUPPORTED_VERSIONS, "requested": requested}))
}
