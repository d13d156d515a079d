//! Revocations are in force on all replicas when they are acknowledged; a replica without the
//! database admits calls for a limited time.

use super::{CONFIGURATION, fleet, machines, ready};
use crate::serve::{Session, Web};
use crate::servers::fixture::{signal, wait_until};
use crate::world::can_run;
use rustix::process::Signal;
use serde_json::json;
use std::cell::RefCell;
use toolscout_test_support::postgres::PostgresServer;

fn look(session: &mut Session<'_>) -> String {
    session.text("execute_tool", json!({"name": "s/look", "arguments": {"text": "bob"}}))
}

/// Y-32: no replica admits a call after the rejection was acknowledged for all.
#[test]
fn a_rejection_is_in_force_on_every_replica_when_it_returns() {
    let Some(machines) = fleet(3) else { return };
    let replicas: Vec<Web> = machines.iter().map(|world| Web::open(world, &[])).collect();
    let sessions: Vec<_> =
        replicas.iter().map(|web| RefCell::new(web.session("/mcp", &[]))).collect();
    for _ in 0..5 {
        for session in &sessions {
            wait_until("the tool is approved", || look(&mut session.borrow_mut()) == "called");
        }
        let rejected = machines[1].run(&["reject", "s/look"]).exits(0);
        for session in &sessions {
            let refused = look(&mut session.borrow_mut());
            assert!(refused.contains("quarantined"), "{refused}");
        }
        rejected.stderr_contains(&["In force on 3 of 3 replicas."]);
        machines[0].run(&["approve", "s/look"]).exits(0);
    }
}

/// Y-33: a token that is revoked, with a replica that does not respond.
#[test]
fn a_revocation_names_the_replica_that_is_behind() {
    let Some(machines) = fleet(3) else { return };
    let replicas: Vec<Web> = machines.iter().map(|world| Web::start(world, &[])).collect();
    let create = |name: &str| {
        let created = machines[0].run(&["token", "create", "--name", name]).exits(0);
        format!("Authorization: Bearer {}", created.out.trim())
    };
    let (first, second) = (create("first"), create("second"));
    let status = |web: &Web, token: &str| web.send("GET", "/api/me", &[token], "").status;
    let accept = |token| replicas.iter().all(|web| status(web, token) == 200);
    wait_until("all accept the tokens", || accept(&first) && accept(&second));
    let revoked = machines[0].run(&["token", "revoke", "first", "--json"]).exits(0).json();
    let statuses: Vec<u16> = replicas.iter().map(|web| status(web, &first)).collect();
    assert_eq!(revoked["inForce"], json!({"on": 3, "replicas": 3, "behind": []}));
    assert_eq!(statuses, [401, 401, 401], "{revoked}");
    signal(replicas[2].process(), Signal::STOP);
    let revoked = machines[0].run(&["token", "revoke", "second"]);
    signal(replicas[2].process(), Signal::CONT);
    let revoked = revoked.exits(0);
    let expected = "In force on 2 of 3 replicas. Not yet on: replica-3.";
    assert!((revoked.out.clone() + &revoked.err).contains(expected), "{revoked:?}");
    wait_until("the third replica refuses it", || status(&replicas[2], &second) == 401);
}

/// Y-34: `when_cut_off = "refuse"`.
#[test]
fn a_replica_that_refuses_when_cut_off_admits_no_call() {
    let mut server = PostgresServer::start();
    if !can_run(server.is_some(), "PostgreSQL") {
        return;
    }
    let server = server.as_mut().expect("a server");
    let machines = machines(&server.url("postgres"), 1);
    let world = &machines[0];
    let configuration = format!("{CONFIGURATION}when_cut_off = \"refuse\"\n");
    std::fs::write(world.temp_dir().join("config/config.toml"), configuration).expect("a file");
    let web = Web::open(world, &[]);
    wait_until("the replica is ready", || ready(&web)["status"] == "ready");
    let mut session = web.session("/mcp", &[]);
    assert_eq!(look(&mut session), "called");
    server.kill();
    let status = || web.send("GET", "/api/ready", &[], "").status;
    wait_until("the replica is cut off", || status() == 503);
    let refused = look(&mut session);
    assert!(refused.contains("admits no calls"), "{refused}");
    assert_eq!(web.send("GET", "/api/live", &[], "").status, 200);
    let found = session.text("tool_search", json!({"query": "account"}));
    assert!(found.contains("s/look"), "a search goes on: {found}");
    let executed = world.executed();
    let run = world.run(&["run", "s/look"]);
    assert!(run.code != 0 && run.err.contains("admits no calls"), "{run:?}");
    assert_eq!(world.executed(), executed);
    server.resume();
    wait_until("the replica is ready again", || status() == 200);
    assert_eq!(look(&mut session), "called");
}
