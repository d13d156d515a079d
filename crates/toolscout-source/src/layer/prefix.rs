//! Gives every tool of a source a common beginning.

use super::not_mine;
use futures_util::StreamExt;
use std::sync::Arc;
use toolscout_core::{
    Authorized, BoxFuture, BoxStream, Cx, Delegation, Digest, DiscoveryItem, Layer, Source, SourceError, Through, Tool,
    ToolCall, ToolName, ToolOutput,
};

/// Puts this before every name: with `Prefix("mail_")`, `send` is `mail_send` to the outside. The source itself
/// never hears of it.
#[derive(Debug, Clone)]
pub struct Prefix<T: AsRef<str>>(pub T);

impl<T: AsRef<str>> Layer for Prefix<T> {
    fn layer(&self, inner: Arc<dyn Source>) -> Arc<dyn Source> {
        Arc::new(Prefixed { prefix: self.0.as_ref().into(), inner })
    }
}

struct Prefixed {
    prefix: Box<str>,
    inner: Arc<dyn Source>,
}

impl Through for Prefixed {
    fn behind(&self) -> &dyn Source {
        &*self.inner
    }

    fn discover(&self, cx: Cx) -> BoxStream<'_, Result<DiscoveryItem, SourceError>> {
        let rename = |found| match found {
            Ok(DiscoveryItem::Tool(tool)) => {
                Ok(DiscoveryItem::Tool(Arc::new(self.outward(Arc::unwrap_or_clone(tool)))))
            }
            other => other,
        };
        Box::pin(self.inner.discover(cx).map(rename))
    }

    fn load<'a>(&'a self, name: &'a ToolName, cx: Cx) -> BoxFuture<'a, Result<Option<Tool>, SourceError>> {
        Box::pin(async move {
            let Some(inner_name) = self.inward(name) else { return Ok(None) };
            let tool = self.inner.load(&inner_name, cx).await?;
            Ok(tool.map(|it| self.outward(it)))
        })
    }

    fn call(&self, call: Authorized<ToolCall>, cx: Cx) -> BoxFuture<'_, Result<ToolOutput, SourceError>> {
        Box::pin(async move {
            let name = &call.get().tool.name;
            let inner_name = self.inward(name).ok_or_else(|| not_mine(self.id(), name))?;
            let expect = self.expected(&inner_name, call.get().expect, &cx).await?;
            self.inner.call(call.renamed(inner_name, expect), cx).await
        })
    }

    /// What it finds by itself has names without the prefix.
    fn delegation(&self) -> Option<Delegation> {
        None
    }
}

impl Prefixed {
    fn outward(&self, mut tool: Tool) -> Tool {
        // Longer than a name that was not empty, so it is not empty either.
        if let Ok(name) = ToolName::new(&format!("{}{}", self.prefix, tool.id.name)) {
            tool.id.name = name;
        }
        tool
    }

    /// What was expected of the tool under our name, said of the same tool under its own.
    async fn expected(&self, name: &ToolName, seen: Option<Digest>, cx: &Cx) -> Result<Option<Digest>, SourceError> {
        let Some(seen) = seen else { return Ok(None) };
        let tool = self.inner.load(name, cx.clone()).await?.ok_or_else(|| not_mine(self.id(), name))?;
        let digest = tool.digest();
        if self.outward(tool).digest() == seen {
            Ok(Some(digest))
        } else {
            Err(SourceError::Changed { id: self.id().clone(), name: name.to_string() })
        }
    }

    fn inward(&self, name: &ToolName) -> Option<ToolName> {
        ToolName::new(name.as_str().strip_prefix(&*self.prefix)?).ok()
    }
}
