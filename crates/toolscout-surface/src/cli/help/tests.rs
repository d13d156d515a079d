//! 1. A page shows how to call a command, in columns.
//! 2. No line is wider than the terminal.
//! 3. Foreign text cannot send control sequences to the terminal.
//! 4. The overview holds thousands of tools.

use super::{Group, Look, command, overview};
use crate::cli::{CommandSpec, Locale, OptionSpec, PositionalSpec, Style};
use insta::assert_snapshot;
use unicode_width::UnicodeWidthStr;

fn fetch() -> CommandSpec {
    CommandSpec::new("fetch-data", "Fetch data from a URL.\n\nFollows redirects.")
        .option(OptionSpec::text("url", "Where from").short('u').value("URL").required())
        .option(OptionSpec::text("format", "How to write it").choices(["json", "csv"]).default("json"))
        .option(
            OptionSpec::switch(
                "cache",
                "Keep what was fetched for the next time, unless the server says that it must not be kept",
            )
            .negatable()
            .default("true"),
        )
        .option(OptionSpec::text("header", "").repeat_or_comma())
        .option(OptionSpec::integer("a-name-that-is-far-too-long-for-a-column", "How often").default("3"))
        .option(OptionSpec { hidden: true, ..OptionSpec::switch("debug", "Not shown") })
        .option(OptionSpec::help("Show this help"))
        .positional(PositionalSpec::new("FILE", "Where to").many())
        .example("toolscout fetch-data --url https://example.org")
        .note("Proxies are taken from the environment.")
}

#[test]
fn a_page_says_how_to_call_a_command() {
    let look = Look { width: 80, ..Look::default() };
    assert_snapshot!(command("toolscout", &fetch(), &look), @r"
    Usage: toolscout fetch-data [OPTIONS] --url URL [FILE...]

    Fetch data from a URL.

    Follows redirects.

    Arguments:
      FILE...  Where to

    Options:
      -u, --url URL         Where from (required)
          --format TEXT     How to write it (choices: json, csv) (default: json)
          --[no-]cache      Keep what was fetched for the next time, unless the
                            server says that it must not be kept (default: true)
          --header TEXT...
          --a-name-that-is-far-too-long-for-a-column INTEGER
                            How often (default: 3)
      -h, --help            Show this help

    Proxies are taken from the environment.

    Examples:
      toolscout fetch-data --url https://example.org
    ");
}

#[test]
fn headings_speak_the_readers_language() {
    let look = Look { locale: Locale::Japanese, ..Look::default() };
    let page = command("toolscout", &fetch(), &look);
    for text in [
        "使い方: toolscout",
        "オプション:",
        "(既定値: json)",
        "(選択肢: json, csv)",
        "(必須)",
        "例:",
    ] {
        assert!(page.contains(text), "{text} in {page}");
    }
}

#[test]
fn colour_only_where_asked_for() {
    assert!(!command("toolscout", &fetch(), &Look::default()).contains('\u{1b}'));
    let look = Look { style: Style::Coloured, ..Look::default() };
    assert!(
        command("toolscout", &fetch(), &look).starts_with("\u{1b}[1mUsage:\u{1b}[0m toolscout")
    );
}

#[test]
fn no_line_is_wider_than_the_terminal_even_without_spaces() {
    let help = "これは空白のない長い説明文であり端末の幅で折り返されなければならない".repeat(3);
    let spec = CommandSpec::new("x", help.clone())
        .option(OptionSpec::text("url", help))
        .note("a".repeat(200));
    for width in [0, 40, 41, 80, 120] {
        let look = Look { width, ..Look::default() };
        let page = command("t", &spec, &look);
        assert!(page.lines().all(|it| it.width() <= width.max(40)), "{width}: {page}");
    }
}

#[test]
fn other_peoples_text_cannot_play_with_the_terminal() {
    let evil = "\u{1b}]0;title\u{7} \u{202e}txet";
    let spec = CommandSpec::new(evil, evil)
        .option(OptionSpec::text(evil, evil).choices([evil]).default(evil).value(evil).required())
        .positional(PositionalSpec::new(evil, evil))
        .example(evil)
        .note(evil);
    let page = command("t", &spec, &Look::default())
        + &overview(
            "t",
            &spec,
            &[Group { source: Some(evil), entries: vec![(evil, evil)] }],
            &Look::default(),
        );
    assert!(!page.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{page}");
}

#[test]
fn the_first_page_groups_commands_and_tools() {
    let spec = CommandSpec::new("toolscout", "Finds tools and runs them")
        .option(OptionSpec::help("Show this help"))
        .positional(PositionalSpec::new("COMMAND", "").required());
    let groups = [
        Group { source: None, entries: vec![("search", "Find a tool"), ("run", "Run a tool")] },
        Group { source: Some("empty"), entries: vec![] },
        Group {
            source: Some("local"),
            entries: vec![
                ("fetch-data", "Fetch data from a URL, which may be long\nand more"),
                ("x", ""),
            ],
        },
    ];
    let look = Look { width: 40, ..Look::default() };
    assert_snapshot!(overview("toolscout", &spec, &groups, &look), @r"
    Usage: toolscout [OPTIONS] COMMAND

    Finds tools and runs them

    Commands:
      search  Find a tool
      run     Run a tool

    Tools (local):
      fetch-data  Fetch data from a URL, wh…
      x

    Options:
      -h, --help  Show this help
    ");
}

#[test]
fn the_first_page_has_a_line_for_each_of_thousands_of_tools() {
    let names: Vec<_> = (0..5_000).map(|it| format!("tool-{it}")).collect();
    let entries = names
        .iter()
        .map(|it| (it.as_str(), "Does something that takes a while to explain"))
        .collect();
    let page = overview(
        "t",
        &CommandSpec::default(),
        &[Group { source: Some("local"), entries }],
        &Look::default(),
    );
    assert_eq!(page.lines().filter(|it| it.starts_with("  tool-")).count(), 5_000);
}
