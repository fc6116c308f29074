//! Why a JSON file of the user cannot be read, in words.

use serde_json::Value;
use serde_json::error::Category;

/// What is wrong with a text that is to be JSON, with its line.
pub fn json_text(error: &serde_json::Error) -> String {
    match error.classify() {
        Category::Eof => format!("{} in line {}", cut_off(), error.line()),
        _ => error.to_string(),
    }
}

/// What is wrong with a text that is to be JSON, for messages that name the line themselves.
pub fn json_text_without_line(error: &serde_json::Error) -> String {
    if error.classify() == Category::Eof {
        return cut_off().to_owned();
    }
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(at) => text[..at].to_owned(),
        None => text,
    }
}

fn cut_off() -> &'static str {
    "the JSON ends too early"
}

/// What is wrong with a value that was read as JSON. The parser names no field where it quotes a
/// text, so the field with this text is looked for.
pub fn json_value(error: &serde_json::Error, value: &Value) -> String {
    let said = error.to_string();
    let mut places = Vec::new();
    if let Some(wrong) = quoted(&said) {
        find(value, wrong, &mut String::new(), &mut places);
    }
    if places.is_empty() {
        said
    } else {
        format!("{}: {said}", places.join(" or "))
    }
}

/// The text that an error quotes: a name that is no variant, or a text in place of something else.
fn quoted(said: &str) -> Option<&str> {
    let variant = said.strip_prefix("unknown variant `");
    let variant = variant.and_then(|rest| rest.split_once('`'));
    let text = said.strip_prefix("invalid type: string \"");
    let text = text.and_then(|rest| rest.split_once("\", expected "));
    variant.or(text).map(|(quoted, _)| quoted)
}

/// The places of `wrong` in `value`, such as `reduce.0.kind`.
fn find(value: &Value, wrong: &str, place: &mut String, found: &mut Vec<String>) {
    let mut below = |name: &str, value: &Value| {
        let len = place.len();
        if len > 0 {
            place.push('.');
        }
        place.push_str(name);
        find(value, wrong, place, found);
        place.truncate(len);
    };
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| below(name, value)),
        Value::Array(items) => {
            let numbered = items.iter().enumerate();
            numbered.for_each(|(at, value)| below(&at.to_string(), value));
        }
        Value::String(text) if text == wrong && !place.is_empty() => {
            found.push(format!("`{place}`"));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use serde_json::json;

    #[derive(Debug, Deserialize)]
    #[serde(tag = "kind", rename_all = "snake_case")]
    #[allow(dead_code, reason = "only read from JSON")]
    enum Part {
        One { count: u32 },
    }

    #[derive(Debug, Deserialize)]
    #[allow(dead_code, reason = "only read from JSON")]
    struct Whole {
        name: String,
        parts: Vec<Part>,
    }

    fn said(value: &Value) -> String {
        let error = serde_json::from_value::<Whole>(value.clone()).unwrap_err();
        json_value(&error, value)
    }

    #[test]
    fn the_field_of_a_text_that_does_not_fit_is_named() {
        let value = json!({"name": "a", "parts": [{"kind": "one", "count": 1}, {"kind": "two"}]});
        let told = said(&value);
        assert!(
            told.starts_with("`parts.1.kind`: unknown variant `two`"),
            "{told}"
        );
        let told = said(&json!({"name": "a", "parts": [{"kind": "one", "count": "few"}]}));
        assert!(
            told.starts_with("`parts.0.count`: invalid type: string \"few\""),
            "{told}"
        );
        let told = said(&json!({"name": "two", "parts": [{"kind": "two"}]}));
        assert!(told.starts_with("`name` or `parts.0.kind`: "), "{told}");
        let told = said(&json!({"name": "a"}));
        assert_eq!(told, "missing field `parts`");
    }

    #[test]
    fn a_text_that_is_cut_off_is_told_with_its_line() {
        let error = serde_json::from_str::<Value>("{\n\"a\": [").unwrap_err();
        assert_eq!(json_text(&error), "the JSON ends too early in line 2");
        assert_eq!(json_text_without_line(&error), "the JSON ends too early");
        let error = serde_json::from_str::<Value>("{\n\"a\" 1}").unwrap_err();
        assert_eq!(json_text(&error), "expected `:` at line 2 column 5");
        assert_eq!(json_text_without_line(&error), "expected `:`");
    }
}
