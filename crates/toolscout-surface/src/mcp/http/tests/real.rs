use super::*;
use crate::mcp::{OperationTools, Server, ServerOptions, WireNameStore};
use toolscout_gateway::Gateway;

async fn real() -> Site {
    let gateway = Arc::new(Gateway::builder().build().expect("the gateway builds"));
    let server = Server::new(
        gateway,
        ServerOptions::new("toolscout", "1", [7; 32]),
        WireNameStore::in_memory(),
        OperationTools::default(),
    );
    let listener = Listener::bind(terms(Auth::None)).await.expect("bound");
    let servers: Servers = Arc::new(move |_| Ok(server.clone() as _));
    let endpoint = Endpoint::new(servers, listener.limits().clone(), listener.shutdown(), None);
    Site::serve(listener, Routes::new().guarded(endpoint.routes()))
}

/// H-12.
#[tokio::test]
async fn discover_returns_versions_and_capabilities() {
    let response = real().await.send(modern("server/discover", json!({}))).await;
    let result = &response.json()["result"];
    assert_eq!((response.status, &result["resultType"]), (200, &json!("complete")));
    assert!(
        result["supportedVersions"]
            .as_array()
            .is_some_and(|supported_versions| supported_versions.contains(&json!("2026-07-28")))
    );
    assert!(result["capabilities"]["tools"].is_object() && result["ttlMs"].as_u64().is_some());
    assert!(["public", "private"].map(|value| json!(value)).contains(&result["cacheScope"]));
}

/// Methods of sessions do not exist for requests of the modern era.
#[tokio::test]
async fn session_methods_are_unknown_without_a_session() {
    let site = real().await;
    for method in [
        "initialize",
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "nobody/knows",
    ] {
        let response = site.send(modern(method, json!({}))).await;
        assert_eq!((response.status, response.code()), (404, RpcError::METHOD), "{method}");
    }
}

#[tokio::test]
async fn a_legacy_client_initializes_lists_and_disconnects() {
    let site = real().await;
    let initialized = site.send(post(&[], &initialize("2025-06-18").to_string())).await;
    assert_eq!(initialized.json()["result"]["protocolVersion"], "2025-06-18");
    let session =
        format!("Mcp-Session-Id: {}", initialized.header("mcp-session-id").expect("a session"));
    let listed = site.send(post(&[&session], &message("tools/list", json!({})).to_string())).await;
    assert!(listed.json()["result"]["tools"].is_array(), "{listed:?}");
    assert_eq!(site.send(request("DELETE", "/mcp", &[&session], "")).await.status, 200);
}

#[tokio::test]
async fn a_subscription_stream_starts_with_an_acknowledgement() {
    let mut site = real().await;
    let mut wire = site.dial().await;
    wire.send(modern("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}})))
        .await;
    assert_eq!(wire.head().await.header("content-type"), Some("text/event-stream"));
    let first = messages(&wire.event().await.expect("a message")).remove(0);
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged");
    site.stop();
    let last = messages(&wire.event().await.expect("an answer")).remove(0);
    assert_eq!((&last["id"], &last["result"]["resultType"]), (&json!(1), &json!("complete")));
    assert_eq!(wire.event().await, None);
    site.stopped().await;
}
