//! Greetings: who we are, what we can do, which revisions we speak.

use super::exchange::Exchange;
use super::fault::Fault;
use super::list;
use super::version::{SPOKEN, Version};
use super::{library, meta};
use serde::Deserialize;
use serde_json::{Value, json};
use toolscout_core::RawJson;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params {
    protocol_version: String,
    capabilities: Option<RawJson>,
}

/// The old era: agree on a revision, and remember what the client can do.
pub(super) async fn initialize(exchange: &Exchange) -> Result<String, Fault> {
    let Params { protocol_version, capabilities } = exchange.read()?;
    let version = Version::agreed(&protocol_version);
    exchange.client.initialize(version, capabilities);
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
        None => Some(meta::INSTRUCTIONS.to_owned()),
    }
}

fn who(exchange: &Exchange) -> Value {
    let terms = exchange.server.terms();
    json!({"name": terms.name, "version": terms.version})
}
