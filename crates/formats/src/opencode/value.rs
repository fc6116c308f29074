//! Looking into stored JSON.

use serde_json::Value;

/// A text member, empty where there is none.
pub(super) fn text<'a>(object: &'a Value, key: &str) -> &'a str {
    object.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// A text member that is not empty.
pub(super) fn filled<'a>(object: &'a Value, key: &str) -> Option<&'a str> {
    Some(text(object, key)).filter(|text| !text.is_empty())
}

/// A flag.
pub(super) fn flag(object: &Value, key: &str) -> bool {
    object.get(key).and_then(Value::as_bool).unwrap_or_default()
}

/// A time in Unix milliseconds below `time`, or in the column of a table.
pub(super) fn time(object: &Value, key: &str) -> Option<i64> {
    let within = object.get("time").and_then(|time| time.get(key));
    let number = within.or_else(|| object.get(format!("time_{key}")))?;
    number
        .as_i64()
        .or_else(|| number.as_f64().map(|ms| ms as i64))
}

/// No count is as large, and sums of many still fit.
const MOST: u64 = 1 << 40;

/// A count; negative and absurd numbers become the nearest sensible count.
pub(super) fn count(object: &Value, key: &str) -> u64 {
    let number = object.get(key);
    let count = number.and_then(Value::as_u64);
    count
        .or_else(|| number.and_then(Value::as_f64).map(|number| number as u64))
        .unwrap_or_default()
        .min(MOST)
}

/// The members of an array, none where there is no array.
pub(super) fn items<'a>(object: &'a Value, key: &str) -> &'a [Value] {
    object
        .get(key)
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default()
}

/// The record of a line; lone surrogates, which JavaScript writes and Rust refuses, replaced.
pub(super) fn parse(line: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(line).or_else(|error| match crate::repair::replace_lone_surrogates(line) {
        std::borrow::Cow::Borrowed(_) => Err(error),
        std::borrow::Cow::Owned(fixed) => serde_json::from_str(&fixed),
    })
}
