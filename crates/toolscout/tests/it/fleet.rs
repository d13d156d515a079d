//! Replicas of the real program that share a real PostgreSQL: each has its own state and
//! configuration, and the same project.

mod balancer;
mod deployment;
mod maintenance;
mod monitoring;
mod placement;
mod revocation;
mod rights;
mod sessions;
mod upgrades;

use crate::serve::{Client, Web};
use crate::servers::fixture::wait_until;
use crate::world::{World, can_run};
use rustix::process::Signal;
use serde_json::{Value, json};
use toolscout_test_support::postgres::PostgresServer;

const TOOLS: &[(&str, &str)] = &[("pay", "Pays somebody"), ("look", "Looks at an account")];
const PAY: [&str; 4] = ["run", "s/pay", "--text", "bob"];
const CONFIGURATION: &str = "[fleet]\ndatabase = \"env:TOOLSCOUT_DATABASE_URL\"\n\
    key = \"env:TOOLSCOUT_FLEET_KEY\"\nproject = \"shop\"\n\
    listen = \"127.0.0.1:0\"\n";

/// Machines that share the database of this URL, which is prepared.
fn machines(url: &str, count: usize) -> Vec<World> {
    configured_machines(url, count, "")
}

/// As [`machines`], with more lines in the configuration of each.
fn configured_machines(url: &str, count: usize, more: &str) -> Vec<World> {
    let configuration = format!("{more}{CONFIGURATION}");
    let key = World::bare().stdout(&["fleet", "key"]);
    let first = World::trusted()
        .var("TOOLSCOUT_DATABASE_URL", url)
        .var("TOOLSCOUT_FLEET_KEY", key.trim())
        .var("TOOLSCOUT_REPLICA_NAME", "replica-1")
        .file("../config/config.toml", &configuration);
    first.run(&["fleet", "migrate"]).exits(0);
    let first = first.list_server_named("s", "tools = { pay = \"ask\" }", TOOLS);
    let mut all = vec![first];
    for number in 2..=count {
        let machine = all[0].another_machine();
        let folder = machine.temp_dir().join("config");
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("config.toml"), &configuration).expect("a file");
        all.push(machine.var("TOOLSCOUT_REPLICA_NAME", &format!("replica-{number}")));
    }
    all
}

/// Machines with a database of their own on the shared server; none without PostgreSQL.
fn fleet(count: usize) -> Option<Vec<World>> {
    configured_fleet(count, "")
}

/// As [`fleet`], with more lines in the configuration of each machine.
fn configured_fleet(count: usize, more: &str) -> Option<Vec<World>> {
    let server = PostgresServer::shared();
    can_run(server.is_some(), "PostgreSQL");
    Some(configured_machines(&server?.database(), count, more))
}

fn ready(web: &Client) -> Value {
    web.send("GET", "/api/ready", &[], "").message()
}

/// Y-01: `fleet migrate` and `fleet status`.
#[test]
fn the_database_is_prepared_once_and_lists_the_replicas() {
    let Some(machines) = fleet(2) else { return };
    machines[0].run(&["fleet", "migrate"]).exits(0).stderr_contains(&["Nothing to do"]);
    let status = || machines[0].run(&["fleet", "status", "--json"]).exits(0).json();
    assert_eq!(
        status(),
        json!({"replicas": [], "database": {"reachable": true}, "configured": true})
    );
    let (one, two) = (Web::start(&machines[0], &[]), Web::start(&machines[1], &[]));
    let states = || -> Vec<(String, String)> {
        let status = status();
        let replicas = status["replicas"].as_array().expect("replicas").iter();
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        replicas.map(|replica| (text(&replica["name"]), text(&replica["state"]))).collect()
    };
    let both = [("replica-1", "ready"), ("replica-2", "ready")];
    let owned = |states: &[(&str, &str)]| -> Vec<(String, String)> {
        states.iter().map(|(name, state)| ((*name).to_owned(), (*state).to_owned())).collect()
    };
    assert_eq!(states(), owned(&both));
    wait_until("the replica is ready", || ready(&one)["status"] == "ready");
    assert_eq!(two.ends(Signal::TERM), Some(0));
    assert_eq!(states(), owned(&[("replica-1", "ready"), ("replica-2", "gone")]));
    drop(one);
}

/// Y-02: a call waits on one replica, is approved on a second one, and continues on a third, once.
#[test]
fn an_approval_holds_on_every_replica_once() {
    let Some(machines) = fleet(3) else { return };
    let [one, two, three] = &machines[..] else { panic!("three machines") };
    let id = one.pending_approval(&PAY);
    let listed = two.run(&["approval", "list", "--json"]).exits(0).json();
    assert_eq!(listed[0]["id"], json!(id), "{listed}");
    two.run(&["approve", &id]).exits(0).stderr_contains(&["Approved this call of s/pay"]);
    assert_eq!(three.run(&PAY).exits(0).out, "called\n");
    assert_eq!(one.pending_approval(&PAY), id, "a used approval is requested again");
    assert_eq!(one.executed(), 1);
}

/// Y-03: what a review decides on one replica holds on the others, for definitions too.
#[test]
fn a_review_holds_on_every_replica() {
    let Some(machines) = fleet(2) else { return };
    let [one, two] = &machines[..] else { panic!("two machines") };
    assert_eq!(two.run(&["run", "s/look"]).exits(0).out, "called\n", "approved by the first one");
    one.refresh_with(&[("pay", "Pays somebody"), ("look", "Looks at an account twice")]);
    assert_eq!(two.quarantined(), ["s/look"]);
    two.run(&["approve", "s/look"]).exits(0);
    assert_eq!(one.run(&["run", "s/look"]).exits(0).out, "called\n");
}

/// Y-04: one set of tokens, for replicas that serve.
#[test]
fn a_token_of_one_replica_is_valid_on_all_until_it_is_revoked() {
    let Some(machines) = fleet(2) else { return };
    let (one, two) = (Web::start(&machines[0], &[]), Web::start(&machines[1], &[]));
    let created = machines[0].run(&["token", "create", "--name", "ci", "--user", "ada"]).exits(0);
    let bearer = format!("Authorization: Bearer {}", created.out.trim());
    let status = |web: &Client| web.send("GET", "/api/me", &[&bearer], "").status;
    wait_until("both accept the token", || status(&one) == 200 && status(&two) == 200);
    machines[1].run(&["token", "revoke", "ci"]).exits(0);
    wait_until("both refuse the token", || status(&one) == 401 && status(&two) == 401);
}

/// Y-05: while the database is away, a replica serves what it knows and decides nothing new.
#[test]
fn without_the_database_allowed_calls_go_on() {
    let mut server = PostgresServer::start();
    if !can_run(server.is_some(), "PostgreSQL") {
        return;
    }
    let server = server.as_mut().expect("a server");
    let machines = machines(&server.url("postgres"), 1);
    let world = &machines[0];
    let web = Web::open(world, &[]);
    wait_until("the replica is ready", || ready(&web)["status"] == "ready");
    let mut session = web.session("/mcp", &[]);
    let mut call = |tool: &str| {
        session.text("execute_tool", json!({"name": tool, "arguments": {"text": "bob"}}))
    };
    assert_eq!(call("s/look"), "called");
    server.kill();
    wait_until("the replica is degraded", || ready(&web)["status"] == "degraded");
    assert_eq!(call("s/look"), "called");
    let refused = call("s/pay");
    assert!(refused.contains("approval"), "{refused}");
    assert_eq!(world.executed(), 2, "only allowed calls");
    let status = world.run(&["fleet", "status", "--json"]).exits(0).json();
    assert_eq!(status["database"]["reachable"], false, "{status}");
    // A new process starts from its copy.
    assert_eq!(world.run(&["run", "s/look"]).exits(0).out, "called\n");
    server.resume();
    wait_until("the replica is ready again", || ready(&web)["status"] == "ready");
}

/// Y-06: replicas that start together load a server that none of them knows once.
#[test]
fn an_unknown_server_is_loaded_by_one_replica() {
    let Some(machines) = fleet(3) else { return };
    let world = &machines[0];
    let log = world.path("loaded");
    let words = ["sh", "-c", "echo loaded >> \"$1\"; shift; exec \"$@\"", "sh"];
    let mut command: Vec<String> = words.map(str::to_owned).to_vec();
    command.push(log.display().to_string());
    command.extend(world.breakable_command("new", "honest", &[]));
    let text = std::fs::read_to_string(world.path("toolscout.toml")).expect("the settings");
    let entry = format!(
        "\n[servers.new]\ncommand = {}\nargs = {}\n",
        json!(command[0]),
        json!(command[1..])
    );
    world.replace("toolscout.toml", &(text + &entry));
    let replicas: Vec<Web> = machines.iter().map(|world| Web::open(world, &[])).collect();
    for web in &replicas {
        wait_until("the tools are there", || {
            let mut session = web.session("/mcp", &[]);
            let found = session.text("tool_search", json!({"query": "echo", "source": "new"}));
            found.contains("new/")
        });
    }
    let loaded = std::fs::read_to_string(&log).expect("the log");
    assert_eq!(loaded.lines().count(), 1, "one replica loads it");
}

/// Y-09: one audit log of all replicas, which can be verified from any of them.
#[test]
fn every_replica_shows_and_verifies_the_audit_log_of_all() {
    let Some(machines) = fleet(2) else { return };
    let [one, two] = &machines[..] else { panic!("two machines") };
    let id = one.pending_approval(&PAY);
    two.run(&["approve", &id]).exits(0);
    one.run(&PAY).exits(0);
    let shown = two.run(&["audit", "show", "--json"]).exits(0).json();
    let entries = shown["entries"].as_array().expect("entries");
    let by = |entry: &Value| format!("{} {}", entry["replica"], entry["kind"]).replace('"', "");
    let all: Vec<String> = entries.iter().map(by).collect();
    for expected in ["replica-1 call", "replica-2 decision", "replica-1 decision"] {
        assert!(all.iter().any(|entry| entry == expected), "{expected}: {all:?}");
    }
    let text = two.run(&["audit", "show"]).exits(0).out;
    assert!(text.contains("  replica-1  cli  call s/pay"), "{text}");
    let verified = two.run(&["audit", "verify"]).exits(0).out;
    assert!(verified.contains("is intact") && verified.contains(" of 2 replicas"), "{verified}");
}

/// Y-10: a decision that a user of the database removes.
#[test]
fn removed_records_are_found_by_any_replica() {
    let Some(server) = PostgresServer::shared() else { return };
    let url = server.database();
    let machines = machines(&url, 2);
    let [one, two] = &machines[..] else { panic!("two machines") };
    let id = one.pending_approval(&PAY);
    two.run(&["approve", &id]).exits(0);
    one.run(&PAY).exits(0);
    let name = url.rsplit_once('/').expect("a path").1;
    let name = name.split('?').next().expect("a name");
    server.sql(
        name,
        "DELETE FROM toolscout.decision WHERE n = (SELECT max(n) FROM toolscout.decision)",
    );
    let found = two.run(&["audit", "verify"]);
    assert_eq!(found.code, 1, "{found:?}");
    assert!(found.out.contains("decisions, record"), "{found:?}");
}

/// Y-11: while the database is away, records stay on their machine; then they arrive.
#[test]
fn records_of_an_outage_arrive_when_the_database_is_back() {
    let mut server = PostgresServer::start();
    if !can_run(server.is_some(), "PostgreSQL") {
        return;
    }
    let server = server.as_mut().expect("a server");
    let machines = machines(&server.url("postgres"), 1);
    let world = &machines[0];
    let calls = || {
        let shown = world.run(&["audit", "show", "--kind", "call", "--json"]).exits(0).json();
        shown["entries"].as_array().expect("entries").len()
    };
    world.run(&["run", "s/look"]).exits(0);
    let before = calls();
    server.kill();
    world.run(&["run", "s/look"]).exits(0);
    let shown = world.run(&["audit", "show"]).exits(0);
    assert!(shown.err.contains("only records of this replica"), "{shown:?}");
    server.resume();
    assert_eq!(calls(), before + 1);
    assert!(world.run(&["audit", "verify"]).exits(0).out.contains(" of 1 replica\n"));
}

/// Y-07: a replica without the right key does not start; nothing runs beside the fleet's decisions.
#[test]
fn a_replica_with_another_key_or_without_tables_does_not_start() {
    let Some(machines) = fleet(1) else { return };
    let other = World::bare().stdout(&["fleet", "key"]);
    let wrong = machines[0].another_machine().var("TOOLSCOUT_FLEET_KEY", other.trim());
    let folder = wrong.temp_dir().join("config");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("config.toml"), CONFIGURATION).expect("a file");
    let refused = wrong.run(&["serve", "--http", "127.0.0.1:0"]);
    assert_ne!(refused.code, 0);
    assert!(refused.err.contains("is not the key of this fleet's database"), "{refused:?}");
    let empty = PostgresServer::shared().expect("a server").database();
    let unprepared = wrong.var("TOOLSCOUT_DATABASE_URL", &empty);
    let refused = unprepared.run(&["serve", "--http", "127.0.0.1:0"]);
    assert!(refused.err.contains("run `toolscout fleet migrate` once"), "{refused:?}");
}

/// Y-08: a project cannot choose its fleet before it is trusted, nor contain its secrets.
#[test]
fn a_project_names_its_fleet_only_with_trust_and_by_variables() {
    let Some(server) = PostgresServer::shared() else { return };
    let url = server.database();
    let key = World::bare().stdout(&["fleet", "key"]);
    let world = World::project()
        .var("TOOLSCOUT_DATABASE_URL", &url)
        .var("TOOLSCOUT_FLEET_KEY", key.trim())
        .file("toolscout.toml", CONFIGURATION);
    let untrusted = world.run(&["fleet", "migrate"]);
    assert_ne!(untrusted.code, 0);
    assert!(untrusted.err.contains("the project is not trusted"), "{untrusted:?}");
    world.run(&["trust"]).exits(0);
    world.run(&["fleet", "migrate"]).exits(0);
    let literal = CONFIGURATION.replace("env:TOOLSCOUT_DATABASE_URL", &url);
    let literal = world.file("toolscout.toml", &literal).run(&["fleet", "status"]);
    assert!(literal.err.contains("can only name variables"), "{literal:?}");
}
