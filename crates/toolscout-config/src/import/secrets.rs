//! Plaintext secrets in files of other programs, and how an import handles them.

mod files;
mod patterns;
mod spans;
#[cfg(test)]
mod tests;

use super::references;
use crate::{Config, ConfigError, ServerEntry};
use spots::{SecretSpan, TextLocation};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toolscout_core::redact::REDACTED;
use toolscout_mcp_client::ConfigText;

pub(super) use files::SecretFile;
pub(super) use spots::is_reference;

/// How an import handles plaintext secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecretHandling {
    /// Replaces each by a variable that the user exports.
    Variables,
    /// Moves each to its own file in this folder, which only the user can read.
    Files(PathBuf),
    /// Copies them into our file as plaintext.
    Keep,
}

/// An entry whose secrets are handled.
#[derive(Clone, PartialEq)]
pub struct PreparedEntry {
    /// The entry to write.
    pub entry: ServerEntry,
    /// The entry to show: never with a secret.
    pub preview: ServerEntry,
    pub notes: Vec<String>,
    /// Files to write before the entry.
    pub files: Vec<SecretFile>,
}

/// The names assigned to secrets so far: two servers may each have a `TOKEN` with different values.
#[derive(Default)]
pub struct SecretNames(BTreeMap<String, String>);

impl SecretHandling {
    /// Stores secrets as files in the user's configuration folder.
    pub fn files(config: &Config) -> Result<Self, ConfigError> {
        let folder = config.user_folder.as_ref().map(|it| it.join("secrets"));
        folder.map(Self::Files).ok_or_else(ConfigError::no_user_folder)
    }

    /// Handles every secret of the entry, which will have this id.
    pub fn apply(&self, entry: ServerEntry, id: &str, taken: &mut SecretNames) -> PreparedEntry {
        let places = spots::of(&entry);
        let mut treated =
            PreparedEntry { shown: entry.clone(), entry, notes: Vec::new(), files: Vec::new() };
        for (place, spots) in places {
            let Some(text) = place.of(&mut treated.entry).cloned() else { continue };
            match self {
                Self::Keep => treated.hide(&place, &text, &spots),
                // A file replaces a whole text, so a text that already contains a variable gets
                // another variable.
                Self::Files(folder) if !ConfigText::from(text.as_str()).is_reference() => {
                    treated.move_out(id, &place, &text, &spots, folder, taken);
                }
                _ => treated.refer(id, &place, &text, &spots, taken),
            }
        }
        prepared
    }
}

/// The entry to show: variables, headers and the token only as references, and no secret elsewhere.
pub fn redacted(entry: ServerEntry) -> ServerEntry {
    let mut preview = SecretHandling::Keep.apply(entry, "", &mut SecretNames::default()).preview;
    let texts =
        preview.env.values_mut().chain(preview.headers.values_mut()).chain(&mut preview.bearer);
    let written =
        texts.filter(|text| !text.is_empty() && !ConfigText::from(text.as_str()).is_reference());
    written.for_each(|written| *written = REDACTED.to_owned());
    preview
}

impl PreparedEntry {
    fn replace_with_variables(
        &mut self,
        id: &str,
        location: &TextLocation,
        text: &str,
        spots: &[SecretSpan],
        taken: &mut SecretNames,
    ) {
        let mut names = Vec::new();
        let written = replaced(text, spots, |spot, secret| {
            if spot.is_default {
                names.push(spot.name.clone());
                return String::new();
            }
            names.push(taken.variable(id, &spot.name, place, secret));
            format!("${{{}}}", names.last().map_or("", String::as_str))
        });
        self.notes
            .push(format!("the secret in {place} is not copied: export {}", names.join(" and ")));
        self.set(place, text, written);
    }

    /// Moves the whole text to where `destination` decides.
    fn move_whole(
        &mut self,
        id: &str,
        location: &TextLocation,
        text: &str,
        spots: &[SecretSpan],
        folder: &Path,
        taken: &mut SecretNames,
    ) {
        let Some(first) = spans.first() else { return };
        // The scheme of a bearer token is implied by its key.
        let secret = self.bearer_token(location, text).unwrap_or(text);
        let scheme = &text[..text.len() - secret.len()];
        // References are not expanded in a file, so the escape is removed.
        let secret = &secret.replace("$${", "${");
        let path = taken.file(folder, &format!("{id}.{}", first.name.to_ascii_lowercase()), secret);
        self.notes.push(format!("the secret in {place} goes to {}", path.display()));
        self.set(place, text, format!("{scheme}file:{}", path.display()));
        self.files.push(SecretFile::new(path, secret));
    }

    fn hide(&mut self, place: &TextLocation, text: &str, spots: &[SecretSpan]) {
        self.notes.push(format!("the secret in {place} is written out"));
        if let Some(shown) = place.of(&mut self.shown) {
            *shown = replaced(text, spots, |spot, _| {
                if spot.is_default { format!(":-{REDACTED}") } else { REDACTED.to_owned() }
            });
        }
    }

    /// Writes the text in both entries, in its shortest form.
    fn set_text(&mut self, location: &TextLocation, text: &str, written: String) {
        let token = self
            .bearer_token(location, text)
            .and_then(|_| self.bearer_token(location, &written))
            .map(shorten);
        for entry in [&mut self.entry, &mut self.preview] {
            if let (TextLocation::Header(name), Some(token)) = (location, &token) {
                entry.headers.remove(name);
                entry.bearer = Some(token.clone());
            } else if let Some(value) = location.text_mut(entry) {
                *value = shorten(&written);
            }
        }
    }

    /// The token of `Authorization: Bearer …`, unless the entry already has one.
    fn bearer_token<'a>(&self, location: &TextLocation, text: &'a str) -> Option<&'a str> {
        let TextLocation::Header(name) = location else { return None };
        let is_token = name.eq_ignore_ascii_case("authorization") && self.entry.bearer.is_none();
        text.strip_prefix("Bearer ").filter(|_| is_token)
    }
}

impl SecretNames {
    /// The variable for this secret: its own name if it has one, unless that name is already used
    /// for another secret.
    fn variable(&mut self, id: &str, name: &str, place: &TextLocation, secret: &str) -> String {
        let own = references::variable(&format!("{id}_{name}"));
        let first = matches!(place, TextLocation::Env(it) if it == name && references::is_name(it))
            .then(|| name.to_owned());
        let numbered = (2..1000).map(|it| format!("{own}_{it}"));
        self.free(first.into_iter().chain([own.clone()]).chain(numbered), secret, |_| true)
    }

    /// The file for this secret: not one that contains another secret.
    fn file(&mut self, folder: &Path, name: &str, secret: &str) -> PathBuf {
        let names = [name.to_owned()].into_iter().chain((2..1000).map(|it| format!("{name}-{it}")));
        folder.join(self.free(names, secret, |it| SecretFile::new(folder.join(it), secret).fits()))
    }

    fn free(
        &mut self,
        names: impl Iterator<Item = String>,
        secret: &str,
        is_available: impl Fn(&str) -> bool,
    ) -> String {
        let assign = |text: &String| {
            self.0.get(text).is_none_or(|value| value == secret) && is_available(text)
        };
        let name = names.into_iter().find(assign).unwrap_or_default();
        self.0.insert(name.clone(), secret.to_owned());
        name
    }
}

/// The text with each span replaced; its other parts stay unchanged.
fn replace_spans(
    text: &str,
    spans: &[SecretSpan],
    mut replacement: impl FnMut(&SecretSpan, &str) -> String,
) -> String {
    let mut out = String::new();
    let mut at = 0;
    for span in spans {
        let Range { start, end } = span.range;
        out += &text[at..start];
        out += &replacement(span, &text[start..end]);
        at = end;
    }
    out + &text[at..]
}

/// `env:NAME` for a text that is exactly one variable.
fn shorten(text: &str) -> String {
    let name = text
        .strip_prefix("${")
        .and_then(|rest| rest.strip_suffix('}'))
        .filter(|rest| references::is_variable_name(rest));
    name.map_or_else(|| text.to_owned(), |name| format!("env:{name}"))
}
