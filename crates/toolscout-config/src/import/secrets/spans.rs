//! Finds the plaintext secrets in an entry.

use super::super::references;
use super::shapes;
use crate::ServerEntry;
use std::fmt;
use std::ops::Range;
use toolscout_core::redact::names_a_secret;
use toolscout_mcp_client::ConfigText;

/// The location of a text in an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TextLocation {
    Env(String),
    Header(String),
    Arg(usize),
    Url,
    Bearer,
}

/// The range of a secret in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SecretSpan {
    pub(super) range: Range<usize>,
    /// The name of the secret, as a variable name.
    pub(super) name: String,
    /// Whether it is the `:-default` of a variable, which can be dropped.
    pub(super) is_default: bool,
}

impl TextLocation {
    pub(super) fn of<'a>(&self, entry: &'a mut ServerEntry) -> Option<&'a mut String> {
        match self {
            Self::Env(name) => entry.env.get_mut(name),
            Self::Header(name) => entry.headers.get_mut(name),
            Self::Arg(at) => entry.args.get_mut(*at),
            Self::Url => entry.url.as_mut(),
            Self::Bearer => entry.bearer.as_mut(),
        }
    }
}

impl fmt::Display for TextLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Env(name) => write!(f, "variable `{name}`"),
            Self::Header(name) => write!(f, "header `{name}`"),
            Self::Arg(at) => write!(f, "argument {}", at + 1),
            Self::Url => f.write_str("the address"),
            Self::Bearer => f.write_str("the bearer token"),
        }
    }
}

/// Every text that contains secrets, with their ranges from left to right.
pub(super) fn of(entry: &ServerEntry) -> Vec<(TextLocation, Vec<SecretSpan>)> {
    let env =
        entry.env.iter().map(|(name, value)| (TextLocation::Env(name.clone()), named(name, value)));
    let headers = entry
        .headers
        .iter()
        .map(|(name, value)| (TextLocation::Header(name.clone()), named(name, value)));
    let args = (0..entry.args.len()).map(|at| (TextLocation::Arg(at), argument(&entry.args, at)));
    let url = entry.url.iter().map(|it| (TextLocation::Url, within(it, None)));
    let bearer = entry.bearer.iter().map(|it| (TextLocation::Bearer, keyed("token", it)));
    env.chain(headers)
        .chain(args)
        .chain(url)
        .chain(bearer)
        .filter(|(_, spots)| !spots.is_empty())
        .collect()
}

/// The secrets in a variable or a header.
fn named(name: &str, text: &str) -> Vec<SecretSpan> {
    let last = name.rsplit(['_', '-']).next().unwrap_or(name).to_ascii_lowercase();
    if names_a_secret(name) || matches!(last.as_str(), "key" | "pat" | "pass" | "pwd") {
        keyed(name, text)
    } else {
        within(text, Some(name))
    }
}

/// The secrets in a text whose key names a secret.
fn keyed(key: &str, text: &str) -> Vec<SecretSpan> {
    if is_reference(text) {
        return Vec::new();
    }
    if !holds_a_reference(text) && could_be_secret(key, text) {
        return vec![SecretSpan::new(scheme(text)..text.len(), key)];
    }
    within(text, Some(key))
}

/// The secrets in an argument: in `--token x`, `--token=x`, `TOKEN=x`, `Name: x`, or by their form.
fn argument(args: &[String], at: usize) -> Vec<SecretSpan> {
    let text = args[at].as_str();
    let before = at
        .checked_sub(1)
        .and_then(|it| args[it].strip_prefix('-'))
        .map(|it| it.trim_start_matches('-'));
    if let Some(option) = before.filter(|it| names_a_secret(it) && !it.contains('='))
        && !text.starts_with('-')
    {
        return keyed(option, text);
    }
    let cut = text.find(['=', ':']).filter(|it| !text[*it..].starts_with("://"));
    if let Some(cut) = cut {
        let (key, value) = (text[..cut].trim_start_matches('-'), text[cut + 1..].trim_start());
        let is_key = !key.is_empty()
            && key.bytes().all(|it| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-'));
        if is_key && names_a_secret(key) {
            return moved(keyed(key, value), text.len() - value.len());
        }
    }
    within(text, None)
}

/// Secrets that are recognized by their form, or by their position in a URL or a variable.
fn within(text: &str, key: Option<&str>) -> Vec<SecretSpan> {
    if is_reference(text) {
        return Vec::new();
    }
    let address = shapes::in_address(text).into_iter();
    let mut spots: Vec<_> =
        address.map(|(range, key)| SecretSpan::new(range, key.unwrap_or("password"))).collect();
    for range in shapes::tokens(text) {
        let is_seen =
            spots.iter().any(|it| it.range.start < range.end && range.start < it.range.end);
        if !is_seen {
            spots.push(SecretSpan::new(range, key.unwrap_or("token")));
        }
    }
    spots.extend(defaults(text, key));
    spots.sort_by_key(|it| it.range.start);
    spots
}

/// Secrets in the default values of variables.
fn defaults(text: &str, key: Option<&str>) -> Vec<SecretSpan> {
    let mut spots = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find("${").map(|it| at + it + 2) {
        let end = text[start..].find('}').map_or(text.len(), |it| start + it);
        at = end;
        let Some((name, default)) = text[start..end].split_once(":-") else { continue };
        let is_named = names_a_secret(name) || key.is_some_and(names_a_secret);
        if (is_named && could_be_secret(name, default)) || !shapes::tokens(default).is_empty() {
            let range = start + name.len()..end;
            spots.push(SecretSpan { is_default: true, name: name.to_owned(), range });
        }
    }
    spots
}

impl SecretSpan {
    fn new(range: Range<usize>, name: &str) -> Self {
        Self { range, name: references::variable(name), is_default: false }
    }
}

/// Whether the whole text is a reference.
pub(crate) fn is_reference(text: &str) -> bool {
    ["env:", "file:", "keyring:"]
        .iter()
        .any(|it| text.starts_with(it) && !text.starts_with("file://"))
}

/// Whether a part of the text is a reference.
fn holds_a_reference(text: &str) -> bool {
    ConfigText::from(text).is_reference()
}

/// Whether a value can be a secret. Booleans and numbers (`MAX_TOKENS`) cannot, nor can the path of
/// a file with a secret.
fn could_be_secret(key: &str, text: &str) -> bool {
    let key = key.to_ascii_lowercase();
    let names_a_file =
        ["file", "path", "dir", "credentials", "key"].iter().any(|it| key.ends_with(it));
    let is_path = ["/", "./", "../", "~/"].iter().any(|it| text.starts_with(it));
    let is_short_number = text.len() < 8 && text.bytes().all(|it| it.is_ascii_digit());
    let is_word = matches!(
        text.to_ascii_lowercase().as_str(),
        "" | "true" | "false" | "none" | "null" | "yes" | "no"
    );
    !(is_word || is_short_number || (names_a_file && is_path))
}

/// The offset of the secret after a scheme such as `Bearer `.
fn scheme(text: &str) -> usize {
    let schemes = ["bearer ", "basic ", "token ", "apikey "];
    let lower = text.to_ascii_lowercase();
    schemes.iter().find(|it| lower.starts_with(**it)).map_or(0, |it| it.len())
}

fn moved(mut spots: Vec<SecretSpan>, by: usize) -> Vec<SecretSpan> {
    for spot in &mut spots {
        spot.range = spot.range.start + by..spot.range.end + by;
    }
    spots
}
