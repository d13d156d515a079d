//! Takes the messages of clients, and dispatches each request by its method.

use super::client::{Client, Outlet};
use super::exchange::Exchange;
use super::message::Incoming;
use super::server::{Reply, SESSION_METHODS, Server};
use super::{call, errors, initialize, library, list, listen};
use serde_json::Value;
use std::sync::Arc;
use toolscout_core::RawJson;
use toolscout_core::jsonrpc::RpcError;

impl Server {
    /// Takes one message. Messages sent before the response go to `out`; the response is returned.
    /// Notifications, responses and requests that the client cancelled have none. Cancel-safe:
    /// dropping the future cancels the request.
    pub async fn handle(
        self: &Arc<Self>,
        client: &Arc<Client>,
        incoming: Incoming,
        out: Arc<dyn Outlet>,
    ) -> Option<Reply> {
        let request = match incoming {
            Incoming::Request(request) => request,
            Incoming::Notification { method, params } => {
                if method == "notifications/cancelled"
                    && let Some(id) = cancelled_id(params.as_ref())
                {
                    client.cancel(&id);
                }
                return None;
            }
            Incoming::Response { id, outcome } => {
                client.handle_response(&id, outcome);
                return None;
            }
        };
        let (_in_flight, mut cancelled) = match client.register_request(&request.id) {
            Ok(registered) => registered,
            Err(reason) => return Some(Reply::from_result(&request.id, Err(errors::busy(reason)))),
        };
        let responding = async {
            let exchange = Exchange::from_request(self, client, out, &request)?;
            respond(&exchange, &request.method).await
        };
        tokio::select! {
            biased;
            result = responding => Some(Reply::from_result(&request.id, result)),
            _ = &mut cancelled => None,
        }
    }

    /// Notifies a client of the old era about changes, for as long as the future is polled.
    pub async fn notify_of_changes(self: &Arc<Self>, client: Arc<Client>) {
        listen::notify_of_changes(self, &client).await;
    }
}

/// Dispatches a request by its method. The result is the text of a JSON object.
async fn respond(exchange: &Exchange, method: &str) -> Result<String, RpcError> {
    if exchange.is_modern() && SESSION_METHODS.contains(&method) {
        return Err(RpcError::unknown_method(method));
    }
    let result = match method {
        "initialize" => initialize::initialize(exchange).await,
        "server/discover" => initialize::discover(exchange).await,
        "ping" => Ok("{}".to_owned()),
        "tools/list" => list::tools(exchange).await,
        "tools/call" => call::call(exchange).await,
        "resources/list" => library::resources(exchange).await,
        "resources/templates/list" => library::templates(exchange).await,
        "resources/read" => library::read(exchange).await,
        "resources/subscribe" => library::subscribe(exchange).await,
        "resources/unsubscribe" => library::unsubscribe(exchange).await,
        "prompts/list" => library::prompts(exchange).await,
        "prompts/get" => library::prompt(exchange).await,
        "completion/complete" => library::complete(exchange).await,
        "logging/setLevel" => library::set_level(exchange).await,
        "subscriptions/listen" if exchange.is_modern() => listen::listen(exchange).await,
        _ => Err(RpcError::unknown_method(method)),
    }?;
    Ok(exchange.complete(result))
}

fn cancelled_id(params: Option<&RawJson>) -> Option<RawJson> {
    match params?.to_value().get("requestId")? {
        id @ (Value::String(_) | Value::Number(_)) => Some(RawJson::from_value(id)),
        _ => None,
    }
}
