//! Field types that serde does not provide: for `#[serde(deserialize_with = "…")]`.

use super::error::alternatives;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::path::PathBuf;
use toolscout_mcp_client::ConfigText;

/// A string, and the folder of its file.
#[derive(Deserialize)]
#[serde(rename = "LocatedText")]
struct LocatedText(String, PathBuf);

impl LocatedText {
    fn path(self) -> PathBuf {
        self.1.join(self.0)
    }

    fn text(self) -> ConfigText {
        ConfigText::new(self.0, Some(&self.1))
    }
}

/// A path, relative to its file.
pub(crate) fn path<'de, D: Deserializer<'de>>(value: D) -> Result<Option<PathBuf>, D::Error> {
    Ok(Option::<LocatedText>::deserialize(value)?.map(LocatedText::path))
}

/// A list of such paths.
pub(crate) fn paths<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Vec<PathBuf>>, D::Error> {
    let list = Option::<Vec<LocatedText>>::deserialize(value)?;
    Ok(list.map(|value| value.into_iter().map(LocatedText::path).collect()))
}

/// A list of such paths, in which `default` stands for the project root.
pub(crate) fn roots<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Vec<PathBuf>>, D::Error> {
    let root = |located_text: LocatedText| {
        if located_text.0 == "default" {
            PathBuf::from(located_text.0)
        } else {
            located_text.path()
        }
    };
    let list = Option::<Vec<LocatedText>>::deserialize(value)?;
    Ok(list.map(|value| value.into_iter().map(root).collect()))
}

/// A string that may refer to a secret.
pub(crate) fn text<'de, D: Deserializer<'de>>(value: D) -> Result<Option<ConfigText>, D::Error> {
    Ok(Option::<LocatedText>::deserialize(value)?.map(LocatedText::text))
}

/// A table of such strings.
pub(crate) fn texts<'de, D: Deserializer<'de>>(
    value: D,
) -> Result<BTreeMap<String, ConfigText>, D::Error> {
    let table = BTreeMap::<String, LocatedText>::deserialize(value)?;
    Ok(table.into_iter().map(|(name, item)| (name, item.text())).collect())
}

/// Milliseconds, from one to a day.
pub(crate) fn milliseconds<'de, D: Deserializer<'de>>(value: D) -> Result<Option<u64>, D::Error> {
    match Option::<u64>::deserialize(value)? {
        Some(value) if !(1..=86_400_000).contains(&value) => Err(D::Error::custom(format!(
            "is `{value}`; it must be a whole number from 1 to 86400000"
        ))),
        value => Ok(value),
    }
}

/// One of a few words.
pub(crate) fn one_of<'de, D: Deserializer<'de>>(
    value: D,
    words: &[&str],
) -> Result<Option<String>, D::Error> {
    match Option::<String>::deserialize(value)? {
        Some(value) if !words.contains(&value.as_str()) => {
            Err(D::Error::custom(format!("is `{value}`; use {}", alternatives(words))))
        }
        value => Ok(value),
    }
}
