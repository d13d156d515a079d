use crate::api::Api;
use crate::serve::library;
use crate::servers::fixture::wait_until;
use crate::world::World;
use serde_json::Value;
use std::io::{BufRead, BufReader};

/// The operations that a token with a profile may use, besides those that are open to all.
const OF_A_PROFILE: [&str; 7] = [
    "/api/call",
    "/api/context",
    "/api/me",
    "/api/openapi.json",
    "/api/search",
    "/api/tool-stream",
    "/api/tools",
];

/// The status of a request that would change nothing if it were accepted.
fn status(api: &Api, method: &str, path: &str, authorization: Option<&str>) -> u16 {
    let (path, body) = match method {
        "GET" => (path.to_owned(), ""),
        _ => (format!("{path}?dryRun=true"), "{}"),
    };
    let headers: Vec<&str> = authorization.into_iter().collect();
    // A stream has no end, so only the first line is read.
    let stream = api.web.begin(method, &path, &headers, body);
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).expect("a status line");
    line.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status")
}

fn create(world: &World, name: &str, options: &[&str]) -> String {
    let words: Vec<&str> =
        ["token", "create", "--name", name].into_iter().chain(options.iter().copied()).collect();
    format!("Authorization: Bearer {}", world.run(&words).exits(0).out.trim())
}

/// The routes of the document: method, path and role. Parameters have a value that does not exist.
fn routes(document: &Value) -> Vec<(String, String, String)> {
    let mut routes = Vec::new();
    for (path, methods) in document["paths"].as_object().expect("paths") {
        let parts = path.split('/').map(|part| match part {
            "{project}" => "current",
            part if part.starts_with('{') => "no-such-thing",
            part => part,
        });
        let filled = parts.collect::<Vec<_>>().join("/");
        for (method, operation) in methods.as_object().expect("methods") {
            let role = operation["x-role"].as_str().unwrap_or_else(|| panic!("{method} {path}"));
            routes.push((method.to_uppercase(), filled.clone(), role.to_owned()));
        }
    }
    routes
}

/// V-31: every route with every kind of token.
#[test]
fn every_route_requires_the_right_token() {
    let profile = "[profiles.mail]\ninclude = [\"local/*email*\"]\n";
    let world = library().file("toolscout.toml", profile);
    let api = Api::start(&world);
    let profile = create(&world, "profile", &["--profile", "mail"]);
    let revoked = create(&world, "revoked", &["--role", "operator"]);
    world.run(&["token", "revoke", "revoked"]).exits(0);
    let expired = create(&world, "expired", &["--role", "operator", "--expires", "1s"]);
    wait_until("the token has expired", || status(&api, "GET", "/api/me", Some(&expired)) == 401);
    let routes = routes(api.document());
    assert!(routes.len() > 60, "{}", routes.len());
    for (method, path, role) in &routes {
        let is_open = role == "open";
        for (name, authorization) in
            [("none", None), ("expired", Some(&expired)), ("revoked", Some(&revoked))]
        {
            let status = status(&api, method, path, authorization.map(String::as_str));
            assert_eq!(status == 401, !is_open, "{name}: {method} {path}: {status}");
        }
        let is_refused = |authorization: &str| {
            let status = status(&api, method, path, Some(authorization));
            assert_ne!(status, 401, "{method} {path}");
            status == 403
        };
        assert!(!is_refused(&api.operator), "operator: {method} {path}");
        assert_eq!(is_refused(&api.agent), role == "operator", "agent: {method} {path}");
        let in_project = path.replacen("/api/projects/current/", "/api/", 1);
        let is_of_profile = OF_A_PROFILE
            .iter()
            .any(|start| in_project == *start || in_project.starts_with(&format!("{start}/")));
        let is_allowed = is_open || (is_of_profile && role == "agent");
        assert_eq!(is_refused(&profile), !is_allowed, "profile: {method} {path}");
    }
}
