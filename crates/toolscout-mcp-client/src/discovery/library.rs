//! Lists and stores the resources, templates and prompts of a server.

use super::ServerContext;
use crate::client::{LibraryListing, McpClient};
use crate::record::KnownLibrary;
use crate::{ClientError, ServerConfig};
use std::time::Instant;
use toolscout_core::{Cx, LibraryEvent, Moment, RawJson, SourceError, escape, redact};

/// The changes from `before` to `after`.
pub(crate) fn library_changes(before: &KnownLibrary, after: &KnownLibrary) -> Vec<LibraryEvent> {
    let resources_changed =
        before.resources != after.resources || before.templates != after.templates;
    let mut changes = Vec::new();
    changes.extend(resources_changed.then_some(LibraryEvent::ResourcesChanged));
    changes.extend((before.prompts != after.prompts).then_some(LibraryEvent::PromptsChanged));
    changes
}

/// Lists the library. Takes at most half of the remaining time, so that the tools do not wait for
/// it.
pub(crate) async fn list(
    client: &McpClient,
    context: &ServerContext,
    deadline: Option<Instant>,
) -> LibraryListing {
    let now = Instant::now();
    let limit = now + context.connect.limits.list;
    let share = deadline.map(|deadline| now + deadline.saturating_duration_since(now) / 2);
    client.list_library(share.map_or(limit, |share| share.min(limit))).await
}

impl ServerContext {
    /// Stores the resources, templates and prompts of the server, and returns the changes. A list
    /// that failed keeps its stored value.
    pub(crate) fn store_library(
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
            .filter(|library| library.configuration == configuration)
            .unwrap_or_default();
        let mut excluded = listing.diagnostics;
        let mut list_or_previous = |list: Result<Vec<RawJson>, ClientError>,
                                    before: &Vec<RawJson>| {
            list.unwrap_or_else(|error| {
                excluded.push(redact::text(&error.to_string()));
                before.clone()
            })
        };
        let next = KnownLibrary {
            listed: Some(Moment::now()),
            resources: list_or_previous(listing.resources, &before.resources),
            templates: list_or_previous(listing.templates, &before.templates),
            prompts: list_or_previous(listing.prompts, &before.prompts),
            capabilities: client.description().capabilities.clone(),
            instructions: client.description().instructions.clone(),
            private: listing.private,
            excluded,
            configuration,
            unknown: before.unknown.clone(),
        };
        for message in &next.excluded {
            tracing::warn!(event = "library_diagnostic", server = %server.id, message = %escape::line(message));
        }
        let changes = library_changes(&before, &next);
        record.library = Some(next);
        self.write(server, cx, &record)?;
        Ok(changes)
    }
}
