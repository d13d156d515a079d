//! Where the parts of a TOML document are in its text.

use std::ops::Range;
use toml_edit::{Item, Key, Table, TableLike, Value};

/// Something in a document.
pub(super) struct TomlItem<'a> {
    pub(super) key: &'a Key,
    pub(super) item: &'a Item,
    /// How many keys of its path the header above it says.
    pub(super) section: usize,
    /// Whether it is within an inline table.
    pub(super) is_inline: bool,
}

/// What is at this path.
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

/// Where the header of a table is; `None` where keys with dots, or tables below, make it up.
pub(super) fn header(table: &Table) -> Option<Range<usize>> {
    table.span().filter(|it| !it.is_empty() && !table.is_dotted() && !table.is_implicit())
}

/// Where the last value below the table's own header ends.
pub(super) fn last_value_end(table: &Table) -> Option<usize> {
    let ends = table.iter().filter_map(|(_, item)| match item {
        Item::Value(value) => value.span().map(|it| it.end),
        Item::Table(inner) if inner.is_dotted() => last_value_end(inner),
        _ => None,
    });
    ends.max()
}

/// The stretches of text that make up an item, in their order, and of each whether it starts with a header.
pub(super) fn pieces(key: &Key, item: &Item) -> Vec<(Range<usize>, bool)> {
    let mut pieces = Vec::new();
    gather(key, item, &mut pieces);
    pieces.sort_by_key(|(span, _)| span.start);
    pieces
}

fn gather(key: &Key, item: &Item, pieces: &mut Vec<(Range<usize>, bool)>) {
    match item {
        Item::None => {}
        Item::Value(value) => {
            pieces.extend(key.span().zip(value.span()).map(|(key, value)| (key.start..value.end, false)));
        }
        Item::Table(table) => gather_table(table, pieces),
        Item::ArrayOfTables(tables) => tables.iter().for_each(|it| gather_table(it, pieces)),
    }
}

fn gather_table(table: &Table, pieces: &mut Vec<(Range<usize>, bool)>) {
    let header = header(table);
    if let Some(header) = &header {
        let end = last_value_end(table).unwrap_or(header.end);
        pieces.push((header.start..end, true));
    }
    for (name, item) in table.iter() {
        let is_own = matches!(item, Item::Value(_)) || matches!(item, Item::Table(it) if it.is_dotted());
        if let (false, Some(key)) = (is_own && header.is_some(), table.key(name)) {
            gather(key, item, pieces);
        }
    }
}

/// What of a text is said, so that what lies between can be told from it.
#[derive(Debug, Default)]
pub(super) struct TomlLayout {
    said: Vec<Range<usize>>,
    /// Where the first header is.
    pub(super) first_section: Option<usize>,
}

impl TomlLayout {
    pub(super) fn of(root: &Table) -> Self {
        let mut all = Vec::new();
        for (name, item) in root.iter() {
            if let Some(key) = root.key(name) {
                every(key, item, &mut all);
            }
        }
        let first_section = all.iter().filter(|(_, is_header)| *is_header).map(|(span, _)| span.start).min();
        Self { said: all.into_iter().map(|(span, _)| span).collect(), first_section }
    }

    /// Whether the place is outside of all values, as comments are.
    pub(super) fn is_between(&self, place: usize) -> bool {
        !self.said.iter().any(|it| it.contains(&place))
    }
}

/// Every header and every value.
fn every(key: &Key, item: &Item, all: &mut Vec<(Range<usize>, bool)>) {
    let mut tables: Vec<&Table> = Vec::new();
    match item {
        Item::None => {}
        Item::Value(_) => gather(key, item, all),
        Item::Table(table) => tables.push(table),
        Item::ArrayOfTables(list) => tables.extend(list.iter()),
    }
    for table in tables {
        all.extend(header(table).map(|it| (it, true)));
        for (name, item) in table.iter() {
            if let Some(key) = table.key(name) {
                every(key, item, all);
            }
        }
    }
}
