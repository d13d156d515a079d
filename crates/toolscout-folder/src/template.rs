//! Fills the arguments of a call into argv, variables and texts.
//!
//! A placeholder is `{name}`, or `{outer.inner}` for a part of an object. `{name:,}` joins the items
//! of a list with a comma; `{name...}` has its flag once for all items. Inserted values are never expanded again.

#[cfg(test)]
mod tests;

use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;
use toolscout_core::{Arguments, SourceError};

/// A part of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TemplatePart<'a> {
    /// Literal text.
    Text(&'a str),
    /// A placeholder for the argument with this name.
    Placeholder(&'a str),
}

/// The characters that may join the items of a list.
const SEPARATORS: [char; 5] = [',', ';', ':', '|', '+'];

/// Splits a template into its parts. Braces that contain no name, such as those of JSON, are text.
pub(super) fn parts(template: &str) -> Vec<TemplatePart<'_>> {
    split(template, is_name)
}

/// As [`parts`], for an entry of a command line: `{name:,}` is a placeholder, too.
fn argv_parts(template: &str) -> Vec<TemplatePart<'_>> {
    split(template, |inner| is_name(inner) || joined(inner).is_some())
}

/// The arguments that an entry of a command line uses.
pub(super) fn argv_names(template: &str) -> impl Iterator<Item = &str> {
    argv_parts(template).into_iter().filter_map(|part| match part {
        TemplatePart::Text(_) => None,
        TemplatePart::Placeholder(inner) => Some(name_of(inner)),
    })
}

/// The name and the separator of `name:,`, whose list becomes one entry.
fn joined(inner: &str) -> Option<(&str, char)> {
    let separator = inner.chars().next_back().filter(|last| SEPARATORS.contains(last))?;
    let name = inner.strip_suffix(separator)?.strip_suffix(':')?;
    is_name(name).then_some((name, separator))
}

/// The name of a placeholder.
fn name_of(inner: &str) -> &str {
    joined(inner).map_or_else(|| inner.strip_suffix("...").unwrap_or(inner), |(name, _)| name)
}

fn split(template: &str, is_placeholder: impl Fn(&str) -> bool) -> Vec<TemplatePart<'_>> {
    let mut out = Vec::new();
    let (mut text_from, mut at) = (0, 0);
    while let Some(open) = template[at..].find('{').map(|index| at + index) {
        at = open + 1;
        let Some(inner) = template[at..]
            .find('}')
            .map(|index| &template[at..at + index])
            .filter(|inner| is_placeholder(inner))
        else {
            continue;
        };
        if text_from < open {
            out.push(TemplatePart::Text(&template[text_from..open]));
        }
        out.push(TemplatePart::Placeholder(inner));
        at += inner.len() + 1;
        text_from = at;
    }
    if text_from < template.len() {
        out.push(TemplatePart::Text(&template[text_from..]));
    }
    out
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text
            .chars()
            .any(|c| c.is_whitespace() || matches!(c, '{' | '"' | '\'' | ':' | ',' | '$'))
}

/// The argument of a placeholder; `null` counts as absent.
pub(super) fn find<'a>(arguments: &'a Arguments, name: &str) -> Option<&'a Value> {
    let whole = arguments.get(name);
    let found = whole.or_else(|| {
        let (first, rest) = name.split_once('.')?;
        rest.split('.').try_fold(arguments.get(first)?, |value, key| value.get(key))
    });
    found.filter(|value| !value.is_null())
}

/// A value as text: strings unchanged, all else as JSON.
pub(super) fn text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => Cow::Borrowed(text),
        other => Cow::Owned(other.to_string()),
    }
}

/// Fills a whole template; `None` if an argument is absent.
pub(super) fn fill(parts: &[TemplatePart<'_>], arguments: &Arguments) -> Option<String> {
    parts
        .iter()
        .map(|part| match part {
            TemplatePart::Text(text) => Some(Cow::Borrowed(*text)),
            TemplatePart::Placeholder(name) => find(arguments, name).map(text),
        })
        .collect()
}

/// Refuses items that contain the separator of their list: the program would split them.
fn check_joined(templates: &[String], arguments: &Arguments) -> Result<(), SourceError> {
    let parts = templates.iter().flat_map(|template| argv_parts(template));
    for part in parts {
        let TemplatePart::Placeholder(inner) = part else { continue };
        let Some((name, separator)) = joined(inner) else { continue };
        let Some(Value::Array(items)) = find(arguments, name) else { continue };
        if let Some(item) = items.iter().find(|item| text(item).contains(separator)) {
            return Err(invalid(format!(
                "argument `{name}`: `{}` contains `{separator}`, which separates the items",
                text(item)
            )));
        }
    }
    Ok(())
}

/// The argv entries with the arguments: filled templates, or `--name=value` for each argument if
/// there are no templates. A boolean is a switch: its flag alone if it is true, nothing if it is
/// false.
pub(super) fn argv(
    templates: &[String],
    arguments: &Arguments,
) -> Result<Vec<String>, SourceError> {
    check_joined(templates, arguments)?;
    let out = if templates.is_empty() {
        plain_flags(arguments)
    } else {
        filled_flags(templates, arguments)
    };
    match out.iter().find(|out| out.contains('\0')) {
        Some(_) => {
            Err(invalid("an argument contains a NUL byte, which a command line cannot pass"))
        }
        None => Ok(out),
    }
}

fn plain_flags(arguments: &Arguments) -> Vec<String> {
    let mut out = Vec::new();
    for (name, value) in arguments.iter().filter(|(_, value)| !value.is_null()) {
        match value {
            Value::Bool(true) => out.push(format!("--{name}")),
            Value::Bool(false) => {}
            other => out.extend(each(other).map(|value| format!("--{name}={}", text(value)))),
        }
    }
    out
}

/// The items of a list; any other value as a single item.
fn each(value: &Value) -> impl Iterator<Item = &Value> {
    match value {
        Value::Array(items) => items.iter(),
        one => std::slice::from_ref(one).iter(),
    }
}

fn filled_flags(templates: &[String], arguments: &Arguments) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    // The last literal entry, a flag that belongs to the following placeholder.
    let mut flag: Option<&str> = None;
    for template in templates {
        let parts = argv_parts(template);
        let is_literal = parts.iter().all(|part| matches!(part, TemplatePart::Text(_)));
        if is_literal {
            out.push(template.clone());
            flag = Some(template.as_str()).filter(|template| {
                template.starts_with('-') && *template != "--" && *template != "-"
            });
            continue;
        }
        let own = flag.take().filter(|_| !template.starts_with('-'));
        if own.is_some() {
            out.pop();
        }
        if let (Some(flag), Some(is_on)) = (own, switch(&parts, arguments)) {
            out.extend(is_on.then(|| flag.to_owned()));
            continue;
        }
        // `{files...}` after a flag is the flag once, with all items.
        let is_spread = template.ends_with("...}");
        for (at, value) in values(&parts, arguments).into_iter().enumerate() {
            out.extend(own.filter(|_| at == 0 || !is_spread).map(str::to_owned));
            out.push(value);
        }
    }
    out
}

/// The value of an entry that is a placeholder of a boolean and nothing else.
fn switch(parts: &[TemplatePart<'_>], arguments: &Arguments) -> Option<bool> {
    let [TemplatePart::Placeholder(inner)] = parts else { return None };
    find(arguments, name_of(inner))?.as_bool()
}

/// The entries for one template: none if an argument is absent or an empty list, one per item if
/// its only placeholder is a list that is not joined.
fn values(parts: &[TemplatePart<'_>], arguments: &Arguments) -> Vec<String> {
    let placeholders: Vec<&str> = parts
        .iter()
        .filter_map(|part| match part {
            TemplatePart::Text(_) => None,
            TemplatePart::Placeholder(inner) => Some(*inner),
        })
        .collect();
    let with = |value_of: &dyn Fn(&str) -> Option<String>| -> Option<String> {
        parts
            .iter()
            .map(|part| match part {
                TemplatePart::Text(text) => Some((*text).to_owned()),
                TemplatePart::Placeholder(inner) => value_of(inner),
            })
            .collect()
    };
    if let [inner] = placeholders[..]
        && joined(inner).is_none()
        && let Some(Value::Array(items)) = find(arguments, name_of(inner))
    {
        let entry = |item: &Value| with(&|_| Some(text(item).into_owned()));
        return items.iter().filter_map(entry).collect();
    }
    with(&|inner| argv_text(inner, arguments)).into_iter().collect()
}

/// The text of one placeholder; `None` if its argument is absent, or an empty list to join.
fn argv_text(inner: &str, arguments: &Arguments) -> Option<String> {
    let value = find(arguments, name_of(inner))?;
    match (joined(inner), value) {
        (Some(_), Value::Array(items)) if items.is_empty() => None,
        (Some((_, separator)), Value::Array(items)) => {
            let items: Vec<_> = items.iter().map(text).collect();
            Some(items.join(&separator.to_string()))
        }
        _ => Some(text(value).into_owned()),
    }
}

/// The environment variables with the arguments: `TOOL_URL` for `url`.
pub(super) fn variables(arguments: &Arguments) -> Result<Vec<(String, String)>, SourceError> {
    let mut out: BTreeMap<String, (&str, String)> = BTreeMap::new();
    for (name, value) in arguments.iter().filter(|(_, value)| !value.is_null()) {
        let value = text(value).into_owned();
        if value.contains('\0') {
            return Err(invalid(format!(
                "argument `{name}` contains a NUL byte, which an environment variable cannot hold"
            )));
        }
        let variable = variable_name(name);
        if let Some((other, _)) = out.insert(variable.clone(), (name, value)) {
            return Err(invalid(format!(
                "arguments `{other}` and `{name}` would both become the environment variable `{variable}`"
            )));
        }
    }
    Ok(out.into_iter().map(|(variable, (_, value))| (variable, value)).collect())
}

fn variable_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    format!("TOOL_{}", name.chars().map(plain).collect::<String>())
}

fn invalid(reason: impl Into<String>) -> SourceError {
    SourceError::Invalid { reason: reason.into() }
}
