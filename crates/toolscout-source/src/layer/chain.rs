//! Several sources as one: the first that has a tool serves it.

use super::not_mine;
use futures_util::stream::select_all;
use futures_util::{StreamExt, future, stream};
use std::collections::HashMap;
use std::sync::Arc;
use toolscout_core::{
    Authorized, BoxFuture, BoxStream, Cx, Diagnostic, DiagnosticKind, DiscoveryItem, ErrorKind,
    Library, ReviewMode, Source, SourceError, SourceId, SourceKind, Tool, ToolCall, ToolName,
    ToolOutput,
};

/// Several sources under one id, in order of precedence.
///
/// All are listed at once. If two have a tool with the same name, that of the earlier source stays;
/// a source that cannot be listed is a diagnostic. A call goes to the first source that has the
/// tool: `NotMine` passes it on to the next, any other error ends it.
pub struct Chain {
    id: SourceId,
    links: Vec<Arc<dyn Source>>,
}

impl Chain {
    /// Joins sources, in order of precedence.
    pub fn new(id: SourceId, links: impl IntoIterator<Item = Arc<dyn Source>>) -> Self {
        Self { id, links: links.into_iter().collect() }
    }

    fn adopt(&self, mut tool: Tool) -> Tool {
        tool.id.source = self.id.clone();
        tool
    }
}

impl Source for Chain {
    fn id(&self) -> &SourceId {
        &self.id
    }

    /// The highest precedence among its links.
    fn kind(&self) -> SourceKind {
        self.links.iter().map(|link| link.kind()).min().unwrap_or(SourceKind::Request)
    }

    /// A review is needed if one link needs it, and then by the strictest terms among those,
    /// because the joined list does not show the link of a tool. If the entry of any link changes,
    /// all definitions count as first seen.
    fn review(&self) -> ReviewMode {
        self.links.iter().map(|link| link.review()).fold(ReviewMode::Unneeded, stricter)
    }

    fn discover(&self, cx: Cx) -> BoxStream<'_, Result<DiscoveryItem, SourceError>> {
        let listings = self.links.iter().enumerate().map(|(rank, link)| {
            let listing = link.discover(cx.clone());
            listing.map(move |found| {
                (
                    rank,
                    found.unwrap_or_else(|error| {
                        DiscoveryItem::Diagnostic(listing_failure(&**link, &error))
                    }),
                )
            })
        });
        let mut ranks = HashMap::new();
        let merged = select_all(listings).filter_map(move |(rank, found)| {
            future::ready(match found {
                DiscoveryItem::Tool(tool) if is_shadowed(&mut ranks, &tool.id.name, rank) => None,
                DiscoveryItem::Tool(tool) => {
                    Some(Ok(DiscoveryItem::Tool(Arc::new(self.adopt(Arc::unwrap_or_clone(tool))))))
                }
                other => Some(Ok(other)),
            })
        });
        Box::pin(merged)
    }

    fn load<'a>(
        &'a self,
        name: &'a ToolName,
        cx: Cx,
    ) -> BoxFuture<'a, Result<Option<Tool>, SourceError>> {
        Box::pin(async move {
            for link in &self.links {
                match link.load(name, cx.clone()).await {
                    Ok(None) => {}
                    Err(error) if error.kind() == ErrorKind::NotFound => {}
                    other => return other.map(|tool| tool.map(|tool| self.adopt(tool))),
                }
            }
            Ok(None)
        })
    }

    fn call(
        &self,
        call: Authorized<ToolCall>,
        cx: Cx,
    ) -> BoxFuture<'_, Result<ToolOutput, SourceError>> {
        Box::pin(async move {
            for link in &self.links {
                match link.call(call.clone(), cx.clone()).await {
                    Err(error) if error.kind() == ErrorKind::NotFound => {}
                    other => return other,
                }
            }
            Err(not_mine(&self.id, &call.get().tool.name))
        })
    }

    fn about(&self) -> Option<Arc<str>> {
        self.links.iter().find_map(|link| link.about())
    }

    /// The library of the first link that has one, because the contents of two libraries could not
    /// be distinguished.
    fn library(&self) -> Option<&dyn Library> {
        self.links.iter().find_map(|link| link.library())
    }

    fn changes(&self) -> BoxStream<'_, ()> {
        // The pending stream keeps the merged one open, even if the chain is empty or its links
        // never change.
        Box::pin(select_all(
            self.links.iter().map(|link| link.changes()).chain([stream::pending().boxed()]),
        ))
    }
}

fn stricter(one: ReviewMode, other: ReviewMode) -> ReviewMode {
    match (one, other) {
        (
            ReviewMode::Needed {
                approves_first_sight: first,
                approves_new_tools: new_tools,
                accepts_changes: changes,
                entry,
            },
            ReviewMode::Needed {
                approves_first_sight,
                approves_new_tools,
                accepts_changes,
                entry: next,
            },
        ) => ReviewMode::Needed {
            approves_first_sight: first && approves_first_sight,
            approves_new_tools: new_tools && approves_new_tools,
            accepts_changes: changes && accepts_changes,
            entry: format!("{entry}+{next}").into(),
        },
        (ReviewMode::Unneeded, other) | (other, _) => other,
    }
}

/// Whether a source of higher precedence has listed this name already. A tool that a lower one
/// listed before is replaced.
fn is_shadowed(ranks: &mut HashMap<ToolName, usize>, name: &ToolName, rank: usize) -> bool {
    let highest = ranks.entry(name.clone()).or_insert(rank);
    *highest = rank.min(*highest);
    *highest < rank
}

fn listing_failure(link: &dyn Source, error: &SourceError) -> Diagnostic {
    Diagnostic::warning(DiagnosticKind::Source, error.to_string()).with_source(link.id().clone())
}
