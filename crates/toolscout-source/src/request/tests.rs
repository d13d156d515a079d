//! 1. The key of a request always contains both the header, whole and unique, and the user.
//! 2. Closures make the tools of a request.

use super::{cache_key, header, header_name, request_tools};
use crate::{CodeTool, ToolBuilder};
use futures_util::StreamExt;
use toolscout_core::{Caller, Cx, DiscoveryItem, RequestSources, SourceId, SourceKind, ToolOutput};

fn by(headers: &[(&str, &str)], user: Option<&str>) -> Cx {
    let headers =
        headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Cx { headers, user: user.map(Into::into), ..Cx::new(Caller::Mcp) }
}

fn of(value: &str) -> Cx {
    by(&[("x-user-id", value)], None)
}

/// The tools of a request, each as `source/name: description`.
async fn tools(giver: &dyn RequestSources, cx: &Cx) -> Vec<String> {
    let mut all = Vec::new();
    for source in giver.sources(cx).await {
        assert_eq!(source.kind(), SourceKind::Request);
        let found: Vec<_> = source.discover(cx.clone()).collect().await;
        all.extend(found.into_iter().filter_map(|item| match item.expect("it can be listed") {
            DiscoveryItem::Tool(tool) => {
                Some(format!("{}: {}", tool.id, tool.description.clone().unwrap_or_default()))
            }
            _ => None,
        }));
    }
    all
}

#[test]
fn a_duplicate_header_counts_as_missing() {
    let cx = by(&[("x-user-id", "alice"), ("x-team", "blue")], None);
    assert_eq!(
        (header(&cx, "X-User-ID"), header(&cx, "x-team"), header(&cx, "x-other")),
        (Some("alice"), Some("blue"), None)
    );
    let cx = by(&[("x-user-id", "alice"), ("x-user-id", "bob")], None);
    assert_eq!(header(&cx, "x-user-id"), None);
}

/// T30: headers that authenticate the client to toolscout select nothing and are not forwarded.
#[test]
fn reserved_headers_are_refused() {
    assert_eq!(header_name("X-User-ID").as_deref(), Ok("x-user-id"));
    for name in
        ["Authorization", "cookie", "Proxy-Authorization", "Mcp-Session-Id", "", "x y", "x:y"]
    {
        assert!(header_name(name).is_err(), "{name}");
    }
}

/// T32: two requests share a key only if the user *and* the values are the same.
#[test]
fn the_cache_key_depends_on_the_user_and_the_header_values() {
    let all = [
        cache_key(&by(&[], None), &["a"]),
        cache_key(&by(&[], Some("u")), &["a"]),
        cache_key(&by(&[], Some("u")), &["b"]),
        cache_key(&by(&[], Some("u")), &["a", "b"]),
        cache_key(&by(&[], Some("u\",[\"a")), &[]),
        cache_key(&by(&[], Some("")), &["a"]),
    ];
    let different: std::collections::HashSet<_> = all.iter().collect();
    assert_eq!(different.len(), all.len(), "{all:?}");
}

fn saved_queries(user: &str) -> CodeTool {
    let tool = ToolBuilder::new("my_saved_queries")
        .expect("a name")
        .description(format!("The saved queries of {user}"));
    tool.run(|_, _| async { Ok(ToolOutput::text("none")) })
}

/// P-01: the code form.
#[tokio::test]
async fn closures_create_the_tools_of_each_request() {
    let giver = request_tools(
        |cx| header(cx, "x-user-id").map(str::to_owned),
        |user, _| [saved_queries(user)],
    );
    let giver = giver.named(SourceId::new("mine").expect("an id"));
    assert_eq!(
        tools(&giver, &of("alice")).await,
        ["mine/my_saved_queries: The saved queries of alice"]
    );
    assert_eq!(giver.key(&by(&[], Some("u"))), None);
    assert_ne!(giver.key(&of("alice")), giver.key(&by(&[("x-user-id", "alice")], Some("u"))));
}
