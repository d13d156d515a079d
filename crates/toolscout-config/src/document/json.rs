//! JSON as used in configuration files: with comments and trailing commas.

use super::{DocumentError, position};
use jsonc_parser::ast::{self, Object, ObjectProp};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::{Map, Value};

pub(super) fn parse(text: &str) -> Result<Value, DocumentError> {
    tree(text)?.map_or(Ok(Value::Null), |it| value(it, text))
}

/// The offset of the key at this path.
pub(super) fn offset(text: &str, path: &[&str]) -> Option<usize> {
    let tree = tree(text).ok()??;
    let mut place = None;
    let mut node = &tree;
    for key in path {
        let property = property(node.as_object()?, key)?;
        place = Some(property.range.start);
        node = &property.value;
    }
    place
}

/// The syntax tree with positions; `None` if the text is empty.
pub(crate) fn tree(text: &str) -> Result<Option<ast::Value<'_>>, DocumentError> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    parse_to_ast(text, &CollectOptions::default(), &options).map(|it| it.value).map_err(|error| {
        let reason = error.kind().to_string();
        let mut letters = reason.chars();
        let reason =
            letters.next().map(|it| it.to_lowercase().chain(letters).collect()).unwrap_or_default();
        DocumentError { reason, at: Some((error.line_display(), error.column_display())) }
    })
}

/// The property with this name.
pub(crate) fn property<'a, 'b>(object: &'b Object<'a>, name: &str) -> Option<&'b ObjectProp<'a>> {
    object.properties.iter().find(|it| name_of(it) == name)
}

pub(crate) fn name_of<'b>(property: &'b ObjectProp<'_>) -> &'b str {
    match &property.name {
        ast::ObjectPropName::String(it) => &it.value,
        ast::ObjectPropName::Word(it) => it.value,
    }
}

/// Converts a node. The recursion is bounded by the parser's depth limit.
fn value(node: ast::Value<'_>, text: &str) -> Result<Value, DocumentError> {
    Ok(match node {
        ast::Value::NullKeyword(_) => Value::Null,
        ast::Value::BooleanLit(it) => Value::Bool(it.value),
        ast::Value::StringLit(it) => Value::String(it.value.into_owned()),
        ast::Value::NumberLit(it) => serde_json::from_str(it.value).map_err(|_| DocumentError {
            reason: "this number is too large".to_owned(),
            at: Some(position(text, it.range.start)),
        })?,
        ast::Value::Array(it) => Value::Array(
            it.elements.into_iter().map(|it| value(it, text)).collect::<Result<_, _>>()?,
        ),
        ast::Value::Object(object) => {
            let mut map = Map::with_capacity(object.properties.len());
            for property in object.properties {
                let start = property.range().start;
                let name = property.name.into_string();
                if map.contains_key(&name) {
                    let reason = format!("the key `{name}` is given twice");
                    return Err(DocumentError { reason, at: Some(position(text, start)) });
                }
                map.insert(name, value(property.value, text)?);
            }
            Value::Object(map)
        }
    })
}
