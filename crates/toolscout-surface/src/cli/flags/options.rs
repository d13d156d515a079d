//! Turns leaves and parents into the options for parsing, help and completion.

use super::flatten::{Leaf, Parent};
use super::shape::Shape;
use super::{Extras, names};
use crate::cli::words::{Locale, Word};
use crate::cli::{CommandSpec, OptionSpec, ValueKind};
use std::collections::HashMap;

pub(super) fn options(leaves: &[Leaf], parents: &[Parent], extras: Extras) -> Vec<OptionSpec> {
    let parents_by_path: HashMap<&[String], &str> = parents
        .iter()
        .map(|it| (it.path.as_slice(), it.flag.as_str()))
        .filter(|(_, flag)| !flag.is_empty())
        .collect();
    let mut options = Vec::with_capacity(leaves.len() + parents.len());
    for leaf in leaves {
        let mut option = leaf_option(leaf);
        let around =
            (1..leaf.path.len()).filter_map(|it| parents_by_path.get(&leaf.path[..it]).copied());
        option.unless = around.chain(extras.input.then_some("input")).map(str::to_owned).collect();
        options.push(option);
    }
    for parent in parents.iter().filter(|it| !it.flag.is_empty()) {
        let option = OptionSpec::new(&parent.flag, ValueKind::JsonObject, &parent.help);
        options.push(OptionSpec { hidden: !parent.shown, ..option });
    }
    add_dashed_spellings(&mut options);
    options
}

/// Adds our own flags after the flags of the tool.
pub(super) fn add_extras(spec: &mut CommandSpec, extras: Extras, locale: Locale) {
    if extras.input {
        let input = OptionSpec::text("input", Word::InputHelp.text(locale));
        spec.options.push(input.value("JSON|@FILE|-"));
    }
    if extras.json {
        spec.options.push(OptionSpec::switch("json", Word::JsonHelp.text(locale)));
    }
    if extras.help {
        let mut help = OptionSpec::help(Word::HelpHelp.text(locale));
        help.short = help.short.filter(|it| spec.find_short(*it).is_none());
        spec.options.push(help);
    }
}

fn leaf_option(leaf: &Leaf) -> OptionSpec {
    let option = shaped(&leaf.shape, OptionSpec::new(&leaf.flag, ValueKind::Text, &leaf.help));
    OptionSpec { default: leaf.default.clone(), required: leaf.required, ..option }
}

fn shaped(shape: &Shape, option: OptionSpec) -> OptionSpec {
    let of = |value| OptionSpec { value, ..option.clone() };
    match shape {
        Shape::Text => option,
        Shape::Integer => of(ValueKind::Integer),
        Shape::Number => of(ValueKind::Number),
        Shape::Switch => of(ValueKind::Switch).negatable(),
        Shape::Choice(choices) => option.choices(choices.iter().map(|(typed, _)| typed)),
        // Checked when the arguments are built: a kind cannot express whether plain text is
        // allowed.
        Shape::Any(_) => option.value("JSON"),
        Shape::JsonObject | Shape::Object => of(ValueKind::JsonObject),
        Shape::JsonArray => of(ValueKind::JsonArray),
        Shape::List(item) => match &**item {
            Shape::Switch => option.choices(["true", "false"]).repeat_or_comma(),
            item if item.is_scalar() => shaped(item, option).repeat_or_comma(),
            _ => option.value("JSON").repeat(),
        },
    }
}

/// Adds `--dry-run` for `--dry_run`, if that name is free and unambiguous.
fn add_dashed_spellings(options: &mut [OptionSpec]) {
    let mut uses: HashMap<String, usize> = HashMap::new();
    for option in options.iter() {
        *uses.entry(option.long.clone()).or_default() += 1;
        names::dashed(&option.long).into_iter().for_each(|it| *uses.entry(it).or_default() += 1);
    }
    for option in options {
        option.aliases.extend(names::dashed(&option.long).filter(|it| uses[it] == 1));
    }
}
