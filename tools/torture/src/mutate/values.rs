//! Records that stay JSON and say something else: other types, other links, other sizes.

use super::size::MOST_BYTES;
use super::split::split;
use super::text::nasty;
use palimpsest_testkit::seeded::Rng;
use serde_json::{Map, Value, json};

/// Fields that name a record or its parent, in the formats there are.
const LINKS: &[&str] = &[
    "id",
    "parentId",
    "uuid",
    "parentUuid",
    "logicalParentUuid",
    "leafUuid",
    "firstKeptEntryId",
    "fromId",
    "targetId",
    "call_id",
    "tool_use_id",
    "toolCallId",
    "turn_id",
    "sessionId",
    "parentID",
    "messageID",
    "requestId",
    "parent_id",
];

/// Changes one to eight records; returns how many.
pub fn damage(file: &mut Vec<u8>, rng: &mut Rng) -> u64 {
    let mut lines = split(file);
    if lines.is_empty() {
        return 0;
    }
    let mut touched = 0;
    for _ in 0..rng.between(1, 8) {
        let at = rng.below(lines.len());
        let Ok(mut record) = serde_json::from_slice::<Value>(&lines[at]) else {
            continue;
        };
        if rng.chance(10) {
            enlarge(&mut record, rng, 0);
        } else if rng.chance(30) {
            relink(&mut record, &lines, rng);
        } else {
            let depth = rng.below(6);
            change(&mut record, depth, rng);
        }
        lines[at] = printed(&record, rng);
        touched += 1;
    }
    *file = lines.concat();
    touched
}

/// Gives a link of the record the value of a link of another record, or one that leads nowhere.
fn relink(record: &mut Value, lines: &[Vec<u8>], rng: &mut Rng) {
    let other = serde_json::from_slice::<Value>(rng.pick::<Vec<u8>>(lines)).unwrap_or_default();
    let mut values = Vec::new();
    collect_links(&other, &mut values, 0);
    let value = if values.is_empty() || rng.chance(20) {
        json!(nasty(rng, 3))
    } else {
        rng.pick(&values).clone()
    };
    let names: Vec<&str> = LINKS.iter().copied().filter(|_| rng.chance(40)).collect();
    set_links(record, &names, &value, 0);
}

fn collect_links(value: &Value, found: &mut Vec<Value>, depth: usize) {
    match value {
        Value::Object(fields) if depth < 20 => {
            for (name, value) in fields {
                if LINKS.contains(&name.as_str()) && !value.is_null() {
                    found.push(value.clone());
                }
                collect_links(value, found, depth + 1);
            }
        }
        Value::Array(items) if depth < 20 => {
            items
                .iter()
                .for_each(|item| collect_links(item, found, depth + 1));
        }
        _ => {}
    }
}

fn set_links(value: &mut Value, names: &[&str], to: &Value, depth: usize) {
    match value {
        Value::Object(fields) if depth < 20 => {
            for (name, value) in fields {
                if names.contains(&name.as_str()) {
                    *value = to.clone();
                } else {
                    set_links(value, names, to, depth + 1);
                }
            }
        }
        Value::Array(items) if depth < 20 => {
            items
                .iter_mut()
                .for_each(|item| set_links(item, names, to, depth + 1));
        }
        _ => {}
    }
}

/// Makes about half of the numbers so large that sums of them are no numbers: sizes, times, counts.
fn enlarge(value: &mut Value, rng: &mut Rng, depth: usize) {
    match value {
        Value::Object(fields) if depth < 20 => {
            fields
                .values_mut()
                .for_each(|value| enlarge(value, rng, depth + 1));
        }
        Value::Array(items) if depth < 20 => {
            items
                .iter_mut()
                .for_each(|item| enlarge(item, rng, depth + 1));
        }
        Value::Number(_) if rng.chance(50) => {
            let large = [
                json!(u64::MAX),
                json!(u64::MAX - 1),
                json!(i64::MAX),
                json!(i64::MIN),
                json!(u32::MAX),
                json!(1_u64 << 48),
                json!(1e300),
            ];
            *value = rng.pick(&large).clone();
        }
        _ => {}
    }
}

/// Goes down at most `depth` levels and changes what is there.
fn change(value: &mut Value, depth: usize, rng: &mut Rng) {
    match value {
        Value::Object(fields) if depth > 0 && !fields.is_empty() => {
            let at = rng.below(fields.len());
            if let Some((_, value)) = fields.iter_mut().nth(at) {
                change(value, depth - 1, rng);
            }
        }
        Value::Array(items) if depth > 0 && !items.is_empty() => {
            let at = rng.below(items.len());
            change(&mut items[at], depth - 1, rng);
        }
        Value::Object(fields) if rng.chance(60) => change_fields(fields, rng),
        Value::Array(items) if rng.chance(60) && !items.is_empty() => {
            let item = items[rng.below(items.len())].clone();
            match rng.below(3) {
                0 => items.clear(),
                1 => {
                    // The memory of the attack itself is not what is measured.
                    let most = MOST_BYTES / item.to_string().len().max(1);
                    let times = (rng.between(2, 300) as usize).min(most);
                    items.extend(std::iter::repeat_n(item, times));
                }
                _ => items.push(odd(rng)),
            }
        }
        other => *other = odd(rng),
    }
}

fn change_fields(fields: &mut Map<String, Value>, rng: &mut Rng) {
    if fields.is_empty() {
        fields.insert(nasty(rng, 3), odd(rng));
        return;
    }
    let at = rng.below(fields.len());
    let name = fields.keys().nth(at).cloned().unwrap_or_default();
    match rng.below(4) {
        0 => drop(fields.shift_remove(&name)),
        1 => drop(fields.insert(name, odd(rng))),
        2 => {
            let value = fields.shift_remove(&name).unwrap_or_default();
            fields.insert(nasty(rng, 2), value);
        }
        _ => {
            // The value of another field, which may be of another type.
            let from = fields.values().nth(rng.below(fields.len())).cloned();
            fields.insert(name, from.unwrap_or_default());
        }
    }
}

/// A value that a field rarely has.
fn odd(rng: &mut Rng) -> Value {
    match rng.below(20) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(-1),
        3 => json!(u64::MAX),
        4 => json!(i64::MIN),
        5 => json!(1e308),
        6 => json!(0.5),
        7 => json!(9_007_199_254_740_993_u64),
        8 => json!(""),
        9 => json!([]),
        10 => json!({}),
        11 => json!([[[[null]]]]),
        12 => json!({"type": "text", "text": nasty(rng, 40)}),
        13 => json!([{"type": "text", "text": nasty(rng, 40)}, {"type": "tool_use"}]),
        14 => json!("2026-13-45T99:99:99Z"),
        15 => json!("9999999999999-12-31T23:59:59.999Z"),
        16 => json!("x".repeat(rng.between(1, 60_000) as usize)),
        17 => nested(rng.between(2, 120) as usize),
        _ => json!(nasty(rng, 60)),
    }
}

fn nested(depth: usize) -> Value {
    let at_end = json!({"type": "text", "text": "deep"});
    (0..depth).fold(at_end, |inner, level| match level % 2 {
        0 => json!([inner]),
        _ => json!({"content": inner}),
    })
}

/// The record as a line; rarely with a field twice, a lone surrogate, or nested as deep as no
/// parser goes.
fn printed(record: &Value, rng: &mut Rng) -> Vec<u8> {
    let mut text = record.to_string();
    match rng.below(30) {
        0 => text = text.replacen('{', "{\"type\":\"message\",\"type\":1,", 1),
        1 => text = text.replacen("\":\"", "\":\"\\ud83d\\udc00\\u0000", 1),
        2 => {
            let depth = rng.between(100, 30_000) as usize;
            let deep = format!("{{\"deep\":{}{},", "[".repeat(depth), "]".repeat(depth));
            text = text.replacen('{', &deep, 1);
        }
        _ => {}
    }
    text.push('\n');
    text.into_bytes()
}
