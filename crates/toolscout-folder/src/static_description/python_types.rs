//! Type hints of Python as JSON Schema. Hints that are not known allow any value.

use super::scan::{bracketed, literal, split};
use serde_json::{Map, Value, json};

const MAX_DEPTH: usize = 8;

/// The schema of a type hint. A hint that allows `None` gives the schema of the rest, because the
/// argument may be left out instead.
pub(super) fn schema(text: &str) -> Map<String, Value> {
    match at_depth(text, 0) {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

fn at_depth(text: &str, depth: usize) -> Value {
    let text = text.trim().trim_matches(['"', '\'']);
    let parts: Vec<&str> = split(text, &['|']).into_iter().filter(|part| *part != "None").collect();
    match parts.as_slice() {
        _ if depth >= MAX_DEPTH => json!({}),
        [] => json!({}),
        [only] => single(only, depth),
        many => any_of(many, depth),
    }
}

fn any_of(parts: &[&str], depth: usize) -> Value {
    let each: Vec<Value> = parts.iter().map(|part| at_depth(part, depth + 1)).collect();
    json!({"anyOf": each})
}

fn single(text: &str, depth: usize) -> Value {
    let (name, arguments) = match text.find('[') {
        Some(at) => match bracketed(text, at) {
            Some((inside, _)) => (text[..at].trim(), split(inside, &[','])),
            None => return json!({}),
        },
        None => (text, Vec::new()),
    };
    let name = name.rsplit('.').next().unwrap_or(name);
    let inner = |at: usize| arguments.get(at).map(|argument| at_depth(argument, depth + 1));
    match name {
        "str" | "bytes" | "Path" | "PathLike" => json!({"type": "string"}),
        "int" => json!({"type": "integer"}),
        "float" => json!({"type": "number"}),
        "bool" => json!({"type": "boolean"}),
        "dict" | "Dict" | "Mapping" | "MutableMapping" => json!({"type": "object"}),
        "list" | "List" | "set" | "Set" | "frozenset" | "Sequence" | "Iterable" => {
            match inner(0).filter(|items| items.as_object().is_some_and(|map| !map.is_empty())) {
                Some(items) => json!({"type": "array", "items": items}),
                None => json!({"type": "array"}),
            }
        }
        "tuple" | "Tuple" => json!({"type": "array"}),
        "Optional" | "Required" | "NotRequired" | "ReadOnly" => inner(0).unwrap_or_default(),
        "Union" => {
            let rest: Vec<&str> = arguments.iter().copied().filter(|it| *it != "None").collect();
            if let [only] = rest.as_slice() {
                at_depth(only, depth + 1)
            } else {
                any_of(&rest, depth)
            }
        }
        "Literal" => choice(arguments.iter().filter_map(|argument| literal(argument)).collect()),
        "Annotated" => {
            let mut schema = inner(0).unwrap_or_default();
            let text = arguments.iter().skip(1).find_map(|argument| literal(argument));
            if let (Value::Object(map), Some(text @ Value::String(_))) = (&mut schema, text) {
                map.insert("description".to_owned(), text);
            }
            schema
        }
        _ => json!({}),
    }
}

fn choice(values: Vec<Value>) -> Value {
    let is = |test: fn(&Value) -> bool| values.iter().all(test);
    match (is(Value::is_string), is(Value::is_i64)) {
        (true, _) => json!({"type": "string", "enum": values}),
        (_, true) => json!({"type": "integer", "enum": values}),
        _ => json!({"enum": values}),
    }
}
