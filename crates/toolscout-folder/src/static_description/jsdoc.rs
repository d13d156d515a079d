//! JSDoc comments: the description and the tags that describe a tool.

use super::scan::{bracketed, literal};
use serde_json::Value;

/// A comment, split into its tags.
#[derive(Debug, Default)]
pub(super) struct JsDoc {
    pub(super) description: Option<String>,
    /// The name in `@tool NAME`, which may be empty; `None` without that tag.
    pub(super) tool: Option<String>,
    pub(super) title: Option<String>,
    pub(super) keywords: Vec<String>,
    pub(super) visibility: Option<String>,
    pub(super) params: Vec<DocParam>,
}

/// `@param {type} [name=default] - description`
#[derive(Debug, Default, Clone, PartialEq)]
pub(super) struct DocParam {
    /// The name; `input.url` for a property.
    pub(super) name: String,
    pub(super) kind: Option<String>,
    pub(super) is_optional: bool,
    pub(super) default: Option<Value>,
    pub(super) description: Option<String>,
}

/// All JSDoc comments of a text, each with the position after it.
pub(super) fn comments(text: &str) -> Vec<(&str, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find("/**").map(|start| at + start) {
        let Some(length) = text[start + 3..].find("*/") else { break };
        let end = start + 3 + length;
        found.push((&text[start + 3..end], end + 2));
        at = end + 2;
    }
    found
}

impl JsDoc {
    pub(super) fn parse(comment: &str) -> Self {
        let mut doc = Self::default();
        let mut prose = String::new();
        for section in sections(comment) {
            let Some(tag) = section.strip_prefix('@') else {
                prose = section;
                continue;
            };
            let (tag, rest) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
            let rest = rest.trim();
            match tag {
                "tool" => doc.tool = Some(rest.to_owned()),
                "title" => doc.title = text(rest),
                "description" | "desc" => doc.description = text(rest),
                "keywords" => {
                    let words = rest.split(',').map(str::trim).filter(|word| !word.is_empty());
                    doc.keywords = words.map(str::to_owned).collect();
                }
                "visibility" => doc.visibility = text(rest),
                "param" | "arg" | "argument" => doc.params.extend(param(rest)),
                _ => {}
            }
        }
        // The first paragraph is the description, as in other tools that read such comments.
        let first = prose.split("\n\n").next().unwrap_or_default();
        doc.description = doc.description.or_else(|| text(first));
        doc
    }
}

/// The prose before the first tag, then each tag with its continuation lines.
fn sections(comment: &str) -> Vec<String> {
    let mut sections = vec![String::new()];
    for line in comment.lines() {
        let line = line.trim();
        let line =
            line.strip_prefix('*').map_or(line, |rest| rest.strip_prefix(' ').unwrap_or(rest));
        if line.trim_start().starts_with('@') {
            sections.push(line.trim().to_owned());
        } else if let Some(last) = sections.last_mut() {
            last.push('\n');
            last.push_str(line.trim_end());
        }
    }
    sections.iter().map(|section| section.trim().to_owned()).collect()
}

fn param(rest: &str) -> Option<DocParam> {
    let mut param = DocParam::default();
    let mut rest = rest;
    if rest.starts_with('{') {
        let (kind, end) = bracketed(rest, 0)?;
        param.kind = Some(kind.trim().to_owned());
        rest = rest[end..].trim_start();
    }
    let description = if rest.starts_with('[') {
        let (inside, end) = bracketed(rest, 0)?;
        let (name, default) = inside.split_once('=').unwrap_or((inside, ""));
        param.name = name.trim().to_owned();
        param.is_optional = true;
        param.default = text(default).map(|text| literal(&text).unwrap_or(Value::String(text)));
        &rest[end..]
    } else {
        let (name, description) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        param.name = name.to_owned();
        description
    };
    let description = description.trim_start();
    param.description = text(description.strip_prefix("- ").unwrap_or(description));
    (!param.name.is_empty()).then_some(param)
}

/// The text on one line; `None` if it is empty.
fn text(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    Some(words.join(" ")).filter(|text| !text.is_empty())
}
