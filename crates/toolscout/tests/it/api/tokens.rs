use super::{Api, catalog};
use crate::serve::Web;
use crate::servers::fixture::wait_until;
use crate::world::World;
use serde_json::json;
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// Both tokens are created once, in files that only their owner can read. The operator token is
/// never printed.
#[test]
fn the_first_run_creates_an_agent_token_and_an_operator_token() {
    let world = World::trusted();
    let api = Api::start(&world);
    assert_ne!(api.operator, api.agent);
    for file in ["operator.token", "agent.token"] {
        let mode = fs::metadata(world.temp_dir().join("state").join(file))
            .expect("the token exists")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
    let secret = api.operator.trim_start_matches("Authorization: Bearer ");
    assert!(!api.web.startup_output.contains(secret), "{}", api.web.startup_output);
    assert_eq!(api.get("/api/me"), json!({"role": "operator", "name": "operator"}));
    let agent = api.request_as(&api.agent, "GET", "/api/me", None).message();
    assert_eq!(agent, json!({"role": "agent", "name": "agent"}));
    let again = Api::start(&world);
    assert_eq!((again.operator, again.agent), (api.operator, api.agent));
}

/// A client without authentication may list, search and call, but not change the configuration.
#[test]
fn without_authentication_clients_have_the_agent_role() {
    let world = World::trusted();
    let web = Web::open(&world, &[]);
    assert_eq!(web.send("GET", "/api/me", &[], "").message(), json!({"role": "agent"}));
    assert_eq!(web.send("POST", "/api/servers", &[], r#"{"id":"x","command":"y"}"#).status, 403);
    assert!(!world.temp_dir().join("state/operator.token").exists());
}

/// A client with a profile sees the same tools over the API as over MCP, and none after the profile
/// is removed.
#[test]
fn the_api_is_limited_to_the_served_profile() {
    let world = catalog::world()
        .append_config("[profiles.some]\ninclude = [\"mail/*\"]\nexclude = [\"mail/sweep\"]");
    let web = Web::open(&world, &["--profile", "some"]);
    let seen = || {
        let answer = web.send("GET", "/api/projects/current/configuration", &[], "").message();
        let tools = answer["configuration"]["availableTools"].as_array().expect("tools").clone();
        tools
            .iter()
            .map(|tool| tool["name"].as_str().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(seen(), ["mail/send", "mail/fetch"]);
    assert_eq!(web.send("POST", "/api/call", &[], r#"{"name":"hello"}"#).status, 404);
    assert_eq!(web.send("GET", "/api/tools/mail/sweep", &[], "").status, 404);
    let before = fs::read_to_string(world.path("toolscout.toml")).expect("a file");
    let without = before.split("[profiles").next().unwrap_or_default().to_owned();
    let _world = world.file("toolscout.toml", &without);
    wait_until("the profile is removed", || seen().is_empty());
    assert_eq!(web.send("POST", "/api/call", &[], r#"{"name":"mail/fetch"}"#).status, 404);
}
