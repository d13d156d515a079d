//! Several processes serve one project, each with servers of its own; other commands reach the one that keeps them.

use super::Agent;
use crate::servers::scene::{is_alive, process_id, signal, until};
use crate::world::World;
use rustix::process::Signal;
use serde_json::{Value, json};

fn known() -> World {
    let world = World::trusted().server("s", "honest", &[]);
    world.run(&["server", "refresh"]).exits(0);
    world
}

fn process(agent: &mut Agent) -> u32 {
    let said: Value = serde_json::from_str(&agent.text("s__whoami", json!({}))).expect("JSON");
    process_id(&said["pid"])
}

/// Each agent has its own servers: what one does to a server is nothing to the other.
#[test]
fn two_agents_of_one_project_have_servers_of_their_own() {
    let world = known();
    let mut one = Agent::legacy(&world, &[]);
    let first = process(&mut one);
    let mut other = Agent::legacy(&world, &[]);
    let second = process(&mut other);
    assert_ne!(first, second);
    assert_eq!((process(&mut one), process(&mut other)), (first, second));
    drop(one);
    until("its server went with it", || !is_alive(first));
    assert_eq!(process(&mut other), second, "the other's goes on");
}

/// `run` uses what a running `serve` keeps; `server …` steers it.
#[test]
fn other_commands_reach_the_servers_of_an_agent() {
    let world = known();
    let mut agent = Agent::legacy(&world, &[]);
    let process_there = process(&mut agent);
    until("it can be reached", || world.status("s")["state"] == "idle");
    let ran = world.run(&["run", "s/whoami"]).exits(0).json();
    assert_eq!(process_id(&ran["pid"]), process_there);
    world.run(&["server", "restart", "s"]).exits(0);
    assert!(!is_alive(process_there));
    let restarted = process(&mut agent);
    assert_ne!(restarted, process_there);
    world.run(&["server", "logs", "s"]).exits(0);
    world.run(&["server", "stop", "s"]).exits(0);
    assert!(!is_alive(restarted));
    assert_eq!(world.status("s")["state"], "known");
    world.run(&["server", "start", "s"]).exits(0);
    assert_eq!(world.status("s")["state"], "idle");
}

/// Who kept the servers may be killed at any time; the next one is reached then.
#[test]
fn when_one_is_gone_the_next_one_is_reached() {
    let world = known();
    let mut one = Agent::legacy(&world, &[]);
    let first = process(&mut one);
    until("it can be reached", || world.status("s")["state"] == "idle");
    let mut other = Agent::legacy(&world, &[]);
    let second = process(&mut other);
    signal(one.process(), Signal::KILL);
    until("it is gone, and its server with it", || !is_alive(one.process()) && !is_alive(first));
    until("the other is reached", || {
        let ran = world.run(&["run", "s/whoami"]).exits(0).json();
        process_id(&ran["pid"]) == second
    });
}
