//! Reads JSON and rejects ambiguous input.

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashSet;
use std::fmt;
use toolscout_core::RawJson;

/// Checks that every parser reads the text alike: no object has a duplicate key, at any depth, and
/// every number and string is representable. The parser limits the depth.
pub(in super::super) fn check(text: &str) -> Result<(), String> {
    walk(text).map(|_| ()).map_err(|err| format!("it is ambiguous or invalid JSON: {err}"))
}

/// The number of values, including the outermost.
pub(super) fn values(text: &str) -> usize {
    walk(text).unwrap_or(usize::MAX)
}

/// The members of an object in their order, each value as written; `None` if the text is not an
/// object.
pub(in super::super) fn members(text: &str) -> Option<Vec<(Cow<'_, str>, &RawValue)>> {
    struct MembersVisitor;

    impl<'de> Visitor<'de> for MembersVisitor {
        type Value = Vec<(Cow<'de, str>, &'de RawValue)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut all = Vec::with_capacity(8);
            while let Some((MemberName(key), value)) = map.next_entry()? {
                all.push((key, value));
            }
            Ok(all)
        }
    }

    serde_json::Deserializer::from_str(text).deserialize_map(MembersVisitor).ok()
}

/// The content of a JSON string, borrowed unless it contains escapes; `None` if the value is not a
/// string.
pub(super) fn text(value: &RawValue) -> Option<Cow<'_, str>> {
    serde_json::from_str(value.get()).ok().map(|MemberName(text)| text)
}

/// A key, borrowed from the text unless it contains escapes.
#[derive(Deserialize)]
struct MemberName<'a>(#[serde(borrow)] Cow<'a, str>);

/// The members as one object, in this order.
pub(super) fn object(members: &[(Cow<'_, str>, &RawValue)]) -> RawJson {
    let mut text = Vec::new();
    let mut serializer = serde_json::Serializer::new(&mut text);
    let written = serializer.serialize_map(Some(members.len())).and_then(|mut map| {
        members.iter().try_for_each(|(key, value)| map.serialize_entry(key, value))?;
        map.end()
    });
    let text = written.ok().and_then(|()| String::from_utf8(text).ok());
    let parsed = text.and_then(|value| RawJson::parse(&value).ok());
    parsed.unwrap_or_else(|| RawJson::from_value(&serde_json::json!({})))
}

fn walk(text: &str) -> Result<usize, serde_json::Error> {
    let count = Cell::new(0);
    let mut parser = serde_json::Deserializer::from_str(text);
    CountedValue(&count).deserialize(&mut parser)?;
    parser.end()?;
    Ok(count.get())
}

/// Visits one value; counts it and all nested values.
#[derive(Clone, Copy)]
struct CountedValue<'a>(&'a Cell<usize>);

impl<'de> DeserializeSeed<'de> for CountedValue<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.0.set(self.0.get() + 1);
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for CountedValue<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(self)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut seen = HashSet::new();
        while let Some(MemberName(key)) = map.next_key()? {
            map.next_value_seed(self)?;
            if seen.contains(&key) {
                return Err(A::Error::custom(format_args!("duplicate key {:?}", short(&key))));
            }
            seen.insert(key);
        }
        Ok(())
    }
}

fn short(key: &str) -> &str {
    &key[..key.floor_char_boundary(64)]
}
