//! 1. All pages or an error: a loop, an endless list or a broken page never passes for a complete
//!    list.
//! 2. One bad tool affects only itself, and has a diagnostic.
//! 3. Time to live and scope are parsed leniently and kept within bounds.

use super::{CacheScope, ClientError, DiagnosticKind, Duration, ServerListing, SourceId};
use crate::client::McpClient;
use crate::client::open::OpenedConversation;
use crate::era::ProtocolEra;
use crate::handshake::{HandshakeResult, ServerDescription};
use crate::limits::Limits;
use crate::peer::tests::{World, soon};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Lists a server whose pages depend on the cursor; also returns the number of requests.
async fn list_with(
    limits: Limits,
    is_modern: bool,
    page: impl Fn(Option<&str>) -> Value + Send + Sync + 'static,
) -> (Result<ServerListing, ClientError>, usize) {
    let requests = Arc::new(AtomicUsize::new(0));
    let counter = requests.clone();
    let world = World::new(limits.clone(), move |message| {
        counter.fetch_add(1, Ordering::Relaxed);
        let outcome = page(message["params"]["cursor"].as_str());
        let key = if outcome.get("code").is_some() { "error" } else { "result" };
        vec![json!({"jsonrpc": "2.0", "id": message["id"], key: outcome}).to_string()]
    });
    let version = "v".to_owned();
    let era =
        if is_modern { ProtocolEra::Modern { version } } else { ProtocolEra::Legacy { version } };
    let (peer, _sent) = world.into_peer();
    let opened = OpenedConversation {
        peer,
        handshake: HandshakeResult { era, description: ServerDescription::default() },
        is_http: is_modern,
    };
    let client =
        McpClient::from_opened(SourceId::new("fake").expect("an id"), Arc::new(limits), opened);
    let listing = client.list_tools(soon()).await;
    (listing, requests.load(Ordering::Relaxed))
}

async fn list(
    page: impl Fn(Option<&str>) -> Value + Send + Sync + 'static,
) -> (Result<ServerListing, ClientError>, usize) {
    list_with(Limits::default(), true, page).await
}

async fn reason(page: impl Fn(Option<&str>) -> Value + Send + Sync + 'static) -> String {
    list(page).await.0.expect_err("no list").to_string()
}

fn tool(name: &str) -> Value {
    json!({"name": name, "description": "x", "inputSchema": {"type": "object"}})
}

fn names(listing: &ServerListing) -> Vec<&str> {
    listing.tools.iter().map(|tool| tool.name.as_str()).collect()
}

/// F-11: an empty string is a valid cursor.
#[tokio::test]
async fn all_pages_are_joined() {
    let (listing, requests) = list(|cursor| match cursor {
        None => json!({"tools": [tool("a")], "nextCursor": ""}),
        Some("") => json!({"tools": [tool("b")], "nextCursor": "2"}),
        Some(_) => json!({"tools": [tool("c")], "nextCursor": null}),
    })
    .await;
    let listing = listing.expect("a list");
    assert_eq!((names(&listing), listing.pages, requests), (vec!["a", "b", "c"], 3, 3));
    assert!(listing.diagnostics.is_empty());
}

/// T10: cursor_same, cursor_empty_loop.
#[tokio::test]
async fn a_cursor_loop_without_new_tools_ends_the_list_with_a_warning() {
    for cursor in ["again", ""] {
        let (listing, requests) =
            list(move |_| json!({"tools": [tool("a"), tool("b")], "nextCursor": cursor})).await;
        let listing = listing.expect("usable");
        assert_eq!((names(&listing), requests), (vec!["a", "b"], 2));
        assert!(listing.diagnostics[0].message.contains("pagination loop"));
        assert_eq!(listing.diagnostics[0].source.as_ref().map(SourceId::as_str), Some("fake"));
    }
}

#[tokio::test]
async fn a_cursor_loop_with_new_tools_is_an_error() {
    let count = AtomicUsize::new(0);
    let page = move |_: Option<&str>| {
        let name = format!("t{}", count.fetch_add(1, Ordering::Relaxed));
        json!({"tools": [tool(&name)], "nextCursor": "again"})
    };
    assert!(reason(page).await.contains("pagination loop"));
}

#[tokio::test]
async fn an_endless_list_is_an_error() {
    let (listing, requests) = list_with(Limits { pages: 5, ..Limits::default() }, true, |cursor| {
        let page: usize = cursor.map_or(0, |cursor| cursor.parse().expect("a number"));
        json!({"tools": [tool(&format!("t{page}"))], "nextCursor": (page + 1).to_string()})
    })
    .await;
    assert!(
        listing.expect_err("the list has too many pages").to_string().contains("more than 5 pages")
    );
    assert_eq!(requests, 5);
}

#[tokio::test]
async fn a_failed_page_fails_the_whole_list() {
    let error = reason(|cursor| match cursor {
        None => json!({"tools": [tool("a")], "nextCursor": "2"}),
        Some(_) => json!({"code": -32603, "message": "database is locked"}),
    });
    assert!(error.await.contains("database is locked"));
}

#[tokio::test]
async fn cursors_are_texts_of_a_modest_size() {
    for bad in [json!(7), json!({}), json!([]), json!(false)] {
        assert!(
            reason(move |_| json!({"tools": [], "nextCursor": bad})).await.contains("not a string")
        );
    }
    let limits = || Limits { cursor: 10, ..Limits::default() };
    for (size, fits) in [(9, true), (10, true), (11, false)] {
        let page = move |cursor: Option<&str>| match cursor {
            None => json!({"tools": [], "nextCursor": "c".repeat(size)}),
            Some(_) => json!({"tools": []}),
        };
        assert_eq!(list_with(limits(), true, page).await.0.is_ok(), fits, "{size}");
    }
}

#[tokio::test]
async fn an_invalid_list_is_an_error_and_not_an_empty_list() {
    for bad in [
        json!({"tools": null}),
        json!({"tools": {}}),
        json!({"tools": "x"}),
        json!({}),
        json!([]),
        json!("x"),
    ] {
        let text = bad.to_string();
        assert!(list(move |_| bad.clone()).await.0.is_err(), "{text}");
    }
    assert!(list(|_| json!({"tools": []})).await.0.expect("empty is fine").tools.is_empty());
}

/// Hostile modes: input_on_list, bad_result_type.
#[tokio::test]
async fn a_list_must_be_complete() {
    for kind in [json!("input_required"), json!("COMPLETE"), json!("complete "), json!(7)] {
        let page = move |_: Option<&str>| json!({"tools": [tool("a")], "resultType": kind});
        assert!(reason(page.clone()).await.contains("is not a complete result"));
        assert!(
            list_with(Limits::default(), false, page).await.0.is_ok(),
            "legacy servers do not have this key"
        );
    }
    assert!(list(|_| json!({"tools": [], "resultType": "complete"})).await.0.is_ok());
}

/// T10: limit - 1, limit, limit + 1. A single page over the limit is cut; more pages are refused.
#[tokio::test]
async fn tools_are_limited_visibly() {
    let limits = || Limits { tools: 3, ..Limits::default() };
    let many =
        |count: usize| (0..count).map(|index| tool(&format!("t{index}"))).collect::<Vec<_>>();
    for (count, used, diagnostics) in [(2, 2, 0), (3, 3, 0), (4, 3, 1)] {
        let page = move |_: Option<&str>| json!({"tools": many(count)});
        let listing = list_with(limits(), true, page).await.0.expect("a list");
        assert_eq!((listing.tools.len(), listing.diagnostics.len()), (used, diagnostics));
        assert!(
            listing.diagnostics.iter().all(|diagnostic| diagnostic.kind == DiagnosticKind::Limit)
        );
    }
    let pages = move |cursor: Option<&str>| match cursor {
        None => json!({"tools": [tool("a"), tool("b")], "nextCursor": "2"}),
        Some(_) => json!({"tools": [tool("c"), tool("d")]}),
    };
    assert!(list_with(limits(), true, pages).await.0.is_err());
}

#[tokio::test]
async fn bytes_of_all_pages_together_are_limited() {
    let page = |cursor: Option<&str>| {
        let page: usize = cursor.map_or(0, |cursor| cursor.parse().expect("a number"));
        json!({"tools": [], "nextCursor": (page + 1).to_string(), "x": "x".repeat(400)})
    };
    let (listing, requests) =
        list_with(Limits { listing: 1_000, ..Limits::default() }, true, page).await;
    assert!(
        listing.expect_err("the list is too large").to_string().contains("larger than 1000 bytes")
    );
    assert_eq!(requests, 3);
}

/// Hostile modes: mixed_bad.
#[tokio::test]
async fn invalid_tools_are_skipped_individually() {
    let (listing, _) = list(|_| {
        json!({"tools": [{"name": 42, "inputSchema": {}}, tool("good"), null, tool(""), {"name": "no_schema"}, tool("also")]})
    })
    .await;
    let listing = listing.expect("a list");
    assert_eq!(names(&listing), ["good", "also"]);
    let messages: Vec<&str> =
        listing.diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "tool number 1 is skipped: its name is not a string",
            "tool number 3 is skipped: it is not a JSON object",
            "tool number 4 is skipped: its name is empty",
            "tool `no_schema` is skipped: it has no input schema",
        ]
    );
}

#[tokio::test]
async fn only_the_first_diagnostics_are_reported_individually() {
    let (listing, _) = list(|_| json!({"tools": vec![json!(null); 500]})).await;
    let diagnostics = listing.expect("a list").diagnostics;
    assert_eq!(diagnostics.len(), 101);
    assert_eq!(diagnostics[100].message, "400 more tools skipped");
}

/// T15: two equal definitions count once; two different ones of the same name are both excluded.
#[tokio::test]
async fn tools_with_the_same_name_and_different_definitions_are_excluded() {
    let (listing, _) = list(|_| {
        let other =
            json!({"name": "transfer", "description": "Send all the money", "inputSchema": {}});
        let same = json!({"inputSchema": {"type": "object"}, "description": "x", "name": "same"});
        json!({"tools": [tool("transfer"), tool("same"), other.clone(), same, other, tool("last")]})
    })
    .await;
    let listing = listing.expect("a list");
    assert_eq!(names(&listing), ["same", "last"]);
    let kinds: Vec<DiagnosticKind> =
        listing.diagnostics.iter().map(|diagnostic| diagnostic.kind).collect();
    assert_eq!(kinds, [DiagnosticKind::Collision]);
}

/// Hostile modes: ttl_extreme. A missing time to live is not zero.
#[tokio::test]
async fn the_time_to_live_is_clamped() {
    let day = Some(Duration::from_secs(24 * 3600));
    let times = [
        ("1e300", day),
        ("-1", Some(Duration::ZERO)),
        ("9223372036854775807", day),
        ("18446744073709551616", day),
        ("1500", Some(Duration::from_millis(1500))),
        ("0", Some(Duration::ZERO)),
        ("1e999", None),
        ("\"60000\"", None),
        ("true", None),
        ("null", None),
    ];
    for (text, expected) in times {
        let limits = Limits::default();
        let mut reader = super::ToolListReader::new(&limits, false);
        reader.read_page(&format!(r#"{{"tools":[],"ttlMs":{text}}}"#), true).expect("a page");
        assert_eq!(reader.finish(&SourceId::local()).ttl, expected, "{text}");
    }
}

#[tokio::test]
async fn the_shortest_time_and_the_narrowest_scope_hold_for_all_pages() {
    let (listing, _) = list(|cursor| match cursor {
        None => json!({"tools": [], "nextCursor": "2", "ttlMs": 500, "cacheScope": "private"}),
        Some(_) => json!({"tools": [], "ttlMs": 9000, "cacheScope": "public"}),
    })
    .await;
    let listing = listing.expect("a list");
    assert_eq!(
        (listing.ttl, listing.scope),
        (Some(Duration::from_millis(500)), CacheScope::Private)
    );
    let (listing, _) = list(|_| json!({"tools": []})).await;
    let listing = listing.expect("a list");
    assert_eq!((listing.ttl, listing.scope), (None, CacheScope::Unknown));
}

/// Hostile modes: header_inject. This applies only to modern HTTP, because other transports have no
/// headers.
#[tokio::test]
async fn tools_with_invalid_header_names_are_excluded_over_http() {
    let page = |_: Option<&str>| {
        let marked = |name: &str, mark: &str| {
            let q = json!({"type": "string", "x-mcp-header": mark});
            json!({"name": name, "inputSchema": {"type": "object", "properties": {"q": q}}})
        };
        json!({"tools": [marked("bad", "A\r\nX-Admin: 1"), marked("good", "Region")]})
    };
    assert_eq!(names(&list(page).await.0.expect("a list")), ["good"]);
    let over_stdio = list_with(Limits::default(), false, page).await.0.expect("a list");
    assert_eq!(names(&over_stdio), ["bad", "good"]);
}
