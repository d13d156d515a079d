//! YAML files are not edited: the available writers lose comments.

use super::{ConfigEdit, nested};
use crate::ConfigError;
use std::path::Path;

/// The error that explains how to edit the file by hand.
pub(super) fn edit_by_hand_error(file: &Path, changes: &[ConfigEdit]) -> ConfigError {
    let message = format!(
        "`{}` is YAML, which toolscout does not edit, so that comments are kept",
        file.display()
    );
    let hints: Vec<String> = changes.iter().map(hint).collect();
    ConfigError::invalid(message, hints.join("\n"))
}

fn hint(change: &ConfigEdit) -> String {
    match change {
        ConfigEdit::Remove(path) => format!("remove `{}` by hand", path.join(".")),
        ConfigEdit::Set(path, value) => match serde_saphyr::to_string(&nested(path, value)) {
            Ok(lines) => format!("add this by hand:\n{}", lines.trim_end()),
            Err(_) => format!("set `{}` by hand", path.join(".")),
        },
    }
}
