//! Fills the arguments of a call into a URL, each so that it cannot become another part of the URL.

use crate::template::{self, TemplatePart};
use reqwest::Url;
use serde_json::Value;
use std::collections::BTreeSet;
use toolscout_core::Arguments;

/// Fills the template and records which arguments it used. Every argument of the path must be
/// present. A query pair whose argument is absent is omitted, and one whose argument is a list is
/// repeated.
pub(super) fn fill(
    template: &str,
    arguments: &Arguments,
    used: &mut BTreeSet<String>,
) -> Result<Url, String> {
    let (base, query) = match template.split_once('?') {
        Some((base, query)) => (base, Some(query)),
        None => (template, None),
    };
    let mut text = fill_path(base, arguments, used)?;
    if let Some(query) = query {
        let pairs: Vec<String> =
            query.split('&').flat_map(|part| fill_pair(part, arguments, used)).collect();
        if !pairs.is_empty() {
            text = format!("{text}?{}", pairs.join("&"));
        }
    }
    let url = Url::parse(&text).map_err(|err| format!("`{template}` is not a valid URL: {err}"))?;
    if matches!(url.scheme(), "http" | "https") {
        Ok(url)
    } else {
        Err(format!("`{template}` must start with `http://` or `https://`"))
    }
}

/// Adds the arguments that the template did not use.
pub(super) fn add_query(url: &mut Url, arguments: &Arguments) {
    for (name, value) in arguments.iter().filter(|(_, value)| !value.is_null()) {
        for item in items(value) {
            url.query_pairs_mut().append_pair(name, &template::text(item));
        }
    }
}

/// Records the arguments that a template uses.
pub(super) fn record_used(parts: &[TemplatePart<'_>], used: &mut BTreeSet<String>) {
    for part in parts {
        if let TemplatePart::Placeholder(name) = part {
            let outer = name.split('.').next().unwrap_or(name);
            used.extend([(*name).to_owned(), outer.to_owned()]);
        }
    }
}

fn fill_path(
    template: &str,
    arguments: &Arguments,
    used: &mut BTreeSet<String>,
) -> Result<String, String> {
    let mut segments = Vec::new();
    for segment in template.split('/') {
        let parts = template::parts(segment);
        record_used(&parts, used);
        let filled = fill_parts(&parts, arguments)?;
        // Such a segment would resolve to the parent folder.
        if filled != segment && matches!(filled.as_str(), "" | "." | "..") {
            return Err(format!(
                "`{segment}` of the URL would become `{filled}`, which is not allowed"
            ));
        }
        segments.push(filled);
    }
    Ok(segments.join("/"))
}

fn fill_parts(parts: &[TemplatePart<'_>], arguments: &Arguments) -> Result<String, String> {
    let mut out = String::new();
    for part in parts {
        match part {
            TemplatePart::Text(text) => out += text,
            TemplatePart::Placeholder(name) => {
                let value = template::find(arguments, name);
                out += &encode(&template::text(
                    value.ok_or_else(|| format!("the URL needs the argument `{name}`"))?,
                ));
            }
        }
    }
    Ok(out)
}

fn fill_pair(template: &str, arguments: &Arguments, used: &mut BTreeSet<String>) -> Vec<String> {
    let parts = template::parts(template);
    record_used(&parts, used);
    if let [TemplatePart::Text(key), TemplatePart::Placeholder(name)] = parts.as_slice()
        && let Some(value) = template::find(arguments, name)
    {
        return items(value)
            .iter()
            .map(|item| format!("{key}{}", encode(&template::text(item))))
            .collect();
    }
    fill_parts(&parts, arguments).into_iter().collect()
}

fn items(value: &Value) -> &[Value] {
    match value {
        Value::Array(items) => items,
        one => std::slice::from_ref(one),
    }
}

/// Percent-encodes all characters except the unreserved ones.
pub(super) fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(byte as char);
        } else {
            out += &format!("%{byte:02X}");
        }
    }
    out
}
