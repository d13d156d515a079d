//! The main function of a JavaScript or TypeScript module: its JSDoc comment and its parameters.

use super::jsdoc::{self, DocParam, JsDoc};
use super::scan::{bracketed, literal, split, split_once};
use super::types::{self, is_name};
use super::{FunctionParameter, MainFunction, schema_of};
use crate::described::DescribedTool;
use crate::header::visibility;
use serde_json::Value;

/// Names of exports that are the main function of a module. The default export may have any name.
const EXPORTS: [&str; 3] = ["execute", "run", "handler"];

/// The number of comments that are read: each may lead to a scan of the text below it.
const MAX_COMMENTS: usize = 200;

/// Words that mark a module whose exports are tool objects. Only a probe can list those.
const OBJECT_MARKERS: [&str; 4] = ["inputSchema", "handler", "execute", "tool("];

/// Reads the main function; `None` if no comment describes one.
pub(super) fn read(stem: &str, text: &str) -> Option<MainFunction> {
    let comments = jsdoc::comments(text).into_iter().take(MAX_COMMENTS);
    let documented = comments.filter_map(|(comment, end)| {
        let doc = JsDoc::parse(comment);
        let signature = signature(text[end..].trim_start());
        (doc.tool.is_some() || signature.is_some()).then_some((doc, signature))
    });
    let mut documented: Vec<_> = documented.collect();
    let marked = documented.iter().position(|(doc, _)| doc.tool.is_some());
    let (mut doc, signature) =
        documented.swap_remove(marked.or((!documented.is_empty()).then_some(0))?);
    let parameters = std::mem::take(&mut doc.params);
    let (parameters, positional) = combine(parameters, signature.unwrap_or_default());
    let name = doc.tool.clone().filter(|name| !name.is_empty()).unwrap_or_else(|| stem.to_owned());
    let is_complete = doc.tool.is_some() || (doc.description.is_some() && !has_tool_objects(text));
    let tool = DescribedTool {
        name,
        title: doc.title,
        description: doc.description,
        keywords: doc.keywords,
        visibility: doc.visibility.and_then(|word| visibility(&word).ok()).unwrap_or_default(),
        input_schema: parameters.map(|parameters| {
            let typed = parameters.into_iter().map(FunctionParameter::with_type_of_default);
            schema_of(typed.collect())
        }),
        ..DescribedTool::default()
    };
    Some(MainFunction { tool, positional, is_complete })
}

/// Whether one of the marker words occurs other than as the name of an exported declaration.
fn has_tool_objects(text: &str) -> bool {
    OBJECT_MARKERS.iter().any(|marker| {
        text.match_indices(marker).any(|(at, _)| {
            let before = text[..at].trim_end();
            let is_declared = ["const", "let", "var", "function"].iter().any(|word| {
                before.strip_suffix(word).is_some_and(|rest| {
                    let rest = rest.trim_end();
                    rest.strip_suffix("async").unwrap_or(rest).trim_end().ends_with("export")
                })
            });
            !is_declared && !before.ends_with("exports.")
        })
    })
}

/// The parameters of the exported function that starts here, as written.
fn signature(text: &str) -> Option<Vec<&str>> {
    let declared = |text: &str, names: &[&str]| -> Option<usize> {
        let rest = text.strip_prefix("async ").unwrap_or(text).trim_start();
        let rest = rest.strip_prefix("function")?.trim_start_matches([' ', '*']);
        let length = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$')))?;
        let fits = names.is_empty() || names.contains(&&rest[..length]);
        fits.then(|| text.len() - rest.len() + length)
    };
    let value = |text: &str| declared(text, &[]).or_else(|| arrow(text));
    let (rest, at) = if let Some(rest) = text.strip_prefix("export default ") {
        (rest, value(rest)?)
    } else if let Some(rest) = text.strip_prefix("module.exports = ") {
        (rest, value(rest)?)
    } else if let Some(rest) = text.strip_prefix("export ") {
        match declared(rest, &EXPORTS) {
            Some(at) => (rest, at),
            None => assigned(rest.strip_prefix("const ")?, &value)?,
        }
    } else {
        assigned(text.strip_prefix("exports.").or(text.strip_prefix("module.exports."))?, &value)?
    };
    parameters(rest, at)
}

/// The value of `NAME = value`, if the name is that of a main function.
fn assigned<'a>(text: &'a str, value: &impl Fn(&str) -> Option<usize>) -> Option<(&'a str, usize)> {
    let (name, rest) = text.split_once('=')?;
    let rest = rest.trim_start();
    let name = name.split(':').next().unwrap_or_default().trim();
    EXPORTS.contains(&name).then(|| value(rest).map(|at| (rest, at))).flatten()
}

/// The position of the parameters of an arrow function.
fn arrow(text: &str) -> Option<usize> {
    let rest = text.strip_prefix("async ").unwrap_or(text).trim_start();
    rest.starts_with('(').then(|| text.len() - rest.len())
}

fn parameters(text: &str, at: usize) -> Option<Vec<&str>> {
    // Type parameters, as in `run<T>(`.
    let open = at + text[at..].find('(')?;
    Some(split(bracketed(text, open)?.0, &[',']))
}

/// Joins what the comment and the signature say. `None` instead of parameters means that the
/// function takes an object with unknown properties.
fn combine(
    docs: Vec<DocParam>,
    signature: Vec<&str>,
) -> (Option<Vec<FunctionParameter>>, Option<Vec<String>>) {
    let parameters: Vec<SignatureParameter> = signature.iter().map(|text| parse(text)).collect();
    let own: Vec<&SignatureParameter> =
        parameters.iter().filter(|parameter| !parameter.is_context()).collect();
    let dotted: Vec<DocParam> = docs.iter().filter_map(property).collect();
    let plain: Vec<DocParam> = docs.into_iter().filter(|doc| !doc.name.contains('.')).collect();
    match own.as_slice() {
        _ if !dotted.is_empty() => (Some(merge(members(&own, &plain), dotted)), None),
        [] if plain.is_empty() => (Some(Vec::new()), None),
        // A comment without a function below it.
        [] => (
            Some(merge(
                Vec::new(),
                plain.into_iter().filter(|doc| !is_context(&doc.name)).collect(),
            )),
            None,
        ),
        [only, ..] if only.pattern.is_some() => {
            let known = members(&own, &plain);
            let plain: Vec<DocParam> = plain
                .into_iter()
                .filter(|doc| known.iter().any(|parameter| parameter.name == doc.name))
                .collect();
            (Some(merge(known, plain)), None)
        }
        [only] if takes_object(only, &plain) => {
            let known = members(&own, &plain);
            ((!known.is_empty()).then_some(known), None)
        }
        many => {
            let names = many.iter().map(|parameter| parameter.name.clone()).collect();
            let known = many.iter().map(|parameter| parameter.to_parameter()).collect();
            let plain = plain.into_iter().filter(|doc| many.iter().any(|it| it.name == doc.name));
            (Some(merge(known, plain.collect())), Some(names))
        }
    }
}

/// Whether a single parameter is the whole input: it has no type, or one that is not a plain value.
fn takes_object(only: &SignatureParameter, docs: &[DocParam]) -> bool {
    let kind = only.kind.or_else(|| {
        docs.iter().find(|doc| doc.name == only.name).and_then(|doc| doc.kind.as_deref())
    });
    let Some(kind) = kind else { return true };
    let (schema, _) = types::schema(kind);
    schema.is_empty() || schema.get("type").is_some_and(|kind| kind == "object")
}

/// The members of the object that the first parameter is.
fn members(own: &[&SignatureParameter], docs: &[DocParam]) -> Vec<FunctionParameter> {
    let Some(first) = own.first() else { return Vec::new() };
    let doc_kind =
        || docs.iter().find(|doc| doc.name == first.name).and_then(|doc| doc.kind.as_deref());
    let inline = first.kind.or_else(doc_kind).map(str::trim).filter(|kind| kind.starts_with('{'));
    let mut members = inline
        .and_then(|kind| bracketed(kind, 0))
        .map(|(inside, _)| types::members(inside))
        .unwrap_or_default();
    for part in first.pattern.map(|pattern| split(pattern, &[','])).unwrap_or_default() {
        let (name, default) = split_once(part, '=');
        // `{ url: address }` renames a property.
        let name = split_once(name, ':').0;
        if !is_name(name) {
            continue;
        }
        let at = members.iter().position(|member| member.name == name);
        let at = at.unwrap_or_else(|| {
            let required = default.is_none();
            members.push(FunctionParameter {
                name: name.to_owned(),
                required,
                ..Default::default()
            });
            members.len() - 1
        });
        if let Some(default) = default {
            members[at].set_default(default);
        }
    }
    members
}

/// Adds what the comment says; parameters that only the comment names are added.
fn merge(mut known: Vec<FunctionParameter>, docs: Vec<DocParam>) -> Vec<FunctionParameter> {
    for doc in docs {
        let at = known.iter().position(|parameter| parameter.name == doc.name);
        let at = at.unwrap_or_else(|| {
            let name = doc.name.clone();
            known.push(FunctionParameter { name, required: true, ..Default::default() });
            known.len() - 1
        });
        let parameter = &mut known[at];
        if let Some(kind) = doc.kind.filter(|_| parameter.schema.get("type").is_none()) {
            let (schema, is_optional) = types::schema(&kind);
            let default = parameter.schema.remove("default");
            parameter.schema = schema;
            parameter.required &= !is_optional;
            parameter.schema.extend(default.map(|value| ("default".to_owned(), value)));
        }
        parameter.required &= !doc.is_optional;
        if let Some(default) = doc.default {
            parameter.schema.insert("default".to_owned(), default);
        }
        if let Some(description) = doc.description {
            parameter.schema.insert("description".to_owned(), description.into());
        }
    }
    known
}

/// A `@param input.url`, named `url`. Deeper properties stay with their parent.
fn property(doc: &DocParam) -> Option<DocParam> {
    let (_, name) = doc.name.split_once('.')?;
    (!name.contains('.')).then(|| DocParam { name: name.to_owned(), ..doc.clone() })
}

/// A parameter as the signature has it.
struct SignatureParameter<'a> {
    /// Empty if it is a pattern.
    name: String,
    /// The inside of `{ … }`.
    pattern: Option<&'a str>,
    kind: Option<&'a str>,
    default: Option<&'a str>,
    is_optional: bool,
}

fn parse(text: &str) -> SignatureParameter<'_> {
    let (declared, default) = split_once(text, '=');
    let (name, kind) = split_once(declared, ':');
    let pattern = name.starts_with('{').then(|| bracketed(name, 0)).flatten();
    SignatureParameter {
        pattern: pattern.map(|(inside, _)| inside),
        name: if pattern.is_some() { String::new() } else { name.trim_end_matches('?').to_owned() },
        kind,
        default,
        is_optional: name.ends_with('?'),
    }
}

impl SignatureParameter<'_> {
    fn is_context(&self) -> bool {
        is_context(&self.name) || self.kind.is_some_and(|kind| kind.ends_with("Context"))
    }

    fn to_parameter(&self) -> FunctionParameter {
        let (schema, is_optional) = types::schema(self.kind.unwrap_or_default());
        let required = !is_optional && !self.is_optional;
        let mut parameter = FunctionParameter { name: self.name.clone(), schema, required };
        if let Some(default) = self.default {
            parameter.set_default(default);
        }
        parameter
    }
}

impl FunctionParameter {
    /// A default value makes a parameter optional.
    fn set_default(&mut self, text: &str) {
        self.required = false;
        let value = literal(text).filter(|value| !value.is_null());
        self.schema.extend(value.map(|value| ("default".to_owned(), value)));
    }

    /// If nothing else tells the type, the default value does.
    fn with_type_of_default(mut self) -> Self {
        let is_known = ["type", "enum", "anyOf"].iter().any(|key| self.schema.contains_key(*key));
        let kind = match self.schema.get("default") {
            None | Some(Value::Null) => None,
            Some(Value::String(_)) => Some("string"),
            Some(Value::Bool(_)) => Some("boolean"),
            Some(Value::Number(_)) => Some("number"),
            Some(Value::Array(_)) => Some("array"),
            Some(Value::Object(_)) => Some("object"),
        };
        if let (false, Some(kind)) = (is_known, kind) {
            self.schema.insert("type".to_owned(), kind.into());
        }
        self
    }
}

fn is_context(name: &str) -> bool {
    matches!(name, "context" | "ctx" | "_context" | "_ctx")
}
