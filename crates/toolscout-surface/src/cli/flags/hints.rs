//! The author's hints for the command line of a tool.

use super::News;
use super::shape::Shape;
use crate::cli::{CommandSpec, Many, PositionalSpec, nearest};
use toolscout_core::{CliHint, CliHints, Diagnostic, DiagnosticKind};

/// How names are joined and lists are typed.
pub(super) struct Layout {
    pub(super) separator: String,
    lists_as_json: bool,
}

impl Layout {
    pub(super) fn of(hints: &CliHints, news: &mut News<'_>) -> Self {
        let separator =
            one_of("separator", hints.separator.as_deref(), &["-", ".", "_", "__", ""], news);
        let arrays = one_of("arrays", hints.arrays.as_deref(), &["repeat", "json"], news);
        Self { separator: separator.to_owned(), lists_as_json: arrays == "json" }
    }

    /// The shape after the author's settings.
    pub(super) fn settle(&self, shape: Shape) -> Shape {
        match shape {
            Shape::List(_) if self.lists_as_json => Shape::JsonArray,
            Shape::Object => Shape::JsonObject,
            shape => shape,
        }
    }
}

/// The requested value if it is allowed, otherwise the first allowed one.
fn one_of<'a>(
    setting: &str,
    wanted: Option<&str>,
    allowed: &[&'a str],
    news: &mut News<'_>,
) -> &'a str {
    let found = wanted.and_then(|it| allowed.iter().find(|allowed| **allowed == it));
    if let (Some(wanted), None) = (wanted, found) {
        let message =
            format!("`{}` has a `cli.{setting}` that cannot be: `{wanted}`", news.tool.id);
        let allowed: Vec<_> = allowed.iter().map(|it| format!("`{it}`")).collect();
        news.add(
            Diagnostic::warning(DiagnosticKind::Setting, message)
                .hint(format!("use one of {}", allowed.join(", "))),
        );
    }
    found.unwrap_or(&allowed[0])
}

/// Applies the hints to the flags they name; a hint for an unknown flag is reported and adds no
/// flag.
pub(super) fn apply(hints: &CliHints, spec: &mut CommandSpec, news: &mut News<'_>) {
    for (flag, hint) in &hints.flags {
        let known = |name: &str| spec.options.iter().any(|it| it.long == name);
        if !known(flag) {
            unknown(
                &format!("a hint for `--{flag}`, which is none of its flags"),
                flag,
                spec,
                news,
            );
            continue;
        }
        for other in hint.conflicts.iter().filter(|it| !known(it)) {
            unknown(
                &format!("a conflict of `--{flag}` with `--{other}`, which is none of its flags"),
                other,
                spec,
                news,
            );
        }
        apply_one(flag, hint, spec, news);
    }
    spec.positionals = positionals(hints, spec);
}

fn apply_one(flag: &str, hint: &CliHint, spec: &mut CommandSpec, news: &mut News<'_>) {
    let short = hint.short.filter(|it| is_free(flag, *it, spec, news));
    let Some(option) = spec.options.iter_mut().find(|it| it.long == flag) else { return };
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

fn is_free(flag: &str, short: char, spec: &CommandSpec, news: &mut News<'_>) -> bool {
    let problem = match spec.find_short(short) {
        Some(other) => format!("already stands for `--{}`", other.long),
        None if !short.is_alphanumeric() && !short.is_ascii_punctuation()
            || matches!(short, '-' | '=') =>
        {
            "cannot be typed as an option".to_owned()
        }
        None => return true,
    };
    let message = format!("`{}` wants `-{short}` for `--{flag}`, but it {problem}", news.tool.id);
    news.add(Diagnostic::warning(DiagnosticKind::Setting, message).hint("choose another letter"));
    false
}

fn unknown(what: &str, name: &str, spec: &CommandSpec, news: &mut News<'_>) {
    let problem =
        Diagnostic::warning(DiagnosticKind::Setting, format!("`{}` has {what}", news.tool.id));
    let nearest = nearest(name, spec.options.iter().map(|it| it.long.as_str()));
    news.add(match nearest {
        Some(nearest) => problem.hint(format!("did you mean `{nearest}`?")),
        None => problem.hint("name the flag as `--help` shows it, without its dashes"),
    });
}

/// Flags that may also be given as positional arguments, in the order of the schema.
fn positionals(hints: &CliHints, spec: &CommandSpec) -> Vec<PositionalSpec> {
    let wanted = spec
        .options
        .iter()
        .filter(|it| hints.flags.get(&it.long).is_some_and(|hint| hint.positional));
    let place = |it: &crate::cli::OptionSpec| PositionalSpec {
        name: it.value_name.clone().unwrap_or_else(|| it.long.to_uppercase()),
        help: it.help.clone(),
        required: it.required,
        many: it.many != Many::No,
        choices: it.choices.clone(),
        option: Some(it.long.clone()),
    };
    wanted.map(place).collect()
}
