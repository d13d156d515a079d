//! One configuration file as a tree, in any supported format; every error contains its position in
//! the file.

pub(super) mod json;
pub(super) mod toml;

use crate::error::{ConfigError, DocumentError};
use serde_json::{Map, Value};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use toolscout_core::{Diagnostic, DiagnosticKind};

/// The maximum size of a file in bytes; a larger one is a mistake or an attack.
const MAX_BYTES: u64 = 4 << 20;

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentFormat {
    Toml,
    /// Comments and trailing commas are accepted.
    Json,
    Yaml,
}

impl DocumentFormat {
    /// The format by file extension; JSON if the extension is unknown.
    pub fn from_path(path: &Path) -> Self {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("toml") => Self::Toml,
            Some("yaml" | "yml") => Self::Yaml,
            _ => Self::Json,
        }
    }

    /// Parses the whole text as a table; an empty text is an empty table.
    pub fn parse(self, text: &str) -> Result<Map<String, Value>, DocumentError> {
        let text = strip_bom(text);
        let value = match self {
            Self::Toml => toml::parse(text)?,
            Self::Json => json::parse(text)?,
            Self::Yaml => yaml(text)?,
        };
        match value {
            Value::Object(map) => Ok(map),
            Value::Null => Ok(Map::new()),
            _ => Err(DocumentError {
                reason: "it must be a table with keys".to_owned(),
                position: Some((1, 1)),
            }),
        }
    }

    /// Line and column of a key, both starting at one.
    fn key_position(self, text: &str, path: &[&str]) -> Option<(usize, usize)> {
        let text = strip_bom(text);
        let offset = match self {
            Self::Toml => toml::key_offset(text, path),
            Self::Json => json::key_offset(text, path),
            Self::Yaml => None,
        };
        offset.map(|offset| line_and_column(text, offset))
    }
}

/// A parsed file.
#[derive(Debug)]
pub struct Document {
    pub path: PathBuf,
    pub map: Map<String, Value>,
    text: String,
}

impl Document {
    /// Reads the file; `None` if it does not exist.
    pub fn read(path: &Path) -> Result<Option<Self>, ConfigError> {
        read_text(path)?.map(|text| Self::parse(path, &text)).transpose()
    }

    /// Parses this text as the content of the file.
    pub(crate) fn parse(path: &Path, text: &str) -> Result<Self, ConfigError> {
        let map =
            DocumentFormat::from_path(path).parse(text).map_err(|error| error.in_file(path))?;
        Ok(Self { path: path.to_owned(), map, text: text.to_owned() })
    }

    /// The base folder for relative paths in the file.
    pub fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }

    /// A diagnostic about a key of this file.
    pub(crate) fn warning(&self, path: &[&str], reason: String) -> Diagnostic {
        Diagnostic::warning(DiagnosticKind::Setting, self.error_at(path, reason).message())
            .with_path(&self.path)
    }

    /// The diagnostic for a setting that a project may not set.
    pub(crate) fn user_only_setting(&self, setting: &str) -> Diagnostic {
        let message = format!("{setting}, which is allowed only in your user configuration");
        self.warning(&[], message)
            .with_hint("move it to `config.toml` in your user configuration folder")
    }

    /// The error for the value of a key, with the position of the key or of its nearest ancestor
    /// that can be found. The position is computed only on demand, because most files are valid.
    pub fn error_at(&self, path: &[&str], reason: String) -> DocumentError {
        let format = DocumentFormat::from_path(&self.path);
        let position = (1..=path.len())
            .rev()
            .find_map(|index| format.key_position(&self.text, &path[..index]));
        DocumentError { reason, position }
    }
}

/// The text of a file; `None` if it does not exist.
pub(super) fn read_text(path: &Path) -> Result<Option<String>, ConfigError> {
    // Checked first, because opening a pipe would block until there is a writer.
    match path.metadata() {
        Ok(metadata) if metadata.is_file() => {}
        _ => return Ok(None),
    }
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes));
    match read {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        read => read.map_err(ConfigError::io("read", path))?,
    };
    let invalid = |reason: String, position| DocumentError { reason, position }.in_file(path);
    if bytes.len() as u64 > MAX_BYTES {
        return Err(invalid("it is larger than 4 MiB".to_owned(), None));
    }
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let valid = String::from_utf8_lossy(&error.as_bytes()[..error.utf8_error().valid_up_to()])
            .into_owned();
        invalid("it is not UTF-8".to_owned(), Some(line_and_column(&valid, valid.len())))
    })
}

/// Line and column of an offset, both starting at one; the column counts characters.
fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |index| index + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// Strips a byte order mark, which some editors write.
pub(super) fn strip_bom(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Parses YAML. Aliases can expand, so the parser has limits far above the needs of a
/// configuration.
fn yaml(text: &str) -> Result<Value, DocumentError> {
    if text.trim().is_empty() {
        return Ok(Value::Null);
    }
    let mut options = serde_saphyr::Options::default();
    // An excerpt of the file could contain a secret.
    options.with_snippet = false;
    if let Some(budget) = &mut options.budget {
        budget.max_nodes = 100_000;
        budget.max_aliases = 1_000;
        budget.max_anchors = 1_000;
    }
    options.alias_limits.max_total_replayed_events = 100_000;
    serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        let message = error.to_string();
        let reason = message.lines().next().unwrap_or("it is not valid YAML").trim();
        let position =
            error.location().map(|location| (location.line() as usize, location.column() as usize));
        DocumentError {
            reason: reason.to_owned(),
            position: position.filter(|_| !reason.contains("line ")),
        }
    })
}

/// The table without empty tables. They carry no information: removing a section also removes its
/// implicit parent tables.
pub(crate) fn without_empty_tables(map: Map<String, Value>) -> Map<String, Value> {
    let pruned = map.into_iter().map(|(key, value)| match value {
        Value::Object(inner) => (key, Value::Object(without_empty_tables(inner))),
        other => (key, other),
    });
    pruned.filter(|(_, value)| value.as_object().is_none_or(|object| !object.is_empty())).collect()
}

/// The value that these keys lead to.
pub(crate) fn value_at<'a>(map: &'a Map<String, Value>, path: &[String]) -> Option<&'a Value> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(map.get(first)?, |value, key| value.get(key))
}
