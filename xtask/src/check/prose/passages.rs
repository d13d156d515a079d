//! The passages of prose in a file: comments, string literals, paragraphs.

use crate::source_text::{Passage, SourceText, is_sql};

/// The kinds of text. Budgets apply to each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Medium {
    Comments,
    CommentsOfTests,
    Messages,
    Docs,
}

impl Medium {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Comments => "comments",
            Self::CommentsOfTests => "comments of tests",
            Self::Messages => "strings",
            Self::Docs => "docs",
        }
    }
}

/// Whether the check reads this file. The check's own files list the retired words.
pub(super) fn has_prose(file: &str) -> bool {
    let is_own = file.starts_with("xtask/src/check/prose");
    !is_own && kind(file).is_some()
}

/// The passages of a file.
pub(super) fn of(file: &str, text: &str) -> Vec<(Medium, Passage)> {
    match kind(file) {
        Some(FileKind::Rust) => of_source(file, SourceText::of_rust(text)),
        Some(FileKind::Script) => of_source(file, SourceText::of_javascript(text)),
        Some(FileKind::Markdown) => vec![(Medium::Docs, whole(markdown(text)))],
        Some(FileKind::Html) => vec![(Medium::Messages, whole(without_tags(text)))],
        Some(FileKind::Hashes) => vec![(Medium::Comments, whole(after_hashes(text)))],
        None => Vec::new(),
    }
}

enum FileKind {
    Rust,
    Script,
    Markdown,
    Html,
    /// Comments start with `#`.
    Hashes,
}

fn kind(file: &str) -> Option<FileKind> {
    let (_, end) = file.rsplit_once('.').unwrap_or(("", ""));
    let is_page = file.starts_with("crates/toolscout-surface/src/page/");
    match end {
        "rs" => Some(FileKind::Rust),
        "md" => Some(FileKind::Markdown),
        "js" | "css" if is_page => Some(FileKind::Script),
        "html" if is_page => Some(FileKind::Html),
        "toml" => Some(FileKind::Hashes),
        _ if file == ".ci/run" => Some(FileKind::Hashes),
        _ => None,
    }
}

/// Whether this is code of tests, fixtures or benchmarks.
pub(crate) fn is_for_tests(file: &str) -> bool {
    let is_folder = |name: &str| matches!(name, "tests" | "examples" | "benches" | "recipes");
    let is_file = |name: &str| matches!(name, "tests.rs" | "fixture.rs" | "build.rs");
    file.split('/').any(|name| is_folder(name) || is_file(name))
}

fn of_source(file: &str, source: SourceText) -> Vec<(Medium, Passage)> {
    let is_for_tests = is_for_tests(file);
    let medium = if is_for_tests { Medium::CommentsOfTests } else { Medium::Comments };
    let mut passages: Vec<_> = source
        .comments
        .into_iter()
        .map(|Passage { line, text }| (medium, Passage { line, text: without_fences(&text) }))
        .collect();
    // Literals of tests are mostly input.
    let literals =
        source.literals.into_iter().filter(|literal| !is_for_tests && is_prose(&literal.text));
    passages.extend(literals.map(|Passage { line, text }| {
        (Medium::Messages, Passage { line, text: without_escapes(&text) })
    }));
    passages
}

/// Whether a literal has several words and is not SQL.
pub(super) fn is_prose(text: &str) -> bool {
    text.contains(' ') && text.contains(char::is_alphabetic) && !is_sql(text)
}

fn whole(text: String) -> Passage {
    Passage { line: 1, text }
}

/// A literal with line breaks instead of `\n`, which keeps its lines, and `_` for placeholders.
pub(super) fn without_escapes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars();
    let mut depth = 0;
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('\n') => out.push('\n'),
                // Not a line of the file, so it must not count as one.
                Some('n' | 't' | 'r') => out.push_str(" . "),
                _ => out.push(' '),
            },
            '{' => {
                depth += 1;
                out.push('_');
            }
            '}' => depth = i32::max(depth - 1, 0),
            '\n' => out.push('\n'),
            _ if depth > 0 => {}
            _ => out.push(letter),
        }
    }
    out
}

/// The text with empty lines instead of fenced code.
fn without_fences(text: &str) -> String {
    let mut is_fenced = false;
    let lines = text.lines().map(|line| {
        let is_fence = line.trim_start().starts_with("```");
        is_fenced ^= is_fence;
        if is_fenced || is_fence { "" } else { line }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A page without code, link targets and the column `do not use` of tables. List items and table
/// cells are sentences of their own.
fn markdown(text: &str) -> String {
    let mut page = String::with_capacity(text.len());
    let mut lists_retired_words = false;
    for line in without_fences(text).lines() {
        lists_retired_words &= line.starts_with('|');
        lists_retired_words |= line.ends_with("| do not use |");
        let row = line.trim_end_matches('|').rsplit_once('|');
        let line = row.filter(|_| lists_retired_words).map_or(line, |(cells, _)| cells);
        let is_indented_code =
            line.starts_with("    ") && !line.trim_start().starts_with(['-', '*', '1']);
        let line = if is_indented_code { "" } else { line };
        if line.trim_start().starts_with(['-', '*', '#', '>']) {
            page.push('|');
        }
        let mut rest = line;
        while let Some((text, after)) = rest.split_once("](") {
            page.push_str(text);
            page.push(' ');
            rest = after.split_once(')').map_or("", |(_, after)| after);
        }
        page.push_str(rest);
        page.push('\n');
    }
    page
}

fn without_tags(text: &str) -> String {
    let mut is_tag = false;
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' => is_tag = true,
            '>' => {
                is_tag = false;
                out.push('|');
            }
            '\n' => out.push('\n'),
            _ if is_tag => {}
            _ => out.push(letter),
        }
    }
    out
}

fn after_hashes(text: &str) -> String {
    let comment = |line: &str| {
        let (before, comment) = line.split_once('#').unwrap_or(("", ""));
        // A `#` between quotes is not a comment.
        if before.matches('"').count() % 2 == 1 {
            String::new()
        } else {
            comment.trim_start_matches(['#', '!']).to_owned()
        }
    };
    text.lines().map(comment).collect::<Vec<_>>().join("\n")
}
