//! 1. There is a script for each shell, and the shell can read it.
//! 2. Loaded into the real shell, with the real program, it completes commands, tools, flags and values.
//! 3. Completing starts nothing, not even in a trusted folder.

use crate::world::{Outcome, World, has};

/// A tool that says all by itself; one behind a manifest; and one that would have to be asked. The last two leave a
/// mark when they are started, and their folder is trusted.
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
    assert!(!world.path("tools/started").exists(), "completing started a tool");
}

fn in_shell(world: &World, shell: &str, args: &[&str]) -> String {
    let Outcome { out, err, code } = Outcome::of(world.other(shell).args(args));
    assert_eq!((code, err.as_str()), (0, ""), "{shell} printed {out}");
    out
}

/// What bash offers for the last of these words.
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
fn there_is_a_script_for_each_shell_and_for_no_other() {
    let world = World::project();
    for (shell, sign) in [
        ("bash", "complete -o default -F _toolscout toolscout"),
        ("zsh", "#compdef toolscout"),
        ("fish", "complete --command toolscout"),
        ("powershell", "Register-ArgumentCompleter -Native -CommandName toolscout"),
    ] {
        let script = world.out(&["completion", shell]);
        assert!(script.contains(sign) && script.contains("__complete"), "{script}");
    }
    world.run(&["completion", "tcsh"]).exits(2).says(&["choose from: bash, zsh, fish, powershell"]);
    world.run(&["completion"]).exits(2).says(&["Missing required argument: SHELL"]);
}

/// S-28: the shells themselves find no fault with their scripts.
#[test]
fn the_shells_can_read_their_scripts() {
    for shell in ["bash", "zsh", "fish"] {
        if has(shell) {
            let world = World::project();
            let script = world.out(&["completion", shell]);
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
    assert!(offered.iter().all(|it| it.starts_with("se")), "{offered:?}");
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
    // bash itself takes `--colour=gr` apart.
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
fn a_tool_behind_a_manifest_is_completed_without_starting_it() {
    let world = world();
    assert_eq!(bash(&world, &["toolscout", "lazy-fetch", "--f"]), ["--format"]);
    assert_eq!(bash(&world, &["toolscout", "lazy-fetch", "--format", ""]), ["json", "csv"]);
    let all = bash(&world, &["toolscout", ""]);
    assert!(
        ["lazy-fetch", "ask-me", "paint", "tools"].iter().all(|it| all.contains(&(*it).to_owned())),
        "{all:?}"
    );
    assert_nothing_started(&world);
    world.run(&["paint"]).exits(0);
    assert!(world.path("tools/started").exists(), "the mark is left by a real run");
}

/// Options before the command say which tools there are.
#[test]
fn what_was_typed_before_decides_which_tools_are_offered() {
    let world = world().echo("other/tools/painter.tool.toml", "painter", "");
    assert_eq!(bash(&world, &["toolscout", "--root", "other", "pain"]), ["painter"]);
    assert_eq!(bash(&world, &["toolscout", "--no-discovery", "pain"]), [""]);
}

#[test]
fn fish_completes_with_descriptions() {
    if !has("fish") {
        return;
    }
    let world = world();
    let fish = |line: &str| {
        let script = format!("toolscout completion fish | source; complete --do-complete '{line}'");
        in_shell(&world, "fish", &["--no-config", "-c", &script])
    };
    assert!(
        fish("toolscout se").contains("search\tFind tools that fit a query\n"),
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
    if !has("zsh") {
        return;
    }
    let world = world();
    // Stands in for the part of zsh that draws the menu, and prints what it is given.
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
    assert!(zsh(&["toolscout", "se"]).contains("search:Find tools that fit a query\n"));
    assert_eq!(zsh(&["toolscout", "pai"]), "paint:Paint it: any colour\n");
    assert_eq!(zsh(&["toolscout", "paint", "--colo"]), "--colour:Which one\n");
    assert_eq!(zsh(&["toolscout", "lazy-fetch", "--format", "c"]), "csv:\n");
    assert_eq!(zsh(&["toolscout", "paint", "--colour", "zzz"]), "files\n");
    assert_nothing_started(&world);
}

/// What others wrote cannot reach the terminal through a completion.
#[test]
fn descriptions_are_offered_on_one_line_and_without_control_characters() {
    let more = r#"description = "first \u001b[31mred\tline\nsecond""#;
    let world = World::project().echo("tools/odd.tool.toml", "odd", more);
    let said = world.out(&["__complete", "--", "od"]);
    assert_eq!(said, "odd\tfirst \\u{1b}[31mred\\u{9}line\n");
}
