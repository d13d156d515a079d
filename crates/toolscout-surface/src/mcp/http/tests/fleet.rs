//! Requests between replicas: signed for one of them, for a short time, and once.

use super::super::envelope::{Envelope, NotFromReplica, SIGNATURE, SignedRequest};
use super::super::fleet::{FleetSessions, Replica, Replicas, Target};
use super::super::session::{Session, SessionPlace};
use super::super::sessions::Sessions;
use super::*;
use crate::http::{Principal, Role};
use crate::mcp::client::{Client, Identity};
use crate::mcp::message;
use axum::http::request::Parts;
use parking_lot::Mutex;
use std::time::Duration;
use toolscout_core::{BoxFuture, Moment};

const ONE: &str = "11111111111111111111111111111111";
const TWO: &str = "22222222222222222222222222222222";
const THREE: &str = "33333333333333333333333333333333";

/// The replicas of a test, with a clock that it sets.
struct FakeReplicas {
    own: &'static str,
    live: Mutex<Vec<Replica>>,
    now: Mutex<Moment>,
}

impl FakeReplicas {
    fn new(own: &'static str) -> Arc<Self> {
        let replica = |id: &str| Replica {
            id: id.to_owned(),
            address: Some("127.0.0.1:1".to_owned()),
            is_draining: false,
        };
        let live = Mutex::new([ONE, TWO, THREE].map(replica).to_vec());
        Arc::new(Self { own, live, now: Mutex::new(Moment(1_800_000_000_000)) })
    }
}

impl Replicas for FakeReplicas {
    fn own_id(&self) -> Arc<str> {
        self.own.into()
    }

    fn live(&self) -> Vec<Replica> {
        self.live.lock().clone()
    }

    fn refresh(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }

    fn now(&self) -> Moment {
        *self.now.lock()
    }

    fn is_ended(&self, _: &str) -> bool {
        false
    }

    fn end(self: Arc<Self>, _: &str, _: Moment) -> BoxFuture<'static, Result<(), String>> {
        Box::pin(async { Ok(()) })
    }
}

fn fleet(replicas: &Arc<FakeReplicas>, listener_keys: &[[u8; 32]]) -> Arc<FleetSessions> {
    FleetSessions::new(replicas.clone(), &[7; 32], listener_keys, &Limits::default())
}

fn head() -> Parts {
    let request = axum::http::Request::post("/mcp/read?show_all=true");
    let request = request.header("x-team", "shop").header("authorization", "Bearer secret");
    request.body(()).expect("a request").into_parts().0
}

fn principal() -> Principal {
    let mut ada = Principal::new(Some("ada".into()), Role::Agent);
    ada.profile = Some("read".into());
    ada
}

fn signed(from: &FleetSessions, to: &str) -> SignedRequest {
    let envelope = Envelope::new(from, to, &head(), &principal()).expect("an envelope");
    envelope.sign(from, b"{\"a\":1}\n{}").expect("a signature")
}

fn opened(
    at: &FleetSessions,
    request: &SignedRequest,
) -> Result<(Envelope, Vec<u8>), &'static str> {
    Envelope::open(at, Some(&request.signature), request.body.clone())
        .map_err(|NotFromReplica(reason)| reason)
}

/// Y-21.
#[test]
fn a_forwarded_request_has_the_decision_of_the_edge_and_no_token() {
    let (from, at) = (FakeReplicas::new(ONE), FakeReplicas::new(TWO));
    let (from, at) = (fleet(&from, &[[1; 32]]), fleet(&at, &[[1; 32]]));
    let request = signed(&from, TWO);
    assert!(!String::from_utf8_lossy(&request.body).contains("secret"));
    let (envelope, body) = opened(&at, &request).expect("accepted");
    assert_eq!(body, b"{\"a\":1}\n{}");
    assert_eq!((envelope.method.as_str(), &*envelope.uri), ("POST", "/mcp/read?show_all=true"));
    assert_eq!(envelope.headers, [("x-team".to_owned(), "shop".to_owned())]);
    let principal = envelope.principal();
    assert_eq!((principal.name.as_deref(), principal.role), (Some("ada"), Role::Agent));
    assert_eq!(principal.profile.as_deref(), Some("read"));
}

/// Y-21.
#[test]
fn a_request_that_no_replica_has_signed_for_this_one_now_is_refused() {
    let (one, two, three) =
        (FakeReplicas::new(ONE), FakeReplicas::new(TWO), FakeReplicas::new(THREE));
    let (from, at) = (fleet(&one, &[[1; 32]]), fleet(&two, &[[1; 32]]));
    let request = signed(&from, TWO);
    assert!(opened(&at, &request).is_ok());
    assert_eq!(opened(&at, &request).err(), Some("the request was sent before"));
    let elsewhere = opened(&fleet(&three, &[[1; 32]]), &request);
    assert_eq!(elsewhere.err(), Some("the request is for another replica"));
    let foreign = fleet(&two, &[[2; 32]]);
    let unsigned = "the signature is not one of this fleet";
    assert_eq!(opened(&foreign, &signed(&from, TWO)).err(), Some(unsigned));
    for index in [0, 40, signed(&from, TWO).body.len() - 1] {
        let mut changed = signed(&from, TWO);
        changed.body[index] ^= 1;
        assert_eq!(opened(&at, &changed).err(), Some(unsigned), "{index}");
    }
    let missing = Envelope::open(&at, None, request.body.clone());
    assert_eq!(missing.err(), Some(NotFromReplica("the request is not signed")));
    for seconds in [31, -31_i64] {
        let old = signed(&from, TWO);
        let now = two.now().0.saturating_add_signed(seconds * 1_000);
        *two.now.lock() = Moment(now);
        assert_eq!(opened(&at, &old).err(), Some("the request is too old"), "{seconds}");
        *two.now.lock() = one.now();
    }
    // While keys rotate, each of the two is accepted.
    let rotating = fleet(&two, &[[3; 32], [1; 32]]);
    assert!(opened(&rotating, &signed(&from, TWO)).is_ok());
}

/// Y-21.
#[tokio::test]
async fn the_fleet_listener_accepts_nothing_but_signed_requests() {
    let fake_server = FakeServer::new();
    let replicas = FakeReplicas::new(TWO);
    let (from, at) = (fleet(&FakeReplicas::new(ONE), &[[1; 32]]), fleet(&replicas, &[[1; 32]]));
    let listener = Listener::bind(terms(Auth::Replicas)).await.expect("bound");
    let servers: Servers = Arc::new(move |_| Ok(fake_server.clone() as _));
    let shutdown = listener.shutdown();
    let endpoint = Endpoint::new(servers, Limits::default(), shutdown, Some(at.clone()));
    let routes = at.routes(Routes::new().guarded(endpoint.routes()));
    let site = Site::serve(listener, routes);
    let hello = initialize("2025-11-25").to_string();
    for token in ["X: y", "Authorization: Bearer ada-has-a-long-secret"] {
        let direct = site.send(post(&[token], &hello)).await;
        assert_eq!(direct.status, 401, "{direct:?}");
        let unsigned = site.send(post_to("/fleet/forward", &[token], &hello)).await;
        assert_eq!(unsigned.status, 401, "{unsigned:?}");
    }
    let mut head = head();
    head.uri = "/mcp/read".parse().expect("a path");
    head.headers.insert("content-type", "application/json".parse().expect("a type"));
    let envelope = Envelope::new(&from, TWO, &head, &principal()).expect("an envelope");
    let signed = envelope.sign(&from, hello.as_bytes()).expect("a signature");
    let signature = format!("{SIGNATURE}: {}", signed.signature);
    let text = String::from_utf8(signed.body).expect("text");
    let accepted = site.send(post_to("/fleet/forward", &[&signature], &text)).await;
    assert_eq!(accepted.status, 200, "{accepted:?}");
    let replayed = site.send(post_to("/fleet/forward", &[&signature], &text)).await;
    assert_eq!(replayed.status, 401, "{replayed:?}");
    let info = &endpoint.session_infos()[0];
    assert_eq!(info.owner.as_deref(), Some("ada"), "the decision of the edge");
}

fn session(origin: &str) -> Arc<Session> {
    let (queue, identity) = (Sessions::queue(), Identity::default());
    let client = Client::of_replica(identity, queue.clone(), None, ONE.into());
    let place = SessionPlace { origin: Some(origin.into()), replica: Some(ONE.into()) };
    Session::new("id".into(), None, None, client, queue, place)
}

/// Y-16.
#[test]
fn all_replicas_agree_on_the_home_of_a_session() {
    let all = [ONE, TWO, THREE].map(FakeReplicas::new);
    let homes = |origin: &str| {
        let home = |replicas| fleet(replicas, &[[1; 32]]).home(&session(origin)).expect("a home");
        let mut homes = all.each_ref().map(home).to_vec();
        homes.dedup();
        homes
    };
    assert_eq!(homes(TWO), [TWO]);
    all.iter().for_each(|replicas| replicas.live.lock()[2].is_draining = true);
    assert_ne!(fleet(&all[0], &[[1; 32]]).home(&session(THREE)).as_deref(), Some(THREE));
    all.iter().for_each(|replicas| drop(replicas.live.lock().remove(2)));
    let orphaned = homes("44444444444444444444444444444444");
    assert_eq!(orphaned.len(), 1, "{orphaned:?}");
}

/// Y-14, Y-15, Y-17.
#[test]
fn a_message_is_processed_where_its_state_is() {
    let fleet = fleet(&FakeReplicas::new(ONE), &[[1; 32]]);
    let session = session(ONE);
    let target = |message: Value| {
        let incoming = message::parse(message.to_string().as_bytes()).expect("a message");
        fleet.target(&incoming, Some(&session))
    };
    let request = |method: &str, params: Value| json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let two = || Target::Replica(TWO.to_owned());
    let handle = format!("{TWO}.abc");
    let response = |id: String| json!({"jsonrpc": "2.0", "id": id, "result": {}});
    assert_eq!(target(response(format!("{TWO}.7"))), two());
    assert_eq!(target(response(format!("{ONE}.7"))), Target::Here);
    let cancel =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 3}});
    assert_eq!(target(cancel), Target::Everywhere);
    assert_eq!(target(request("resources/subscribe", json!({"uri": "x:y"}))), Target::Home);
    let read = json!({"result": handle, "offset": 5});
    let direct = json!({"name": "toolscout__read_result", "arguments": read});
    assert_eq!(target(request("tools/call", direct.clone())), two());
    let nested = json!({"name": "execute_tool", "arguments": direct});
    assert_eq!(target(request("tools/call", nested)), two());
    let other = json!({"name": "execute_tool", "arguments": {"name": "echo", "arguments": read}});
    assert_eq!(target(request("tools/call", other)), Target::Here);
    let resumed = json!({"name": "s__pay", "requestState": handle});
    assert_eq!(target(request("tools/call", resumed)), two());
    let stateless = json!({"name": "s__pay", "requestState": "abc"});
    assert_eq!(target(request("tools/call", stateless)), Target::Here);
}

#[tokio::test]
async fn a_replica_that_cannot_be_reached_is_answered_at_once() {
    let replicas = FakeReplicas::new(ONE);
    let fleet = fleet(&replicas, &[[1; 32]]);
    let fake_server = FakeServer::new();
    let listener = Listener::bind(terms(Auth::None)).await.expect("bound");
    let servers: Servers = Arc::new(move |_| Ok(fake_server.clone() as _));
    let endpoint = Endpoint::new(servers, Limits::default(), listener.shutdown(), Some(fleet));
    let site = Site::serve(listener, Routes::new().guarded(endpoint.routes()));
    let started = site.send(post(&[], &initialize("2025-11-25").to_string())).await;
    let id = started.header("mcp-session-id").expect("a session").to_owned();
    let header = format!("Mcp-Session-Id: {id}");
    let answer = json!({"jsonrpc": "2.0", "id": format!("{TWO}.1"), "result": {}}).to_string();
    // Its row is live, but nothing listens at its address.
    let before = std::time::Instant::now();
    assert_eq!(site.send(post(&[&header], &answer)).await.status, 410);
    replicas.live.lock().retain(|replica| replica.id == ONE);
    assert_eq!(site.send(post(&[&header], &answer)).await.status, 410);
    assert!(before.elapsed() < Duration::from_secs(2));
    assert_eq!(
        site.send(post(&[&header], &message("ping", json!({})).to_string())).await.status,
        200
    );
}
