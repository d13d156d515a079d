//! A server of both protocol eras, built with the official SDK for TypeScript, and the client of
//! that SDK in each era: directly, and through toolscout.

use super::{Listening, installed, own};
use crate::clients;
use crate::serve::Web;
use crate::world::World;
use serde_json::{Value, json};
use std::process::Command;

const ERAS: [&str; 2] = ["legacy", "modern"];
/// Tools that send requests during the call, which the SDK permits in the legacy era only.
const LEGACY_TOOLS: [&str; 3] = ["test_elicitation", "test_sampling", "test_roots"];

/// The command line of the server.
fn program() -> Option<[String; 3]> {
    installed("node_modules/@modelcontextprotocol/server/package.json")?;
    Some(["node".to_owned(), own("dual_era/main.mjs"), installed("node_modules")?])
}

/// The server over HTTP.
fn listening(world: &World) -> Option<Listening> {
    let [node, program, modules] = program()?;
    let mut command = world.program_command(&node);
    command.args([program, modules]);
    Some(Listening::start(world, command))
}

/// Starts the client, which calls the tools of the server at this target.
fn client(world: &World, era: &str, name: &str, target: &[&str]) -> Option<Command> {
    let mut command = world.program_command(&clients::node()?);
    let modules = clients::installed("node_modules/@modelcontextprotocol/client/package.json")
        .and_then(|_| clients::installed("node_modules"))?;
    command.args([&clients::own("dual_era_client.mjs"), &modules, era, name]).args(target);
    Some(command)
}

/// What the client saw.
fn seen(world: &World, era: &str, name: &str, target: &[&str]) -> Option<Value> {
    let report = clients::printed(client(world, era, name, target)?);
    Some(serde_json::from_str(report.trim()).expect("a JSON report"))
}

fn served(world: &World) -> (Web, String) {
    let web = Web::open(world, &["--transparent", "dual"]);
    let url = format!("http://{}/mcp", web.addr);
    (web, url)
}

/// U-45: elicitation, sampling, roots, progress, log messages and polling.
#[test]
fn clients_of_both_eras_see_through_toolscout_what_they_see_directly() {
    let world = World::project();
    let Some(server) = listening(&world) else { return };
    world.adds("dual", &[&server.at("")]);
    let (_web, url) = served(&world);
    for era in ERAS {
        let Some(direct) = seen(&world, era, "ada", &[&server.at("")]) else { return };
        let through = seen(&world, era, "ada", &[&url]).expect("the same client");
        assert_eq!(direct, through, "{era}");
        let has_failed = |tool: &str| through["results"][tool].to_string().contains("failed");
        assert_eq!(LEGACY_TOOLS.map(has_failed), [era == "modern"; 3], "{through}");
        assert_eq!(through["progress"], json!([0, 50, 100]));
        assert_eq!(through["logs"], json!(["begun", "going on", "nearly done"]));
    }
}

/// The same over pipes, on both sides.
#[test]
fn a_program_of_both_eras_serves_clients_of_both() {
    let world = World::project();
    let Some([node, program, modules]) = program() else { return };
    let command = [node.as_str(), &program, &modules, "--stdio"];
    let words: Vec<&str> = ["--"].into_iter().chain(command).collect();
    world.adds("dual", &words);
    let toolscout = world.command(&[]).get_program().display().to_string();
    for era in ERAS {
        let Some(direct) = seen(&world, era, "ada", &command) else { return };
        let through = [toolscout.as_str(), "serve", "--transparent", "dual"];
        assert_eq!(Some(direct), seen(&world, era, "ada", &through), "{era}");
    }
    world.is_left_alone();
}

/// U-46: four clients at once, each of which answers with its own name.
#[test]
fn clients_of_both_eras_at_once_receive_only_their_own_requests() {
    let world = World::project();
    let Some(server) = listening(&world) else { return };
    world.adds("dual", &[&server.at("")]);
    let (_web, url) = served(&world);
    let names = ["ada", "bert", "cleo", "dora"];
    let start = |(index, name): (usize, &&'static str)| {
        let mut command = client(&world, ERAS[index % 2], name, &[&url])?;
        let output = command.stdout(std::process::Stdio::piped()).spawn().expect("it starts");
        Some((*name, output))
    };
    let running: Option<Vec<_>> = names.iter().enumerate().map(start).collect();
    for (name, child) in running.into_iter().flatten() {
        let output = child.wait_with_output().expect("the process exits");
        assert!(output.status.success(), "{name}: {output:?}");
        let report = String::from_utf8_lossy(&output.stdout).into_owned();
        let others = names.into_iter().filter(|other| *other != name);
        others.for_each(|other| assert!(!report.contains(other), "{name}: {report}"));
        assert!(report.contains(&format!("file:///{name}")), "{report}");
    }
}

/// U-47: `protocol = "legacy"` lets clients of the modern era use tools that only the legacy era
/// can run.
#[test]
fn a_pinned_legacy_connection_bridges_requests_to_modern_clients() {
    let world = World::project();
    let Some(server) = listening(&world) else { return };
    world.adds("dual", &[&server.at("")]);
    let world = world.append_config("protocol = \"legacy\"");
    let (_web, url) = served(&world);
    for era in ERAS {
        let Some(through) = seen(&world, era, "ada", &[&url]) else { return };
        assert!(!through["results"].to_string().contains("failed"), "{era}: {through}");
        let counts = ["elicitation/create", "sampling/createMessage", "roots/list"].map(|method| {
            let requests = through["requests"].as_array().expect("a list");
            requests.iter().filter(|request| *request == method).count()
        });
        assert_eq!(counts, [4, 2, 2], "{era}: {through}");
    }
}
