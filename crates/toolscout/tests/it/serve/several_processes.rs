//! Several processes serve one project, each with its own servers. Other commands use the process
//! that is the host.

use super::Agent;
use crate::servers::fixture::{is_alive, process_id, signal, wait_until};
use crate::world::World;
use rustix::process::Signal;
use serde_json::{Value, json};

fn known() -> World {
    let world = World::trusted().server("s", "honest", &[]);
    world.run(&["server", "refresh"]).exits(0);
    world
}

fn process(agent: &mut Agent) -> u32 {
    let output: Value = serde_json::from_str(&agent.text("s__whoami", json!({}))).expect("JSON");
    process_id(&output["pid"])
}

/// A change to a server of one agent does not affect the other agent.
#[test]
fn each_agent_process_has_its_own_servers() {
    let world = known();
    let mut one = Agent::legacy(&world, &[]);
    let first = process(&mut one);
    let mut other = Agent::legacy(&world, &[]);
    let second = process(&mut other);
    assert_ne!(first, second);
    assert_eq!((process(&mut one), process(&mut other)), (first, second));
    drop(one);
    wait_until("its server has ended", || !is_alive(first));
    assert_eq!(process(&mut other), second, "the other server keeps running");
}

/// `run` uses the servers of a running `serve`, and `server …` controls them.
#[test]
fn commands_use_the_servers_of_a_running_serve() {
    let world = known();
    let mut agent = Agent::legacy(&world, &[]);
    let process_there = process(&mut agent);
    wait_until("the host can be reached", || world.status("s")["state"] == "idle");
    let ran = world.run(&["run", "s/whoami"]).exits(0).json();
    assert_eq!(process_id(&ran["pid"]), process_there);
    world.run(&["server", "restart", "s"]).exits(0);
    assert!(!is_alive(process_there));
    let restarted = process(&mut agent);
    assert_ne!(restarted, process_there);
    world.run(&["server", "logs", "s"]).exits(0);
    world.run(&["server", "stop", "s"]).exits(0);
    assert!(!is_alive(restarted));
    assert_eq!(world.status("s")["state"], "ready");
    world.run(&["server", "start", "s"]).exits(0);
    assert_eq!(world.status("s")["state"], "idle");
}

/// The host may be killed at any time.
#[test]
fn another_process_becomes_the_host_when_the_first_is_killed() {
    let world = known();
    let mut one = Agent::legacy(&world, &[]);
    let first = process(&mut one);
    wait_until("the host can be reached", || world.status("s")["state"] == "idle");
    let mut other = Agent::legacy(&world, &[]);
    let second = process(&mut other);
    signal(one.process(), Signal::KILL);
    wait_until("the process and its server have ended", || {
        !is_alive(one.process()) && !is_alive(first)
    });
    wait_until("the other process is the host", || {
        let ran = world.run(&["run", "s/whoami"]).exits(0).json();
        process_id(&ran["pid"]) == second
    });
}
