//! `[context]`: what models are told about tools before they ask.

use super::keys::{Keys, Wrong, did_you_mean};

const KEY: &str = "context";
const KEYS: [&str; 1] = ["essential"];

/// What is configured; every field may be left out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ContextSettings {
    /// Parts of the names of tools that are worth naming, instead of the usual ones.
    pub essential: Option<Vec<String>>,
}

impl ContextSettings {
    pub(super) fn read(keys: &mut Keys) -> Result<Self, Wrong> {
        let Some(mut inner) = keys.inner(KEY)? else { return Ok(Self::default()) };
        let essential = inner.texts("essential").map_err(|it| wrong(it.reason))?;
        if essential.iter().flatten().any(String::is_empty) {
            return Err(wrong("`essential` holds an empty text, which every name does".to_owned()));
        }
        match inner.left().next() {
            Some((_, key)) => Err(wrong(format!("unknown key `{key}`{}", did_you_mean(key, &KEYS)))),
            None => Ok(Self { essential }),
        }
    }

    /// These, and where they say nothing, those of the other.
    pub(super) fn or(self, other: Self) -> Self {
        Self { essential: self.essential.or(other.essential) }
    }
}

fn wrong(reason: String) -> Wrong {
    Wrong { key: KEY.to_owned(), reason: format!("`{KEY}`: {reason}") }
}
