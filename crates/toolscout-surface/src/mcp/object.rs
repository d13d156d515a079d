//! A JSON object of which only the keys are parsed. All values stay unparsed text.

#[cfg(test)]
mod tests;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// Keys and values in their original order. If a key occurs twice, the last value is used, and both
/// are written.
#[derive(Debug, Clone, Default)]
pub(super) struct Object<'a>(Vec<(Cow<'a, str>, Cow<'a, str>)>);

impl<'a> Object<'a> {
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().rfind(|(item, _)| item == key).map(|(_, value)| &**value)
    }

    /// Sets the value of a key, in place or at the end.
    pub(super) fn set(&mut self, key: &'a str, json: impl Into<Cow<'a, str>>) {
        match self.0.iter_mut().rfind(|(item, _)| item == key) {
            Some((_, value)) => *value = json.into(),
            None => self.0.push((key.into(), json.into())),
        }
    }

    /// Sets the value of a key if the key is absent.
    pub(super) fn set_missing(&mut self, key: &'a str, json: impl Into<Cow<'a, str>>) {
        if self.get(key).is_none() {
            self.set(key, json);
        }
    }

    pub(super) fn remove(&mut self, key: &str) {
        self.0.retain(|(item, _)| item != key);
    }
}

impl fmt::Display for Object<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (index, (key, value)) in self.0.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(f, "{comma}{}:{value}", toolscout_core::jsonrpc::quoted(key))?;
        }
        f.write_str("}")
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Entries(std::marker::PhantomData))
    }
}

struct Entries<'a>(std::marker::PhantomData<&'a ()>);

impl<'de: 'a, 'a> Visitor<'de> for Entries<'a> {
    type Value = Object<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut object = Object::default();
        while let Some((key, value)) = map.next_entry::<String, &'de RawValue>()? {
            object.0.push((key.into(), value.get().into()));
        }
        Ok(object)
    }
}
