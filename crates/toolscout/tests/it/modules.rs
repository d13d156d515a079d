//! 1. Every documented shape of a module is a tool: listed, described, with flags, and callable.
//! 2. Comments describe a module without starting it.
//! 3. A handler's context has `log`, `meta`, `extensions` and `signal`, at the command line and over
//!    MCP.
//! 4. The type files match the context that handlers get.

use crate::serve::Agent;
use crate::servers::fixture::wait_until;
use crate::world::{World, is_installed};
use serde_json::{Value, json};
use std::fs;
use std::process::Command;

/// A manifest with these entries of name and path. Each has the required argument `url`.
fn manifest(entries: &[(&str, &str)]) -> String {
    let args = json!({"url": {"type": "string", "required": true}});
    let entry = |(name, path): &(&str, &str)| json!({"name": name, "description": "Fetch", "path": path, "args": args});
    json!({"tools": entries.iter().map(entry).collect::<Vec<_>>()}).to_string()
}

const FUNCTION: &str = "({ url }) { return `got ${url}` }";

/// M-06a, M-06g: the manifest is the only description; nothing starts before the call.
#[test]
fn the_module_shapes_of_a_manifest_run() {
    if !is_installed("node") || !is_installed("python3") {
        return;
    }
    let schema = "{ type: 'object', properties: { url: { type: 'string' } }, required: ['url'] }";
    let world = World::project()
        .file("tools/a.mjs", &format!("export const schema = {schema};\nexport async function execute{FUNCTION}"))
        .file("tools/b.mjs", &format!("export async function run{FUNCTION}"))
        .file("tools/c.mjs", &format!("export default async function {FUNCTION}"))
        .file("tools/d.cjs", &format!("module.exports = {{ schema: {schema}, async execute{FUNCTION} }}"))
        .file("tools/e.py", "def run(input):\n    return f\"got {input['url']}\"\n")
        .file("tools/f.py", "schema = {'type': 'object', 'properties': {'url': {'type': 'string'}}}\nasync def execute(url, context):\n    return f'got {url}'\n")
        .file("tools/manifest.json", &manifest(&[
            ("fetch-a", "./a.mjs"),
            ("b", "./b.mjs"),
            ("c", "./c.mjs"),
            ("d", "./d.cjs"),
            ("e", "./e.py"),
            ("f", "./f.py"),
        ]));
    assert_eq!(world.names(&[]), ["fetch-a", "b", "c", "d", "e", "f"]);
    for name in ["fetch-a", "b", "c", "d", "e", "f"] {
        let help = world.stdout(&[name, "--help"]);
        assert!(help.contains("--url STRING") || help.contains("--url TEXT"), "{help}");
        assert_eq!(world.run(&[name, "--url", "x"]).exits(0).out, "got x\n", "{name}");
        world.run(&[name]).exits(2).stderr_contains(&["--url"]);
    }
}

/// M-06g: a function without a schema has the arguments of its manifest, and no difference to it.
#[test]
fn a_manifest_describes_functions_that_do_not_describe_themselves() {
    if !is_installed("node") {
        return;
    }
    let world = World::trusted()
        .file("tools/b.mjs", &format!("export async function run{FUNCTION}"))
        .file("tools/manifest.json", &manifest(&[("fetch", "./b.mjs")]));
    world.run(&["manifest", "check"]).exits(0).stderr_contains(&["is up to date"]);
    world.run(&["manifest", "build"]).exits(0).stderr_contains(&["Wrote 1 tool"]);
    assert_eq!(world.run(&["fetch", "--url", "x"]).exits(0).out, "got x\n");
    let alone = World::project()
        .var("TOOLSCOUT_TRUST", "1")
        .file("tools/b.mjs", "export default function handler(request) {}\n");
    assert_eq!(alone.names(&[]), [""; 0], "a function without a description is not a tool");
}

/// M-06d, M-06e, M-06f: in an untrusted folder, where nothing is started.
#[test]
fn comments_describe_modules_that_are_not_started() {
    let world = World::project()
        .file("tools/sum.mjs", "import { writeFileSync } from 'node:fs';\nwriteFileSync('started', '');\n/**\n * Add two numbers\n * @param {number} a - The first\n * @param {number} [b=2]\n */\nexport default function sum(a, b) { return a + b }\n")
        .file("tools/front.mjs", "/* ---\nname: front-matter\ndescription: From front matter\nkeywords: [yaml]\nargs:\n  url: { type: string, required: true }\n--- */\nexport const run = ({ url }) => url\n")
        .file("tools/greet.py", "def greet(name: str, times: int = 1) -> str:\n    \"\"\"Greet a person\n\n    Args:\n        name: The name\n    \"\"\"\n    return ' '.join(['hello', name] * times)\n");
    let tools = world.tools(&[]);
    let lines: Vec<String> = tools
        .iter()
        .map(|tool| {
            format!("{} {} {}", tool["name"], tool["description"], tool["status"]).replace('"', "")
        })
        .collect();
    assert_eq!(
        lines,
        [
            "front-matter From front matter ready",
            "greet Greet a person ready",
            "sum Add two numbers ready"
        ]
    );
    let help = world.stdout(&["sum", "--help"]);
    assert!(help.contains("The first") && help.contains("default: 2"), "{help}");
    assert!(world.run(&["search", "yaml"]).exits(0).out.contains("front-matter"));
    assert!(!world.path("tools/started").exists());
    if is_installed("node") {
        assert_eq!(world.run(&["sum", "--a", "1", "--b", "3"]).exits(0).out, "4\n");
        assert_eq!(world.run(&["sum", "--a", "1"]).exits(0).out, "3\n");
        assert_eq!(world.run(&["front-matter", "--url", "x"]).exits(0).out, "x\n");
    }
    if is_installed("python3") {
        let output = world.run(&["greet", "--name", "Ann", "--times", "2"]).exits(0).out;
        assert_eq!(output, "hello Ann hello Ann\n");
    }
}

const LOGGING: &str = "export default {\n  name: 'loud', inputSchema: {},\n  handler(input, { log, meta }) {\n    for (const level of ['trace', 'debug', 'info', 'warn', 'error', 'fatal']) log[level]('say', level);\n    log.info('rows', { count: 3 });\n    return `id ${meta.requestId}`;\n  },\n}\n";
const LOGGING_PYTHON: &str = "from toolscout import tool\n\n@tool\ndef loud(context):\n    for level in ('trace', 'debug', 'info', 'warn', 'error', 'fatal'):\n        getattr(context.log, level)('say %s', level)\n    context.log.info('rows', count=3)\n    return f'id {context.meta.request_id}'\n";

fn loud() -> Vec<World> {
    let all = [("node", "tools/loud.mjs", LOGGING), ("python3", "tools/loud.py", LOGGING_PYTHON)];
    let there = all.into_iter().filter(|(program, ..)| is_installed(program));
    there.map(|(_, file, code)| World::trusted().file(file, code)).collect()
}

/// M-07a: `--verbose` shows all levels, `--quiet` only errors.
#[test]
fn log_messages_go_to_stderr() {
    for world in loud() {
        let info = "[info] say info\n[warn] say warn\n[error] say error\n[fatal] say fatal\n[info] rows {\"count\":3}\n";
        let outcome = world.run(&["loud"]).exits(0);
        assert!(outcome.out.starts_with("id "), "{}", outcome.out);
        assert_eq!(outcome.err, info);
        world.run(&["--verbose", "loud"]).exits(0).stderr_contains(&["[trace] say trace"]);
        let quiet = world.run(&["--quiet", "loud"]).exits(0);
        assert_eq!(quiet.err, "[error] say error\n[fatal] say fatal\n");
    }
}

/// M-07d: `trace` is `debug`, `warn` is `warning` and `fatal` is `critical` in MCP.
#[test]
fn log_messages_reach_the_client_by_its_level() {
    for world in loud() {
        let mut agent = Agent::legacy(&world, &[]);
        agent.request("logging/setLevel", json!({"level": "info"}));
        let id = agent.send_request("tools/call", json!({"name": "local__loud", "arguments": {}}));
        let answer = agent.answer(id);
        assert_eq!(answer["result"]["content"][0]["text"], format!("id {id}"), "{answer}");
        let messages: Vec<Value> = agent
            .received("notifications/message")
            .iter()
            .map(|message| json!([message["params"]["level"], message["params"]["data"]]))
            .collect();
        assert_eq!(
            json!(messages),
            json!([
                ["info", "say info"],
                ["warning", "say warn"],
                ["error", "say error"],
                ["critical", "say fatal"],
                ["info", {"count": 3, "message": "rows"}],
            ])
        );
        agent.request("logging/setLevel", json!({"level": "critical"}));
        agent.call("local__loud", json!({}));
        assert_eq!(agent.received("notifications/message").len(), 6, "one more message");
    }
}

/// M-07c: a client cancels the call, and a user presses Ctrl-C.
#[test]
fn a_cancelled_call_aborts_the_signal_before_the_kill() {
    let all = [
        (
            "node",
            "tools/wait.mjs",
            "import { writeFileSync } from 'node:fs';\nexport default {\n  name: 'wait', inputSchema: {},\n  handler: (input, { signal }) => new Promise((resolve) => {\n    setInterval(() => {}, 1000);\n    signal.addEventListener('abort', () => { writeFileSync('aborted', ''); resolve(); });\n    writeFileSync('started', '');\n  }),\n}\n",
        ),
        (
            "python3",
            "tools/wait.py",
            "from toolscout import tool\n\n@tool\ndef wait(context):\n    open('started', 'w').close()\n    context.signal.wait()\n    open('aborted', 'w').close()\n",
        ),
    ];
    for (program, file, code) in all {
        if !is_installed(program) {
            continue;
        }
        let world = World::trusted().file(file, code);
        let mut agent = Agent::legacy(&world, &[]);
        let call = agent.send_request("tools/call", json!({"name": "local__wait"}));
        wait_until("the tool runs", || world.path("tools/started").exists());
        agent.notify("notifications/cancelled", json!({"requestId": call}));
        wait_until("the tool aborts", || world.path("tools/aborted").exists());
        agent.end();

        fs::remove_file(world.path("tools/started")).expect("remove the mark");
        fs::remove_file(world.path("tools/aborted")).expect("remove the mark");
        let mut run = world.command(&["wait"]).spawn().expect("it starts");
        wait_until("the tool runs", || world.path("tools/started").exists());
        let pid = run.id().to_string();
        Command::new("kill").args(["-INT", &pid]).status().expect("kill");
        assert_eq!(run.wait().expect("the process exits").code(), Some(130), "{program}");
        assert!(world.path("tools/aborted").exists(), "{program}");
    }
}

/// M-07e: every member of the context is in the type files, and the other way around.
#[test]
fn the_type_files_match_the_context() {
    let world = World::project().file("tools/readme.txt", "");
    let out = world.run(&["manifest", "types"]).exits(0);
    assert_eq!(out.err.matches("Wrote ").count() + out.out.matches("Wrote ").count(), 2);
    assert_eq!(world.names(&[]), [""; 0], "type files are not tools");
    let types = fs::read_to_string(world.path("tools/toolscout.d.ts")).expect("the types");
    if is_installed("node") {
        let code = "export default { name: 'keys', inputSchema: {}, handler: (input, context) => ({ context: Object.keys(context), log: Object.keys(context.log), meta: Object.keys(context.meta) }) }";
        let world = World::trusted().file("tools/keys.mjs", code);
        let keys = world.run(&["keys"]).exits(0).json();
        for (interface, own) in [("Context", "context"), ("Log", "log"), ("Meta", "meta")] {
            let mut declared = members(&types, interface);
            declared.retain(|name| name != "user");
            let own: Vec<&str> =
                keys[own].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
            assert_eq!(declared, own, "{interface}");
        }
    }
    if is_installed("python3") {
        let code = "from toolscout import tool, Context, Aborted\n\n@tool\ndef keys(context: Context):\n    kinds = {'Context': context, 'Log': context.log, 'AbortSignal': context.signal, 'Meta': context.meta}\n    return {name: sorted({it for it in {*vars(type(one)), *vars(one), *(one if isinstance(one, dict) else ())} if not it.startswith('_')}) for name, one in kinds.items()}\n";
        let own = World::trusted().file("tools/keys.py", code).run(&["keys"]).exits(0).json();
        let script = "import ast, json, sys\ntree = ast.parse(open(sys.argv[1]).read())\nnames = lambda it: [it.name] if hasattr(it, 'name') else [it.target.id] if isinstance(it, ast.AnnAssign) else [t.id for t in it.targets] if isinstance(it, ast.Assign) else []\nprint(json.dumps({c.name: sorted(n for it in c.body for n in names(it)) for c in tree.body if isinstance(c, ast.ClassDef)}))";
        let output = Command::new("python3")
            .args(["-c", script])
            .arg(world.path("tools/toolscout.pyi"))
            .output();
        let declared: Value =
            serde_json::from_slice(&output.expect("python runs").stdout).expect("JSON");
        for kind in ["Context", "Log", "AbortSignal", "Meta"] {
            let list = |value: &Value| -> Vec<String> {
                let all = value[kind].as_array().expect("a list").iter().filter_map(Value::as_str);
                // Only present if there is a user, and internal to the shim, and that of the key.
                all.filter(|name| !["user", "watch_termination", "requestId"].contains(name))
                    .map(str::to_owned)
                    .collect()
            };
            assert_eq!(list(&declared), list(&own), "{kind}");
        }
    }
}

/// M-17a: in a trusted folder, whether or not a comment describes the module.
#[test]
fn typescript_that_node_cannot_load_is_listed_as_unavailable() {
    let world = World::trusted()
        .script("bin/node", "#!/bin/sh\n[ \"$1\" = --version ] && echo v20.11.1 && exit\nexit 1\n")
        .file("tools/add.ts", "/** Add */\nexport default (a: number, b: number) => a + b\n")
        .file(
            "tools/fetch.ts",
            "export const schema = {}\nexport function execute(input: object) {}\n",
        );
    let path = format!("{}:/usr/bin:/bin", world.path("bin").display());
    let world = world.var("PATH", &path);
    let outcome = world.run(&["tools", "--json"]).exits(0);
    assert_eq!(outcome.err.matches("22.18").count(), 1, "reported once: {}", outcome.err);
    let tools = outcome.json();
    for (at, name) in ["add", "fetch"].into_iter().enumerate() {
        assert_eq!(
            (&tools[at]["name"], &tools[at]["status"]),
            (&json!(name), &json!("unavailable"))
        );
        let reason = tools[at]["reason"].as_str().expect("a reason");
        assert!(reason.contains("node 22.18 or newer (installed: 20.11)"), "{reason}");
        assert!(reason.contains("npm install --save-dev tsx"), "{reason}");
    }
    world.run(&["add", "--a", "1", "--b", "2"]).exits(3).stderr_contains(&["node 22.18"]);
    world.run(&["describe", "fetch"]).exits(0);
    let newer = world.script("bin/node", "#!/bin/sh\necho v22.18.0\n");
    assert_eq!(newer.tools(&[])[0]["status"], json!("ready"), "a newer node can load it");
}

/// M-17b
#[test]
fn a_folder_with_only_mcp_json_is_a_project() {
    let entry = json!({"mcpServers": {"mail": {"command": "mail-server"}}});
    let world = World::bare()
        .file("p/.mcp.json", &entry.to_string())
        .echo("p/tools/t.tool.toml", "t", "")
        .file("p/below/x.txt", "")
        .in_folder("p/below");
    let servers = world.stdout(&["server", "list"]);
    assert!(servers.contains("mail"), "{servers}");
    assert_eq!(world.names(&[]), ["t"]);
}

/// The names of the members of an interface in a type file, in order.
fn members(types: &str, interface: &str) -> Vec<String> {
    let start = types.find(&format!("interface {interface} {{")).expect("the interface");
    let body = types[start..].lines().skip(1).take_while(|line| !line.starts_with('}'));
    body.filter_map(|line| line.trim().split_once(':'))
        .map(|(name, _)| name.trim_end_matches('?').to_owned())
        .filter(|name| name.chars().all(char::is_alphanumeric))
        .collect()
}
