//! The names of tools whose sources differ only in punctuation.

use super::Agent;
use crate::world::World;
use serde_json::json;

/// V-20: an agent, a user and an export mean the same tool by the same name.
#[test]
fn a_name_means_the_same_tool_on_every_surface() {
    let world = World::trusted().server("a-b", "honest", &[]).server("a_b", "honest", &[]);
    // The first server gets its names before the second is known.
    world.run(&["server", "refresh", "a-b"]).exits(0);
    assert!(Agent::legacy(&world, &[]).listed().contains(&"execute_tool".to_owned()));
    world.run(&["server", "refresh"]).exits(0);
    let calls =
        || [world.request_count("a-b", "tools/call"), world.request_count("a_b", "tools/call")];
    let input = json!({"text": "hello"});
    let mut agent = Agent::legacy(&world, &[]);
    for (number, name) in ["a_b__echo", "a_b/echo", "a_b:echo"].into_iter().enumerate() {
        agent.call("execute_tool", json!({"name": name, "arguments": input}));
        assert_eq!(calls(), [0, 2 * number + 1], "{name} over MCP");
        world.run(&["run", name, "--text", "hello"]).exits(0);
        assert_eq!(calls(), [0, 2 * number + 2], "{name} on the command line");
    }
    agent.call("a_b__echo", input.clone());
    assert_eq!(calls(), [0, 7], "the tool is called directly");
    agent.call("a_b__echo_2", input);
    assert_eq!(calls(), [1, 7], "the other tool has its own name");
    world.run(&["run", "a_b__echo_2", "--text", "hello"]).exits(0);
    assert_eq!(calls(), [2, 7]);
}
