//! New tools: `new`, files that are not tools yet, and modules that cannot be loaded yet.

use crate::serve::Agent;
use crate::world::{World, is_installed};
use serde_json::json;

/// U-23: a new tool of each language is listed and callable at once.
#[test]
fn a_new_tool_is_listed_and_callable_at_once() {
    let languages =
        [("sh", "sh"), ("python", "python3"), ("js", "node"), ("ts", "node"), ("rust", "cargo")];
    for (language, program) in languages {
        if !is_installed(program) {
            continue;
        }
        let mut world = World::project();
        for variable in ["CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"] {
            if let Some(value) = std::env::var_os(variable) {
                world = world.var(variable, &value.to_string_lossy());
            }
        }
        let description = "Says \"hi\" */ \\ 'twice'";
        let planned = world.run(&["new", "my-tool", "--lang", language, "--dry-run"]).exits(0);
        assert!(planned.out.contains("Would write tools/my-tool"), "{planned:?}");
        assert!(!world.path("tools").exists());
        let args = ["new", "my-tool", "--lang", language, "--description", description];
        world
            .run(&args)
            .exits(0)
            .stderr_contains(&["toolscout my-tool --text hello --loud", "toolscout trust"]);
        let tool = world.tools(&[]).remove(0);
        assert_eq!(tool["name"], "my-tool", "{language}");
        let shown = tool["description"].as_str().expect("a description");
        assert!(shown.starts_with("Says ") && shown.ends_with("'twice'"), "{shown}");
        let help = world.run(&["my-tool", "--help"]).exits(0);
        assert!(help.out.contains("--times") && help.out.contains("loud"), "{help:?}");
        let run = world.run(&["my-tool", "--text", "hello", "--times", "2", "--loud"]);
        if language == "ts" && run.err.contains("node 22.18 or newer") {
            crate::world::report_skipped("needs node 22.18");
            continue;
        }
        let out = run.exits(0).out;
        assert_eq!(out, "HELLO\nHELLO\n", "{language}");
        let again = world.run(&args);
        assert!(again.code != 0 && again.err.contains("there is a tool `my-tool`"), "{again:?}");
    }
}

/// U-23: names and places that cannot work are refused before anything is written.
#[test]
fn a_new_tool_needs_a_valid_name_and_a_project() {
    let world = World::project().file("tools/taken.sh", "");
    for name in ["../x", "a b", ".x", "_x", ""] {
        assert_ne!(world.run(&["new", name]).code, 0, "{name:?}");
    }
    let taken = world.run(&["new", "taken"]);
    assert!(taken.code != 0 && taken.err.contains("exists; it is not overwritten"), "{taken:?}");
    let bare = World::bare().run(&["new", "x"]).exits(2);
    assert!(bare.err.contains("hint: touch toolscout.toml"), "{bare:?}");
}

/// U-36: files that could become tools are listed with the reason and the next command.
#[test]
fn ignored_files_are_listed_with_the_reason() {
    let world = World::project()
        .script("tools/deploy.sh", "#!/bin/sh\necho\n")
        .file("tools/plain.sh", "#!/bin/sh\necho\n")
        .file("tools/helper.py", "X = 1\n")
        .file("tools/notes.txt", "x\n");
    let doctor = world.run(&["doctor"]).exits(0);
    for part in [
        "3 ignored files:",
        "deploy.sh: Ignored: no `# tool:` header",
        "toolscout wrap -- ",
        "plain.sh: Ignored: the script is not executable",
        "helper.py: Ignored: the module does not look like a tool",
    ] {
        assert!(doctor.out.contains(part), "{part:?} in {doctor:?}");
    }
    let listed = world.run(&["tools", "--all"]).exits(0);
    assert!(listed.err.contains("deploy.sh: Ignored: no `# tool:` header"), "{listed:?}");
    assert!(!world.run(&["tools"]).err.contains("Ignored"));
}

/// U-37: a module that failed to load works as soon as its package is installed, and `discover`
/// tries it again in any case.
#[test]
fn an_installed_package_repairs_a_module_at_once() {
    if !is_installed("node") {
        return;
    }
    let module = "import { word } from 'words'\nexport default { name: 'say', \
        inputSchema: { type: 'object' }, handler: () => word }\n";
    let world = World::project().file("tools/say.mjs", module);
    world.run(&["trust"]).exits(0);
    assert!(world.names(&[]).is_empty());
    assert!(world.names(&[]).is_empty(), "the failure is cached");
    let world = world
        .file("node_modules/words/package.json", "{\"type\":\"module\",\"exports\":\"./i.js\"}")
        .file("node_modules/words/i.js", "export const word = 'hello'\n");
    assert_eq!(world.names(&[]), ["say"]);
    assert_eq!(world.stdout(&["say"]), "hello\n");
    // A cause that nothing on disk shows.
    let flaky = "import fs from 'node:fs'\nif (!fs.existsSync('/tmp/' + 'none') && !fs.existsSync(\
        new URL('../../ready', import.meta.url))) throw new Error('later')\nexport default { name: \
        'flaky', inputSchema: { type: 'object' }, handler: () => 'ok' }\n";
    let world = World::project().file("tools/flaky.mjs", flaky);
    world.run(&["trust"]).exits(0);
    assert!(world.names(&[]).is_empty());
    std::fs::write(world.path("../ready"), "").expect("a file");
    assert!(world.names(&[]).is_empty(), "the failure is cached");
    world.run(&["discover"]).exits(0);
    assert_eq!(world.names(&[]), ["flaky"]);
}

/// U-38: an unknown command names the file that may have it.
#[test]
fn an_unknown_command_names_files_that_were_not_inspected() {
    let module = "export default { name: 'other-name', inputSchema: { type: 'object' }, \
        handler: () => 'x' }\n";
    let world = World::project().file("tools/file.mjs", module);
    let unknown = world.run(&["other-name"]).exits(5);
    assert!(unknown.err.contains("file.mjs` may have it"), "{unknown:?}");
    assert!(unknown.err.contains("toolscout trust"), "{unknown:?}");
    if is_installed("node") {
        world.run(&["trust"]).exits(0);
        assert_eq!(world.stdout(&["other-name"]), "x\n");
    }
}

/// U-21: the working folder of a tool file.
#[test]
fn a_tool_file_chooses_its_working_folder() {
    let tool = |name: &str, cwd: &str| {
        let cwd = if cwd.is_empty() { String::new() } else { format!("cwd = \"{cwd}\"\n") };
        format!("name = \"{name}\"\n[run]\ncommand = [\"pwd\", \"-P\"]\n{cwd}")
    };
    let world = World::project()
        .file("tools/a.tool.toml", &tool("in-file", ""))
        .file("tools/b.tool.toml", &tool("in-project", "project"))
        .file("tools/c.tool.toml", &tool("in-caller", "caller"))
        .file("tools/d.tool.toml", &tool("in-path", "../data"))
        .file("tools/e.tool.toml", &tool("outside", "../.."))
        .file("data/x", "")
        .file("sub/x", "");
    let project = world.path("").canonicalize().expect("a folder");
    let root = project.display().to_string();
    let from = |folder: &str, tool: &str| {
        let mut command = world.command(&[tool]);
        command.current_dir(world.path(folder));
        crate::world::Outcome::run(&mut command).out.trim().to_owned()
    };
    assert_eq!(from("sub", "in-file"), format!("{root}/tools"));
    assert_eq!(from("sub", "in-project"), root);
    assert_eq!(from("sub", "in-caller"), format!("{root}/sub"));
    assert_eq!(from("sub", "in-path"), format!("{root}/data"));
    let doctor = world.run(&["doctor"]).exits(1);
    assert!(doctor.out.contains("`cwd` is `../..`, outside the folder"), "{doctor:?}");
    world.run(&["trust"]).exits(0);
    let mut agent = Agent::legacy(&world, &[]);
    let text = |agent: &mut Agent, name: &str| agent.text("execute_tool", json!({"name": name}));
    assert_eq!(text(&mut agent, "in-caller"), root, "the working directory of serve");
}

/// U-22: each kind of tool has a time limit, and its error says how to raise it.
#[test]
fn a_timeout_names_the_setting_that_raises_it() {
    let schema = "{\"name\":\"prog\",\"inputSchema\":{\"type\":\"object\"},\"timeout\":\"300ms\"}";
    let verbs = format!(
        "#!/bin/sh\nif [ \"$1\" = tool-schema ]; then echo '{schema}'; else sleep 600; fi\n"
    );
    let forever = "handler: () => new Promise((done) => setTimeout(done, 600000)) }\n";
    let js = |name: &str, timeout: &str| {
        format!(
            "export default {{ name: '{name}', inputSchema: {{ type: 'object' }}, {timeout}{forever}"
        )
    };
    let world = World::project()
        .file(
            "tools/file.tool.toml",
            "name = \"file\"\n[run]\ncommand = [\"sleep\", \"600\"]\ntimeout_ms = 300\n",
        )
        .script("tools/head.sh", "#!/bin/sh\n# tool: head\n# timeout: 300ms\nsleep 600\n")
        .script("tools/prog", &verbs)
        .file("tools/own.mjs", &js("own", "timeout: '2s', "))
        .file("tools/comment.mjs", &format!("// timeout: 2s\n{}", js("comment", "")))
        .file("tools/entry.mjs", &js("entry", ""))
        .file(
            "tools/manifest.json",
            "{\"tools\":[{\"name\":\"entry\",\"path\":\"entry.mjs\",\"timeout\":\"2s\"}]}",
        );
    world.run(&["trust"]).exits(0);
    let fails = |name: &str, parts: &[&str]| {
        let run = world.run(&["run", name]);
        assert_ne!(run.code, 0, "{run:?}");
        run.stderr_contains(&["timed out after"]).stderr_contains(parts);
    };
    fails("file", &["raise `timeout_ms` under `[run]` in `tools/file.tool.toml`"]);
    fails("head", &["at the top of `tools/head.sh`, such as `# timeout: 5m`"]);
    fails("prog", &["after 300 ms", "`tools/prog`"]);
    if is_installed("node") {
        fails("own", &["after 2 s", "`// timeout: 5m`"]);
        fails("comment", &["after 2 s", "`tools/comment.mjs`"]);
        fails("entry", &["after 2 s", "set `\"timeout\": \"5m\"` in its entry"]);
    }
}
