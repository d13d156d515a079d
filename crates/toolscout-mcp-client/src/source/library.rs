//! The library of a server as a source: resources and prompts, from the record or from the running
//! server.

#[cfg(all(test, unix))]
mod tests;

use super::McpSource;
use crate::client::McpClient;
use crate::discovery::{effective_deadline, with_configured_limit};
use crate::record::KnownLibrary;
use crate::{ClientError, input_required};
use futures_util::stream;
use serde_json::{Value, json};
use std::time::Instant;
use tokio::sync::broadcast::error::RecvError;
use toolscout_core::{
    BoxFuture, BoxStream, Cx, Library, LibraryContents, LibraryEvent, RawJson, Source, SourceError,
};

impl Library for McpSource {
    fn contents(&self, cx: &Cx) -> Result<LibraryContents, SourceError> {
        let library = self.context().read(self.server(), cx)?.library.unwrap_or_default();
        let KnownLibrary { capabilities, instructions, resources, templates, prompts, .. } =
            library;
        Ok(LibraryContents { capabilities, instructions, resources, templates, prompts })
    }

    fn request<'a>(
        &'a self,
        method: &'a str,
        params: RawJson,
        cx: Cx,
    ) -> BoxFuture<'a, Result<RawJson, SourceError>> {
        Box::pin(self.request_running(method, params, cx))
    }

    fn events(&self) -> BoxStream<'_, LibraryEvent> {
        Box::pin(stream::unfold(self.supervisor().library_events(), |mut events| async move {
            loop {
                match events.recv().await {
                    Ok(event) => return Some((event, events)),
                    // A slow receiver misses the oldest events.
                    Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return None,
                }
            }
        }))
    }
}

impl McpSource {
    async fn request_running(
        &self,
        method: &str,
        params: RawJson,
        cx: Cx,
    ) -> Result<RawJson, SourceError> {
        let id = self.id();
        self.check_may_start()?;
        if method == "resources/unsubscribe" {
            let uri = resource_uri(method, &params).map_err(|error| error.into_source_error(id))?;
            // Others are still subscribed, or the server is not running, or both.
            if !self.supervisor().remove_subscriber(&uri) || !self.supervisor().is_running() {
                return Ok(nothing());
            }
        }
        let limit = self.call_time_limit();
        let place = self.connections.take_place(&cx, effective_deadline(&cx, limit)).await;
        let place = place.map_err(|error| error.into_source_error(id))?;
        let in_use = if needs_main(method, &params) {
            self.supervisor().acquire(&cx).await
        } else {
            self.connections.acquire(&cx).await
        };
        let in_use = in_use.map_err(|error| error.into_source_error(id))?;
        let client = &in_use.0.client;
        let deadline = place.deadline(&cx, limit);
        let result = match method {
            "resources/subscribe" => self.subscribe(client, &params, &cx, deadline).await,
            "resources/unsubscribe" => self.unsubscribe(client, &params, &cx, deadline).await,
            // In the modern era each request contains its own log level.
            "logging/setLevel" if client.era().is_modern() => Ok(nothing()),
            _ => client.request(method, &params, &cx, deadline).await,
        };
        in_use.0.record_answer();
        let result = result.map_err(|error| {
            with_configured_limit(error, limit, deadline, &cx).into_source_error(id)
        })?;
        match input_required::describe(&result)
            .filter(|_| client.era().is_modern() && cx.reverse_channel.is_none())
        {
            Some(required_input) => {
                let reason = format!(
                    "`{method}` needs input that this client cannot provide: {required_input}"
                );
                Err(SourceError::Protocol { id: id.clone(), reason })
            }
            None => Ok(result),
        }
    }

    /// Subscribes to a resource. A subscription outlives the server's process: it is renewed
    /// whenever the server starts, and keeps it running.
    async fn subscribe(
        &self,
        client: &McpClient,
        params: &RawJson,
        cx: &Cx,
        deadline: Instant,
    ) -> Result<RawJson, ClientError> {
        let uri = resource_uri("resources/subscribe", params)?;
        if client.era().is_modern() {
            self.supervisor().add_subscriber(uri)?;
            return self.renew_subscriptions(client).await;
        }
        let result = client.request("resources/subscribe", params, cx, deadline).await?;
        self.supervisor().add_subscriber(uri)?;
        Ok(result)
    }

    /// Unsubscribes from a resource that has no subscriber left.
    async fn unsubscribe(
        &self,
        client: &McpClient,
        params: &RawJson,
        cx: &Cx,
        deadline: Instant,
    ) -> Result<RawJson, ClientError> {
        if client.era().is_modern() {
            return self.renew_subscriptions(client).await;
        }
        client.request("resources/unsubscribe", params, cx, deadline).await
    }

    async fn renew_subscriptions(&self, client: &McpClient) -> Result<RawJson, ClientError> {
        let resources = self.supervisor().subscriptions();
        client.subscribe_to_resources(resources).await.map(|()| nothing())
    }
}

fn resource_uri(method: &str, params: &RawJson) -> Result<String, ClientError> {
    match params.to_value()["uri"].take() {
        Value::String(uri) => Ok(uri),
        _ => Err(ClientError::invalid(format!("`{method}` needs the `uri` of a resource"))),
    }
}

fn nothing() -> RawJson {
    RawJson::from_value(&json!({}))
}

/// Whether a request must use the main connection: it changes what that connection sends, or it
/// continues a request that was sent there.
fn needs_main(method: &str, params: &RawJson) -> bool {
    if matches!(method, "resources/subscribe" | "resources/unsubscribe" | "logging/setLevel") {
        return true;
    }
    let params = params.to_value();
    ["inputResponses", "requestState"].iter().any(|key| params.get(key).is_some())
}
