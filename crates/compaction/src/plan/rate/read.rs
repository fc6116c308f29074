//! Reading ratings out of a reply, whatever form the model gave them.

use serde_json::Value;

/// Names under which a model may give a rating, and those of the number of what it rates.
const RATING: [&str; 5] = ["rating", "importance", "score", "poignancy", "value"];
const NUMBER: [&str; 6] = ["number", "id", "index", "record", "memory", "n"];

/// The rating of each of `count` memories, numbered from 1 in the prompt; `None` for those that the
/// reply does not rate from 1 to 10. It may be JSON (an object by number, a list in order, a list
/// of objects), lines of number and rating, or one rating a line in order.
pub(crate) fn ratings(reply: &str, count: usize) -> Vec<Option<u8>> {
    let mut found = vec![None; count];
    let json = json(reply);
    let is_read = json
        .as_ref()
        .is_some_and(|value| by_json(value, &mut found));
    if !is_read {
        by_lines(reply, &mut found);
    }
    found
}

fn put(found: &mut [Option<u8>], number: u64, rating: Option<u8>) -> bool {
    let place = usize::try_from(number)
        .ok()
        .and_then(|at| at.checked_sub(1));
    let place = place.and_then(|at| found.get_mut(at));
    match (place, rating) {
        (Some(place), Some(rating)) => {
            *place = Some(rating);
            true
        }
        _ => false,
    }
}

/// The JSON in a reply, which may stand in a fence or between words.
fn json(reply: &str) -> Option<Value> {
    let within = |open: char, close: char| {
        let (start, end) = (reply.find(open)?, reply.rfind(close)?);
        serde_json::from_str(reply.get(start..=end)?).ok()
    };
    let whole = serde_json::from_str(reply.trim()).ok();
    whole
        // Lists first: one with a single object would be read as that object.
        .or_else(|| within('[', ']'))
        .or_else(|| within('{', '}'))
}

/// Whether anything was rated.
fn by_json(value: &Value, found: &mut [Option<u8>]) -> bool {
    match value {
        Value::Object(fields) => {
            let mut any = false;
            for (key, value) in fields {
                let number = numbers(key).first().map(|number| *number as u64);
                any |= match (number, value) {
                    (Some(number), value) => put(found, number, of_value(value)),
                    // A wrapper such as `{"ratings": [...]}`.
                    (None, Value::Array(_) | Value::Object(_)) => by_json(value, found),
                    (None, _) => false,
                };
            }
            any
        }
        Value::Array(list) => {
            let in_order = list.len() == found.len();
            let mut any = false;
            for (at, value) in list.iter().enumerate() {
                let number = named(value, &NUMBER)
                    .and_then(|own| numbers(&own).first().map(|number| *number as u64));
                // A list of another length says nothing about which is which.
                let number = number.or_else(|| in_order.then_some(at as u64 + 1));
                any |= number.is_some_and(|number| put(found, number, of_value(value)));
            }
            any
        }
        _ => false,
    }
}

fn named(value: &Value, names: &[&str]) -> Option<String> {
    let fields = value.as_object()?;
    let found = names.iter().find_map(|name| fields.get(*name))?;
    Some(match found {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    })
}

fn of_value(value: &Value) -> Option<u8> {
    let text = match value {
        Value::Object(_) => named(value, &RATING)?,
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    last_rating(&text)
}

/// Lines that begin with a number and end with a rating; where there are none, lines with nothing
/// but a rating, in order.
fn by_lines(reply: &str, found: &mut [Option<u8>]) {
    let mut any = false;
    let mut alone = Vec::new();
    for line in reply.lines().map(str::trim) {
        let own = numbers(without_scale(line));
        match own[..] {
            [] => {}
            // A longer line is a sentence with a number in it.
            [_] if line.len() <= 8 => alone.push(last_rating(line)),
            // The number of a memory is whole; 7.5 would be a rating.
            [first, .., _] if first.fract() == 0.0 => {
                any |= put(found, first as u64, last_rating(line));
            }
            _ => {}
        }
    }
    // Only as many ratings as memories tell which is which.
    if !any && alone.len() == found.len() {
        found.copy_from_slice(&alone);
    }
}

/// A text without the scale at its end, as in `7/10` or `7 out of 10`.
fn without_scale(text: &str) -> &str {
    let text = text.trim_end_matches(['.', ' ', ')', ']', '*', ',']);
    let Some(rest) = text.strip_suffix("10") else {
        return text;
    };
    let rest = rest.trim_end();
    match rest
        .strip_suffix('/')
        .or_else(|| rest.strip_suffix("out of"))
    {
        Some(before) => before.trim_end(),
        None => text,
    }
}

/// The last number of a text as a rating.
fn last_rating(text: &str) -> Option<u8> {
    let last = *numbers(without_scale(text)).last()?;
    // 7.5 is a rating too.
    let rounded = last.round();
    (1.0..=10.0).contains(&rounded).then_some(rounded as u8)
}

/// The numbers of a text that stand by themselves, not in words such as `i32`.
fn numbers(text: &str) -> Vec<f64> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '.'));
    let words = words.map(|word| word.trim_matches('.'));
    words
        .filter_map(|word| word.parse().ok())
        .filter(|number: &f64| number.is_finite())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_are_read_in_many_forms() {
        let wanted = [Some(7), Some(2), Some(10)];
        for reply in [
            "1: 7\n2: 2\n3: 10",
            "Here they are:\n\n1. 7/10\n2. 2/10\n3. 10/10\n",
            "- [1] the gears of i32 turn: **7**\n- [2] chatter: 2\n- [3] src/a.rs:24, importance 10",
            "Record 1 - 7 out of 10\nRecord 2 - 2\nRecord 3 - 10 out of 10.",
            "7\n2\n10",
            "{\"1\": 7, \"2\": \"2\", \"3\": \"10/10\"}",
            "```json\n[7, 2, 10]\n```",
            "{\"ratings\": [7, 2.4, 9.6]}",
            "[{\"id\": 3, \"rating\": 10}, {\"id\": \"1\", \"importance\": 7}, {\"number\": 2, \"score\": 2}]",
            "{\"1\": {\"rating\": 7}, \"2\": {\"importance\": \"2/10\"}, \"record 3\": {\"score\": 10}}",
        ] {
            assert_eq!(ratings(reply, 3), wanted, "{reply}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_left_open() {
        assert_eq!(ratings("I cannot rate these.", 2), [None, None]);
        assert_eq!(ratings("", 1), [None]);
        assert_eq!(ratings("[]", 2), [None, None]);
        // Out of range, not asked for, or only one of two.
        assert_eq!(ratings("1: 11\n2: 0\n3: 5", 2), [None, None]);
        assert_eq!(ratings("2: 9", 2), [None, Some(9)]);
        // A list that is too short says nothing about which is which.
        assert_eq!(ratings("[9]", 2), [None, None]);
        assert_eq!(ratings("9", 2), [None, None]);
        assert!(ratings("1: 5", 0).is_empty());
    }
}
