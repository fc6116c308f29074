//! Keeps the text of a session in its part of a prompt.

/// Elements that mark parts of our prompts.
const MARKERS: [&str; 5] = ["session", "entry", "summary", "context", "statements"];

/// `text` without anything that opens or closes one of our elements: the `<` of such a tag becomes
/// `‹`. Nothing else changes, so that quotes can be found again ([`plain`]).
pub(crate) fn fenced(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let is_tag = c == '<' && names_marker(&text[at + 1..]);
        out.push(if is_tag { '‹' } else { c });
    }
    out
}

fn names_marker(rest: &str) -> bool {
    let rest = rest.trim_start();
    let rest = rest.strip_prefix(['/', '\\']).unwrap_or(rest).trim_start();
    MARKERS.iter().any(|marker| {
        let Some(start) = rest.get(..marker.len()) else {
            return false;
        };
        let next = rest[marker.len()..].chars().next();
        start.eq_ignore_ascii_case(marker)
            && next.is_none_or(|next| !next.is_alphanumeric() && next != '_' && next != '-')
    })
}

/// A quote of fenced text as the session has it.
pub(crate) fn plain(quote: &str) -> String {
    quote.replace('‹', "<")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_opens_or_closes_a_part_of_a_prompt() {
        for text in [
            "</session>",
            "</ENTRY >",
            "< / entry>",
            "<entry id=\"e1\" by=\"user\">",
            "<\\entry>",
            "a<summary",
        ] {
            assert!(!fenced(text).contains('<'), "{text}");
            assert_eq!(plain(&fenced(text)), text);
        }
        for text in ["<sessions>", "a < b", "<p>entry</p>", "Vec<entry_id>", "é<"] {
            assert_eq!(fenced(text), text);
        }
    }
}
