//! TOML, and the positions of its keys.

use super::{DocumentError, line_and_column};
use serde_json::Value;
use toml_edit::{Item, TableLike};

pub(super) fn parse(text: &str) -> Result<Value, DocumentError> {
    toml::from_str(text).map_err(|error| DocumentError {
        reason: error.message().replace('\n', ", "),
        position: error.span().map(|span| line_and_column(text, span.start)),
    })
}

/// The offset of the key at this path.
pub(super) fn key_offset(text: &str, path: &[&str]) -> Option<usize> {
    let document = toml_edit::Document::parse(text).ok()?;
    let mut offset = None;
    let mut table: &dyn TableLike = document.as_table();
    for (depth, key) in path.iter().enumerate() {
        let (key, item) = table.get_key_value(key)?;
        offset = item_start(key, item).or(offset);
        match item.as_table_like() {
            Some(inner) => table = inner,
            None if depth + 1 == path.len() => {}
            None => return None,
        }
    }
    offset
}

fn item_start(key: &toml_edit::Key, item: &Item) -> Option<usize> {
    match item {
        Item::Table(table) if !table.is_implicit() => table.span().or_else(|| key.span()),
        _ => key.span(),
    }
    .map(|span| span.start)
}
