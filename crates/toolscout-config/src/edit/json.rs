//! Edits JSON, including comments, as replacements in its text.

mod trivia;
mod write;

use super::splice::{self, Splice, indent, line_before, line_break, line_end, line_start};
use super::{ConfigEdit, nested};
use crate::document::json::{parse_tree, property, property_name};
use jsonc_parser::ast::{self, Object, ObjectProp};
use jsonc_parser::common::Ranged;
use serde_json::Value;
use std::ops::Range;

/// The text with the edit applied; `None` if this layout is not supported.
pub(super) fn edit(text: &str, change: &ConfigEdit) -> Option<String> {
    let tree = parse_tree(text).ok()?;
    let Some(ast::Value::Object(root)) = &tree else {
        return new_document(text, change).filter(|_| tree.is_none());
    };
    let editing = JsonEditing { text, indent_unit: indent_unit(text, root) };
    let splices = match change {
        ConfigEdit::Set(path, value) => editing.set(root, path, value)?,
        ConfigEdit::Remove(path) => editing.remove(root, path)?,
    };
    splice::apply(text, splices)
}

/// The text for a file that is empty or contains only comments.
fn new_document(text: &str, change: &ConfigEdit) -> Option<String> {
    let ConfigEdit::Set(path, value) = change else { return None };
    let newline = line_break(text);
    let before = if text.is_empty() || text.ends_with('\n') { "" } else { newline };
    let object = write::pretty(&nested(path, value), "", "  ", newline);
    Some(format!("{text}{before}{object}{newline}"))
}

/// The indentation of one level.
fn indent_unit(text: &str, root: &Object<'_>) -> String {
    let first =
        root.properties.first().filter(|property| is_first_of_line(text, property.range.start));
    let indent_unit = first
        .map(|property| indent(text, property.range.start))
        .filter(|indent| !indent.is_empty());
    indent_unit.unwrap_or("  ").to_owned()
}

struct JsonEditing<'a> {
    text: &'a str,
    indent_unit: String,
}

impl JsonEditing<'_> {
    fn set(&self, object: &Object<'_>, path: &[String], value: &Value) -> Option<Vec<Splice>> {
        let (first, rest) = path.split_first()?;
        match property(object, first) {
            None => Some(self.add(object, first, &nested(rest, value))),
            Some(existing) => match (&existing.value, rest.is_empty()) {
                (ast::Value::Object(inner), false) => self.set(inner, rest, value),
                // A null value counts as absent.
                (old, is_last) if is_last || matches!(old, ast::Value::NullKeyword(_)) => {
                    let at = existing.range.start;
                    let text = if is_first_of_line(self.text, at) {
                        self.pretty(&nested(rest, value), indent(self.text, at))
                    } else {
                        write::compact(&nested(rest, value))
                    };
                    Some(vec![Splice::new(value_range(old), text)])
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
        let end = comma.map_or(last.range.end, |comma| comma + 1);
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
        let after_comment = trivia::trailing_comment_end(self.text, end);
        vec![Splice::insert(last.range.end, missing), Splice::insert(after_comment, line)]
    }

    fn add_first(&self, object: &Object<'_>, name: &str, value: &Value) -> Splice {
        let outer = indent(self.text, object.range.start);
        let inner = format!("{outer}{}", self.indent_unit);
        let newline = line_break(self.text);
        let line = format!("{newline}{inner}{name}: {}", self.pretty(value, &inner));
        let within = object.range.start + 1..object.range.end - 1;
        match self.text[within.clone()].trim_end().len() {
            0 => Splice::new(within, format!("{line}{newline}{outer}")),
            comments => Splice::insert(within.start + comments, line),
        }
    }

    fn remove(&self, object: &Object<'_>, path: &[String]) -> Option<Vec<Splice>> {
        let (first, rest) = path.split_first()?;
        let at = object.properties.iter().position(|property| property_name(property) == first)?;
        let existing = object.properties.get(at)?;
        if !rest.is_empty() {
            return self.remove(existing.value.as_object()?, rest);
        }
        let within = object.range.start + 1..object.range.end - 1;
        let splices = if is_first_of_line(self.text, existing.range.start) {
            self.remove_lines(object, at, existing)
        } else {
            vec![Splice::remove(self.inline_range(object, at, existing))]
        };
        // After removing the last property, an object without comments becomes `{}`.
        let remains = |number: usize| !splices.iter().any(|splice| splice.range.contains(&number));
        let mut remaining = self.text[within.clone()]
            .char_indices()
            .filter(|(offset, _)| remains(within.start + offset));
        let is_empty = object.properties.len() == 1
            && remaining.all(|(_, character)| character.is_whitespace());
        Some(if is_empty { vec![Splice::remove(within)] } else { splices })
    }

    /// Removes a property that starts a line, with the comments directly above it and the one
    /// behind it.
    fn remove_lines(
        &self,
        object: &Object<'_>,
        at: usize,
        existing: &ObjectProp<'_>,
    ) -> Vec<Splice> {
        let comma = self.comma_after(existing.range.end);
        let end = comma.map_or(existing.range.end, |comma| comma + 1);
        let after_comment = trivia::trailing_comment_end(self.text, end);
        let is_last_of_line = self.text
            [after_comment..line_end(self.text, after_comment).max(after_comment)]
            .trim()
            .is_empty();
        if let (false, Some(next)) = (is_last_of_line, object.properties.get(at + 1)) {
            return vec![Splice::remove(existing.range.start..next.range.start)];
        }
        let start = self
            .start_with_comments(line_start(self.text, existing.range.start), object.range.start);
        let start = self.text[..start]
            .strip_suffix('\n')
            .map_or(start, |rest| rest.strip_suffix('\r').unwrap_or(rest).len());
        let mut splices = vec![Splice::remove(start..after_comment)];
        let before = at.checked_sub(1).and_then(|previous| object.properties.get(previous));
        // Without this, a trailing comma would be left.
        if let (None, Some(before)) =
            (comma, before.and_then(|property| self.comma_after(property.range.end)))
        {
            splices.insert(0, Splice::remove(before..before + 1));
        }
        splices
    }

    /// The range of a property that shares its line with others, with one adjacent comma.
    fn inline_range(
        &self,
        object: &Object<'_>,
        at: usize,
        existing: &ObjectProp<'_>,
    ) -> Range<usize> {
        let comma = self.comma_after(existing.range.end);
        let end = comma.map_or(existing.range.end, |comma| comma + 1);
        let before = at
            .checked_sub(1)
            .and_then(|previous| self.comma_after(object.properties.get(previous)?.range.end));
        match (object.properties.get(at + 1), before) {
            (Some(next), _) => existing.range.start..next.range.start,
            (None, Some(before)) => before + usize::from(comma.is_some())..end,
            (None, None) => existing.range.start..end,
        }
    }

    fn comma_after(&self, at: usize) -> Option<usize> {
        let at = trivia::skip(self.text, at);
        self.text[at..].starts_with(',').then_some(at)
    }

    /// The start of the comment lines directly above a line.
    fn start_with_comments(&self, line: usize, floor: usize) -> usize {
        let mut start = line;
        while let Some(before) = line_before(self.text, start).filter(|line| line.start > floor) {
            if !trivia::is_comment(&self.text[before.clone()]) {
                break;
            }
            start = before.start;
        }
        start
    }

    fn pretty(&self, value: &Value, indent: &str) -> String {
        write::pretty(value, indent, &self.indent_unit, line_break(self.text))
    }
}

fn value_range(value: &ast::Value<'_>) -> Range<usize> {
    let range = value.range();
    range.start..range.end
}

fn is_first_of_line(text: &str, at: usize) -> bool {
    text[line_start(text, at)..at].trim().is_empty() && line_start(text, at) > 0
}
