//! Plaintext secrets in files of other programs, and how an import handles them.

mod files;
mod patterns;
mod spans;
#[cfg(test)]
mod tests;

use super::references;
use crate::{Config, ConfigError, ServerEntry};
use serde::Serialize;
use spans::{SecretSpan, TextLocation};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toolscout_core::Digest;
use toolscout_core::redact::REDACTED;
use toolscout_mcp_client::ConfigText;

use files::HiddenText;
pub(crate) use files::SecretFile;
pub use files::StoredSecret;
pub(super) use spans::is_reference;

/// The longest name that is assigned to a secret, in bytes, before a number is appended.
const MAX_NAME: usize = 120;

/// How an import handles plaintext secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecretHandling {
    /// Replaces each by a variable that the user exports.
    Variables,
    /// Moves each to its own file in this folder, which only the user can read.
    Files(PathBuf),
    /// Moves each to the system's keyring; a part of a longer text to a file in this folder, because
    /// a text cannot contain a keyring entry.
    Keyring(PathBuf),
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
    /// The secrets of the entry, and where they go.
    pub handled: Vec<HandledSecret>,
    /// Secrets to store before the entry is written.
    pub secrets: Vec<StoredSecret>,
}

/// A secret of an entry, and where it goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HandledSecret {
    /// Its location in the entry: ``variable `TOKEN` ``.
    pub location: String,
    /// The reference that replaces it, or `plain text`.
    pub stored: String,
}

/// The names assigned to secrets so far: two servers may each have a `TOKEN` with different values.
#[derive(Default)]
pub struct SecretNames(BTreeMap<String, String>);

impl SecretHandling {
    /// Stores secrets as files in the user's configuration folder.
    pub fn files(config: &Config) -> Result<Self, ConfigError> {
        config.secrets_folder().map(Self::Files)
    }

    /// Stores secrets in the system's keyring.
    pub fn keyring(config: &Config) -> Result<Self, ConfigError> {
        config.secrets_folder().map(Self::Keyring)
    }

    /// Handles every secret of the entry, which will have this id in this file.
    pub fn apply(
        &self,
        entry: ServerEntry,
        id: &str,
        file: &Path,
        names: &mut SecretNames,
    ) -> PreparedEntry {
        let texts = spans::find(&entry);
        let mut prepared = PreparedEntry {
            preview: entry.clone(),
            entry,
            notes: Vec::new(),
            handled: Vec::new(),
            secrets: Vec::new(),
        };
        for (location, spans) in texts {
            let Some(text) = location.text_mut(&mut prepared.entry).cloned() else { continue };
            match self {
                Self::Keep => prepared.redact(&location, &text, &spans),
                Self::Variables => {
                    prepared.replace_with_variables(id, &location, &text, &spans, None, names);
                }
                // A file replaces a whole text, so a text that already contains a variable gets
                // another variable, with the value in a file of its name.
                Self::Files(folder) | Self::Keyring(folder)
                    if ConfigText::from(text.as_str()).is_reference() =>
                {
                    let folder = Some(folder.as_path());
                    prepared.replace_with_variables(id, &location, &text, &spans, folder, names);
                }
                Self::Files(folder) => {
                    prepared.move_whole(
                        id,
                        &location,
                        &text,
                        &spans,
                        |name, secret, names| StoredSecret::File(names.file(folder, name, secret)),
                        names,
                    );
                }
                Self::Keyring(_) => {
                    prepared.move_whole(
                        id,
                        &location,
                        &text,
                        &spans,
                        |name, secret, names| names.keyring_entry(file, name, secret),
                        names,
                    );
                }
            }
        }
        prepared
    }
}

/// The entry to show: variables, headers and the token only as references, and no secret elsewhere.
pub fn redacted(entry: ServerEntry) -> ServerEntry {
    let mut preview =
        SecretHandling::Keep.apply(entry, "", Path::new(""), &mut SecretNames::default()).preview;
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
        spans: &[SecretSpan],
        folder: Option<&Path>,
        names: &mut SecretNames,
    ) {
        let (mut variables, mut unset) = (Vec::new(), Vec::new());
        let mut files = Vec::new();
        let written = replace_spans(text, spans, |span, secret| {
            let variable = if span.is_default {
                span.name.clone()
            } else {
                names.variable(id, &span.name, location, secret, folder)
            };
            let file = folder
                .map(|folder| SecretFile::new(folder, &variable, secret.trim_start_matches(":-")));
            match file.filter(SecretFile::is_available) {
                Some(file) => files.push(StoredSecret::File(file)),
                None => unset.push(variable.clone()),
            }
            variables.push(variable.clone());
            if span.is_default { String::new() } else { format!("${{{variable}}}") }
        });
        if !unset.is_empty() {
            self.notes.push(format!(
                "the secret in {location} is not copied: export {}",
                unset.join(" and ")
            ));
        }
        for file in &files {
            self.notes.push(format!("the secret in {location} is stored in {file}"));
        }
        let stored = variables.iter().map(|name| format!("env:{name}")).collect::<Vec<_>>();
        self.handled(location, &stored.join(", "));
        self.secrets.extend(files);
        self.set_text(location, text, written);
    }

    /// Moves the whole text to where `destination` decides.
    fn move_whole(
        &mut self,
        id: &str,
        location: &TextLocation,
        text: &str,
        spans: &[SecretSpan],
        destination: impl FnOnce(&str, &str, &mut SecretNames) -> StoredSecret,
        names: &mut SecretNames,
    ) {
        let Some(first) = spans.first() else { return };
        // The scheme of a bearer token is implied by its key.
        let secret = self.bearer_token(location, text).unwrap_or(text);
        let scheme = &text[..text.len() - secret.len()];
        // References are not expanded in a file, so the escape is removed.
        let secret = &secret.replace("$${", "${");
        let name = shortened(format!("{id}.{}", first.name.to_ascii_lowercase()));
        let stored = destination(&name, secret, names);
        self.notes.push(format!("the secret in {location} is stored in {stored}"));
        self.handled(location, &stored.reference());
        self.set_text(location, text, format!("{scheme}{}", stored.reference()));
        self.secrets.push(stored);
    }

    fn handled(&mut self, location: &TextLocation, stored: &str) {
        self.handled
            .push(HandledSecret { location: location.to_string(), stored: stored.to_owned() });
    }

    fn redact(&mut self, location: &TextLocation, text: &str, spans: &[SecretSpan]) {
        self.notes.push(format!("the secret in {location} is copied as plain text"));
        self.handled(location, "plain text");
        if let Some(preview) = location.text_mut(&mut self.preview) {
            *preview = replace_spans(text, spans, |span, _| {
                if span.is_default { format!(":-{REDACTED}") } else { REDACTED.to_owned() }
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
    fn variable(
        &mut self,
        id: &str,
        name: &str,
        location: &TextLocation,
        secret: &str,
        folder: Option<&Path>,
    ) -> String {
        let qualified = shortened(references::variable_name(&format!("{id}_{name}")));
        let first = matches!(location, TextLocation::Env(it) if it == name && references::is_variable_name(it))
            .then(|| name.to_owned());
        let numbered = (2..1000).map(|index| format!("{qualified}_{index}"));
        let is_available = |name: &str| {
            folder.is_none_or(|folder| SecretFile::new(folder, name, secret).is_available())
        };
        self.assign(
            first.into_iter().chain([qualified.clone()]).chain(numbered),
            secret,
            is_available,
        )
    }

    /// The file for this secret: not one that contains another secret.
    fn file(&mut self, folder: &Path, name: &str, secret: &str) -> SecretFile {
        let file = |name: &str| SecretFile::new(folder, name, secret);
        file(&self.assign(numbered(name), secret, |name| file(name).is_available()))
    }

    /// The keyring entry for this secret: not one that contains another secret of this import, or
    /// of another file. The keyring is not read, because that may prompt the user.
    fn keyring_entry(&mut self, file: &Path, name: &str, secret: &str) -> StoredSecret {
        let digest = Digest::of_bytes(file.as_os_str().as_encoded_bytes()).to_string();
        let name = format!("{name}.{}", &digest[..8]);
        let name = self.assign(numbered(&name), secret, |_| true);
        StoredSecret::Keyring { name, secret: HiddenText(secret.to_owned()) }
    }

    fn assign(
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

/// The name, short enough that a file may have it with a number appended.
fn shortened(mut name: String) -> String {
    name.truncate(name.floor_char_boundary(MAX_NAME));
    name
}

/// The name, then the name with a number appended.
fn numbered(name: &str) -> impl Iterator<Item = String> {
    [name.to_owned()].into_iter().chain((2..1000).map(move |index| format!("{name}-{index}")))
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
