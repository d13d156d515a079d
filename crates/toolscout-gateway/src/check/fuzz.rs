//! A fuzz target: arguments against a hostile schema.

use super::schema::{Schema, validator};
use super::{OutputValidator, defaults, plain};
use serde_json::Value;
use toolscout_core::RawJson;

/// Checks a value, after a NUL byte, against the schema before it. The plain check accepts only
/// what the validator accepts, and no schema makes the check panic.
pub fn schema(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (schema, value) = text.split_once('\0').unwrap_or((&text, "{}"));
    let (Ok(raw), Ok(mut value)) = (RawJson::parse(schema), serde_json::from_str::<Value>(value))
    else {
        return;
    };
    let _ = OutputValidator::read(&raw);
    let Ok(schema) = Schema::read(&raw) else { return };
    if let Value::Object(arguments) = &mut value {
        defaults::fill(schema.value(), arguments);
    }
    let Ok(violations) = schema.violations(&value) else { return };
    let fits = plain::is_plain(schema.value()) && plain::fits(schema.value(), &value);
    assert!(!fits || violations.is_empty());
    if fits {
        let validator = validator(schema.value()).expect("a plain schema is valid");
        assert!(validator.is_valid(&value), "the plain check accepts less than the validator");
    }
}
