//! The prompts that are known, in the words of the protocol.

use super::Prompt;
use futures_util::stream;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use tokio::sync::watch;
use toolscout_core::{
    BoxFuture, BoxStream, Cx, Library, LibraryContents, LibraryEvent, RawJson, SourceError, SourceId,
};

/// The protocol's numbers for a method that is not there, and for parameters that do not fit.
const NO_METHOD: i64 = -32_601;
const PARAMS: i64 = -32_602;

/// What the last whole discovery found.
pub(crate) struct PromptLibrary {
    id: SourceId,
    known: watch::Sender<Arc<[Prompt]>>,
}

impl PromptLibrary {
    pub(crate) fn new(id: SourceId) -> Self {
        Self { id, known: watch::Sender::new(Arc::default()) }
    }

    /// Puts these in place of those that were there. Whoever listens hears of it, if they are others.
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
        let prompt = prompt.ok_or_else(|| self.refused(PARAMS, format!("there is no prompt `{name}`")))?;
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
        let able = if known.is_empty() { json!({}) } else { json!({"prompts": {"listChanged": true}}) };
        let prompts = known.iter().map(Prompt::definition).collect();
        Ok(LibraryContents { capabilities: Some(RawJson::from_value(&able)), prompts, ..LibraryContents::default() })
    }

    fn request<'a>(&'a self, method: &'a str, params: RawJson, _: Cx) -> BoxFuture<'a, Result<RawJson, SourceError>> {
        let answer = match method {
            "prompts/get" => self.given(&params.to_value()),
            // Clients ask while a person types; there is nothing that we could propose.
            "completion/complete" => Ok(RawJson::from_value(&json!({"completion": {"values": []}}))),
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
