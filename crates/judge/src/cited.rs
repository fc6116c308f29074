//! Citations in replies, held against the texts that the model was given.

use crate::call::{Call, Cite};
use palimpsest_ledger::words::normalize;

/// Shortest quote in characters that says anything.
const LEAST_QUOTE: usize = 8;

/// The texts that a reply cites, with what a quote is looked for in.
pub(crate) struct Cited<'a> {
    /// The texts, in the order of the prompt.
    pub cites: Vec<&'a Cite>,
    /// The same, normalized.
    pub texts: Vec<String>,
}

impl<'a> Cited<'a> {
    /// Those texts of `call` that `counts`.
    pub fn of(call: &'a Call, counts: impl Fn(&Cite) -> bool) -> Cited<'a> {
        let cites: Vec<&Cite> = call.cites.iter().filter(|cite| counts(cite)).collect();
        let texts = cites.iter().map(|cite| normalize(call.text(cite)));
        Cited {
            texts: texts.collect(),
            cites,
        }
    }

    /// The position of the first text that has `quote`.
    pub fn quoted(&self, quote: &str) -> Option<usize> {
        let wanted = normalize(quote);
        let is_quote = wanted.chars().count() >= LEAST_QUOTE;
        let mut texts = self.texts.iter();
        texts.position(|text| is_quote && text.contains(&wanted))
    }
}

/// The ids of entries that a reply names, as the prompt has them.
pub(crate) fn labels(said: &[serde_json::Value]) -> Vec<String> {
    let numbers = said.iter().filter_map(number);
    numbers.map(|number| format!("e{number}")).collect()
}

/// The number in an id as models write it: `"e3"`, `3`, `"[e3]"`.
pub(crate) fn number(value: &serde_json::Value) -> Option<String> {
    let text = match value {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Number(number) => number.to_string(),
        _ => return None,
    };
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    (!digits.is_empty()).then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_id_is_read_as_models_write_it() {
        for (said, wanted) in [
            (json!("e3"), Some("3")),
            (json!(3), Some("3")),
            (json!("[e12]"), Some("12")),
            (json!("none"), None),
            (json!(null), None),
        ] {
            assert_eq!(number(&said).as_deref(), wanted, "{said}");
        }
    }
}
