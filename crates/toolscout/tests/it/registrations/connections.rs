//! Programs without a callback URL, which hold a stream of calls open.

use super::{approve, call, listed, registration};
use crate::api::Api;
use crate::servers::fixture::wait_until;
use crate::world::World;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::net::{Shutdown, TcpStream};

const CALLS: &str = "/api/registrations/billing/calls";

/// The stream of calls, as a program reads it.
struct Calls(BufReader<TcpStream>);

impl Calls {
    fn open(api: &Api) -> Self {
        Self(BufReader::new(api.web.begin("GET", CALLS, &[&api.operator], "")))
    }

    /// The name and the data of the next event.
    fn next(&mut self) -> (String, Value) {
        let mut name = String::new();
        loop {
            let mut line = String::new();
            let length = self.0.read_line(&mut line).expect("a line");
            assert!(length > 0, "the stream has ended");
            if let Some(event) = line.strip_prefix("event: ") {
                name = event.trim().to_owned();
            } else if let Some(data) = line.strip_prefix("data: ") {
                return (name, serde_json::from_str(data).expect("JSON"));
            }
        }
    }

    fn close(self) {
        self.0.get_ref().shutdown(Shutdown::Both).expect("the connection is open");
    }
}

fn connected(api: &Api) -> Calls {
    let registered = api.done("POST", "/api/tools", Some(registration(None)));
    assert_eq!(registered["calls"], CALLS);
    assert_eq!(registered["registration"]["state"], "waiting");
    assert_eq!(registered.get("secret"), None);
    let mut calls = Calls::open(api);
    assert_eq!(calls.next(), ("ready".to_owned(), json!({"id": "billing"})));
    approve(api);
    calls
}

/// M-18e
#[test]
fn a_program_receives_calls_over_a_stream_and_posts_results() {
    let world = World::trusted();
    let api = Api::start(&world);
    assert_eq!(listed(&api), [""; 0]);
    let mut calls = connected(&api);
    assert_eq!(listed(&api), ["invoice"]);
    for (result, shown) in [
        (json!("Invoice 7"), json!({"content": [{"type": "text", "text": "Invoice 7"}]})),
        (
            json!({"content": [], "isError": true, "extra": 1}),
            json!({"content": [], "isError": true, "extra": 1}),
        ),
    ] {
        let waiting = api.web.begin("POST", "/api/call", &[&api.agent], &call().to_string());
        let (event, message) = calls.next();
        assert_eq!((event.as_str(), &message["tool"]), ("call", &json!("invoice")));
        assert_eq!(message["arguments"], json!({"number": 7}));
        assert_eq!(message["context"]["source"], "billing");
        let path = format!("{CALLS}/{}", message["id"].as_str().expect("an id"));
        let body = json!({"result": result});
        let as_agent = api.request_as(&api.agent, "POST", &path, Some(body.clone()));
        assert_eq!(as_agent.status, 403);
        api.done("POST", &path, Some(body.clone()));
        assert_eq!(crate::serve::Client::receive(waiting).message()["result"], shown);
        let twice = api.refused("POST", &path, Some(body));
        assert_eq!(twice, (404, "RESOURCE_NOT_FOUND".to_owned()));
    }
}

/// M-18e: the tools disappear with the connection, and a call that waits fails at once.
#[test]
fn tools_disappear_with_the_connection_of_their_program() {
    let world = World::trusted();
    let api = Api::start(&world);
    let mut calls = connected(&api);
    let waiting = api.web.begin("POST", "/api/call", &[&api.agent], &call().to_string());
    assert_eq!(calls.next().0, "call");
    calls.close();
    let failed = crate::serve::Client::receive(waiting);
    assert_eq!(failed.status, 424, "{failed:?}");
    assert!(failed.body.contains("disconnected"), "{failed:?}");
    wait_until("the tools are removed", || listed(&api).is_empty());
    assert_eq!(api.get("/api/registrations"), json!({"registrations": []}));
    let unknown = (404, "RESOURCE_NOT_FOUND".to_owned());
    assert_eq!(api.refused("GET", CALLS, None), unknown);
    assert_eq!(listed(&api), [""; 0]);
    // The approved definition needs no second review.
    let registered = api.done("POST", "/api/tools", Some(registration(None)));
    assert_eq!(registered["registration"]["state"], "waiting");
    let mut calls = Calls::open(&api);
    calls.next();
    assert_eq!(api.get("/api/registrations")["registrations"][0]["quarantinedCount"], 0);
}

/// M-18e: the program learns that a call is cancelled, and only one stream can be open.
#[test]
fn a_cancelled_call_is_reported_to_the_program() {
    let world = World::trusted();
    let api = Api::start(&world);
    let mut calls = connected(&api);
    assert_eq!(api.refused("GET", CALLS, None), (409, "CONFLICT".to_owned()));
    let waiting = api.web.begin("POST", "/api/call", &[&api.agent], &call().to_string());
    let (_, message) = calls.next();
    waiting.shutdown(Shutdown::Both).expect("the connection is open");
    assert_eq!(calls.next(), ("cancel".to_owned(), json!({"id": message["id"]})));
}
