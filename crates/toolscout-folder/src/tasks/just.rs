//! Recipes of a justfile, with their parameters.

use super::{BrokenTask, PLAIN_VALUE, Task, text_list};
use crate::header;
use crate::parameters::Parameter;
use serde_json::{Map, Value};

pub(super) fn read(text: &str) -> Vec<Result<Task, BrokenTask>> {
    let mut tasks = Vec::new();
    let (mut comments, mut is_private): (Vec<&str>, bool) = (Vec::new(), false);
    for (at, line) in text.lines().enumerate() {
        if let Some(comment) = line.strip_prefix('#') {
            comments.push(comment.trim());
            continue;
        }
        if line.starts_with('[') {
            is_private |= line.contains("private");
            continue;
        }
        let above = std::mem::take(&mut comments);
        let hidden = std::mem::take(&mut is_private);
        let Some((name, parameters)) = recipe(line) else { continue };
        if hidden || name.starts_with('_') {
            continue;
        }
        let broken = |reason| BrokenTask {
            name: name.to_owned(),
            reason: format!("line {}: recipe `{name}`: {reason}", at + 1),
        };
        tasks.push(task(name, parameters, &above).map_err(broken));
    }
    tasks
}

/// The name and the parameters of a recipe: `build target='all' *flags: deps`.
fn recipe(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_prefix('@').unwrap_or(line);
    let end = line.find(|c: char| !(c.is_ascii_alphanumeric() || "_-".contains(c)))?;
    let (name, rest) = line.split_at(end);
    if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        return None;
    }
    let mut quote = None;
    for (at, c) in rest.char_indices() {
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            (None, ':') => {
                // `name := value` is a variable.
                let is_recipe = !rest[at..].starts_with(":=");
                return is_recipe.then(|| (name, rest[..at].trim()));
            }
            _ => {}
        }
    }
    None
}

fn task(name: &str, parameters: &str, comments: &[&str]) -> Result<Task, String> {
    let mut task = Task { name: name.to_owned(), ..Task::default() };
    for comment in comments {
        match comment.strip_prefix("timeout:") {
            Some(value) => task.timeout_ms = Some(header::timeout(value.trim())?),
            // just shows the line directly above.
            None => task.description = Some((*comment).to_owned()).filter(|it| !it.is_empty()),
        }
    }
    // just takes its arguments by position. An argument that is left out, and whose default only
    // just knows, would move all later ones.
    let mut unknown: Vec<Value> = Vec::new();
    for word in words(parameters) {
        let (front, default) = match word.split_once('=') {
            Some((front, default)) => (front, Some(default)),
            None => (word.as_str(), None),
        };
        let parameter = front.trim_start_matches(['+', '*', '$']);
        task.args.push(format!("{{{parameter}}}"));
        if !unknown.is_empty() {
            task.requires.insert(parameter.to_owned(), unknown.clone().into());
        }
        if default.is_some_and(|default| literal(default).is_none()) {
            unknown.push(parameter.into());
        }
        task.parameters.push(if front.starts_with(['+', '*']) {
            text_list(parameter, "", front.starts_with('+') && default.is_none())?
        } else {
            text(parameter, default)?
        });
    }
    task.command = ["just", "--", name].map(str::to_owned).to_vec();
    Ok(task)
}

fn text(name: &str, default: Option<&str>) -> Result<Parameter, String> {
    let mut keys = Map::from_iter([
        ("pattern".to_owned(), Value::from(PLAIN_VALUE)),
        ("required".to_owned(), default.is_none().into()),
    ]);
    if let Some(value) = default.and_then(literal) {
        keys.insert("default".to_owned(), value.into());
    }
    Parameter::new(name, keys)
}

/// The value of a default; none if it is an expression, which only just computes.
fn literal(default: &str) -> Option<&str> {
    let quoted =
        ['\'', '"'].iter().find_map(|mark| default.strip_prefix(*mark)?.strip_suffix(*mark));
    quoted.filter(|value| !value.contains(['\\', '{']))
}

/// Words, with quotes and parentheses kept together.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let (mut quote, mut depth) = (None, 0);
    for c in text.chars() {
        match (quote, c) {
            (None, '\'' | '"' | '`') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            (None, '(') => depth += 1,
            (None, ')') => depth -= 1,
            _ => {}
        }
        if c == ' ' && quote.is_none() && depth == 0 {
            words.push(String::new());
        } else if let Some(word) = words.last_mut() {
            word.push(c);
        }
    }
    words.retain(|word| !word.is_empty());
    words
}
