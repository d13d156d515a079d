//! 1. Help and mistakes are in the reader's language: by option, by our own variable, by those of the system.
//! 2. English is what everybody else gets.
//! 3. No page is half translated.

use crate::world::World;

fn world() -> World {
    World::project().echo(
        "tools/t.tool.toml",
        "t",
        "description = \"Says it again\"\n[[parameters]]\nname = \"url\"\nrequired = true\n",
    )
}

fn is_japanese(text: &str) -> bool {
    text.chars().any(|it| matches!(it, '\u{3040}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}'))
}

#[test]
fn the_language_comes_from_the_option_our_variable_or_the_system() {
    for world in [
        world().var("TOOLSCOUT_LANG", "ja"),
        world().var("LANG", "ja_JP.UTF-8"),
        world().var("LC_ALL", "ja_JP.UTF-8").var("LANG", "C"),
        world().var("TOOLSCOUT_LANG", "ja").var("LANG", "de_DE.UTF-8"),
    ] {
        assert!(world.out(&["--help"]).starts_with("使い方: toolscout"));
    }
    assert!(world().out(&["--lang", "ja", "--help"]).starts_with("使い方: toolscout"));
    assert!(
        world().out(&["tools", "--lang", "ja", "--help"]).starts_with("使い方: toolscout tools")
    );
    let asked = world().var("LANG", "ja_JP.UTF-8").out(&["--lang", "en", "--help"]);
    assert!(asked.starts_with("Usage: toolscout"), "the option wins: {asked}");
}

#[test]
fn english_is_what_everybody_else_gets() {
    for world in [
        world(),
        world().var("LANG", "C"),
        world().var("LANG", "de_DE.UTF-8"),
        world().var("LANG", "jam"),
    ] {
        let help = world.out(&["--help"]);
        assert!(help.starts_with("Usage: toolscout") && !is_japanese(&help), "{help}");
    }
    world().run(&["--lang", "xx", "--help"]).exits(0);
    world().run(&["--lang", "xx", "tools"]).exits(2).says(&["choose from: en, ja"]);
}

/// Every line of every page that is not code differs from the English one: nothing was forgotten.
#[test]
fn no_line_of_our_help_stays_english() {
    // So wide that no line is wrapped.
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
        let english = world.out(&[command, &["--help"]].concat());
        let japanese = world.out(&[&["--lang", "ja"], command, &["--help"]].concat());
        let (words, _examples) = english.split_once("\nExamples:\n").unwrap_or((&english, ""));
        for line in words.lines().filter(|it| !it.is_empty()) {
            assert!(
                !japanese.lines().any(|it| it == line),
                "{command:?} still says {line:?}\n{japanese}"
            );
        }
        for line in japanese.lines().filter(|it| is_text(it)) {
            assert!(is_japanese(line), "{command:?} says {line:?}");
        }
    }
    let listed = world
        .out(&["--help"])
        .lines()
        .filter(|it| it.starts_with("  ") && !it.contains("--"))
        .count();
    assert!(listed >= 10, "the commands above are those that help lists: {listed}");
}

/// Whether a line of help holds words of ours, as opposed to code or nothing.
fn is_text(line: &str) -> bool {
    let is_code = line.trim_start().starts_with("toolscout ") || line.contains("<(");
    !line.is_empty() && !is_code
}

#[test]
fn a_tools_page_has_its_authors_words_and_ours() {
    let help = world().out(&["--lang", "ja", "t", "--help"]);
    for part in ["使い方: toolscout t", "Says it again", "--url", "(必須)", "このヘルプを表示する"]
    {
        assert!(help.contains(part), "{part} is not in {help}");
    }
}

#[test]
fn mistakes_are_explained_in_the_readers_language() {
    let world = world().var("TOOLSCOUT_LANG", "ja");
    for (args, code, said) in [
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
        assert_eq!(refused.mistakes(), said, "{args:?}");
    }
    let unknown = world.run(&["rn"]).exits(5);
    assert_eq!(unknown.err, "コマンドが見つかりません: rn\nもしかして: run\n");
}

/// The language is known even where the rest of the line is not understood.
#[test]
fn a_mistake_beside_the_language_is_explained_in_that_language() {
    for args in [
        &["--lang", "ja", "--bogus"][..],
        &["--bogus", "--lang=ja"],
        &["tools", "--lang", "ja", "--bogus"],
    ] {
        assert_eq!(world().run(args).exits(2).mistakes(), "不明なオプション: --bogus", "{args:?}");
    }
    let refused = world().var("LANG", "ja_JP.UTF-8").run(&["--lang", "en", "--bogus"]).exits(2);
    assert_eq!(refused.mistakes(), "Unknown option: --bogus");
}
