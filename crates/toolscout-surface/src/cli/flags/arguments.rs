//! The arguments of a call, from parsed flags.

use super::flatten::{Leaf, Parent};
use super::shape::Shape;
use super::{InputFrom, ToolFlags};
use crate::cli::value::Reason;
use crate::cli::{Parsed, UsageError, UsageErrors, ValueKind};
use serde_json::{Map, Value};
use toolscout_core::Arguments;

impl ToolFlags {
    /// The arguments; `--input` may contain only JSON text. See [`ToolFlags::arguments_with`]
    /// for files and standard input.
    pub fn arguments(&self, parsed: &Parsed) -> Result<Arguments, UsageErrors> {
        self.arguments_with(parsed, |_| Err("reading input is not supported".to_owned()))
    }

    /// The arguments, in the order of the schema. `read` reads a file or standard input, at
    /// most once.
    ///
    /// `--input` is applied first, then objects given whole, then single flags: the more
    /// specific overrides the more general. Constraints that flags cannot express (formats,
    /// ranges, dependencies between properties) are left to the schema validation.
    pub fn arguments_with(
        &self,
        parsed: &Parsed,
        read: impl FnOnce(InputFrom<'_>) -> Result<String, String>,
    ) -> Result<Arguments, UsageErrors> {
        let mut arguments = self.input_arguments(parsed, read)?;
        let mut errors = Vec::new();
        for parent in self.parents.iter().filter(|parent| parsed.is_given(&parent.flag)) {
            let text = parsed.text(&parent.flag).unwrap_or_default();
            match Shape::JsonObject.parse(text) {
                Ok(value) => insert(&mut arguments, &parent.path, value),
                Err(mismatch) => errors.push(invalid_value(&parent.flag, text, mismatch)),
            }
        }
        for leaf in self.leaves.iter().filter(|leaf| parsed.is_given(&leaf.flag)) {
            match leaf_value(leaf, parsed) {
                Ok(value) => insert(&mut arguments, &leaf.path, value),
                Err(error) => errors.push(error),
            }
        }
        for leaf in &self.leaves {
            if let Some(default) = &leaf.own_default
                && get_path(&arguments, &leaf.path).is_none()
                && !parsed.is_given(&leaf.flag)
            {
                insert(&mut arguments, &leaf.path, default.clone());
            }
        }
        self.parents
            .iter()
            .filter(|parent| parent.required)
            .for_each(|parent| add_required_object(&mut arguments, parent));
        let missing = self
            .leaves
            .iter()
            .filter(|leaf| leaf.required && get_path(&arguments, &leaf.path).is_none());
        let missing = missing.filter(|missing| !parsed.is_given(&missing.flag));
        errors
            .extend(missing.map(|missing| UsageError::MissingOption {
                option: format!("--{}", missing.flag),
            }));
        UsageErrors::check(errors)?;
        Ok(arguments)
    }

    /// The value of `--input`; empty if it is not given.
    fn input_arguments(
        &self,
        parsed: &Parsed,
        read: impl FnOnce(InputFrom<'_>) -> Result<String, String>,
    ) -> Result<Arguments, UsageErrors> {
        let Some(source) = self.input(parsed) else { return Ok(Map::new()) };
        let unreadable = |reason| UsageError::Unreadable { what: input_name(source), reason };
        let text = match source {
            InputFrom::Text(text) => text.to_owned(),
            source => read(source).map_err(unreadable)?,
        };
        match Shape::JsonObject.parse(&text) {
            Ok(Value::Object(arguments)) => Ok(arguments),
            Ok(_) => Err(invalid_value("input", &text, (ValueKind::JsonObject, None)).into()),
            Err(mismatch) => Err(invalid_value("input", &text, mismatch).into()),
        }
    }
}

fn leaf_value(leaf: &Leaf, parsed: &Parsed) -> Result<Value, UsageError> {
    let convert = |text: &String| leaf.conversion.map_or_else(|| text.clone(), |it| it.apply(text));
    let texts: Vec<String> = parsed.texts(&leaf.flag).iter().map(convert).collect();
    let Shape::List(item) = &leaf.shape else {
        let text = texts.first().map(String::as_str).unwrap_or_default();
        return leaf
            .shape
            .parse(text)
            .map_err(|mismatch| invalid_value(&leaf.flag, text, mismatch));
    };
    let mut items = Vec::with_capacity(texts.len());
    for text in &texts {
        items.extend(
            item.parse_items(text).map_err(|mismatch| invalid_value(&leaf.flag, text, mismatch))?,
        );
    }
    Ok(Value::Array(items))
}

/// Inserts the value at the path; a value on the way that is not an object is replaced.
fn insert(arguments: &mut Arguments, path: &[String], value: Value) {
    let Some((last, parents)) = path.split_last() else { return };
    let mut object = arguments;
    for name in parents {
        let entry = object.entry(name.as_str()).or_insert_with(|| Value::Object(Map::new()));
        if !entry.is_object() {
            *entry = Value::Object(Map::new());
        }
        let Value::Object(inner) = entry else { return };
        object = inner;
    }
    object.insert(last.clone(), value);
}

fn get_path<'a>(arguments: &'a Arguments, path: &[String]) -> Option<&'a Value> {
    let (first, inner) = path.split_first()?;
    inner.iter().try_fold(arguments.get(first)?, |value, name| value.get(name.as_str()))
}

/// Adds a required object even if none of its members is given: it may need none. A value of
/// another type in its path stays, so that the schema validation reports it.
fn add_required_object(arguments: &mut Arguments, parent: &Parent) {
    let blocked = (1..=parent.path.len()).any(|index| {
        get_path(arguments, &parent.path[..index]).is_some_and(|value| !value.is_object())
    });
    if !blocked && get_path(arguments, &parent.path).is_none() {
        insert(arguments, &parent.path, Value::Object(Map::new()));
    }
}

fn invalid_value(flag: &str, text: &str, (kind, reason): (ValueKind, Reason)) -> UsageError {
    UsageError::NotA { option: format!("--{flag}"), value: text.to_owned(), kind, reason }
}

fn input_name(source: InputFrom<'_>) -> String {
    match source {
        InputFrom::File(path) => path.to_owned(),
        InputFrom::Stdin | InputFrom::Text(_) => "standard input".to_owned(),
    }
}
