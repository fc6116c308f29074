//! The texts at the top of a YAML document: its scalars by key, in every style in which one can be
//! written (YAML 1.2, chapters 7 and 8). Lists and mappings below a key are skipped.

use std::collections::BTreeMap;

/// The scalars of `text` by key; the first of a key counts. Nothing is an error: what is not a
/// scalar is left out.
pub(super) fn scalars(text: &str) -> BTreeMap<String, String> {
    let lines: Vec<&str> = text.trim_start_matches('\u{feff}').lines().collect();
    let mut found = BTreeMap::new();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        at += 1;
        let Some((key, value)) = key_of(line) else {
            continue;
        };
        // Lines of the same value are indented deeper than its key, or blank.
        let below = lines[at..].iter().take_while(|line| is_below(line)).count();
        let more = &lines[at..at + below];
        at += below;
        if let Some(value) = value_of(value, more) {
            found.entry(key).or_insert(value);
        }
    }
    found
}

fn is_below(line: &str) -> bool {
    line.starts_with([' ', '\t']) || line.trim().is_empty()
}

/// Key and the rest of a line that begins a value.
fn key_of(line: &str) -> Option<(String, &str)> {
    if line.starts_with(['#', ' ', '\t', '-', '%', '}', ']']) {
        return None;
    }
    let (key, value) = match line.chars().next()? {
        quote @ ('"' | '\'') => {
            let (key, rest) = line[1..].split_once(quote)?;
            (key, rest.trim_start().strip_prefix(':')?)
        }
        _ => line.split_once(':')?,
    };
    // A colon inside a word ends no key.
    let ends = value.is_empty() || value.starts_with([' ', '\t']);
    ends.then(|| (key.trim().to_owned(), value.trim()))
}

/// A value with the lines below it; `None` for nothing, a list or a mapping.
fn value_of(first: &str, more: &[&str]) -> Option<String> {
    match first.chars().next() {
        Some(style @ ('|' | '>')) => Some(block(style, &first[1..], more)),
        Some('"') => Some(double_quoted(&folded(first, more))),
        Some('\'') => Some(single_quoted(&folded(first, more))),
        Some('[' | '{' | '&' | '*' | '!') => None,
        _ => plain(first, more),
    }
}

/// A block of lines, kept (`|`) or folded (`>`), with its mark for the line ends behind it.
fn block(style: char, head: &str, more: &[&str]) -> String {
    let mark = head.split_whitespace().next().unwrap_or_default();
    let told = mark.chars().find_map(|c| c.to_digit(10));
    let first = more.iter().find(|line| !line.trim().is_empty());
    let indent = match (told, first) {
        (Some(told), _) => told as usize,
        (None, Some(first)) => first.len() - first.trim_start_matches(' ').len(),
        (None, None) => 0,
    };
    let cut = |line: &&str| line.get(indent..).unwrap_or_default().to_owned();
    let mut lines: Vec<String> = more.iter().map(cut).collect();
    let mut behind = 0;
    while lines.last().is_some_and(|line| line.trim().is_empty()) {
        lines.pop();
        behind += 1;
    }
    let mut text = match style {
        '|' => lines.join("\n"),
        _ => fold(lines.iter().map(String::as_str)),
    };
    match (mark.contains('-'), mark.contains('+')) {
        (true, _) => {}
        (_, true) => text.push_str(&"\n".repeat(behind + 1)),
        _ => text.push('\n'),
    }
    text
}

/// Lines as one: an end of line is a space, an empty line an end of line.
fn fold<'l>(lines: impl Iterator<Item = &'l str>) -> String {
    let mut text = String::new();
    let mut empty = 0;
    for line in lines {
        if line.is_empty() {
            empty += 1;
            continue;
        }
        match empty {
            0 if text.is_empty() => {}
            0 => text.push(' '),
            own => text.push_str(&"\n".repeat(own)),
        }
        empty = 0;
        text.push_str(line);
    }
    text
}

fn folded(first: &str, more: &[&str]) -> String {
    let lines = [first]
        .into_iter()
        .chain(more.iter().map(|line| line.trim()));
    fold(lines)
}

fn single_quoted(text: &str) -> String {
    let mut value = String::new();
    let mut letters = text[1..].chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == '\'' && letters.next_if_eq(&'\'').is_none() {
            break;
        }
        value.push(letter);
    }
    value
}

fn double_quoted(text: &str) -> String {
    let mut value = String::new();
    let mut letters = text[1..].chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => break,
            '\\' => value.extend(escaped(&mut letters)),
            _ => value.push(letter),
        }
    }
    value
}

/// What stands for an escape; halves of surrogate pairs, which JSON writes, are joined.
fn escaped(letters: &mut std::str::Chars<'_>) -> Option<char> {
    let letter = letters.next()?;
    let digits = match letter {
        'n' => return Some('\n'),
        't' => return Some('\t'),
        'r' => return Some('\r'),
        '0' => return Some('\0'),
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => return Some(letter),
    };
    let high = hex(letters, digits)?;
    if !(0xd800..0xdc00).contains(&high) {
        return Some(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    let mut ahead = letters.clone();
    let low = (ahead.next() == Some('\\') && ahead.next() == Some('u'))
        .then(|| hex(&mut ahead, 4))
        .flatten()
        .filter(|low| (0xdc00..0xe000).contains(low));
    let Some(low) = low else {
        return Some(char::REPLACEMENT_CHARACTER);
    };
    *letters = ahead;
    char::from_u32(0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00))
}

fn hex(letters: &mut std::str::Chars<'_>, digits: usize) -> Option<u32> {
    (0..digits).try_fold(0, |value, _| {
        Some(value * 16 + letters.next()?.to_digit(16)?)
    })
}

fn plain(first: &str, more: &[&str]) -> Option<String> {
    // Something below a key without a value is a list, a mapping, or a text that begins there.
    if first.is_empty() {
        let begin = more
            .iter()
            .map(|line| line.trim())
            .find(|line| !line.is_empty())?;
        let is_nested = begin.starts_with("- ") || begin == "-" || key_of(begin).is_some();
        if is_nested {
            return None;
        }
    }
    let lines = [first].into_iter().chain(more.iter().copied());
    let text = fold(lines.map(|line| without_comment(line).trim()));
    let text = text.trim();
    (!matches!(text, "" | "~" | "null" | "Null" | "NULL")).then(|| text.to_owned())
}

fn without_comment(line: &str) -> &str {
    if line.starts_with('#') {
        return "";
    }
    let end = line.find(" #").or_else(|| line.find("\t#"));
    end.map_or(line, |end| &line[..end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value(text: &str) -> Option<String> {
        scalars(text).remove("name")
    }

    #[test]
    fn a_text_is_read_in_every_style() {
        for (text, expected) in [
            ("name: A lamp", "A lamp"),
            ("name: a: b#c # not this", "a: b#c"),
            ("name: 'it''s lit: #1'", "it's lit: #1"),
            (
                "name: \"a\\n\\\"b\\\" \\u00e9 \\ud83d\\ude00\"",
                "a\n\"b\" \u{e9} \u{1f600}",
            ),
            (
                "name: |-\n  one\n    two\n\n  three\nid: 1",
                "one\n  two\n\nthree",
            ),
            ("name: |\n  one\n", "one\n"),
            ("name: >-\n  one\n  two\n\n  three\n", "one two\nthree"),
            ("name: |2-\n    one\n  two\n", "  one\ntwo"),
            ("name: one\n  two\n  three\nid: 1", "one two three"),
            ("name: 'one\n  two'\nid: 1", "one two"),
            ("name:\n  one\nid: 1", "one"),
            ("\u{feff}---\r\nname: A lamp\r\nid: 1\r\n", "A lamp"),
            ("\"name\": x", "x"),
            ("name: \"half", "half"),
        ] {
            assert_eq!(value(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_text_is_left_out() {
        for text in [
            "name:",
            "name: ~",
            "name: null",
            "name: [a, b]",
            "name:\n  - a",
            "name:\n  first: a",
            "  name: nested",
            "# name: a remark",
            "name",
            "- name: a",
        ] {
            assert_eq!(value(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_is_too_strange(text in "[a-z:|>'\"\\\\ #\n\t{}\u{e9}-]{0,60}") {
            let found = scalars(&text);
            prop_assert!(found.len() <= text.lines().count());
        }
    }
}
