//! The options of a help text: lines such as `-o, --out FILE  Where to write`.

use super::clean::HelpLine;
use super::{HelpOption, OptionValue};

/// Options are not indented deeper; what is, continues a description.
const MAX_INDENT: usize = 14;

/// All options of these lines, each once.
pub(super) fn read_options(lines: &[&HelpLine]) -> Vec<HelpOption> {
    let mut options: Vec<HelpOption> = Vec::new();
    // The indent of the option whose description continues.
    let mut current: Option<usize> = None;
    for line in lines {
        if let Some(option) = option(line).filter(|_| current.is_none_or(|at| line.indent < at + 9))
        {
            let is_new = |old: &HelpOption| !old.names.iter().any(|it| option.names.contains(it));
            current = options.iter().all(is_new).then_some(line.indent);
            options.extend(current.map(|_| option));
        } else if let (Some(indent), Some(option)) = (current, options.last_mut()) {
            if line.is_blank() {
                continue;
            }
            if line.indent <= indent {
                current = None;
                continue;
            }
            let text = &mut option.description;
            *text = format!("{text}\n{}", line.text).trim().to_owned();
        }
    }
    options
}

/// The option that a line begins.
fn option(line: &HelpLine) -> Option<HelpOption> {
    // curl indents its options by one space, some scripts not at all.
    let starts_option = |text: &str| {
        let mut letters = text.chars();
        letters.next() == Some('-') && letters.next().is_some_and(|c| !c.is_whitespace())
    };
    if !starts_option(&line.text) || line.indent > MAX_INDENT || line.text.starts_with("---") {
        return None;
    }
    let (spec, description) = split_columns(&line.text);
    let mut option = HelpOption { description: description.to_owned(), ..HelpOption::default() };
    let mut rest = spec;
    while rest.starts_with('-') {
        let end = rest.find([' ', ',', '=', '[', '|', '<', '{', ':', '(']).unwrap_or(rest.len());
        let (name, after) = split_name(rest, end);
        option.names.push(name);
        rest = take_value(after, &mut option);
    }
    // `--cache / --no-cache`: the second form is the opposite.
    option.names.retain(|name| name.len() > 1 && name != "--");
    // `--check, --check=diagnose-first`: the value is optional.
    let mut seen = Vec::new();
    let count = option.names.len();
    option.names.retain(|name| {
        !seen.contains(name) && {
            seen.push(name.clone());
            true
        }
    });
    if let Some(value) = option.value.as_mut().filter(|_| option.names.len() < count) {
        value.optional = true;
    }
    (!option.names.is_empty()).then_some(option)
}

/// The columns of a line: what is typed, and what it does.
fn split_columns(text: &str) -> (&str, &str) {
    match text.find("  ") {
        Some(at) => (text[..at].trim(), text[at..].trim()),
        None => match text.split_once(" : ").or_else(|| text.split_once(" - ")) {
            Some((spec, about)) => (spec.trim(), about.trim()),
            None => (text, ""),
        },
    }
}

/// The name at the start of a text. git writes `--[no-]quiet` for a pair of options.
fn split_name(text: &str, end: usize) -> (String, &str) {
    if let Some(rest) = text.strip_prefix("--[no-]") {
        let end = rest.find([' ', ',', '=', '[', '|', '<']).unwrap_or(rest.len());
        return (format!("--{}", &rest[..end]), &rest[end..]);
    }
    (text[..end].to_owned(), &text[end..])
}

/// Reads the value after a name; returns the text from the next name on.
fn take_value<'a>(after: &'a str, option: &mut HelpOption) -> &'a str {
    if let Some(rest) = after.strip_prefix([',', '|']) {
        return rest.trim_start();
    }
    if after.trim_start().starts_with("/ ") {
        // The opposite of a switch.
        return "";
    }
    if let Some(description) = after.strip_prefix(':') {
        // kubectl: `--all=false:`. A colon may also begin the description.
        if option.description.is_empty() {
            description.trim().clone_into(&mut option.description);
        }
        return "";
    }
    let next = [", -", " | -", " / -", "|-"]
        .iter()
        .filter_map(|mark| after.find(mark).map(|at| (at, at + mark.len() - 1)));
    let (end, next) = next.min().unwrap_or((after.len(), after.len()));
    let (value, rest) = (after[..end].trim(), &after[next..]);
    if value.starts_with('-') {
        // `-v -q`: the next name follows without a value.
        return after.trim_start();
    }
    if !value.is_empty() {
        set_value(value, after, option);
    }
    rest
}

fn set_value(value: &str, after: &str, option: &mut HelpOption) {
    let is_optional = value.starts_with("[=")
        || (value.starts_with('[') && value.ends_with(']') && !value.contains('|'));
    let is_attached = value.starts_with('=') || value.starts_with("[=");
    let defaulted = value.strip_prefix('=').and_then(|value| value.strip_suffix(':'));
    if let Some(default) = defaulted {
        return set_kubectl_value(default, option);
    }
    let text = value.trim_start_matches(['=', '[']).trim_start_matches('=').trim();
    let has_long = option.names.iter().any(|name| name.starts_with("--"));
    let may_be_prose = text.contains(' ') || !has_long;
    if !is_attached && option.description.is_empty() && may_be_prose && is_prose(text) {
        text.clone_into(&mut option.description);
        return;
    }
    // `-n NAME the name`: columns with a single space.
    let (text, prose) = match text.split_once(' ') {
        Some((first, rest)) if is_placeholder(first) && is_prose(rest) => (first, rest),
        _ => (text, ""),
    };
    if option.description.is_empty() {
        prose.clone_into(&mut option.description);
    }
    let many = text.contains(' ') && text.ends_with("...]") || text.ends_with("[...]");
    let repeated = !many && text.ends_with("...");
    option.repeated |= repeated;
    let mut parsed = OptionValue {
        placeholder: text.split(' ').next().unwrap_or(text).to_owned(),
        optional: is_optional,
        attached: is_attached || (is_optional && !after.starts_with(' ')),
        many,
        ..OptionValue::default()
    };
    parsed.choices = choices(text);
    parsed.placeholder =
        parsed.placeholder.trim_matches(|c: char| "<>[]{}().:".contains(c)).to_owned();
    // argparse repeats the value for each name.
    let is_first = option.value.as_ref().is_none_or(|old| old.placeholder.is_empty());
    if is_first {
        option.value = Some(parsed);
    }
}

/// kubectl shows defaults as values: `--all=false:` is a switch, `--output='':` takes a text.
fn set_kubectl_value(default: &str, option: &mut HelpOption) {
    if default == "false" || default == "true" {
        return;
    }
    let name = option.main_name().trim_start_matches('-').to_uppercase();
    let text = default.trim_matches('\'');
    option.repeated |= default.starts_with('[');
    option.value = Some(OptionValue {
        placeholder: name,
        default: Some(text.to_owned()).filter(|text| !text.is_empty() && text != "[]"),
        attached: true,
        ..OptionValue::default()
    });
}

/// `{a,b}`, `[a|b]`, `<a|b>`: the possible values.
fn choices(text: &str) -> Vec<String> {
    let first = text.split(' ').next().unwrap_or(text);
    let inner = first.trim_matches(|c| "[]<>(){}".contains(c));
    let separator = if first.starts_with('{') && inner.contains(',') { ',' } else { '|' };
    let parts: Vec<&str> = inner.split(separator).collect();
    let is_choice = |part: &&str| {
        !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.+".contains(c))
    };
    // `<file|url>` names two kinds of values, `[json|yaml]` and `{json,yaml}` are values.
    let are_values = first.starts_with(['{', '[', '(']) || !first.starts_with('<');
    let is_list = parts.len() > 1 && parts.iter().all(is_choice) && are_values;
    if is_list { parts.into_iter().map(str::to_owned).collect() } else { Vec::new() }
}

/// Whether a word stands for a value: `FILE`, `<file>`, `{a,b}`.
fn is_placeholder(word: &str) -> bool {
    let is_capital = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || "_-[],.".contains(c);
    word.starts_with(['<', '{', '[']) || (!word.is_empty() && word.chars().all(is_capital))
}

/// Whether a text describes an option instead of naming its value.
fn is_prose(text: &str) -> bool {
    let first = text.split(' ').next().unwrap_or_default();
    !is_placeholder(first) && !first.is_empty() && !first.ends_with("...")
}
