//! Events about servers, and requests that wait for a discovery.

use super::Api;
use super::projects::{start, two_projects};
use crate::world::World;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::net::TcpStream;

/// The events of a stream.
struct Events {
    all: Box<dyn Iterator<Item = Value>>,
    /// The last event about a server.
    last: Option<ServerEvent>,
}

/// The id of a server, what happened to it, and its project.
type ServerEvent = (String, String, Option<String>);

impl Events {
    /// Opens a stream, and waits until it has as many first events as projects.
    fn open(api: &Api, token: &str, path: &str, projects: usize) -> Self {
        let stream: TcpStream = api.web.begin("GET", path, &[token], "");
        let lines = BufReader::new(stream).lines().map_while(Result::ok);
        let data = lines.filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok());
        let mut events = Self { all: Box::new(data), last: None };
        for _ in 0..projects {
            assert_eq!(events.next()["event"], "changed");
        }
        events
    }

    fn next(&mut self) -> Value {
        self.all.next().expect("an event")
    }

    /// The next event about a server that differs from the last one: the tools of a server may be
    /// listed twice, by the request and by the process that notices the new entry.
    fn server(&mut self) -> ServerEvent {
        loop {
            let event = self.next();
            if event["event"] == "server" {
                let text = |name: &str| event[name].as_str().map(str::to_owned);
                let known = (text("serverId"), text("action"));
                let event = (known.0.expect("an id"), known.1.expect("an action"), text("project"));
                if self.last.replace(event.clone()).as_ref() != Some(&event) {
                    return event;
                }
            }
        }
    }
}

fn about(id: &str, action: &str, project: &str) -> ServerEvent {
    (id.to_owned(), action.to_owned(), Some(project.to_owned()))
}

/// M-15i
#[test]
fn events_name_the_server_and_what_happened_to_it() {
    let world = two_projects(World::trusted());
    let api = start(&world);
    let mut all = Events::open(&api, &api.agent, "/api/events", 2);
    let mut own = Events::open(&api, &api.operator, "/api/projects/beta/events", 1);
    let words = world.hostile("new", "honest", &[]);
    let new = json!({"id": "new", "command": words[0], "args": words[1..]});
    api.done("POST", "/api/projects/beta/servers?wait=true", Some(new));
    assert_eq!(all.server(), about("new", "created", "beta"));
    assert_eq!(all.server(), about("new", "discovered", "beta"));
    let change = json!({"command": "/does/not/exist"});
    api.done("PUT", "/api/projects/beta/servers/new", Some(change));
    assert_eq!(all.server(), about("new", "updated", "beta"));
    let failed = all.server();
    assert_eq!(failed, about("new", "failed", "beta"));
    api.done("DELETE", "/api/projects/beta/servers/new", None);
    assert_eq!(all.server(), about("new", "deleted", "beta"));
    // The stream of one project has the same events, without the name of the project.
    let of_one: Vec<_> = (0..5).map(|_| own.server()).collect();
    let actions: Vec<_> = of_one.iter().map(|(_, action, _)| action.as_str()).collect();
    assert_eq!(actions, ["created", "discovered", "updated", "failed", "deleted"]);
    assert!(of_one.iter().all(|(.., project)| project.is_none()));
}

/// M-15i: an edit by hand is reported like a request.
#[test]
fn an_entry_that_is_written_by_hand_is_reported() {
    let world = World::trusted();
    let api = Api::start(&world);
    let mut events = Events::open(&api, &api.agent, "/api/events", 1);
    let world = world.server("one", "honest", &[]);
    assert_eq!(events.server(), ("one".to_owned(), "created".to_owned(), None));
    drop(world);
}

/// A request that finds its change already being prepared, because the watch saw the file first,
/// is answered when the change is in effect.
#[test]
fn a_request_is_answered_when_the_configuration_is_in_effect() {
    let world = World::trusted().server("one", "honest", &[]);
    let api = Api::start(&world);
    let mut events = Events::open(&api, &api.agent, "/api/events", 1);
    // Its discovery holds the change back for seconds.
    let world = world.server("hangs", "hang_start", &[]);
    while events.server() != ("hangs".to_owned(), "created".to_owned(), None) {}
    // Writes nothing, because the server is enabled already.
    api.done("PUT", "/api/servers/one", Some(json!({"enabled": true})));
    assert_eq!(api.get("/api/servers/hangs")["server"]["id"], "hangs");
    drop(world);
}

/// M-15j
#[test]
fn adding_a_server_waits_for_its_tools_if_requested() {
    let world = World::trusted();
    let api = Api::start(&world);
    let words = world.hostile("new", "honest", &[]);
    let new = json!({"id": "new", "command": words[0], "args": words[1..]});
    let added = api.done("POST", "/api/servers?wait=true", Some(new));
    assert_eq!(added["server"]["discoveryStatus"], "success");
    assert!(added["server"]["toolCount"].as_u64().is_some_and(|tools| tools > 3), "{added}");
    let bad = json!({"id": "bad", "command": "/does/not/exist", "wait": true});
    assert_eq!(api.refused("POST", "/api/servers", Some(bad)).0, 424);
    assert_eq!(api.get("/api/servers/bad")["server"]["discoveryStatus"], "failed");
    assert_eq!(
        api.refused("POST", "/api/servers?wait=perhaps", Some(json!({"id": "x", "command": "x"}))),
        (400, "VALIDATION_FAILED".to_owned())
    );
}

/// M-15k
#[test]
fn the_context_of_each_project_is_served() {
    let world = two_projects(World::trusted());
    let api = start(&world);
    let text = |path: &str| api.get(path)["summary"].as_str().expect("a text").to_owned();
    assert!(!text("/api/context").contains("mail"), "{}", text("/api/context"));
    let beta = text("/api/projects/beta/context?budget=300");
    assert!(beta.contains("mail"), "{beta}");
    assert_eq!(api.refused("GET", "/api/context?budget=0", None).0, 400);
}
