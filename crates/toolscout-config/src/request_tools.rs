//! `[[request_tools]]`: a folder of tools that a header of a request chooses.

use super::keys::{Keys, Wrong, did_you_mean};
use serde_json::Value;

const KEY: &str = "request_tools";
const KEYS: [&str; 4] = ["header", "pattern", "folder", "source"];

/// One way to choose a folder, as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestTools {
    pub header: String,
    /// What the header's whole value must look like.
    pub pattern: String,
    /// Relative to the project, with `{value}` in it.
    pub folder: String,
    /// What the source of these tools is called.
    pub source: Option<String>,
}

impl RequestTools {
    pub(super) fn read(keys: &mut Keys) -> Result<Option<Vec<Self>>, Wrong> {
        let wrong = |reason: String| Wrong { key: KEY.to_owned(), reason };
        let entry = |value: Value| match value {
            Value::Object(map) => Self::entry(Keys::snake(map)).map_err(|it| wrong(format!("`{KEY}`: {it}"))),
            _ => Err(wrong(format!("`{KEY}` holds what is no table; write `[[{KEY}]]` before each"))),
        };
        match keys.take(KEY) {
            None => Ok(None),
            Some(Value::Array(all)) => all.into_iter().map(entry).collect::<Result<_, _>>().map(Some),
            Some(one) => entry(one).map(|it| Some(vec![it])),
        }
    }

    fn entry(mut keys: Keys) -> Result<Self, String> {
        let mut text = |key: &str| keys.text(key).map_err(|it| it.reason);
        let needed = |key: &str, said: Option<String>| said.ok_or_else(|| format!("`{key}` is missing"));
        let entry = Self {
            header: needed("header", text("header")?)?,
            pattern: needed("pattern", text("pattern")?)?,
            folder: needed("folder", text("folder")?)?,
            source: text("source")?,
        };
        match keys.left().next() {
            Some((_, key)) => Err(format!("unknown key `{key}`{}", did_you_mean(key, &KEYS))),
            None => Ok(entry),
        }
    }
}
