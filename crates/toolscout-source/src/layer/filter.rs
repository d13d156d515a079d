//! Lists and runs only some tools of a source.

use super::not_mine;
use futures_util::{StreamExt, future};
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;
use toolscout_core::{
    Authorized, BoxFuture, BoxStream, Cx, Delegation, DiscoveryItem, Layer, NamePattern, Source,
    SourceError, SourceWrapper, Tool, ToolCall, ToolName, ToolOutput,
};

/// Hides tools by name, and refuses calls of hidden tools.
#[derive(Clone)]
pub struct Filter {
    allows: Arc<dyn Fn(&ToolName) -> bool + Send + Sync>,
    /// Whether it certainly hides nothing.
    allows_all: bool,
}

impl Filter {
    /// Only these tools.
    pub fn allow<T: Into<String>>(names: impl IntoIterator<Item = T>) -> Self {
        let names: HashSet<String> = names.into_iter().map(Into::into).collect();
        Self::from_fn(move |name| names.contains(name.as_str()))
    }

    /// All tools but these.
    pub fn deny<T: Into<String>>(names: impl IntoIterator<Item = T>) -> Self {
        let names: HashSet<String> = names.into_iter().map(Into::into).collect();
        Self::from_fn(move |name| !names.contains(name.as_str()))
    }

    /// Only tools that match a pattern of `include` (all tools if it is none) and no pattern of
    /// `exclude`. In both, `*` stands for any text.
    pub fn patterns(include: Option<Vec<String>>, exclude: Vec<String>) -> Self {
        let parse =
            |value: Vec<String>| -> Vec<_> { value.into_iter().map(NamePattern::new).collect() };
        let (include, exclude) = (include.map(parse), parse(exclude));
        let allows_all = include.is_none() && exclude.is_empty();
        let any = |patterns: &[NamePattern], name: &str| {
            patterns.iter().any(|pattern| pattern.matches(name))
        };
        let allows = move |name: &ToolName| {
            include.as_ref().is_none_or(|include| any(include, name.as_str()))
                && !any(&exclude, name.as_str())
        };
        Self { allows_all, ..Self::from_fn(allows) }
    }

    /// The tools for which the predicate is true.
    pub fn from_fn(allows: impl Fn(&ToolName) -> bool + Send + Sync + 'static) -> Self {
        Self { allows: Arc::new(allows), allows_all: false }
    }

    /// Whether a tool of this name is visible.
    pub fn allows(&self, name: &ToolName) -> bool {
        (self.allows)(name)
    }
}

impl fmt::Debug for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Filter")
    }
}

impl Layer for Filter {
    fn layer(&self, inner: Arc<dyn Source>) -> Arc<dyn Source> {
        if self.allows_all { inner } else { Arc::new(Filtered { filter: self.clone(), inner }) }
    }
}

struct Filtered {
    filter: Filter,
    inner: Arc<dyn Source>,
}

impl SourceWrapper for Filtered {
    fn inner(&self) -> &dyn Source {
        &*self.inner
    }

    fn discover(&self, cx: Cx) -> BoxStream<'_, Result<DiscoveryItem, SourceError>> {
        let is_visible = |found: &Result<DiscoveryItem, SourceError>| match found {
            Ok(DiscoveryItem::Tool(tool)) => self.allows(&tool.id.name),
            _ => true,
        };
        Box::pin(self.inner.discover(cx).filter(move |value| future::ready(is_visible(value))))
    }

    fn load<'a>(
        &'a self,
        name: &'a ToolName,
        cx: Cx,
    ) -> BoxFuture<'a, Result<Option<Tool>, SourceError>> {
        if self.allows(name) {
            return self.inner.load(name, cx);
        }
        Box::pin(async move {
            match self.refuse(name, cx).await {
                SourceError::NotMine { .. } => Ok(None),
                refused => Err(refused),
            }
        })
    }

    fn call(
        &self,
        call: Authorized<ToolCall>,
        cx: Cx,
    ) -> BoxFuture<'_, Result<ToolOutput, SourceError>> {
        if self.allows(&call.get().tool.name) {
            return self.inner.call(call, cx);
        }
        Box::pin(async move { Err(self.refuse(&call.get().tool.name, cx).await) })
    }

    fn delegation(&self) -> Option<Delegation> {
        let with_filter = |delegation: Delegation| Delegation {
            is_unfiltered: delegation.is_unfiltered && self.filter.allows_all,
            ..delegation
        };
        self.inner.delegation().map(with_filter)
    }
}

impl Filtered {
    fn allows(&self, name: &ToolName) -> bool {
        self.filter.allows(name)
    }

    /// The error for a hidden name. If the source has no such tool, it is `NotMine`, since another
    /// source may have it.
    async fn refuse(&self, name: &ToolName, cx: Cx) -> SourceError {
        match self.inner.load(name, cx).await {
            Ok(None) => not_mine(self.id(), name),
            _ => {
                let id = self.id();
                let reason = format!("tool \"{id}__{name}\" is disabled on server \"{id}\"");
                SourceError::Refused { reason }
            }
        }
    }
}
