//! What the roles of the database may do, and which rows they see.

use super::fixture::{Fleet, block_on, server};
use crate::{FleetRoles, FleetSettings, migrate};
use toolscout_core::{Namespace, Store};
use toolscout_test_support::postgres::PostgresServer;

const ADA: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
const EVE: &str = "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";

/// A user of the database that is a member of this role.
fn member(server: &PostgresServer, user: &str, role: &str) {
    server.sql("postgres", &format!("CREATE ROLE {user} LOGIN IN ROLE {role}"));
}

fn settings_of(fleet: &Fleet, server: &PostgresServer, user: &str) -> FleetSettings {
    let database = server.url_as(user, fleet.database());
    FleetSettings { database, ..fleet.settings.clone() }
}

/// Migrates as a user that owns the database and is not a superuser.
fn fleet_of_owner(
    server: &PostgresServer,
    user: &str,
    attributes: &str,
    roles: &FleetRoles,
) -> (Fleet, Vec<String>) {
    let fleet = Fleet::unprepared(server.database());
    server.sql("postgres", &format!("CREATE ROLE {user} LOGIN {attributes}"));
    server.sql("postgres", &format!("ALTER DATABASE {} OWNER TO {user}", fleet.database()));
    let migration = block_on(migrate(&settings_of(&fleet, server, user), roles)).expect("tables");
    (fleet, migration.missing_roles)
}

/// Y-45: everything that a replica does works with the role of replicas, and nothing else does.
#[test]
fn the_role_of_replicas_changes_rows_only_through_functions() {
    let Some(server) = server() else { return };
    let fleet = Fleet::on(server);
    member(server, "replica_y45", FleetRoles::APP);
    let settings = settings_of(&fleet, server, "replica_y45");
    let one = fleet.open("one", settings.clone()).expect("a store");
    let two = fleet.open("two", settings).expect("a store");
    one.join(Some("10.0.0.5:7421".to_owned()), Vec::new());
    one.write(Namespace::Approval, "p/s", b"approved").expect("a decision");
    one.write(Namespace::Name, "p", b"names").expect("a row");
    two.refresh_replicas().expect("replicas");
    assert_eq!(two.live_replicas().len(), 1);
    drop(two.lease("discovery/p/s").expect("an answer").expect("a lease"));
    assert!(one.link_chains().expect("a link"));
    assert!(two.verify_audit().expect("an answer").breaks.is_empty());
    let refused = |statements: &str| {
        let result = server.sql_as("replica_y45", fleet.database(), statements);
        let error = result.expect_err(statements);
        let is_refused = error.contains("permission denied") || error.contains("must be owner");
        assert!(is_refused, "{statements}: {error}");
    };
    for table in ["meta", "revision", "record", "decision", "head", "chain", "journal", "link"] {
        refused(&format!("DELETE FROM toolscout.{table}"));
        refused(&format!("TRUNCATE toolscout.{table}"));
    }
    refused("UPDATE toolscout.decision SET line = ''");
    refused("INSERT INTO toolscout.journal VALUES ('c', 1, DEFAULT, now(), 'call', '')");
    refused("SELECT toolscout.extend_chain('decision', 1, '', '')");
    refused("CREATE TABLE toolscout.other (n int)");
    refused("ALTER TABLE toolscout.record DISABLE ROW LEVEL SECURITY");
}

/// Y-46: a statement without the tenant in its WHERE sees no row of a tenant, unless its transaction
/// names the tenant.
#[test]
fn a_statement_without_its_where_sees_no_row_of_another_tenant() {
    let Some(server) = server() else { return };
    let names = FleetRoles::new("app_y46", "audit_y46").expect("names");
    let (fleet, missing) = fleet_of_owner(server, "owner_y46", "CREATEROLE", &names);
    assert_eq!(missing, [""; 0]);
    member(server, "replica_y46", "app_y46");
    let settings = settings_of(&fleet, server, "replica_y46");
    let store = fleet.open("one", settings.clone()).expect("a store");
    let keys = ["shop/s".to_owned(), format!("shop/s@{ADA}"), format!("shop/s@{EVE}")];
    for key in &keys {
        store.write(Namespace::Discovery, key, b"tools").expect("a row");
    }
    let selected = |user: &str, before: &str| {
        let statements =
            format!("BEGIN; {before} SELECT key FROM toolscout.record ORDER BY key; COMMIT");
        server.sql_as(user, fleet.database(), &statements).expect("rows")
    };
    assert_eq!(selected("replica_y46", ""), keys[0]);
    let ada = format!("SET LOCAL toolscout.tenant = '{ADA}';");
    assert_eq!(selected("replica_y46", &ada), keys[..2].join("\n"));
    // The setting ends with its transaction, and replicas have the rows of all tenants.
    assert_eq!(selected("replica_y46", ""), keys[0]);
    let other = fleet.open("two", settings).expect("a store");
    assert_eq!(other.keys(Namespace::Discovery).expect("keys"), keys);
}

/// Y-47: the role of auditors reads the audit log, and neither rows nor the key.
#[test]
fn the_role_of_auditors_reads_only_the_audit_log() {
    let Some(server) = server() else { return };
    let fleet = Fleet::on(server);
    member(server, "auditor_y47", FleetRoles::AUDIT);
    fleet.replica("one").write(Namespace::Approval, "p/s", b"approved").expect("a decision");
    let sql = |statements: &str| server.sql_as("auditor_y47", fleet.database(), statements);
    assert_eq!(sql("SELECT count(*) FROM toolscout.decision").as_deref(), Ok("1"));
    for statement in [
        "SELECT value FROM toolscout.record",
        "SELECT data_key FROM toolscout.meta",
        "DELETE FROM toolscout.decision",
        "SELECT * FROM toolscout.records_after('approval', 0, 1)",
    ] {
        assert!(sql(statement).expect_err(statement).contains("permission denied"));
    }
}

/// Y-48: an owner that may not create roles prepares the database without them, and replicas can
/// use it.
#[test]
fn roles_are_optional() {
    let Some(server) = server() else { return };
    let names = FleetRoles::new("app_y48", "audit_y48").expect("names");
    let (fleet, missing) = fleet_of_owner(server, "owner_y48", "", &names);
    assert_eq!(missing, ["app_y48", "audit_y48"]);
    let settings = settings_of(&fleet, server, "owner_y48");
    let store = fleet.open("one", settings.clone()).expect("a store");
    store.write(Namespace::Discovery, &format!("shop/s@{ADA}"), b"tools").expect("a row");
    assert_eq!(store.keys(Namespace::Discovery).expect("keys").len(), 1);
    server.sql("postgres", "CREATE ROLE app_y48; CREATE ROLE audit_y48");
    let again = block_on(migrate(&settings, &names)).expect("grants");
    assert_eq!((again.from, again.missing_roles.len()), (1, 0));
}

#[test]
fn names_of_roles_are_checked() {
    for wrong in ["", "a b", "A", "1a", "x\"; DROP TABLE y; --", &"a".repeat(64)] {
        assert!(FleetRoles::new(wrong, "audit").is_err(), "{wrong}");
    }
    assert!(FleetRoles::new("toolscout_app2", "_audit").is_ok());
}
