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
        plain("/api/live"),
        plain("/api/ready"),
        plain("/api/me"),
        plain("/api/openapi.json"),
        plain("/api/metrics"),
        plain("/metrics"),
        plain("/api/fleet"),
        plain("/api/projects"),
        plain("/api/project"),
        plain("/api/configuration"),
        request("PUT", "/api/configuration", json!({"settings": {"meta_tools": "always"}})),
        plain("/api/sessions"),
        request("POST", "/api/sessions", json!({})),
        plain(&format!("/api/sessions/{session}/configuration")),
        plain(&format!("/api/sessions/{session}/servers")),
        request(
            "POST",
            &format!("/api/sessions/{session}/servers/mail/control"),
            json!({"action": "stop"}),
        ),
        ("DELETE", format!("/api/sessions/{session}"), None),
        plain("/api/servers"),
        plain("/api/servers/mail"),
        plain("/api/servers/mail/logs"),
        request(
            "POST",
            "/api/servers",
            json!({"id": "web", "url": "http://127.0.0.1:9/mcp?key=secret", "enabled": false}),
        ),
        request("PUT", "/api/servers/web", json!({"headers": {"X-Key": "env:KEY"}})),
        request("POST", "/api/servers/mail/control", json!({"action": "stop"})),
        request("POST", "/api/servers/mail/test", json!({})),
        request("POST", "/api/refresh", json!({"servers": ["mail"]})),
        request("POST", "/api/index", json!({})),
        plain("/api/profiles"),
        plain("/api/tokens"),
        request("POST", "/api/tokens", json!({"name": "ci", "role": "agent", "expires": "30d"})),
        request("POST", "/api/tokens/ci/rotate", json!({})),
        ("DELETE", "/api/tokens/ci".to_owned(), None),
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
        plain("/api/trust"),
        request("POST", "/api/trust", json!({})),
        request("POST", "/api/reviews", json!({"server": "mail", "decision": "approve"})),
        plain("/api/timeline?limit=5"),
        plain("/api/audit?limit=5&kind=call"),
        plain("/api/audit/verify"),
        plain("/api/stats?since=7d"),
        plain("/api/stats/pins"),
        plain("/api/stats/series?from=2h&bucket=15m"),
        ("DELETE", "/api/servers/web".to_owned(), None),
        request(
            "POST",
            "/api/tools",
            json!({"source": "billing", "callback": "http://127.0.0.1:9/", "tools": [{"name": "x"}]}),
        ),
        plain("/api/registrations"),
        request("POST", "/api/registrations/billing/renew", json!({})),
        ("DELETE", "/api/registrations/billing".to_owned(), None),
        plain("/api/setup"),
        request("POST", "/api/setup", json!({"clients": ["gemini"], "secrets": "file"})),
        plain("/api/clients"),
        request("PUT", "/api/clients/cursor", json!({"take": true})),
        ("DELETE", "/api/clients/cursor".to_owned(), None),
        plain("/api/changes"),
        request("POST", "/api/undo", json!({"whole": true})),
        request("PUT", "/api/secrets/KEY", json!({"value": "k3y-of-a-server"})),
        plain("/api/secrets"),
        ("DELETE", "/api/secrets/KEY".to_owned(), None),
    ]
}

/// [`Api::send_request`] checks each response against the document.
#[test]
fn every_operation_responds_as_the_openapi_document_describes() {
    let world = world();
    let api = Api::start(&world);
    let session = api.done("POST", "/api/sessions", Some(json!({})))["session"]["id"].clone();
    let question = api
        .send_request("POST", "/api/call", Some(json!({"name": "mail/send"})))
        .message()["approval"]
        .clone();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    // Streams, and the result of a call on one of them; their own tests cover them.
    let mut done = BTreeSet::from([
        ("GET", "/api/events".to_owned()),
        ("GET", "/api/tool-stream".to_owned()),
        ("GET", "/api/registrations/{id}/calls".to_owned()),
        ("POST", "/api/registrations/{id}/calls/{call}".to_owned()),
    ]);
    for (method, path, body) in requests(&text(&session), &text(&question)) {
        // The routes of a project are the same; those that only read are tried as well.
        if let Some(rest) = path.strip_prefix("/api/").filter(|_| method == "GET") {
            let in_project = format!("/api/projects/current/{rest}");
            if operation(api.document(), method, &in_project).is_some() {
                assert_eq!(api.send_request(method, &in_project, None).status, 200, "{in_project}");
            }
        }
        let answer = api.send_request(method, &path, body);
        assert!((200..300).contains(&answer.status), "{method} {path}: {answer:?}");
        assert!(!answer.body.contains("key=secret"), "{method} {path}: {answer:?}");
        let (template, _) =
            operation(api.document(), method, &path).expect("the operation is documented");
        done.insert((method, template.to_owned()));
    }
    let paths = api.document()["paths"].as_object().expect("paths");
    let methods = |value: &Value| {
        value
            .as_object()
            .map(|object| object.keys().cloned().collect::<Vec<_>>())
            .unwrap_or_default()
    };
    let all = paths.iter().flat_map(|(path, item)| {
        methods(item).into_iter().map(move |method| (method, path.clone()))
    });
    let is_done = |method: &str, path: &str| {
        let own = path.replace("/api/projects/{project}/", "/api/");
        let own = own.replace("/api/projects/{project}", "/api/project");
        done.contains(&(method.to_uppercase().as_str(), own))
    };
    let left: Vec<_> = all.filter(|(method, path)| !is_done(method, path)).collect();
    assert!(left.is_empty(), "not tested: {left:?}");
}
