//! Redacts secrets in logs and messages.

mod text;
mod values;

pub use text::text;
pub use values::{knows_values, remember, remember_briefly, values};

use serde_json::Value;

/// The replacement for a secret.
pub const REDACTED: &str = "[REDACTED]";

const SECRET_WORDS: [&str; 10] = [
    "token",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "apikey",
    "authorization",
    "credential",
    "privatekey",
    "cookie",
];

/// A copy for logs: redacts the value of every key that names a secret, at any depth, and every
/// known secret.
pub fn secrets(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            map.iter().map(|(key, value)| (values(key).into_owned(), hide(key, value))).collect()
        }
        Value::Array(items) => items.iter().map(secrets).collect(),
        Value::String(text) => values(text).into_owned().into(),
        other => other.clone(),
    }
}

fn hide(key: &str, value: &Value) -> Value {
    if names_a_secret(key) { REDACTED.into() } else { secrets(value) }
}

/// Whether a key, in any spelling (`api_token`, `apiToken`, `API-TOKEN`), names a secret.
pub fn names_a_secret(key: &str) -> bool {
    let letters: String =
        key.chars().filter(|it| it.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    SECRET_WORDS.iter().any(|it| letters.contains(it))
}
