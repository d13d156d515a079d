//! The context of a handler: log, meta, extensions and signal.

use super::{called, plain};
use crate::run::fixture::{call, cx, has, text};
use crate::run::run;
use crate::sandbox::ToolSandbox;
use parking_lot::Mutex;
use serde_json::{Map, json};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use toolscout_core::{Cx, LogLevel, LogMessage};
use toolscout_test_support::World;

const JAVASCRIPT: &str = r#"
export const schema = {};
export async function execute(input, { log, meta, extensions, signal, tool }) {
  process.stderr.write("half a line, ");
  for (const level of ["trace", "debug", "info", "warn", "error", "fatal"]) log[level]("at %s", level);
  log.info({ rows: 3 }, "fetched");
  log.warn("failed:", new TypeError("no"));
  return { tool, id: meta.requestId, own: extensions.app?.name ?? null, aborted: signal.aborted };
}
"#;

const PYTHON: &str = r#"
schema = {}
def execute(input, context):
    for level in ("trace", "debug", "info", "warn", "error", "fatal"):
        getattr(context.log, level)("at %s", level)
    context.log.info("fetched", rows=3)
    own = (context.extensions.get("app") or {}).get("name")
    return {"tool": context.tool, "id": context.meta.request_id, "own": own, "aborted": context.signal.aborted}
"#;

fn modules(world: &World) -> Vec<(&'static str, std::path::PathBuf)> {
    let all = [("node", "t.mjs", JAVASCRIPT), ("python3", "t.py", PYTHON)];
    let there = all.into_iter().filter(|(program, ..)| has(program));
    there.map(|(program, file, code)| (program, world.file(file, code))).collect()
}

/// M-07a
#[tokio::test]
async fn log_messages_have_levels_and_values() {
    let world = World::new();
    for (program, file) in modules(&world) {
        let seen: Arc<Mutex<Vec<LogMessage>>> = Arc::default();
        let sink = seen.clone();
        let log = Some(Arc::new(move |message| sink.lock().push(message)) as _);
        let recipe = plain(file);
        let cx = Cx { log, ..cx() };
        run(&recipe, &call("t", json!({})), &ToolSandbox::default(), &cx).await.expect("it runs");
        let seen = seen.lock();
        let levels: Vec<LogLevel> = seen.iter().take(6).map(|message| message.level).collect();
        use LogLevel::{Debug, Error, Fatal, Info, Trace, Warn};
        assert_eq!(levels, [Trace, Debug, Info, Warn, Error, Fatal], "{program}");
        assert_eq!(seen[3].to_line(), "[warn] at warn", "{program}");
        assert_eq!(seen[6].to_line(), r#"[info] fetched {"rows":3}"#, "{program}");
        assert_eq!(seen[6].logger, "local/t", "{program}");
        if program == "node" {
            assert!(seen[7].message.starts_with("failed: TypeError: no"), "{:?}", seen[7]);
        }
    }
}

/// M-07b
#[tokio::test]
async fn the_context_has_the_request_id_and_extensions() {
    let world = World::new();
    for (program, file) in modules(&world) {
        let recipe = plain(file);
        let extensions = Map::from_iter([("app".to_owned(), json!({"name": "mine"}))]);
        let known = Cx { request_id: Some("42".into()), extensions: extensions.into(), ..cx() };
        let output = run(&recipe, &call("t", json!({})), &ToolSandbox::default(), &known)
            .await
            .expect("it runs");
        let expected = json!({"tool": "t", "id": "42", "own": "mine", "aborted": false});
        assert_eq!(output.structured_content(), Some(expected), "{program}");
        let ids = [called(&recipe, "t", json!({})).await, called(&recipe, "t", json!({})).await];
        let ids = ids.map(|output| output.expect("it runs").structured_content().expect("JSON"));
        assert!(ids[0]["id"].as_str().is_some_and(|id| !id.is_empty()), "{program}: {ids:?}");
        assert_ne!(ids[0]["id"], ids[1]["id"], "{program}");
        assert_eq!(ids[0]["own"], json!(null), "{program}");
    }
}

const WAITING: [(&str, &str, &str); 3] = [
    (
        "node",
        "w.mjs",
        r#"import { writeFileSync } from "node:fs";
export const schema = {};
export const execute = (input, { signal }) => new Promise((resolve) => {
  const timer = setInterval(() => {}, 1000);
  signal.addEventListener("abort", () => { writeFileSync("aborted", String(signal.reason.name)); clearInterval(timer); resolve("late"); });
  writeFileSync("started", "");
});
"#,
    ),
    (
        "python3",
        "w.py",
        "schema = {}\ndef execute(input, context):\n    open('started', 'w').close()\n    context.signal.wait(20)\n    open('aborted', 'w').write('AbortError')\n",
    ),
    (
        "python3",
        "w2.py",
        "import asyncio\nschema = {}\nasync def execute(input, context):\n    open('started', 'w').close()\n    while not context.signal.aborted:\n        await asyncio.sleep(0.01)\n    open('aborted', 'w').write('AbortError')\n",
    ),
];

/// M-07c: before the process is killed.
#[tokio::test]
async fn a_timed_out_call_aborts_its_signal() {
    for (program, file, code) in WAITING {
        if !has(program) {
            continue;
        }
        let world = World::new();
        let recipe = plain(world.file(file, code));
        let stem = &file[..file.len() - Path::new(file).extension().map_or(0, |it| it.len() + 1)];
        let cx = cx().within(Duration::from_secs(3));
        run(&recipe, &call(stem, json!({})), &ToolSandbox::default(), &cx)
            .await
            .expect_err("it times out");
        assert_eq!(read(&world, "aborted").await, "AbortError", "{file}");
    }
}

/// M-07c: the process of a cancelled call gets the same time.
#[tokio::test]
async fn a_cancelled_call_aborts_its_signal() {
    for (program, file, code) in WAITING {
        if !has(program) {
            continue;
        }
        let world = World::new();
        let recipe = plain(world.file(file, code));
        let stem = &file[..file.len() - Path::new(file).extension().map_or(0, |it| it.len() + 1)];
        let (call, cx) = (call(stem, json!({})), cx());
        let sandbox = ToolSandbox::default();
        tokio::select! {
            output = run(&recipe, &call, &sandbox, &cx) => panic!("the call ended: {output:?}"),
            _ = read(&world, "started") => {}
        }
        assert_eq!(read(&world, "aborted").await, "AbortError", "{file}");
    }
}

/// Its stderr has the text of the message, without our marker.
#[tokio::test]
async fn the_log_of_a_failed_call_stays_readable() {
    if !has("node") {
        return;
    }
    let world = World::new();
    let code = "export const schema = {};\nexport const execute = (input, { log }) => { log.error('bad'); process.exit(3); };";
    let output = called(&plain(world.file("x.mjs", code)), "x", json!({})).await.expect("a result");
    assert!(output.is_error());
    assert!(text(&output).contains("[error] bad"), "{}", text(&output));
}

/// The content of a file, once it is there.
async fn read(world: &World, name: &str) -> String {
    for _ in 0..2_000 {
        if let Ok(text) = std::fs::read_to_string(world.path().join(name)) {
            return text;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("no file `{name}`");
}
