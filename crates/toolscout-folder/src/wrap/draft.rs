//! Writes the tool file of a wrapped program.

use super::{CommandHelp, HelpOption, HelpPositional, OptionValue, ValueKind};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Names of flags that every command has. A parameter with such a name gets another one.
const RESERVED: [&str; 3] = ["help", "json", "input"];

/// A positional value that could be read as an option.
const NO_OPTION: &str = "^[^-]";

/// What a tool file is written from.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolDraft {
    /// The name of the tool.
    pub name: String,
    /// The command line; the program is relative to the tool file if it has a `/`.
    pub command: Vec<String>,
    /// What was read to write it: `./deploy.sh --help`.
    pub origin: String,
    /// The parameters.
    pub help: CommandHelp,
}

/// A parameter, and the entries of `args` that pass it on.
#[derive(Debug, Default)]
struct DraftParameter {
    name: String,
    /// Its other keys, as lines of TOML.
    keys: Vec<String>,
    args: Vec<String>,
    /// Its keys under `[cli.NAME]`.
    cli: Vec<String>,
}

/// The tool file. If the help text names no parameters, the tool has a list of arguments.
pub fn tool_file(draft: &ToolDraft) -> String {
    let help = &draft.help;
    let mut names = BTreeSet::from(RESERVED.map(str::to_owned));
    let mut parameters: Vec<DraftParameter> =
        help.options.iter().map(|option| option_parameter(option, help, &mut names)).collect();
    let mut shorts = BTreeSet::new();
    for (option, parameter) in help.options.iter().zip(&mut parameters) {
        let short = option.short().filter(|short| *short != 'h');
        if let Some(short) = short.filter(|short| shorts.insert(*short)) {
            parameter.cli.push(format!("short = {}", quoted(&short.to_string())));
        }
    }
    if help.accepts_dashes() && !help.positionals.is_empty() {
        parameters.push(DraftParameter { args: vec!["--".to_owned()], ..Default::default() });
    }
    let positionals = help.positionals.iter();
    parameters.extend(positionals.map(|it| positional_parameter(it, help, &mut names)));
    if help.is_empty() {
        parameters.push(any_arguments(&draft.command));
    }
    render(draft, &parameters)
}

fn render(draft: &ToolDraft, parameters: &[DraftParameter]) -> String {
    let about = draft.help.about.clone();
    let about = about.unwrap_or_else(|| format!("Run {}", draft.command.join(" ")));
    let mut out = format!(
        "# Written by `toolscout wrap` from the output of `{}`. Change what you like.\n",
        draft.origin
    );
    let _ = writeln!(out, "name = {}\ndescription = {}", quoted(&draft.name), quoted(&about));
    for parameter in parameters.iter().filter(|parameter| !parameter.name.is_empty()) {
        let _ = writeln!(out, "\n[[parameters]]\nname = {}", quoted(&parameter.name));
        parameter.keys.iter().for_each(|key| out += &format!("{key}\n"));
    }
    let _ = writeln!(out, "\n[run]\ncommand = {}", list(&draft.command));
    out += "args = [\n";
    for parameter in parameters {
        let args: Vec<String> = parameter.args.iter().map(|arg| quoted(arg)).collect();
        let _ = writeln!(out, "  {},", args.join(", "));
    }
    out += "]\n";
    // The comments stand where people will look for them.
    out += "cwd = \"project\" # or \"caller\", \"file\", a path\n";
    out += "timeout_ms = 60000\n";
    for parameter in parameters.iter().filter(|parameter| !parameter.cli.is_empty()) {
        let _ = writeln!(out, "\n[cli.{}]", key(&parameter.name));
        parameter.cli.iter().for_each(|key| out += &format!("{key}\n"));
    }
    out
}

fn option_parameter(
    option: &HelpOption,
    help: &CommandHelp,
    names: &mut BTreeSet<String>,
) -> DraftParameter {
    let main = option.main_name();
    let mut name = parameter_name(main.trim_start_matches('-'));
    // A letter says nothing to an agent; the placeholder of its value does.
    if name.len() == 1
        && let Some(value) = &option.value
        && value.placeholder.len() > 1
        && !value.placeholder.chars().any(char::is_whitespace)
        && value.choices.is_empty()
    {
        name = parameter_name(&value.placeholder);
    }
    let mut parameter = DraftParameter { name: unique(name, names), ..DraftParameter::default() };
    let name = &parameter.name;
    parameter.args = match &option.value {
        None => vec![main.to_owned(), format!("{{{name}}}")],
        Some(value) if value.many => vec![main.to_owned(), format!("{{{name}...}}")],
        Some(value) if is_joined(main, value, help) => vec![format!("{main}={{{name}}}")],
        // `-u[MODE]` takes its optional value without a space.
        Some(value) if value.optional => vec![format!("{main}{{{name}}}")],
        Some(_) => vec![main.to_owned(), format!("{{{name}}}")],
    };
    parameter.keys = option_keys(option);
    parameter
}

/// Whether the option and its value are one entry, so that no value can be read as an option.
fn is_joined(name: &str, value: &OptionValue, help: &CommandHelp) -> bool {
    let is_long = name.starts_with("--");
    is_long && (value.attached || value.optional || help.style.accepts_equals())
        || (value.attached && !value.optional)
}

fn option_keys(option: &HelpOption) -> Vec<String> {
    let mut keys = Vec::new();
    let Some(value) = &option.value else {
        keys.push("type = \"boolean\"".to_owned());
        return with_description(keys, &option.description, option.required);
    };
    let is_list = option.repeated || value.many;
    let kind = match value.kind {
        ValueKind::Integer => "integer",
        ValueKind::Number => "number",
        ValueKind::Text | ValueKind::List => "string",
    };
    if is_list && !value.choices.is_empty() {
        keys.push("type = \"array\"".to_owned());
        let choices = list(&value.choices);
        keys.push(format!("items = {{ type = \"string\", enum = {choices} }}"));
    } else if is_list {
        keys.push(format!("type = \"array:{kind}\""));
    } else if !value.choices.is_empty() {
        keys.push(format!("enum = {}", list(&value.choices)));
    } else if kind != "string" {
        keys.push(format!("type = \"{kind}\""));
    }
    with_description(keys, &described(option, value), option.required)
}

/// The description, with the default. The default stays the program's own: a value passed on
/// purpose can mean something else than no value.
fn described(option: &HelpOption, value: &OptionValue) -> String {
    let text = &option.description;
    match &value.default {
        Some(default) if !text.contains(default.as_str()) => {
            format!("{text} (default: {default})").trim().to_owned()
        }
        _ => text.clone(),
    }
}

fn positional_parameter(
    positional: &HelpPositional,
    help: &CommandHelp,
    names: &mut BTreeSet<String>,
) -> DraftParameter {
    let name = unique(positional.name.clone(), names);
    let pattern = if help.accepts_dashes() {
        String::new()
    } else {
        format!("pattern = {}", quoted(NO_OPTION))
    };
    let mut keys = Vec::new();
    if !positional.choices.is_empty() {
        keys.push(format!("enum = {}", list(&positional.choices)));
    } else if positional.repeated && pattern.is_empty() {
        keys.push("type = \"array:string\"".to_owned());
    } else if positional.repeated {
        keys.push("type = \"array\"".to_owned());
        keys.push(format!("items = {{ type = \"string\", {pattern} }}"));
    } else if !pattern.is_empty() {
        keys.push(pattern);
    }
    DraftParameter {
        keys: with_description(keys, &positional.description, positional.required),
        args: vec![format!("{{{name}}}")],
        cli: vec!["positional = true".to_owned()],
        name,
    }
}

/// The only parameter of a tool whose options are unknown.
fn any_arguments(command: &[String]) -> DraftParameter {
    let about = format!("Arguments, as on the command line of {}", command.join(" "));
    DraftParameter {
        name: "args".to_owned(),
        keys: with_description(vec!["type = \"array:string\"".to_owned()], &about, false),
        args: vec!["{args}".to_owned()],
        cli: vec!["positional = true".to_owned()],
    }
}

fn with_description(mut keys: Vec<String>, text: &str, required: bool) -> Vec<String> {
    if required {
        keys.push("required = true".to_owned());
    }
    if !text.is_empty() {
        keys.push(format!("description = {}", quoted(text)));
    }
    keys
}

fn parameter_name(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let name: String = text.chars().map(plain).collect();
    let name = name.trim_matches(['-', '_']).to_owned();
    if name.chars().any(|c| c.is_ascii_lowercase()) || name.len() == 1 {
        return name;
    }
    name.to_lowercase()
}

fn unique(name: String, names: &mut BTreeSet<String>) -> String {
    let base = if name.is_empty() { "value".to_owned() } else { name };
    let mut name = base.clone();
    let mut number = 1;
    while !names.insert(name.clone()) {
        number += 1;
        name = if number == 2 { format!("{base}-value") } else { format!("{base}-{number}") };
    }
    name
}

/// A TOML key.
fn key(name: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    if name.chars().all(is_bare) { name.to_owned() } else { quoted(name) }
}

/// A TOML string. JSON has the same escapes.
fn quoted(text: &str) -> String {
    let plain: String = text.chars().filter(|c| !c.is_control()).collect();
    serde_json::to_string(&plain).unwrap_or_default()
}

fn list(items: &[String]) -> String {
    let items: Vec<String> = items.iter().map(|item| quoted(item)).collect();
    format!("[{}]", items.join(", "))
}
