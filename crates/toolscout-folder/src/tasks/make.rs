//! Targets of a Makefile: those that are phony, or described by `## text`.

use super::{BrokenTask, PLAIN_VALUE, Task};
use crate::header;
use std::collections::HashSet;

pub(super) fn read(text: &str) -> Vec<Result<Task, BrokenTask>> {
    let phony: HashSet<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix(".PHONY:"))
        .flat_map(str::split_whitespace)
        .collect();
    let mut tasks = Vec::new();
    let mut known: HashSet<&str> = HashSet::new();
    let mut comments: Vec<&str> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if let Some(comment) = line.strip_prefix('#') {
            comments.push(comment.trim_start_matches('#').trim());
            continue;
        }
        let above = std::mem::take(&mut comments);
        let Some((names, about)) = targets(line) else { continue };
        for name in names {
            if (about.is_none() && !phony.contains(name)) || !known.insert(name) {
                continue;
            }
            let broken = |reason| BrokenTask {
                name: name.to_owned(),
                reason: format!("line {}: target `{name}`: {reason}", at + 1),
            };
            tasks.push(task(name, about, &above).map_err(broken));
        }
    }
    tasks
}

/// The targets of a rule, and the text after `##`.
fn targets(line: &str) -> Option<(Vec<&str>, Option<&str>)> {
    let (rule, about) = match line.split_once("##") {
        Some((rule, about)) => (rule, Some(about.trim()).filter(|about| !about.is_empty())),
        None => (line, None),
    };
    if rule.starts_with(char::is_whitespace) {
        return None;
    }
    let (names, rest) = rule.split_once(':')?;
    // `NAME := value` is a variable.
    if rest.starts_with('=') || rest.starts_with(":=") || names.contains('=') {
        return None;
    }
    let is_plain = |name: &&str| {
        name.starts_with(|c: char| c.is_ascii_alphanumeric())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c))
    };
    Some((names.split_whitespace().filter(is_plain).collect(), about))
}

/// `comments` are the lines above: a description, `param VARIABLE …` and `timeout: …`.
fn task(name: &str, about: Option<&str>, comments: &[&str]) -> Result<Task, String> {
    let mut task = Task { name: name.to_owned(), ..Task::default() };
    let mut prose: Vec<&str> = Vec::new();
    for comment in comments {
        if let Some(rest) = comment.strip_prefix("param ") {
            let mut parameter = header::parameter(rest)?;
            // Text without choices may contain plain characters only.
            parameter.limit_text(PLAIN_VALUE)?;
            let variable = parameter.name().to_owned();
            if !variable.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                return Err(format!("`{variable}` is not the name of a variable"));
            }
            // Flags are in lower case.
            let name = variable.to_lowercase();
            task.args.push(format!("{variable}={{{name}}}"));
            parameter.rename(name);
            task.parameters.push(parameter);
        } else if let Some(value) = comment.strip_prefix("timeout:") {
            task.timeout_ms = Some(header::timeout(value.trim())?);
        } else if !comment.is_empty() {
            prose.push(comment);
        }
    }
    let prose = Some(prose.join(" ")).filter(|prose| !prose.is_empty());
    task.description = about.map(str::to_owned).or(prose);
    task.command = vec!["make".to_owned(), "--no-print-directory".to_owned(), name.to_owned()];
    Ok(task)
}
