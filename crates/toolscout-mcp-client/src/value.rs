//! Configuration texts that may refer to secrets, so that a file need not contain them.

pub mod keyring;
mod pieces;
#[cfg(test)]
mod tests;

use parking_lot::Mutex;
use pieces::TextPiece;
use std::collections::HashMap;
use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toolscout_core::redact;
use toolscout_process::environment;

/// The largest file with a secret, in bytes.
const MAX_FILE_BYTES: u64 = 64 << 10;

/// A configuration text. It is one of
///
/// - `env:NAME`, a variable of this process's environment; if it is not set, the stored secret of
///   that name,
/// - `file:PATH`, a file's content without trailing white space; relative to the file that contains
///   the text. A `file://` address is plain text,
/// - `keyring:NAME`, an entry of the system's keyring,
/// - `request:NAME`, a header of the HTTP request on whose behalf a server is called,
/// - plain text, in which `${NAME}`, `${NAME:-default}` and `${env:NAME}` stand for variables like
///   `env:NAME`, and `$${` for a literal `${`.
///
/// Only [`ConfigText::resolve`] returns the values. It is called for connections,
/// logins and fingerprints.
#[derive(Clone, PartialEq, Eq, Default, PartialOrd, Ord)]
pub struct ConfigText {
    written: String,
    /// The base folder of `file:`.
    folder: Option<PathBuf>,
}

impl ConfigText {
    /// The text as written, with `file:` relative to this folder.
    pub fn new(written: impl Into<String>, folder: Option<&Path>) -> Self {
        Self { written: written.into(), folder: folder.map(Path::to_owned) }
    }

    /// The text as written: references, never their values.
    pub fn written(&self) -> &str {
        &self.written
    }

    /// Whether it is or contains a reference.
    pub fn is_reference(&self) -> bool {
        match self.kind() {
            ReferenceKind::Plain(text) => {
                pieces::split(text).iter().any(|item| !matches!(item, TextPiece::Plain(_)))
            }
            _ => true,
        }
    }

    /// The request header that it refers to, as written.
    pub fn request_header(&self) -> Option<&str> {
        match self.kind() {
            ReferenceKind::Request(name) => Some(name),
            _ => None,
        }
    }

    /// The variables that it refers to, and whether each is required: it has no default.
    pub fn variables(&self) -> Vec<(&str, bool)> {
        match self.kind() {
            ReferenceKind::Variable(name) => vec![(name, true)],
            ReferenceKind::Plain(text) => {
                let variable = |piece| match piece {
                    TextPiece::Variable { name, default } => Some((name, default.is_none())),
                    _ => None,
                };
                pieces::split(text).into_iter().filter_map(variable).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The variables that it needs, and that are neither set nor stored as secrets.
    pub fn missing_variables(&self, lookup: &ReferenceLookup) -> Vec<&str> {
        let is_missing = |(name, required): &(&str, bool)| *required && !lookup.has(name);
        self.variables().into_iter().filter(is_missing).map(|(name, _)| name).collect()
    }

    /// The file that it refers to.
    pub fn referenced_file(&self, lookup: &ReferenceLookup) -> Option<PathBuf> {
        match self.kind() {
            ReferenceKind::File(path) => Some(self.path(path, lookup)),
            _ => None,
        }
    }

    /// The text with all references replaced by their values. The error names the reference, never
    /// a value.
    ///
    /// Reads files, and for `keyring:` runs a program, which may take seconds: do not call it on an
    /// async thread.
    pub fn resolve(&self, lookup: &ReferenceLookup) -> Result<String, String> {
        let found = match self.kind() {
            ReferenceKind::Variable(name) => {
                return lookup.required(name).inspect(|value| register_secret(name, value));
            }
            ReferenceKind::File(path) => read(&self.path(path, lookup)),
            ReferenceKind::Keyring(name) => (lookup.keyring)(name),
            ReferenceKind::Request(name) => {
                return lookup.header(name).inspect(|value| redact::add_request_secret(value));
            }
            ReferenceKind::Plain(text) => {
                return pieces::split(text).into_iter().map(|item| fill(item, lookup)).collect();
            }
        };
        // A value that is kept out of the configuration file must not be in a log either.
        found.inspect(|value| redact::add_secret(value))
    }

    /// The secret values of its references, as far as they can be resolved. Excludes variables that
    /// every server gets anyway, and defaults, which are in the file.
    pub(super) fn referenced_secrets(&self, lookup: &ReferenceLookup) -> Vec<String> {
        let variable = |name: &str| {
            lookup.text(name).ok().flatten().filter(|_| !environment::is_passed(name.as_ref()))
        };
        match self.kind() {
            ReferenceKind::Variable(name) => variable(name).into_iter().collect(),
            ReferenceKind::File(_) | ReferenceKind::Keyring(_) | ReferenceKind::Request(_) => {
                self.resolve(lookup).into_iter().collect()
            }
            ReferenceKind::Plain(text) => {
                let name = |piece| match piece {
                    TextPiece::Variable { name, .. } => variable(name),
                    _ => None,
                };
                pieces::split(text).into_iter().filter_map(name).collect()
            }
        }
    }

    /// A keyed hash that changes with the value, and reveals nothing about it without the key. An
    /// unresolvable reference is hashed as written, and so is `keyring:`, because the keyring is
    /// not queried just for a comparison.
    pub fn fingerprint(&self, key: &[u8; 32], lookup: &ReferenceLookup) -> [u8; 32] {
        let value = match self.kind() {
            ReferenceKind::Keyring(_) => None,
            _ => self.resolve(lookup).ok(),
        };
        let mut hasher = blake3::Hasher::new_keyed(key);
        match value {
            Some(value) => hasher.update(b"value:").update(value.as_bytes()),
            None => hasher.update(b"reference:").update(self.written.as_bytes()),
        };
        hasher.finalize().into()
    }

    fn kind(&self) -> ReferenceKind<'_> {
        let text = self.written.as_str();
        if let Some(name) = text.strip_prefix("env:") {
            return ReferenceKind::Variable(name);
        }
        if let Some(name) = text.strip_prefix("keyring:") {
            return ReferenceKind::Keyring(name);
        }
        if let Some(name) = text.strip_prefix("request:") {
            return ReferenceKind::Request(name);
        }
        match text.strip_prefix("file:") {
            // An argument may be a `file://` address.
            Some(path) if !path.starts_with("//") => ReferenceKind::File(path),
            _ => ReferenceKind::Plain(text),
        }
    }

    fn path(&self, path: &str, lookup: &ReferenceLookup) -> PathBuf {
        match (path.strip_prefix("~/"), lookup.variable("HOME"), &self.folder) {
            (Some(rest), Some(home), _) => Path::new(&home).join(rest),
            (_, _, Some(folder)) => folder.join(path),
            _ => PathBuf::from(path),
        }
    }
}

enum ReferenceKind<'a> {
    Variable(&'a str),
    File(&'a str),
    Keyring(&'a str),
    Request(&'a str),
    Plain(&'a str),
}

fn fill(piece: TextPiece<'_>, lookup: &ReferenceLookup) -> Result<String, String> {
    match piece {
        TextPiece::Plain(text) => Ok(text.to_owned()),
        TextPiece::Variable { name, default: None } => {
            lookup.required(name).inspect(|value| register_partial_secret(name, value))
        }
        // As in a shell, an empty variable counts as unset here.
        TextPiece::Variable { name, default: Some(default) } => {
            let value = lookup
                .text(name)?
                .filter(|value| !value.is_empty())
                .inspect(|value| register_partial_secret(name, value));
            Ok(value.unwrap_or_else(|| default.to_owned()))
        }
        TextPiece::Unknown(written) => {
            Err(format!("`{written}` is not a valid reference; use `${{NAME}}`"))
        }
    }
}

/// Registers the value of a variable for redaction, unless every server gets the variable anyway.
fn register_secret(name: &str, value: &str) {
    if !environment::is_passed(name.as_ref()) {
        redact::add_secret(value);
    }
}

/// Like [`register_secret`], for a variable in the middle of a text. Paths and addresses are exempt,
/// because an error that hides them is useless.
fn register_partial_secret(name: &str, value: &str) {
    let is_address = value.contains("://") && !value.contains('@');
    let is_place = value.starts_with(['/', '~', '.']) || is_address || value == "localhost";
    if !is_place || redact::names_a_secret(name) {
        register_secret(name, value);
    }
}

fn read(path: &Path) -> Result<String, String> {
    let fail = |why: &dyn fmt::Display| format!("could not read `{}`: {why}", path.display());
    // Checked first, because opening a named pipe would wait for its writer.
    if !path.metadata().map_err(|error| fail(&error))?.is_file() {
        return Err(fail(&"it is not a file"));
    }
    let mut content = Vec::new();
    let file = File::open(path).map_err(|error| fail(&error))?;
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut content).map_err(|error| fail(&error))?;
    if content.len() as u64 > MAX_FILE_BYTES {
        return Err(fail(&"it is larger than 64 KiB"));
    }
    let content = String::from_utf8(content).map_err(|_| fail(&"it is not UTF-8"))?;
    Ok(content.trim_end().to_owned())
}

/// Shows references as written, and only the length of plain texts, which may contain a secret.
impl fmt::Debug for ConfigText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            ReferenceKind::Plain(text) => write!(f, "({} bytes)", text.len()),
            _ => write!(f, "{:?}", self.written),
        }
    }
}

impl From<&str> for ConfigText {
    fn from(written: &str) -> Self {
        Self::new(written, None)
    }
}

/// Resolves references from the environment, the system's keyring, and the request if there is one.
/// Cloning is cheap.
#[derive(Clone)]
pub struct ReferenceLookup {
    variable: Arc<VariableLookup>,
    keyring: Arc<KeyringLookup>,
    request: Option<Arc<HeaderLookup>>,
    /// The folder with stored secrets, one file each.
    secrets: Option<Arc<Path>>,
}

type VariableLookup = dyn Fn(&str) -> Option<OsString> + Send + Sync;
type KeyringLookup = dyn Fn(&str) -> Result<String, String> + Send + Sync;
type HeaderLookup = dyn Fn(&str) -> Option<String> + Send + Sync;

impl ReferenceLookup {
    /// Uses the environment of this process.
    pub fn from_process() -> Self {
        Self::new(|name| std::env::var_os(name))
    }

    /// Uses any environment.
    pub fn new(variable: impl Fn(&str) -> Option<OsString> + Send + Sync + 'static) -> Self {
        Self {
            variable: Arc::new(variable),
            keyring: Arc::new(keyring::entry),
            request: None,
            secrets: None,
        }
    }

    /// The same lookup; a variable that is not set is looked up in this folder of stored secrets.
    pub fn with_secrets(self, folder: &Path) -> Self {
        Self { secrets: Some(folder.into()), ..self }
    }

    /// The same lookup with another keyring; its error is the reason why there is no such entry.
    pub fn with_keyring(
        self,
        entry: impl Fn(&str) -> Result<String, String> + Send + Sync + 'static,
    ) -> Self {
        Self { keyring: Arc::new(entry), ..self }
    }

    /// The same lookup for a request with these headers; their values are never interpreted as
    /// references.
    pub fn for_request(
        self,
        header: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        Self { request: Some(Arc::new(header)), ..self }
    }

    /// The same lookup, but it reads each keyring entry only once, because that may prompt the
    /// user.
    pub(super) fn with_keyring_cache(&self) -> Self {
        let (keyring, cache) = (self.keyring.clone(), Mutex::new(HashMap::new()));
        self.clone().with_keyring(move |name| {
            let mut cache = cache.lock();
            cache.entry(name.to_owned()).or_insert_with(|| keyring(name)).clone()
        })
    }

    /// A variable of the environment.
    pub fn variable(&self, name: &str) -> Option<OsString> {
        (self.variable)(name)
    }

    fn text(&self, name: &str) -> Result<Option<String>, String> {
        // `std::env::var_os` could panic for an invalid name.
        if !pieces::is_name(name) {
            return Err(format!(
                "`{}` is not a valid environment variable name",
                toolscout_core::escape::line(name)
            ));
        }
        let value = self.variable(name).map(OsString::into_string).transpose();
        let value = value.map_err(|_| format!("the environment variable `{name}` is not UTF-8"))?;
        if value.is_some() { Ok(value) } else { self.secret(name) }
    }

    /// The stored secret of this name.
    fn secret(&self, name: &str) -> Result<Option<String>, String> {
        let path = self.secrets.as_ref().map(|folder| folder.join(name));
        match path.filter(|path| path.is_file()) {
            Some(path) => read(&path).inspect(|value| redact::add_secret(value)).map(Some),
            None => Ok(None),
        }
    }

    /// Whether this variable is set, or a secret of this name is stored.
    pub fn has(&self, name: &str) -> bool {
        self.text(name).is_ok_and(|value| value.is_some())
    }

    fn header(&self, name: &str) -> Result<String, String> {
        let name = toolscout_core::escape::line(name);
        match &self.request {
            None => Err(format!("`request:{name}` is available only in HTTP requests")),
            Some(header) => {
                header(&name).ok_or_else(|| format!("the request has no header `{name}`"))
            }
        }
    }

    fn required(&self, name: &str) -> Result<String, String> {
        self.text(name)?.ok_or_else(|| {
            format!("needs {name}. Export it, or store it with `toolscout secret set {name}`")
        })
    }
}

impl fmt::Debug for ReferenceLookup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lookup")
    }
}
