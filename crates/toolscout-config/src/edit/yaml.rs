//! YAML files are not edited: the available writers lose comments.

use super::{ConfigEdit, nested};
use crate::ConfigError;
use std::path::Path;

/// The error that explains how to edit the file by hand.
pub(super) fn refusal(file: &Path, changes: &[ConfigEdit]) -> ConfigError {
    let message = format!(
        "`{}` is YAML, which is not changed here, so that it keeps its comments",
        file.display()
    );
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
