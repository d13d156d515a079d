//! JSON as used in configuration files: with comments and trailing commas.

use super::{DocumentError, line_and_column};
use jsonc_parser::ast::{self, Object, ObjectProp};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::{Map, Value};

pub(super) fn parse(text: &str) -> Result<Value, DocumentError> {
    parse_tree(text)?.map_or(Ok(Value::Null), |tree| to_value(tree, text))
}

/// The offset of the key at this path.
pub(super) fn key_offset(text: &str, path: &[&str]) -> Option<usize> {
    let tree = parse_tree(text).ok()??;
    let mut offset = None;
    let mut node = &tree;
    for key in path {
        let property = property(node.as_object()?, key)?;
        offset = Some(property.range.start);
        node = &property.value;
    }
    offset
}

/// The syntax tree with positions; `None` if the text is empty.
pub(crate) fn parse_tree(text: &str) -> Result<Option<ast::Value<'_>>, DocumentError> {
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
    parse_to_ast(text, &CollectOptions::default(), &options).map(|result| result.value).map_err(
        |error| {
            let reason = error.kind().to_string();
            let mut characters = reason.chars();
            let reason = characters
                .next()
                .map(|first| first.to_lowercase().chain(characters).collect())
                .unwrap_or_default();
            DocumentError { reason, position: Some((error.line_display(), error.column_display())) }
        },
    )
}

/// The property with this name.
pub(crate) fn property<'a, 'b>(object: &'b Object<'a>, name: &str) -> Option<&'b ObjectProp<'a>> {
    object.properties.iter().find(|property| property_name(property) == name)
}

pub(crate) fn property_name<'b>(property: &'b ObjectProp<'_>) -> &'b str {
    match &property.name {
        ast::ObjectPropName::String(text) => &text.value,
        ast::ObjectPropName::Word(word) => word.value,
    }
}

/// Converts a node. The recursion is bounded by the parser's depth limit.
fn to_value(node: ast::Value<'_>, text: &str) -> Result<Value, DocumentError> {
    Ok(match node {
        ast::Value::NullKeyword(_) => Value::Null,
        ast::Value::BooleanLit(boolean_lit) => Value::Bool(boolean_lit.value),
        ast::Value::StringLit(string_lit) => Value::String(string_lit.value.into_owned()),
        ast::Value::NumberLit(number_lit) => {
            serde_json::from_str(number_lit.value).map_err(|_| DocumentError {
                reason: "this number is too large".to_owned(),
                position: Some(line_and_column(text, number_lit.range.start)),
            })?
        }
        ast::Value::Array(items) => Value::Array(
            items
                .elements
                .into_iter()
                .map(|element| to_value(element, text))
                .collect::<Result<_, _>>()?,
        ),
        ast::Value::Object(object) => {
            let mut map = Map::with_capacity(object.properties.len());
            for property in object.properties {
                let start = property.range().start;
                let name = property.name.into_string();
                if map.contains_key(&name) {
                    let reason = format!("duplicate key `{name}`");
                    return Err(DocumentError {
                        reason,
                        position: Some(line_and_column(text, start)),
                    });
                }
                map.insert(name, to_value(property.value, text)?);
            }
            Value::Object(map)
        }
    })
}
