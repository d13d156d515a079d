//! What descriptions say about an option: type, default, choices, whether it may be repeated.

use super::sections::Sections;
use super::{HelpOption, OptionValue, ValueKind};
use regex::Regex;
use std::sync::LazyLock;

/// The longest summary and the longest description of an option, in characters.
const MAX_ABOUT: usize = 200;
const MAX_DESCRIPTION: usize = 300;

/// Comments for programs and lawyers.
const NO_PROSE: [&str; 6] = ["shellcheck", "coding:", "vim:", "copyright", "spdx", "eslint"];

/// The first sentence or paragraph about the command.
pub(super) fn about(sections: &Sections<'_>) -> Option<String> {
    let mut text = String::new();
    for line in sections.description() {
        let is_text = line.indent <= 4
            && line.text.starts_with(|c: char| c.is_alphabetic())
            && line.after_label("or:").is_none()
            && !line.text.contains("illegal option")
            && !line.text.contains("invalid option")
            && !line.text.contains("unrecognized option")
            && !line.text.starts_with("BusyBox v");
        if line.text.starts_with('-') {
            // What stands before options is their heading.
            text.clear();
        }
        if text.is_empty() && !is_text {
            continue;
        }
        if line.is_blank() {
            break;
        }
        text = format!("{text} {}", line.text).trim().to_owned();
    }
    first_sentence(&text)
}

/// The first sentence of the comment at the start of a script, after its `#!` line.
pub(super) fn in_comments(script: &str) -> Option<String> {
    let lines = script.lines().skip_while(|line| line.starts_with("#!") || line.trim().is_empty());
    let comments = lines.map_while(|line| line.strip_prefix('#').or(line.strip_prefix("//")));
    let is_prose = |line: &&str| {
        let lower = line.to_ascii_lowercase();
        !NO_PROSE.iter().any(|word| lower.contains(word))
    };
    let comments = comments.map(|line| line.trim_matches(['#', '/', '-', '=', ' ']));
    let prose = comments.skip_while(|line| line.is_empty() || !is_prose(line));
    let paragraph: Vec<&str> = prose.take_while(|line| !line.is_empty()).filter(is_prose).collect();
    first_sentence(&paragraph.join(" "))
}

fn first_sentence(text: &str) -> Option<String> {
    let end = text.find(". ").unwrap_or(text.len());
    let sentence = shortened(text[..end].trim_end_matches(['.', ':']), MAX_ABOUT);
    Some(sentence).filter(|sentence| !sentence.is_empty())
}

/// Completes an option with what its description says, and puts the description on one line.
pub(super) fn interpret(option: &mut HelpOption) {
    let text = option.description.clone();
    option.required |= is_found(&REQUIRED, &text);
    if let Some(value) = &mut option.value {
        option.repeated |= is_found(&REPEATED, &text);
        interpret_value(value, &text);
        option.repeated |= value.kind == ValueKind::List;
    }
    let line: Vec<&str> = text.split_whitespace().collect();
    option.description = shortened(&NOTES.replace_all(&line.join(" "), ""), MAX_DESCRIPTION);
}

fn interpret_value(value: &mut OptionValue, text: &str) {
    if value.choices.is_empty() {
        value.choices = choices(text);
    }
    if value.default.is_none() {
        let default = found(&DEFAULT, text);
        let default = default.map(|text| text.trim_matches(['"', '\'', '`']).to_owned());
        value.default = default.filter(|default| !default.is_empty());
    }
    value.kind = match value.placeholder.as_str() {
        "int" | "integer" | "uint" | "int32" | "int64" | "uint16" | "uint32" | "uint64"
        | "INTEGER" | "INT" | "N" | "NUM" => ValueKind::Integer,
        "float" | "float32" | "float64" | "FLOAT" | "double" => ValueKind::Number,
        "strings" | "stringArray" | "stringSlice" | "stringToString" | "list" | "ints" => {
            ValueKind::List
        }
        _ => ValueKind::Text,
    };
}

/// `[possible values: a, b]`, `(choices: "a", "b")`, or clap's list of values.
fn choices(text: &str) -> Vec<String> {
    let plain = |word: &str| word.trim().trim_matches(['"', '\'', '`']).to_owned();
    if let Some(found) = found(&CHOICES, text) {
        let line = found.replace('\n', " ");
        return line.split(',').map(plain).filter(|word| !word.is_empty()).collect();
    }
    let Some((_, list)) = text.split_once("Possible values:\n") else { return Vec::new() };
    let items = list.lines().map_while(|line| line.strip_prefix("- "));
    items.map(|item| plain(item.split(':').next().unwrap_or(item))).collect()
}

fn shortened(text: &str, limit: usize) -> String {
    let text = text.trim();
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    let cut: String = text.chars().take(limit).collect();
    let end = cut.rfind(' ').unwrap_or(cut.len());
    format!("{}…", cut[..end].trim_end_matches([',', ';', '.']))
}

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is valid")
}

/// The group of a pattern of lower-case letters in a text of any case.
fn found<'a>(pattern: &Regex, text: &'a str) -> Option<&'a str> {
    // ASCII letters have one byte in both cases, so the offsets are the same.
    let lower = text.to_ascii_lowercase();
    Some(&text[pattern.captures(&lower)?.get(1)?.range()])
}

fn is_found(pattern: &Regex, text: &str) -> bool {
    pattern.is_match(&text.to_ascii_lowercase())
}

static DEFAULT: LazyLock<Regex> =
    LazyLock::new(|| regex(r#"[(\[]default(?::|=| is)?[ \n]+"?([^\])";\[]+)"?[)\];]"#));
static CHOICES: LazyLock<Regex> =
    LazyLock::new(|| regex(r"[\[(](?:possible values|choices):[ \n]*([^\])]+)[\])]"));
static REQUIRED: LazyLock<Regex> = LazyLock::new(|| regex(r"[\[(;] ?required[\])]"));
static REPEATED: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?:may|can) be (?:repeated|(?:used|given|specified|passed|supplied|set)[ \n]+",
        r"(?:multiple|several|many|more than))|repeatable|\[multiple\]|multiple times"
    ))
});
/// Notes that the schema has in another form.
static NOTES: LazyLock<Regex> =
    LazyLock::new(|| regex(r" *\[(?:possible values|required)[^\]]*\]| *Possible values: - .*"));
