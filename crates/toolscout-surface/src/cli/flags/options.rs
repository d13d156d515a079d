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
        .map(|parent| (parent.path.as_slice(), parent.flag.as_str()))
        .filter(|(_, flag)| !flag.is_empty())
        .collect();
    let mut options = Vec::with_capacity(leaves.len() + parents.len());
    for leaf in leaves {
        let mut option = leaf_option(leaf);
        let ancestors = (1..leaf.path.len())
            .filter_map(|index| parents_by_path.get(&leaf.path[..index]).copied());
        option.unless =
            ancestors.chain(extras.input.then_some("input")).map(str::to_owned).collect();
        options.push(option);
    }
    for parent in parents.iter().filter(|parent| !parent.flag.is_empty()) {
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
        help.short = help.short.filter(|value| spec.find_short(*value).is_none());
        spec.options.push(help);
    }
}

fn leaf_option(leaf: &Leaf) -> OptionSpec {
    let option = apply_shape(&leaf.shape, OptionSpec::new(&leaf.flag, ValueKind::Text, &leaf.help));
    // An empty list says no more than that the option may be left out.
    let default = leaf.default.clone().filter(|text| text != "[]");
    OptionSpec { default, required: leaf.required, ..option }
}

fn apply_shape(shape: &Shape, option: OptionSpec) -> OptionSpec {
    let with_kind = |value| OptionSpec { value, ..option.clone() };
    match shape {
        Shape::Text => option,
        Shape::Integer => with_kind(ValueKind::Integer),
        Shape::Number => with_kind(ValueKind::Number),
        Shape::Switch => with_kind(ValueKind::Switch).negatable(),
        Shape::Choice(choices) => option.choices(choices.iter().map(|(typed, _)| typed)),
        // Checked when the arguments are built: a kind cannot express whether plain text is
        // allowed.
        Shape::Any(_) => option.value("JSON"),
        Shape::JsonObject | Shape::Object => with_kind(ValueKind::JsonObject),
        Shape::JsonArray => with_kind(ValueKind::JsonArray),
        Shape::List(item) => match &**item {
            Shape::Switch => option.choices(["true", "false"]).repeat_or_comma(),
            item if item.is_scalar() => apply_shape(item, option).repeat_or_comma(),
            _ => option.value("JSON").repeat(),
        },
    }
}

/// Adds `--dry-run` for `--dry_run`, if that name is free and unambiguous.
fn add_dashed_spellings(options: &mut [OptionSpec]) {
    let mut uses: HashMap<String, usize> = HashMap::new();
    for option in options.iter() {
        *uses.entry(option.long.clone()).or_default() += 1;
        names::dashed(&option.long)
            .into_iter()
            .for_each(|item| *uses.entry(item).or_default() += 1);
    }
    for option in options {
        option.aliases.extend(names::dashed(&option.long).filter(|value| uses[value] == 1));
    }
}
