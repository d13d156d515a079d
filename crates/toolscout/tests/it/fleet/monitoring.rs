//! Metrics of a replica, and the replicas in the web UI.

use super::sessions::wait_until_known;
use super::{fleet, machines};
use crate::browser::{Site, chromium, walk};
use crate::serve::{Client, Web};
use crate::servers::fixture::wait_until;
use crate::world::can_run;
use serde_json::json;
use toolscout_test_support::postgres::PostgresServer;

fn metric(web: &Client, name: &str) -> Option<f64> {
    let page = web.send("GET", "/metrics", &[], "").body;
    let line = page.lines().find(|line| line.starts_with(name))?;
    line.rsplit_once(' ')?.1.parse().ok()
}

/// Y-49: the metrics of a replica, while the database is there and while it is away.
#[test]
fn metrics_show_the_connection_and_what_is_not_shipped() {
    let mut server = PostgresServer::start();
    if !can_run(server.is_some(), "PostgreSQL") {
        return;
    }
    let server = server.as_mut().expect("a server");
    let machines = machines(&server.url("postgres"), 2);
    let web = Web::open(&machines[0], &[]);
    let is = |name: &str, value: f64| metric(&web, name) == Some(value);
    let info = "toolscout_fleet_info{replica=\"replica-1\"}";
    assert!(is(info, 1.0));
    let other = Web::open(&machines[1], &[]);
    wait_until("both replicas are known", || is("toolscout_fleet_live_replicas", 2.0));
    wait_until("all is shipped", || is("toolscout_fleet_unshipped_audit_records", 0.0));
    assert!(is("toolscout_fleet_connected", 1.0));
    wait_until("all is applied", || is("toolscout_fleet_revisions_behind", 0.0));
    server.kill();
    wait_until("it is not connected", || is("toolscout_fleet_connected", 0.0));
    machines[0].run(&["run", "s/look"]).exits(0);
    let name = "toolscout_fleet_unshipped_audit_records";
    wait_until("a record waits", || metric(&web, name).is_some_and(|count| count >= 1.0));
    let age = "toolscout_fleet_contact_age_seconds";
    wait_until("the contact is old", || metric(&web, age).is_some_and(|age| age > 1.0));
    server.resume();
    wait_until("all is shipped", || is(name, 0.0) && is("toolscout_fleet_connected", 1.0));
    drop(other);
}

#[test]
fn without_a_fleet_there_are_no_metrics_of_one() {
    let world = crate::world::World::trusted();
    let web = Web::open(&world, &[]);
    assert_eq!(metric(&web, "toolscout_fleet_"), None);
    assert!(metric(&web, "toolscout_build_info").is_some());
}

/// Y-49: the overview lists the replicas of the fleet, and shows which one is gone.
#[test]
fn the_overview_shows_the_replicas() {
    let Some(chromium) = chromium() else { return };
    let Some(machines) = fleet(3) else { return };
    let _staying = Web::start(&machines[1], &[]);
    let ending = Web::start(&machines[2], &[]);
    wait_until_known(&machines[0], 2);
    let opened = machines[0].path("opened");
    let site = Site::open(&machines[0]);
    std::thread::scope(|scope| {
        let walk = scope.spawn(|| {
            walk(&machines[0], &chromium, "fleet", &site.link, json!({ "opened": opened }));
        });
        wait_until("the page shows both", || opened.exists() || walk.is_finished());
        drop(ending);
        walk.join().expect("the browser script succeeds");
    });
}
