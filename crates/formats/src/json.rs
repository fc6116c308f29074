//! Looking into stored JSON.

use serde_json::Value;

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

/// The value of a text; halves of surrogate pairs, which JavaScript writes and Rust refuses,
/// replaced.
pub(crate) fn parse(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(text).or_else(|error| match crate::jsonl::mended(text) {
        Some(mended) => serde_json::from_str(&mended),
        None => Err(error),
    })
}
