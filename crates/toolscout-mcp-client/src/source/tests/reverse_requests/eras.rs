//! A server of both eras is reached over a connection of the era that suits the caller.

use super::*;
use crate::ProtocolChoice;

fn legacy_caller(name: &'static str) -> Arc<TestCaller> {
    Arc::new(TestCaller { name, is_legacy: true, ..TestCaller::default() })
}

fn methods(caller: &TestCaller) -> Vec<String> {
    caller.requests.lock().iter().map(|(method, _)| method.clone()).collect()
}

async fn elicit(source: &McpSource, caller: &Arc<TestCaller>) -> ToolOutput {
    call_as(source, cx_for(caller), "elicit", json!({})).await.expect("a result")
}

fn recorded_era(source: &McpSource) -> String {
    let record = source.context().read(source.server(), &cx()).expect("a record");
    record.tools.expect("its tools").era.version().to_owned()
}

/// U-40: over pipes and over HTTP. The record keeps the era of the main connection.
#[tokio::test]
async fn each_caller_is_served_in_its_own_era() {
    let world = World::new();
    let (_web, sources) = both(&world, "dual");
    for source in &sources {
        source.refresh(&cx()).await.expect("discovered");
        let (anna, bert) = (legacy_caller("anna"), caller("bert"));
        let output = elicit(source, &anna).await;
        assert_eq!(output_json(&output)["result"]["content"], json!({"name": "anna"}));
        assert_eq!(methods(&anna), ["elicitation/create"]);
        let output = elicit(source, &bert).await;
        assert!(output.wants_input(), "{:?}", output.raw());
        assert_eq!(methods(&bert), [""; 0]);
        assert_eq!(recorded_era(source), "2026-07-28");
    }
}

/// U-41: also if the server was never discovered.
#[tokio::test]
async fn a_modern_server_is_asked_only_once_for_a_legacy_connection() {
    let world = World::new();
    let source = world.relaying(world.server("honest", &["--rich", "--era", "modern"]));
    let anna = legacy_caller("anna");
    for _ in 0..3 {
        assert!(elicit(&source, &anna).await.wants_input());
    }
    assert_eq!((world.request_count("initialize"), world.starts()), (1, 2));
}

#[tokio::test]
async fn a_legacy_server_needs_no_second_connection() {
    let world = World::new();
    let source = world.relaying(world.server("honest", &["--rich", "--era", "legacy"]));
    for caller in [legacy_caller("anna"), caller("bert")] {
        let output = elicit(&source, &caller).await;
        assert_eq!(output_json(&output)["result"]["content"], json!({"name": caller.name}));
    }
    assert_eq!(world.starts(), 1);
}

/// U-42
#[tokio::test]
async fn a_configured_revision_is_spoken_with_every_caller() {
    for (protocol, wants_input) in [(ProtocolChoice::Modern, true), (ProtocolChoice::Legacy, false)]
    {
        let world = World::new();
        let mut server = world.server("honest", &["--rich"]);
        server.protocol = protocol;
        let source = world.relaying(server);
        for caller in [legacy_caller("anna"), caller("bert")] {
            assert_eq!(elicit(&source, &caller).await.wants_input(), wants_input, "{protocol:?}");
        }
        assert_eq!(world.starts(), 1, "{protocol:?}");
    }
}

/// A program with its own state must not run twice for one client and its user.
#[tokio::test]
async fn a_caller_without_an_era_uses_the_connection_that_runs() {
    let world = World::new();
    let source = world.relaying(world.server("honest", &["--rich"]));
    source.refresh(&cx()).await.expect("discovered");
    elicit(&source, &legacy_caller("anna")).await;
    assert_eq!(source.state(&cx()).expect("a state").state, ServerPhase::Idle);
    call(&source, "echo", json!({"text": "hi"})).await.expect("a result");
    assert_eq!(world.starts(), 2, "one discovery, one connection");
    source.stop().await;
    assert_eq!(source.state(&cx()).expect("a state").state, ServerPhase::Ready);
}

#[tokio::test]
async fn a_definition_that_was_not_approved_is_not_called_in_either_era() {
    let world = World::new();
    let source = world.relaying(world.server("honest", &["--rich"]));
    let id = ToolId::new(source.id().clone(), ToolName::new("elicit").expect("a name"));
    let mut wrong = ToolCall::new(id, serde_json::Map::new());
    wrong.expect = Some(Tool::new(wrong.tool.clone()).digest());
    let result = source.call(authorized(wrong), cx_for(&legacy_caller("anna"))).await;
    assert!(matches!(result, Err(SourceError::Changed { .. })), "{result:?}");
    assert_eq!(world.request_count("tools/call"), 0);
}

/// U-43: nothing else would notice it if only the legacy connection runs.
#[tokio::test]
async fn a_change_announced_to_a_legacy_connection_refreshes_the_server() {
    let world = World::new();
    let source = world.relaying(world.server("honest", &["--reference"]));
    source.refresh(&cx()).await.expect("discovered");
    let anna = legacy_caller("anna");
    call_as(&source, cx_for(&anna), "test_simple_text", json!({})).await.expect("a result");
    assert_eq!(world.starts(), 2);
    let changes = source.changes();
    call_as(&source, cx_for(&anna), "test_trigger_tool_change", json!({})).await.expect("a result");
    Box::pin(changes).next().await;
    assert_eq!(world.starts(), 3, "one more discovery");
}

/// The next call starts it again.
#[tokio::test]
async fn a_lost_legacy_connection_is_opened_again() {
    let world = World::new();
    let source = world.relaying(world.server("honest", &["--rich"]));
    source.refresh(&cx()).await.expect("discovered");
    let anna = legacy_caller("anna");
    elicit(&source, &anna).await;
    source.stop().await;
    elicit(&source, &anna).await;
    assert_eq!(methods(&anna), ["elicitation/create"; 2]);
    assert_eq!(world.starts(), 3);
}
