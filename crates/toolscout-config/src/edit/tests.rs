//! 1. Only the necessary text changes, in TOML and in JSON, in any style.
//! 2. Removing an added value restores the exact text.
//! 3. A file that cannot be edited safely is left alone, and the error contains the fix.
//! 4. No concurrent writer loses the change of another, and no reader sees a partial file.

mod files;
mod json_texts;
mod roundtrip;
mod servers;
mod toml_texts;
mod writers;

use super::*;

fn set(keys: &[&str], value: Value) -> ConfigEdit {
    ConfigEdit::Set(key_path(keys), value)
}

fn remove(keys: &[&str]) -> ConfigEdit {
    ConfigEdit::Remove(key_path(keys))
}

/// The text after the edit, validated as for a file.
fn after(name: &str, text: &str, change: ConfigEdit) -> Result<String, String> {
    edited_text(Path::new(name), text, &|_| Ok(vec![change.clone()]))
        .map_err(|error| error.to_string())
}

fn toml_after(text: &str, change: ConfigEdit) -> String {
    after("x.toml", text, change).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn json_after(text: &str, change: ConfigEdit) -> String {
    after("x.json", text, change).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn entry() -> Value {
    json!({"command": "npx", "args": ["-y", "mail"], "env": {"TOKEN": "env:T"}})
}
