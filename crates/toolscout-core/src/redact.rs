//! Redacts secrets in logs and messages.

mod text;
mod values;

pub use text::text;
pub use values::{add_request_secret, add_secret, has_known_secrets, known_secrets};

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
pub fn json(value: &Value) -> Value {
    match value {
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| (known_secrets(key).into_owned(), redact_entry(key, value)))
            .collect(),
        Value::Array(items) => items.iter().map(json).collect(),
        Value::String(text) => known_secrets(text).into_owned().into(),
        other => other.clone(),
    }
}

fn redact_entry(key: &str, value: &Value) -> Value {
    if names_a_secret(key) { REDACTED.into() } else { json(value) }
}

/// Whether a key, in any spelling (`api_token`, `apiToken`, `API-TOKEN`), names a secret.
pub fn names_a_secret(key: &str) -> bool {
    let letters: String =
        key.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    SECRET_WORDS.iter().any(|secret_word| letters.contains(secret_word))
}
