//! Splits a definition into known members and the rest, without copying.

use super::{first_byte, strict};
use serde_json::value::RawValue;
use std::borrow::Cow;
use toolscout_core::{RawJson, Tool, ToolId};

/// The members of a definition. A known member of a wrong type is in `others`.
#[derive(Default)]
pub(in super::super) struct DefinitionParts<'a> {
    pub(in super::super) name: Option<Cow<'a, str>>,
    pub(in super::super) title: Option<Cow<'a, str>>,
    pub(in super::super) description: Option<Cow<'a, str>>,
    pub(in super::super) input_schema: Option<&'a RawValue>,
    pub(in super::super) output_schema: Option<&'a RawValue>,
    pub(in super::super) annotations: Option<&'a RawValue>,
    others: Vec<(Cow<'a, str>, &'a RawValue)>,
}

impl<'a> DefinitionParts<'a> {
    /// `None` if the definition is not an object.
    pub(in super::super) fn split(definition: &'a str) -> Option<Self> {
        let mut parts = Self::default();
        for (key, value) in strict::members(definition)? {
            match (&*key, first_byte(value.get())) {
                ("name", _) => parts.name = strict::text(value),
                ("title", b'"') => parts.title = strict::text(value),
                ("description", b'"') => parts.description = strict::text(value),
                ("inputSchema", _) => parts.input_schema = Some(value),
                ("outputSchema", b'{') => parts.output_schema = Some(value),
                ("annotations", b'{') => parts.annotations = Some(value),
                _ => parts.others.push((key, value)),
            }
        }
        Some(parts)
    }

    /// All other members, as one object.
    pub(in super::super) fn extra(&self) -> Option<RawJson> {
        (!self.others.is_empty()).then(|| strict::object(&self.others))
    }

    /// The tool with this id.
    pub(super) fn tool(self, id: ToolId) -> Tool {
        let to_raw = |raw_value: &RawValue| RawJson::from(raw_value.to_owned());
        Tool {
            title: self.title.as_deref().map(str::to_owned),
            description: self.description.as_deref().map(str::to_owned),
            input_schema: self.input_schema.map_or_else(RawJson::no_arguments, to_raw),
            output_schema: self.output_schema.map(to_raw),
            annotations: self.annotations.map(to_raw),
            extra: self.extra(),
            ..Tool::new(id)
        }
    }
}
