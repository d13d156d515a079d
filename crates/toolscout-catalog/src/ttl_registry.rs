//! A cache of tools that forgets after a while, for programs that keep their own list of what servers offer.
//!
//! It stands alone: the gateway has its own idea of what is fresh, server by server. Here all tools are of one age, that
//! of the oldest.

mod clock;
mod tools;

#[cfg(test)]
mod tests;

pub use clock::{Clock, Monotonic};

use futures_util::future::join_all;
use futures_util::lock::Mutex as Turn;
use parking_lot::Mutex;
use serde::Serialize;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;
use tools::RegisteredTools;
use toolscout_core::{SourceId, Tool, ToolName};

/// Tools by server, kept for five minutes from the first that is registered; then all are forgotten together.
///
/// Meant to be shared: everything takes `&self`, so an `Arc` of it is enough. Nothing it does ever waits for a server
/// but [`query`](Self::query) and [`refresh`](Self::refresh).
#[derive(Debug)]
pub struct TtlRegistry<C = Monotonic> {
    clock: C,
    ttl: Duration,
    tools: Mutex<Option<RegisteredTools>>,
    /// Who fetches is alone in that; readers do not wait for them.
    turn: Turn<()>,
    hits: AtomicU64,
    misses: AtomicU64,
}

impl TtlRegistry {
    /// How long tools are kept unless said otherwise.
    pub const TTL: Duration = Duration::from_secs(300);

    /// An empty one, for five minutes.
    pub fn new() -> Self {
        Self::with(Self::TTL, Monotonic::default())
    }
}

impl Default for TtlRegistry {
    fn default() -> Self {
        Self::new()
    }
}

impl<C: Clock> TtlRegistry<C> {
    /// An empty one that keeps tools for so long, by this clock.
    pub fn with(ttl: Duration, clock: C) -> Self {
        let (hits, misses) = (AtomicU64::new(0), AtomicU64::new(0));
        Self { clock, ttl, tools: Mutex::new(None), turn: Turn::new(()), hits, misses }
    }

    /// Adds a tool, or replaces the one of the same server and name. Where all has expired, a new cache begins with it.
    pub fn register_tool(&self, tool: impl Into<Arc<Tool>>) {
        self.register_tools([tool]);
    }

    /// Adds all of them in one step.
    pub fn register_tools<T: Into<Arc<Tool>>>(&self, tools: impl IntoIterator<Item = T>) {
        let tools: Vec<Arc<Tool>> = tools.into_iter().map(Into::into).collect();
        let now = self.clock.now();
        let mut kept = self.tools.lock();
        if tools.is_empty() {
            return;
        }
        let current = kept.take_if(|it| it.age(now) <= self.ttl);
        let current = kept.insert(current.unwrap_or_else(|| RegisteredTools::since(now)));
        tools.into_iter().for_each(|it| current.add(it));
    }

    /// The definition of a tool, by its name or as `server/tool`. Of several servers' tools of one name, that of the
    /// server which came last.
    pub fn tool_schema(&self, name: &str) -> Option<Arc<Tool>> {
        self.fresh(|it| it.find(name)).flatten()
    }

    /// All tools, in the order they were first registered.
    pub fn list_tools(&self) -> Vec<Arc<Tool>> {
        self.fresh(RegisteredTools::tools).unwrap_or_default()
    }

    /// The names of all tools by their servers, both in the order they were first registered.
    pub fn list_tools_by_server(&self) -> Vec<(SourceId, Vec<ToolName>)> {
        self.fresh(RegisteredTools::by_server).unwrap_or_default()
    }

    /// Whether what was registered is too old, or nothing was. At exactly the end of its time it is not yet.
    pub fn is_expired(&self) -> bool {
        self.fresh(|_| ()).is_none()
    }

    /// Whether there are tools that are not too old.
    pub fn is_valid(&self) -> bool {
        self.fresh(|it| !it.is_empty()).unwrap_or(false)
    }

    /// Whether servers should be asked for their tools: nothing is known, or it is too old.
    pub fn needs_discovery(&self) -> bool {
        !self.is_valid()
    }

    /// How old the cache is, in whole seconds; -1 where there is none.
    pub fn cache_age(&self) -> i64 {
        self.stats().cache_age
    }

    /// Forgets everything, so that the next query fetches again. The counters stay.
    pub fn clear(&self) {
        *self.tools.lock() = None;
    }

    /// How much there is and how old it is, expired or not.
    pub fn stats(&self) -> TtlRegistryStats {
        let now = self.clock.now();
        match &*self.tools.lock() {
            None => TtlRegistryStats { tool_count: 0, cache_age: -1, expired: true },
            Some(kept) => TtlRegistryStats {
                tool_count: kept.len(),
                cache_age: i64::try_from(kept.age(now).as_secs()).unwrap_or(i64::MAX),
                expired: kept.age(now) > self.ttl,
            },
        }
    }

    /// How many queries were answered from memory.
    pub fn hits(&self) -> u64 {
        self.hits.load(Relaxed)
    }

    /// How many queries had to ask the servers.
    pub fn misses(&self) -> u64 {
        self.misses.load(Relaxed)
    }

    /// All tools: from memory while that is valid, else by asking each of these servers once, all at the same time. Of
    /// several who query at once one asks; the others wait for what it finds.
    ///
    /// Cancel-safe: dropped, nothing has changed but the counter, and the next in line asks.
    pub async fn query<F, A, E>(&self, servers: &[SourceId], fetch: F) -> QueriedTools<E>
    where
        F: Fn(SourceId) -> A,
        A: Future<Output = Result<Vec<Tool>, E>>,
    {
        if let Some(answer) = self.remembered() {
            return answer;
        }
        let _turn = self.turn.lock().await;
        match self.remembered() {
            Some(answer) => answer,
            None => {
                self.misses.fetch_add(1, Relaxed);
                self.fetch(servers, fetch).await
            }
        }
    }

    /// Asks each of these servers, however young what is known is, and begins a new cache with what they say. Of a server
    /// that fails, what was known stays; servers not named are forgotten. Counts neither as a hit nor as a miss.
    ///
    /// Cancel-safe: dropped, nothing has changed.
    pub async fn refresh<F, A, E>(&self, servers: &[SourceId], fetch: F) -> QueriedTools<E>
    where
        F: Fn(SourceId) -> A,
        A: Future<Output = Result<Vec<Tool>, E>>,
    {
        let _turn = self.turn.lock().await;
        self.fetch(servers, fetch).await
    }

    async fn fetch<F, A, E>(&self, servers: &[SourceId], fetch: F) -> QueriedTools<E>
    where
        F: Fn(SourceId) -> A,
        A: Future<Output = Result<Vec<Tool>, E>>,
    {
        let said = join_all(servers.iter().map(|it| fetch(it.clone()))).await;
        let mut next = RegisteredTools::since(self.clock.now());
        let mut failed = Vec::new();
        let mut kept = self.tools.lock();
        for (server, said) in servers.iter().zip(said) {
            match said {
                Ok(tools) => tools.into_iter().for_each(|it| next.add(Arc::new(it))),
                Err(error) => {
                    kept.iter().flat_map(|it| it.of(server)).for_each(|it| next.add(it));
                    failed.push((server.clone(), error));
                }
            }
        }
        let tools = next.tools();
        *kept = Some(next).filter(|it| !it.is_empty());
        QueriedTools { tools, failed }
    }

    fn remembered<E>(&self) -> Option<QueriedTools<E>> {
        let tools = self.fresh(RegisteredTools::tools).filter(|it| !it.is_empty())?;
        self.hits.fetch_add(1, Relaxed);
        Some(QueriedTools { tools, failed: Vec::new() })
    }

    /// Looks at what is kept, if it is not too old.
    fn fresh<T>(&self, look: impl FnOnce(&RegisteredTools) -> T) -> Option<T> {
        let now = self.clock.now();
        self.tools.lock().as_ref().filter(|it| it.age(now) <= self.ttl).map(look)
    }
}

/// What a query found.
#[derive(Debug, Clone, PartialEq)]
pub struct QueriedTools<E> {
    /// All tools, in the order they were first registered.
    pub tools: Vec<Arc<Tool>>,
    /// Servers that were asked and failed; none where the answer came from memory.
    pub failed: Vec<(SourceId, E)>,
}

/// How much a [`TtlRegistry`] holds; in JSON `toolCount`, `cacheAge`, `expired`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TtlRegistryStats {
    /// How many tools, expired or not.
    pub tool_count: usize,
    /// In whole seconds; -1 where nothing was registered.
    pub cache_age: i64,
    /// Whether they no longer count; true where there are none.
    pub expired: bool,
}
