//! Secrets that stand in other programs' files as they are, and what becomes of them on the way into ours.

mod files;
mod shapes;
mod spots;
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

/// What becomes of secrets that are written out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecretHandling {
    /// A variable stands for each, which the person exports.
    Variables,
    /// Each goes to a file of its own in this folder, which only the person can read.
    Files(PathBuf),
    /// They are written out in our file, too.
    Keep,
}

/// An entry whose secrets were treated.
#[derive(Clone, PartialEq)]
pub struct PreparedEntry {
    /// As it will be written.
    pub entry: ServerEntry,
    /// As it may be shown: never with a secret.
    pub shown: ServerEntry,
    pub notes: Vec<String>,
    /// To be written before the entry is.
    pub files: Vec<SecretFile>,
}

/// Which name stands for which secret so far: two servers may each have a `TOKEN`, and mean different ones.
#[derive(Default)]
pub struct SecretNames(BTreeMap<String, String>);

impl SecretHandling {
    /// Files in the user's configuration folder.
    pub fn files(config: &Config) -> Result<Self, ConfigError> {
        let folder = config.user_folder.as_ref().map(|it| it.join("secrets"));
        folder.map(Self::Files).ok_or_else(ConfigError::no_user_folder)
    }

    /// Treats every secret of the entry, which will have this id.
    pub fn apply(&self, entry: ServerEntry, id: &str, taken: &mut SecretNames) -> PreparedEntry {
        let places = spots::of(&entry);
        let mut treated = PreparedEntry { shown: entry.clone(), entry, notes: Vec::new(), files: Vec::new() };
        for (place, spots) in places {
            let Some(text) = place.of(&mut treated.entry).cloned() else { continue };
            match self {
                Self::Keep => treated.hide(&place, &text, &spots),
                // A file stands for a whole text, so what already has a variable in it gets another.
                Self::Files(folder) if !ConfigText::from(text.as_str()).is_reference() => {
                    treated.move_out(id, &place, &text, &spots, folder, taken);
                }
                _ => treated.refer(id, &place, &text, &spots, taken),
            }
        }
        treated
    }
}

/// The entry as it may be shown: of variables, headers and the token only references, and no secret elsewhere.
pub fn hidden(entry: ServerEntry) -> ServerEntry {
    let mut shown = SecretHandling::Keep.apply(entry, "", &mut SecretNames::default()).shown;
    let texts = shown.env.values_mut().chain(shown.headers.values_mut()).chain(&mut shown.bearer);
    let written = texts.filter(|it| !it.is_empty() && !ConfigText::from(it.as_str()).is_reference());
    written.for_each(|it| *it = REDACTED.to_owned());
    shown
}

impl PreparedEntry {
    fn refer(&mut self, id: &str, place: &TextLocation, text: &str, spots: &[SecretSpan], taken: &mut SecretNames) {
        let mut names = Vec::new();
        let written = replaced(text, spots, |spot, secret| {
            if spot.is_default {
                names.push(spot.name.clone());
                return String::new();
            }
            names.push(taken.variable(id, &spot.name, place, secret));
            format!("${{{}}}", names.last().map_or("", String::as_str))
        });
        self.notes.push(format!("the secret in {place} is not copied: export {}", names.join(" and ")));
        self.set(place, text, written);
    }

    fn move_out(
        &mut self,
        id: &str,
        place: &TextLocation,
        text: &str,
        spots: &[SecretSpan],
        folder: &Path,
        taken: &mut SecretNames,
    ) {
        let Some(first) = spots.first() else { return };
        // Of a bearer token the scheme is said elsewhere.
        let secret = self.token(place, text).unwrap_or(text);
        let scheme = &text[..text.len() - secret.len()];
        // Nothing is filled in there, so nothing need be kept from it.
        let secret = &secret.replace("$${", "${");
        let path = taken.file(folder, &format!("{id}.{}", first.name.to_ascii_lowercase()), secret);
        self.notes.push(format!("the secret in {place} goes to {}", path.display()));
        self.set(place, text, format!("{scheme}file:{}", path.display()));
        self.files.push(SecretFile::new(path, secret));
    }

    fn hide(&mut self, place: &TextLocation, text: &str, spots: &[SecretSpan]) {
        self.notes.push(format!("the secret in {place} is written out"));
        if let Some(shown) = place.of(&mut self.shown) {
            *shown = replaced(
                text,
                spots,
                |spot, _| if spot.is_default { format!(":-{REDACTED}") } else { REDACTED.to_owned() },
            );
        }
    }

    /// Writes the text in both entries, in the shortest form there is for it.
    fn set(&mut self, place: &TextLocation, text: &str, written: String) {
        let token = self.token(place, text).and_then(|_| self.token(place, &written)).map(shortest);
        for entry in [&mut self.entry, &mut self.shown] {
            if let (TextLocation::Header(name), Some(token)) = (place, &token) {
                entry.headers.remove(name);
                entry.bearer = Some(token.clone());
            } else if let Some(there) = place.of(entry) {
                *there = shortest(&written);
            }
        }
    }

    /// The token of `Authorization: Bearer …`, unless there is another.
    fn token<'a>(&self, place: &TextLocation, text: &'a str) -> Option<&'a str> {
        let TextLocation::Header(name) = place else { return None };
        let is_token = name.eq_ignore_ascii_case("authorization") && self.entry.bearer.is_none();
        text.strip_prefix("Bearer ").filter(|_| is_token)
    }
}

impl SecretNames {
    /// The variable for this secret: its own name where it has one, unless that stands for another already.
    fn variable(&mut self, id: &str, name: &str, place: &TextLocation, secret: &str) -> String {
        let own = references::variable(&format!("{id}_{name}"));
        let first =
            matches!(place, TextLocation::Env(it) if it == name && references::is_name(it)).then(|| name.to_owned());
        let numbered = (2..1000).map(|it| format!("{own}_{it}"));
        self.free(first.into_iter().chain([own.clone()]).chain(numbered), secret, |_| true)
    }

    /// The file for this secret: not one that holds another.
    fn file(&mut self, folder: &Path, name: &str, secret: &str) -> PathBuf {
        let names = [name.to_owned()].into_iter().chain((2..1000).map(|it| format!("{name}-{it}")));
        folder.join(self.free(names, secret, |it| SecretFile::new(folder.join(it), secret).fits()))
    }

    fn free(&mut self, names: impl Iterator<Item = String>, secret: &str, fits: impl Fn(&str) -> bool) -> String {
        let free = |it: &String| self.0.get(it).is_none_or(|there| there == secret) && fits(it);
        let name = names.into_iter().find(free).unwrap_or_default();
        self.0.insert(name.clone(), secret.to_owned());
        name
    }
}

/// The text with each spot replaced; its other parts stay what they are.
fn replaced(text: &str, spots: &[SecretSpan], mut by: impl FnMut(&SecretSpan, &str) -> String) -> String {
    let mut out = String::new();
    let mut at = 0;
    for spot in spots {
        let Range { start, end } = spot.range;
        out += &text[at..start];
        out += &by(spot, &text[start..end]);
        at = end;
    }
    out + &text[at..]
}

/// `env:NAME` for a text that is one variable.
fn shortest(text: &str) -> String {
    let name = text.strip_prefix("${").and_then(|it| it.strip_suffix('}')).filter(|it| references::is_name(it));
    name.map_or_else(|| text.to_owned(), |it| format!("env:{it}"))
}
