//! Reads a client's file into one form, whichever it is written in.

use super::KeyPath;
use crate::DocumentFormat;
use serde_json::{Map, Value};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// More than a configuration can be; Claude Code keeps its history in the same file.
const LARGEST: u64 = 64 << 20;

/// What the text of this file says. An empty one says nothing, which is no mistake.
pub(crate) fn parse(path: &Path, text: &str) -> Result<Value, String> {
    DocumentFormat::of(path).parse(text).map(Value::Object).map_err(|it| it.to_string())
}

/// The file's text; none where there is no file.
pub(crate) fn read(path: &Path) -> Result<Option<String>, String> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(error.to_string()),
    };
    let there = file.metadata().map_err(|it| it.to_string())?;
    if !there.is_file() {
        return Err("it is not a file".to_owned());
    }
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|it| it.to_string())?;
    if bytes.len() as u64 > LARGEST {
        return Err("it has more than 64 MiB".to_owned());
    }
    String::from_utf8(bytes).map(Some).map_err(|_| "it is not UTF-8".to_owned())
}

/// The table that these keys lead to.
pub(crate) fn table<'a>(document: &'a Value, section: &KeyPath) -> Option<&'a Map<String, Value>> {
    section.iter().try_fold(document, |it, key| it.get(key))?.as_object()
}
