//! Walks through all pages of a server's tools, and gives all of them or none.

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
use toolscout_core::{Diagnostic, DiagnosticKind, SourceId, ToolName};
use toolscout_process::words;

/// The longest time to live of a list, whatever the server names.
const TTL_AT_MOST: Duration = Duration::from_secs(24 * 3600);
/// Diagnostics that are reported one by one.
const PROBLEMS: usize = 100;
/// Bytes of a name that are shown.
const SHOWN: usize = 80;

/// Something that servers list, page by page.
pub(super) struct ListMethod {
    pub(super) method: &'static str,
    /// Where a page has it.
    key: &'static str,
    /// What it is called.
    pub(super) things: &'static str,
    /// What its entries are known by.
    id: &'static str,
}

const TOOLS: ListMethod = ListMethod { method: "tools/list", key: "tools", things: "tools", id: "name" };

/// The tools of a server, all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerListing {
    /// Those that can be used, in the server's order.
    pub tools: Vec<ToolDefinition>,
    /// Why others cannot, one by one.
    pub problems: Vec<Diagnostic>,
    /// The time to live that the server names, if it does.
    pub ttl: Option<Duration>,
    /// Who may see this, according to the server.
    pub scope: CacheScope,
    /// How many pages it took.
    pub pages: usize,
}

/// Whom a listing may be shown to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum CacheScope {
    /// Anybody.
    Public,
    /// The server did not say; servers of the legacy era never do.
    #[default]
    Unknown,
    /// Only the same user, with the same credentials.
    Private,
}

/// Asks for page after page until there are no more.
pub(super) async fn list(client: &McpClient, limits: &Limits, deadline: Instant) -> Result<ServerListing, ClientError> {
    let mut walk = ToolListReader::new(limits, client.needs_headers());
    let mut cursor: Option<String> = None;
    loop {
        let page = client.ask_for_page(&TOOLS, cursor.take().as_deref(), deadline).await?;
        match walk.page(page.as_str(), client.era().is_modern())? {
            Some(next) => cursor = Some(next),
            None => return Ok(walk.finish(client.id())),
        }
    }
}

/// The tools of the pages read so far.
struct ToolListReader<'a> {
    limits: &'a Limits,
    /// Whether tools must be left out whose arguments cannot be mirrored as they want.
    checks_headers: bool,
    tools: Vec<ToolDefinition>,
    places: HashMap<ToolName, usize>,
    /// Names that came twice with different definitions.
    torn: HashSet<ToolName>,
    problems: Vec<Diagnostic>,
    untold: usize,
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
            places: HashMap::new(),
            torn: HashSet::new(),
            problems: Vec::new(),
            untold: 0,
            cursors: HashSet::new(),
            bytes: 0,
            pages: 0,
            ttl: None,
            scope: None,
        }
    }

    /// Takes a page; gives the cursor of the next one.
    fn page(&mut self, text: &str, is_modern: bool) -> Result<Option<String>, ClientError> {
        self.pages += 1;
        self.bytes += text.len();
        if self.bytes > self.limits.listing {
            return Err(ClientError::protocol(format!(
                "its list of tools has more than {}",
                words::bytes(self.limits.listing)
            )));
        }
        if !text.trim_start().starts_with('{') {
            return Err(ClientError::protocol("its list of tools is no JSON object"));
        }
        let page: ToolListPage<'_> = serde_json::from_str(text)
            .map_err(|err| ClientError::protocol(format!("its list of tools cannot be read: {err}")))?;
        if is_modern && page.kind.is_some_and(|it| it.get() != "\"complete\"") {
            return Err(ClientError::protocol(
                "it answered a request for its tools with something else than a whole result",
            ));
        }
        let tools = page.tools.map(|it| serde_json::from_str::<Vec<&RawValue>>(it.get()));
        let Some(Ok(tools)) = tools else { return Err(ClientError::protocol("its list of tools is no list")) };
        let next = self.next(page.next)?;
        let brought = self.take(&tools, next.is_some())?;
        self.remember(&page);
        match next {
            Some(next) if self.cursors.contains(&next) => self.loops(brought).map(|()| None),
            Some(_) if self.pages >= self.limits.pages => {
                Err(ClientError::protocol(format!("its list of tools has more than {} pages", self.limits.pages)))
            }
            Some(next) => {
                self.cursors.insert(next.clone());
                Ok(Some(next))
            }
            None => Ok(None),
        }
    }

    /// The next cursor; an empty text is one, too.
    fn next(&self, cursor: Option<&RawValue>) -> Result<Option<String>, ClientError> {
        let Some(cursor) = cursor else { return Ok(None) };
        if cursor.get().len() > self.limits.cursor + 2 {
            return Err(ClientError::protocol(format!(
                "its list of tools has a cursor of more than {}",
                words::bytes(self.limits.cursor)
            )));
        }
        let text = serde_json::from_str(cursor.get());
        text.map(Some).map_err(|_| ClientError::protocol("its list of tools has a cursor that is not a text"))
    }

    /// Takes the tools of a page; says whether any of them was not known before.
    fn take(&mut self, tools: &[&RawValue], goes_on: bool) -> Result<bool, ClientError> {
        let limit = self.limits.tools;
        let mut tools = tools;
        if self.tools.len() + tools.len() > limit {
            if goes_on || self.pages > 1 {
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
                Err(flaw) => self.leave_out(at, raw, &flaw),
            }
        }
        Ok(is_new)
    }

    fn check(&self, raw: &RawValue) -> Result<ToolDefinition, DefinitionError> {
        let definition = ToolDefinition::check(crate::message::keep(raw), self.limits)?;
        if let Some(schema) = definition.input_schema().filter(|_| self.checks_headers) {
            mirror::mirrors(&schema).map_err(DefinitionError::broken)?;
        }
        Ok(definition)
    }

    fn add(&mut self, definition: ToolDefinition) -> bool {
        let Some(known) = self.places.get(&definition.name).map(|it| &self.tools[*it]) else {
            self.places.insert(definition.name.clone(), self.tools.len());
            self.tools.push(definition);
            return true;
        };
        let is_same = known.raw == definition.raw || known.raw.to_value() == definition.raw.to_value();
        if !is_same && self.torn.insert(definition.name.clone()) {
            let reason = format!("tool `{}` is left out: it is defined twice, in different ways", definition.name);
            self.report(Diagnostic::warning(DiagnosticKind::Collision, reason));
        }
        !is_same
    }

    fn leave_out(&mut self, at: usize, raw: &RawValue, flaw: &DefinitionError) {
        let which = match name_in(raw) {
            Some(name) => format!("tool `{name}`"),
            None => format!("tool number {}", at + 1),
        };
        self.report(Diagnostic::warning(flaw.kind, format!("{which} is left out: {}", flaw.reason)));
    }

    fn report(&mut self, problem: Diagnostic) {
        if self.problems.len() < PROBLEMS {
            self.problems.push(problem);
        } else {
            self.untold += 1;
        }
    }

    /// A cursor came back. If the page brought nothing, some servers mean the end by that; else nobody knows what is missing.
    fn loops(&mut self, brought: bool) -> Result<(), ClientError> {
        if brought {
            return Err(ClientError::protocol(
                "pagination loop: its list of tools leads back to a page that was already there",
            ));
        }
        let reason = "pagination loop: its list of tools leads back to a page that was already there, with nothing new";
        self.report(Diagnostic::warning(DiagnosticKind::Broken, reason));
        Ok(())
    }

    /// The shortest time and the narrowest scope of all pages hold for the whole.
    fn remember(&mut self, page: &ToolListPage<'_>) {
        let ttl = page.ttl.and_then(|it| serde_json::from_str::<f64>(it.get()).ok());
        let ttl = ttl.map(|it| Duration::from_secs_f64((it / 1000.0).clamp(0.0, TTL_AT_MOST.as_secs_f64())));
        self.ttl = [self.ttl, ttl].into_iter().flatten().min();
        let scope = match page.scope.map(RawValue::get) {
            Some("\"public\"") => CacheScope::Public,
            Some("\"private\"") => CacheScope::Private,
            _ => CacheScope::Unknown,
        };
        self.scope = Some(self.scope.map_or(scope, |it| it.max(scope)));
    }

    fn finish(mut self, source: &SourceId) -> ServerListing {
        self.tools.retain(|it| !self.torn.contains(&it.name));
        if self.untold > 0 {
            let reason = format!("{} more tools are left out", self.untold);
            self.problems.push(Diagnostic::warning(DiagnosticKind::Limit, reason));
        }
        let scope = self.scope.unwrap_or_default();
        let problems = self.problems.into_iter().map(|it| it.of(source.clone())).collect();
        ServerListing { tools: self.tools, problems, ttl: self.ttl, scope, pages: self.pages }
    }
}

/// The name of a definition that is of no use otherwise.
fn name_in(raw: &RawValue) -> Option<String> {
    #[derive(Deserialize)]
    struct NamedDefinition {
        name: String,
    }
    let named: NamedDefinition = serde_json::from_str(raw.get()).ok().filter(|_| raw.get().starts_with('{'))?;
    let end = named.name.floor_char_boundary(SHOWN);
    (end > 0).then(|| named.name[..end].to_owned())
}
