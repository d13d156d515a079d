//! Greetings: who we are, what we can do, which revisions we speak.

use super::exchange::Exchange;
use super::fault::Fault;
use super::list;
use super::version::{SPOKEN, Version};
use super::{library, meta};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use toolscout_core::{RawJson, escape};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params {
    protocol_version: String,
    capabilities: Option<RawJson>,
    client_info: Option<Named>,
}

/// What a program calls itself. Whatever else it says about itself, and however it says it, is no reason to turn it away.
#[derive(Deserialize)]
#[serde(from = "Value")]
pub(super) struct Named(Option<Arc<str>>);

/// Characters of a name, and as many of a version, that anybody wants to read.
const LONGEST: usize = 64;

impl From<Value> for Named {
    fn from(said: Value) -> Self {
        let word = |key: &str| {
            let text = said.get(key).and_then(Value::as_str).map(|it| it.chars().take(LONGEST).collect::<String>());
            text.map(|it| escape::line(&it).into_owned()).filter(|it| !it.is_empty())
        };
        Self(word("name").map(|name| word("version").map_or(name.clone(), |it| format!("{name} {it}")).into()))
    }
}

impl Named {
    pub(super) fn name(&self) -> Option<Arc<str>> {
        self.0.clone()
    }
}

/// The old era: agree on a revision, and remember what the client can do.
pub(super) async fn initialize(exchange: &Exchange) -> Result<String, Fault> {
    let Params { protocol_version, capabilities, client_info } = exchange.read()?;
    let version = Version::agreed(&protocol_version);
    exchange.client.initialize(version, client_info.and_then(|it| it.name()), capabilities);
    let mut hello = introduction(exchange).await;
    hello["protocolVersion"] = version.name().into();
    hello["serverInfo"] = who(exchange);
    Ok(hello.to_string())
}

/// The modern era: the same to everybody who asks.
pub(super) async fn discover(exchange: &Exchange) -> Result<String, Fault> {
    let mut hello = introduction(exchange).await;
    hello["supportedVersions"] = json!(SPOKEN);
    hello["_meta"] = json!({"io.modelcontextprotocol/serverInfo": who(exchange)});
    Ok(list::cacheable(exchange, hello.to_string(), false))
}

async fn introduction(exchange: &Exchange) -> Value {
    let mut capabilities = library::capabilities(exchange).await;
    capabilities["tools"] = json!({"listChanged": true});
    let mut hello = json!({"capabilities": capabilities});
    if let Some(instructions) = instructions(exchange).await {
        hello["instructions"] = instructions.into();
    }
    hello
}

async fn instructions(exchange: &Exchange) -> Option<String> {
    match exchange.server.terms().transparent {
        Some(_) => library::instructions(exchange).await,
        // What everybody sees: a greeting may be kept, and told to others.
        None => Some(meta::instructions(&exchange.server.gateway().snapshot(), &exchange.server.terms().essential)),
    }
}

fn who(exchange: &Exchange) -> Value {
    let terms = exchange.server.terms();
    json!({"name": terms.name, "version": terms.version})
}
