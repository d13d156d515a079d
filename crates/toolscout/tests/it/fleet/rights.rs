//! Replicas that connect with the role of replicas, and not as the owner of the tables.

use super::sessions::{look, wait_until_known};
use super::{PAY, machines, ready};
use crate::serve::{Client, Web};
use crate::servers::fixture::wait_until;
use crate::world::{World, can_run};
use rustix::process::Signal;
use toolscout_test_support::postgres::PostgresServer;

/// Y-45: with the rights of the role, replicas share approvals, tokens, sessions and the audit log.
#[test]
fn replicas_need_only_the_rights_of_their_role() {
    let server = PostgresServer::shared();
    can_run(server.is_some(), "PostgreSQL");
    let Some(server) = server else { return };
    let url = server.database();
    let name = url.rsplit_once('/').and_then(|(_, rest)| rest.split('?').next()).expect("a name");
    let owned = machines(&url, 2);
    server.sql("postgres", "CREATE ROLE replica_it LOGIN IN ROLE toolscout_app");
    let machines: Vec<World> = owned
        .into_iter()
        .map(|world| world.var("TOOLSCOUT_DATABASE_URL", &server.url_as("replica_it", name)))
        .collect();
    let [one, two] = &machines[..] else { panic!("two machines") };
    let id = one.pending_approval(&PAY);
    two.run(&["approve", &id]).exits(0);
    assert_eq!(one.run(&PAY).exits(0).out, "called\n");
    let first = Web::start(one, &[]);
    let second = Web::start(two, &[]);
    wait_until_known(two, 2);
    wait_until("the replica is ready", || ready(&first)["status"] == "ready");
    let created = one.run(&["token", "create", "--name", "ci"]).exits(0);
    let bearer = format!("Authorization: Bearer {}", created.out.trim());
    let status = |web: &Client| web.send("GET", "/api/me", &[&bearer], "").status;
    wait_until("both accept the token", || status(&first) == 200 && status(&second) == 200);
    let mut session = first.session("/mcp", &[&bearer]);
    assert_eq!(look(&mut session), "called");
    let mut elsewhere = session.at(&second);
    assert_eq!(first.ends(Signal::KILL), None);
    assert_eq!(look(&mut elsewhere), "called");
    two.run(&["token", "revoke", "ci"]).exits(0);
    wait_until("the token is refused", || status(&second) == 401);
    let verified = two.run(&["audit", "verify"]).exits(0).out;
    assert!(verified.contains("is intact"), "{verified}");
    let refused = two.run(&["fleet", "migrate"]);
    assert_ne!(refused.code, 0, "{refused:?}");
}
