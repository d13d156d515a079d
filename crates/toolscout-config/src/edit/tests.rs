//! 1. Only what has to change does, in TOML and in JSON, whatever its style.
//! 2. Taking out what was put in gives the very text there was.
//! 3. A file that cannot be changed safely is left alone, and the error says what to do.
//! 4. Of many writers none loses another's change, and no reader sees half a file.

mod files;
mod json_texts;
mod roundtrip;
mod servers;
mod toml_texts;
mod writers;

use super::*;

fn set(keys: &[&str], value: Value) -> ConfigEdit {
    ConfigEdit::Set(path(keys), value)
}

fn remove(keys: &[&str]) -> ConfigEdit {
    ConfigEdit::Remove(path(keys))
}

/// The text after the change, checked as a file's would be.
fn after(name: &str, text: &str, change: ConfigEdit) -> Result<String, String> {
    changed(Path::new(name), text, &|_| Ok(vec![change.clone()])).map_err(|it| it.to_string())
}

fn toml_after(text: &str, change: ConfigEdit) -> String {
    after("x.toml", text, change).unwrap_or_else(|it| panic!("{it}\n{text}"))
}

fn json_after(text: &str, change: ConfigEdit) -> String {
    after("x.json", text, change).unwrap_or_else(|it| panic!("{it}\n{text}"))
}

fn entry() -> Value {
    json!({"command": "npx", "args": ["-y", "mail"], "env": {"TOKEN": "env:T"}})
}
