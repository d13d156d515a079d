//! Formats results for people, programs and models.

pub mod brief;
pub mod json;
pub mod safe_schema;
pub mod table;
mod text;
pub mod tool_result;
pub mod tools;
pub mod toon;

use serde_json::Value;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;
pub use text::Text;
pub use toolscout_core::counted;

/// The output format of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// For people: text unchanged, any other value as JSON.
    #[default]
    Text,
    /// Indented JSON.
    Json,
    /// TOON with sorted keys: the same data as JSON in fewer tokens.
    Toon,
}

impl Format {
    /// The values of `--output`.
    pub const ALL: [(&'static str, Format); 3] =
        [("text", Self::Text), ("json", Self::Json), ("toon", Self::Toon)];
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        let found = Self::ALL.into_iter().find(|(item, _)| *item == name);
        found.map(|(_, format)| format).ok_or_else(|| UnknownFormat(name.to_owned()))
    }
}

/// Not a format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownFormat(String);

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Format::ALL.map(|(name, _)| name).join(", ");
        write!(
            f,
            "`{}` is not a format (choose from: {names})",
            toolscout_core::escape::line(&self.0)
        )
    }
}

impl std::error::Error for UnknownFormat {}

/// The value in this format, without a final line feed.
pub fn render(value: &Value, format: Format) -> String {
    match (format, value) {
        (Format::Text, Value::String(text)) => text.clone(),
        (Format::Text | Format::Json, value) => json::pretty(value),
        (Format::Toon, value) => toon::encode(value),
    }
}

/// A duration in its largest unit: `40 s`, `3 min`, `5 h`, `2 days`.
pub fn age(age: Duration) -> String {
    match age.as_secs() {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds @ 60..3_600 => format!("{} min", seconds / 60),
        seconds @ 3_600..172_800 => format!("{} h", seconds / 3_600),
        seconds => format!("{} days", seconds / 86_400),
    }
}
