//! Serves the discovered prompts through the MCP methods.

use super::Prompt;
use futures_util::stream;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use tokio::sync::watch;
use toolscout_core::{
    BoxFuture, BoxStream, Cx, Library, LibraryContents, LibraryEvent, RawJson, SourceError,
    SourceId,
};

/// JSON-RPC error codes for an unknown method and for invalid parameters.
const NO_METHOD: i64 = -32_601;
const PARAMS: i64 = -32_602;

/// The prompts of the last complete discovery.
pub(crate) struct PromptLibrary {
    id: SourceId,
    known: watch::Sender<Arc<[Prompt]>>,
}

impl PromptLibrary {
    pub(crate) fn new(id: SourceId) -> Self {
        Self { id, known: watch::Sender::new(Arc::default()) }
    }

    /// Replaces the prompts. Subscribers are notified if the list has changed.
    pub(crate) fn publish(&self, prompts: Vec<Prompt>) {
        self.known.send_if_modified(|known| {
            let is_news = **known != *prompts;
            if is_news {
                *known = prompts.into();
            }
            is_news
        });
    }

    fn given(&self, params: &Value) -> Result<RawJson, SourceError> {
        let name = params["name"].as_str().unwrap_or_default();
        let known = self.known.borrow().clone();
        let prompt = known.iter().find(|it| it.name == name);
        let prompt =
            prompt.ok_or_else(|| self.refused(PARAMS, format!("there is no prompt `{name}`")))?;
        let arguments = match &params["arguments"] {
            Value::Null => Map::new(),
            Value::Object(map) => map.clone(),
            _ => return Err(self.refused(PARAMS, "`arguments` must be an object".to_owned())),
        };
        prompt.given(&arguments).map_err(|reason| self.refused(PARAMS, reason))
    }

    fn refused(&self, code: i64, message: String) -> SourceError {
        SourceError::Answered { id: self.id.clone(), code, message, data: None }
    }
}

impl Library for PromptLibrary {
    fn holdings(&self, _: &Cx) -> Result<LibraryContents, SourceError> {
        let known = self.known.borrow().clone();
        let able =
            if known.is_empty() { json!({}) } else { json!({"prompts": {"listChanged": true}}) };
        let prompts = known.iter().map(Prompt::definition).collect();
        Ok(LibraryContents {
            capabilities: Some(RawJson::from_value(&able)),
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
        let answer = match method {
            "prompts/get" => self.given(&params.to_value()),
            // Clients send this while the user types; we have no values to propose.
            "completion/complete" => {
                Ok(RawJson::from_value(&json!({"completion": {"values": []}})))
            }
            _ => Err(self.refused(NO_METHOD, format!("there is no `{method}` here"))),
        };
        Box::pin(std::future::ready(answer))
    }

    fn events(&self) -> BoxStream<'_, LibraryEvent> {
        Box::pin(stream::unfold(self.known.subscribe(), |mut known| async move {
            known.changed().await.ok()?;
            Some((LibraryEvent::PromptsChanged, known))
        }))
    }
}
