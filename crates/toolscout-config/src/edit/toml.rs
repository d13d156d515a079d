//! Edits TOML as replacements in its text.

mod layout;
mod write;

use super::splice::{
    self, Splice, indent, line_before, line_break, line_end, line_start, next_line,
};
use super::{ConfigEdit, nested};
use layout::{TomlItem, TomlLayout};
use serde_json::{Map, Value};
use std::ops::Range;
use toml_edit::{Document, Item};

/// The text with the edit applied; `None` if this layout is not supported.
pub(super) fn edit(text: &str, change: &ConfigEdit) -> Option<String> {
    let document = Document::parse(text).ok()?;
    let editing = TomlEditing { text, layout: TomlLayout::new(document.as_table()) };
    let splices = match change {
        ConfigEdit::Set(path, value) => match layout::find(document.as_table(), path) {
            Some(target) => editing.replace(path, &target, value)?,
            None => editing.add(&document, path, value)?,
        },
        ConfigEdit::Remove(path) => editing.remove(&layout::find(document.as_table(), path)?)?,
    };
    splice::apply(text, splices)
}

struct TomlEditing<'a> {
    text: &'a str,
    layout: TomlLayout,
}

impl TomlEditing<'_> {
    fn replace(
        &self,
        path: &[String],
        target: &TomlItem<'_>,
        value: &Value,
    ) -> Option<Vec<Splice>> {
        if let Item::Value(old) = target.item {
            return Some(vec![Splice::new(old.span()?, write::inline(value))]);
        }
        let pieces = self.item_lines(target)?;
        let (first, others) = pieces.split_first()?;
        // Sections are written as sections, dotted keys as a single dotted key.
        let text = match (first.is_section, value) {
            (true, Value::Object(map)) => write::section(path, map, line_break(self.text)),
            (true, _) => return None,
            (false, value) => {
                format!("{} = {}", write::dotted(&path[target.section..]), write::inline(value))
            }
        };
        let mut splices = vec![Splice::new(first.lines.start..first.end, text)];
        splices.extend(self.remove_all(others));
        Some(splices)
    }

    fn remove(&self, target: &TomlItem<'_>) -> Option<Vec<Splice>> {
        if target.is_inline {
            return self.remove_inline(target).map(|splice| vec![splice]);
        }
        Some(self.remove_all(&self.item_lines(target)?))
    }

    /// Removes an item from an inline table, with one adjacent comma.
    fn remove_inline(&self, target: &TomlItem<'_>) -> Option<Splice> {
        let Item::Value(value) = target.item else { return None };
        let range = target.key.span()?.start..value.span()?.end;
        let comma_before = self.text[..range.start].trim_end().strip_suffix(',');
        let after = &self.text[range.end..];
        let comma_after = after.len()
            - after.trim_start().strip_prefix(',').map(str::trim_start).unwrap_or(after).len();
        Some(Splice::remove(match comma_before {
            Some(before) => before.len()..range.end,
            None => range.start..range.end + comma_after,
        }))
    }

    fn add(
        &self,
        document: &Document<&str>,
        path: &[String],
        value: &Value,
    ) -> Option<Vec<Splice>> {
        let (depth, outer) = (1..path.len())
            .rev()
            .find_map(|index| Some((index, layout::find(document.as_table(), &path[..index])?)))
            .unzip();
        let Some((depth, outer)) = depth.zip(outer) else {
            return Some(vec![self.add_at_top(document, path, value)]);
        };
        let key = &path[depth..];
        match outer.item {
            Item::Value(table) => self.add_inline(table, key, value).map(|splice| vec![splice]),
            // A new table below a table becomes a section of its own, unless its parent uses dotted
            // keys.
            Item::Table(table)
                if !table.is_dotted() && matches!(value, Value::Object(_)) && key.len() == 1 =>
            {
                Some(vec![self.append_section(&write::section(
                    path,
                    value.as_object()?,
                    line_break(self.text),
                ))])
            }
            Item::Table(table) if table.is_dotted() => {
                let line =
                    format!("{} = {}", write::dotted(&path[outer.section..]), write::inline(value));
                let after = layout::last_value_end(table)?;
                Some(vec![self.insert_line_after(after, &line)])
            }
            Item::Table(table) => match layout::header(table) {
                Some(header) => {
                    let after = layout::last_value_end(table).unwrap_or(header.end);
                    Some(vec![self.insert_line_after(after, &key_and_value(key, value))])
                }
                None => Some(vec![self.append_section(&section_text(
                    path,
                    value,
                    line_break(self.text),
                ))]),
            },
            _ => None,
        }
    }

    fn add_inline(
        &self,
        table: &toml_edit::Value,
        key: &[String],
        value: &Value,
    ) -> Option<Splice> {
        let table = table.as_inline_table()?;
        let text = key_and_value(key, value);
        let last = table.iter().filter_map(|(_, value)| value.span()).map(|span| span.end).max();
        Some(match last {
            Some(end) => Splice::insert(end, format!(", {text}")),
            None => Splice::new(table.span()?, format!("{{ {text} }}")),
        })
    }

    /// Adds a value whose parent does not exist yet.
    fn add_at_top(&self, document: &Document<&str>, path: &[String], value: &Value) -> Splice {
        if path.len() > 1 {
            return self.append_section(&section_text(path, value, line_break(self.text)));
        }
        let line = key_and_value(path, value);
        let newline = line_break(self.text);
        if let Some(after) = layout::last_value_end(document.as_table()) {
            return self.insert_line_after(after, &line);
        }
        match self.layout.first_section {
            Some(first) => {
                let at = self.start_with_comments(line_start(self.text, first));
                Splice::insert(at, format!("{line}{newline}{newline}"))
            }
            None if self.text.is_empty() || self.text.ends_with('\n') => {
                Splice::insert(self.text.len(), format!("{line}{newline}"))
            }
            None => Splice::insert(self.text.len(), format!("{newline}{line}")),
        }
    }

    /// Appends a section. Whether the file ends with a line break does not change, so that removing
    /// the section restores the exact file.
    fn append_section(&self, section: &str) -> Splice {
        let newline = line_break(self.text);
        let end = self.text.len();
        Splice::insert(
            end,
            match self.text {
                "" => format!("{section}{newline}"),
                text if text.ends_with('\n') => format!("{newline}{section}{newline}"),
                _ => format!("{newline}{newline}{section}"),
            },
        )
    }

    /// Inserts a line below the one at this offset, with the same indentation.
    fn insert_line_after(&self, offset: usize, line: &str) -> Splice {
        let (at, newline) = (next_line(self.text, offset), line_break(self.text));
        let indent = indent(self.text, offset);
        Splice::insert(
            at,
            if self.text[..at].ends_with('\n') {
                format!("{indent}{line}{newline}")
            } else {
                format!("{newline}{indent}{line}")
            },
        )
    }

    fn item_lines(&self, target: &TomlItem<'_>) -> Option<Vec<TomlLines>> {
        let spans = layout::item_ranges(target.key, target.item);
        let to_lines = |(span, is_section): (Range<usize>, bool)| TomlLines {
            lines: line_start(self.text, span.start)..next_line(self.text, span.end),
            end: line_end(self.text, span.end),
            is_section,
        };
        let pieces: Vec<TomlLines> = spans.into_iter().map(to_lines).collect();
        (!pieces.is_empty()).then_some(pieces)
    }

    /// Removes all these lines.
    fn remove_all(&self, pieces: &[TomlLines]) -> Vec<Splice> {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for range in pieces.iter().map(|lines| self.removal_range(lines)) {
            match ranges.last_mut() {
                Some(last) if range.start <= last.end => last.end = range.end.max(last.end),
                _ => ranges.push(range),
            }
        }
        // A file without a final line break stays without one.
        if let Some(last) = ranges
            .last_mut()
            .filter(|range| range.end == self.text.len() && !self.text.ends_with('\n'))
        {
            let before = self.text[..last.start].strip_suffix('\n');
            last.start =
                before.map_or(last.start, |rest| rest.strip_suffix('\r').unwrap_or(rest).len());
        }
        ranges.into_iter().map(Splice::remove).collect()
    }

    /// The lines, the comments directly above them, and for a section the blank line that separates
    /// it.
    fn removal_range(&self, removed: &TomlLines) -> Range<usize> {
        let Range { start, end } = removed.lines.clone();
        let start = self.start_with_comments(start);
        let is_empty = |lines: &Range<usize>| self.text[lines.clone()].trim().is_empty();
        if start == 0 {
            let next = Some(end..next_line(self.text, end)).filter(is_empty);
            return 0..next.map_or(end, |line| line.end);
        }
        let before =
            line_before(self.text, start).filter(|line| removed.is_section && is_empty(line));
        before.map_or(start, |line| line.start)..end
    }

    /// The start of the comments directly above a line. Comments at the start of the file are about
    /// the file.
    fn start_with_comments(&self, line: usize) -> usize {
        let mut start = line;
        while let Some(before) = line_before(self.text, start) {
            let is_comment = self.text[before.clone()].trim_start().starts_with('#');
            if !is_comment || !self.layout.is_outside_content(before.start) {
                return start;
            }
            start = before.start;
        }
        line
    }
}

/// The lines of a value.
struct TomlLines {
    lines: Range<usize>,
    /// Their end, without the last line break.
    end: usize,
    /// Whether they start with a header.
    is_section: bool,
}

/// `key = value`; of several keys, all but the first become nested inline tables.
fn key_and_value(key: &[String], value: &Value) -> String {
    match key {
        [] => String::new(),
        [first, rest @ ..] => {
            format!("{} = {}", write::key(first), write::inline(&nested(rest, value)))
        }
    }
}

/// A section for the value itself if it is a table, else for its parent table.
fn section_text(path: &[String], value: &Value, newline: &str) -> String {
    match (value, path.split_last()) {
        (Value::Object(map), _) => write::section(path, map, newline),
        (_, Some((last, outer))) => {
            write::section(outer, &Map::from_iter([(last.clone(), value.clone())]), newline)
        }
        _ => String::new(),
    }
}
