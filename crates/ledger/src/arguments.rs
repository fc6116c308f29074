//! The arguments of calls, read without building what nobody asks for.
//!
//! They are a quarter of a conversation, mostly texts of files, and each is read several times: for its
//! path or script, for all its strings. What is JSON, and what is not, is what `serde_json::Value` takes
//! and does not take.

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::borrow::Cow;
use std::fmt;

/// The fields of an object with these names; `None` for what is no object.
pub(crate) fn fields(text: &str, names: &[&str]) -> Option<Map<String, Value>> {
    let mut json = serde_json::Deserializer::from_str(text);
    let read = json.deserialize_map(Fields(names)).ok()?;
    json.end().ok()?;
    Some(read)
}

/// All strings and numbers of a value in order, one behind the other, without the keys of objects;
/// `None` for what is no JSON.
pub(crate) fn strings(text: &str) -> Option<String> {
    let mut json = serde_json::Deserializer::from_str(text);
    let mut out = String::with_capacity(text.len());
    let mut repeats = false;
    let strings = Strings {
        out: &mut out,
        repeats: &mut repeats,
    };
    let read = strings.deserialize(&mut json).and_then(|()| json.end());
    if repeats {
        // Of a key that is there twice the last value counts, which is only known at the end.
        let value: Value = serde_json::from_str(text).ok()?;
        out.clear();
        write_strings(&value, &mut out);
        return Some(out);
    }
    read.ok().map(|()| out)
}

fn write_strings(value: &Value, out: &mut String) {
    match value {
        Value::String(text) => push_line(out, text),
        Value::Array(items) => items.iter().for_each(|item| write_strings(item, out)),
        Value::Object(map) => map.values().for_each(|item| write_strings(item, out)),
        Value::Number(number) => push_line(out, &number.to_string()),
        Value::Null | Value::Bool(_) => {}
    }
}

fn push_line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}

/// Reads an object, of which the fields with these names are kept.
struct Fields<'n>(&'n [&'n str]);

impl<'de> Visitor<'de> for Fields<'_> {
    type Value = Map<String, Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut out = Map::new();
        while let Some(key) = map.next_key_seed(Key)? {
            if self.0.contains(&&*key) {
                out.insert(key.into_owned(), map.next_value()?);
            } else {
                map.next_value_seed(Skipped)?;
            }
        }
        Ok(out)
    }
}

/// The key of a field.
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Key {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E: Error>(self, key: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(key))
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(key.to_owned()))
    }
}

/// Reads a value and keeps nothing. `IgnoredAny` would take strings and numbers that are none.
struct Skipped;

impl<'de> DeserializeSeed<'de> for Skipped {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Skipped {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
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
        while items.next_element_seed(Skipped)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while map.next_key_seed(Skipped)?.is_some() {
            map.next_value_seed(Skipped)?;
        }
        Ok(())
    }
}

/// Most keys of an object that are compared with each other.
const MOST_KEYS: usize = 32;

/// Reads a value and writes its strings and numbers.
struct Strings<'o> {
    out: &'o mut String,
    /// True for an object that may have a key twice; reading ends there.
    repeats: &'o mut bool,
}

impl Strings<'_> {
    /// The same, for a value within this one.
    fn inner(&mut self) -> Strings<'_> {
        Strings {
            out: self.out,
            repeats: self.repeats,
        }
    }

    fn push<E>(self, text: &str) -> Result<(), E> {
        push_line(self.out, text);
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Strings<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strings<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<(), E> {
        self.push(&number.to_string())
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<(), E> {
        self.push(&number.to_string())
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<(), E> {
        match Number::from_f64(number) {
            Some(number) => self.push(&number.to_string()),
            None => Ok(()),
        }
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.push(text)
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(self.inner())?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        let mut keys: Vec<Cow<'de, str>> = Vec::new();
        while let Some(key) = map.next_key_seed(Key)? {
            if keys.contains(&key) || keys.len() == MOST_KEYS {
                *self.repeats = true;
                return Err(A::Error::custom("a key may be there twice"));
            }
            keys.push(key);
            map.next_value_seed(self.inner())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition: the value is built, and then asked.
    fn by_value(text: &str) -> Option<String> {
        let value: Value = serde_json::from_str(text).ok()?;
        let mut out = String::new();
        write_strings(&value, &mut out);
        Some(out)
    }

    fn fields_by_value(text: &str, names: &[&str]) -> Option<Map<String, Value>> {
        let Ok(Value::Object(mut map)) = serde_json::from_str(text) else {
            return None;
        };
        map.retain(|key, _| names.contains(&&**key));
        Some(map)
    }

    #[test]
    fn of_a_key_that_is_there_twice_the_last_value_counts() {
        let text = r#"{"a": "one", "b": {"c": 2, "c": 2.5}, "a": ["three", -4, 1e3, null, true]}"#;
        assert_eq!(strings(text).unwrap(), "three\n-4\n1000.0\n2.5\n");
        assert_eq!(strings(text), by_value(text));
        assert_eq!(fields(text, &["a"]), fields_by_value(text, &["a"]));
    }

    #[test]
    fn what_is_no_json_has_no_strings() {
        for text in [
            "",
            "plain",
            "{\"a\": 1} b",
            "{\"a\": 1e999}",
            "{\"a\": \"\\ud83d\"}",
            "{\"a\"",
            "[1, 2",
        ] {
            assert_eq!(strings(text), None, "for {text}");
            assert_eq!(by_value(text), None, "for {text}");
            assert_eq!(fields(text, &["b"]), None, "for {text}");
        }
        assert_eq!(fields("[1]", &["a"]), None);
        assert_eq!(strings("\"a\"").unwrap(), "a\n");
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            "[a-c\"\\\\\n\u{e9}]{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                proptest::collection::vec(("[a-d]", inner), 0..6)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn strings_and_fields_are_those_of_the_value(value in json(), cut in 0..400_usize) {
            let whole = value.to_string();
            let end = crate::words::floor_boundary(&whole, cut);
            for text in [&whole[..], &whole[..end]] {
                prop_assert_eq!(strings(text), by_value(text));
                let names = ["a", "c"];
                prop_assert_eq!(fields(text, &names), fields_by_value(text, &names));
            }
        }
    }
}
