//! The README and the pages for users are true:
//! 1. transcripts show the real output of the program,
//! 2. blocks of configuration, tool files and JSON are accepted ([`blocks`]),
//! 3. commands and options exist ([`blocks`]),
//! 4. the pages for users of other systems can be followed ([`coming_from`]).

mod blocks;
mod coming_from;

use crate::real_servers;
use crate::world::{Outcome, World, is_installed};
use std::path::{Path, PathBuf};

/// A command of a transcript, and its output.
#[derive(Debug, PartialEq, Eq)]
struct Step {
    command: String,
    shown: String,
}

/// A page for users.
struct Page {
    /// Relative to the repository.
    name: String,
    text: String,
}

/// The README, and every page of the guide, the reference and for users of other systems.
fn pages() -> Vec<Page> {
    let repository = repository();
    let mut names = vec!["README.md".to_owned()];
    for folder in ["docs/guide", "docs/reference", "docs/coming-from"] {
        let entries = std::fs::read_dir(repository.join(folder)).expect("a folder of pages");
        let files = entries.map(|entry| entry.expect("an entry").file_name());
        names.extend(files.map(|file| format!("{folder}/{}", file.to_string_lossy())));
    }
    names.retain(|name| name.ends_with(".md"));
    names.sort();
    let read = |name: String| {
        let text = std::fs::read_to_string(repository.join(&name)).expect("a page");
        Page { name, text }
    };
    names.into_iter().map(read).collect()
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// Every `$ toolscout …` line of a page runs in one copy of the demo project, in the order of the
/// page.
#[test]
fn transcripts_show_the_real_output() {
    let pages = pages();
    let is_in_demo = |page: &&Page| !page.name.starts_with("docs/coming-from");
    let run = pages.iter().filter(is_in_demo).filter(|page| run(&demo(), page, "```console"));
    assert!(run.count() > 1, "fewer pages with transcripts than expected");
}

/// `npx` finds the package in the project, as it would after `npm install`.
#[test]
fn transcripts_with_a_published_server_show_the_real_output() {
    if !is_installed("node") {
        return;
    }
    let Some(modules) = real_servers::installed("node_modules") else { return };
    let run = pages().into_iter().filter(|page| {
        let world = demo();
        std::os::unix::fs::symlink(&modules, world.path("node_modules"))
            .expect("link the packages");
        run(&world, page, "```console with node")
    });
    assert!(run.count() > 0, "no page has such a transcript");
}

fn demo() -> World {
    let world = World::bare().in_folder("demo");
    copy(&repository().join("demo"), &world.path("."));
    world
}

/// Runs the transcripts of a page; false if it has none.
fn run(world: &World, page: &Page, fence: &str) -> bool {
    let steps = steps(&page.text, fence);
    for step in &steps {
        let (name, command) = (&page.name, &step.command);
        let words = words(command);
        assert_eq!(words[0], "toolscout", "{name}: only toolscout can be run: {command}");
        let args: Vec<&str> = words[1..].iter().map(String::as_str).collect();
        let Outcome { out, err, .. } = world.run(&args);
        let (out, shown) = (untimed(out.trim_end()), untimed(step.shown.trim_end()));
        assert_eq!(out, shown, "{name}: $ {command}\n{err}");
    }
    !steps.is_empty()
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
fn transcripts_are_split_into_steps_and_words() {
    let text = "# x\n```sh\n$ not-this\n```\n```console with node\n$ nor this\n```\n\
                ```console\n$ toolscout a\none\n\ntwo\n$ toolscout b\n```\n$ nor this\n";
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
