//! Adds a common prefix to the names of all tools of a source.

use super::not_mine;
use futures_util::StreamExt;
use std::sync::Arc;
use toolscout_core::{
    Authorized, BoxFuture, BoxStream, Cx, Delegation, Digest, DiscoveryItem, Layer, Source,
    SourceError, SourceWrapper, Tool, ToolCall, ToolName, ToolOutput,
};

/// Adds this prefix to every name: with `Prefix("mail_")`, clients see `send` as `mail_send`. The
/// source itself only sees its own names.
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

impl SourceWrapper for Prefixed {
    fn inner(&self) -> &dyn Source {
        &*self.inner
    }

    fn discover(&self, cx: Cx) -> BoxStream<'_, Result<DiscoveryItem, SourceError>> {
        let rename = |found| match found {
            Ok(DiscoveryItem::Tool(tool)) => {
                Ok(DiscoveryItem::Tool(Arc::new(self.with_prefix(Arc::unwrap_or_clone(tool)))))
            }
            other => other,
        };
        Box::pin(self.inner.discover(cx).map(rename))
    }

    fn load<'a>(
        &'a self,
        name: &'a ToolName,
        cx: Cx,
    ) -> BoxFuture<'a, Result<Option<Tool>, SourceError>> {
        Box::pin(async move {
            let Some(inner_name) = self.without_prefix(name) else { return Ok(None) };
            let tool = self.inner.load(&inner_name, cx).await?;
            Ok(tool.map(|tool| self.with_prefix(tool)))
        })
    }

    fn call(
        &self,
        call: Authorized<ToolCall>,
        cx: Cx,
    ) -> BoxFuture<'_, Result<ToolOutput, SourceError>> {
        Box::pin(async move {
            let name = &call.get().tool.name;
            let inner_name = self.without_prefix(name).ok_or_else(|| not_mine(self.id(), name))?;
            let expect = self.convert_digest(&inner_name, call.get().expect, &cx).await?;
            self.inner.call(call.renamed(inner_name, expect), cx).await
        })
    }

    /// No delegation, since the source's own search returns names without the prefix.
    fn delegation(&self) -> Option<Delegation> {
        None
    }
}

impl Prefixed {
    fn with_prefix(&self, mut tool: Tool) -> Tool {
        // Longer than a non-empty name, so it is not empty either.
        if let Ok(name) = ToolName::new(&format!("{}{}", self.prefix, tool.id.name)) {
            tool.id.name = name;
        }
        tool
    }

    /// Converts the expected digest of the tool from the prefixed name to its own name.
    async fn convert_digest(
        &self,
        name: &ToolName,
        expected_digest: Option<Digest>,
        cx: &Cx,
    ) -> Result<Option<Digest>, SourceError> {
        let Some(expected_digest) = expected_digest else { return Ok(None) };
        let tool =
            self.inner.load(name, cx.clone()).await?.ok_or_else(|| not_mine(self.id(), name))?;
        let digest = tool.digest();
        if self.with_prefix(tool).digest() == expected_digest {
            Ok(Some(digest))
        } else {
            Err(SourceError::Changed { id: self.id().clone(), name: name.to_string() })
        }
    }

    fn without_prefix(&self, name: &ToolName) -> Option<ToolName> {
        ToolName::new(name.as_str().strip_prefix(&*self.prefix)?).ok()
    }
}
