use super::{Api, catalog};
use crate::serve::Web;
use crate::servers::scene::until;
use crate::world::World;
use serde_json::json;
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// Two tokens, made once, for their owner alone; the operator's is never shown.
#[test]
fn the_first_run_makes_a_token_for_agents_and_one_for_operators() {
    let world = World::trusted();
    let api = Api::start(&world);
    assert_ne!(api.operator, api.agent);
    for file in ["operator.token", "agent.token"] {
        let mode = fs::metadata(world.outside().join("state").join(file))
            .expect("it is there")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
    let secret = api.operator.trim_start_matches("Authorization: Bearer ");
    assert!(!api.web.said.contains(secret), "{}", api.web.said);
    assert_eq!(api.get("/api/me"), json!({"role": "operator", "name": "operator"}));
    let agent = api.ask_as(&api.agent, "GET", "/api/me", None).message();
    assert_eq!(agent, json!({"role": "agent", "name": "agent"}));
    let again = Api::start(&world);
    assert_eq!((again.operator, again.agent), (api.operator, api.agent));
}

/// Who is let in unasked may look, find and run; what changes what runs is shut.
#[test]
fn an_open_port_has_the_rights_of_an_agent() {
    let world = World::trusted();
    let web = Web::open(&world, &[]);
    assert_eq!(web.send("GET", "/api/me", &[], "").message(), json!({"role": "agent"}));
    assert_eq!(web.send("POST", "/api/servers", &[], r#"{"id":"x","command":"y"}"#).status, 403);
    assert!(!world.outside().join("state/operator.token").exists());
}

/// Who is given a profile has no more over the API than over MCP, and nothing when the profile is gone.
#[test]
fn a_profile_is_all_there_is_where_it_is_served() {
    let world = catalog::world()
        .more("[profiles.some]\ninclude = [\"mail/*\"]\nexclude = [\"mail/sweep\"]");
    let web = Web::open(&world, &["--profile", "some"]);
    let seen = || {
        let answer = web.send("GET", "/api/projects/current/configuration", &[], "").message();
        let tools = answer["configuration"]["availableTools"].as_array().expect("tools").clone();
        tools
            .iter()
            .map(|it| it["name"].as_str().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(seen(), ["mail/send", "mail/fetch"]);
    assert_eq!(web.send("POST", "/api/call", &[], r#"{"name":"hello"}"#).status, 404);
    assert_eq!(web.send("GET", "/api/tools/mail/sweep", &[], "").status, 404);
    let before = fs::read_to_string(world.path("toolscout.toml")).expect("a file");
    let without = before.split("[profiles").next().unwrap_or_default().to_owned();
    let _world = world.file("toolscout.toml", &without);
    until("it is gone", || seen().is_empty());
    assert_eq!(web.send("POST", "/api/call", &[], r#"{"name":"mail/fetch"}"#).status, 404);
}
