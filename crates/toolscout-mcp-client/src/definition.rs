//! Tool definitions as servers send them: stored whole, and checked individually.

pub(super) mod mirror;
pub(super) mod split;
pub(super) mod strict;

#[cfg(test)]
mod tests;

use super::limits::Limits;
use split::DefinitionParts;
use std::borrow::Cow;
use strict::members;
use toolscout_core::{DiagnosticKind, RawJson, SourceId, Tool, ToolId, ToolName, escape};
use toolscout_process::explain;

/// The longest name a tool may have, in bytes.
const MAX_NAME: usize = 128;

/// The definition of one tool, as its server sent it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolDefinition {
    /// The name of the tool at the server.
    pub name: ToolName,
    /// The whole definition, byte for byte.
    pub raw: RawJson,
}

impl ToolDefinition {
    /// Parses a stored or fresh definition leniently; returns the reason if it cannot be a tool.
    ///
    /// A tool needs a name and an object as its input schema; a description, if present, must be a
    /// string. Other fields may have any value and are kept, unless they make the definition
    /// ambiguous or too large.
    pub fn parse(raw: RawJson, limits: &Limits) -> Result<Self, String> {
        Self::check(raw, limits).map_err(|error| error.reason)
    }

    /// Like [`Self::parse`], but returns the reason with its diagnostic kind.
    pub(super) fn check(raw: RawJson, limits: &Limits) -> Result<Self, DefinitionError> {
        let size = raw.as_str().len();
        if size > limits.definition {
            return Err(DefinitionError::too_big("its definition", size, limits.definition));
        }
        strict::check(raw.as_str()).map_err(DefinitionError::broken)?;
        let members = members(raw.as_str())
            .ok_or_else(|| DefinitionError::broken("it is not a JSON object"))?;
        let member = |key: &str| {
            members.iter().find(|(member, _)| member == key).map(|(_, value)| value.get())
        };
        let name = name(member("name"))?;
        if member("description").is_some_and(|member| !matches!(first_byte(member), b'"' | b'n')) {
            return Err(DefinitionError::broken("its description is not a string"));
        }
        let schema = member("inputSchema")
            .ok_or_else(|| DefinitionError::broken("it has no input schema"))?;
        if first_byte(schema) != b'{' {
            return Err(DefinitionError::broken("its input schema is not a JSON object"));
        }
        check_schema_size("input", schema, limits)?;
        // Arguments are always an object, so a schema of any other type can never match.
        let kind =
            strict::members(schema).unwrap_or_default().into_iter().find(|(key, _)| key == "type");
        if kind.is_some_and(|(_, kind)| kind.get() != "\"object\"") {
            return Err(DefinitionError::broken("its input schema is not of type `object`"));
        }
        if let Some(schema) = member("outputSchema") {
            check_schema_size("output", schema, limits)?;
        }
        Ok(Self { name, raw })
    }

    /// The input schema, as written.
    pub(super) fn input_schema(&self) -> Option<RawJson> {
        let members = members(self.raw.as_str())?;
        members
            .into_iter()
            .find(|(key, _)| key == "inputSchema")
            .map(|(_, value)| value.to_owned().into())
    }

    /// The tool it defines. Every field is kept. Known fields of a valid type have their own place;
    /// all others go to `extra`.
    pub fn tool(&self, source: &SourceId) -> Tool {
        let id = ToolId::new(source.clone(), self.name.clone());
        DefinitionParts::split(self.raw.as_str()).unwrap_or_default().tool(id)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DefinitionError {
    pub(super) kind: DiagnosticKind,
    pub(super) reason: String,
}

impl DefinitionError {
    pub(super) fn broken(reason: impl Into<String>) -> Self {
        Self { kind: DiagnosticKind::Broken, reason: reason.into() }
    }

    fn too_big(what: &str, size: usize, limit: usize) -> Self {
        let limit = explain::byte_count(limit);
        Self {
            kind: DiagnosticKind::Limit,
            reason: format!("{what} is {size} bytes long; the limit is {limit}"),
        }
    }
}

fn name(value: Option<&str>) -> Result<ToolName, DefinitionError> {
    let value = value.ok_or_else(|| DefinitionError::broken("it has no name"))?;
    let name: String = serde_json::from_str(value)
        .map_err(|_| DefinitionError::broken("its name is not a string"))?;
    if name.len() > MAX_NAME {
        return Err(DefinitionError::broken(format!(
            "its name is {} bytes long; the limit is {MAX_NAME}",
            name.len()
        )));
    }
    if name.chars().any(is_invisible) {
        return Err(DefinitionError::broken("its name contains control or invisible characters"));
    }
    ToolName::new(&name).map_err(|_| DefinitionError::broken("its name is empty"))
}

/// Whether a name must not contain this character, because two names could look alike or one could
/// look like something else. These are the characters that are escaped in displayed text, and
/// others that are invisible.
fn is_invisible(c: char) -> bool {
    let mut buffer = [0; 4];
    let is_escaped = matches!(escape::line(c.encode_utf8(&mut buffer)), Cow::Owned(_));
    is_escaped
        || matches!(c,
            '\u{034f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{2800}'
            | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}' | '\u{e0100}'..='\u{e01ef}')
}

fn check_schema_size(which: &str, schema: &str, limits: &Limits) -> Result<(), DefinitionError> {
    let (size, values) = (schema.len(), strict::values(schema));
    if size > limits.schema {
        return Err(DefinitionError::too_big(&format!("its {which} schema"), size, limits.schema));
    }
    if values > limits.schema_nodes {
        let reason =
            format!("its {which} schema has {values} values; the limit is {}", limits.schema_nodes);
        return Err(DefinitionError { kind: DiagnosticKind::Limit, reason });
    }
    Ok(())
}

/// The first byte of a value, which determines its type.
pub(super) fn first_byte(value: &str) -> u8 {
    value.trim_start().as_bytes().first().copied().unwrap_or(b'n')
}
