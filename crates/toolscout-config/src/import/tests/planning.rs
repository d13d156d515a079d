//! 1. Names become ids; duplicate names get numbers.
//! 2. A server that is already present is not imported again from any file; a different one is
//!    skipped with the reason.
//! 3. Our own entry is never imported.
//! 4. A second import of the same files adds nothing.

use super::super::plan::{ImportAction, ImportPlanner, ServerSelection};
use super::super::{ClientScan, ExistingServers, ImportTarget, OwnProgram, SecretHandling};
use super::World;
use crate::{ConfigScope, ServerEntry};
use std::path::PathBuf;

fn only(selections: &[&str]) -> Vec<ServerSelection> {
    selections.iter().map(|selection| selection.parse().expect("a selection")).collect()
}

fn plan(world: &World, existing: &ExistingServers, only: &[ServerSelection]) -> Vec<String> {
    plan_with(world, existing, only, None)
}

fn plan_with(
    world: &World,
    existing: &ExistingServers,
    only: &[ServerSelection],
    executable: Option<PathBuf>,
) -> Vec<String> {
    let clients = ["claude-desktop", "cursor"]
        .map(|value| super::super::find_client(value).expect("a client"));
    let own = OwnProgram { program: "toolscout".to_owned(), executable };
    let (base, project) = ("/src/shop".into(), "/src/shop".into());
    let (file, scope) = ("/src/shop/toolscout.toml".into(), ConfigScope::User);
    let target = ImportTarget { scope, file, base, project };
    let targets = vec![(target, existing.clone())];
    let planner = ImportPlanner::new(
        targets,
        (!only.is_empty()).then_some(only),
        SecretHandling::Variables,
        &own,
    );
    let plan = planner.plan_all(ClientScan::read_clients(clients, &world.folders()));
    let action = |action: &ImportAction| match action {
        ImportAction::Add { id, .. } => format!("+ {id}"),
        ImportAction::Same { id } => format!("= {id}"),
        ImportAction::Skip { reason, hint } => {
            format!("- {reason} ({})", hint.as_deref().unwrap_or("no hint"))
        }
    };
    plan.servers().map(|server| format!("{}: {}", server.name, action(&server.action))).collect()
}

fn world_with_clients(desktop: &str, cursor: &str) -> World {
    let file = |servers: &str| format!("{{\"mcpServers\": {{{servers}}}}}");
    World::new()
        .file(".config/Claude/claude_desktop_config.json", &file(desktop))
        .file(".cursor/mcp.json", &file(cursor))
}

fn command(command: &str) -> Option<ServerEntry> {
    Some(ServerEntry { command: Some(command.to_owned()), ..ServerEntry::default() })
}

#[test]
fn names_become_ids_and_duplicates_get_numbers() {
    let world = world_with_clients(
        r#""My Server": {"command": "a"}, "my-server": {"command": "b"}, "local": {"command": "c"}, "日本": {"command": "d"}"#,
        r#""MY_SERVER": {"command": "e"}, "my server": {"command": "f"}, "a-name-that-is-much-longer-than-ids-may-be": {"command": "g"},
           "A-name-that-is-much-longer-than-ids-may-be": {"command": "h"}"#,
    );
    assert_eq!(
        plan(&world, &ExistingServers::new(), &[]),
        [
            "My Server: + my-server",
            "my-server: + my-server-2",
            "local: + local-2",
            "日本: + source",
            "MY_SERVER: + my_server",
            "my server: + my-server-3",
            "a-name-that-is-much-longer-than-ids-may-be: + a-name-that-is-much-longer-than-",
            "A-name-that-is-much-longer-than-ids-may-be: + a-name-that-is-much-longer-2",
        ]
    );
}

#[test]
fn existing_servers_are_not_imported_again() {
    let world = world_with_clients(
        r#""a": {"command": "a"}, "b": {"command": "b"}, "c": {"command": "c", "env": {"TOKEN": "t0psecret"}}"#,
        r#""renamed": {"command": "a"}, "b": {"command": "other"}, "c": {"command": "c", "env": {"TOKEN": "t0psecret"}}"#,
    );
    let known = ExistingServers::from([("b".to_owned(), command("other"))]);
    assert_eq!(
        plan(&world, &known, &[]),
        [
            "a: + a",
            "b: - `b` is already configured differently (use --only 'b=b-2' to import it under another id)",
            "c: + c",
            "renamed: = a",
            "b: = b",
            "c: = c",
        ]
    );
}

#[test]
fn selected_servers_are_imported_under_the_requested_ids() {
    let world = world_with_clients(
        r#""a": {"command": "a"}, "Big One": {"command": "b"}"#,
        r#""c": {"command": "c"}"#,
    );
    let known = ExistingServers::from([("a".to_owned(), command("other"))]);
    assert_eq!(plan(&world, &known, &only(&["a=mine"])), ["a: + mine"]);
    assert_eq!(plan(&world, &known, &only(&["big-one"])), ["Big One: + big-one"]);
    assert_eq!(plan(&world, &known, &only(&["nobody"])), [""; 0]);
}

#[test]
fn our_own_entry_is_never_imported() {
    let world = world_with_clients(
        r#""toolscout": {"command": "/opt/bin/toolscout", "args": ["serve"]}, "us": {"command": "toolscout.exe"}"#,
        r#""elsewhere": {"command": "/bin/sh"}"#,
    );
    let plan = plan_with(&world, &ExistingServers::new(), &[], Some("/bin/../bin/sh".into()));
    assert_eq!(plan.len(), 3);
    assert!(
        plan.iter().all(|plan| plan.ends_with(": - it is this program itself (no hint)")),
        "{plan:?}"
    );
}
