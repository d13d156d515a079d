//! Sessions of clients before protocol revision 2026-07-28 in a fleet: any replica continues them,
//! and forwards what another one has.

use super::{configured_fleet, fleet};
use crate::serve::{Client, HttpResponse, Session, Web};
use crate::servers::fixture::{signal, wait_until};
use crate::world::World;
use rustix::process::Signal;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Marks clients as showing questions to a person.
pub(super) const CLIENT_APPROVALS: &str = "[serve]\napprovals = \"client\"\n";
const GONE: &str = "the replica that ran this call is gone; call the tool again";

/// Waits until this replica knows that many that serve.
pub(super) fn wait_until_known(world: &World, count: usize) {
    wait_until("all replicas are known", || {
        let status = world.run(&["fleet", "status", "--json"]).exits(0).json();
        let replicas = status["replicas"].as_array().map_or(&[][..], Vec::as_slice);
        replicas.iter().filter(|replica| replica["state"] == "ready").count() == count
    });
}

pub(super) fn look(session: &mut Session<'_>) -> String {
    session.text("execute_tool", json!({"name": "s/look", "arguments": {"text": "bob"}}))
}

/// The stream of a response, line by line.
pub(super) struct Events(BufReader<TcpStream>);

impl Events {
    pub(super) fn of(stream: TcpStream) -> Self {
        Self(BufReader::new(stream))
    }

    /// The next message.
    pub(super) fn next(&mut self) -> Option<Value> {
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).expect("a line") == 0 {
                return None;
            }
            if let Some(data) = line.strip_prefix("data: ") {
                return Some(serde_json::from_str(data).expect("a message"));
            }
        }
    }

    /// Waits for the head of the response; returns its status.
    pub(super) fn status(&mut self) -> u16 {
        let (mut status, mut line) = (String::new(), String::new());
        self.0.read_line(&mut status).expect("a status");
        while line != "\r\n" {
            line.clear();
            self.0.read_line(&mut line).expect("a header");
        }
        status.split(' ').nth(1).and_then(|word| word.parse().ok()).expect("a number")
    }

    /// Whether the stream ends now, and not after a timeout.
    fn ends(mut self) -> bool {
        while self.next().is_some() {}
        true
    }
}

/// Starts a call that needs the approval of its client, and waits for the question.
pub(super) fn ask(session: &mut Session<'_>, text: &str) -> (Events, Value) {
    let arguments = json!({"name": "s/pay", "arguments": {"text": text}});
    let call = session.begin("tools/call", json!({"name": "execute_tool", "arguments": arguments}));
    let mut events = Events::of(call);
    let question = events.next().expect("a question");
    assert_eq!(question["method"], "elicitation/create", "{question}");
    (events, question)
}

pub(super) fn accepting(question: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {}}})
}

/// Y-12: an id has the state of its session, so any replica continues it after the death of another.
#[test]
fn a_session_continues_after_its_replica_was_killed() {
    let Some(machines) = fleet(3) else { return };
    let [one, two, three] = &machines[..] else { panic!("three machines") };
    let replicas = [two, three].map(|world| Web::open(world, &[]));
    let (mut usual, mut continued) = (Vec::new(), Vec::new());
    for _ in 0..2 {
        let dying = Web::open(one, &[]);
        let sessions: Vec<Vec<String>> = (0..10)
            .map(|_| {
                let mut session = dying.session("/mcp", &[]);
                assert_eq!(look(&mut session), "called");
                assert!(session.headers()[0].len() <= "Mcp-Session-Id: ".len() + 256);
                session.headers().into_iter().map(str::to_owned).collect()
            })
            .collect();
        assert_eq!(dying.ends(Signal::KILL), None);
        for (number, headers) in sessions.iter().enumerate() {
            let replica = &replicas[number % 2];
            let mut session = Session::with_headers(replica, "/mcp", headers);
            let started = Instant::now();
            assert_eq!(look(&mut session), "called", "without `initialize`");
            continued.push(started.elapsed());
            let started = Instant::now();
            assert_eq!(look(&mut session), "called");
            usual.push(started.elapsed());
        }
    }
    let median = |times: &mut Vec<Duration>| {
        times.sort();
        times[times.len() / 2]
    };
    let worst = continued.iter().max().copied();
    let (first, later) = (median(&mut continued), median(&mut usual));
    print_times(&format!("first call {first:?}, at most {worst:?}; later calls {later:?}"));
}

#[expect(clippy::print_stderr, reason = "shows a measurement")]
fn print_times(times: &str) {
    eprintln!("continued sessions: {times}");
}

/// Y-13: an id is valid for its principal and its profile, in its fleet, until the client ends the
/// session anywhere.
#[test]
fn a_session_id_is_of_no_use_to_anyone_else() {
    let Some(machines) = fleet(2) else { return };
    let [one, two] = &machines[..] else { panic!("two machines") };
    let text = std::fs::read_to_string(one.path("toolscout.toml")).expect("the settings");
    one.replace("toolscout.toml", &(text + "\n[profiles.reader]\ninclude = [\"s/look\"]\n"));
    let token = |name: &str, user: &str| {
        let created = one.run(&["token", "create", "--name", name, "--user", user]).exits(0);
        format!("Authorization: Bearer {}", created.out.trim())
    };
    let (ada, ada_again, bob) = (token("ada", "ada"), token("ada-2", "ada"), token("bob", "bob"));
    let (first, second) = (Web::start(one, &[]), Web::start(two, &[]));
    let is_valid = |token: &str| second.send("GET", "/api/me", &[token], "").status == 200;
    wait_until("the tokens are valid", || {
        [&ada, &ada_again, &bob].into_iter().all(|it| is_valid(it))
    });
    let session = first.session("/mcp", &[&ada]);
    let id = session.headers()[1].to_owned();
    let list = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/list"});
    let status = |replica: &Client, path: &str, token: &str, id: &str| {
        replica.post(path, &[token, id], &list).status
    };
    for other in [&ada_again, &bob] {
        assert_eq!(status(&second, "/mcp", other, &id), 404, "another principal");
        assert_eq!(status(&first, "/mcp", other, &id), 404, "another principal");
    }
    assert_eq!(status(&second, "/mcp/reader", &ada, &id), 404, "another profile");
    let mut changed = id.clone();
    changed.replace_range(40..41, if &id[40..41] == "A" { "B" } else { "A" });
    assert_eq!(status(&second, "/mcp", &ada, &changed), 404, "changed");
    assert_eq!(status(&second, "/mcp", &ada, &id), 200);
    // The token still decides whether there is a client at all.
    assert_eq!(status(&second, "/mcp", "Authorization: Bearer unknown-unknown-1", &id), 401);
    let ended = Client::receive(session.at(&second).begin_method("DELETE", &[]));
    assert_eq!(ended.status, 200, "{ended:?}");
    assert_eq!(status(&second, "/mcp", &ada, &id), 404, "ended");
    wait_until("it has ended everywhere", || status(&first, "/mcp", &ada, &id) == 404);
    let Some(strangers) = fleet(1) else { return };
    let stranger = Web::open(&strangers[0], &[]);
    let foreign = first.session("/mcp", &[&ada]);
    assert_eq!(status(&stranger, "/mcp", "X: y", foreign.headers()[1]), 404, "another fleet");
}

/// Y-14: the client's answer to a question reaches the replica where its call waits, and a call that
/// waits on a dead one is refused at once.
#[test]
fn an_answer_reaches_the_replica_whose_call_waits_for_it() {
    let Some(machines) = configured_fleet(2, CLIENT_APPROVALS) else { return };
    let (one, two) = (Web::open(&machines[0], &[]), Web::open(&machines[1], &[]));
    wait_until_known(&machines[0], 2);
    let mut session = one.session_of("/mcp", &[], json!({"elicitation": {}}));
    // The call runs where it arrives, and not where its session was started.
    let mut elsewhere = session.at(&two);
    let (mut events, question) = ask(&mut elsewhere, "bob");
    assert_eq!(session.post(&accepting(&question)).status, 202);
    let result = events.next().expect("a result");
    assert_eq!(result["result"]["content"][0]["text"], "called", "{result}");
    let (_events, question) = ask(&mut session, "eve");
    assert_eq!(one.ends(Signal::KILL), None);
    let started = Instant::now();
    let refused: HttpResponse = elsewhere.post(&accepting(&question));
    assert_eq!((refused.status, refused.message()["error"]["message"].as_str()), (410, Some(GONE)));
    assert!(started.elapsed() < Duration::from_secs(2), "answered at once");
    assert_eq!(look(&mut elsewhere), "called", "the session goes on");
    assert_eq!(machines[0].executed(), 2);
}

/// Y-15: a cancellation reaches the replica that runs the call.
#[test]
fn a_cancellation_reaches_the_replica_that_runs_the_call() {
    let Some(machines) = configured_fleet(2, CLIENT_APPROVALS) else { return };
    let (one, two) = (Web::open(&machines[0], &[]), Web::open(&machines[1], &[]));
    wait_until_known(&machines[1], 2);
    let mut session = one.session_of("/mcp", &[], json!({"elicitation": {}}));
    let (mut events, _question) = ask(&mut session, "bob");
    let cancelled = json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2},
    });
    assert_eq!(session.at(&two).post(&cancelled).status, 202);
    let withdrawn = events.next().expect("the question is withdrawn");
    assert_eq!(withdrawn["method"], "notifications/cancelled", "{withdrawn}");
    assert!(events.ends());
    assert_eq!(machines[0].executed(), 0);
}

/// Y-16: the stream of a session is that of the replica where it was started. Another one forwards
/// it, and takes over when that one is gone.
#[test]
fn the_stream_of_a_session_is_forwarded_and_taken_over() {
    let Some(machines) = fleet(2) else { return };
    let (one, two) = (Web::open(&machines[0], &[]), Web::open(&machines[1], &[]));
    wait_until_known(&machines[1], 2);
    let session = one.session("/mcp", &[]);
    let at_two = session.at(&two);
    let mut forwarded = Events::of(at_two.begin_method("GET", &[]));
    assert_eq!(forwarded.status(), 200);
    let sessions =
        |web: &Client| web.send("GET", "/api/sessions", &[], "").body.matches("\"mcp\"").count();
    assert_eq!(sessions(&one), 1);
    let more = [("pay", "Pays somebody"), ("look", "Looks at an account"), ("new", "Is new")];
    machines[0].refresh_with(&more);
    let change = forwarded.next().expect("a change");
    assert_eq!(change["method"], "notifications/tools/list_changed", "{change}");
    assert_eq!(one.ends(Signal::KILL), None);
    let started = Instant::now();
    assert!(forwarded.ends(), "the stream ends with its replica");
    assert!(started.elapsed() < Duration::from_secs(8));
    let mut own = Events::of(at_two.begin_method("GET", &[]));
    assert_eq!(own.status(), 200, "taken over");
}

/// Y-17: the rest of a large result is read through any replica.
#[test]
fn a_large_result_is_read_through_another_replica() {
    let Some(machines) = fleet(2) else { return };
    let echo = json!({
        "name": "echo", "description": "Repeats its input", "run": {"command": ["cat"]},
        "input_schema": {"type": "object", "properties": {"text": {"type": "string"}}},
    });
    std::fs::create_dir_all(machines[0].path("tools")).expect("a folder");
    std::fs::write(machines[0].path("tools/echo.tool.json"), echo.to_string()).expect("a file");
    machines.iter().for_each(|world| drop(world.run(&["trust"]).exits(0)));
    let (one, two) = (Web::open(&machines[0], &[]), Web::open(&machines[1], &[]));
    wait_until_known(&machines[1], 2);
    let mut session = one.session("/mcp", &[]);
    let arguments = json!({"name": "echo", "arguments": {"text": "x".repeat(2 << 20)}});
    let result = session.call("execute_tool", arguments);
    let note = result["content"][1]["text"].as_str().unwrap_or_else(|| panic!("no note: {result}"));
    let handle = note.split("\"result\":\"").nth(1).and_then(|rest| rest.split('"').next());
    let read = json!({
        "name": "toolscout__read_result",
        "arguments": {"result": handle.expect("a handle"), "offset": 65536},
    });
    let mut elsewhere = session.at(&two);
    let piece = elsewhere.text("execute_tool", read.clone());
    assert_eq!(piece, "x".repeat(64 << 10));
    assert_eq!(elsewhere.text("toolscout__read_result", read["arguments"].clone()), piece);
    assert_eq!(one.ends(Signal::KILL), None);
    let refused =
        elsewhere.send_request("tools/call", json!({"name": "execute_tool", "arguments": read}));
    assert_eq!((refused.status, refused.message()["error"]["message"].as_str()), (410, Some(GONE)));
}

/// Y-18: a replica that drains passes on what its calls wait for, and its sessions go on elsewhere.
#[test]
fn a_draining_replica_finishes_its_calls_and_loses_no_session() {
    let Some(machines) = configured_fleet(2, CLIENT_APPROVALS) else { return };
    let (one, two) = (Web::open(&machines[0], &[]), Web::open(&machines[1], &[]));
    wait_until_known(&machines[1], 2);
    let mut session = one.session_of("/mcp", &[], json!({"elicitation": {}}));
    let mut elsewhere = session.at(&two);
    let (mut events, question) = ask(&mut session, "bob");
    signal(one.process(), Signal::TERM);
    wait_until("it drains", || TcpStream::connect(&one.addr).is_err());
    assert_eq!(elsewhere.post(&accepting(&question)).status, 202);
    let result = events.next().expect("a result");
    assert_eq!(result["result"]["content"][0]["text"], "called", "{result}");
    assert_eq!(look(&mut elsewhere), "called");
    assert_eq!(one.exit_code(), Some(0));
}

/// Posts a message of the modern era.
fn modern(web: &Client, params: Value) -> Value {
    let mut params = params;
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
    });
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let name = format!("Mcp-Name: {}", params["name"].as_str().expect("a name"));
    let headers = ["MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", &name];
    web.post("/mcp", &headers, &message).message()
}

/// Y-19: the question whether a call may run is answered to any replica, and the answer counts once.
#[test]
fn a_modern_client_answers_any_replica_once() {
    let Some(machines) = configured_fleet(3, CLIENT_APPROVALS) else { return };
    let [one, two, three] = [0, 1, 2].map(|number| Web::open(&machines[number], &[]));
    let call = |text: &str| json!({"name": "execute_tool", "arguments": {"name": "s/pay", "arguments": {"text": text}}});
    let answered = |question: &Value, action: &str| {
        let mut params = call("bob");
        params["inputResponses"] = json!({"input_1": {"action": action, "content": {}}});
        params["requestState"] = question["result"]["requestState"].clone();
        params
    };
    let question = modern(&one, call("bob"));
    assert_eq!(question["result"]["resultType"], "input_required", "{question}");
    assert_eq!(one.ends(Signal::KILL), None);
    let accepted = answered(&question, "accept");
    let mut other = accepted.clone();
    other["arguments"] = call("eve")["arguments"].clone();
    assert_eq!(modern(&two, other)["error"]["code"], -32602, "another call");
    let results = std::thread::scope(|scope| {
        let clients: [&Client; 2] = [&two, &three];
        let calls = clients.map(|web| scope.spawn(|| modern(web, accepted.clone())));
        calls.map(|call| call.join().expect("an answer"))
    });
    let called = results.iter().filter(|result| result["result"]["content"][0]["text"] == "called");
    assert_eq!(called.count(), 1, "{results:?}");
    let late = results.iter().filter(|result| result["error"]["code"] == -32602);
    assert_eq!(late.count(), 1, "{results:?}");
    let question = modern(&two, call("bob"));
    let declined = modern(&three, answered(&question, "decline"));
    assert!(declined.to_string().contains("the user rejected this call"), "{declined}");
    assert_eq!(machines[0].executed(), 1);
}

/// Y-20: a call stays open on one replica, and continues when it is approved on another.
#[test]
fn a_call_that_waits_continues_when_another_replica_approves() {
    let Some(machines) = configured_fleet(2, "ask_wait = \"60s\"\n") else { return };
    let web = Web::open(&machines[0], &[]);
    let mut session = web.session("/mcp", &[]);
    let arguments = json!({"name": "s/pay", "arguments": {"text": "bob"}});
    let call = session.begin("tools/call", json!({"name": "execute_tool", "arguments": arguments}));
    let pending = || machines[1].run(&["approval", "list", "--json"]).exits(0).json();
    wait_until("the call is pending", || pending()[0]["id"].is_string());
    let id = pending()[0]["id"].as_str().expect("an id").to_owned();
    machines[1].run(&["approve", &id]).exits(0);
    let approved = Instant::now();
    let result = Client::receive(call).message();
    let waited = approved.elapsed();
    assert_eq!(result["result"]["content"][0]["text"], "called", "{result}");
    assert!(waited < Duration::from_secs(10), "not at the end of its time: {waited:?}");
    assert_eq!(machines[0].executed(), 1);
}
