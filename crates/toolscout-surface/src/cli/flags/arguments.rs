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
        self.arguments_with(parsed, |_| Err("nothing is read here".to_owned()))
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
        let mut arguments = self.whole(parsed, read)?;
        let mut errors = Vec::new();
        for parent in self.parents.iter().filter(|it| parsed.is_given(&it.flag)) {
            let text = parsed.text(&parent.flag).unwrap_or_default();
            match Shape::JsonObject.read(text) {
                Ok(value) => insert(&mut arguments, &parent.path, value),
                Err(why) => errors.push(wrong(&parent.flag, text, why)),
            }
        }
        for leaf in self.leaves.iter().filter(|it| parsed.is_given(&it.flag)) {
            match value(leaf, parsed) {
                Ok(value) => insert(&mut arguments, &leaf.path, value),
                Err(error) => errors.push(error),
            }
        }
        self.parents.iter().filter(|it| it.required).for_each(|it| complete(&mut arguments, it));
        let missing =
            self.leaves.iter().filter(|it| it.required && at(&arguments, &it.path).is_none());
        let missing = missing.filter(|it| !parsed.is_given(&it.flag));
        errors.extend(
            missing.map(|it| UsageError::MissingOption { option: format!("--{}", it.flag) }),
        );
        UsageErrors::check(errors)?;
        Ok(arguments)
    }

    /// The value of `--input`; empty if it is not given.
    fn whole(
        &self,
        parsed: &Parsed,
        read: impl FnOnce(InputFrom<'_>) -> Result<String, String>,
    ) -> Result<Arguments, UsageErrors> {
        let Some(from) = self.input(parsed) else { return Ok(Map::new()) };
        let unreadable = |reason| UsageError::Unreadable { what: name(from), reason };
        let text = match from {
            InputFrom::Text(text) => text.to_owned(),
            from => read(from).map_err(unreadable)?,
        };
        match Shape::JsonObject.read(&text) {
            Ok(Value::Object(arguments)) => Ok(arguments),
            Ok(_) => Err(wrong("input", &text, (ValueKind::JsonObject, None)).into()),
            Err(why) => Err(wrong("input", &text, why).into()),
        }
    }
}

fn value(leaf: &Leaf, parsed: &Parsed) -> Result<Value, UsageError> {
    let texts = parsed.texts(&leaf.flag);
    let Shape::List(item) = &leaf.shape else {
        let text = texts.first().map(String::as_str).unwrap_or_default();
        return leaf.shape.read(text).map_err(|why| wrong(&leaf.flag, text, why));
    };
    let mut items = Vec::with_capacity(texts.len());
    for text in texts {
        items.extend(item.read_items(text).map_err(|why| wrong(&leaf.flag, text, why))?);
    }
    Ok(Value::Array(items))
}

/// Inserts the value at the path; a value on the way that is not an object is replaced.
fn insert(arguments: &mut Arguments, path: &[String], value: Value) {
    let Some((last, around)) = path.split_last() else { return };
    let mut place = arguments;
    for name in around {
        let entry = place.entry(name.as_str()).or_insert_with(|| Value::Object(Map::new()));
        if !entry.is_object() {
            *entry = Value::Object(Map::new());
        }
        let Value::Object(inner) = entry else { return };
        place = inner;
    }
    place.insert(last.clone(), value);
}

fn at<'a>(arguments: &'a Arguments, path: &[String]) -> Option<&'a Value> {
    let (first, inner) = path.split_first()?;
    inner.iter().try_fold(arguments.get(first)?, |value, name| value.get(name.as_str()))
}

/// Adds a required object even if none of its members is given: it may need none. A value of
/// another type in its path stays, so that the schema validation reports it.
fn complete(arguments: &mut Arguments, parent: &Parent) {
    let blocked = (1..=parent.path.len())
        .any(|it| at(arguments, &parent.path[..it]).is_some_and(|it| !it.is_object()));
    if !blocked && at(arguments, &parent.path).is_none() {
        insert(arguments, &parent.path, Value::Object(Map::new()));
    }
}

fn wrong(flag: &str, text: &str, (kind, reason): (ValueKind, Reason)) -> UsageError {
    UsageError::NotA { option: format!("--{flag}"), value: text.to_owned(), kind, reason }
}

fn name(from: InputFrom<'_>) -> String {
    match from {
        InputFrom::File(path) => path.to_owned(),
        InputFrom::Stdin | InputFrom::Text(_) => "standard input".to_owned(),
    }
}
