//! Serves the discovered prompts through the MCP methods.

use super::Prompt;
use futures_util::stream;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::watch;
use toolscout_core::{
    BoxFuture, BoxStream, Cx, Library, LibraryContents, LibraryEvent, RawJson, SourceError,
    SourceId,
};

/// JSON-RPC error codes for an unknown method and for invalid parameters.
const METHOD_NOT_FOUND: i64 = -32_601;
const INVALID_PARAMS: i64 = -32_602;

/// The prompts of the last complete discovery.
pub(crate) struct PromptLibrary {
    id: SourceId,
    prompts: watch::Sender<Arc<[Prompt]>>,
    is_discovered: AtomicBool,
}

impl PromptLibrary {
    pub(crate) fn new(id: SourceId) -> Self {
        Self {
            id,
            prompts: watch::Sender::new(Arc::default()),
            is_discovered: AtomicBool::new(false),
        }
    }

    /// Replaces the prompts. Subscribers are notified if the list has changed, but not of the first
    /// list: no client has read an earlier one.
    pub(crate) fn publish(&self, prompts: Vec<Prompt>) {
        self.prompts.send_if_modified(|current| {
            let is_first = !self.is_discovered.swap(true, Ordering::Relaxed);
            let is_changed = **current != *prompts;
            if is_changed {
                *current = prompts.into();
            }
            is_changed && !is_first
        });
    }

    fn get(&self, params: &Value) -> Result<RawJson, SourceError> {
        let name = params["name"].as_str().unwrap_or_default();
        let prompts = self.prompts.borrow().clone();
        let prompt = prompts.iter().find(|item| item.name == name);
        let prompt =
            prompt.ok_or_else(|| self.error(INVALID_PARAMS, format!("unknown prompt `{name}`")))?;
        let arguments = match &params["arguments"] {
            Value::Null => Map::new(),
            Value::Object(map) => map.clone(),
            _ => return Err(self.error(INVALID_PARAMS, "`arguments` must be an object".to_owned())),
        };
        prompt.get(&arguments).map_err(|reason| self.error(INVALID_PARAMS, reason))
    }

    fn error(&self, code: i64, message: String) -> SourceError {
        SourceError::Answered { id: self.id.clone(), code, message, data: None }
    }
}

impl Library for PromptLibrary {
    fn contents(&self, _: &Cx) -> Result<LibraryContents, SourceError> {
        let prompts = self.prompts.borrow().clone();
        let capabilities =
            if prompts.is_empty() { json!({}) } else { json!({"prompts": {"listChanged": true}}) };
        let prompts = prompts.iter().map(Prompt::definition).collect();
        Ok(LibraryContents {
            capabilities: Some(RawJson::from_value(&capabilities)),
            prompts,
            ..LibraryContents::default()
        })
    }

    fn request<'a>(
        &'a self,
        method: &'a str,
        params: RawJson,
        _: Cx,
    ) -> BoxFuture<'a, Result<RawJson, SourceError>> {
        let response = match method {
            "prompts/get" => self.get(&params.to_value()),
            // Clients send this while the user types; we have no values to propose.
            "completion/complete" => {
                Ok(RawJson::from_value(&json!({"completion": {"values": []}})))
            }
            _ => Err(self.error(METHOD_NOT_FOUND, format!("method not found: `{method}`"))),
        };
        Box::pin(std::future::ready(response))
    }

    fn events(&self) -> BoxStream<'_, LibraryEvent> {
        Box::pin(stream::unfold(self.prompts.subscribe(), |mut prompts| async move {
            prompts.changed().await.ok()?;
            Some((LibraryEvent::PromptsChanged, prompts))
        }))
    }
}
