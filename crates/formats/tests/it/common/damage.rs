//! What happens to files: lines cut, glued, lost, said twice, with other bytes or values in them.

use proptest::prelude::*;

#[derive(Debug, Clone)]
pub enum Damage {
    Cut,
    Byte(u8),
    Glue,
    Drop,
    Repeat,
    Insert(Vec<u8>),
}

pub fn damage() -> impl Strategy<Value = Damage> {
    let byte = || any::<u8>().prop_filter("line end", |&byte| byte != b'\n');
    prop_oneof![
        Just(Damage::Cut),
        byte().prop_map(Damage::Byte),
        Just(Damage::Glue),
        Just(Damage::Drop),
        Just(Damage::Repeat),
        prop::collection::vec(byte(), 1..20).prop_map(Damage::Insert),
    ]
}

/// The bytes with one line damaged; places beyond the end are counted from the beginning again.
pub fn damaged(bytes: &[u8], line: usize, at: usize, damage: &Damage) -> Vec<u8> {
    let lines = bytes.split(|&byte| byte == b'\n');
    let mut lines: Vec<Vec<u8>> = lines.map(<[u8]>::to_vec).collect();
    let line = line % lines.len();
    let at = at % lines[line].len().max(1);
    match damage {
        Damage::Cut => lines[line].truncate(at),
        Damage::Byte(byte) => {
            if let Some(place) = lines[line].get_mut(at) {
                *place = *byte;
            }
        }
        Damage::Glue if line + 1 < lines.len() => {
            let next = lines.remove(line + 1);
            lines[line].extend(next);
        }
        Damage::Glue => {}
        Damage::Drop => drop(lines.remove(line)),
        Damage::Repeat => lines.insert(line, lines[line].clone()),
        Damage::Insert(more) => {
            let at = at.min(lines[line].len());
            lines[line].splice(at..at, more.iter().copied());
        }
    }
    lines.join(&b'\n')
}

/// JSON values that stand where others are expected.
pub fn value() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        Just("null"),
        Just("true"),
        Just("-1"),
        Just("1e300"),
        Just("\"x\""),
        Just("[]"),
        Just("{}"),
        Just("[{}]"),
        Just("{\"id\":1}"),
        Just("18446744073709551615"),
        Just("-9223372036854775808"),
    ]
}

/// The text with another value behind one of its keys.
pub fn with_value(text: &str, place: usize, value: &str) -> String {
    let colons: Vec<usize> = text.match_indices("\":").map(|(at, _)| at + 2).collect();
    let Some(&at) = colons.get(place % colons.len().max(1)) else {
        return value.to_owned();
    };
    let rest = &text[at..];
    let end = match rest.strip_prefix('"') {
        Some(string) => string.find('"').map_or(rest.len(), |end| end + 2),
        None => rest.find([',', '}', '\n']).unwrap_or(rest.len()),
    };
    format!("{}{value}{}", &text[..at], &rest[end..])
}
