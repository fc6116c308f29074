//! Looking into records whose fields may be missing or of another type.

use serde_json::Value;

/// The text under `key`; empty when there is none.
pub(super) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The text under `key`, where there is some that is not empty.
pub(super) fn some_text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    Some(text(value, key)).filter(|text| !text.is_empty())
}

/// The items of the array under `key`.
pub(super) fn items<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    match value.get(key) {
        Some(Value::Array(items)) => items,
        _ => &[],
    }
}

/// Largest count taken at its word; sums of larger ones would not fit.
const MOST: u64 = 1 << 53;

/// The whole number under `key`; negative ones and fractions are cut to what a count can be.
pub(super) fn count(value: &Value, key: &str) -> Option<u64> {
    let number = value.get(key)?;
    let whole = number.as_u64();
    let whole = whole.or_else(|| number.as_f64().map(|number| number as u64));
    whole.map(|number| number.min(MOST))
}

/// The value under `key`, null for none.
pub(super) fn field<'a>(value: &'a Value, key: &str) -> &'a Value {
    value.get(key).unwrap_or(&Value::Null)
}
