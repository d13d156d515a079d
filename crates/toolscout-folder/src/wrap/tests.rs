//! Help texts of real programs, each with what is read from it. `tests/help` has the texts, and
//! `tests/read` what is expected.

use super::{CommandHelp, HelpOption, HelpStyle, ToolDraft, ValueKind, read_help, tool_file};
use crate::document::{ToolFileFormat, parse};
use std::path::Path;

/// The text, the words typed before `--help`, and the layout.
const PROGRAMS: [(&str, &str, HelpStyle); 20] = [
    ("argparse", "python3 report.py", HelpStyle::Argparse),
    ("argparse-commands", "./notes.py", HelpStyle::Argparse),
    ("busybox-sort", "sort", HelpStyle::Getopts),
    ("cargo", "cargo", HelpStyle::Clap),
    ("cargo-install", "cargo install", HelpStyle::Clap),
    ("clap-long", "resize", HelpStyle::Clap),
    ("click-group", "app", HelpStyle::Click),
    ("cobra", "hub pr create", HelpStyle::Cobra),
    ("curl", "curl", HelpStyle::Plain),
    ("docker-run", "docker run", HelpStyle::Plain),
    ("flask-run", "flask run", HelpStyle::Click),
    ("getopts", "./deploy.sh", HelpStyle::Getopts),
    ("git-commit", "git commit", HelpStyle::Git),
    ("http-server", "python3 -m http.server", HelpStyle::Argparse),
    ("kubectl", "kubectl create configmap", HelpStyle::Cobra),
    ("node", "node convert.mjs", HelpStyle::Plain),
    ("nothing", "hello", HelpStyle::Plain),
    ("sort", "sort", HelpStyle::Gnu),
    ("tar", "tar", HelpStyle::Gnu),
    ("xxd", "xxd", HelpStyle::Plain),
];

/// U-24: one line for each thing that was read. `TOOLSCOUT_BLESS=1` writes the expected texts.
#[test]
fn help_texts_of_real_programs_are_read() {
    for (name, typed, style) in PROGRAMS {
        let help = read(name, typed);
        assert_eq!(help.style, style, "{name}");
        let path = folder().join(format!("read/{name}.txt"));
        if std::env::var_os("TOOLSCOUT_BLESS").is_some() {
            std::fs::write(&path, page(&help)).expect("write the expected output");
        }
        let expected = std::fs::read_to_string(&path).expect("read the expected output");
        assert_eq!(page(&help), expected, "{name}");
    }
}

/// U-25: whatever was read, the tool file is valid and every placeholder is a parameter.
#[test]
fn every_draft_is_a_valid_tool_file() {
    for (name, typed, _) in PROGRAMS {
        let help = read(name, typed);
        let command: Vec<String> = typed.split(' ').map(str::to_owned).collect();
        let draft =
            ToolDraft { name: name.to_owned(), command, origin: format!("{typed} --help"), help };
        let text = tool_file(&draft);
        let parsed = parse(ToolFileFormat::Toml, text.as_bytes()).expect("TOML").expect("a table");
        let file = crate::file_in_root::FileInRoot {
            root: Path::new("/project"),
            relative: "tools/x.tool.toml",
        };
        // A program with a `/` must be a file of the project; these are not.
        let text = text.replace("\"./", "\"");
        let inspection = crate::tool_file::read(ToolFileFormat::Toml, text.as_bytes(), &file);
        assert_eq!(inspection.diagnostics, [], "{name}: {text}");
        assert_eq!(inspection.tools.len(), 1, "{name}: {parsed}");
    }
}

/// U-26: a text without options becomes a list of arguments.
#[test]
fn a_program_without_a_usage_takes_any_arguments() {
    let help = read("nothing", "hello");
    assert!(help.is_empty());
    let command = vec!["hello".to_owned()];
    let origin = "hello --help".to_owned();
    let text = tool_file(&ToolDraft { name: "hello".to_owned(), command, origin, help });
    assert!(text.contains("type = \"array:string\"") && text.contains("\"{args}\""), "{text}");
}

/// Nothing that a program prints makes the reader fail or write an invalid file.
#[test]
fn strange_texts_are_read_without_failure() {
    let long = "[".repeat(5_000) + &"<".repeat(5_000);
    let texts = [
        "",
        "-",
        "--",
        "usage:",
        "usage: [",
        "usage: x [[[-",
        "usage: x {a",
        "-\u{1b}[31mx",
        "  -",
        "  -é, --ü=Ö  text",
        "usage: x --\"=\" \"\"\" [--a[=b",
        "Options:\n  --x=\\\"\n",
        "usage: x ...",
        "usage: | | |",
        "\u{8}\u{8}",
        "  --a\\nb \t\"c\"",
    ];
    for text in texts.into_iter().chain([&*long, &*format!("usage: x {long}")]) {
        let help = read_help(text, &["x".to_owned()]);
        let draft = ToolDraft {
            name: "x".to_owned(),
            command: vec!["x".to_owned()],
            origin: "x --help".to_owned(),
            help,
        };
        let text = tool_file(&draft);
        assert!(parse(ToolFileFormat::Toml, text.as_bytes()).is_ok(), "{text}");
    }
}

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/wrap/tests")
}

fn read(name: &str, typed: &str) -> CommandHelp {
    let text = std::fs::read_to_string(folder().join(format!("help/{name}.txt")));
    let typed: Vec<String> = typed.split(' ').map(str::to_owned).collect();
    read_help(&text.expect("a help text"), &typed)
}

fn page(help: &CommandHelp) -> String {
    let mut out = format!("about: {}\n", help.about.as_deref().unwrap_or("-"));
    for option in &help.options {
        out += &format!("{}\n", option_line(option));
    }
    for positional in &help.positionals {
        let name = &positional.name;
        let mut line = if positional.required { name.clone() } else { format!("[{name}]") };
        line += if positional.repeated { "..." } else { "" };
        out += &format!("{line}  {}\n", first_words(&positional.description)).replace("  \n", "\n");
    }
    for (name, about) in &help.subcommands {
        out += &format!("command {name}: {}\n", first_words(about));
    }
    if help.needs_subcommand {
        out += "needs a subcommand\n";
    }
    out
}

fn option_line(option: &HelpOption) -> String {
    let mut line = option.names.join(" ");
    if let Some(value) = &option.value {
        let kind = match value.kind {
            ValueKind::Text => "",
            ValueKind::Integer => ":integer",
            ValueKind::Number => ":number",
            ValueKind::List => ":list",
        };
        let mark = if value.optional { "[=]" } else { "=" };
        line += &format!(" {mark}{}{kind}", value.placeholder);
        if !value.choices.is_empty() {
            line += &format!(" {{{}}}", value.choices.join(","));
        }
        if let Some(default) = &value.default {
            line += &format!(" default={default}");
        }
        line += if value.many { " many" } else { "" };
    }
    line += if option.required { " required" } else { "" };
    line += if option.repeated { " repeated" } else { "" };
    format!("{line}  {}", first_words(&option.description)).trim_end().to_owned()
}

fn first_words(text: &str) -> String {
    text.split(' ').take(6).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_comment_at_the_start_of_a_script_describes_it() {
    let summary = super::description::in_comments;
    for (script, expected) in [
        ("#!/bin/sh\n# Deploys services. Needs a token.\n", Some("Deploys services")),
        ("#!/bin/sh\n#\n# Deploys\n# services\n#\n# usage: x\n", Some("Deploys services")),
        ("#!/bin/sh\n# shellcheck disable=SC2034\n\n# Later\n", None),
        ("# Copyright 2026 Ada\n# Counts lines\n", Some("Counts lines")),
        ("// Converts a table\nimport x from 'y'\n", Some("Converts a table")),
        ("echo hi\n# Says hi\n", None),
        ("", None),
    ] {
        assert_eq!(summary(script).as_deref(), expected, "{script}");
    }
}
