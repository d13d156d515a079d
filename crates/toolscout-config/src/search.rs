//! `[search]`: how tools are searched for.

use super::keys::{Keys, Wrong, did_you_mean};
use std::path::{Path, PathBuf};
use toolscout_core::Language;

const KEY: &str = "search";
const KEYS: [&str; 4] = ["semantic", "model", "language", "learn"];

/// What is configured; every field may be left out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchSettings {
    /// Whether meaning counts beside words; it does, unless somebody says no.
    pub semantic: Option<bool>,
    /// A model of the person's own, instead of the one in the program. Absolute.
    pub model: Option<PathBuf>,
    /// The language that tools are described in.
    pub language: Option<Language>,
    /// Whether calls teach which tool answers which question; they do, unless somebody says no.
    pub learn: Option<bool>,
}

impl SearchSettings {
    pub(super) fn read(keys: &mut Keys, folder: &Path) -> Result<Self, Wrong> {
        let Some(mut inner) = keys.inner(KEY)? else { return Ok(Self::default()) };
        let of_ours = |it: Wrong| Wrong { key: KEY.to_owned(), reason: format!("`{KEY}`: {}", it.reason) };
        let languages = Language::ALL.map(|(language, word)| (word, language));
        let settings = Self {
            semantic: inner.flag("semantic").map_err(of_ours)?,
            model: inner.text("model").map_err(of_ours)?.map(|it| folder.join(it)),
            language: inner.choice("language", &languages).map_err(of_ours)?,
            learn: inner.flag("learn").map_err(of_ours)?,
        };
        match inner.left().next() {
            Some((_, key)) => {
                let reason = format!("`{KEY}`: unknown key `{key}`{}", did_you_mean(key, &KEYS));
                Err(Wrong { key: KEY.to_owned(), reason })
            }
            None => Ok(settings),
        }
    }

    /// These, and where they say nothing, those of the other. Who wants nothing to be learned is not overruled.
    pub(super) fn or(self, other: Self) -> Self {
        let is_off = [self.learn, other.learn].contains(&Some(false));
        Self {
            semantic: self.semantic.or(other.semantic),
            model: self.model.or(other.model),
            language: self.language.or(other.language),
            learn: if is_off { Some(false) } else { self.learn.or(other.learn) },
        }
    }
}
