//! The words of an input schema: what its parameters are called, and what is said about them.

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// Names and texts of the parameters, as far as they matter: the upper levels, and of a list of choices the first.
#[derive(Debug, Default)]
pub(crate) struct Parameters {
    pub(crate) names: String,
    pub(crate) texts: String,
}

const LEVELS: u8 = 2;
const CHOICES: usize = 20;
/// Who writes more does not describe, but stuff.
const MOST: usize = 16 << 10;

impl Parameters {
    /// Keeps no more of the schema than it needs; what cannot be read has no words.
    pub(crate) fn of(schema: &str) -> Self {
        let mut found = Self::default();
        let mut reader = serde_json::Deserializer::from_str(schema);
        let _ = Place { found: &mut found, level: 0, kind: Kind::Schema }.deserialize(&mut reader);
        found
    }
}

fn push(to: &mut String, text: &str) {
    if to.len() + text.len() < MOST {
        to.push_str(text);
        to.push('\n');
    }
}

/// Somewhere in a schema, so many levels down.
struct Place<'a> {
    found: &'a mut Parameters,
    level: u8,
    kind: Kind,
}

/// What may stand at a place. Whatever else stands there is passed over.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Schema,
    Properties,
    Choices,
    Text,
    Anything,
}

#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

impl Place<'_> {
    fn inside(&mut self, kind: Kind) -> Place<'_> {
        Place { found: &mut *self.found, level: self.level, kind }
    }

    fn below(&mut self) -> Place<'_> {
        Place { found: &mut *self.found, level: self.level + 1, kind: Kind::Schema }
    }

    /// What stands behind this key.
    fn behind(&mut self, key: &str) -> Place<'_> {
        let is_deep = self.level > LEVELS;
        match (self.kind, key) {
            (Kind::Properties, name) => {
                push(&mut self.found.names, name);
                self.below()
            }
            (Kind::Schema, "properties") if !is_deep => self.inside(Kind::Properties),
            (Kind::Schema, "items" | "anyOf" | "oneOf" | "allOf") if !is_deep => self.below(),
            (Kind::Schema, "enum") => self.inside(Kind::Choices),
            (Kind::Schema, "description") if self.level > 0 => self.inside(Kind::Text),
            _ => self.inside(Kind::Anything),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Place<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        match self.kind {
            Kind::Anything => IgnoredAny::deserialize(reader).map(drop),
            _ => reader.deserialize_any(self),
        }
    }
}

macro_rules! passes_over {
    ($($visit:ident: $type:ty),*) => {
        $(fn $visit<E>(self, _: $type) -> Result<(), E> { Ok(()) })*
    };
}

impl<'de> Visitor<'de> for Place<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a schema")
    }

    passes_over!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64);

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        if self.kind == Kind::Text {
            push(&mut self.found.texts, text);
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<(), A::Error> {
        let (most, kind) = match self.kind {
            Kind::Choices => (CHOICES, Kind::Text),
            Kind::Schema => (usize::MAX, Kind::Schema),
            _ => (0, Kind::Anything),
        };
        let mut at = 0;
        while seq.next_element_seed(self.inside(if at < most { kind } else { Kind::Anything }))?.is_some() {
            at += 1;
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(Key(key)) = map.next_key()? {
            map.next_value_seed(self.behind(&key))?;
        }
        Ok(())
    }
}
