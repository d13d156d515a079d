//! Lists and stores the resources, templates and prompts of a server.

use super::ServerContext;
use crate::client::{LibraryListing, McpClient};
use crate::record::KnownLibrary;
use crate::{ClientError, ServerConfig};
use std::time::Instant;
use toolscout_core::{Cx, LibraryEvent, Moment, RawJson, SourceError, escape, redact};

/// The changes from `before` to `after`.
pub(crate) fn news_between(before: &KnownLibrary, after: &KnownLibrary) -> Vec<LibraryEvent> {
    let are_new = before.resources != after.resources || before.templates != after.templates;
    let mut news = Vec::new();
    news.extend(are_new.then_some(LibraryEvent::ResourcesChanged));
    news.extend((before.prompts != after.prompts).then_some(LibraryEvent::PromptsChanged));
    news
}

/// Lists the library. Takes at most half of the remaining time, so that the tools do not wait for
/// it.
pub(crate) async fn list(
    client: &McpClient,
    shared: &ServerContext,
    deadline: Option<Instant>,
) -> LibraryListing {
    let now = Instant::now();
    let limit = now + shared.dial.limits.list;
    let share = deadline.map(|it| now + it.saturating_duration_since(now) / 2);
    client.list_library(share.map_or(limit, |it| it.min(limit))).await
}

impl ServerContext {
    /// Stores the resources, templates and prompts of the server, and returns the changes. A list
    /// that failed keeps its stored value.
    pub(crate) fn remember_library(
        &self,
        server: &ServerConfig,
        cx: &Cx,
        client: &McpClient,
        listing: LibraryListing,
    ) -> Result<Vec<LibraryEvent>, SourceError> {
        let mut record = self.read(server, cx)?;
        let configuration = self.configuration(server);
        let before = record
            .library
            .take()
            .filter(|it| it.configuration == configuration)
            .unwrap_or_default();
        let mut excluded = listing.problems;
        let mut keep = |list: Result<Vec<RawJson>, ClientError>, before: &Vec<RawJson>| {
            list.unwrap_or_else(|error| {
                excluded.push(redact::text(&error.to_string()));
                before.clone()
            })
        };
        let next = KnownLibrary {
            listed: Some(Moment::now()),
            resources: keep(listing.resources, &before.resources),
            templates: keep(listing.templates, &before.templates),
            prompts: keep(listing.prompts, &before.prompts),
            capabilities: client.said().capabilities.clone(),
            instructions: client.said().instructions.clone(),
            private: listing.private,
            excluded,
            configuration,
        };
        for problem in &next.excluded {
            tracing::warn!(event = "library_problem", server = %server.id, problem = %escape::line(problem));
        }
        let news = news_between(&before, &next);
        record.library = Some(next);
        self.write(server, cx, &record)?;
        Ok(news)
    }
}
