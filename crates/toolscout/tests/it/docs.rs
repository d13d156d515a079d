//! The transcript in the README is what the program really says.

use crate::real_servers;
use crate::world::{Outcome, World, is_installed};
use std::path::{Path, PathBuf};

/// A command of a transcript, and its output.
#[derive(Debug, PartialEq, Eq)]
struct Step {
    command: String,
    shown: String,
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// Every `$ toolscout …` line of a page runs in one copy of the demo project, in the order of the
/// page.
#[test]
fn the_transcript_in_the_readme_is_true() {
    run(&demo(), "```console");
}

/// `npx` finds the package in the project, as it would after `npm install`.
#[test]
fn transcripts_with_a_published_server_show_the_real_output() {
    if !is_installed("node") {
        return;
    }
    let Some(modules) = real_servers::installed("node_modules") else { return };
    let world = demo();
    std::os::unix::fs::symlink(modules, world.path("node_modules")).expect("link the packages");
    run(&world, "```console with node");
}

fn demo() -> World {
    let world = World::bare().in_folder("demo");
    copy(&repository().join("demo"), &world.path("."));
    world
}

fn run(world: &World, fence: &str) {
    let text = std::fs::read_to_string(repository().join("README.md")).expect("the README");
    let steps = steps(&text, fence);
    assert!(!steps.is_empty(), "the README shows no command in a {fence} block");
    for step in steps {
        let words = words(&step.command);
        assert_eq!(
            words.first().map(String::as_str),
            Some("toolscout"),
            "not a command of ours: {}",
            step.command
        );
        let args: Vec<&str> = words[1..].iter().map(String::as_str).collect();
        let Outcome { out, err, .. } = world.run(&args);
        assert_eq!(
            untimed(out.trim_end()),
            untimed(step.shown.trim_end()),
            "$ {}\n{err}",
            step.command
        );
    }
}

/// The text with `N` for numbers of seconds.
fn untimed(text: &str) -> String {
    let is_number = |word: &str| word.trim_start_matches('(').parse::<f64>().is_ok();
    let mut words: Vec<&str> = text.split(' ').collect();
    for at in 1..words.len() {
        if matches!(words[at], "s" | "s)") && is_number(words[at - 1]) {
            words[at - 1] = "N";
        }
    }
    words.join(" ")
}

/// The steps of all blocks that open with this fence.
fn steps(text: &str, fence: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with("```") {
            inside = line == fence;
        } else if let (true, Some(command)) = (inside, line.strip_prefix("$ ")) {
            steps.push(Step { command: command.to_owned(), shown: String::new() });
        } else if let (true, Some(step)) = (inside, steps.last_mut()) {
            step.shown += line;
            step.shown.push('\n');
        }
    }
    steps
}

/// The words of a line, split like a shell does: with quotes and backslashes.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (None, ' ') => words.extend(word.take()),
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (Some(open), value) if value == open => quote = None,
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(letters.next()),
            (_, value) => word.get_or_insert_default().push(value),
        }
    }
    assert_eq!(quote, None, "a quote is open at the end of {line}");
    words.extend(word);
    words
}

/// Copies a folder recursively, with permissions.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("make a folder");
    for entry in std::fs::read_dir(from).expect("read a folder") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            std::fs::copy(&path, target).expect("copy a file");
        }
    }
}

#[test]
fn a_transcript_is_read_as_people_read_it() {
    let text = "# x\n```sh\n$ not-this\n```\n```console with node\n$ nor this\n```\n```console\n$ toolscout a\none\n\ntwo\n$ toolscout b\n```\n$ nor this\n";
    let step =
        |command: &str, shown: &str| Step { command: command.to_owned(), shown: shown.to_owned() };
    assert_eq!(
        steps(text, "```console"),
        [step("toolscout a", "one\n\ntwo\n"), step("toolscout b", "")]
    );
    assert_eq!(
        words(r#"toolscout  t --a 'b c' --d="e \"f\"" '' g\ h"#),
        ["toolscout", "t", "--a", "b c", "--d=e \"f\"", "", "g h"]
    );
}
