//! Reads all pages of resources, resource templates and prompts.

#[cfg(test)]
mod tests;

use super::super::McpClient;
use super::{ListMethod, PROBLEMS, SHOWN};
use crate::ClientError;
use crate::definition::strict;
use crate::limits::Limits;
use crate::message::keep;
use serde_json::value::RawValue;
use std::collections::HashSet;
use std::time::Instant;
use toolscout_core::RawJson;
use toolscout_process::words;

const RESOURCES: ListMethod =
    ListMethod { method: "resources/list", key: "resources", things: "resources", id: "uri" };
const TEMPLATES: ListMethod = ListMethod {
    method: "resources/templates/list",
    key: "resourceTemplates",
    things: "resource templates",
    id: "uriTemplate",
};
const PROMPTS: ListMethod =
    ListMethod { method: "prompts/list", key: "prompts", things: "prompts", id: "name" };
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
    pub problems: Vec<String>,
    /// Whether some of the entries are visible to one user only.
    pub private: bool,
}

/// Lists everything that the server declares, concurrently.
pub(in super::super) async fn list(
    client: &McpClient,
    limits: &Limits,
    deadline: Instant,
) -> LibraryListing {
    let said = client.said();
    let (has_resources, has_prompts) = (said.declares("resources"), said.declares("prompts"));
    let (resources, templates, prompts) = tokio::join!(
        shelf(client, &RESOURCES, has_resources, limits, deadline),
        shelf(client, &TEMPLATES, has_resources, limits, deadline),
        shelf(client, &PROMPTS, has_prompts, limits, deadline),
    );
    let mut problems = Vec::new();
    let mut private = false;
    let mut take = |shelf: Result<LibraryListReader, ClientError>| {
        shelf.map(|it| {
            problems.extend(it.problems);
            private |= it.private;
            it.items
        })
    };
    let (resources, templates, prompts) = (take(resources), take(templates), take(prompts));
    LibraryListing { resources, templates, prompts, problems, private }
}

/// Reads all pages of one list.
async fn shelf(
    client: &McpClient,
    list: &'static ListMethod,
    is_there: bool,
    limits: &Limits,
    deadline: Instant,
) -> Result<LibraryListReader, ClientError> {
    let mut shelf = LibraryListReader::new(list);
    if !is_there {
        return Ok(shelf);
    }
    let mut cursor: Option<String> = None;
    loop {
        let page = match client.ask_for_page(list, cursor.as_deref(), deadline).await {
            Err(ClientError::Answered { code: UNKNOWN_METHOD, .. }) if shelf.pages == 0 => {
                return Ok(shelf);
            }
            page => page?,
        };
        cursor = shelf.page(&page, limits)?;
        if cursor.is_none() {
            return Ok(shelf);
        }
    }
}

/// The entries of the pages read so far.
struct LibraryListReader {
    list: &'static ListMethod,
    items: Vec<RawJson>,
    ids: HashSet<String>,
    cursors: HashSet<String>,
    problems: Vec<String>,
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
            problems: Vec::new(),
            private: false,
            bytes: 0,
            pages: 0,
        }
    }

    /// Reads a page and returns the cursor of the next one.
    fn page(&mut self, page: &RawJson, limits: &Limits) -> Result<Option<String>, ClientError> {
        self.pages += 1;
        self.bytes += page.as_str().len();
        if self.bytes > limits.listing {
            return Err(self.wrong(&format!("has more than {}", words::bytes(limits.listing))));
        }
        let members =
            strict::members(page.as_str()).ok_or_else(|| self.wrong("is no JSON object"))?;
        let member =
            |key: &str| members.iter().find(|(it, _)| it == key).map(|(_, value)| value.get());
        if !matches!(member("resultType"), None | Some("\"complete\"")) {
            return Err(self.wrong("is not whole"));
        }
        let items = member(self.list.key).map(serde_json::from_str::<Vec<&RawValue>>);
        let Some(Ok(items)) = items else { return Err(self.wrong("is no list")) };
        self.private |= member("cacheScope") == Some("\"private\"");
        let known = self.ids.len();
        for item in items {
            self.take(item, limits);
        }
        if self.items.len() > limits.tools {
            return Err(self.wrong(&format!("has more than {} entries", limits.tools)));
        }
        let Some(cursor) = member("nextCursor").filter(|it| *it != "null") else { return Ok(None) };
        self.follow(cursor, self.ids.len() > known, limits)
    }

    /// Returns the next cursor. If a page without new entries repeats a cursor, the list is
    /// complete: some servers mark the end this way.
    fn follow(
        &mut self,
        cursor: &str,
        brought: bool,
        limits: &Limits,
    ) -> Result<Option<String>, ClientError> {
        if cursor.len() > limits.cursor + 2 {
            return Err(
                self.wrong(&format!("has a cursor of more than {}", words::bytes(limits.cursor)))
            );
        }
        let next: String = serde_json::from_str(cursor)
            .map_err(|_| self.wrong("has a cursor that is not a text"))?;
        match self.cursors.insert(next.clone()) {
            false if brought => Err(self.wrong("leads back to a page that was already there")),
            false => Ok(None),
            true if self.pages >= limits.pages => {
                Err(self.wrong(&format!("has more than {} pages", limits.pages)))
            }
            true => Ok(Some(next)),
        }
    }

    /// Adds one definition. An unusable or repeated definition does not affect the others.
    fn take(&mut self, item: &RawValue, limits: &Limits) {
        match self.check(item, limits) {
            Ok(id) => {
                if self.ids.insert(id) {
                    self.items.push(keep(item));
                }
            }
            Err(reason) if self.problems.len() < PROBLEMS => {
                self.problems
                    .push(format!("one of its {} is left out: {reason}", self.list.things));
            }
            Err(_) => {}
        }
    }

    fn check(&self, item: &RawValue, limits: &Limits) -> Result<String, String> {
        let (text, limit) = (item.get(), limits.definition);
        if text.len() > limit {
            return Err(format!(
                "it has {} bytes, and {} are allowed",
                text.len(),
                words::bytes(limit)
            ));
        }
        strict::check(text)?;
        let members = strict::members(text).ok_or("it is no JSON object")?;
        let id = members.iter().find(|(key, _)| key == self.list.id);
        let id = id.and_then(|(_, value)| serde_json::from_str::<String>(value.get()).ok());
        id.filter(|id| !id.is_empty()).ok_or_else(|| format!("it has no `{}`", self.list.id))
    }

    fn wrong(&self, what: &str) -> ClientError {
        ClientError::protocol(format!(
            "its list of {} {}",
            self.list.things,
            &what[..what.floor_char_boundary(SHOWN)]
        ))
    }
}
