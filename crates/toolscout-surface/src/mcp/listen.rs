//! Notifications about changes: unsolicited for clients of the old era, on a subscription for
//! clients of the modern era.

use super::client::{Client, Outlet};
use super::exchange::Exchange;
use super::library;
use super::server::Server;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::sync::Arc;
use tokio::sync::broadcast::error::RecvError;
use toolscout_core::jsonrpc::RpcError;
use toolscout_core::jsonrpc::notification;
use toolscout_core::{Cx, LibraryEvent, RawJson, SourceId};

/// The key of the subscription id in every notification on its stream.
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// The notifications that a client subscribes to.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
struct SubscriptionFilter {
    #[serde(skip_serializing_if = "is_false")]
    tools_list_changed: bool,
    #[serde(skip_serializing_if = "is_false")]
    prompts_list_changed: bool,
    #[serde(skip_serializing_if = "is_false")]
    resources_list_changed: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    resource_subscriptions: Vec<String>,
}

#[derive(Deserialize)]
struct Params {
    #[serde(default)]
    notifications: SubscriptionFilter,
}

/// Notifies a client of the old era about everything, for as long as the future is polled.
pub(super) async fn notify_of_changes(server: &Arc<Server>, client: &Arc<Client>) {
    let everything = SubscriptionFilter {
        tools_list_changed: true,
        prompts_list_changed: true,
        resources_list_changed: true,
        ..SubscriptionFilter::default()
    };
    let subscribed = |uri: &str| client.subscriptions(|all| all.iter().any(|item| item == uri));
    let cx = client.identity.cx(&server.options.request);
    notify(server, &cx, client.identity.shows_all, &everything, subscribed, &client.out, None)
        .await;
}

/// Notifies a client of the modern era about its subscriptions, until it closes the stream or
/// leaves.
pub(super) async fn listen(exchange: &Exchange) -> Result<String, RpcError> {
    let Params { notifications: mut filter } = exchange.parse_params()?;
    let capabilities = library::capabilities(exchange).await;
    filter.prompts_list_changed &= capabilities["prompts"].is_object();
    filter.resources_list_changed &= capabilities["resources"].is_object();
    if capabilities["resources"]["subscribe"] != true {
        filter.resource_subscriptions.clear();
    }
    let agreed = json!({"notifications": filter, "_meta": {SUBSCRIPTION: exchange.id}});
    let cx = exchange.cx(None);
    // Read before the subscription is acknowledged, so that no later change is missed.
    let before =
        exchange.server.client_view(&cx).await.1.fingerprint(exchange.client.identity.shows_all);
    exchange
        .out
        .send(notification("notifications/subscriptions/acknowledged", Some(&agreed.to_string())));
    let uris = filter.resource_subscriptions.clone();
    for uri in &uris {
        library::subscribe_quietly(exchange, uri).await;
    }
    let subscribed = |uri: &str| uris.iter().any(|it| it == uri);
    let shows_all = exchange.client.identity.shows_all;
    let to = (&exchange.out, Some(&exchange.id));
    tokio::select! {
        () = notify_since(before, &exchange.server, &cx, shows_all, &wants, subscribed, to) => {}
        () = exchange.client.left() => {}
    }
    let result = json!({"_meta": {SUBSCRIPTION: exchange.id}});
    Ok(result.to_string())
}

async fn notify(
    server: &Arc<Server>,
    cx: &Cx,
    shows_all: bool,
    wants: &Wants,
    subscribed: impl Fn(&str) -> bool,
    out: &Arc<dyn Outlet>,
    subscription: Option<&RawJson>,
) {
    let before = server.client_view(cx).await.1.fingerprint(shows_all);
    notify_since(before, server, cx, shows_all, wants, subscribed, (out, subscription)).await;
}

/// Sends notifications until the gateway is dropped. A change of the catalog that does not change
/// the list is not reported.
async fn notify_since(
    mut before: u64,
    server: &Arc<Server>,
    cx: &Cx,
    shows_all: bool,
    wants: &Wants,
    subscribed: impl Fn(&str) -> bool,
    (out, subscription): (&Arc<dyn Outlet>, Option<&RawJson>),
) {
    let (mut changes, mut news) = (server.gateway.changes(), server.gateway.library_news());
    changes.mark_changed();
    let send = |method: &str, params: Option<&RawJson>| {
        let params = tagged(params, subscription);
        out.send(notification(method, params.as_deref()));
    };
    loop {
        tokio::select! {
            changed = changes.changed() => {
                if changed.is_err() {
                    return;
                }
                let now = server.client_view(cx).await.1.fingerprint(shows_all);
                if wants.tools_list_changed && now != before {
                    send("notifications/tools/list_changed", None);
                }
                before = now;
            }
            heard = news.recv() => match heard {
                Ok((source, _)) if !server.gateway.has_library_of(&source) => {}
                Ok((_, LibraryEvent::ResourcesChanged)) if wants.resources_list_changed => {
                    send("notifications/resources/list_changed", None);
                }
                Ok((_, LibraryEvent::PromptsChanged)) if wants.prompts_list_changed => {
                    send("notifications/prompts/list_changed", None);
                }
                Ok((_, LibraryEvent::ResourceUpdated(params))) => {
                    if params.to_value()["uri"].as_str().is_some_and(&subscribed) {
                        send("notifications/resources/updated", Some(&params));
                    }
                }
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return,
            },
        }
    }
}

/// The parameters with the id of the subscription.
fn tagged(params: Option<&RawJson>, subscription: Option<&RawJson>) -> Option<String> {
    let Some(subscription) = subscription else {
        return params.map(|param| param.as_str().to_owned());
    };
    let mut params = params.map(RawJson::to_value).unwrap_or_else(|| json!({}));
    params["_meta"][SUBSCRIPTION] = subscription.to_value();
    Some(params.to_string())
}

fn is_false(value: &bool) -> bool {
    !value
}
