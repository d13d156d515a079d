//! Reads all pages of resources, resource templates and prompts.

#[cfg(test)]
mod tests;

use super::super::McpClient;
use super::{ListMethod, MAX_DIAGNOSTICS, MAX_SHOWN_NAME};
use crate::ClientError;
use crate::definition::strict;
use crate::limits::Limits;
use crate::message::to_raw_json;
use serde_json::value::RawValue;
use std::collections::HashSet;
use std::time::Instant;
use toolscout_core::RawJson;
use toolscout_process::explain;

const RESOURCES: ListMethod =
    ListMethod { method: "resources/list", key: "resources", entries: "resources", id: "uri" };
const TEMPLATES: ListMethod = ListMethod {
    method: "resources/templates/list",
    key: "resourceTemplates",
    entries: "resource templates",
    id: "uriTemplate",
};
const PROMPTS: ListMethod =
    ListMethod { method: "prompts/list", key: "prompts", entries: "prompts", id: "name" };
/// A server with resources but without templates answers with this code.
const UNKNOWN_METHOD: i64 = -32601;

/// Resources, templates and prompts of a server. Definitions are unmodified, and each list is
/// complete or an error.
#[derive(Debug, Clone, PartialEq)]
pub struct LibraryListing {
    /// Resources; empty if the server does not declare any.
    pub resources: Result<Vec<RawJson>, ClientError>,
    /// Resource templates; empty if the server does not declare any.
    pub templates: Result<Vec<RawJson>, ClientError>,
    /// Prompts; empty if the server does not declare any.
    pub prompts: Result<Vec<RawJson>, ClientError>,
    /// The reasons why some definitions are left out, for display; not escaped.
    pub diagnostics: Vec<String>,
    /// Whether some of the entries are visible to one user only.
    pub private: bool,
}

/// Lists everything that the server declares, concurrently.
pub(in super::super) async fn list(
    client: &McpClient,
    limits: &Limits,
    deadline: Instant,
) -> LibraryListing {
    let description = client.description();
    let (has_resources, has_prompts) =
        (description.declares("resources"), description.declares("prompts"));
    let (resources, templates, prompts) = tokio::join!(
        read_list(client, &RESOURCES, has_resources, limits, deadline),
        read_list(client, &TEMPLATES, has_resources, limits, deadline),
        read_list(client, &PROMPTS, has_prompts, limits, deadline),
    );
    let mut diagnostics = Vec::new();
    let mut private = false;
    let mut take = |reader: Result<LibraryListReader, ClientError>| {
        reader.map(|reader| {
            diagnostics.extend(reader.diagnostics);
            private |= reader.private;
            reader.items
        })
    };
    let (resources, templates, prompts) = (take(resources), take(templates), take(prompts));
    LibraryListing { resources, templates, prompts, diagnostics, private }
}

/// Reads all pages of one list.
async fn read_list(
    client: &McpClient,
    list: &'static ListMethod,
    is_declared: bool,
    limits: &Limits,
    deadline: Instant,
) -> Result<LibraryListReader, ClientError> {
    let mut reader = LibraryListReader::new(list);
    if !is_declared {
        return Ok(reader);
    }
    let mut cursor: Option<String> = None;
    loop {
        let page = match client.request_page(list, cursor.as_deref(), deadline).await {
            Err(ClientError::Answered { code: UNKNOWN_METHOD, .. }) if reader.pages == 0 => {
                return Ok(reader);
            }
            page => page?,
        };
        cursor = reader.read_page(&page, limits)?;
        if cursor.is_none() {
            return Ok(reader);
        }
    }
}

/// The entries of the pages read so far.
struct LibraryListReader {
    list: &'static ListMethod,
    items: Vec<RawJson>,
    ids: HashSet<String>,
    cursors: HashSet<String>,
    diagnostics: Vec<String>,
    private: bool,
    bytes: usize,
    pages: usize,
}

impl LibraryListReader {
    fn new(list: &'static ListMethod) -> Self {
        Self {
            list,
            items: Vec::new(),
            ids: HashSet::new(),
            cursors: HashSet::new(),
            diagnostics: Vec::new(),
            private: false,
            bytes: 0,
            pages: 0,
        }
    }

    /// Reads a page and returns the cursor of the next one.
    fn read_page(
        &mut self,
        page: &RawJson,
        limits: &Limits,
    ) -> Result<Option<String>, ClientError> {
        self.pages += 1;
        self.bytes += page.as_str().len();
        if self.bytes > limits.listing {
            return Err(
                self.list_error(&format!("is larger than {}", explain::byte_count(limits.listing)))
            );
        }
        let members = strict::members(page.as_str())
            .ok_or_else(|| self.list_error("is not a JSON object"))?;
        let member = |key: &str| {
            members.iter().find(|(member, _)| member == key).map(|(_, value)| value.get())
        };
        if !matches!(member("resultType"), None | Some("\"complete\"")) {
            return Err(self.list_error("is not a complete result"));
        }
        let items = member(self.list.key).map(serde_json::from_str::<Vec<&RawValue>>);
        let Some(Ok(items)) = items else { return Err(self.list_error("is not a list")) };
        self.private |= member("cacheScope") == Some("\"private\"");
        let known_ids = self.ids.len();
        for item in items {
            self.add(item, limits);
        }
        if self.items.len() > limits.tools {
            return Err(self.list_error(&format!("has more than {} entries", limits.tools)));
        }
        let Some(cursor) = member("nextCursor").filter(|member| *member != "null") else {
            return Ok(None);
        };
        self.next_cursor(cursor, self.ids.len() > known_ids, limits)
    }

    /// Returns the next cursor. If a page without new entries repeats a cursor, the list is
    /// complete: some servers mark the end this way.
    fn next_cursor(
        &mut self,
        cursor: &str,
        has_new: bool,
        limits: &Limits,
    ) -> Result<Option<String>, ClientError> {
        if cursor.len() > limits.cursor + 2 {
            return Err(self.list_error(&format!(
                "has a cursor of more than {}",
                explain::byte_count(limits.cursor)
            )));
        }
        let next: String = serde_json::from_str(cursor)
            .map_err(|_| self.list_error("has a cursor that is not a string"))?;
        match self.cursors.insert(next.clone()) {
            false if has_new => Err(self.list_error("leads back to an earlier page")),
            false => Ok(None),
            true if self.pages >= limits.pages => {
                Err(self.list_error(&format!("has more than {} pages", limits.pages)))
            }
            true => Ok(Some(next)),
        }
    }

    /// Adds one definition. An unusable or repeated definition does not affect the others.
    fn add(&mut self, item: &RawValue, limits: &Limits) {
        match self.check(item, limits) {
            Ok(id) => {
                if self.ids.insert(id) {
                    self.items.push(to_raw_json(item));
                }
            }
            Err(reason) if self.diagnostics.len() < MAX_DIAGNOSTICS => {
                self.diagnostics
                    .push(format!("one of its {} is skipped: {reason}", self.list.entries));
            }
            Err(_) => {}
        }
    }

    fn check(&self, item: &RawValue, limits: &Limits) -> Result<String, String> {
        let (text, limit) = (item.get(), limits.definition);
        if text.len() > limit {
            return Err(format!(
                "it is {} bytes long; the limit is {}",
                text.len(),
                explain::byte_count(limit)
            ));
        }
        strict::check(text)?;
        let members = strict::members(text).ok_or("it is not a JSON object")?;
        let id = members.iter().find(|(key, _)| key == self.list.id);
        let id = id.and_then(|(_, value)| serde_json::from_str::<String>(value.get()).ok());
        id.filter(|id| !id.is_empty()).ok_or_else(|| format!("it has no `{}`", self.list.id))
    }

    fn list_error(&self, what: &str) -> ClientError {
        ClientError::protocol(format!(
            "its list of {} {}",
            self.list.entries,
            &what[..what.floor_char_boundary(MAX_SHOWN_NAME)]
        ))
    }
}
