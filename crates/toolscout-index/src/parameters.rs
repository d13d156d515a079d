//! The words of an input schema: names and descriptions of its parameters.

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// Names and texts of the parameters: of the upper levels only, and of an enum the first values
/// only.
#[derive(Debug, Default)]
pub(crate) struct Parameters {
    pub(crate) names: String,
    pub(crate) texts: String,
}

const MAX_LEVEL: u8 = 2;
const MAX_CHOICES: usize = 20;
/// Maximum length of each text in bytes; longer text is keyword stuffing.
const MAX_BYTES: usize = 16 << 10;

impl Parameters {
    /// Streams through the schema without building a tree; an invalid schema has no words.
    pub(crate) fn read(schema: &str) -> Self {
        let mut found = Self::default();
        let mut reader = serde_json::Deserializer::from_str(schema);
        let _ = SchemaPosition { found: &mut found, level: 0, kind: PositionKind::Schema }
            .deserialize(&mut reader);
        found
    }
}

fn push(to: &mut String, text: &str) {
    if to.len() + text.len() < MAX_BYTES {
        to.push_str(text);
        to.push('\n');
    }
}

/// A position in a schema, and its depth.
struct SchemaPosition<'a> {
    found: &'a mut Parameters,
    level: u8,
    kind: PositionKind,
}

/// The kind of value expected at a position. Other values are skipped.
#[derive(Clone, Copy, PartialEq)]
enum PositionKind {
    Schema,
    Properties,
    Choices,
    Text,
    Anything,
}

#[derive(Deserialize)]
struct SchemaKey<'a>(#[serde(borrow)] Cow<'a, str>);

impl SchemaPosition<'_> {
    fn same_level(&mut self, kind: PositionKind) -> SchemaPosition<'_> {
        SchemaPosition { found: &mut *self.found, level: self.level, kind }
    }

    fn next_level(&mut self) -> SchemaPosition<'_> {
        SchemaPosition {
            found: &mut *self.found,
            level: self.level + 1,
            kind: PositionKind::Schema,
        }
    }

    /// The position of the value after this key.
    fn after_key(&mut self, key: &str) -> SchemaPosition<'_> {
        let is_deep = self.level > MAX_LEVEL;
        match (self.kind, key) {
            (PositionKind::Properties, name) => {
                push(&mut self.found.names, name);
                self.next_level()
            }
            (PositionKind::Schema, "properties") if !is_deep => {
                self.same_level(PositionKind::Properties)
            }
            (PositionKind::Schema, "items" | "anyOf" | "oneOf" | "allOf") if !is_deep => {
                self.next_level()
            }
            (PositionKind::Schema, "enum") => self.same_level(PositionKind::Choices),
            (PositionKind::Schema, "description") if self.level > 0 => {
                self.same_level(PositionKind::Text)
            }
            _ => self.same_level(PositionKind::Anything),
        }
    }
}

impl<'de> DeserializeSeed<'de> for SchemaPosition<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        match self.kind {
            PositionKind::Anything => IgnoredAny::deserialize(reader).map(drop),
            _ => reader.deserialize_any(self),
        }
    }
}

macro_rules! passes_over {
    ($($visit:ident: $type:ty),*) => {
        $(fn $visit<E>(self, _: $type) -> Result<(), E> { Ok(()) })*
    };
}

impl<'de> Visitor<'de> for SchemaPosition<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a schema")
    }

    passes_over!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64);

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        if self.kind == PositionKind::Text {
            push(&mut self.found.texts, text);
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<(), A::Error> {
        let (most, kind) = match self.kind {
            PositionKind::Choices => (MAX_CHOICES, PositionKind::Text),
            PositionKind::Schema => (usize::MAX, PositionKind::Schema),
            _ => (0, PositionKind::Anything),
        };
        let mut at = 0;
        while seq
            .next_element_seed(self.same_level(if at < most {
                kind
            } else {
                PositionKind::Anything
            }))?
            .is_some()
        {
            at += 1;
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(SchemaKey(key)) = map.next_key()? {
            map.next_value_seed(self.after_key(&key))?;
        }
        Ok(())
    }
}
