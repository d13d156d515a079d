//! 1. Help and errors use the locale of the option, of our variable or of the system variables.
//! 2. The fallback is English.
//! 3. Every help page is completely translated.

use crate::world::World;

fn world() -> World {
    World::project().echo(
        "tools/t.tool.toml",
        "t",
        "description = \"Says it again\"\n[[parameters]]\nname = \"url\"\nrequired = true\n",
    )
}

fn is_japanese(text: &str) -> bool {
    text.chars().any(|c| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}'))
}

#[test]
fn the_locale_comes_from_the_option_the_variable_or_the_system() {
    for world in [
        world().var("TOOLSCOUT_LANG", "ja"),
        world().var("LANG", "ja_JP.UTF-8"),
        world().var("LC_ALL", "ja_JP.UTF-8").var("LANG", "C"),
        world().var("TOOLSCOUT_LANG", "ja").var("LANG", "de_DE.UTF-8"),
    ] {
        assert!(world.stdout(&["--help"]).starts_with("使い方: toolscout"));
    }
    assert!(world().stdout(&["--lang", "ja", "--help"]).starts_with("使い方: toolscout"));
    assert!(
        world().stdout(&["tools", "--lang", "ja", "--help"]).starts_with("使い方: toolscout tools")
    );
    let pending = world().var("LANG", "ja_JP.UTF-8").stdout(&["--lang", "en", "--help"]);
    assert!(pending.starts_with("Usage: toolscout"), "the option wins: {pending}");
}

#[test]
fn unsupported_locales_fall_back_to_english() {
    for world in [
        world(),
        world().var("LANG", "C"),
        world().var("LANG", "de_DE.UTF-8"),
        world().var("LANG", "jam"),
    ] {
        let help = world.stdout(&["--help"]);
        assert!(help.starts_with("Usage: toolscout") && !is_japanese(&help), "{help}");
    }
    world().run(&["--lang", "xx", "--help"]).exits(0);
    world().run(&["--lang", "xx", "tools"]).exits(2).stderr_contains(&["choose from: en, ja"]);
}

/// Every line of every help page, except code, differs from the English one.
#[test]
fn every_help_line_is_translated() {
    // Wide enough that no line wraps.
    let world = World::project().var("COLUMNS", "400");
    for command in [
        &[][..],
        &["completion"],
        &["connect"],
        &["describe"],
        &["disconnect"],
        &["discover"],
        &["doctor"],
        &["export"],
        &["manifest"],
        &["run"],
        &["search"],
        &["serve"],
        &["tools"],
        &["trust"],
    ] {
        let english = world.stdout(&[command, &["--help"]].concat());
        let japanese = world.stdout(&[&["--lang", "ja"], command, &["--help"]].concat());
        let (words, _examples) = english.split_once("\nExamples:\n").unwrap_or((&english, ""));
        for line in words.lines().filter(|line| !line.is_empty()) {
            assert!(
                !japanese.lines().any(|item| item == line),
                "{command:?} still says {line:?}\n{japanese}"
            );
        }
        for line in japanese.lines().filter(|line| is_text(line)) {
            assert!(is_japanese(line), "{command:?} says {line:?}");
        }
    }
    let listed = world
        .stdout(&["--help"])
        .lines()
        .filter(|line| line.starts_with("  ") && !line.contains("--"))
        .count();
    assert!(listed >= 10, "the commands above are those that help lists: {listed}");
}

/// Whether a line of help contains text, and not only code.
fn is_text(line: &str) -> bool {
    let is_code = line.trim_start().starts_with("toolscout ") || line.contains("<(");
    !line.is_empty() && !is_code
}

#[test]
fn help_for_a_tool_combines_its_own_text_with_translated_headings() {
    let help = world().stdout(&["--lang", "ja", "t", "--help"]);
    for part in ["使い方: toolscout t", "Says it again", "--url", "(必須)", "このヘルプを表示する"]
    {
        assert!(help.contains(part), "{part} is not in {help}");
    }
}

#[test]
fn errors_are_translated() {
    let world = world().var("TOOLSCOUT_LANG", "ja");
    for (args, code, output) in [
        (&["t"][..], 2, "必須オプションがありません: --url"),
        (&["run", "t"], 2, "必須オプションがありません: --url"),
        (
            &["t", "--ur", "x"],
            2,
            "不明なオプション: --ur\nもしかして: --url\n必須オプションがありません: --url",
        ),
        (&["describe"], 2, "必須引数がありません: TOOL"),
        (&["--bogus"], 2, "不明なオプション: --bogus"),
        (
            &["completion", "tcsh"],
            2,
            "SHELL の値が正しくありません: \"tcsh\" (選択肢: bash, zsh, fish, powershell)",
        ),
    ] {
        let refused = world.run(args).exits(code);
        assert_eq!(refused.usage_errors(), output, "{args:?}");
    }
    let unknown = world.run(&["rn"]).exits(5);
    assert_eq!(unknown.err, "コマンドが見つかりません: rn\nもしかして: run\n");
}

/// The locale applies even if the rest of the command line is invalid.
#[test]
fn errors_use_the_locale_given_on_the_same_command_line() {
    for args in [
        &["--lang", "ja", "--bogus"][..],
        &["--bogus", "--lang=ja"],
        &["tools", "--lang", "ja", "--bogus"],
    ] {
        assert_eq!(
            world().run(args).exits(2).usage_errors(),
            "不明なオプション: --bogus",
            "{args:?}"
        );
    }
    let refused = world().var("LANG", "ja_JP.UTF-8").run(&["--lang", "en", "--bogus"]).exits(2);
    assert_eq!(refused.usage_errors(), "Unknown option: --bogus");
}
