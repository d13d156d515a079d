//! `docs/reference/commands.md` is generated from the commands. `cargo xtask bless` writes it.

use crate::Command;
use std::collections::HashSet;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use toolscout_surface::cli::help::{self, HelpLayout};
use toolscout_surface::cli::{CommandSpec, Many, OptionSpec};

/// The text above the list of commands.
const HEAD: &str = include_str!("commands_head.txt");

/// The most words the page may have.
const MOST_WORDS: usize = 4_400;

/// The headings, with the first words of their commands in the order of the page. Commands that
/// no group names are in the last one.
const GROUPS: &[(&str, &[&str])] = &[
    (
        "Tools",
        &["run", "call", "tools", "search", "describe", "discover", "index", "context", "export"],
    ),
    ("Servers", &["server", "secret", "registration", "import"]),
    (
        "Trust and review",
        &["trust", "review", "approve", "reject", "approval", "policy", "lock", "verify"],
    ),
    ("Agents and users", &["init", "connect", "disconnect", "undo", "serve", "ui", "observe"]),
    ("Audit log and statistics", &["audit", "stats", "suggest"]),
    ("Project and maintenance", &["overview", "doctor", "manifest", "completion", "bench"]),
];

#[test]
fn the_commands_reference_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/commands.md");
    let reference = reference();
    if std::env::var("INSTA_UPDATE").is_ok_and(|mode| mode == "always") {
        std::fs::write(&path, &reference).expect("docs/reference/commands.md can be written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == reference,
        "docs/reference/commands.md is stale: run `cargo xtask bless -p toolscout --lib`"
    );
}

#[test]
fn every_name_in_a_group_of_the_reference_is_a_command() {
    let (_, commands) = super::program();
    let names: HashSet<String> = commands.iter().map(|command| command.name()).collect();
    let is_command = |word: &&&str| names.iter().any(|name| first_word(name) == **word);
    let unknown = GROUPS.iter().flat_map(|(_, words)| *words).filter(|word| !is_command(word));
    assert_eq!(unknown.collect::<Vec<_>>(), [&""; 0]);
}

#[test]
fn the_commands_reference_is_short() {
    let words =
        reference().split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count();
    assert!(words <= MOST_WORDS, "{words} words, at most {MOST_WORDS}");
}

fn reference() -> String {
    let (options, commands) = super::program();
    let mut page = HEAD.to_owned();
    page.push_str("\n## Global options\n\n");
    table(&mut page, options.iter().map(row_of_option));
    for (heading, names) in GROUPS {
        let of_word = |name: &str| {
            let own = |command: &&Arc<dyn Command>| first_word(&command.name()) == name;
            commands.iter().filter(own).map(|command| command.spec()).collect::<Vec<_>>()
        };
        let mut specs: Vec<CommandSpec> = names.iter().flat_map(|name| of_word(name)).collect();
        if GROUPS.last().is_some_and(|(last, _)| last == heading) {
            // Commands with underscores are for completion scripts.
            let is_named = |name: &str| GROUPS.iter().any(|(_, names)| names.contains(&name));
            let is_left = |name: &str| !name.starts_with('_') && !is_named(first_word(name));
            let left = commands.iter().filter(|command| is_left(&command.name()));
            specs.extend(left.map(|command| command.spec()));
        }
        group(&mut page, heading, &specs);
    }
    page
}

/// A table of the commands, and the options of those that have any. Commands with the same
/// options share a section, and a note appears once.
fn group(page: &mut String, heading: &str, specs: &[CommandSpec]) {
    let _ = write!(page, "\n## {heading}\n\n| command | meaning |\n|---|---|\n");
    let mut sections: Vec<Vec<&CommandSpec>> = Vec::new();
    let mut notes: HashSet<&str> = HashSet::new();
    for spec in specs {
        let mut meaning = sentence(&spec.about);
        let arguments = spec.positionals.iter().filter(|argument| !argument.choices.is_empty());
        arguments.for_each(|argument| meaning.push_str(&choices(&argument.choices)));
        if shown_options(spec).next().is_none() {
            let new = spec.notes.iter().filter(|note| notes.insert(note));
            new.for_each(|note| meaning = format!("{meaning} {note}"));
        } else {
            let is_same = |section: &&mut Vec<&CommandSpec>| {
                first_word(&section[0].name) == first_word(&spec.name)
                    && shown_options(section[0]).eq(shown_options(spec))
            };
            match sections.iter_mut().find(is_same) {
                Some(section) => section.push(spec),
                None => sections.push(vec![spec]),
            }
        }
        row(page, &format!("`{}`", usage(spec)), &meaning);
    }
    sections.iter().for_each(|commands| section(page, commands, &mut notes));
}

/// The options of commands, with notes and the first example; `--help` shows all. A note of one command among
/// others begins with its name.
fn section<'a>(page: &mut String, commands: &[&'a CommandSpec], notes: &mut HashSet<&'a str>) {
    let names: Vec<String> = commands.iter().map(|spec| format!("`{}`", spec.name)).collect();
    let _ = write!(page, "\n### {}\n\n", names.join(", "));
    table(page, shown_options(commands[0]).map(row_of_option));
    for spec in commands {
        for note in spec.notes.iter().filter(|note| notes.insert(note)) {
            let is_shared = commands.iter().all(|other| other.notes.contains(note));
            let name = if is_shared { String::new() } else { format!("`{}`: ", spec.name) };
            let _ = write!(page, "\n{name}{note}\n");
        }
    }
    if let Some(example) = commands[0].examples.first() {
        let _ = write!(page, "\n```sh\n{example}\n```\n");
    }
}

fn shown_options(spec: &CommandSpec) -> impl Iterator<Item = &OptionSpec> {
    spec.options.iter().filter(|option| !option.hidden && option.long != "help")
}

/// The usage line of `--help`, without the name of the program.
fn usage(spec: &CommandSpec) -> String {
    let layout = HelpLayout { width: 1000, ..HelpLayout::default() };
    let help = help::command("toolscout", spec, &layout);
    let line = help.lines().next().unwrap_or_default();
    let line = line.strip_prefix("Usage: toolscout ").unwrap_or(line);
    let has_options = shown_options(spec).next().is_some();
    if has_options { line.to_owned() } else { line.replace(" [OPTIONS]", "") }
}

fn row_of_option(option: &OptionSpec) -> (String, String) {
    let short = option.short.map(|short| format!("`-{short}`, ")).unwrap_or_default();
    let no = if option.negatable { "[no-]" } else { "" };
    let dots = if option.many == Many::No { "" } else { "..." };
    let value = match &option.value_name {
        Some(name) => format!(" {name}{dots}"),
        None if option.is_switch() => String::new(),
        None => format!(" {}{dots}", option.value.default_value_name()),
    };
    let default = option.default.as_deref().filter(|default| *default != "[]");
    let mut help = sentence(&option.help);
    if !option.choices.is_empty() {
        help.push_str(&choices(&option.choices));
    }
    if let Some(default) = default {
        let _ = write!(help, " Default: `{default}`.");
    }
    (format!("{short}`--{no}{}{value}`", option.long), help)
}

fn choices(choices: &[String]) -> String {
    let choices: Vec<String> = choices.iter().map(|choice| format!("`{choice}`")).collect();
    format!(" Choices: {}.", choices.join(", "))
}

fn table(page: &mut String, rows: impl Iterator<Item = (String, String)>) {
    page.push_str("| option | meaning |\n|---|---|\n");
    rows.for_each(|(left, right)| row(page, &left, &right));
}

fn row(page: &mut String, left: &str, right: &str) {
    let cell = |text: &str| text.replace('|', "\\|").replace('\n', " ");
    let _ = writeln!(page, "| {} | {} |", cell(left), cell(right));
}

/// The text with a full stop.
fn sentence(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() || text.ends_with(['.', '!', '?']) {
        return text.to_owned();
    }
    format!("{text}.")
}

fn first_word(name: &str) -> &str {
    name.split(' ').next().unwrap_or(name)
}
