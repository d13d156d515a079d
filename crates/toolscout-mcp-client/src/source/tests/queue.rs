//! Calls that wait for a place among the pending ones of a slow server.

use super::*;
use futures_util::FutureExt;
use std::pin::pin;

/// A server with one place for a call, and so many for waiting ones: a client gets a quarter.
fn source(world: &World, queued: usize) -> McpSource {
    let limits = Limits { pending: 1, queued, ..Limits::default() };
    world.source_within(world.server("honest", &[]), limits)
}

fn cx_of(user: &str, limit: Duration) -> Cx {
    Cx { user: Some(user.into()), ..Cx::new(Caller::Mcp).within(limit) }
}

async fn call_as(
    source: &McpSource,
    name: &str,
    arguments: Value,
    cx: Cx,
) -> Result<ToolOutput, SourceError> {
    let id = ToolId::new(source.id().clone(), ToolName::new(name).expect("a name"));
    let call = ToolCall::new(id, arguments.as_object().expect("an object").clone());
    source.call(authorized(call), cx).await
}

/// The texts that the server was called to echo, in order.
fn echoed(world: &World) -> Vec<String> {
    let calls = world.events("recv").into_iter().filter(|event| event["method"] == "tools/call");
    let text = |event: Value| {
        let params: Value = serde_json::from_str(event["params"].as_str()?).ok()?;
        params["arguments"]["text"].as_str().map(str::to_owned)
    };
    calls.filter_map(text).collect()
}

/// Y-52: four calls of one principal wait, then one of another: it is next.
#[tokio::test]
async fn waiting_calls_of_several_principals_take_turns() {
    let world = World::new();
    let source = source(&world, 16);
    let long = Duration::from_secs(20);
    let echo =
        |user: &'static str| call_as(&source, "echo", json!({"text": user}), cx_of(user, long));
    let mut running = pin!(call_as(&source, "sleep", json!({"seconds": 0.5}), cx_of("ada", long)));
    assert!(running.as_mut().now_or_never().is_none());
    let mut greedy: Vec<_> = (0..4).map(|_| Box::pin(echo("ada"))).collect();
    for call in &mut greedy {
        assert!(call.now_or_never().is_none());
    }
    let mut late = pin!(echo("bob"));
    assert!(late.as_mut().now_or_never().is_none());
    let all = async { join_all(greedy).await };
    let (slept, others, late) = tokio::join!(running, all, late);
    assert_eq!(text(&slept.expect("slept")), "slept");
    assert!(others.iter().all(Result::is_ok), "{others:?}");
    assert_eq!(text(&late.expect("an echo")), "bob");
    assert_eq!(echoed(&world), ["bob", "ada", "ada", "ada", "ada"]);
}

/// Y-53: the time in the queue is call time.
#[tokio::test]
async fn a_call_waits_until_its_deadline_and_then_fails_as_busy() {
    let world = World::new();
    let source = source(&world, 16);
    let long = Duration::from_secs(20);
    let mut running = pin!(call_as(&source, "sleep", json!({"seconds": 15}), cx_of("ada", long)));
    assert!(running.as_mut().now_or_never().is_none());
    let echo =
        call_as(&source, "echo", json!({"text": "x"}), cx_of("bob", Duration::from_millis(50)));
    let error = echo.await.expect_err("no place in time");
    assert!(matches!(&error, SourceError::Busy { after: Some(after), .. } if after.as_secs() == 1));
    let expected =
        "busy, retry after 1 s: 0 calls of this client are pending, and this one has waited for 0.";
    assert!(error.to_string().contains(expected), "{error}");
    assert_eq!(echoed(&world), [""; 0], "it has not reached the server");
}

/// Y-51: two calls of one client wait; the next one is refused at once, and one of another client
/// is not.
#[tokio::test]
async fn a_full_queue_refuses_at_once() {
    let world = World::new();
    let source = source(&world, 8);
    let long = Duration::from_secs(20);
    let sleep = |user| call_as(&source, "sleep", json!({"seconds": 15}), cx_of(user, long));
    let mut waiting: Vec<_> = (0..3).map(|_| Box::pin(sleep("ada"))).collect();
    for call in &mut waiting {
        assert!(call.now_or_never().is_none());
    }
    let error = sleep("ada").await.expect_err("the queue is full");
    assert!(
        error.to_string().contains("1 calls of this client are pending, and 2 more wait"),
        "{error}"
    );
    assert!(sleep("bob").now_or_never().is_none(), "another client waits");
}
