//! Manifests: reading, writing, and differences from their tools.

use super::{World, listing};
use crate::manifest::{self, ProbedDefinition};
use crate::run::fixture::has;
use std::path::Path;
use toolscout_core::{RawJson, Status};

const MANIFEST: &str = r#"{
  "tools": [
    {"name": "fetch-data", "description": "Fetch data from a URL", "path": "./fetch.sh",
     "args": {"url": {"type": "string", "required": true}, "format": {"type": "string", "default": "json"}}},
    {"name": "process-file", "description": "Process a file", "path": "lib/_process.js", "args": {}},
    {"name": "gone", "path": "./gone.sh"},
    {"name": "data", "path": "./data.txt"}
  ]
}"#;

/// B-03, B-08, B-10: the manifest alone describes its tools; a tool whose file is missing is listed
/// and flagged.
#[tokio::test]
async fn a_manifest_lists_tools_without_loading_them() {
    if !has("node") {
        return;
    }
    let world = World::with(&[
        ("tools/manifest.json", MANIFEST),
        ("tools/lib/_process.js", "export default { name: 'x', inputSchema: {}, handler() {} }"),
        ("tools/data.txt", "x"),
    ]);
    world.script("tools/fetch.sh", "#!/bin/sh\ntouch started # tool-schema\n");
    let found = listing(&world.builder().trust(|_: &Path| true).build()).await;
    assert_eq!(
        world.show(&found),
        "fetch-data [static] Fetch data from a URL\n\
         process-file [static] Process a file\n\
         ! Unavailable tools/manifest.json: `gone`: `tools/gone.sh` does not exist\n\
         gone [unavailable]\n\
         ! Unavailable tools/manifest.json: `data`: `tools/data.txt` is neither executable nor a module\n\
         data [unavailable]\n"
    );
    assert!(!world.path("tools/started").exists(), "nothing was started");
    assert_eq!(
        found.tool("fetch-data").input_schema.as_str(),
        r#"{"type":"object","properties":{"url":{"type":"string"},"format":{"type":"string","default":"json"}},"required":["url"]}"#
    );
    assert_eq!(
        found.tool("gone").status,
        Status::Unavailable("`tools/gone.sh` does not exist".into())
    );
}

/// S1 and S2: a path may not lead out of the folder; the other entries stay.
#[tokio::test]
async fn a_path_outside_the_folder_is_refused() {
    let text = r#"{"tools": [{"name": "sh", "path": "../../bin/sh"}, {"name": "abs", "path": "/bin/sh"}, {"name": "ok", "path": "ok.sh"}]}"#;
    let world = World::with(&[("tools/manifest.json", text)]);
    world.script("tools/ok.sh", "#!/bin/sh\n");
    assert_eq!(
        world.page().await,
        "! Forbidden tools/manifest.json: tool 1 (`sh`): `../../bin/sh` is outside the folder, so it is refused\n\
         ! Forbidden tools/manifest.json: tool 2 (`abs`): `/bin/sh` is outside the folder, so it is refused\n\
         ok [static]\n"
    );
}

#[tokio::test]
async fn each_mistake_in_a_manifest_has_its_own_reason() {
    let cases = [
        (r#"{"tools": {}}"#, "`tools` is a table; it must be a list"),
        (r#"[]"#, "it is a list; a manifest must be an object with a list of `tools`"),
        (r#"{"tools": [{"path": "a.sh"}]}"#, "tool 1: missing `name`"),
        (r#"{"tools": [{"name": "", "path": "a.sh"}]}"#, "tool 1 (``): the tool name is empty"),
        (r#"{"tools": [{"name": "a"}]}"#, "tool 1 (`a`): missing `path`"),
        (
            r#"{"tools": [{"name": "a", "path": "a.sh", "args": {"x": "string"}}]}"#,
            "tool 1 (`a`): parameter `x` is a string; it must be an object",
        ),
        (r#"{"tools": ["#, "EOF while parsing a list at line 1 column 11"),
    ];
    for (text, expected) in cases {
        let world = World::with(&[("tools/manifest.json", text)]);
        assert_eq!(world.page().await, format!("! Broken tools/manifest.json: {expected}\n"));
    }
}

/// Only the manifest of the tools folder itself counts; manifests of other programs are ignored.
#[tokio::test]
async fn a_nested_manifest_is_ignored() {
    let world = World::with(&[("tools/extension/manifest.json", "not json")]);
    assert_eq!(world.page().await, "");
}

fn definition(name: &str, file: &str, description: &str, schema: &str) -> ProbedDefinition {
    ProbedDefinition {
        lacks_schema: false,
        name: name.to_owned(),
        path: Path::new("/p/tools").join(file),
        description: Some(description.to_owned()),
        input_schema: RawJson::parse(schema).expect("a schema"),
    }
}

fn tools() -> Vec<ProbedDefinition> {
    let schema = r#"{"type":"object","properties":{"url":{"type":"string","description":"Where"},"n":{"type":["integer","null"],"default":1},"tags":{"type":"array","items":{"type":"string"}}},"required":["url"]}"#;
    vec![
        definition("fetch", "fetch.py", "Fetch", schema),
        definition("ping", "net/ping.sh", "Ping", "{}"),
    ]
}

/// B-09: a manifest that was just built is up to date, and building it again changes nothing.
#[test]
fn a_manifest_is_built_from_the_definitions_of_its_tools() {
    let folder = Path::new("/p/tools");
    let text = manifest::build(folder, &tools());
    assert_eq!(
        text,
        r#"{
  "tools": [
    {
      "name": "fetch",
      "description": "Fetch",
      "path": "./fetch.py",
      "args": {
        "url": {
          "type": "string",
          "description": "Where",
          "required": true
        },
        "n": {
          "type": "integer",
          "default": 1
        },
        "tags": {
          "type": "array:string"
        }
      }
    },
    {
      "name": "ping",
      "description": "Ping",
      "path": "./net/ping.sh",
      "args": {}
    }
  ]
}
"#
    );
    assert_eq!(manifest::check(&text, folder, &tools(), |_| true), Ok(vec![]));
}

/// B-08 and B-09: each kind of drift is one line.
#[test]
fn drift_is_reported_line_by_line() {
    let text = r#"{"tools": [
        {"name": "fetch", "description": "Old", "path": "./fetch.py", "args": {"url": {"type": "int"}, "old": {}, "n": {"type": "int", "default": 2}}},
        {"name": "gone", "path": "./gone.py"},
        {"name": "renamed", "path": "./fetch.py"}
    ]}"#;
    let lines =
        manifest::check(text, Path::new("/p/tools"), &tools(), |value| !value.ends_with("gone.py"))
            .expect("readable");
    assert_eq!(
        lines.join("\n"),
        "`fetch`: the description is \"Old\" in the manifest and \"Fetch\" in the tool\n\
         `fetch`: the tool has no parameter `old`\n\
         `fetch`: parameter `url`: type is \"integer\" in the manifest and \"string\" in the tool\n\
         `fetch`: parameter `n`: default is 2 in the manifest and 1 in the tool\n\
         `fetch`: the manifest has no parameter `tags`\n\
         `gone`: ./gone.py does not exist\n\
         `renamed`: ./fetch.py has no such tool\n\
         `ping` is not in the manifest (./net/ping.sh)"
    );
    assert!(manifest::check("{", Path::new("/p"), &[], |_| true).is_err());
}
