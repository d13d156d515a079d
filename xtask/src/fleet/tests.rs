//! Proves that
//! 1. the short form of the campaign meets the demands,
//! 2. calls that are executed twice, or that the audit log lacks, are found,
//! 3. the proxy delays, resets, swallows, half-closes and cuts.

use super::checker::{self, AuditedCalls};
use super::client::CallResult;
use super::load::ClientOperation;
use super::proxy::{FaultProxy, NetworkFault};
use super::{FleetPlan, FleetScale, measure, table};
use crate::hostile::build::beside_us;
use crate::repo;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

fn short() -> FleetScale {
    FleetScale {
        replica_kills: 4,
        database_kills: 2,
        samples: 5,
        outage: Duration::from_secs(5),
        black_hole: Duration::from_secs(4),
        unknown_servers: 10,
        window: Duration::from_secs(1),
        slack: 5,
    }
}

/// Y-60, Y-61, Y-62, Y-63, Y-64, Y-65: the short form of the campaign.
#[test]
fn a_fleet_meets_its_demands() {
    let Some(programs) = beside_us() else { return };
    let _alone = repo::CAMPAIGN.lock();
    let demands = SHORT.map(str::to_owned).to_vec();
    let plan =
        FleetPlan { replicas: 3, seed: 18, demands, scale: short(), is_debug: true, built: None };
    let Some(rows) = measure(&programs, &plan).unwrap() else {
        assert!(!repo::requires_all_programs(), "PostgreSQL is not installed");
        eprintln!("skipped: needs PostgreSQL");
        return;
    };
    let missed: Vec<_> = rows.iter().filter(|row| row.is_met == Some(false)).collect();
    assert!(missed.is_empty(), "{missed:#?}\n{}", table::markdown(&rows));
}

/// The demands that are met. The others are in docs/measurements/fleet.md with their figures.
const SHORT: [&str; 6] =
    ["replica-kills", "database-kills", "approvals", "outage", "black-hole", "sessions"];

#[test]
fn calls_that_are_executed_twice_or_missing_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let call = |nonce: &str| {
        let params = serde_json::json!({"arguments": {"label": nonce}}).to_string();
        let line = serde_json::json!({"ev": "recv", "method": "tools/call", "params": params});
        format!("{line}\n")
    };
    let text = call("one") + &call("two") + &call("one") + "{\"ev\": \"re";
    std::fs::write(&log, text).unwrap();
    let executed = checker::executions(&log).unwrap();
    assert_eq!((executed.len(), checker::repeated(&executed)), (2, 1));
    let history = ["one", "two", "three"].map(|nonce| ClientOperation {
        begin: Instant::now(),
        end: Instant::now(),
        replica: 0,
        nonce: Some(nonce.to_owned()),
        result: CallResult::Succeeded,
    });
    assert_eq!(checker::invented(&history, &executed), 1);
    assert_eq!(AuditedCalls::default().missing(&history, &executed), 2);
}

/// A server that repeats everything.
fn echo_server() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let mut from = stream.try_clone().unwrap();
                std::io::copy(&mut from, &mut &stream)
            });
        }
    });
    addr
}

fn connect(proxy: &FaultProxy) -> TcpStream {
    let stream = TcpStream::connect(proxy.addr()).unwrap();
    stream.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
    stream
}

/// Sends bytes, and returns how many come back, or why none do.
fn echoed(stream: &mut TcpStream, bytes: &[u8]) -> Result<usize, ErrorKind> {
    stream.write_all(bytes).map_err(|error| error.kind())?;
    stream.read(&mut [0; 64]).map_err(|error| error.kind())
}

#[test]
fn the_proxy_breaks_connections_as_networks_do() {
    let proxy = FaultProxy::start(echo_server()).unwrap();
    let mut stream = connect(&proxy);
    assert_eq!(echoed(&mut stream, b"hello"), Ok(5));
    proxy.set(NetworkFault::Delay(Duration::from_millis(50)));
    let begun = Instant::now();
    assert_eq!(echoed(&mut stream, b"hello"), Ok(5));
    assert!(begun.elapsed() >= Duration::from_millis(100), "in both directions");
    proxy.set(NetworkFault::BlackHole);
    assert_eq!(echoed(&mut stream, b"hello"), Err(ErrorKind::WouldBlock));
    proxy.set(NetworkFault::None);
    assert_eq!(stream.read(&mut [0; 64]).unwrap(), 5, "what was in the hole arrives");
    proxy.set(NetworkFault::CutAfter(3));
    assert_eq!(echoed(&mut stream, b"hello"), Ok(3));
    assert_ne!(echoed(&mut stream, b"hello").unwrap_or_default(), 5);
    proxy.set(NetworkFault::None);
    let mut stream = connect(&proxy);
    assert_eq!(echoed(&mut stream, b"hello"), Ok(5));
    proxy.set(NetworkFault::HalfClose);
    assert_eq!(stream.read(&mut [0; 64]).unwrap(), 0);
    assert!(stream.write_all(b"still open").is_ok());
    proxy.set(NetworkFault::Reset);
    assert!(!matches!(echoed(&mut connect(&proxy), b"hello"), Ok(1..)));
}

#[test]
fn the_plan_is_what_the_words_say() {
    let plan = |words: &[&str]| {
        FleetPlan::parse(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    };
    let parsed = plan(&["--replicas", "5", "--seed", "7", "--demand", "outage", "--debug"]);
    let parsed = parsed.unwrap();
    assert_eq!((parsed.replicas, parsed.seed, parsed.is_debug), (5, 7, true));
    assert_eq!(parsed.demands, ["outage"]);
    assert_eq!(plan(&["--minutes", "2"]).unwrap().scale, FleetScale::of_minutes(2));
    for wrong in [&["--replicas"][..], &["--replicas", "9"], &["--demand", "none"], &["fleet"]] {
        assert!(plan(wrong).is_err(), "{wrong:?}");
    }
}
