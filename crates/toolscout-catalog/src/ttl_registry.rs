//! A cache of tools with a time to live, for programs that keep their own list of the tools of
//! servers.
//!
//! It is independent of the gateway, which tracks freshness per server. Here all tools have one
//! age, that of the oldest.

mod clock;
mod tools;

#[cfg(test)]
mod tests;

pub use clock::{Clock, Monotonic};

use futures_util::future::join_all;
use futures_util::lock::Mutex as AsyncMutex;
use parking_lot::Mutex;
use serde::Serialize;
use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tools::RegisteredTools;
use toolscout_core::{SourceId, Tool, ToolName};

/// Tools by server, kept for five minutes from the first registration; then all expire together.
///
/// Designed to be shared: all methods take `&self`, so an `Arc` of it is enough. Only
/// [`query`](Self::query) and [`refresh`](Self::refresh) wait for servers.
#[derive(Debug)]
pub struct TtlRegistry<C = Monotonic> {
    clock: C,
    ttl: Duration,
    tools: Mutex<Option<RegisteredTools>>,
    /// Held by the task that fetches; readers do not wait for it.
    fetch_lock: AsyncMutex<()>,
    hits: AtomicU64,
    misses: AtomicU64,
}

impl TtlRegistry {
    /// The default time to live.
    pub const TTL: Duration = Duration::from_secs(300);

    /// The registry of this process, for code that has no registry of its own.
    pub fn global() -> &'static Self {
        static GLOBAL: LazyLock<TtlRegistry> = LazyLock::new(TtlRegistry::new);
        &GLOBAL
    }

    /// An empty registry with the default time to live.
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
    /// An empty registry with this time to live and clock.
    pub fn with(ttl: Duration, clock: C) -> Self {
        let (hits, misses) = (AtomicU64::new(0), AtomicU64::new(0));
        Self { clock, ttl, tools: Mutex::new(None), fetch_lock: AsyncMutex::new(()), hits, misses }
    }

    /// Adds a tool, or replaces the one with the same server and name. If the cache has expired, a
    /// new one begins with this tool.
    pub fn register_tool(&self, tool: impl Into<Arc<Tool>>) {
        self.register_tools([tool]);
    }

    /// Adds several tools in one step.
    pub fn register_tools<T: Into<Arc<Tool>>>(&self, tools: impl IntoIterator<Item = T>) {
        let tools: Vec<Arc<Tool>> = tools.into_iter().map(Into::into).collect();
        let now = self.clock.now();
        let mut cached = self.tools.lock();
        if tools.is_empty() {
            return;
        }
        let current = cached.take_if(|value| value.age(now) <= self.ttl);
        let current = cached.insert(current.unwrap_or_else(|| RegisteredTools::new(now)));
        tools.into_iter().for_each(|tool| current.add(tool));
    }

    /// The definition of a tool, by its name or as `server/tool`. If several servers have the name,
    /// the one registered last wins.
    pub fn tool_schema(&self, name: &str) -> Option<Arc<Tool>> {
        self.fresh(|value| value.find(name)).flatten()
    }

    /// All tools, in the order they were first registered.
    pub fn list_tools(&self) -> Vec<Arc<Tool>> {
        self.fresh(RegisteredTools::tools).unwrap_or_default()
    }

    /// The names of all tools by their servers, both in the order they were first registered.
    pub fn list_tools_by_server(&self) -> Vec<(SourceId, Vec<ToolName>)> {
        self.fresh(RegisteredTools::by_server).unwrap_or_default()
    }

    /// Whether the tools are too old, or there are none. At exactly the end of the time to live
    /// they are not too old yet.
    pub fn is_expired(&self) -> bool {
        self.fresh(|_| ()).is_none()
    }

    /// Whether there are tools that are not too old.
    pub fn is_valid(&self) -> bool {
        self.fresh(|value| !value.is_empty()).unwrap_or(false)
    }

    /// Whether servers should be queried for their tools: there are none, or they are too old.
    pub fn needs_discovery(&self) -> bool {
        !self.is_valid()
    }

    /// The age of the cache in whole seconds; -1 if there is none.
    pub fn cache_age(&self) -> i64 {
        self.stats().cache_age
    }

    /// Removes all tools, so that the next query fetches again. The counters stay.
    pub fn clear(&self) {
        *self.tools.lock() = None;
    }

    /// The number and age of the tools, expired or not.
    pub fn stats(&self) -> TtlRegistryStats {
        let now = self.clock.now();
        match &*self.tools.lock() {
            None => TtlRegistryStats { tool_count: 0, cache_age: -1, expired: true },
            Some(cached) => TtlRegistryStats {
                tool_count: cached.len(),
                cache_age: i64::try_from(cached.age(now).as_secs()).unwrap_or(i64::MAX),
                expired: cached.age(now) > self.ttl,
            },
        }
    }

    /// The number of queries answered from the cache.
    pub fn hits(&self) -> u64 {
        self.hits.load(Relaxed)
    }

    /// The number of queries that had to fetch from the servers.
    pub fn misses(&self) -> u64 {
        self.misses.load(Relaxed)
    }

    /// All tools: from the cache while it is valid, otherwise by querying each of these servers
    /// once, concurrently. Of several concurrent queries, one fetches; the others wait for its
    /// result.
    ///
    /// Cancel-safe: if the future is dropped, only the counter has changed, and the next query in
    /// line fetches.
    pub async fn query<F, A, E>(&self, servers: &[SourceId], fetch: F) -> QueriedTools<E>
    where
        F: Fn(SourceId) -> A,
        A: Future<Output = Result<Vec<Tool>, E>>,
    {
        if let Some(tools) = self.cached_tools() {
            return tools;
        }
        let _guard = self.fetch_lock.lock().await;
        match self.cached_tools() {
            Some(tools) => tools,
            None => {
                self.misses.fetch_add(1, Relaxed);
                let TtlRegistryStats { tool_count, cache_age, expired } = self.stats();
                tracing::debug!(
                    event = "tool_cache_miss",
                    toolCount = tool_count,
                    cacheAge = cache_age,
                    expired
                );
                self.fetch(servers, fetch).await
            }
        }
    }

    /// Queries each of these servers, regardless of the age of the cache, and begins a new cache
    /// with the results. If a server fails, its earlier tools stay; servers that are not in the
    /// list are removed. Counts neither as a hit nor as a miss.
    ///
    /// Cancel-safe: if the future is dropped, nothing has changed.
    pub async fn refresh<F, A, E>(&self, servers: &[SourceId], fetch: F) -> QueriedTools<E>
    where
        F: Fn(SourceId) -> A,
        A: Future<Output = Result<Vec<Tool>, E>>,
    {
        let _guard = self.fetch_lock.lock().await;
        self.fetch(servers, fetch).await
    }

    async fn fetch<F, A, E>(&self, servers: &[SourceId], fetch: F) -> QueriedTools<E>
    where
        F: Fn(SourceId) -> A,
        A: Future<Output = Result<Vec<Tool>, E>>,
    {
        let results = join_all(servers.iter().map(|server| fetch(server.clone()))).await;
        let mut next = RegisteredTools::new(self.clock.now());
        let mut failed = Vec::new();
        let mut cached = self.tools.lock();
        for (server, result) in servers.iter().zip(results) {
            match result {
                Ok(tools) => tools.into_iter().for_each(|tool| next.add(Arc::new(tool))),
                Err(error) => {
                    cached
                        .iter()
                        .flat_map(|cached| cached.of_server(server))
                        .for_each(|tool| next.add(tool));
                    failed.push((server.clone(), error));
                }
            }
        }
        let tools = next.tools();
        *cached = Some(next).filter(|value| !value.is_empty());
        QueriedTools { tools, failed }
    }

    fn cached_tools<E>(&self) -> Option<QueriedTools<E>> {
        let tools = self.fresh(RegisteredTools::tools).filter(|fresh| !fresh.is_empty())?;
        self.hits.fetch_add(1, Relaxed);
        let age = self.cache_age();
        tracing::debug!(event = "tool_cache_hit", toolCount = tools.len(), cacheAge = age);
        Some(QueriedTools { tools, failed: Vec::new() })
    }

    /// Reads the tools, if they are not too old.
    fn fresh<T>(&self, read: impl FnOnce(&RegisteredTools) -> T) -> Option<T> {
        let now = self.clock.now();
        self.tools.lock().as_ref().filter(|tools| tools.age(now) <= self.ttl).map(read)
    }
}

/// The result of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct QueriedTools<E> {
    /// All tools, in the order they were first registered.
    pub tools: Vec<Arc<Tool>>,
    /// Servers that failed; empty if the answer came from the cache.
    pub failed: Vec<(SourceId, E)>,
}

/// The size and age of a [`TtlRegistry`]; in JSON `toolCount`, `cacheAge`, `expired`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TtlRegistryStats {
    /// The number of tools, expired or not.
    pub tool_count: usize,
    /// The age in whole seconds; -1 if nothing was registered.
    pub cache_age: i64,
    /// Whether the tools have expired; true if there are none.
    pub expired: bool,
}
