//! Finds the parts of a TOML document in its text.

use std::ops::Range;
use toml_edit::{Item, Key, Table, TableLike, Value};

/// An item of a document.
pub(super) struct TomlItem<'a> {
    pub(super) key: &'a Key,
    pub(super) item: &'a Item,
    /// The number of keys of its path that are in the header above it.
    pub(super) section: usize,
    /// Whether it is within an inline table.
    pub(super) is_inline: bool,
}

/// The item at this path.
pub(super) fn find<'a>(root: &'a Table, path: &[String]) -> Option<TomlItem<'a>> {
    let (last, outer) = path.split_last()?;
    let mut table: &dyn TableLike = root;
    let (mut section, mut is_inline) = (0, false);
    for (depth, key) in outer.iter().enumerate() {
        match table.get(key)? {
            Item::Table(inner) => {
                section = if header(inner).is_some() { depth + 1 } else { section };
                table = inner;
            }
            Item::Value(Value::InlineTable(inner)) => {
                is_inline = true;
                table = inner;
            }
            _ => return None,
        }
    }
    let (key, item) = table.get_key_value(last)?;
    Some(TomlItem { key, item, section, is_inline })
}

/// The range of a table's header; `None` if the table exists only through dotted keys or nested
/// tables.
pub(super) fn header(table: &Table) -> Option<Range<usize>> {
    table.span().filter(|span| !span.is_empty() && !table.is_dotted() && !table.is_implicit())
}

/// The end of the last value directly below the table's header.
pub(super) fn last_value_end(table: &Table) -> Option<usize> {
    let ends = table.iter().filter_map(|(_, item)| match item {
        Item::Value(value) => value.span().map(|span| span.end),
        Item::Table(inner) if inner.is_dotted() => last_value_end(inner),
        _ => None,
    });
    ends.max()
}

/// The ranges that make up an item, in order, each with whether it starts with a header.
pub(super) fn item_ranges(key: &Key, item: &Item) -> Vec<(Range<usize>, bool)> {
    let mut ranges = Vec::new();
    collect_ranges(key, item, &mut ranges);
    ranges.sort_by_key(|(span, _)| span.start);
    ranges
}

fn collect_ranges(key: &Key, item: &Item, ranges: &mut Vec<(Range<usize>, bool)>) {
    match item {
        Item::None => {}
        Item::Value(value) => {
            ranges.extend(
                key.span().zip(value.span()).map(|(key, value)| (key.start..value.end, false)),
            );
        }
        Item::Table(table) => collect_table_ranges(table, ranges),
        Item::ArrayOfTables(tables) => {
            tables.iter().for_each(|table| collect_table_ranges(table, ranges))
        }
    }
}

fn collect_table_ranges(table: &Table, ranges: &mut Vec<(Range<usize>, bool)>) {
    let header = header(table);
    if let Some(header) = &header {
        let end = last_value_end(table).unwrap_or(header.end);
        ranges.push((header.start..end, true));
    }
    for (name, item) in table.iter() {
        let is_own =
            matches!(item, Item::Value(_)) || matches!(item, Item::Table(it) if it.is_dotted());
        if let (false, Some(key)) = (is_own && header.is_some(), table.key(name)) {
            collect_ranges(key, item, ranges);
        }
    }
}

/// The ranges of headers and values, to tell comments and blank lines from content.
#[derive(Debug, Default)]
pub(super) struct TomlLayout {
    content: Vec<Range<usize>>,
    /// The offset of the first header.
    pub(super) first_section: Option<usize>,
}

impl TomlLayout {
    pub(super) fn new(root: &Table) -> Self {
        let mut all = Vec::new();
        for (name, item) in root.iter() {
            if let Some(key) = root.key(name) {
                collect_content(key, item, &mut all);
            }
        }
        let first_section =
            all.iter().filter(|(_, is_header)| *is_header).map(|(span, _)| span.start).min();
        Self { content: all.into_iter().map(|(span, _)| span).collect(), first_section }
    }

    /// Whether the offset is outside of all headers and values, as in a comment.
    pub(super) fn is_outside_content(&self, offset: usize) -> bool {
        !self.content.iter().any(|range| range.contains(&offset))
    }
}

/// Collects every header and every value.
fn collect_content(key: &Key, item: &Item, all: &mut Vec<(Range<usize>, bool)>) {
    let mut tables: Vec<&Table> = Vec::new();
    match item {
        Item::None => {}
        Item::Value(_) => collect_ranges(key, item, all),
        Item::Table(table) => tables.push(table),
        Item::ArrayOfTables(list) => tables.extend(list.iter()),
    }
    for table in tables {
        all.extend(header(table).map(|header| (header, true)));
        for (name, item) in table.iter() {
            if let Some(key) = table.key(name) {
                collect_content(key, item, all);
            }
        }
    }
}
