//! Reads all pages of a server's tool list; the result is the complete list or an error.

pub(super) mod library;

#[cfg(test)]
mod tests;

use super::super::ClientError;
use super::super::definition::{DefinitionError, ToolDefinition, mirror};
use super::super::limits::Limits;
use super::McpClient;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};
use toolscout_core::{Diagnostic, DiagnosticKind, SourceId, ToolName, counted};
use toolscout_process::explain;

/// The longest time to live of a list, even if the server names a longer one.
const MAX_TTL: Duration = Duration::from_secs(24 * 3600);
/// The number of diagnostics that are reported individually.
const MAX_DIAGNOSTICS: usize = 100;
/// The number of bytes of a name that are shown.
const MAX_SHOWN_NAME: usize = 80;

/// A list method: one kind of entry that servers list page by page.
pub(super) struct ListMethod {
    pub(super) method: &'static str,
    /// The member of a page that contains the entries.
    key: &'static str,
    /// The plural noun for messages.
    pub(super) entries: &'static str,
    /// The member that identifies an entry.
    id: &'static str,
}

const TOOLS: ListMethod =
    ListMethod { method: "tools/list", key: "tools", entries: "tools", id: "name" };

/// The complete tool list of a server.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerListing {
    /// The usable tools, in the server's order.
    pub tools: Vec<ToolDefinition>,
    /// The reasons why other tools are unusable, one each.
    pub diagnostics: Vec<Diagnostic>,
    /// The time to live, if the server names one.
    pub ttl: Option<Duration>,
    /// The cache scope that the server declares.
    pub scope: CacheScope,
    /// The number of pages read.
    pub pages: usize,
}

/// The users a listing may be shown to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum CacheScope {
    /// All users.
    Public,
    /// The server does not declare a scope; legacy servers never do.
    #[default]
    Unknown,
    /// Only the same user, with the same credentials.
    Private,
}

/// Requests pages until the last one.
pub(super) async fn list(
    client: &McpClient,
    limits: &Limits,
    deadline: Instant,
) -> Result<ServerListing, ClientError> {
    let mut reader = ToolListReader::new(limits, client.needs_headers());
    let mut cursor: Option<String> = None;
    loop {
        let page = client.request_page(&TOOLS, cursor.take().as_deref(), deadline).await?;
        match reader.read_page(page.as_str(), client.era().is_modern())? {
            Some(next) => cursor = Some(next),
            None => return Ok(reader.finish(client.id())),
        }
    }
}

/// The tools of the pages read so far.
struct ToolListReader<'a> {
    limits: &'a Limits,
    /// Whether to exclude tools whose arguments cannot be mirrored as headers.
    checks_headers: bool,
    tools: Vec<ToolDefinition>,
    indices: HashMap<ToolName, usize>,
    /// Names that were listed twice with different definitions.
    conflicting: HashSet<ToolName>,
    diagnostics: Vec<Diagnostic>,
    unreported: usize,
    cursors: HashSet<String>,
    bytes: usize,
    pages: usize,
    ttl: Option<Duration>,
    scope: Option<CacheScope>,
}

#[derive(Deserialize)]
struct ToolListPage<'a> {
    #[serde(borrow)]
    tools: Option<&'a RawValue>,
    #[serde(borrow, rename = "nextCursor")]
    next: Option<&'a RawValue>,
    #[serde(borrow, rename = "ttlMs")]
    ttl: Option<&'a RawValue>,
    #[serde(borrow, rename = "cacheScope")]
    scope: Option<&'a RawValue>,
    #[serde(borrow, rename = "resultType")]
    kind: Option<&'a RawValue>,
}

impl<'a> ToolListReader<'a> {
    fn new(limits: &'a Limits, checks_headers: bool) -> Self {
        Self {
            limits,
            checks_headers,
            tools: Vec::new(),
            indices: HashMap::new(),
            conflicting: HashSet::new(),
            diagnostics: Vec::new(),
            unreported: 0,
            cursors: HashSet::new(),
            bytes: 0,
            pages: 0,
            ttl: None,
            scope: None,
        }
    }

    /// Reads a page and returns the cursor of the next one.
    fn read_page(&mut self, text: &str, is_modern: bool) -> Result<Option<String>, ClientError> {
        self.pages += 1;
        self.bytes += text.len();
        if self.bytes > self.limits.listing {
            return Err(ClientError::protocol(format!(
                "its list of tools is larger than {}",
                explain::byte_count(self.limits.listing)
            )));
        }
        if !text.trim_start().starts_with('{') {
            return Err(ClientError::protocol("its list of tools is not a JSON object"));
        }
        let page: ToolListPage<'_> = serde_json::from_str(text).map_err(|err| {
            ClientError::protocol(format!("its list of tools cannot be parsed: {err}"))
        })?;
        if is_modern && page.kind.is_some_and(|kind| kind.get() != "\"complete\"") {
            return Err(ClientError::protocol("its list of tools is not a complete result"));
        }
        let tools = page.tools.map(|tools| serde_json::from_str::<Vec<&RawValue>>(tools.get()));
        let Some(Ok(tools)) = tools else {
            return Err(ClientError::protocol("its list of tools is not a list"));
        };
        let next = self.next_cursor(page.next)?;
        let has_new = self.add_tools(&tools, next.is_some())?;
        self.update_cache_hints(&page);
        match next {
            Some(next) if self.cursors.contains(&next) => {
                self.handle_repeated_cursor(has_new).map(|()| None)
            }
            Some(_) if self.pages >= self.limits.pages => Err(ClientError::protocol(format!(
                "its list of tools has more than {} pages",
                self.limits.pages
            ))),
            Some(next) => {
                self.cursors.insert(next.clone());
                Ok(Some(next))
            }
            None => Ok(None),
        }
    }

    /// The next cursor; an empty string is a valid cursor.
    fn next_cursor(&self, cursor: Option<&RawValue>) -> Result<Option<String>, ClientError> {
        let Some(cursor) = cursor else { return Ok(None) };
        if cursor.get().len() > self.limits.cursor + 2 {
            return Err(ClientError::protocol(format!(
                "its list of tools has a cursor of more than {}",
                explain::byte_count(self.limits.cursor)
            )));
        }
        let text = serde_json::from_str(cursor.get());
        text.map(Some).map_err(|_| {
            ClientError::protocol("its list of tools has a cursor that is not a string")
        })
    }

    /// Adds the tools of a page; returns whether any of them is new.
    fn add_tools(&mut self, tools: &[&RawValue], has_next: bool) -> Result<bool, ClientError> {
        let limit = self.limits.tools;
        let mut tools = tools;
        if self.tools.len() + tools.len() > limit {
            if has_next || self.pages > 1 {
                return Err(ClientError::protocol(format!("its list has more than {limit} tools")));
            }
            let reason = format!("it lists {} tools; only the first {limit} are used", tools.len());
            self.report(Diagnostic::warning(DiagnosticKind::Limit, reason));
            tools = &tools[..limit];
        }
        let mut is_new = false;
        for (at, raw) in tools.iter().enumerate() {
            match self.check(raw) {
                Ok(definition) => is_new |= self.add(definition),
                Err(error) => self.report_skipped(at, raw, &error),
            }
        }
        Ok(is_new)
    }

    fn check(&self, raw: &RawValue) -> Result<ToolDefinition, DefinitionError> {
        let definition = ToolDefinition::check(crate::message::to_raw_json(raw), self.limits)?;
        if let Some(schema) = definition.input_schema().filter(|_| self.checks_headers) {
            mirror::mirrored_parameters(&schema).map_err(DefinitionError::broken)?;
        }
        Ok(definition)
    }

    fn add(&mut self, definition: ToolDefinition) -> bool {
        let Some(existing) = self.indices.get(&definition.name).map(|index| &self.tools[*index])
        else {
            self.indices.insert(definition.name.clone(), self.tools.len());
            self.tools.push(definition);
            return true;
        };
        let is_same =
            existing.raw == definition.raw || existing.raw.to_value() == definition.raw.to_value();
        if !is_same && self.conflicting.insert(definition.name.clone()) {
            let reason =
                format!("tool `{}` is skipped: it has two different definitions", definition.name);
            self.report(Diagnostic::warning(DiagnosticKind::Collision, reason));
        }
        !is_same
    }

    fn report_skipped(&mut self, at: usize, raw: &RawValue, error: &DefinitionError) {
        let which = match name_of(raw) {
            Some(name) => format!("tool `{name}`"),
            None => format!("tool number {}", at + 1),
        };
        self.report(Diagnostic::warning(
            error.kind,
            format!("{which} is skipped: {}", error.reason),
        ));
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
        } else {
            self.unreported += 1;
        }
    }

    /// Handles a repeated cursor. If the page has no new tools, the list is complete: some servers
    /// mark the end this way. Otherwise an unknown number of tools is missing, which is an error.
    fn handle_repeated_cursor(&mut self, has_new: bool) -> Result<(), ClientError> {
        if has_new {
            return Err(ClientError::protocol(
                "pagination loop: its list of tools leads back to an earlier page",
            ));
        }
        let reason =
            "pagination loop: its list of tools leads back to an earlier page, without new tools";
        self.report(Diagnostic::warning(DiagnosticKind::Broken, reason));
        Ok(())
    }

    /// Applies the shortest time to live and the narrowest scope of all pages to the whole list.
    fn update_cache_hints(&mut self, page: &ToolListPage<'_>) {
        let ttl = page.ttl.and_then(|ttl| serde_json::from_str::<f64>(ttl.get()).ok());
        let ttl = ttl
            .map(|ttl| Duration::from_secs_f64((ttl / 1000.0).clamp(0.0, MAX_TTL.as_secs_f64())));
        self.ttl = [self.ttl, ttl].into_iter().flatten().min();
        let scope = match page.scope.map(RawValue::get) {
            Some("\"public\"") => CacheScope::Public,
            Some("\"private\"") => CacheScope::Private,
            _ => CacheScope::Unknown,
        };
        self.scope = Some(self.scope.map_or(scope, |value| value.max(scope)));
    }

    fn finish(mut self, source: &SourceId) -> ServerListing {
        self.tools.retain(|tool| !self.conflicting.contains(&tool.name));
        if self.unreported > 0 {
            let reason = format!("{} skipped", counted(self.unreported, "more tool"));
            self.diagnostics.push(Diagnostic::warning(DiagnosticKind::Limit, reason));
        }
        let scope = self.scope.unwrap_or_default();
        let diagnostics = self
            .diagnostics
            .into_iter()
            .map(|diagnostic| diagnostic.with_source(source.clone()))
            .collect();
        ServerListing { tools: self.tools, diagnostics, ttl: self.ttl, scope, pages: self.pages }
    }
}

/// The name in a definition that is otherwise unusable.
fn name_of(raw: &RawValue) -> Option<String> {
    #[derive(Deserialize)]
    struct NamedDefinition {
        name: String,
    }
    let named: NamedDefinition =
        serde_json::from_str(raw.get()).ok().filter(|_| raw.get().starts_with('{'))?;
    let end = named.name.floor_char_boundary(MAX_SHOWN_NAME);
    (end > 0).then(|| named.name[..end].to_owned())
}
