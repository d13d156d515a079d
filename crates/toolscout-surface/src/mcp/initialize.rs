//! `initialize` and `server/discover`: the name, the capabilities and the supported revisions of
//! this server.

use super::client::ClientInfo;
use super::exchange::Exchange;
use super::list;
use super::version::{SUPPORTED_VERSIONS, Version};
use super::{library, meta};
use serde::Deserialize;
use serde_json::{Value, json};
use toolscout_core::RawJson;
use toolscout_core::jsonrpc::RpcError;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params {
    protocol_version: String,
    capabilities: Option<RawJson>,
    client_info: Option<ClientInfo>,
}

/// The old era: negotiates a revision, and stores the capabilities of the client.
pub(super) async fn initialize(exchange: &Exchange) -> Result<String, RpcError> {
    let Params { protocol_version, capabilities, client_info } = exchange.parse_params()?;
    let version = Version::negotiate(&protocol_version);
    exchange.client.initialize(
        version,
        client_info.and_then(|client_info| client_info.name()),
        capabilities,
    );
    let mut response = common_response(exchange).await;
    response["protocolVersion"] = version.name().into();
    response["serverInfo"] = server_info(exchange);
    Ok(response.to_string())
}

/// The response to `server/discover`, of the modern era.
pub(super) async fn discover(exchange: &Exchange) -> Result<String, RpcError> {
    let mut response = common_response(exchange).await;
    response["supportedVersions"] = json!(SUPPORTED_VERSIONS);
    response["_meta"] = json!({"io.modelcontextprotocol/serverInfo": server_info(exchange)});
    Ok(list::cacheable(exchange, response.to_string()).await)
}

async fn common_response(exchange: &Exchange) -> Value {
    let mut capabilities = library::capabilities(exchange).await;
    capabilities["tools"] = json!({"listChanged": true});
    if exchange.server.options.transparent.is_none() {
        // Tools of folders send log messages as well.
        capabilities["logging"] = json!({});
    }
    let mut response = json!({"capabilities": capabilities});
    if let Some(instructions) = instructions(exchange).await {
        response["instructions"] = instructions.into();
    }
    response
}

async fn instructions(exchange: &Exchange) -> Option<String> {
    match exchange.server.options.transparent {
        Some(_) => library::instructions(exchange).await,
        // Describes only the shared catalog, because the response may be cached and shown to other
        // users.
        None => Some(meta::instructions(
            &exchange.server.gateway.snapshot(),
            &exchange.server.options.essential,
        )),
    }
}

fn server_info(exchange: &Exchange) -> Value {
    let options = &exchange.server.options;
    json!({"name": options.name, "version": options.version})
}
