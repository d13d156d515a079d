//! One request that is being answered: who asked, in which words, and how to say something on the way.

use super::back::Back;
use super::client::{Client, Outlet};
use super::fault::Fault;
use super::hello::Named;
use super::message::{self, Request};
use super::server::Server;
use super::version::{SPOKEN, Version};
use super::{logging, object::Object};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::mpsc;
use toolscout_core::event::trace_context;
use toolscout_core::{Cx, Progress, RawJson};

/// Where the modern era says how loud the log is to be.
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// One request that is being answered.
#[derive(Clone)]
pub(super) struct Exchange {
    pub(super) server: Arc<Server>,
    pub(super) client: Arc<Client>,
    pub(super) out: Arc<dyn Outlet>,
    pub(super) id: RawJson,
    pub(super) version: Version,
    pub(super) meta: Arc<Meta>,
    /// As they came; an object, or nothing.
    pub(super) params: RawJson,
}

/// What a request says beside its parameters.
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
    client: Option<Named>,
    traceparent: Option<String>,
    tracestate: Option<String>,
    baggage: Option<String>,
    /// Gateways that have passed the request on.
    #[serde(rename = "toolscout/via")]
    via: Option<RawJson>,
}

#[derive(Deserialize)]
struct Params {
    #[serde(rename = "_meta", default)]
    meta: Option<Meta>,
}

impl Exchange {
    /// Reads in which era the client speaks. One that names a version in the request itself needs no greeting.
    pub(super) fn begin(
        server: &Arc<Server>,
        client: &Arc<Client>,
        out: Arc<dyn Outlet>,
        request: &Request,
    ) -> Result<Self, Fault> {
        let params = request.params.clone().unwrap_or_else(|| RawJson::from_value(&json!({})));
        let read: Params = serde_json::from_str(params.as_str())
            .map_err(|error| Fault::invalid_params(format!("`_meta` cannot be read: {error}")))?;
        let meta = read.meta.unwrap_or_default();
        let version = match (&meta.version, request.method.as_str()) {
            // Who greets is of the old era, whatever else it says.
            (None, _) | (_, "initialize") => client.version().unwrap_or(Version::LEGACY),
            (Some(asked), _) => Version::spoken(asked).ok_or_else(|| unsupported(asked))?,
        };
        let (server, client, id) = (server.clone(), client.clone(), request.id.clone());
        Ok(Self { server, client, out, id, version, meta: Arc::new(meta), params })
    }

    pub(super) fn is_modern(&self) -> bool {
        self.version.is_modern()
    }

    /// Whom something is kept for that belongs to this request.
    pub(super) fn owner(&self) -> Option<Arc<str>> {
        self.server.owner(&self.client.identity)
    }

    /// The parameters, as this method has them.
    pub(super) fn read<'a, T: Deserialize<'a>>(&'a self) -> Result<T, Fault> {
        serde_json::from_str(self.params.as_str()).map_err(|error| Fault::invalid_params(error.to_string()))
    }

    /// The circumstances for the gateway. Questions of the modern era are `wanted` from whoever answers the request.
    pub(super) fn cx(&self, wanted: Option<mpsc::UnboundedSender<super::back::Wanted>>) -> Cx {
        let back = Arc::new(Back::new(self, wanted));
        let mut cx = self.client.identity.cx(&self.server.terms().request);
        cx.client = self.client_name();
        cx.session = self.client.session.clone();
        cx.trace = self.meta.trace().unwrap_or_else(|| trace_context(&cx.headers));
        cx.via = self.meta.via();
        cx.progress = self.progress();
        cx.asker = back.can("elicitation").then(|| super::back::asker(back.clone()));
        cx.counterpart = Some(back);
        cx
    }

    /// What the client calls itself, where it says so.
    fn client_name(&self) -> Option<Arc<str>> {
        self.meta.client.as_ref().and_then(Named::name).or_else(|| self.client.name())
    }

    /// What the client can do, as far as it says.
    pub(super) fn capabilities(&self) -> Option<RawJson> {
        match self.is_modern() {
            true => self.meta.capabilities.clone(),
            false => self.client.capabilities(),
        }
    }

    /// Log messages below this are not wanted; none where none are.
    pub(super) fn log_level(&self) -> Option<u8> {
        match self.is_modern() {
            true => self.meta.log_level.as_deref().and_then(logging::rank),
            false => self.client.log_level().or(Some(0)),
        }
    }

    /// What a tool is told beside its arguments: what the client wrote there. A client of the old era has said beforehand how
    /// loud it wants the log to be; a server of the modern one wants to hear it with every call.
    pub(super) fn meta_of_call(&self, written: Option<&RawJson>) -> Option<RawJson> {
        let level = self.client.log_level().filter(|_| !self.is_modern()).and_then(logging::word);
        let Some(level) = level else { return written.cloned() };
        let mut meta = written.and_then(|it| Object::parse(it.as_str())).unwrap_or_default();
        let level = message::quoted(level);
        meta.set(LOG_LEVEL, level.as_str());
        RawJson::parse(&meta.to_string()).ok()
    }

    /// A result in the words of the era: the modern one wants to know that this is all.
    pub(super) fn complete(&self, result: String) -> String {
        if !self.is_modern() || says_result_type(&result) {
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
            out.send(message::notification("notifications/progress", Some(&params)));
        }))
    }
}

/// Steps are counted, so whole numbers are written as such.
fn number(it: f64) -> Value {
    // Up to there each whole number is one that `f64` has.
    let is_whole = it.fract() == 0.0 && it.abs() < 9e15;
    if is_whole { json!(it as i64) } else { json!(it) }
}

impl Meta {
    fn via(&self) -> Arc<[String]> {
        self.via.as_ref().map_or_else(|| Arc::new([]) as Arc<[String]>, |it| toolscout_gateway::via(it).into())
    }

    /// None where the message itself says nothing: then what stands around it counts.
    fn trace(&self) -> Option<Arc<[(String, String)]>> {
        let named = [("traceparent", &self.traceparent), ("tracestate", &self.tracestate), ("baggage", &self.baggage)];
        let said: Arc<[_]> =
            named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value.clone()?))).collect();
        Some(said).filter(|it| !it.is_empty())
    }
}

fn says_result_type(result: &str) -> bool {
    // Nearly none does, and some are long.
    result.contains("\"resultType\"") && Object::parse(result).is_some_and(|it| it.get("resultType").is_some())
}

fn unsupported(asked: &str) -> Fault {
    let data: Value = json!({"supported": SPOKEN, "requested": asked});
    Fault { data: Some(data), ..Fault::new(Fault::VERSION, "this version of the protocol is not spoken here") }
}
