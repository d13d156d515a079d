//! The reference server for a knowledge graph, in TypeScript.

use super::{LEGACY, installed};
use crate::world::World;
use serde_json::{Value, json};

#[test]
fn server_state_persists_between_calls() {
    let Some(program) = installed("node_modules/.bin/mcp-server-memory") else { return };
    let world = World::project();
    let file = format!("MEMORY_FILE_PATH={}", world.path("memory.jsonl").display());
    assert_eq!(world.adds("memory", &["--env", &file, "--", &program])["protocol"], LEGACY);
    let host = world.host();
    let umbrella = json!({"name": "Regenschirm ☂", "entityType": "thing", "observations": ["is wet", "is \"blue\""]});
    let entities = json!([umbrella]).to_string();
    world.calls(&["memory/create_entities", "--entities", &entities]);
    let graph = |words: &[&str]| -> Value {
        let words: Vec<&str> = ["run"].iter().chain(words).copied().chain(["--json"]).collect();
        world.run(&words).exits(0).json()
    };
    assert_eq!(graph(&["memory/read_graph"]), json!({"entities": [umbrella], "relations": []}));
    assert_eq!(graph(&["memory/search_nodes", "--query", "blue"])["entities"], json!([umbrella]));
    assert_eq!(world.status("memory")["state"], "idle");
    drop(host);
    assert_eq!(
        graph(&["memory/read_graph"])["entities"],
        json!([umbrella]),
        "the server stores it in its file"
    );
    world.is_left_alone();
}
