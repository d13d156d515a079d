//! Edits JSON, including comments, as replacements in its text.

mod trivia;
mod write;

use super::splice::{self, Splice, indent, line_before, line_break, line_end, line_start};
use super::{ConfigEdit, nested};
use crate::document::json::{name_of, property, tree};
use jsonc_parser::ast::{self, Object, ObjectProp};
use jsonc_parser::common::Ranged;
use serde_json::Value;
use std::ops::Range;

/// The text with the edit applied; `None` if this layout is not supported.
pub(super) fn edit(text: &str, change: &ConfigEdit) -> Option<String> {
    let tree = tree(text).ok()?;
    let Some(ast::Value::Object(root)) = &tree else {
        return fresh(text, change).filter(|_| tree.is_none());
    };
    let editing = JsonEditing { text, unit: unit(text, root) };
    let splices = match change {
        ConfigEdit::Set(path, value) => editing.set(root, path, value)?,
        ConfigEdit::Remove(path) => editing.remove(root, path)?,
    };
    splice::apply(text, splices)
}

/// The text for a file that is empty or contains only comments.
fn fresh(text: &str, change: &ConfigEdit) -> Option<String> {
    let ConfigEdit::Set(path, value) = change else { return None };
    let feed = line_break(text);
    let before = if text.is_empty() || text.ends_with('\n') { "" } else { feed };
    let object = write::pretty(&nested(path, value), "", "  ", feed);
    Some(format!("{text}{before}{object}{feed}"))
}

/// The indentation of one level.
fn unit(text: &str, root: &Object<'_>) -> String {
    let first = root.properties.first().filter(|it| is_first_of_line(text, it.range.start));
    let unit = first.map(|it| indent(text, it.range.start)).filter(|it| !it.is_empty());
    unit.unwrap_or("  ").to_owned()
}

struct JsonEditing<'a> {
    text: &'a str,
    unit: String,
}

impl JsonEditing<'_> {
    fn set(&self, object: &Object<'_>, path: &[String], value: &Value) -> Option<Vec<Splice>> {
        let (first, rest) = path.split_first()?;
        match property(object, first) {
            None => Some(self.add(object, first, &nested(rest, value))),
            Some(there) => match (&there.value, rest.is_empty()) {
                (ast::Value::Object(inner), false) => self.set(inner, rest, value),
                // A null value counts as absent.
                (old, is_last) if is_last || matches!(old, ast::Value::NullKeyword(_)) => {
                    let at = there.range.start;
                    let text = if is_first_of_line(self.text, at) {
                        self.pretty(&nested(rest, value), indent(self.text, at))
                    } else {
                        write::compact(&nested(rest, value))
                    };
                    Some(vec![Splice::new(range(old), text)])
                }
                _ => None,
            },
        }
    }

    /// Adds a property at the end, formatted like its neighbours.
    fn add(&self, object: &Object<'_>, name: &str, value: &Value) -> Vec<Splice> {
        let name = Value::String(name.to_owned()).to_string();
        let Some(last) = object.properties.last() else {
            return vec![self.add_first(object, &name, value)];
        };
        let comma = self.comma_after(last.range.end);
        let end = comma.map_or(last.range.end, |it| it + 1);
        let closing = if comma.is_some() { "," } else { "" };
        let missing = if comma.is_some() { "" } else { "," };
        if !is_first_of_line(self.text, last.range.start) {
            return vec![Splice::insert(
                end,
                format!("{missing} {name}: {}{closing}", write::compact(value)),
            )];
        }
        let indent = indent(self.text, last.range.start);
        let value = self.pretty(value, indent);
        let line = format!("{}{indent}{name}: {value}{closing}", line_break(self.text));
        let after_comment = trivia::end_of_comment_on_line(self.text, end);
        vec![Splice::insert(last.range.end, missing), Splice::insert(after_comment, line)]
    }

    fn add_first(&self, object: &Object<'_>, name: &str, value: &Value) -> Splice {
        let outer = indent(self.text, object.range.start);
        let inner = format!("{outer}{}", self.unit);
        let feed = line_break(self.text);
        let line = format!("{feed}{inner}{name}: {}", self.pretty(value, &inner));
        let within = object.range.start + 1..object.range.end - 1;
        match self.text[within.clone()].trim_end().len() {
            0 => Splice::new(within, format!("{line}{feed}{outer}")),
            comments => Splice::insert(within.start + comments, line),
        }
    }

    fn remove(&self, object: &Object<'_>, path: &[String]) -> Option<Vec<Splice>> {
        let (first, rest) = path.split_first()?;
        let at = object.properties.iter().position(|it| name_of(it) == first)?;
        let there = object.properties.get(at)?;
        if !rest.is_empty() {
            return self.remove(there.value.as_object()?, rest);
        }
        let within = object.range.start + 1..object.range.end - 1;
        let splices = if is_first_of_line(self.text, there.range.start) {
            self.remove_lines(object, at, there)
        } else {
            vec![Splice::remove(self.stretch(object, at, there))]
        };
        // After removing the last property, an object without comments becomes `{}`.
        let is_left = |it: usize| !splices.iter().any(|splice| splice.range.contains(&it));
        let mut left = self.text[within.clone()]
            .char_indices()
            .filter(|(offset, _)| is_left(within.start + offset));
        let is_empty = object.properties.len() == 1 && left.all(|(_, it)| it.is_whitespace());
        Some(if is_empty { vec![Splice::remove(within)] } else { splices })
    }

    /// Removes a property that starts a line, with the comments directly above it and the one
    /// behind it.
    fn remove_lines(&self, object: &Object<'_>, at: usize, there: &ObjectProp<'_>) -> Vec<Splice> {
        let comma = self.comma_after(there.range.end);
        let end = comma.map_or(there.range.end, |it| it + 1);
        let after_comment = trivia::end_of_comment_on_line(self.text, end);
        let is_last_of_line = self.text
            [after_comment..line_end(self.text, after_comment).max(after_comment)]
            .trim()
            .is_empty();
        if let (false, Some(next)) = (is_last_of_line, object.properties.get(at + 1)) {
            return vec![Splice::remove(there.range.start..next.range.start)];
        }
        let start =
            self.with_comments(line_start(self.text, there.range.start), object.range.start);
        let start = self.text[..start]
            .strip_suffix('\n')
            .map_or(start, |it| it.strip_suffix('\r').unwrap_or(it).len());
        let mut splices = vec![Splice::remove(start..after_comment)];
        let before = at.checked_sub(1).and_then(|it| object.properties.get(it));
        // Without this, a trailing comma would be left.
        if let (None, Some(before)) = (comma, before.and_then(|it| self.comma_after(it.range.end)))
        {
            splices.insert(0, Splice::remove(before..before + 1));
        }
        splices
    }

    /// The range of a property that shares its line with others, with one adjacent comma.
    fn stretch(&self, object: &Object<'_>, at: usize, there: &ObjectProp<'_>) -> Range<usize> {
        let comma = self.comma_after(there.range.end);
        let end = comma.map_or(there.range.end, |it| it + 1);
        let before =
            at.checked_sub(1).and_then(|it| self.comma_after(object.properties.get(it)?.range.end));
        match (object.properties.get(at + 1), before) {
            (Some(next), _) => there.range.start..next.range.start,
            (None, Some(before)) => before + usize::from(comma.is_some())..end,
            (None, None) => there.range.start..end,
        }
    }

    fn comma_after(&self, at: usize) -> Option<usize> {
        let at = trivia::skip(self.text, at);
        self.text[at..].starts_with(',').then_some(at)
    }

    /// The start of the comment lines directly above a line.
    fn with_comments(&self, line: usize, floor: usize) -> usize {
        let mut start = line;
        while let Some(before) = line_before(self.text, start).filter(|it| it.start > floor) {
            if !trivia::is_comment(&self.text[before.clone()]) {
                break;
            }
            start = before.start;
        }
        start
    }

    fn pretty(&self, value: &Value, indent: &str) -> String {
        write::pretty(value, indent, &self.unit, line_break(self.text))
    }
}

fn range(value: &ast::Value<'_>) -> Range<usize> {
    let range = value.range();
    range.start..range.end
}

fn is_first_of_line(text: &str, at: usize) -> bool {
    text[line_start(text, at)..at].trim().is_empty() && line_start(text, at) > 0
}
