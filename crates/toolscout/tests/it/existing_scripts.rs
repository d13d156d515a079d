//! Existing programs become tools without a change: five kinds of them, in at most three commands
//! each, called from the command line and by an agent.

use crate::real_servers;
use crate::serve::Agent;
use crate::world::{Outcome, World, is_installed};
use serde_json::{Value, json};

const GETOPTS: &str = r#"#!/usr/bin/env bash
# Deploys a service.
usage() { echo "usage: deploy.sh [-nv] [-t TAG] -e ENV SERVICE..." >&2; exit 2; }
while getopts "nvt:e:" option; do
  case $option in
    n) dry=yes ;; v) verbose=yes ;; t) tag=$OPTARG ;; e) env=$OPTARG ;; *) usage ;;
  esac
done
shift $((OPTIND - 1))
[ -n "$env" ] || usage
printf 'env=%s tag=%s verbose=%s dry=%s' "$env" "${tag:-latest}" "${verbose:-no}" "${dry:-no}"
printf ' <%s>' "$@"
"#;

const ARGPARSE: &str = r#"import argparse, json
parser = argparse.ArgumentParser(description="Summarise a log file.")
parser.add_argument("source", help="the log file")
parser.add_argument("--verbose", "-v", action="store_true", help="print every line")
parser.add_argument("--level", choices=["info", "error"], default="info")
parser.add_argument("--tag", nargs="+", help="only lines with one of these tags")
print(json.dumps(vars(parser.parse_args())))
"#;

const ZOD: &str = r#"#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { z } from 'zod'
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { to: { type: 'string' }, pretty: { type: 'boolean' }, help: { type: 'boolean' } },
})
if (values.help) {
  console.log(`Convert a table

Usage: convert.mjs [options] <input>

Options:
  --to <json|csv>  the format of the output
  --pretty         indent the output`)
  process.exit(0)
}
const schema = z.object({ to: z.enum(['json', 'csv']).default('json'), pretty: z.boolean().default(false) })
console.log(JSON.stringify({ ...schema.parse(values), input: positionals[0] }))
"#;

const MAKEFILE: &str = "# Release a version\n# param VERSION string required - The version\n\
    release: ## Build and publish a release\n\t@echo released $(VERSION)\n\n.PHONY: release\n";

/// The scripts as they are found in a project, and the name of each file that must not change.
fn project() -> World {
    World::project()
        .script("scripts/deploy.sh", GETOPTS)
        .file("scripts/report.py", ARGPARSE)
        .script("scripts/convert.mjs", ZOD)
        .file("Makefile", MAKEFILE)
        .file("words.txt", "b\na\nb\n")
}

/// Wraps a program (the first command) and trusts the project for agents (the second).
fn wrapped(world: &World, command: &[&str]) {
    let args: Vec<&str> = ["wrap", "--yes", "--"].iter().chain(command).copied().collect();
    world.run(&args).exits(0).stderr_contains(&["Wrote tools/", "Try it:"]);
    world.run(&["trust"]).exits(0);
}

/// The result of a tool through `execute_tool`.
fn by_agent(world: &World, tool: &str, arguments: Value) -> String {
    let mut agent = Agent::legacy(world, &[]);
    agent.text("execute_tool", json!({"name": tool, "arguments": arguments}))
}

/// U-39: a shell script with getopts, whose only help is its usage.
#[test]
fn a_shell_script_with_getopts_becomes_a_tool() {
    if !is_installed("bash") {
        return;
    }
    let world = project();
    wrapped(&world, &["scripts/deploy.sh"]);
    let out = world.stdout(&["deploy", "--env", "prod", "-v", "--service", "a b", "--service=-x"]);
    assert_eq!(out, "env=prod tag=latest verbose=yes dry=no <a b> <-x>\n");
    let arguments = json!({"env": "$(id)", "tag": "1;2", "service": ["web"], "n": true});
    let text = by_agent(&world, "deploy", arguments);
    assert_eq!(text, "env=$(id) tag=1;2 verbose=no dry=yes <web>");
    world.run(&["deploy", "web"]).exits(2).stderr_contains(&["--env"]);
    assert_eq!(
        std::fs::read_to_string(world.path("scripts/deploy.sh")).expect("the file exists"),
        GETOPTS
    );
}

/// U-39: a Python script with argparse, a switch, choices and several values for one option.
#[test]
fn a_python_script_with_argparse_becomes_a_tool() {
    if !is_installed("python3") {
        return;
    }
    let world = project();
    wrapped(&world, &["scripts/report.py"]);
    let run = |args: &[&str]| world.run(args).exits(0).json();
    assert_eq!(
        run(&["report", "a.log", "--verbose", "--tag", "x", "--tag", "y", "--json"]),
        json!({"source": "a.log", "verbose": true, "level": "info", "tag": ["x", "y"]})
    );
    world.run(&["report", "a.log", "--level", "warn"]).exits(2);
    let text = by_agent(&world, "report", json!({"source": "-v", "level": "error"}));
    let result: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(result, json!({"source": "-v", "verbose": false, "level": "error", "tag": null}));
}

/// U-39: a node script that checks its options with zod.
#[test]
fn a_node_script_with_zod_becomes_a_tool() {
    let (true, Some(modules)) = (is_installed("node"), real_servers::installed("node_modules/zod"))
    else {
        return;
    };
    let world = project();
    std::fs::create_dir(world.path("node_modules")).expect("a folder");
    std::os::unix::fs::symlink(modules, world.path("node_modules/zod")).expect("link zod");
    wrapped(&world, &["scripts/convert.mjs"]);
    let expected = json!({"to": "csv", "pretty": true, "input": "t.tsv"});
    let run = world.run(&["convert", "t.tsv", "--to", "csv", "--pretty", "--json"]).exits(0);
    assert_eq!(run.json(), expected);
    let arguments = json!({"input-value": "t.tsv", "to": "csv", "pretty": true});
    let text = by_agent(&world, "convert", arguments);
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap_or_else(|_| panic!("{text}")), expected);
    // It reads its arguments itself, so what looks like an option is refused.
    world.run(&["convert", "--input-value=-x"]).exits(2);
}

/// U-39: a target of a Makefile; nothing runs to describe it.
#[test]
fn a_makefile_target_becomes_a_tool() {
    if !is_installed("make") {
        return;
    }
    let world = project();
    wrapped(&world, &["make", "release"]);
    assert_eq!(world.stdout(&["make-release", "--version", "1.2"]), "released 1.2\n");
    assert_eq!(by_agent(&world, "make-release", json!({"version": "2"})), "released 2");
    world.run(&["make-release", "--version", "$(id)"]).exits(2);
}

/// U-39: a compiled program of the system.
#[test]
fn a_compiled_program_becomes_a_tool() {
    let world = project();
    let gnu = Outcome::run(std::process::Command::new("sort").arg("--help"));
    if !gnu.out.contains("Usage: sort [OPTION]") {
        crate::world::report_skipped("needs GNU sort");
        return;
    }
    wrapped(&world, &["sort"]);
    assert_eq!(world.stdout(&["sort", "words.txt", "--unique", "-r"]), "b\na\n");
    let text = by_agent(&world, "sort", json!({"file": ["words.txt"], "unique": true}));
    assert_eq!(text, "a\nb");
}

/// U-27: nothing runs before it is confirmed, and only `--help` runs then.
#[test]
fn wrapping_runs_only_the_help_and_only_when_confirmed() {
    let script = "#!/bin/sh\necho \"$*\" >> started\necho 'usage: x [-a]'\n";
    let world = World::project().script("x.sh", script);
    let preview = world.run(&["wrap", "--", "./x.sh"]).exits(0);
    let plan = "Runs `./x.sh --help` for at most 10 s, and writes tools/x.tool.toml";
    let preview = preview.stderr_contains(&[plan, "hint: use --yes to do it"]);
    assert_eq!(preview.out, "");
    world.run(&["wrap", "--dry-run", "--yes", "--", "./x.sh"]).exits(0);
    assert!(!world.path("started").exists() && !world.path("tools").exists());
    world.run(&["wrap", "--yes", "--", "./x.sh"]).exits(0);
    assert_eq!(std::fs::read_to_string(world.path("started")).expect("the script ran"), "--help\n");
    assert!(world.path("tools/x.tool.toml").exists());
}

/// U-28: a program with subcommands is wrapped one subcommand at a time.
#[test]
fn a_program_with_subcommands_names_them() {
    let help = "Usage: app <COMMAND>\n\nCommands:\n  add   Add\n  list  List\n\nOptions:\n  -h, --help  Print help\n";
    let one = "Usage: app add [OPTIONS] <NAME>\n\nOptions:\n      --all   All\n  -h, --help  Print help\n";
    let script = format!(
        "#!/bin/sh\nif [ \"$1\" = add ]; then cat <<'E'\n{one}E\nelse cat <<'E'\n{help}E\nfi\n"
    );
    let world = World::project().script("app", &script);
    world
        .run(&["wrap", "--yes", "--", "./app"])
        .exits(2)
        .stderr_contains(&["`./app` has subcommands: add, list", "toolscout wrap -- ./app add"]);
    world.run(&["wrap", "--yes", "--", "./app", "add"]).exits(0);
    let tool = world.tools(&[]).remove(0);
    assert_eq!(tool["name"], "app-add");
}

/// U-29: no file is overwritten, and no name is taken twice.
#[test]
fn wrap_never_overwrites() {
    let world = World::project().script("x.sh", "#!/bin/sh\necho 'usage: x [-a]'\n");
    world.run(&["wrap", "--yes", "--", "./x.sh"]).exits(0);
    let written = std::fs::read_to_string(world.path("tools/x.tool.toml")).expect("a file");
    let again = world.run(&["wrap", "--yes", "--", "./x.sh"]);
    assert_ne!(again.code, 0);
    assert!(again.err.contains("there is a tool `x` already"), "{again:?}");
    assert_eq!(
        std::fs::read_to_string(world.path("tools/x.tool.toml")).expect("the file exists"),
        written
    );
    let missing = world.run(&["wrap", "--yes", "--", "no-such-program"]).exits(2);
    assert!(missing.err.contains("`no-such-program` is not installed, or not in PATH"));
    let outside = world.run(&["wrap", "--yes", "--", "/bin/sh"]).exits(2);
    assert!(outside.err.contains("is outside the project"), "{outside:?}");
}

/// U-35: with the setting, tasks are tools of the project's folder; agents need trust.
#[test]
fn tasks_are_tools_on_request() {
    if !is_installed("make") {
        return;
    }
    assert!(project().names(&[]).is_empty(), "off by default");
    let package = "{\"scripts\": {\"lint\": \"echo lint\"}}";
    let world = project()
        .file("toolscout.toml", "tasks = [\"make\", \"npm\"]\n")
        .file("package.json", package);
    assert_eq!(world.names(&[]), ["make-release", "npm-lint"]);
    assert_eq!(world.stdout(&["make-release", "--version", "3"]), "released 3\n");
    let mut agent = Agent::legacy(&world, &[]);
    let call = json!({"name": "make-release", "arguments": {"version": "3"}});
    assert_eq!(agent.call("execute_tool", call.clone())["isError"], true, "not trusted");
    world.run(&["trust"]).exits(0);
    assert_eq!(by_agent(&world, "make-release", json!({"version": "4"})), "released 4");
}
