//! `cargo xtask strings`: prints every text of the product that users read, by kind, with its
//! place in the source.
//!
//! Texts are string literals of several words, doc comments of types with a JSON Schema, and the
//! files of the web UI. The kind is a guess from the code around a literal.

mod page;
mod rust;
#[cfg(test)]
mod tests;
mod translations;

use crate::repo;
use crate::source_text::is_sql;
use anyhow::Context;
use std::collections::BTreeMap;
use std::fs;

/// The kinds of texts, in the order they are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum TextKind {
    Help,
    Settings,
    Errors,
    Notes,
    Doctor,
    Output,
    WebUi,
    Agents,
    Api,
    Metrics,
    Logs,
    Japanese,
}

impl TextKind {
    fn title(self) -> &'static str {
        match self {
            Self::Help => "help and command summaries",
            Self::Settings => "settings",
            Self::Errors => "errors and hints",
            Self::Notes => "warnings, notes and progress",
            Self::Doctor => "doctor",
            Self::Output => "other output",
            Self::WebUi => "web UI",
            Self::Agents => "texts for agents",
            Self::Api => "OpenAPI descriptions",
            Self::Metrics => "metrics help",
            Self::Logs => "log events",
            Self::Japanese => "Japanese translations",
        }
    }
}

/// A text that users read.
#[derive(Debug, PartialEq, Eq)]
struct UserText {
    kind: TextKind,
    line: usize,
    text: String,
}

/// Crates that users do not install.
const NOT_PRODUCT: &[&str] = &["crates/toolscout-hostile/", "crates/toolscout-test-support/"];

pub(crate) fn run() -> anyhow::Result<()> {
    let root = repo::root();
    let mut by_kind: BTreeMap<TextKind, Vec<String>> = BTreeMap::new();
    for path in repo::files(&root.join("crates"))? {
        let file = path.strip_prefix(root)?.display().to_string();
        let is_product =
            file.contains("/src/") && !NOT_PRODUCT.iter().any(|name| file.starts_with(name));
        if !is_product || crate::check::is_for_tests(&file) {
            continue;
        }
        let Ok(source) = fs::read_to_string(&path) else { continue };
        for text in texts(&file, &source).with_context(|| format!("read {file}"))? {
            let shown = text.text.trim().replace('\n', "\\n");
            by_kind.entry(text.kind).or_default().push(format!("{file}:{}: {shown}", text.line));
        }
    }
    for (kind, lines) in by_kind {
        println!("== {} ({})\n{}\n", kind.title(), lines.len(), lines.join("\n"));
    }
    Ok(())
}

/// The texts of one file.
fn texts(file: &str, source: &str) -> anyhow::Result<Vec<UserText>> {
    let is_page = file.starts_with("crates/toolscout-surface/src/page/");
    match file.rsplit_once('.').map(|(_, end)| end) {
        Some("rs") => rust::texts(file, source),
        Some("js") if is_page => Ok(page::of_script(source)),
        Some("html") if is_page => Ok(page::of_html(source)),
        Some("txt") if file.contains("/words/") => Ok(translations::of_file(source)),
        // Written for agents as it is.
        Some("md") => {
            Ok(vec![UserText { kind: TextKind::Agents, line: 1, text: source.to_owned() }])
        }
        _ => Ok(Vec::new()),
    }
}

/// Whether the literal has at least two words besides its placeholders, one of them of letters
/// only, and is not SQL.
fn is_sentence(text: &str) -> bool {
    let mut depth = 0;
    let is_outside = |letter: &char| {
        depth += i32::from(*letter == '{') - i32::from(*letter == '}');
        depth == 0 && *letter != '}'
    };
    let outside: String = text.chars().filter(is_outside).collect();
    let words: Vec<&str> = outside.split_whitespace().collect();
    let is_word = |word: &&str| {
        let word = word.trim_matches(|letter: char| letter.is_ascii_punctuation());
        word.chars().count() > 1
            && word.chars().all(|letter| letter.is_alphabetic() || letter == '\'')
    };
    text.trim().contains(' ') && words.iter().any(is_word) && !is_sql(text)
}
