//! The library of a server as a source: resources and prompts, from the record or from the running
//! server.

#[cfg(all(test, unix))]
mod tests;

use super::McpSource;
use crate::client::McpClient;
use crate::discovery::{in_full, soonest};
use crate::record::KnownLibrary;
use crate::{ClientError, demand};
use futures_util::stream;
use serde_json::{Value, json};
use std::time::Instant;
use tokio::sync::broadcast::error::RecvError;
use toolscout_core::{
    BoxFuture, BoxStream, Cx, Library, LibraryContents, LibraryEvent, RawJson, Source, SourceError,
};

impl Library for McpSource {
    fn holdings(&self, cx: &Cx) -> Result<LibraryContents, SourceError> {
        let known = self.shared().read(self.server(), cx)?.library.unwrap_or_default();
        let KnownLibrary { capabilities, instructions, resources, templates, prompts, .. } = known;
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
        Box::pin(stream::unfold(self.supervisor().news(), |mut news| async move {
            loop {
                match news.recv().await {
                    Ok(it) => return Some((it, news)),
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
        let in_use = self.supervisor().acquire(&cx).await.map_err(|it| it.of(id))?;
        let client = &in_use.0.client;
        let limit = self.time_for_a_call();
        let deadline = soonest(&cx, limit);
        let result = match method {
            "resources/subscribe" | "resources/unsubscribe" => {
                self.subscribe(client, method, &params, &cx, deadline).await
            }
            // In the modern era each request contains its own log level.
            "logging/setLevel" if client.era().is_modern() => Ok(RawJson::from_value(&json!({}))),
            _ => client.request(method, &params, &cx, deadline).await,
        };
        in_use.0.has_answered();
        let result = result.map_err(|it| in_full(it, limit, deadline, &cx).of(id))?;
        match demand::of(&result).filter(|_| client.era().is_modern() && cx.counterpart.is_none()) {
            Some(wanted) => {
                let reason =
                    format!("`{method}` needs input that this client cannot give: {wanted}");
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
        method: &str,
        params: &RawJson,
        cx: &Cx,
        deadline: Instant,
    ) -> Result<RawJson, ClientError> {
        let Value::String(uri) = params.to_value()["uri"].take() else {
            return Err(ClientError::invalid(format!("`{method}` needs the `uri` of a resource")));
        };
        let is_wanted = method == "resources/subscribe";
        if !client.era().is_modern() {
            let result = client.request(method, params, cx, deadline).await?;
            self.supervisor().watch(uri, is_wanted)?;
            return Ok(result);
        }
        let watched = self.supervisor().watch(uri, is_wanted)?;
        client.watch(watched).await.map(|()| RawJson::from_value(&json!({})))
    }
}
