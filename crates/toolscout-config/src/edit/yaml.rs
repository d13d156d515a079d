//! YAML is left to people: what can rewrite it loses its comments.

use super::{ConfigEdit, nested};
use crate::ConfigError;
use std::path::Path;

/// Says that the file has to be changed by hand, and how.
pub(super) fn refusal(file: &Path, changes: &[ConfigEdit]) -> ConfigError {
    let message = format!("`{}` is YAML, which is not changed here, so that it keeps its comments", file.display());
    let hints: Vec<String> = changes.iter().map(hint).collect();
    ConfigError::invalid(message, hints.join("\n"))
}

fn hint(change: &ConfigEdit) -> String {
    match change {
        ConfigEdit::Remove(path) => format!("take `{}` out of it by hand", path.join(".")),
        ConfigEdit::Set(path, value) => match serde_saphyr::to_string(&nested(path, value)) {
            Ok(lines) => format!("put this into it by hand:\n{}", lines.trim_end()),
            Err(_) => format!("set `{}` in it by hand", path.join(".")),
        },
    }
}
