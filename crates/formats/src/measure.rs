//! Sizes of text and JSON taken while parsing, so that a reader need not keep either.
//!
//! Every shape here is lenient: a field of an unexpected type counts as absent and never spoils
//! the record it stands in, because the agent would not refuse it either.

use crate::time::parse_iso;
use palimpsest_core::json::{stringify, sum_of_bytes, utf16_len};
use palimpsest_core::terminal::without_sequences;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;

/// Longest preview in characters.
pub(crate) const PREVIEW_CHARS: usize = 160;
/// A preview is sought in this many leading bytes only.
const PREVIEW_BYTES: usize = 2048;

/// What can be made of any JSON value; the defaults make nothing of it.
pub(crate) trait Shape<'de>: Default {
    fn of_text(_text: &str) -> Self {
        Self::default()
    }
    fn of_borrowed(text: &'de str) -> Self {
        Self::of_text(text)
    }
    fn of_bool(_value: bool) -> Self {
        Self::default()
    }
    /// JavaScript has only doubles, so no precision is lost that the agent has.
    fn of_number(_value: f64) -> Self {
        Self::default()
    }
    fn of_seq<A: SeqAccess<'de>>(mut seq: A) -> Result<Self, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }
    fn of_map<A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }
}

/// Deserializes any [`Shape`].
pub(crate) struct Any<T>(pub PhantomData<T>);

impl<T> Any<T> {
    pub(crate) fn new() -> Self {
        Any(PhantomData)
    }
}

impl<'de, T: Shape<'de>> DeserializeSeed<'de> for Any<T> {
    type Value = T;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        // By the type found and not by the type wanted, so that a wrong type is absent and not an
        // error.
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: Shape<'de>> Visitor<'de> for Any<T> {
    type Value = T;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }
    fn visit_bool<E>(self, value: bool) -> Result<T, E> {
        Ok(T::of_bool(value))
    }
    fn visit_i64<E>(self, value: i64) -> Result<T, E> {
        Ok(T::of_number(value as f64))
    }
    fn visit_u64<E>(self, value: u64) -> Result<T, E> {
        Ok(T::of_number(value as f64))
    }
    fn visit_f64<E>(self, value: f64) -> Result<T, E> {
        Ok(T::of_number(value))
    }
    fn visit_unit<E>(self) -> Result<T, E> {
        Ok(T::default())
    }
    fn visit_str<E>(self, text: &str) -> Result<T, E> {
        Ok(T::of_text(text))
    }
    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<T, E> {
        Ok(T::of_borrowed(text))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<T, A::Error> {
        T::of_seq(seq)
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::of_map(map)
    }
}

/// Declares a record: known keys are read by type, unknown keys are skipped, and the last value of
/// a repeated key counts, as in JavaScript.
macro_rules! record {
    ($(#[$doc:meta])* $name:ident { $($field:ident: $shape:ty = $key:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Default)]
        pub(crate) struct $name<'de> {
            $(pub $field: $shape,)*
            /// False when the value was not an object.
            #[allow(dead_code, reason = "some records need not know")]
            pub is_object: bool,
            pub life: std::marker::PhantomData<&'de ()>,
        }

        impl<'de> $crate::measure::Shape<'de> for $name<'de> {
            fn of_map<A: serde::de::MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
                let mut record = $name { is_object: true, ..$name::default() };
                while let Some(key) = map.next_key::<$crate::measure::Word<'de>>()? {
                    match key.as_deref() {
                        $(Some($key) => record.$field = $crate::measure::value(&mut map)?,)*
                        _ => {
                            map.next_value::<serde::de::IgnoredAny>()?;
                        }
                    }
                }
                Ok(record)
            }
        }
    };
}

pub(crate) use record;

/// The next value of `map` in the shape `T`.
pub(crate) fn value<'de, T: Shape<'de>, A: MapAccess<'de>>(map: &mut A) -> Result<T, A::Error> {
    map.next_value_seed(Any::<T>::new())
}

/// A key or a short string that is kept.
#[derive(Debug, Default, Clone)]
pub(crate) struct Word<'de>(pub Option<Cow<'de, str>>);

impl<'de> Word<'de> {
    pub(crate) fn as_deref(&self) -> Option<&str> {
        self.0.as_deref()
    }
    pub(crate) fn boxed(&self) -> Option<Box<str>> {
        self.as_deref().map(Into::into)
    }
    pub(crate) fn boxed_or_empty(&self) -> Box<str> {
        self.as_deref().unwrap_or_default().into()
    }
}

impl<'de> Shape<'de> for Word<'de> {
    fn of_text(text: &str) -> Self {
        Word(Some(Cow::Owned(text.to_owned())))
    }
    fn of_borrowed(text: &'de str) -> Self {
        Word(Some(Cow::Borrowed(text)))
    }
}

impl<'de> Deserialize<'de> for Word<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Any::<Word<'de>>::new())
    }
}

/// A flag as JavaScript's truthiness sees it, for the types that occur.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Flag(pub bool);

impl<'de> Shape<'de> for Flag {
    fn of_bool(value: bool) -> Self {
        Flag(value)
    }
    fn of_number(value: f64) -> Self {
        Flag(value != 0.0)
    }
    fn of_text(text: &str) -> Self {
        Flag(!text.is_empty())
    }
}

/// A number, or nothing.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Number(pub Option<f64>);

impl<'de> Shape<'de> for Number {
    fn of_number(value: f64) -> Self {
        Number(Some(value))
    }
}

impl Number {
    /// The number as a count; negative and absurd values become the nearest count.
    pub(crate) fn count(self) -> u64 {
        self.0.unwrap_or(0.0) as u64
    }
}

/// A time: ISO text or Unix milliseconds.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Moment(pub Option<i64>);

impl<'de> Shape<'de> for Moment {
    fn of_text(text: &str) -> Self {
        Moment(parse_iso(text))
    }
    fn of_number(value: f64) -> Self {
        Moment(Some(value as i64))
    }
}

/// A list of strings; other items are skipped.
#[derive(Debug, Default)]
pub(crate) struct Names(pub Vec<Box<str>>);

impl<'de> Shape<'de> for Names {
    fn of_seq<A: SeqAccess<'de>>(mut seq: A) -> Result<Self, A::Error> {
        let mut names = Vec::new();
        while let Some(word) = seq.next_element::<Word<'de>>()? {
            names.extend(word.boxed());
        }
        Ok(Names(names))
    }
}

/// The length of a text, and its first words.
#[derive(Debug, Default, Clone)]
pub(crate) struct Measured {
    /// UTF-16 code units.
    pub units: u64,
    /// The first words on one line.
    pub head: Box<str>,
}

impl<'de> Shape<'de> for Measured {
    fn of_text(text: &str) -> Self {
        Measured {
            units: utf16_len(text),
            head: head(text),
        }
    }
}

/// The sizes of a file's text.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TextSize {
    /// False for an absent field and for what is no text.
    pub present: bool,
    /// UTF-16 code units.
    pub units: u64,
    /// Code units of the text as a JSON string, without its quotes.
    pub json_units: u64,
    /// Line ends.
    pub line_ends: u64,
}

impl<'de> Shape<'de> for TextSize {
    fn of_text(text: &str) -> Self {
        TextSize {
            present: true,
            units: utf16_len(text),
            json_units: escaped_len(text) - 2,
            line_ends: sum_of_bytes::<240>(text, |byte| u8::from(byte == b'\n')),
        }
    }
}

/// The first words of `text`: without terminal sequences, white space folded, at most [`PREVIEW_CHARS`] characters.
pub(crate) fn head(text: &str) -> Box<str> {
    // Outputs have megabytes, of which a preview needs a line.
    let mut end = text.len().min(PREVIEW_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = without_sequences(&text[..end]);
    // Every entry has one or more, so it is one pass into memory that seldom grows.
    let mut out = String::with_capacity(text.len().min(PREVIEW_CHARS));
    let mut chars = 0;
    let mut between = false;
    for c in text.chars() {
        if c.is_whitespace() {
            between = chars > 0;
            continue;
        }
        if between {
            out.push(' ');
            chars += 1;
            between = false;
        }
        if chars >= PREVIEW_CHARS {
            return out.trim_end().into();
        }
        out.push(c);
        chars += 1;
    }
    out.into()
}

/// The first line of `text` that does something, as a preview: blank lines, comments and a leading
/// `cd DIR &&` are skipped.
fn first_line(text: &str) -> Box<str> {
    let line = text.lines().map(str::trim);
    let line = line
        .filter(|line| line.chars().any(char::is_alphanumeric))
        .find(|line| !line.starts_with('#'))
        .unwrap_or(text);
    match line.split_once("&&") {
        Some((start, rest)) if start.starts_with("cd ") && !rest.trim().is_empty() => head(rest),
        _ => head(line),
    }
}

/// Length in UTF-16 units of what `JSON.stringify` prints for the value.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct JsonSize {
    /// False for an absent field and for null.
    pub present: bool,
    /// The length; 4 for null.
    pub units: u64,
}

struct NotNull(JsonSize);

impl Default for NotNull {
    fn default() -> Self {
        NotNull(JsonSize {
            present: false,
            units: 4,
        })
    }
}

impl<'de> Shape<'de> for NotNull {
    fn of_text(text: &str) -> Self {
        NotNull(JsonSize {
            present: true,
            units: escaped_len(text),
        })
    }
    fn of_bool(value: bool) -> Self {
        NotNull(JsonSize {
            present: true,
            units: if value { 4 } else { 5 },
        })
    }
    fn of_number(value: f64) -> Self {
        NotNull(JsonSize {
            present: true,
            units: number_len(value),
        })
    }
    fn of_seq<A: SeqAccess<'de>>(mut seq: A) -> Result<Self, A::Error> {
        let mut units = 2;
        let mut count = 0u64;
        while let Some(item) = seq.next_element_seed(Any::<NotNull>::new())? {
            units += item.0.units;
            count += 1;
        }
        Ok(NotNull(JsonSize {
            present: true,
            units: units + count.saturating_sub(1),
        }))
    }
    fn of_map<A: MapAccess<'de>>(map: A) -> Result<Self, A::Error> {
        let units = object_size(map, |_, _| {})?;
        Ok(NotNull(JsonSize {
            present: true,
            units,
        }))
    }
}

impl<'de> Shape<'de> for JsonSize {
    fn of_text(text: &str) -> Self {
        NotNull::of_text(text).0
    }
    fn of_bool(value: bool) -> Self {
        NotNull::of_bool(value).0
    }
    fn of_number(value: f64) -> Self {
        NotNull::of_number(value).0
    }
    fn of_seq<A: SeqAccess<'de>>(seq: A) -> Result<Self, A::Error> {
        Ok(NotNull::of_seq(seq)?.0)
    }
    fn of_map<A: MapAccess<'de>>(map: A) -> Result<Self, A::Error> {
        Ok(NotNull::of_map(map)?.0)
    }
}

/// Arguments of a tool call: their size as JSON, and what a row of a list shows of them.
#[derive(Debug, Default, Clone)]
pub(crate) struct Arguments {
    /// Length in UTF-16 units of the printed JSON.
    pub units: u64,
    /// The `path` argument, or Claude Code's word for it, when it is a string.
    pub path: Option<Box<str>>,
    /// The first telling line of the argument that says most about the call (see [`TELLING`]).
    pub gist: Box<str>,
}

/// Arguments that tell what a call is about, the most telling first; `command` is pi's, `file_path`
/// and `description` are Claude Code's, the others are usual in tools of extensions. A call with
/// none of them uses its first text.
const TELLING: [&str; 11] = [
    "command",
    "cmd",
    "pattern",
    "query",
    "url",
    "path",
    "file_path",
    "notebook_path",
    "description",
    "task",
    "prompt",
];

impl Arguments {
    /// Arguments whose members and their texts are shown to `also`.
    pub(crate) fn of_members<'de, A: MapAccess<'de>>(
        map: A,
        mut also: impl FnMut(&str, Option<&str>),
    ) -> Result<Arguments, A::Error> {
        let mut arguments = Arguments::default();
        let mut rank = usize::MAX;
        arguments.units = object_size(map, |key, text| {
            also(key, text);
            if matches!(key, "path" | "file_path" | "notebook_path") && text.is_some() {
                arguments.path = text.map(Into::into);
            }
            let at = TELLING.iter().position(|telling| *telling == key);
            let at = at.unwrap_or(TELLING.len());
            if let Some(text) = text
                && (at < rank || at == rank && at < TELLING.len())
                && text.chars().any(char::is_alphanumeric)
            {
                rank = at;
                arguments.gist = first_line(text);
            }
        })?;
        Ok(arguments)
    }
}

impl<'de> Shape<'de> for Arguments {
    fn of_text(text: &str) -> Self {
        Arguments {
            units: escaped_len(text),
            gist: first_line(text),
            ..Arguments::default()
        }
    }
    fn of_map<A: MapAccess<'de>>(map: A) -> Result<Self, A::Error> {
        Arguments::of_members(map, |_, _| {})
    }
    fn of_seq<A: SeqAccess<'de>>(seq: A) -> Result<Self, A::Error> {
        Ok(Arguments {
            units: NotNull::of_seq(seq)?.0.units,
            ..Arguments::default()
        })
    }
}

/// A value of an object: its size, and its text while `see` looks at it.
struct Member<'k, F> {
    key: &'k str,
    see: F,
}

impl<'de, F: FnMut(&str, Option<&str>)> DeserializeSeed<'de> for Member<'_, F> {
    type Value = u64;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<u64, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<F: FnMut(&str, Option<&str>)> Member<'_, F> {
    fn other(mut self, size: NotNull) -> u64 {
        (self.see)(self.key, None);
        size.0.units
    }
}

impl<'de, F: FnMut(&str, Option<&str>)> Visitor<'de> for Member<'_, F> {
    type Value = u64;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }
    fn visit_str<E>(mut self, text: &str) -> Result<u64, E> {
        (self.see)(self.key, Some(text));
        Ok(escaped_len(text))
    }
    fn visit_bool<E>(self, value: bool) -> Result<u64, E> {
        Ok(self.other(NotNull::of_bool(value)))
    }
    fn visit_i64<E>(self, value: i64) -> Result<u64, E> {
        Ok(self.other(NotNull::of_number(value as f64)))
    }
    fn visit_u64<E>(self, value: u64) -> Result<u64, E> {
        Ok(self.other(NotNull::of_number(value as f64)))
    }
    fn visit_f64<E>(self, value: f64) -> Result<u64, E> {
        Ok(self.other(NotNull::of_number(value)))
    }
    fn visit_unit<E>(self) -> Result<u64, E> {
        Ok(self.other(NotNull::default()))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<u64, A::Error> {
        Ok(self.other(NotNull::of_seq(seq)?))
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<u64, A::Error> {
        Ok(self.other(NotNull::of_map(map)?))
    }
}

/// Printed length of an object; of a repeated key the last value counts, as in JavaScript. `see`
/// is shown every key, with the value where that is text.
fn object_size<'de, A: MapAccess<'de>>(
    mut map: A,
    mut see: impl FnMut(&str, Option<&str>),
) -> Result<u64, A::Error> {
    // Added up at the end, because a repeated key replaces the earlier value.
    let mut members: HashMap<Cow<'de, str>, u64> = HashMap::new();
    while let Some(key) = map.next_key::<Word<'de>>()? {
        let key = key.0.unwrap_or_default();
        let units = map.next_value_seed(Member {
            key: &key,
            see: &mut see,
        })?;
        members.insert(key, units);
    }
    let commas = (members.len() as u64).saturating_sub(1);
    let inner: u64 = members
        .iter()
        .map(|(key, units)| escaped_len(key) + 1 + units)
        .sum();
    Ok(2 + commas + inner)
}

/// Printed length of a string, quotes and escapes included.
fn escaped_len(text: &str) -> u64 {
    // Without branches, so that the compiler takes many bytes at a time: what was read of files is a
    // good part of many sessions.
    let escapes = sum_of_bytes::<48>(text, |byte| {
        // `\u00XX` has five characters more than the one it stands for; `\b`, `\t`, `\n`, `\f` and
        // `\r` (8 to 13 without 11) have one.
        let is_short = u8::from(byte.wrapping_sub(8) < 6) & u8::from(byte != 11);
        let control = 5 * u8::from(byte < 32) - 4 * is_short;
        control + u8::from(byte == b'"') + u8::from(byte == b'\\')
    });
    utf16_len(text) + escapes + 2
}

fn number_len(value: f64) -> u64 {
    let number = serde_json::Number::from_f64(value);
    // JSON.stringify prints null for what JSON has no number for.
    number.map_or(4, |number| {
        stringify(&serde_json::Value::Number(number)).len() as u64
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn escapes_are_counted_as_they_are_printed() {
        for c in (0..=255).filter_map(char::from_u32) {
            // More and less than a block of the sum.
            for times in [1, 47, 48, 100] {
                let text = format!("{}x", c.to_string().repeat(times));
                let printed = stringify(&serde_json::Value::from(text.as_str()));
                assert_eq!(escaped_len(&text), utf16_len(&printed), "{c:?}");
            }
        }
    }

    fn json_value() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<bool>().prop_map(Into::into),
            any::<i64>().prop_map(Into::into),
            any::<f64>().prop_map(Into::into),
            ".*".prop_map(Into::into),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
                prop::collection::hash_map(".*", inner, 0..4)
                    .prop_map(|map| map.into_iter().collect::<serde_json::Map<_, _>>().into()),
            ]
        })
    }

    proptest! {
        #[test]
        fn measured_size_is_the_printed_length(value in json_value()) {
            let text = serde_json::to_string(&value).unwrap();
            let mut parser = serde_json::Deserializer::from_str(&text);
            let size = Any::<NotNull>::new().deserialize(&mut parser).unwrap();
            prop_assert_eq!(size.0.units, utf16_len(&stringify(&value)));
        }
    }

    #[test]
    fn last_value_of_a_repeated_key_counts() {
        let text = r#"{"path":"long value","path":"p"}"#;
        let mut parser = serde_json::Deserializer::from_str(text);
        let arguments = Any::<Arguments>::new().deserialize(&mut parser).unwrap();
        assert_eq!(arguments.units, r#"{"path":"p"}"#.len() as u64);
        assert_eq!(arguments.path.as_deref(), Some("p"));
    }

    #[test]
    fn a_call_is_told_by_its_most_telling_argument() {
        for (text, gist) in [
            (
                r##"{"timeout":5,"command":"\n# build\ncargo build\nls"}"##,
                "cargo build",
            ),
            (
                r#"{"path":"src","pattern":"fn main","glob":"*.rs"}"#,
                "fn main",
            ),
            (r#"{"note":"first","other":"second"}"#, "first"),
            (r#"{"limit":3,"flags":["x"]}"#, ""),
            (r#"{"path":"a","path":"b"}"#, "b"),
            (r#"{"path":"","note":"n"}"#, "n"),
        ] {
            let mut parser = serde_json::Deserializer::from_str(text);
            let arguments = Any::<Arguments>::new().deserialize(&mut parser).unwrap();
            assert_eq!(&*arguments.gist, gist, "for {text}");
        }
    }

    #[test]
    fn preview_folds_white_space_and_stops() {
        assert_eq!(&*head("  a\n\n b\tc "), "a b c");
        assert_eq!(head(&"wörd ".repeat(100)).chars().count(), 159);
    }
}
