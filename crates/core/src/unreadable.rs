//! Why a JSON or TOML file of the user cannot be read, in words.

use serde_json::Value;
use serde_json::error::Category;

/// What is wrong with a text that is to be JSON, with its line.
pub fn json_text(error: &serde_json::Error) -> String {
    match error.classify() {
        Category::Eof => format!("{} in line {}", cut_off(), error.line()),
        _ => in_words(&error.to_string()),
    }
}

/// What is wrong with a text that is to be JSON, for messages that name the line themselves.
pub fn json_text_without_line(error: &serde_json::Error) -> String {
    if error.classify() == Category::Eof {
        return cut_off().to_owned();
    }
    let text = error.to_string();
    in_words(match text.rfind(" at line ") {
        Some(at) => &text[..at],
        None => &text,
    })
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
    let told = in_words(&said);
    if places.is_empty() {
        told
    } else {
        format!("{}: {told}", places.join(" or "))
    }
}

/// What a parser says of a file, without the words of its types: a user knows keys and values, and
/// neither fields nor variants nor structs. What it does not know stays as it is.
pub fn in_words(said: &str) -> String {
    let (said, place) = match said.rfind(" at line ") {
        Some(at) => {
            let place = said[at + " at ".len()..].replace(" column", ", column");
            (&said[..at], format!(" ({place})"))
        }
        None => (said, String::new()),
    };
    let told = unknown(said, "unknown field `", "the key")
        .or_else(|| unknown(said, "unknown variant `", "the value"))
        .or_else(|| {
            let name = said.strip_prefix("missing field `")?.strip_suffix('`')?;
            Some(format!("the key '{name}' is missing"))
        })
        .or_else(|| {
            let name = said.strip_prefix("duplicate field `")?.strip_suffix('`')?;
            Some(format!("the key '{name}' occurs twice"))
        })
        .or_else(|| {
            let rest = said.strip_prefix("invalid type: ");
            let rest = rest.or_else(|| said.strip_prefix("invalid value: "))?;
            let (found, wanted) = rest.split_once(", expected ")?;
            Some(format!(
                "expected {1}, but found {0}",
                value(found),
                kind(wanted)
            ))
        });
    format!("{}{place}", told.unwrap_or_else(|| said.to_owned()))
}

/// A name that does not exist, with those that do.
fn unknown(said: &str, before: &str, what: &str) -> Option<String> {
    let (name, rest) = said.strip_prefix(before)?.split_once('`')?;
    let known: Vec<&str> = rest.split('`').skip(1).step_by(2).collect();
    Some(match known[..] {
        [] => format!("{what} '{name}' does not exist here"),
        [only] => format!("{what} '{name}' does not exist here; only '{only}' does"),
        _ => format!(
            "{what} '{name}' does not exist here; there are {}",
            known.join(", ")
        ),
    })
}

/// A value as a parser names it.
fn value(found: &str) -> String {
    match found.split_once(' ') {
        Some(("string", text)) => format!("the text {}", text.replace('"', "'")),
        Some(("integer" | "boolean", text)) => text.replace('`', ""),
        Some(("floating", text)) => text.replace("point", "").replace('`', "").trim().to_owned(),
        _ => match found {
            "map" => "an object".to_owned(),
            "sequence" => "a list".to_owned(),
            "null" | "unit" | "unit value" => "null".to_owned(),
            other => other.to_owned(),
        },
    }
}

/// What a parser wanted, as a user calls it.
fn kind(wanted: &str) -> String {
    let integer = ["u8", "u16", "u32", "u64", "u128", "usize"];
    let signed = ["i8", "i16", "i32", "i64", "i128", "isize"];
    if integer.contains(&wanted) {
        "a whole number, 0 or more".to_owned()
    } else if wanted.starts_with("a nonzero") {
        "a whole number, 1 or more".to_owned()
    } else if signed.contains(&wanted) {
        "a whole number".to_owned()
    } else if ["f32", "f64"].contains(&wanted) {
        "a number".to_owned()
    } else if wanted == "a boolean" {
        "true or false".to_owned()
    } else if wanted.contains("string") {
        "a text".to_owned()
    } else if wanted.contains("sequence") {
        "a list".to_owned()
    } else if ["struct ", "a map", "enum ", "internally", "adjacently"]
        .iter()
        .any(|word| wanted.starts_with(word))
    {
        "an object".to_owned()
    } else {
        wanted.to_owned()
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
            told.starts_with("`parts.1.kind`: the value 'two' does not exist here"),
            "{told}"
        );
        let told = said(&json!({"name": "a", "parts": [{"kind": "one", "count": "few"}]}));
        assert!(
            told.starts_with(
                "`parts.0.count`: expected a whole number, 0 or more, but found the text 'few'"
            ),
            "{told}"
        );
        let told = said(&json!({"name": "two", "parts": [{"kind": "two"}]}));
        assert!(told.starts_with("`name` or `parts.0.kind`: "), "{told}");
        let told = said(&json!({"name": "a"}));
        assert_eq!(told, "the key 'parts' is missing");
    }

    #[test]
    fn the_words_of_a_parser_are_those_of_a_user() {
        let cases = [
            (
                "unknown field `cutz`, expected one of `name`, `cuts`",
                "the key 'cutz' does not exist here; there are name, cuts",
            ),
            (
                "unknown field `a`, expected `b` at line 3 column 4",
                "the key 'a' does not exist here; only 'b' does (line 3, column 4)",
            ),
            (
                "unknown field `a`, there are no fields",
                "the key 'a' does not exist here",
            ),
            (
                "invalid type: string \"a\", expected struct Cuts",
                "expected an object, but found the text 'a'",
            ),
            (
                "invalid value: integer `-1`, expected u32",
                "expected a whole number, 0 or more, but found -1",
            ),
            (
                "invalid type: floating point `1.5`, expected usize",
                "expected a whole number, 0 or more, but found 1.5",
            ),
            (
                "invalid type: map, expected a sequence",
                "expected a list, but found an object",
            ),
            ("duplicate field `a`", "the key 'a' occurs twice"),
            ("something else", "something else"),
        ];
        for (said, told) in cases {
            assert_eq!(in_words(said), told);
        }
    }

    #[test]
    fn a_text_that_is_cut_off_is_told_with_its_line() {
        let error = serde_json::from_str::<Value>("{\n\"a\": [").unwrap_err();
        assert_eq!(json_text(&error), "the JSON ends too early in line 2");
        assert_eq!(json_text_without_line(&error), "the JSON ends too early");
        let error = serde_json::from_str::<Value>("{\n\"a\" 1}").unwrap_err();
        assert_eq!(json_text(&error), "expected `:` (line 2, column 5)");
        assert_eq!(json_text_without_line(&error), "expected `:`");
    }
}
