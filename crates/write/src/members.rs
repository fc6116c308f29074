//! Changes of the members of a JSON object that leave all other bytes as they are.
//!
//! A copied record keeps its numbers, escapes and halves of surrogate pairs exactly as the agent
//! wrote them, which parsing and printing would not.

/// What becomes of a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Edit {
    /// It has this JSON text as its value; it is added at the end where it is missing.
    Set(String),
    /// It is taken out.
    Remove,
}

/// Where a member lies in the object's bytes.
struct Member {
    /// Its name, as stored between the quotes.
    name: (usize, usize),
    /// Its value.
    value: (usize, usize),
}

/// The value of the member `name`, as stored; the last one counts, as in JavaScript.
pub(crate) fn value<'a>(object: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let members = members(object)?;
    let found = members
        .iter()
        .rev()
        .find(|member| &object[member.name.0..member.name.1] == name.as_bytes())?;
    object.get(found.value.0..found.value.1)
}

/// `object` with its members changed; `None` when it is no JSON object.
pub(crate) fn edited(object: &[u8], edits: &[(&str, Edit)]) -> Option<Vec<u8>> {
    let members = members(object)?;
    let name_of = |member: &Member| &object[member.name.0..member.name.1];
    let edit_of = |member: &Member| {
        let mut edits = edits.iter();
        edits.find(|(name, _)| name.as_bytes() == name_of(member))
    };
    let mut out = Vec::with_capacity(object.len() + 128);
    out.push(b'{');
    let mut first = true;
    let mut separate = |out: &mut Vec<u8>| {
        if !std::mem::take(&mut first) {
            out.push(b',');
        }
    };
    for member in &members {
        let quoted = &object[member.name.0 - 1..member.name.1 + 1];
        let new = match edit_of(member) {
            Some((_, Edit::Remove)) => continue,
            Some((_, Edit::Set(json))) => json.as_bytes(),
            None => &object[member.value.0..member.value.1],
        };
        separate(&mut out);
        out.extend_from_slice(quoted);
        out.push(b':');
        out.extend_from_slice(new);
    }
    for (name, edit) in edits {
        let is_known = members.iter().any(|own| name_of(own) == name.as_bytes());
        if let (Edit::Set(json), false) = (edit, is_known) {
            separate(&mut out);
            out.extend_from_slice(text(name).as_bytes());
            out.push(b':');
            out.extend_from_slice(json.as_bytes());
        }
    }
    out.push(b'}');
    Some(out)
}

/// `value` as JSON text.
pub(crate) fn text(value: &str) -> String {
    serde_json::Value::from(value).to_string()
}

fn members(object: &[u8]) -> Option<Vec<Member>> {
    let mut at = skip_space(object, 0);
    if object.get(at) != Some(&b'{') {
        return None;
    }
    let mut found = Vec::new();
    at = skip_space(object, at + 1);
    if object.get(at) == Some(&b'}') {
        return Some(found);
    }
    loop {
        let end = skip_string(object, at)?;
        let name = (at + 1, end - 1);
        at = skip_space(object, end);
        if object.get(at) != Some(&b':') {
            return None;
        }
        at = skip_space(object, at + 1);
        let end = skip_value(object, at)?;
        found.push(Member {
            name,
            value: (at, end),
        });
        at = skip_space(object, end);
        match object.get(at)? {
            b',' => at = skip_space(object, at + 1),
            b'}' => return Some(found),
            _ => return None,
        }
    }
}

fn skip_space(text: &[u8], mut at: usize) -> usize {
    while matches!(text.get(at), Some(b' ' | b'\t' | b'\r' | b'\n')) {
        at += 1;
    }
    at
}

/// The place behind the string that begins at `at`.
fn skip_string(text: &[u8], at: usize) -> Option<usize> {
    if text.get(at) != Some(&b'"') {
        return None;
    }
    let mut at = at + 1;
    loop {
        match text.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// The place behind the value that begins at `at`. Nested values are skipped by their brackets.
fn skip_value(text: &[u8], mut at: usize) -> Option<usize> {
    match text.get(at)? {
        b'"' => return skip_string(text, at),
        b'{' | b'[' => {}
        _ => {
            let rest = text.get(at..)?;
            let ends =
                |byte: &u8| matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\r' | b'\n');
            let len = rest.iter().position(ends)?;
            return (len > 0).then_some(at + len);
        }
    }
    // A count and no recursion, so that a hostile file cannot exhaust the stack.
    let mut depth = 0usize;
    loop {
        match text.get(at)? {
            b'"' => at = skip_string(text, at)?,
            b'{' | b'[' => {
                depth += 1;
                at += 1;
            }
            b'}' | b']' => {
                depth -= 1;
                at += 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Edit, edited, text, value};
    use proptest::prelude::*;

    fn set(json: &str) -> Edit {
        Edit::Set(json.to_owned())
    }

    #[test]
    fn other_members_keep_their_bytes() {
        let record = br#"{"a": 1.50, "b":{"a":"}\"{","c":[1,{}]},"t":"\ud834"}"#;
        let out = edited(record, &[("b", set("null")), ("new", set("7"))]).unwrap();
        assert_eq!(out, br#"{"a":1.50,"b":null,"t":"\ud834","new":7}"#);
        assert_eq!(value(record, "b"), Some(&br#"{"a":"}\"{","c":[1,{}]}"#[..]));
        let out = edited(record, &[("a", Edit::Remove), ("t", Edit::Remove)]).unwrap();
        assert_eq!(out, br#"{"b":{"a":"}\"{","c":[1,{}]}}"#);
    }

    #[test]
    fn what_is_no_object_is_refused() {
        for wrong in [
            "",
            "[]",
            "{\"a\"}",
            "{\"a\":1",
            "{\"a\":}",
            "{\"a",
            "{\"a\":\"\\",
        ] {
            assert_eq!(edited(wrong.as_bytes(), &[]), None, "{wrong}");
        }
        assert_eq!(
            edited(b" { } ", &[("a", set("1"))]),
            Some(b"{\"a\":1}".to_vec())
        );
    }

    proptest! {
        #[test]
        fn an_edit_equals_the_edit_of_the_parsed_object(
            names in prop::collection::btree_set("[a-e\"\\\\ü]{0,3}", 0..6),
            changed in "[a-e]{1,2}",
            filler in "\\PC{0,12}",
        ) {
            let mut object = serde_json::Map::new();
            for (number, name) in names.iter().enumerate() {
                let inner = serde_json::json!({ "n": number, "t": [filler, { "x": null }] });
                object.insert(name.clone(), inner);
            }
            let stored = serde_json::Value::Object(object.clone()).to_string();
            let out = edited(stored.as_bytes(), &[(&changed, set(&text(&filler)))]).unwrap();
            object.insert(changed, filler.into());
            let parsed: serde_json::Map<String, serde_json::Value> =
                serde_json::from_slice(&out).unwrap();
            prop_assert_eq!(parsed, object);
        }
    }
}
