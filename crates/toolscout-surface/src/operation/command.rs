//! The command line of an operation: flags from its input schema, and the input from the typed
//! words.
//!
//! The flags come from the same code as the flags of tools. The extension `x-cli` of a property
//! has the details that a schema cannot express: `flag` (another name), `positional`, `short`,
//! `value` (the name of the value in help), `pairs` (a map typed as repeated `NAME=VALUE`; the
//! text is the separator), `file` (the user types a path, which stands for the text of the
//! file), `secret` (no flag: the value comes from standard input or a prompt), `conflicts` (a flag
//! that cannot be combined with this one) and `skip` (no flag).
//! `x-cli-rest` of the whole input names the properties that take the words after `--`: the
//! first one takes one word, the last one all others.

use super::{BoundOperation, CommandName, Confirm};
use crate::cli::{
    CommandSpec, InputFrom, Locale, OptionSpec, Parsed, ToolFlags, UsageError, UsageErrors,
};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use toolscout_core::{CliHint, CliHints, RawJson, SourceId, Tool, ToolId, ToolName};

/// The command line of an operation.
pub struct OperationCommand {
    /// The operation that this command runs.
    pub operation: Arc<BoundOperation>,
    command: CommandName,
    flags: ToolFlags,
    /// Properties by flag, for flags whose name differs from the property.
    properties: BTreeMap<String, String>,
    /// Separators of properties typed as pairs.
    pairs: BTreeMap<String, char>,
    /// Properties whose value is the text of the typed file.
    files: Vec<String>,
    /// The property that is read from standard input or a prompt.
    secret: Option<String>,
    /// Flags that exclude each other.
    conflicts: Vec<(String, String)>,
    rest: Vec<String>,
}

impl OperationCommand {
    /// Every command of an operation.
    pub fn all(operation: &Arc<BoundOperation>) -> Vec<CommandName> {
        let own = CommandName::new(operation.spec.name).summary(operation.spec.summary);
        let commands = operation.spec.commands;
        let named = |command: &&CommandName| !command.name.is_empty();
        if commands.is_empty() {
            vec![own]
        } else {
            commands.iter().filter(named).copied().collect()
        }
    }

    /// The command line of one command of an operation.
    pub fn new(operation: Arc<BoundOperation>, command: CommandName, locale: Locale) -> Self {
        let mut schema = operation.input.inlined().clone();
        let rest = strings(&schema["x-cli-rest"]);
        let (mut hints, mut properties, mut pairs) =
            (CliHints::default(), BTreeMap::new(), BTreeMap::new());
        let (mut flags, mut files, mut conflicts) = (Map::new(), Vec::new(), Vec::new());
        let mut secret = None;
        let all = schema
            .get_mut("properties")
            .and_then(Value::as_object_mut)
            .map(std::mem::take)
            .unwrap_or_default();
        for (name, mut property) in all {
            let hint = property
                .as_object_mut()
                .and_then(|object| object.shift_remove("x-cli"))
                .unwrap_or_default();
            let is_fixed = command.preset.iter().any(|(fixed, _)| *fixed == name);
            if is_fixed || hint["skip"] == true || rest.contains(&name) {
                continue;
            }
            if hint["secret"] == true {
                secret = Some(name);
                continue;
            }
            let flag = hint["flag"].as_str().map_or_else(|| kebab(&name), str::to_owned);
            if let Some(separator) = hint["pairs"].as_str().and_then(|text| text.chars().next()) {
                let description = property["description"].take();
                property = json!({"type": "array", "items": {"type": "string"}, "description": description});
                pairs.insert(name.clone(), separator);
            }
            if hint["file"] == true {
                files.push(name.clone());
            }
            if let Some(other) = hint["conflicts"].as_str() {
                conflicts.push((flag.clone(), other.to_owned()));
            }
            hints.flags.insert(flag.clone(), cli_hint(&hint));
            properties.insert(flag.clone(), name);
            flags.insert(flag, property);
        }
        let required = strings(&schema["required"]);
        let is_needed =
            |name: &String| required.contains(name) || command.required.contains(&name.as_str());
        let is_required = |flag: &&String| properties.get(*flag).is_some_and(is_needed);
        let required: Vec<_> = flags.keys().filter(is_required).cloned().collect();
        let input = json!({"type": "object", "properties": flags, "required": required});
        let flags = ToolFlags::in_locale(&tool(&input, hints), locale);
        Self { operation, command, flags, properties, pairs, files, secret, conflicts, rest }
    }

    /// The command specification for parsing, help and completion.
    pub fn spec(&self) -> CommandSpec {
        let operation = &self.operation.spec;
        let summary =
            if self.command.summary.is_empty() { operation.summary } else { self.command.summary };
        let mut spec = CommandSpec {
            name: self.command.name.to_owned(),
            about: summary.to_owned(),
            ..self.flags.spec.clone()
        };
        // `--json` is a global option; `--input` is for programs.
        spec.options.retain(|option| option.long != "json");
        spec.options
            .iter_mut()
            .filter(|option| option.long == "input")
            .for_each(|option| option.hidden = true);
        // A property with a positional argument needs no required flag: the positional argument
        // is reported as missing instead.
        let is_positional = |name: &str| {
            spec.positionals.iter().any(|positional| positional.option.as_deref() == Some(name))
        };
        for option in &mut spec.options {
            option.negatable = false;
            // The default of a switch is always off, so help does not show it.
            option.default = option.default.take().filter(|_| !option.is_switch());
            let conflicts = self.conflicts.iter().filter(|(flag, _)| *flag == option.long);
            option.conflicts.extend(conflicts.map(|(_, other)| other.clone()));
            if is_positional(&option.long) {
                (option.required, option.hidden) = (false, true);
            }
        }
        if operation.confirm == Confirm::Always {
            spec.options.push(OptionSpec::switch("yes", "Skip the confirmation prompt").short('y'));
        }
        spec.notes = operation.notes.iter().map(|note| (*note).to_owned()).collect();
        let own = format!("toolscout {}", self.command.name);
        let is_own = |example: &&&str| **example == own || example.starts_with(&format!("{own} "));
        spec.examples =
            operation.examples.iter().filter(is_own).map(|example| (*example).to_owned()).collect();
        spec
    }

    /// The input of the operation. `read` returns the text of a file or of standard input.
    pub fn input(
        &self,
        parsed: &Parsed,
        read: impl FnOnce(InputFrom<'_>) -> Result<String, String>,
    ) -> Result<Map<String, Value>, UsageErrors> {
        let typed = self
            .flags
            .arguments_with(parsed, read)
            .map_err(|errors| self.with_positional_names(&errors))?;
        let mut input = Map::new();
        for (flag, value) in typed {
            let name = self.properties.get(&flag).cloned().unwrap_or(flag);
            let value = match self.pairs.get(&name) {
                Some(separator) => parse_pairs(&name, &value, *separator)?,
                None => value,
            };
            input.insert(name, value);
        }
        if let (Some((first, more)), Some((word, words))) =
            (self.rest.split_first(), parsed.rest.split_first())
        {
            input.insert(first.clone(), json!(word));
            if let Some(last) = more.last() {
                input.insert(last.clone(), json!(words));
            }
        }
        for (name, value) in self.command.preset {
            input.insert((*name).to_owned(), serde_json::from_str(value).unwrap_or_default());
        }
        Ok(input)
    }
}

impl OperationCommand {
    /// Input fields whose value is a path that stands for the text of the file.
    pub fn files(&self) -> &[String] {
        &self.files
    }

    /// The input field that is read from standard input, or prompted for at a terminal.
    pub fn secret(&self) -> Option<&str> {
        self.secret.as_deref()
    }

    /// Reports a missing option as a missing argument if it is positional.
    fn with_positional_names(&self, errors: &UsageErrors) -> UsageErrors {
        let positional_name = |option: &str| {
            let positionals = self.flags.spec.positionals.iter();
            let mut positionals = positionals
                .filter(|positional| positional.option.as_deref() == option.strip_prefix("--"));
            positionals.next().map(|positional| positional.name.clone())
        };
        let named = |error: &UsageError| match error {
            UsageError::MissingOption { option } => positional_name(option)
                .map_or_else(|| error.clone(), |name| UsageError::MissingArgument { name }),
            other => other.clone(),
        };
        match UsageErrors::check(errors.iter().map(named).collect()) {
            Err(errors) => errors,
            Ok(()) => errors.clone(),
        }
    }
}

fn tool(schema: &Value, cli: CliHints) -> Tool {
    let name = ToolName::new("operation").expect("the name is valid");
    Tool {
        input_schema: RawJson::from_value(schema),
        cli,
        ..Tool::new(ToolId::new(SourceId::app(), name))
    }
}

fn cli_hint(hint: &Value) -> CliHint {
    CliHint {
        short: hint["short"].as_str().and_then(|value| value.chars().next()),
        value_name: hint["value"].as_str().map(str::to_owned),
        hidden: hint["hidden"] == true,
        positional: hint["positional"] == true,
        ..CliHint::default()
    }
}

/// `NAME=VALUE` texts as a map.
fn parse_pairs(name: &str, texts: &Value, separator: char) -> Result<Value, UsageErrors> {
    let mut map = Map::new();
    for text in strings(texts) {
        match text.split_once(separator) {
            Some((key, value)) if !key.trim().is_empty() => {
                map.insert(key.trim().to_owned(), value.trim_start().into());
            }
            _ => {
                let (option, choices) =
                    (format!("--{}", kebab(name)), vec![format!("NAME{separator}VALUE")]);
                return Err(UsageError::NotOneOf { option, value: text, choices }.into());
            }
        }
    }
    Ok(map.into())
}

fn strings(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// `allowHost` as `allow-host`.
fn kebab(name: &str) -> String {
    let mut kebab = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            kebab.push('-');
        }
        kebab.push(if letter == '_' { '-' } else { letter.to_ascii_lowercase() });
    }
    kebab
}
