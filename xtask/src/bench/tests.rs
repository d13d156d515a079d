//! Proves that
//! 1. a tree has the requested size and contains valid files,
//! 2. every group measures something, with a tiny world and a stub for toolscout,
//! 3. a program that fails, or does not do the measured work, is not measured,
//! 4. a table labels each figure, and compares it with its goal.

use super::build::Programs;
use super::clock::{Samples, sample};
use super::crowd::{ServerBehaviour, ServerCrowd};
use super::floods::Floods;
use super::table::{BenchmarkRow, markdown};
use super::world::BenchmarkWorld;
use super::{BenchmarkPlan, GROUPS, calls, encode, gateway, silent, tree};
use crate::hostile::terms::MeetingTransport;
use crate::repo;
use std::fs;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

#[test]
fn a_planted_tree_has_the_asked_size_and_every_kind_of_file() {
    let top = tempfile::tempdir().unwrap();
    tree::plant(top.path(), 60).unwrap();
    let files = repo::files(&top.path().join("tools")).unwrap();
    let ending = |end: &str| {
        files
            .iter()
            .filter(|file| file.to_string_lossy().ends_with(end))
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(files.len(), 60 + 1);
    assert_eq!(
        [ending(".tool.toml").len(), ending(".tool.json").len(), ending(".sh").len()],
        [48, 6, 6]
    );
    for path in ending(".tool.toml") {
        fs::read_to_string(path).unwrap().parse::<toml::Table>().unwrap();
    }
    for path in ending(".tool.json") {
        serde_json::from_slice::<serde_json::Value>(&fs::read(path).unwrap()).unwrap();
    }
}

/// A stub of toolscout, as far as the benchmark depends on it.
const TOOLSCOUT: &str = r#"#!/bin/sh
if [ "$1" = -C ]; then cd "$2"; shift 2; fi
servers() { sed -n "s/^\[servers\.\(.*\)\]/$1/p" toolscout.toml; }
case "$1" in
    search) ;;
    index) echo '{"indexed": 1, "total": 1}' ;;
    observe) exec cat ;;
    --verbose) echo 'event="embeddings_computed" remaining=0' >&2 ;;
    serve) if [ "$2" = --http ]; then echo listening on http://ADDR/mcp >&2; exit; fi
    while read -r line; do
        id=${line#*'"id":'}; id=${id%%,*}
        case "$line" in *'"id":'*) echo "{\"id\":$id,\"result\":{}}" ;; esac
    done ;;
    server) servers '\1: 26 tools (0.0 s)' ;;
    *) echo '['; servers '{"source": "\1", "name": "echo"},'
       echo '{"name": "tool-00000"}, {"name": "tool-00001"}, {"name": "tool-00002"}]' ;;
esac
"#;

/// A stub that prints fixed measurements.
const SEARCHER: &str = r#"#!/bin/sh
time='{"best": 1.5, "p50": 2.5, "p99": 9.25}'
echo "{\"bytes_per_tool\": 2048, \"encoded_per_second\": 149, \"build_ms\": $time, \"lexical_ms\": $time}"
"#;

/// A stub server with empty responses.
const SERVER: &str = r#"#!/bin/sh
while read -r line; do
    id=${line#*'"id":'}; id=${id%%,*}
    case "$line" in *'"id":'*) echo "{\"id\":$id,\"result\":{}}" ;; esac
done
"#;

/// A stub that reports 7 µs for every call.
const CALLER: &str = r#"#!/bin/sh
while read -r count; do
    while [ "$count" -gt 0 ]; do printf '7000 '; count=$((count - 1)); done
    echo
done
"#;

/// A stub that reports 3 ms for everything.
const ENCODER: &str = r#"#!/bin/sh
for name in query tools-1 tools-2 load first; do echo "$name 3000"; done
echo pieces-of-query 12; echo pieces-of-tool 100; echo tools 2
"#;

const ONE_FLOOD: Floods = &[(MeetingTransport::Stdio, &["no_newline"])];

fn stand_in(folder: &Path, name: &str, script: &str) -> PathBuf {
    let program = folder.join(name);
    fs::write(&program, script).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    }
    // Another test may have forked while the file was open for writing; the file is busy until that
    // child has called exec.
    loop {
        match silent(&program).spawn() {
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => {}
            tried => {
                let mut child = tried.unwrap();
                child.kill().unwrap();
                child.wait().unwrap();
                return program;
            }
        }
    }
}

/// Responds to every request on loopback with this body, for the duration of the test.
fn web(body: &'static str) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            thread::spawn(move || answer_all(stream, body));
        }
    });
    addr
}

fn answer_all(stream: TcpStream, body: &str) -> Option<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let mut length = 0;
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            (stream.read_line(&mut line).ok()? > 0).then_some(())?;
            length = line
                .strip_prefix("Content-Length: ")
                .map_or(length, |rest| rest.trim_end().parse().unwrap());
        }
        stream.read_exact(&mut vec![0; length]).ok()?;
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
        stream.get_mut().write_all((head + body).as_bytes()).ok()?;
    }
}

fn tiny(folder: &Path) -> BenchmarkPlan {
    let caller = stand_in(folder, "caller", CALLER);
    let catalog = web(r#"{"availableTools":["s000/","s001/","s002/","s003/"]}"#);
    let toolscout = stand_in(folder, "toolscout", &TOOLSCOUT.replace("ADDR", &catalog.to_string()));
    let server = stand_in(folder, "server", SERVER);
    let encoder = stand_in(folder, "encoder", ENCODER);
    let own_server =
        format!("#!/bin/sh\necho listening on http://{}/mcp >&2\n", web(r#"{"result":{}}"#));
    let own_server = stand_in(folder, "own_server", &own_server);
    let searcher = stand_in(folder, "searcher", SEARCHER);
    let programs = Programs {
        toolscout,
        server,
        own_server,
        encoder,
        searcher,
        sdk: Ok(caller.clone()),
        caller,
    };
    let (sizes, cached) = (&[(10, 2)], 20);
    BenchmarkPlan {
        programs,
        many: 3,
        some: 2,
        rounds: 1,
        servers: 4,
        calls: 40,
        floods: ONE_FLOOD,
        sizes,
        cached,
    }
}

#[test]
fn every_group_measures_a_tiny_world() {
    let top = tempfile::tempdir().unwrap();
    let bench = tiny(top.path());
    for (name, group) in GROUPS {
        let rows = group(&bench).unwrap_or_else(|err| panic!("{name}: {err:#}"));
        assert!(!rows.is_empty(), "{name} measured nothing");
    }
}

#[test]
fn an_sdk_that_cannot_be_built_is_said_and_the_rest_is_measured() {
    let top = tempfile::tempdir().unwrap();
    let mut bench = tiny(top.path());
    bench.programs.sdk = Err("no network".to_owned());
    let table = markdown(&calls::measure(&bench).unwrap());
    assert!(
        table.contains(
            "| call over a plain pipe, p50 | 7.0 µs | 7.0 µs |  | 7.0 µs over all 40 calls |"
        ),
        "{table}"
    );
    assert!(table.contains("could not be built: no network"), "{table}");
}

#[test]
fn what_the_encoder_says_is_of_one_text() {
    let top = tempfile::tempdir().unwrap();
    let table = markdown(&encode::measure(&tiny(top.path())).unwrap());
    let tools = "| encode a tool of 100 tokens, 2 at once, two cores | 1.5 ms | 1.5 ms | ≤ 6.7 ms | met; 667 per second |";
    assert!(
        table.contains("| encode a query of 12 tokens | 3.0 ms | 3.0 ms | ≤ 3 ms | met |"),
        "{table}"
    );
    assert!(table.contains(tools), "{table}");
}

#[test]
fn an_honest_server_that_is_not_heard_of_is_no_figure() {
    let top = tempfile::tempdir().unwrap();
    let mut bench = tiny(top.path());
    let crowd =
        ServerCrowd::new(&bench, &[ServerBehaviour::Honest, ServerBehaviour::Hung("hang_list")])
            .unwrap();
    crowd.refresh().unwrap();
    bench.programs.toolscout = stand_in(top.path(), "mute", "#!/bin/sh\n");
    let crowd = ServerCrowd::new(&bench, &[ServerBehaviour::Honest]).unwrap();
    assert_eq!(
        crowd.refresh().unwrap_err().to_string(),
        "`server refresh` printed no result for s000"
    );
    bench.programs.toolscout =
        stand_in(top.path(), "sour", "#!/bin/sh\necho s000: failed: timeout\n");
    let crowd = ServerCrowd::new(&bench, &[ServerBehaviour::Honest]).unwrap();
    assert!(crowd.refresh().unwrap_err().to_string().contains("s000: failed: timeout"));
}

#[test]
fn a_call_over_http_that_fails_is_no_figure() {
    assert!(gateway::flight(web(r#"{"result":{}}"#), 3, 10).is_ok());
    let failed = gateway::flight(web(r#"{"result":{"isError":true}}"#), 3, 10);
    assert!(failed.unwrap_err().to_string().contains("isError"));
}

#[test]
fn starts_are_counted_once() {
    let top = tempfile::tempdir().unwrap();
    let crowd = ServerCrowd::new(&tiny(top.path()), &[ServerBehaviour::Honest]).unwrap();
    let log = crowd.world().project().join("started.log");
    fs::write(&log, "{\"ev\":\"start\"}\n{\"ev\":\"recv\"}\n{\"ev\":\"start\"}\n").unwrap();
    assert_eq!([crowd.started().unwrap(), crowd.started().unwrap()], [2, 0]);
}

#[test]
fn a_listing_that_lacks_a_tool_is_not_measured() {
    let top = tempfile::tempdir().unwrap();
    let world = BenchmarkWorld::new(&stand_in(top.path(), "toolscout", TOOLSCOUT), 4).unwrap();
    assert!(world.expect_all().unwrap_err().to_string().contains("tool-00003"));
}

#[test]
fn a_program_that_fails_is_no_sample() {
    assert!(sample(1, || Ok(silent("false"))).is_err());
    assert!(sample(1, || Ok(silent("true"))).is_ok());
}

#[test]
fn the_high_water_mark_is_read_in_bytes() {
    assert_eq!(
        crate::memory::high_water("VmPeak:\t 9 kB\nVmHWM:\t    2048 kB\nVmRSS:\t 1 kB\n"),
        Some(2048 * 1024)
    );
    assert_eq!(crate::memory::high_water("State: Z (zombie)\n"), None);
}

#[test]
fn a_percentile_is_one_of_the_times() {
    let times = Samples::of((1..=200).rev().map(Duration::from_micros).collect()).unwrap();
    assert_eq!([times.percentile(50), times.percentile(99)], [101, 199].map(Duration::from_micros));
    assert_eq!(times.percentile(100), Duration::from_micros(200));
    assert!(Samples::of(Vec::new()).is_err());
}

#[test]
fn the_table_holds_each_figure_beside_its_goal() {
    let of = |value: [u64; 3]| Samples::of(value.map(Duration::from_micros).to_vec()).unwrap();
    let rows = [
        BenchmarkRow::memory("memory", vec![30_000_000, 10_000_000, 12_345_678]).goal(20.0),
        BenchmarkRow::memory("more", vec![30_000_000]).goal(20.0),
        BenchmarkRow::time("long", &of([2_000, 1_500, 9_000])),
        BenchmarkRow::short_time("short", &of([2, 3, 4])).goal(60.0).note("never mind"),
        BenchmarkRow::ratio("that is", &of([4, 6, 8]), &of([2, 4, 9])).goal(1.25),
        BenchmarkRow::count("started", 0).goal(0.0),
        BenchmarkRow::bytes("of a tool", 3_000.4).maybe_goal(Some(3_072.0)),
        BenchmarkRow::per_second("encoded", 149.0).at_least(150.0),
        BenchmarkRow::unknown("most", "later"),
    ];
    let table = "\
| measurement | best | median | goal | result |
|---|---:|---:|---:|---|
| memory | 10.0 MB | 12.3 MB | ≤ 20 MB | met |
| more | 30.0 MB |  | ≤ 20 MB | missed |
| long | 1.5 ms | 2.0 ms |  |  |
| short | 2.0 µs | 3.0 µs | ≤ 60 µs | met; never mind |
| that is | 2.00× | 1.50× | ≤ 1.25× | missed |
| started | 0 |  | ≤ 0 | met |
| of a tool | 3000 bytes |  | ≤ 3072 bytes | met |
| encoded | 149 per second |  | ≥ 150 per second | missed |
| most |  |  |  | later |
";
    assert_eq!(markdown(&rows), table);
}
