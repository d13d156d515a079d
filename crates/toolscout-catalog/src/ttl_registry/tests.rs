//! 1. Registered tools are available, in order, until they expire.
//! 2. Statistics are correct for a fresh, an empty and an expired registry.
//! 3. Within the time to live, servers are queried once; `refresh` queries them again.
//! 4. A failing server does not affect the others, and its earlier tools stay.
//! 5. Of many concurrent queries, one fetches.

use super::{QueriedTools, TtlRegistry, TtlRegistryStats};
use futures_util::FutureExt;
use futures_util::future::poll_fn;
use std::cell::{Cell, RefCell};
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use toolscout_core::{SourceId, Tool, ToolId, ToolName};

fn server(id: &str) -> SourceId {
    SourceId::new(id).unwrap()
}

fn tool(id: &str) -> Tool {
    let (source, name) = id.split_once('/').unwrap();
    Tool::new(ToolId::new(server(source), ToolName::new(name).unwrap()))
}

fn described(id: &str, description: &str) -> Tool {
    Tool { description: Some(description.to_owned()), ..tool(id) }
}

/// A clock set by a test, in milliseconds.
#[derive(Clone, Default)]
struct Hands(Arc<AtomicU64>);

impl Hands {
    fn advance(&self, seconds: f64) {
        self.0.fetch_add((seconds * 1_000.0) as u64, SeqCst);
    }
}

impl super::Clock for Hands {
    fn now(&self) -> Duration {
        Duration::from_millis(self.0.load(SeqCst))
    }
}

/// A registry with two tools of `s1` and one of `s2`, and its clock.
fn filled() -> (TtlRegistry<Hands>, Hands) {
    let hands = Hands::default();
    hands.advance(1_000.0);
    let registry = TtlRegistry::with(TtlRegistry::TTL, hands.clone());
    registry.register_tools([tool("s1/a"), tool("s1/b"), tool("s2/c")]);
    (registry, hands)
}

fn ids(tools: &[Arc<Tool>]) -> String {
    tools.iter().map(|tool| tool.id.to_string()).collect::<Vec<_>>().join(" ")
}

#[test]
fn registered_tools_are_listed() {
    let (registry, _) = filled();
    assert_eq!(ids(&registry.list_tools()), "s1/a s1/b s2/c");
    assert_eq!(registry.tool_schema("b").unwrap().id, tool("s1/b").id);
    assert_eq!(registry.tool_schema("s1/b").unwrap().id, tool("s1/b").id);
    for unknown in ["z", "", "s2/b", "/", "s1/"] {
        assert!(registry.tool_schema(unknown).is_none(), "{unknown}");
    }
    assert!(registry.is_valid() && !registry.needs_discovery() && !registry.is_expired());
    registry.clear();
    assert_eq!(ids(&registry.list_tools()), "");
    assert!(registry.needs_discovery() && registry.is_expired());
}

/// M-16c
#[test]
fn a_process_has_one_global_cache_of_tools() {
    TtlRegistry::global().register_tool(tool("s1/global"));
    assert!(TtlRegistry::global().tool_schema("s1/global").is_some());
    assert!(TtlRegistry::new().needs_discovery(), "other registries are separate");
}

#[test]
fn a_tool_registered_again_is_replaced_at_its_position() {
    let (registry, _) = filled();
    registry.register_tool(described("s1/a", "newer"));
    assert_eq!(ids(&registry.list_tools()), "s1/a s1/b s2/c");
    assert_eq!(registry.tool_schema("a").unwrap().description.as_deref(), Some("newer"));
}

#[test]
fn a_bare_name_finds_the_later_of_two_servers() {
    let (registry, _) = filled();
    registry.register_tool(Arc::new(tool("s2/a")));
    assert_eq!(ids(&registry.list_tools()), "s1/a s1/b s2/c s2/a");
    assert_eq!(registry.tool_schema("a").unwrap().id, tool("s2/a").id);
    assert_eq!(registry.tool_schema("s1/a").unwrap().id, tool("s1/a").id);
}

#[test]
fn a_name_with_a_slash_is_found() {
    let (registry, _) = filled();
    registry.register_tool(tool("s1/x/y"));
    assert_eq!(registry.tool_schema("x/y").unwrap().id, tool("s1/x/y").id);
    assert_eq!(registry.tool_schema("s1/x/y").unwrap().id, tool("s1/x/y").id);
}

/// E-09: four minutes later all tools are still available.
#[test]
fn tools_are_valid_within_the_ttl() {
    let (registry, hands) = filled();
    hands.advance(240.0);
    assert!(registry.is_valid());
    assert_eq!(registry.list_tools().len(), 3);
    assert_eq!(registry.cache_age(), 240);
}

/// E-10: exactly at the end of the time to live tools are still valid; after it nothing is listed,
/// nothing is found, and discovery is needed.
#[test]
fn the_ttl_is_inclusive() {
    let (registry, hands) = filled();
    hands.advance(300.0);
    assert!(registry.is_valid() && !registry.is_expired());
    assert_eq!(registry.list_tools().len(), 3);
    hands.advance(1.0);
    assert!(registry.is_expired() && registry.needs_discovery());
    assert_eq!(registry.list_tools(), []);
    assert_eq!(registry.list_tools_by_server(), []);
    assert!(registry.tool_schema("a").is_none());
}

#[test]
fn tools_expire_after_the_ttl() {
    let (registry, hands) = filled();
    hands.advance(300.001);
    assert!(registry.is_expired());
}

#[test]
fn registering_into_an_expired_cache_starts_a_new_one() {
    let (registry, hands) = filled();
    hands.advance(200.0);
    registry.register_tool(tool("s2/d"));
    assert_eq!(registry.cache_age(), 200, "the age is that of the oldest source");
    hands.advance(101.0);
    registry.register_tools([] as [Tool; 0]);
    assert!(registry.is_expired(), "registering no tools does not renew the cache");
    registry.register_tool(tool("s2/e"));
    assert_eq!(ids(&registry.list_tools()), "s2/e");
    assert_eq!(registry.cache_age(), 0);
}

#[test]
fn a_clock_set_back_does_no_harm() {
    let (registry, hands) = filled();
    hands.0.store(0, SeqCst);
    assert!(registry.is_valid());
    assert_eq!(registry.cache_age(), 0);
}

/// E-13: fresh with two tools, empty, expired.
#[test]
fn statistics_are_right_fresh_empty_and_expired() {
    let hands = Hands::default();
    let registry = TtlRegistry::with(TtlRegistry::TTL, hands.clone());
    let json = || serde_json::to_string(&registry.stats()).unwrap();
    assert_eq!(json(), r#"{"toolCount":0,"cacheAge":-1,"expired":true}"#);
    registry.register_tools([tool("s1/a"), tool("s1/b")]);
    assert_eq!(json(), r#"{"toolCount":2,"cacheAge":0,"expired":false}"#);
    hands.advance(301.9);
    assert_eq!(registry.stats(), TtlRegistryStats { tool_count: 2, cache_age: 301, expired: true });
    registry.clear();
    assert_eq!(json(), r#"{"toolCount":0,"cacheAge":-1,"expired":true}"#);
}

/// E-14: by server, in order.
#[test]
fn names_are_grouped_by_server_in_order() {
    let (registry, _) = filled();
    registry.register_tools([tool("s0/z"), tool("s1/0")]);
    let by_server = registry.list_tools_by_server();
    assert_eq!(
        format!("{by_server:?}"),
        r#"[("s1", ["a", "b", "0"]), ("s2", ["c"]), ("s0", ["z"])]"#
    );
}

/// Servers controlled by a test, which record the queries.
#[derive(Default)]
struct Servers {
    queried: RefCell<Vec<String>>,
    down: RefCell<Option<&'static str>>,
    generation: Cell<u32>,
}

impl Servers {
    async fn list(&self, id: SourceId) -> Result<Vec<Tool>, String> {
        self.queried.borrow_mut().push(id.to_string());
        match *self.down.borrow() {
            Some(down) if down == id.as_str() => Err("down".to_owned()),
            _ => Ok(vec![tool(&format!("{id}/t{}", self.generation.get()))]),
        }
    }

    fn queried(&self) -> String {
        std::mem::take(&mut *self.queried.borrow_mut()).join(" ")
    }
}

fn query<C: super::Clock>(registry: &TtlRegistry<C>, servers: &Servers) -> QueriedTools<String> {
    let all = [server("s1"), server("s2")];
    registry
        .query(&all, |registry| servers.list(registry))
        .now_or_never()
        .expect("completes at once")
}

fn refresh<C: super::Clock>(registry: &TtlRegistry<C>, servers: &Servers) -> QueriedTools<String> {
    let all = [server("s1"), server("s2")];
    registry
        .refresh(&all, |registry| servers.list(registry))
        .now_or_never()
        .expect("completes at once")
}

/// E-15: two queries within the time to live query each server once; one miss, one hit; `refresh`
/// queries again.
#[test]
fn servers_are_queried_once_per_ttl() {
    let hands = Hands::default();
    let registry = TtlRegistry::with(TtlRegistry::TTL, hands.clone());
    let servers = Servers::default();
    assert_eq!(ids(&query(&registry, &servers).tools), "s1/t0 s2/t0");
    hands.advance(300.0);
    assert_eq!(ids(&query(&registry, &servers).tools), "s1/t0 s2/t0");
    assert_eq!(servers.queried(), "s1 s2");
    assert_eq!((registry.hits(), registry.misses()), (1, 1));

    servers.generation.set(1);
    assert_eq!(ids(&refresh(&registry, &servers).tools), "s1/t1 s2/t1");
    assert_eq!(servers.queried(), "s1 s2");
    assert_eq!((registry.hits(), registry.misses()), (1, 1));
    assert_eq!(registry.cache_age(), 0);

    hands.advance(301.0);
    query(&registry, &servers);
    assert_eq!(servers.queried(), "s1 s2");
    registry.clear();
    query(&registry, &servers);
    assert_eq!(servers.queried(), "s1 s2");
    assert_eq!((registry.hits(), registry.misses()), (1, 3));
}

#[test]
fn a_failing_server_does_not_affect_others() {
    let registry = TtlRegistry::new();
    let servers = Servers::default();
    servers.down.replace(Some("s1"));
    let answer = query(&registry, &servers);
    assert_eq!(ids(&answer.tools), "s2/t0");
    assert_eq!(answer.failed, [(server("s1"), "down".to_owned())]);
    assert_eq!(query(&registry, &servers).failed, []);
    assert_eq!(registry.hits(), 1);
}

#[test]
fn cached_tools_of_a_failing_server_stay() {
    let (hands, servers) = (Hands::default(), Servers::default());
    let registry = TtlRegistry::with(TtlRegistry::TTL, hands.clone());
    query(&registry, &servers);
    servers.down.replace(Some("s2"));
    servers.generation.set(1);
    assert_eq!(ids(&refresh(&registry, &servers).tools), "s1/t1 s2/t0");
    hands.advance(301.0);
    assert_eq!(ids(&query(&registry, &servers).tools), "s1/t1 s2/t0");
}

#[test]
fn a_server_that_is_no_longer_named_is_dropped() {
    let (registry, servers) = (TtlRegistry::new(), Servers::default());
    query(&registry, &servers);
    let only = [server("s1")];
    let answer = registry.refresh(&only, |registry| servers.list(registry)).now_or_never().unwrap();
    assert_eq!(ids(&answer.tools), "s1/t0");
    assert_eq!(ids(&registry.list_tools()), "s1/t0");
}

#[test]
fn servers_without_tools_are_queried_again() {
    let registry = TtlRegistry::new();
    let queried = Cell::new(0);
    for _ in 0..2 {
        let fetch = |_| {
            queried.set(queried.get() + 1);
            async { Ok::<_, ()>(Vec::new()) }
        };
        assert_eq!(registry.query(&[server("s1")], fetch).now_or_never().unwrap().tools, []);
    }
    assert_eq!((queried.get(), registry.misses(), registry.stats().cache_age), (2, 2, -1));
}

fn poll<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    std::pin::Pin::new(future).poll(&mut Context::from_waker(Waker::noop()))
}

/// Responds once the gate is open.
async fn slowly(queried: &Cell<u32>, gate: &Cell<bool>) -> Result<Vec<Tool>, String> {
    queried.set(queried.get() + 1);
    poll_fn(|_| if gate.get() { Poll::Ready(()) } else { Poll::Pending }).await;
    Ok(vec![tool("s1/a")])
}

#[test]
fn one_of_many_concurrent_queries_fetches() {
    let registry = TtlRegistry::new();
    let (queried, gate, one) = (Cell::new(0), Cell::new(false), [server("s1")]);
    let mut queries: Vec<_> =
        (0..5).map(|_| Box::pin(registry.query(&one, |_| slowly(&queried, &gate)))).collect();
    assert!(queries.iter_mut().all(|query| poll(query).is_pending()));
    assert_eq!(registry.list_tools(), [], "readers do not block");
    gate.set(true);
    for query in &mut queries {
        let Poll::Ready(answer) = poll(query) else { panic!("the query is still pending") };
        assert_eq!(ids(&answer.tools), "s1/a");
    }
    assert_eq!((queried.get(), registry.misses(), registry.hits()), (1, 1, 4));
}

#[test]
fn a_cancelled_fetch_passes_to_the_next_query() {
    let registry = TtlRegistry::new();
    let (queried, gate, one) = (Cell::new(0), Cell::new(false), [server("s1")]);
    let mut first = Box::pin(registry.query(&one, |_| slowly(&queried, &gate)));
    let mut second = Box::pin(registry.query(&one, |_| slowly(&queried, &gate)));
    assert!(poll(&mut first).is_pending() && poll(&mut second).is_pending());
    drop(first);
    assert!(registry.needs_discovery());
    gate.set(true);
    assert!(poll(&mut second).is_ready());
    assert_eq!(queried.get(), 2);
}

/// Sharing the registry between threads and sending its futures compiles.
#[test]
fn it_can_be_shared() {
    fn sent<T: Send + 'static>(value: T) -> T {
        value
    }
    let registry = Arc::new(TtlRegistry::new());
    let shared = registry.clone();
    let query = sent(async move {
        let fetch = async |_: SourceId| Ok::<_, String>(vec![tool("s1/a")]);
        shared.query(&[server("s1")], fetch).await.tools.len()
    });
    assert_eq!(query.now_or_never(), Some(1));
    std::thread::spawn(move || assert!(registry.is_valid())).join().unwrap();
}
