use super::Api;
use super::catalog::world;
use super::client::operation;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// One request for each operation, in an order in which all of them succeed.
fn requests(session: &str, question: &str) -> Vec<(&'static str, String, Option<Value>)> {
    let plain = |path: &str| ("GET", path.to_owned(), None);
    let request = |method, path: &str, body: Value| (method, path.to_owned(), Some(body));
    vec![
        plain("/api/health"),
        plain("/api/ready"),
        plain("/api/me"),
        plain("/api/openapi.json"),
        plain("/api/metrics"),
        plain("/metrics"),
        plain("/api/projects"),
        plain("/api/projects/current/configuration"),
        plain("/api/sessions"),
        request("POST", "/api/sessions", json!({})),
        plain(&format!("/api/sessions/{session}/configuration")),
        ("DELETE", format!("/api/sessions/{session}"), None),
        plain("/api/servers"),
        plain("/api/servers/mail"),
        plain("/api/servers/mail/logs"),
        request(
            "POST",
            "/api/servers",
            json!({"id": "web", "url": "http://127.0.0.1:9/mcp?key=secret", "enabled": false}),
        ),
        told("PUT", "/api/servers/web", json!({"headers": {"X-Key": "env:KEY"}})),
        told("POST", "/api/servers/mail/control", json!({"action": "stop"})),
        told("POST", "/api/servers/mail/test", json!({})),
        told("POST", "/api/refresh", json!({"servers": ["mail"]})),
        plain("/api/policies/effective?tool=mail"),
        request("POST", "/api/sign-in-link", json!({})),
        plain("/api/tools?server=mail&q=send&limit=5"),
        plain("/api/tools/mail/send"),
        plain("/api/search?q=letter&limit=3&profile=ladder&source=mail"),
        request("POST", "/api/call", json!({"name": "hello", "arguments": {}})),
        plain("/api/feedback?tool=hello"),
        ("DELETE", "/api/feedback?all=true".to_owned(), None),
        plain("/api/doctor"),
        plain("/api/context?budget=200&prompt=x"),
        plain("/api/policies"),
        request(
            "PUT",
            "/api/policies",
            json!({"level": "session", "pattern": "mail/*", "policy": "ask"}),
        ),
        plain("/api/approvals"),
        request("POST", &format!("/api/approvals/{question}"), json!({"decision": "reject"})),
        plain("/api/reviews"),
        told("POST", "/api/reviews", json!({"server": "mail", "decision": "approve"})),
        plain("/api/timeline?limit=5"),
        plain("/api/audit?limit=5&kind=call"),
        plain("/api/audit/verify"),
        plain("/api/stats?since=7d"),
        plain("/api/stats/pins"),
        ("DELETE", "/api/servers/web".to_owned(), None),
    ]
}

/// [`Api::send_request`] checks each response against the document.
#[test]
fn every_operation_responds_as_the_openapi_document_describes() {
    let world = world();
    let api = Api::start(&world);
    let session = api.done("POST", "/api/sessions", Some(json!({})))["session"]["id"].clone();
    let question =
        api.ask("POST", "/api/call", Some(json!({"name": "mail/send"}))).message()["approval"]
            .clone();
    let text = |it: &Value| it.as_str().expect("a text").to_owned();
    let mut done =
        BTreeSet::from([("GET", "/api/events".to_owned()), ("GET", "/api/tool-stream".to_owned())]);
    for (method, path, body) in requests(&text(&session), &text(&question)) {
        let answer = api.ask(method, &path, body);
        assert!((200..300).contains(&answer.status), "{method} {path}: {answer:?}");
        assert!(!answer.body.contains("key=secret"), "{method} {path}: {answer:?}");
        let (template, _) =
            operation(api.document(), method, &path).expect("it is in the document");
        done.insert((method, template.to_owned()));
    }
    let paths = api.document()["paths"].as_object().expect("paths");
    let methods = |value: &Value| {
        value
            .as_object()
            .map(|object| object.keys().cloned().collect::<Vec<_>>())
            .unwrap_or_default()
    };
    let all = paths
        .iter()
        .flat_map(|(path, it)| methods(it).into_iter().map(move |method| (method, path.clone())));
    let left: Vec<_> = all
        .filter(|(method, path)| !done.contains(&(method.to_uppercase().as_str(), path.clone())))
        .collect();
    assert!(left.is_empty(), "nobody has tried {left:?}");
}
