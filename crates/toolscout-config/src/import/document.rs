//! Parses a client's file in any supported format.

use super::KeyPath;
use crate::DocumentFormat;
use serde_json::{Map, Value};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The maximum size in bytes. Claude Code stores its history in the same file, so this is larger
/// than a configuration needs.
const MAX_BYTES: u64 = 64 << 20;

/// Parses the text of this file. An empty file is an empty table, not an error.
pub(crate) fn parse(path: &Path, text: &str) -> Result<Value, String> {
    DocumentFormat::from_path(path)
        .parse(text)
        .map(Value::Object)
        .map_err(|error| error.to_string())
}

/// The text of the file; `None` if it does not exist.
pub(crate) fn read(path: &Path) -> Result<Option<String>, String> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            return Ok(None);
        }
        Err(error) => return Err(error.to_string()),
    };
    let metadata = file.metadata().map_err(|error| error.to_string())?;
    if !metadata.is_file() {
        return Err("it is not a file".to_owned());
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err("it is larger than 64 MiB".to_owned());
    }
    String::from_utf8(bytes).map(Some).map_err(|_| "it is not UTF-8".to_owned())
}

/// The table at these keys.
pub(crate) fn table<'a>(document: &'a Value, section: &KeyPath) -> Option<&'a Map<String, Value>> {
    section.iter().try_fold(document, |value, key| value.get(key))?.as_object()
}
