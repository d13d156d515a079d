//! 1. A page shows how to call a command, in columns.
//! 2. No line is wider than the terminal.
//! 3. Foreign text cannot send control sequences to the terminal.
//! 4. The overview holds thousands of tools.

use super::{Group, HelpLayout, command, overview};
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
fn the_help_page_shows_usage_arguments_and_options() {
    let layout = HelpLayout { width: 80, ..HelpLayout::default() };
    assert_snapshot!(command("toolscout", &fetch(), &layout), @r"
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
fn headings_are_translated() {
    let layout = HelpLayout { locale: Locale::Japanese, ..HelpLayout::default() };
    let page = command("toolscout", &fetch(), &layout);
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
fn colors_are_used_only_if_requested() {
    assert!(!command("toolscout", &fetch(), &HelpLayout::default()).contains('\u{1b}'));
    let layout = HelpLayout { style: Style::Coloured, ..HelpLayout::default() };
    assert!(
        command("toolscout", &fetch(), &layout).starts_with("\u{1b}[1mUsage:\u{1b}[0m toolscout")
    );
}

#[test]
fn no_line_is_wider_than_the_terminal_even_without_spaces() {
    let help = "これは空白のない長い説明文であり端末の幅で折り返されなければならない".repeat(3);
    let spec = CommandSpec::new("x", help.clone())
        .option(OptionSpec::text("url", help))
        .note("a".repeat(200));
    for width in [0, 40, 41, 80, 120] {
        let layout = HelpLayout { width, ..HelpLayout::default() };
        let page = command("t", &spec, &layout);
        assert!(page.lines().all(|line| line.width() <= width.max(40)), "{width}: {page}");
    }
}

#[test]
fn control_characters_in_descriptions_are_escaped() {
    let evil = "\u{1b}]0;title\u{7} \u{202e}txet";
    let spec = CommandSpec::new(evil, evil)
        .option(OptionSpec::text(evil, evil).choices([evil]).default(evil).value(evil).required())
        .positional(PositionalSpec::new(evil, evil))
        .example(evil)
        .note(evil);
    let page = command("t", &spec, &HelpLayout::default())
        + &overview(
            "t",
            &spec,
            &[Group { source: Some(evil), entries: vec![(evil, evil)] }],
            &HelpLayout::default(),
        );
    assert!(!page.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{page}");
}

#[test]
fn the_overview_groups_commands_and_tools() {
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
    let layout = HelpLayout { width: 40, ..HelpLayout::default() };
    assert_snapshot!(overview("toolscout", &spec, &groups, &layout), @r"
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
fn the_overview_has_one_line_for_each_of_thousands_of_tools() {
    let names: Vec<_> = (0..5_000).map(|index| format!("tool-{index}")).collect();
    let entries = names
        .iter()
        .map(|name| (name.as_str(), "Does something that takes a while to explain"))
        .collect();
    let page = overview(
        "t",
        &CommandSpec::default(),
        &[Group { source: Some("local"), entries }],
        &HelpLayout::default(),
    );
    assert_eq!(page.lines().filter(|line| line.starts_with("  tool-")).count(), 5_000);
}
