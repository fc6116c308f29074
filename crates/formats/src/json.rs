//! Looking into stored JSON.

use serde_json::Value;
use std::borrow::Cow;

/// No count is as large, and sums of many still fit.
const MOST: u64 = 1 << 40;

/// A member, `null` where there is none.
pub(crate) fn field<'a>(object: &'a Value, key: &str) -> &'a Value {
    object.get(key).unwrap_or(&Value::Null)
}

/// A text member, empty where there is none.
pub(crate) fn text<'a>(object: &'a Value, key: &str) -> &'a str {
    field(object, key).as_str().unwrap_or_default()
}

/// A text member that is not empty.
pub(crate) fn some_text<'a>(object: &'a Value, key: &str) -> Option<&'a str> {
    Some(text(object, key)).filter(|text| !text.is_empty())
}

/// A text member that is not blank.
pub(crate) fn filled<'a>(object: &'a Value, key: &str) -> Option<&'a str> {
    Some(text(object, key)).filter(|text| !text.trim().is_empty())
}

/// A flag.
pub(crate) fn flag(object: &Value, key: &str) -> bool {
    field(object, key).as_bool().unwrap_or_default()
}

/// The members of an array, none where there is no array.
pub(crate) fn items<'a>(object: &'a Value, key: &str) -> &'a [Value] {
    let array = field(object, key).as_array();
    array.map(Vec::as_slice).unwrap_or_default()
}

/// A count; negative and absurd numbers become the nearest sensible count.
pub(crate) fn count(object: &Value, key: &str) -> Option<u64> {
    let number = field(object, key);
    let rounded = || number.as_f64().map(|number| number as u64);
    Some(number.as_u64().or_else(rounded)?.min(MOST))
}

/// A time in Unix milliseconds.
pub(crate) fn time(object: &Value, key: &str) -> Option<i64> {
    let number = field(object, key);
    let rounded = || number.as_f64().map(|ms| ms as i64);
    number.as_i64().or_else(rounded)
}

/// The value of a text; halves of surrogate pairs, which JavaScript writes and Rust refuses,
/// replaced.
pub(crate) fn parse(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(text).or_else(|error| match crate::jsonl::mended(text) {
        Some(mended) => serde_json::from_str(&mended),
        None => Err(error),
    })
}

/// The text with halves of surrogate pairs replaced, of the same length in bytes.
pub(crate) fn mended(text: &str) -> Cow<'_, str> {
    crate::repair::replace_lone_surrogates(text)
}
