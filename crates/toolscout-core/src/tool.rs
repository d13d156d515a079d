//! A tool, as its source describes it.

use crate::{Digest, Moment, RawJson, ToolId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Something that can be called, with everything known about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// The source of the tool, and its name there.
    pub id: ToolId,
    /// A display name, if the source gives one.
    pub title: Option<String>,
    /// The description. None stays none; surfaces decide what to show instead.
    pub description: Option<String>,
    /// Additional words for search.
    pub keywords: Vec<String>,
    /// JSON Schema 2020-12 of the arguments, complete and as written.
    pub input_schema: RawJson,
    /// JSON Schema of the structured result, if there is one.
    pub output_schema: Option<RawJson>,
    /// Hints such as `readOnlyHint`, untrusted and as written.
    pub annotations: Option<RawJson>,
    /// Every other field of the definition, as one JSON object: `_meta`, `icons`, vendor
    /// extensions.
    pub extra: Option<RawJson>,
    /// Whether lists for agents include it, or only search finds it.
    pub visibility: Visibility,
    /// Whether it can be called, and whether `input_schema` is already the full one.
    pub status: Status,
    /// The origin of the definition.
    pub provenance: Provenance,
    /// How its command line should look.
    pub cli: CliHints,
}

impl Tool {
    /// A tool without arguments, searchable and ready; change the fields from there.
    pub fn new(id: ToolId) -> Self {
        Self {
            id,
            title: None,
            description: None,
            keywords: Vec::new(),
            input_schema: RawJson::no_arguments(),
            output_schema: None,
            annotations: None,
            extra: None,
            visibility: Visibility::Searchable,
            status: Status::Ready,
            provenance: Provenance::default(),
            cli: CliHints::default(),
        }
    }

    /// The digest of the complete definition, bound to the tool's id. Provenance and command-line
    /// hints are not part of it.
    pub fn digest(&self) -> Digest {
        Digest::of_definition(&self.id, &self.definition())
    }

    /// Appends a byte string that identifies the id and the whole definition, at a fraction of the
    /// cost of a digest. Two tools with the same bytes are identical. One definition may have two
    /// byte strings (other formatting of the JSON), so equal bytes prove that nothing changed, but
    /// different bytes do not prove a change.
    pub fn append_identity(&self, out: &mut Vec<u8>) {
        append_part(out, Some(self.id.source.as_str()));
        append_part(out, Some(self.id.name.as_str()));
        append_part(out, self.title.as_deref());
        append_part(out, self.description.as_deref());
        out.extend((self.keywords.len() as u64).to_le_bytes());
        self.keywords.iter().for_each(|keyword| append_part(out, Some(keyword)));
        self.input_schema.append_identity(out);
        for optional in [&self.output_schema, &self.annotations, &self.extra] {
            out.push(u8::from(optional.is_some()));
            optional.iter().for_each(|optional| optional.append_identity(out));
        }
    }

    /// The complete definition as one JSON object: everything that a user approves.
    pub fn definition(&self) -> Value {
        let mut out = match self.extra.as_ref().map(parse_or_text) {
            Some(Value::Object(map)) => map,
            Some(other) => Map::from_iter([("extra".to_owned(), other)]),
            None => Map::new(),
        };
        let raw = |value: &Option<RawJson>| value.as_ref().map_or(Value::Null, parse_or_text);
        out.insert("title".into(), self.title.clone().into());
        out.insert("description".into(), self.description.clone().into());
        out.insert("keywords".into(), self.keywords.clone().into());
        out.insert("inputSchema".into(), parse_or_text(&self.input_schema));
        out.insert("outputSchema".into(), raw(&self.output_schema));
        out.insert("annotations".into(), raw(&self.annotations));
        Value::Object(out)
    }

    /// The definition as an entry of a tool list, under this name: one JSON object with every
    /// field, each value as its source wrote it.
    pub fn listing(&self, name: &str) -> RawJson {
        let text = |text: &str| RawJson::from_value(&text.into());
        let raw =
            |key: &'static str, inner: &Option<RawJson>| inner.clone().map(|value| (key, value));
        let own = [
            Some(("name", text(name))),
            self.title.as_deref().map(|title| ("title", text(title))),
            self.description.as_deref().map(|description| ("description", text(description))),
            Some(("inputSchema", self.input_schema.clone())),
            raw("outputSchema", &self.output_schema),
            raw("annotations", &self.annotations),
        ];
        let mut out = String::from("{");
        for (key, value) in own.iter().flatten() {
            let comma = if out.len() > 1 { "," } else { "" };
            out.extend([comma, "\"", key, "\":", value.as_str()]);
        }
        let extra_fields = self
            .extra
            .as_ref()
            .and_then(|extra| extra.as_str().strip_prefix('{')?.strip_suffix('}'));
        if let Some(extra_fields) = extra_fields.filter(|value| !value.trim().is_empty()) {
            out.extend([",", extra_fields]);
        }
        out.push('}');
        // Valid parts make a valid whole, so the fallback is never needed.
        RawJson::parse(&out).unwrap_or_else(|_| RawJson::from_value(&self.definition()))
    }

    /// Whether the definition carries `readOnlyHint: true`.
    pub fn is_read_only(&self) -> bool {
        self.annotations
            .as_ref()
            .is_some_and(|annotations| annotations.to_value()["readOnlyHint"] == true)
    }
}

/// Appends a part with its length before it, so that no two lists of parts have the same bytes.
fn append_part(out: &mut Vec<u8>, part: Option<&str>) {
    out.extend(part.map_or(u64::MAX, |part| part.len() as u64).to_le_bytes());
    out.extend_from_slice(part.unwrap_or_default().as_bytes());
}

/// JSON that is too deep to parse stays a text, so that a change in it still changes the
/// definition.
fn parse_or_text(raw: &RawJson) -> Value {
    serde_json::from_str(raw.as_str()).unwrap_or_else(|_| raw.as_str().into())
}

/// Whether agents see a tool without searching.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Visibility {
    /// Found by search, callable by name.
    #[default]
    #[serde(alias = "discoverable")]
    Searchable,
    /// Also part of every list.
    #[serde(alias = "native")]
    Listed,
}

/// How much is known of a tool, and whether a call can work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "state", content = "reason")]
#[non_exhaustive]
pub enum Status {
    /// The definition is complete; calls go through.
    Ready,
    /// Known from its file without running it; the full definition loads on the first call.
    Static,
    /// The program may not be run for its definition yet; the reason names the way to permit it.
    Unprobed(String),
    /// A call cannot work now, for this reason.
    Unavailable(String),
    /// Quarantined until an operator has approved it, for this reason. No call reaches it before.
    #[serde(alias = "held")]
    Quarantined(String),
}

impl Status {
    /// The word shown in lists: `ready`, `static`, `unprobed`, `unavailable`, `quarantined`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Static => "static",
            Self::Unprobed(_) => "unprobed",
            Self::Unavailable(_) => "unavailable",
            Self::Quarantined(_) => "quarantined",
        }
    }

    /// Why it is not ready, if a reason is recorded.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Unprobed(reason) | Self::Unavailable(reason) | Self::Quarantined(reason) => {
                Some(reason)
            }
            _ => None,
        }
    }
}

/// The origin of a tool's definition.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Provenance {
    /// The file that describes it, absolute.
    pub path: Option<PathBuf>,
    /// The digest of that file's content.
    pub content: Option<Digest>,
    /// Whether code from there may run: code of this process, or a folder that a user has trusted.
    /// Calls by agents are refused otherwise.
    pub trusted: bool,
    /// When its source last listed it, if that was not just now.
    pub last_listed: Option<Moment>,
    /// Whether its source has probably changed since.
    pub stale: bool,
    /// Whether only its name is known, because the configuration names it and its source was never
    /// discovered. It has no definition to review, to search or to call.
    pub placeholder: bool,
}

/// How a tool's command line should look: hints by flag, and the separator of nested names.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CliHints {
    /// Joins the parts of nested names; `-` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub separator: Option<String>,
    /// `repeat` (repeat the flag, or commas), or `json` (one JSON array).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrays: Option<String>,
    /// The number of names that a flag may join; deeper properties are given as JSON. 3 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_depth: Option<usize>,
    /// Hints by flag name, as shown in help without the dashes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub flags: BTreeMap<String, CliHint>,
}

/// Hints for one flag.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CliHint {
    /// A one-letter name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub short: Option<char>,
    /// Shown instead of the schema's description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The placeholder for the value in help.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_name: Option<String>,
    /// Accepted, but not shown in help.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
    /// May also be given without its flag, in the order of the schema.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub positional: bool,
    /// Flags that may not be given together with this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<String>,
    /// The type of the value, instead of the schema's: `string`, `number`, `integer`, `boolean`,
    /// `array`, `object` or `json`.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Whether the flag must be given, instead of what the schema requires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
    /// The value if the flag is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// How typed text is converted: `json`, `list`, `trim`, `lowercase` or `uppercase`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parse: Option<String>,
}
