//! 1. The era is determined with few requests, for every kind of response.
//! 2. Versions without a common one end in an error that names both sides, not in a loop.
//! 3. The era of the last connection saves a request, and is corrected if it is wrong.

use super::super::limits::Limits;
use super::super::peer::tests::{World, soon};
use super::super::wire::WireObserver;
use super::{ClientError, HandshakeResult, ProtocolChoice, ProtocolEra, negotiate};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

fn limits() -> Limits {
    Limits { probe: Duration::from_millis(40), ..Limits::default() }
}

fn legacy() -> ProtocolEra {
    ProtocolEra::Legacy { version: "2025-11-25".to_owned() }
}

fn modern() -> ProtocolEra {
    ProtocolEra::Modern { version: "2026-07-28".to_owned() }
}

/// A server that answers a method with a result, an error, or not at all.
fn world(respond: impl Fn(&str, &Value) -> Option<Value> + Send + Sync + 'static) -> World {
    World::new(limits(), move |message| {
        let Some(id) = message.get("id") else { return Vec::new() };
        let method = message["method"].as_str().unwrap_or_default();
        let outcome = respond(method, message);
        outcome.into_iter().map(|outcome| envelope(id, outcome).to_string()).collect()
    })
}

fn envelope(id: &Value, outcome: Value) -> Value {
    let key = if outcome.get("code").is_some() { "error" } else { "result" };
    json!({"jsonrpc": "2.0", "id": id, key: outcome})
}

fn discovered() -> Value {
    let server_info = json!({"name": "n", "version": "1", "title": "T"});
    json!({"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "instructions": "be kind",
        "_meta": {"io.modelcontextprotocol/serverInfo": server_info}})
}

fn initialized(version: &str) -> Value {
    json!({"protocolVersion": version, "capabilities": {}, "serverInfo": {"name": "n", "version": "1"}})
}

fn no_such_method() -> Value {
    json!({"code": -32601, "message": "Method not found"})
}

async fn shake_hands(
    world: &mut World,
    known: Option<ProtocolEra>,
) -> (Result<HandshakeResult, ClientError>, Vec<String>) {
    let outcome =
        negotiate(&world.peer, ProtocolChoice::Auto, known.as_ref(), &limits(), soon()).await;
    (outcome, world.methods())
}

async fn error(mut world: World) -> (String, Vec<String>) {
    let (outcome, methods) = shake_hands(&mut world, None).await;
    (outcome.expect_err("no handshake").to_string(), methods)
}

#[tokio::test]
async fn a_modern_server_gets_one_request() {
    let mut world = world(|method, message| {
        let meta = &message["params"]["_meta"];
        assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
        assert_eq!(meta["io.modelcontextprotocol/clientCapabilities"], json!({}));
        assert_eq!(meta["io.modelcontextprotocol/clientInfo"]["name"], "toolscout");
        (method == "server/discover").then(discovered)
    });
    let (handshake, methods) = shake_hands(&mut world, None).await;
    let handshake = handshake.expect("a handshake");
    assert_eq!((handshake.era, methods), (modern(), vec!["server/discover".to_owned()]));
    assert_eq!(handshake.description.name.as_deref(), Some("n"));
    assert_eq!(handshake.description.title.as_deref(), Some("T"));
    assert_eq!(handshake.description.instructions.as_deref(), Some("be kind"));
    assert_eq!(
        handshake.description.capabilities.expect("capabilities").as_str(),
        r#"{"tools":{}}"#
    );
}

/// F-14: legacy servers refuse `server/discover` in many ways.
#[tokio::test]
async fn any_other_refusal_makes_it_a_legacy_server() {
    let refusals = [
        no_such_method(),
        json!({"code": -32602, "message": "Invalid params"}),
        json!({"code": -32002, "message": "Server not initialized"}),
        json!({"code": "E", "message": 7}),
        json!({}),
        json!({"supportedVersions": 7}),
        json!({"supportedVersions": [null]}),
        json!({"supportedVersions": ["2025-06-18"]}),
    ];
    for refusal in refusals {
        let response = refusal.clone();
        let mut world = world(move |method, message| match method {
            "server/discover" => Some(response.clone()),
            _ => {
                Some(initialized(message["params"]["protocolVersion"].as_str().expect("a version")))
            }
        });
        let (handshake, methods) = shake_hands(&mut world, None).await;
        assert!(!handshake.expect("a handshake").era.is_modern(), "{refusal}");
        assert_eq!(
            methods,
            ["server/discover", "initialize", "notifications/initialized"],
            "{refusal}"
        );
    }
}

#[tokio::test]
async fn every_legacy_version_is_accepted() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut world = world(move |method, _| match method {
            "initialize" => Some(initialized(version)),
            _ => Some(no_such_method()),
        });
        let handshake = shake_hands(&mut world, None).await.0.expect("a handshake");
        assert_eq!(handshake.era.version(), version);
    }
}

#[tokio::test]
async fn a_silent_server_is_treated_as_legacy_after_the_probe_time() {
    let mut world = world(|method, _| (method == "initialize").then(|| initialized("2025-11-25")));
    let started = Instant::now();
    let (handshake, methods) = shake_hands(&mut world, None).await;
    assert_eq!(handshake.expect("a handshake").era, legacy());
    assert!(started.elapsed() >= limits().probe);
    assert_eq!(methods, ["server/discover", "initialize", "notifications/initialized"]);
}

/// A server that is slow to start finds both requests waiting, and answers them in order.
async fn slow_to_start(first: Value, second: Value) -> HandshakeResult {
    let mut world = World::new(limits(), |_| Vec::new());
    let (peer, router) = (world.peer.clone(), world.router.clone());
    let limits = limits();
    let (handshake, ()) =
        tokio::join!(negotiate(&peer, ProtocolChoice::Auto, None, &limits, soon()), async {
            assert_eq!(world.next().await["method"], "server/discover");
            assert_eq!(world.next().await["method"], "initialize");
            router.message(envelope(&json!(1), first).to_string().as_bytes());
            router.message(envelope(&json!(2), second).to_string().as_bytes());
        });
    assert_eq!(peer.router().pending(), 0);
    handshake.expect("a handshake")
}

#[tokio::test]
async fn a_modern_server_that_is_slow_to_start_is_still_a_modern_one() {
    assert_eq!(slow_to_start(discovered(), initialized("2025-11-25")).await.era, modern());
    assert_eq!(slow_to_start(discovered(), no_such_method()).await.era, modern());
}

#[tokio::test]
async fn a_legacy_server_that_is_slow_to_start_is_still_a_legacy_one() {
    assert_eq!(slow_to_start(no_such_method(), initialized("2025-11-25")).await.era, legacy());
}

#[tokio::test]
async fn silence_on_both_ends_at_the_deadline() {
    let world = world(|_, _| None);
    let deadline = Instant::now() + Duration::from_millis(120);
    let error = negotiate(&world.peer, ProtocolChoice::Auto, None, &limits(), deadline)
        .await
        .expect_err("no listener");
    assert_eq!(error.to_string(), "the handshake timed out after 120 ms");
    assert_eq!(world.peer.router().pending(), 0);
}

/// Hostile modes: future_version.
#[tokio::test]
async fn without_a_common_version_the_error_names_both_sides() {
    let (text, methods) = error(world(|method, _| match method {
        "server/discover" => Some(json!({"supportedVersions": ["2099-01-01"]})),
        _ => Some(initialized("2099-01-01")),
    }))
    .await;
    assert!(
        text.contains("2099-01-01") && text.contains("2026-07-28") && text.contains("2024-11-05"),
        "{text}"
    );
    assert_eq!(methods, ["server/discover"]);
    let legacy_server = |method: &str, _: &Value| match method {
        "initialize" => Some(initialized("2099-01-01")),
        _ => Some(no_such_method()),
    };
    let (text, methods) = error(world(legacy_server)).await;
    assert!(text.contains("2099-01-01"), "{text}");
    assert_eq!(methods, ["server/discover", "initialize"]);
}

#[tokio::test]
async fn an_invalid_version_is_reported_briefly() {
    for version in [json!(7), json!(null), json!("v".repeat(1 << 20))] {
        let (text, _) = error(world(move |method, _| match method {
            "initialize" => Some(json!({"protocolVersion": version, "capabilities": {}})),
            _ => Some(no_such_method()),
        }))
        .await;
        assert!(text.len() < 300, "{}", text.len());
    }
}

/// Hostile modes: unsupported_loop.
#[tokio::test]
async fn a_server_that_refuses_its_own_version_is_not_retried_endlessly() {
    let (text, methods) = error(world(|_, _| {
        Some(json!({"code": -32022, "message": "Unsupported", "data": {"supported": ["2026-07-28"]}}))
    }))
    .await;
    assert!(text.contains("although it lists it as supported"), "{text}");
    assert!(methods.len() <= 2, "{methods:?}");
}

#[tokio::test]
async fn a_server_that_refuses_its_own_version_is_retried_once() {
    let count = std::sync::atomic::AtomicUsize::new(0);
    let mut world = world(move |_, _| {
        match count.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
            0 => Some(
                json!({"code": -32022, "message": "Unsupported", "data": {"supported": ["2026-07-28"]}}),
            ),
            _ => Some(json!({"supportedVersions": ["2026-07-28"], "capabilities": {}})),
        }
    });
    let (handshake, methods) = shake_hands(&mut world, None).await;
    assert!(handshake.expect("a handshake").era.is_modern());
    assert_eq!(methods, ["server/discover", "server/discover"]);
}

#[tokio::test]
async fn a_refused_version_is_retried_once_with_a_common_one() {
    let mut world = world(|method, message| {
        match (method, message["params"]["protocolVersion"].as_str()) {
            ("initialize", Some("2024-11-05")) => Some(initialized("2024-11-05")),
            ("initialize", _) => Some(
                json!({"code": -32602, "message": "Unsupported", "data": {"supported": ["2024-11-05", "1999"]}}),
            ),
            _ => Some(no_such_method()),
        }
    });
    let (handshake, methods) = shake_hands(&mut world, None).await;
    assert_eq!(handshake.expect("a handshake").era.version(), "2024-11-05");
    assert_eq!(
        methods,
        ["server/discover", "initialize", "initialize", "notifications/initialized"]
    );
}

#[tokio::test]
async fn an_error_of_the_modern_era_is_final() {
    let (text, methods) = error(world(|_, _| {
        Some(json!({"code": -32021, "message": "needs elicitation", "data": {}}))
    }))
    .await;
    assert!(text.contains("needs elicitation"), "{text}");
    assert_eq!(methods, ["server/discover"]);
}

#[tokio::test]
async fn a_known_era_saves_a_request() {
    let mut world = world(|method, _| (method == "initialize").then(|| initialized("2025-11-25")));
    let (handshake, methods) = shake_hands(&mut world, Some(legacy())).await;
    assert_eq!(handshake.expect("a handshake").era, legacy());
    assert_eq!(methods, ["initialize", "notifications/initialized"]);
}

#[tokio::test]
async fn a_wrong_known_era_is_corrected() {
    let mut upgraded = world(|method, _| match method {
        "server/discover" => Some(discovered()),
        _ => Some(no_such_method()),
    });
    let (handshake, methods) = shake_hands(&mut upgraded, Some(legacy())).await;
    assert_eq!(handshake.expect("a handshake").era, modern());
    assert_eq!(methods, ["initialize", "server/discover"]);
    let mut downgraded = world(|method, _| match method {
        "initialize" => Some(initialized("2025-11-25")),
        _ => Some(no_such_method()),
    });
    let (handshake, methods) = shake_hands(&mut downgraded, Some(modern())).await;
    assert_eq!(handshake.expect("a handshake").era, legacy());
    assert_eq!(methods, ["server/discover", "initialize", "notifications/initialized"]);
}

/// Hostile modes: identity_spoof.
#[tokio::test]
async fn the_server_description_is_truncated() {
    let mut world = world(|_, _| {
        let server_info = json!({"name": "github", "title": format!("GitHub\u{1b}[2K{}", "é".repeat(1 << 19)), "version": 7});
        Some(
            json!({"supportedVersions": ["2026-07-28"], "serverInfo": server_info, "instructions": "x".repeat(1 << 20)}),
        )
    });
    let description = shake_hands(&mut world, None).await.0.expect("a handshake").description;
    assert!(description.title.expect("a title").len() <= 256);
    assert!(description.instructions.expect("instructions").len() <= 16 << 10);
    assert_eq!(description.version, None);
}

#[tokio::test]
async fn a_configured_revision_is_the_only_one_that_is_tried() {
    use ProtocolChoice::{Legacy, Modern, Revision};
    let dual = |newest: &'static str| {
        world(move |method, message| match method {
            "server/discover" => Some(discovered()),
            "initialize" => {
                let offered = message["params"]["protocolVersion"].as_str().unwrap_or_default();
                Some(initialized(offered.min(newest)))
            }
            _ => None,
        })
    };
    let cases = [
        (Modern, Ok("2026-07-28"), &["server/discover"][..]),
        (Legacy, Ok("2025-11-25"), &["initialize", "notifications/initialized"]),
        (Revision("2025-06-18"), Ok("2025-06-18"), &["initialize", "notifications/initialized"]),
    ];
    for (choice, version, methods) in cases {
        let mut world = dual("2025-11-25");
        // The era of the last connection does not matter.
        let known = Some(if choice == Modern { legacy() } else { modern() });
        let outcome = negotiate(&world.peer, choice, known.as_ref(), &limits(), soon()).await;
        assert_eq!(outcome.as_ref().map(|result| result.era.version()), version);
        assert_eq!(world.methods(), methods);
    }
    let old = dual("2024-11-05");
    let outcome = negotiate(&old.peer, Revision("2025-06-18"), None, &limits(), soon()).await;
    assert_eq!(
        outcome.expect_err("the server has an older revision").to_string(),
        "it does not support protocol version 2025-06-18, which its `protocol` requires"
    );
    let legacy_only = world(|_, _| Some(no_such_method()));
    let outcome = negotiate(&legacy_only.peer, Modern, None, &limits(), soon()).await;
    assert!(outcome.expect_err("no such method").to_string().contains("2026-07-28"));
}
