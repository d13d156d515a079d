//! The author's hints for the command line of a tool.

use super::DiagnosticCollector;
use super::shape::{Shape, Types};
use crate::cli::{CommandSpec, Many, PositionalSpec, nearest};
use serde_json::Value;
use std::collections::BTreeMap;
use toolscout_core::{CliHint, CliHints, Diagnostic, DiagnosticKind};

/// How names are joined and lists are typed.
pub(super) struct Layout {
    pub(super) separator: String,
    /// The number of names that a flag may join.
    pub(super) max_depth: usize,
    lists_as_json: bool,
    overrides: BTreeMap<String, FlagOverride>,
}

/// The author's values for one flag, instead of those of the schema.
#[derive(Debug, Clone, Default)]
pub(super) struct FlagOverride {
    pub(super) shape: Option<Shape>,
    pub(super) required: Option<bool>,
    pub(super) default: Option<Value>,
    pub(super) conversion: Option<Conversion>,
}

/// A change of the typed text before it is parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Conversion {
    Trim,
    Lowercase,
    Uppercase,
}

impl Conversion {
    pub(super) fn apply(self, text: &str) -> String {
        match self {
            Self::Trim => text.trim().to_owned(),
            Self::Lowercase => text.to_lowercase(),
            Self::Uppercase => text.to_uppercase(),
        }
    }
}

/// The default of `max_depth`, and its maximum: deeper flags are longer than JSON.
const DEFAULT_DEPTH: usize = 3;
const MAX_DEPTH: usize = 10;

const TYPES: [&str; 7] = ["string", "number", "integer", "boolean", "array", "object", "json"];
const CONVERSIONS: [&str; 5] = ["json", "list", "trim", "lowercase", "uppercase"];

impl Layout {
    pub(super) fn from_hints(hints: &CliHints, collector: &mut DiagnosticCollector<'_>) -> Self {
        let separator = one_of("separator", hints.separator.as_deref(), &SEPARATORS, collector);
        let arrays = one_of("arrays", hints.arrays.as_deref(), &["repeat", "json"], collector);
        let overrides = hints
            .flags
            .iter()
            .map(|(flag, hint)| (flag.clone(), FlagOverride::from_hint(flag, hint, collector)));
        let overrides = overrides.collect();
        Self {
            separator: separator.to_owned(),
            max_depth: max_depth(hints, collector),
            lists_as_json: arrays == "json",
            overrides,
        }
    }

    /// The author's values for this flag.
    pub(super) fn override_for(&self, flag: &str) -> FlagOverride {
        self.overrides.get(flag).cloned().unwrap_or_default()
    }

    /// The shape after the author's settings.
    pub(super) fn adjust(&self, shape: Shape) -> Shape {
        match shape {
            Shape::List(_) if self.lists_as_json => Shape::JsonArray,
            Shape::Object => Shape::JsonObject,
            shape => shape,
        }
    }
}

/// The separators of nested names.
const SEPARATORS: [&str; 7] = ["-", ".", "_", ":", "/", "__", ""];

fn max_depth(hints: &CliHints, collector: &mut DiagnosticCollector<'_>) -> usize {
    match hints.max_depth {
        None => DEFAULT_DEPTH,
        Some(depth @ 1..=MAX_DEPTH) => depth,
        Some(other) => {
            let message =
                format!("`{}` has an invalid `cli.max_depth`: {other}", collector.tool.id);
            collector.add(
                Diagnostic::warning(DiagnosticKind::Setting, message)
                    .with_hint(format!("use a number from 1 to {MAX_DEPTH}")),
            );
            DEFAULT_DEPTH
        }
    }
}

impl FlagOverride {
    fn from_hint(flag: &str, hint: &CliHint, collector: &mut DiagnosticCollector<'_>) -> Self {
        let mut check = |key: &str, word: &Option<String>, allowed: &[&'static str]| {
            let word = word.as_deref()?;
            Some(one_of(&format!("{flag}.{key}"), Some(word), allowed, collector))
                .filter(|allowed| *allowed == word)
        };
        let kind = check("type", &hint.kind, &TYPES);
        let parse = check("parse", &hint.parse, &CONVERSIONS);
        let shape = match (parse, kind) {
            (Some("json"), _) | (_, Some("json")) => Some(Shape::Any(Types::ALL)),
            (Some("list"), _) | (_, Some("array")) => Some(Shape::List(Box::new(Shape::Text))),
            (_, Some("string")) => Some(Shape::Text),
            (_, Some("number")) => Some(Shape::Number),
            (_, Some("integer")) => Some(Shape::Integer),
            (_, Some("boolean")) => Some(Shape::Switch),
            (_, Some("object")) => Some(Shape::JsonObject),
            _ => None,
        };
        let conversion = match parse {
            Some("trim") => Some(Conversion::Trim),
            Some("lowercase") => Some(Conversion::Lowercase),
            Some("uppercase") => Some(Conversion::Uppercase),
            _ => None,
        };
        Self { shape, required: hint.required, default: hint.default.clone(), conversion }
    }
}

/// The requested value if it is allowed, otherwise the first allowed one.
fn one_of<'a>(
    setting: &str,
    requested: Option<&str>,
    allowed: &[&'a str],
    collector: &mut DiagnosticCollector<'_>,
) -> &'a str {
    let found = requested.and_then(|value| allowed.iter().find(|allowed| **allowed == value));
    if let (Some(requested), None) = (requested, found) {
        let message =
            format!("`{}` has an invalid `cli.{setting}`: `{requested}`", collector.tool.id);
        let allowed: Vec<_> = allowed.iter().map(|item| format!("`{item}`")).collect();
        collector.add(
            Diagnostic::warning(DiagnosticKind::Setting, message)
                .with_hint(format!("use one of {}", allowed.join(", "))),
        );
    }
    found.unwrap_or(&allowed[0])
}

/// Applies the hints to the flags they name; a hint for an unknown flag is reported and adds no
/// flag.
pub(super) fn apply(
    hints: &CliHints,
    spec: &mut CommandSpec,
    collector: &mut DiagnosticCollector<'_>,
) {
    for (flag, hint) in &hints.flags {
        let known = |name: &str| spec.options.iter().any(|option| option.long == name);
        if !known(flag) {
            report_unknown(
                &format!("a hint for `--{flag}`, which is not one of its flags"),
                flag,
                spec,
                collector,
            );
            continue;
        }
        for other in hint.conflicts.iter().filter(|conflict| !known(conflict)) {
            report_unknown(
                &format!(
                    "a conflict of `--{flag}` with `--{other}`, which is not one of its flags"
                ),
                other,
                spec,
                collector,
            );
        }
        apply_one(flag, hint, spec, collector);
    }
    spec.positionals = positionals(hints, spec);
}

fn apply_one(
    flag: &str,
    hint: &CliHint,
    spec: &mut CommandSpec,
    collector: &mut DiagnosticCollector<'_>,
) {
    let short = hint.short.filter(|value| is_free(flag, *value, spec, collector));
    let Some(option) = spec.options.iter_mut().find(|option| option.long == flag) else { return };
    option.short = short;
    option.hidden |= hint.hidden;
    option.conflicts.clone_from(&hint.conflicts);
    if let Some(description) = &hint.description {
        option.help.clone_from(description);
    }
    if hint.value_name.is_some() {
        option.value_name.clone_from(&hint.value_name);
    }
}

fn is_free(
    flag: &str,
    short: char,
    spec: &CommandSpec,
    collector: &mut DiagnosticCollector<'_>,
) -> bool {
    let problem = match spec.find_short(short) {
        Some(other) => format!("is already used for `--{}`", other.long),
        None if !short.is_alphanumeric() && !short.is_ascii_punctuation()
            || matches!(short, '-' | '=') =>
        {
            "cannot be typed as an option".to_owned()
        }
        None => return true,
    };
    let message =
        format!("`{}` sets `-{short}` for `--{flag}`, but it {problem}", collector.tool.id);
    collector.add(
        Diagnostic::warning(DiagnosticKind::Setting, message).with_hint("choose another letter"),
    );
    false
}

fn report_unknown(
    what: &str,
    name: &str,
    spec: &CommandSpec,
    collector: &mut DiagnosticCollector<'_>,
) {
    let diagnostic =
        Diagnostic::warning(DiagnosticKind::Setting, format!("`{}` has {what}", collector.tool.id));
    let nearest = nearest(name, spec.options.iter().map(|option| option.long.as_str()));
    collector.add(match nearest {
        Some(nearest) => diagnostic.with_hint(format!("did you mean `{nearest}`?")),
        None => diagnostic.with_hint("use the flag name that `--help` shows, without dashes"),
    });
}

/// Flags that may also be given as positional arguments, in the order of the schema.
fn positionals(hints: &CliHints, spec: &CommandSpec) -> Vec<PositionalSpec> {
    let positional_options = spec
        .options
        .iter()
        .filter(|option| hints.flags.get(&option.long).is_some_and(|hint| hint.positional));
    let to_positional = |option: &crate::cli::OptionSpec| PositionalSpec {
        name: option.value_name.clone().unwrap_or_else(|| option.long.to_uppercase()),
        help: option.help.clone(),
        required: option.required,
        many: option.many != Many::No,
        choices: option.choices.clone(),
        option: Some(option.long.clone()),
    };
    positional_options.map(to_positional).collect()
}
