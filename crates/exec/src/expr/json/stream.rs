//! A path of names and indices, without building the document: what the path does not lead to is
//! skipped, yet must be valid JSON. Of repeated names the last one counts.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::path::Step;

/// Follows a definite path; none when it leads nowhere.
///
/// # Errors
/// Those of the parser.
pub(super) fn find(text: &str, steps: &[Step]) -> Result<Option<Value>, serde_json::Error> {
    let mut parser = serde_json::Deserializer::from_str(text);
    let found = Follow { steps }.deserialize(&mut parser)?;
    parser.end()?;
    Ok(found)
}

#[derive(Clone, Copy)]
struct Follow<'s> {
    steps: &'s [Step],
}

impl<'de> DeserializeSeed<'de> for Follow<'_> {
    type Value = Option<Value>;

    fn deserialize<D: Deserializer<'de>>(self, parser: D) -> Result<Self::Value, D::Error> {
        if self.steps.is_empty() {
            return serde::Deserialize::deserialize(parser).map(Some);
        }
        parser.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Follow<'_> {
    type Value = Option<Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let Some((Step::Name(wanted), steps)) = self.steps.split_first() else {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            return Ok(None);
        };
        let mut found = None;
        while let Some(matches) = map.next_key_seed(NameIs(wanted))? {
            if matches {
                found = map.next_value_seed(Follow { steps })?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let wanted = match self.steps.split_first() {
            Some((Step::Index(index), steps)) => Some((*index, steps)),
            _ => None,
        };
        let mut found = None;
        let mut index = 0;
        loop {
            match wanted {
                Some((wanted, steps)) if wanted == index => {
                    match seq.next_element_seed(Follow { steps })? {
                        Some(value) => found = value,
                        None => return Ok(found),
                    }
                }
                _ => {
                    if seq.next_element::<IgnoredAny>()?.is_none() {
                        return Ok(found);
                    }
                }
            }
            index += 1;
        }
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_str<E: serde::de::Error>(self, _: &str) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }
}

/// Compares a name without keeping it.
struct NameIs<'s>(&'s str);

impl<'de> DeserializeSeed<'de> for NameIs<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, parser: D) -> Result<bool, D::Error> {
        parser.deserialize_str(self)
    }
}

impl Visitor<'_> for NameIs<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<bool, E> {
        Ok(name == self.0)
    }

    fn visit_bytes<E: serde::de::Error>(self, name: &[u8]) -> Result<bool, E> {
        std::str::from_utf8(name)
            .map(|name| name == self.0)
            .map_err(E::custom)
    }
}
