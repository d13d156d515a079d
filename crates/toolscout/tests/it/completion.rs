//! 1. Each supported shell has a script that the shell can parse.
//! 2. In a real shell, with the real program, the script completes commands, tools, flags and
//!    values.
//! 3. Completion starts no tool, not even in a trusted folder.

use crate::world::{Outcome, World, is_installed};

/// A script with a full header, a program with a manifest, and a program that needs a probe. The
/// last two create a marker file when they start, and their folder is trusted.
fn world() -> World {
    let marks = "#!/bin/sh\n# answers tool-schema\ntouch \"$(dirname \"$0\")/started\"\n";
    let manifest = r#"{"tools": [{"name": "lazy-fetch", "description": "Fetch it later", "path": "lazy-fetch.sh",
        "args": {"url": {"type": "string", "required": true}, "format": {"type": "string", "enum": ["json", "csv"]}}}]}"#;
    World::project()
        .var("TOOLSCOUT_TRUST", "1")
        .file(
            "tools/paint.tool.toml",
            r#"
            name = "paint"
            description = "Paint it: any colour"
            [[parameters]]
            name = "colour"
            description = "Which one"
            enum = ["red", "green", "grey blue"]
            [[parameters]]
            name = "coats"
            type = "integer"
            [run]
            command = ["touch", "started"]
            "#,
        )
        .file("tools/manifest.json", manifest)
        .script("tools/lazy-fetch.sh", marks)
        .script("tools/ask-me", marks)
}

fn assert_nothing_started(world: &World) {
    assert!(!world.path("tools/started").exists(), "completion started a tool");
}

fn in_shell(world: &World, shell: &str, args: &[&str]) -> String {
    let Outcome { out, err, code } = Outcome::run(world.program_command(shell).args(args));
    assert_eq!((code, err.as_str()), (0, ""), "{shell} printed {out}");
    out
}

/// The completions of bash for the last of these words.
fn bash(world: &World, words: &[&str]) -> Vec<String> {
    let script = r#"
        source <(toolscout completion bash)
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _toolscout
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    let args = [&["--norc", "-c", script, "bash"], words].concat();
    in_shell(world, "bash", &args).lines().map(str::to_owned).collect()
}

/// S-28: a script for each shell.
#[test]
fn completion_scripts_exist_for_supported_shells_only() {
    let world = World::project();
    for (shell, sign) in [
        ("bash", "complete -o default -F _toolscout toolscout"),
        ("zsh", "#compdef toolscout"),
        ("fish", "complete --command toolscout"),
        ("powershell", "Register-ArgumentCompleter -Native -CommandName toolscout"),
    ] {
        let script = world.stdout(&["completion", shell]);
        assert!(script.contains(sign) && script.contains("__complete"), "{script}");
    }
    world
        .run(&["completion", "tcsh"])
        .exits(2)
        .stderr_contains(&["choose from: bash, zsh, fish, powershell"]);
    world.run(&["completion"]).exits(2).stderr_contains(&["Missing required argument: SHELL"]);
}

/// S-28
#[test]
fn the_shells_accept_their_completion_scripts() {
    for shell in ["bash", "zsh", "fish"] {
        if is_installed(shell) {
            let world = World::project();
            let script = world.stdout(&["completion", shell]);
            let world = world.file("script", &script);
            assert_eq!(in_shell(&world, shell, &["-n", "script"]), "");
        }
    }
}

/// S-28: `toolscout se`.
#[test]
fn bash_completes_commands_and_tools() {
    let world = world();
    let offered = bash(&world, &["toolscout", "se"]);
    assert!(offered.contains(&"search".to_owned()), "{offered:?}");
    assert!(offered.iter().all(|offered| offered.starts_with("se")), "{offered:?}");
    assert_eq!(bash(&world, &["toolscout", "pai"]), ["paint"]);
    assert_eq!(bash(&world, &["toolscout", "run", "pai"]), ["paint"]);
    assert_eq!(bash(&world, &["toolscout", "describe", "lazy"]), ["lazy-fetch"]);
    assert_nothing_started(&world);
}

#[test]
fn bash_completes_flags_and_their_values() {
    let world = world();
    assert_eq!(bash(&world, &["toolscout", "paint", "--co"]), ["--colour", "--coats"]);
    assert_eq!(bash(&world, &["toolscout", "paint", "--colour", "red", "--co"]), ["--coats"]);
    assert_eq!(bash(&world, &["toolscout", "paint", "--colour", "gr"]), ["green", "grey\\ blue"]);
    // bash splits `--colour=gr` at the equals sign.
    assert_eq!(
        bash(&world, &["toolscout", "paint", "--colour", "=", "gr"]),
        ["green", "grey\\ blue"]
    );
    assert_eq!(bash(&world, &["toolscout", "--outp"]), ["--output"]);
    assert_eq!(bash(&world, &["toolscout", "--output", "t"]), ["text", "toon"]);
    assert_eq!(bash(&world, &["toolscout", "completion", "z"]), ["zsh"]);
    assert_nothing_started(&world);
}

/// S-28: never loads a lazy tool.
#[test]
fn completion_does_not_start_a_tool_with_a_manifest() {
    let world = world();
    assert_eq!(bash(&world, &["toolscout", "lazy-fetch", "--f"]), ["--format"]);
    assert_eq!(bash(&world, &["toolscout", "lazy-fetch", "--format", ""]), ["json", "csv"]);
    let all = bash(&world, &["toolscout", ""]);
    assert!(
        ["lazy-fetch", "ask-me", "paint", "tools"]
            .iter()
            .all(|item| all.contains(&(*item).to_owned())),
        "{all:?}"
    );
    assert_nothing_started(&world);
    world.run(&["paint"]).exits(0);
    assert!(world.path("tools/started").exists(), "a real run leaves the mark");
}

#[test]
fn options_before_the_command_select_the_completed_tools() {
    let world = world().echo("other/tools/painter.tool.toml", "painter", "");
    assert_eq!(bash(&world, &["toolscout", "--root", "other", "pain"]), ["painter"]);
    assert_eq!(bash(&world, &["toolscout", "--no-discovery", "pain"]), [""]);
}

#[test]
fn fish_completes_with_descriptions() {
    if !is_installed("fish") {
        return;
    }
    let world = world();
    let fish = |line: &str| {
        let script = format!("toolscout completion fish | source; complete --do-complete '{line}'");
        in_shell(&world, "fish", &["--no-config", "-c", &script])
    };
    assert!(
        fish("toolscout se").contains("search\tSearch for tools\n"),
        "{}",
        fish("toolscout se")
    );
    assert_eq!(fish("toolscout pai"), "paint\tPaint it: any colour\n");
    assert_eq!(fish("toolscout paint --colo"), "--colour\tWhich one\n");
    assert_eq!(fish("toolscout lazy-fetch --format c"), "csv\n");
    assert_nothing_started(&world);
}

#[test]
fn zsh_completes_with_descriptions() {
    if !is_installed("zsh") {
        return;
    }
    let world = world();
    // Replaces the zsh function that shows the menu with one that prints its arguments.
    let script = r#"
        autoload -Uz compinit && compinit -u -D
        source <(toolscout completion zsh)
        [[ $_comps[toolscout] == _toolscout ]] || exit 9
        _describe() { print -rl -- "${(@P)4}" }
        _files() { print -r -- files }
        words=("$@") CURRENT=$#
        _toolscout
    "#;
    let zsh =
        |words: &[&str]| in_shell(&world, "zsh", &[&["-f", "-c", script, "zsh"], words].concat());
    assert!(zsh(&["toolscout", "se"]).contains("search:Search for tools\n"));
    assert_eq!(zsh(&["toolscout", "pai"]), "paint:Paint it: any colour\n");
    assert_eq!(zsh(&["toolscout", "paint", "--colo"]), "--colour:Which one\n");
    assert_eq!(zsh(&["toolscout", "lazy-fetch", "--format", "c"]), "csv:\n");
    assert_eq!(zsh(&["toolscout", "paint", "--colour", "zzz"]), "files\n");
    assert_nothing_started(&world);
}

/// Descriptions of tools must not send control sequences to the terminal.
#[test]
fn completion_descriptions_are_one_line_without_control_characters() {
    let more = r#"description = "first \u001b[31mred\tline\nsecond""#;
    let world = World::project().echo("tools/odd.tool.toml", "odd", more);
    let output = world.stdout(&["__complete", "--", "od"]);
    assert_eq!(output, "odd\tfirst \\u{1b}[31mred\\u{9}line\n");
}
