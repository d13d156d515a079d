//! Finds the plaintext secrets in an entry.

use super::super::references;
use super::patterns;
use crate::ServerEntry;
use std::cmp::Reverse;
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
    pub(super) fn text_mut<'a>(&self, entry: &'a mut ServerEntry) -> Option<&'a mut String> {
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
            Self::Url => f.write_str("the URL"),
            Self::Bearer => f.write_str("the bearer token"),
        }
    }
}

/// Every text that contains secrets, with their ranges from left to right.
pub(super) fn find(entry: &ServerEntry) -> Vec<(TextLocation, Vec<SecretSpan>)> {
    let env = entry
        .env
        .iter()
        .map(|(name, value)| (TextLocation::Env(name.clone()), in_named_value(name, value)));
    let headers = entry
        .headers
        .iter()
        .map(|(name, value)| (TextLocation::Header(name.clone()), in_named_value(name, value)));
    let args =
        (0..entry.args.len()).map(|at| (TextLocation::Arg(at), in_argument(&entry.args, at)));
    let url = entry.url.iter().map(|url| (TextLocation::Url, in_text(url, None)));
    let bearer =
        entry.bearer.iter().map(|bearer| (TextLocation::Bearer, in_secret_value("token", bearer)));
    env.chain(headers)
        .chain(args)
        .chain(url)
        .chain(bearer)
        .filter(|(_, spans)| !spans.is_empty())
        .collect()
}

/// The secrets in a variable or a header.
fn in_named_value(name: &str, text: &str) -> Vec<SecretSpan> {
    let last = name.rsplit(['_', '-']).next().unwrap_or(name).to_ascii_lowercase();
    if names_a_secret(name) || matches!(last.as_str(), "key" | "pat" | "pass" | "pwd") {
        in_secret_value(name, text)
    } else {
        in_text(text, Some(name))
    }
}

/// The secrets in a text whose key names a secret.
fn in_secret_value(key: &str, text: &str) -> Vec<SecretSpan> {
    if is_reference(text) {
        return Vec::new();
    }
    if !contains_reference(text) && could_be_secret(key, text) {
        return vec![SecretSpan::new(scheme_length(text)..text.len(), key)];
    }
    in_text(text, Some(key))
}

/// The secrets in an argument: in `--token x`, `--token=x`, `TOKEN=x`, `Name: x`, or by their form.
fn in_argument(args: &[String], at: usize) -> Vec<SecretSpan> {
    let text = args[at].as_str();
    let before = at
        .checked_sub(1)
        .and_then(|previous| args[previous].strip_prefix('-'))
        .map(|rest| rest.trim_start_matches('-'));
    if let Some(option) = before.filter(|name| names_a_secret(name) && !name.contains('='))
        && !text.starts_with('-')
    {
        return in_secret_value(option, text);
    }
    let cut = text.find(['=', ':']).filter(|index| !text[*index..].starts_with("://"));
    if let Some(cut) = cut {
        let (key, value) = (text[..cut].trim_start_matches('-'), text[cut + 1..].trim_start());
        let is_key = !key.is_empty()
            && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
        if is_key && names_a_secret(key) {
            return shifted(in_secret_value(key, value), text.len() - value.len());
        }
    }
    in_text(text, None)
}

/// Secrets that are recognized by their form, or by their position in a URL or a variable.
fn in_text(text: &str, key: Option<&str>) -> Vec<SecretSpan> {
    if is_reference(text) {
        return Vec::new();
    }
    let in_url = patterns::in_url(text).into_iter();
    let mut spans: Vec<_> =
        in_url.map(|(range, key)| SecretSpan::new(range, key.unwrap_or("password"))).collect();
    let tokens = patterns::tokens(text).into_iter();
    spans.extend(tokens.map(|range| SecretSpan::new(range, key.unwrap_or("token"))));
    spans.extend(in_defaults(text, key));
    without_overlaps(spans)
}

/// The spans from left to right. Of spans that overlap, the first and longest stays.
fn without_overlaps(mut spans: Vec<SecretSpan>) -> Vec<SecretSpan> {
    spans.sort_by_key(|span| (span.range.start, Reverse(span.range.end)));
    let mut end = 0;
    spans.retain(|span| {
        let is_after = span.range.start >= end;
        if is_after {
            end = span.range.end;
        }
        is_after
    });
    spans
}

/// Secrets in the default values of variables.
fn in_defaults(text: &str, key: Option<&str>) -> Vec<SecretSpan> {
    let mut spans = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find("${").map(|index| at + index + 2) {
        let end = text[start..].find('}').map_or(text.len(), |index| start + index);
        at = end;
        let Some((reference, default)) = text[start..end].split_once(":-") else { continue };
        let after_reference = start + reference.len();
        let name = reference.strip_prefix("env:").unwrap_or(reference);
        let tokens = patterns::tokens(default);
        if !references::is_variable_name(name) {
            // Plain text: nothing expands it, and its beginning names nothing.
            let token = |range| SecretSpan::new(range, key.unwrap_or("token"));
            let tokens = tokens.into_iter().map(token).collect();
            spans.extend(shifted(tokens, after_reference + ":-".len()));
            continue;
        }
        let is_named = names_a_secret(name) || key.is_some_and(names_a_secret);
        let is_secret = !tokens.is_empty() || !patterns::in_url(default).is_empty();
        if is_secret || (is_named && could_be_secret(name, default)) {
            let range = after_reference..end;
            spans.push(SecretSpan { is_default: true, name: name.to_owned(), range });
        }
    }
    spans
}

impl SecretSpan {
    fn new(range: Range<usize>, name: &str) -> Self {
        Self { range, name: references::variable_name(name), is_default: false }
    }
}

/// Whether the whole text is a reference.
pub(crate) fn is_reference(text: &str) -> bool {
    ["env:", "file:", "keyring:"]
        .iter()
        .any(|prefix| text.starts_with(prefix) && !text.starts_with("file://"))
}

/// Whether a part of the text is a reference.
fn contains_reference(text: &str) -> bool {
    ConfigText::from(text).is_reference()
}

/// Whether a value can be a secret. Booleans and numbers (`MAX_TOKENS`) cannot, nor can the path of
/// a file with a secret.
fn could_be_secret(key: &str, text: &str) -> bool {
    let key = key.to_ascii_lowercase();
    let names_a_file =
        ["file", "path", "dir", "credentials", "key"].iter().any(|suffix| key.ends_with(suffix));
    let is_path = ["/", "./", "../", "~/"].iter().any(|prefix| text.starts_with(prefix));
    let is_short_number = text.len() < 8 && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_word = matches!(
        text.to_ascii_lowercase().as_str(),
        "" | "true" | "false" | "none" | "null" | "yes" | "no"
    );
    !(is_word || is_short_number || (names_a_file && is_path))
}

/// The offset of the secret after a scheme such as `Bearer `.
fn scheme_length(text: &str) -> usize {
    let schemes = ["bearer ", "basic ", "token ", "apikey "];
    let lower = text.to_ascii_lowercase();
    schemes.iter().find(|scheme| lower.starts_with(**scheme)).map_or(0, |scheme| scheme.len())
}

fn shifted(mut spans: Vec<SecretSpan>, by: usize) -> Vec<SecretSpan> {
    for span in &mut spans {
        span.range = span.range.start + by..span.range.end + by;
    }
    spans
}
