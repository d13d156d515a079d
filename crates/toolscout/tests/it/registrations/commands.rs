//! Registered tools on the command line, while a process serves them.

use super::program::Program;
use super::registration;
use crate::api::Api;
use crate::world::World;

/// M-18g
#[test]
fn commands_use_registered_tools_through_the_serving_process() {
    let world = World::trusted();
    let program = Program::saying("Invoice 7");
    let api = Api::start(&world);
    api.done("POST", "/api/tools", Some(registration(Some(&program.url))));
    let list = world.run(&["registration", "list"]).exits(0).out;
    assert!(
        list.starts_with("billing  active  1 tool (1 quarantined)  http://127.0.0.1:"),
        "{list}"
    );
    world.run(&["run", "billing/invoice", "--number", "7"]).exits(4);
    assert!(world.run(&["review"]).out.contains("Show an invoice of a customer"));
    world.run(&["approve", "billing/invoice"]).exits(0);

    assert_eq!(world.run(&["run", "billing/invoice", "--number", "7"]).exits(0).out, "Invoice 7\n");
    assert_eq!(program.received().json()["arguments"]["number"], 7);
    assert_eq!(world.run(&["invoice", "--number", "8"]).exits(0).out, "Invoice 7\n");
    assert!(world.run(&["invoice", "--help"]).exits(0).out.contains("--number"));
    assert_eq!(world.names(&[]), ["invoice"]);
    assert!(world.run(&["search", "customer payment"]).exits(0).out.contains("billing/invoice"));

    let removed = world.run(&["registration", "remove", "billing"]).exits(0);
    assert_eq!(removed.err, "Removed the tools of billing.\n");
    assert_eq!(world.names(&[]), [""; 0]);
    assert_eq!(
        world.run(&["registration", "list"]).exits(0).out,
        "No program has registered tools.\n"
    );
    drop(api);
    world.run(&["registration", "list"]).exits(3).stderr_contains(&["toolscout serve"]);
}

/// M-18g: the tools of a process that has ended are gone.
#[test]
fn registered_tools_end_with_the_serving_process() {
    let world = World::trusted();
    let program = Program::saying("Invoice 7");
    let api = Api::start(&world);
    api.done("POST", "/api/tools", Some(registration(Some(&program.url))));
    assert_eq!(world.names(&[]), ["invoice"]);
    drop(api);
    world.run(&["run", "billing/invoice", "--number", "7"]).exits(4);
    let api = Api::start(&world);
    assert_eq!(api.get("/api/registrations")["registrations"].as_array().map(Vec::len), Some(0));
}
