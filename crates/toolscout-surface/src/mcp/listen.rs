//! Notifications about changes: unsolicited for clients of the old era, on a subscription for
//! clients of the modern era.

#[cfg(test)]
mod tests;

use super::client::{Client, Outlet};
use super::exchange::Exchange;
use super::library;
use super::server::Server;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::sync::Arc;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, watch};
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
    let subscribed = |uri: &str| client.subscriptions.contains(uri);
    let cx = client.identity.cx(&server.options.request);
    let feed = ChangeFeed::start(server, &cx, client.identity.shows_all).await;
    feed.notify(&everything, subscribed, (&client.out, None)).await;
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
    let shows_all = exchange.client.identity.shows_all;
    // Starts before the subscription is acknowledged, so that no later change is missed.
    let feed = ChangeFeed::start(&exchange.server, &cx, shows_all).await;
    exchange
        .out
        .send(notification("notifications/subscriptions/acknowledged", Some(&agreed.to_string())));
    // They end when this future is dropped.
    let mut subscriptions = Vec::new();
    for uri in &filter.resource_subscriptions {
        subscriptions.extend(library::subscribe_quietly(exchange, uri).await);
    }
    let subscribed = |uri: &str| subscriptions.iter().any(|item| item.uri() == uri);
    let target = (&exchange.out, Some(&exchange.id));
    tokio::select! {
        () = feed.notify(&filter, subscribed, target) => {}
        () = exchange.client.disconnected() => {}
    }
    let result = json!({"_meta": {SUBSCRIPTION: exchange.id}});
    Ok(result.to_string())
}

/// The changes since one moment, as one client sees them.
struct ChangeFeed<'a> {
    server: &'a Arc<Server>,
    cx: &'a Cx,
    shows_all: bool,
    changes: watch::Receiver<u64>,
    library_events: broadcast::Receiver<(SourceId, LibraryEvent)>,
    /// The fingerprint of the list of tools that the client has seen.
    before: u64,
}

impl<'a> ChangeFeed<'a> {
    /// Subscribes first and reads the list second: a change between the two is reported.
    async fn start(server: &'a Arc<Server>, cx: &'a Cx, shows_all: bool) -> Self {
        let library_events = server.gateway.library_events();
        let mut changes = server.gateway.changes();
        changes.mark_changed();
        let before = server.client_view(cx).await.1.fingerprint(shows_all);
        Self { server, cx, shows_all, changes, library_events, before }
    }

    /// Sends notifications until the gateway is dropped. A change of the catalog that does not
    /// change the list is not reported.
    async fn notify(
        mut self,
        filter: &SubscriptionFilter,
        subscribed: impl Fn(&str) -> bool,
        (out, subscription): (&Arc<dyn Outlet>, Option<&RawJson>),
    ) {
        let send = |method: &str, params: Option<&RawJson>| {
            let params = tagged(params, subscription);
            out.send(notification(method, params.as_deref()));
        };
        loop {
            tokio::select! {
                changed = self.changes.changed() => {
                    if changed.is_err() {
                        return;
                    }
                    let now = self.server.client_view(self.cx).await.1.fingerprint(self.shows_all);
                    if filter.tools_list_changed && now != self.before {
                        send("notifications/tools/list_changed", None);
                    }
                    self.before = now;
                }
                event = self.library_events.recv() => match event {
                    Ok((source, _)) if !self.server.gateway.has_library_of(&source) => {}
                    Ok((_, LibraryEvent::ResourcesChanged)) if filter.resources_list_changed => {
                        send("notifications/resources/list_changed", None);
                    }
                    Ok((_, LibraryEvent::PromptsChanged)) if filter.prompts_list_changed => {
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
}

/// The parameters with the id of the subscription.
fn tagged(params: Option<&RawJson>, subscription: Option<&RawJson>) -> Option<String> {
    let Some(subscription) = subscription else {
        return params.map(|param| param.as_str().to_owned());
    };
    let mut params = params.map(RawJson::to_value).unwrap_or_else(|| json!({}));
    let meta = &mut params["_meta"];
    // A server may have sent a value of any type.
    if !meta.is_object() {
        *meta = json!({});
    }
    meta[SUBSCRIPTION] = subscription.to_value();
    Some(params.to_string())
}

fn is_false(value: &bool) -> bool {
    !value
}
