//! Words that name nobody and nothing: of English, of programs, of folders that everybody has.

use std::collections::HashSet;
use std::sync::LazyLock;

static WORDS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("plain_words.txt").split_whitespace().collect());

/// Endings that make another form of a word.
const FORMS: [(&str, &str); 15] = [
    ("s", ""),
    ("es", ""),
    ("ies", "y"),
    ("ed", ""),
    ("ed", "e"),
    ("ing", ""),
    ("ing", "e"),
    ("er", ""),
    ("ly", ""),
    ("ation", ""),
    ("ation", "e"),
    ("ization", "ize"),
    ("ion", ""),
    ("ion", "e"),
    ("ment", ""),
];

/// Whether a word is one that a text has anyway: a common word in any form, or one of at most three
/// letters.
pub(super) fn is_plain(word: &str) -> bool {
    word.chars().filter(|c| c.is_alphabetic()).count() <= 3 || is_common(word)
}

/// Whether a word is a common one in any form.
pub(super) fn is_common(word: &str) -> bool {
    let word = word.to_lowercase();
    let known = |word: &str| WORDS.contains(word);
    known(&word)
        || FORMS.iter().any(|(ending, base)| {
            let stem = word.strip_suffix(ending);
            stem.is_some_and(|stem| {
                let twice = stem.len() > 2
                    && stem
                        .as_bytes()
                        .ends_with(&stem.as_bytes()[stem.len() - 1..]);
                known(&format!("{stem}{base}"))
                    // `planning`, `stopped`
                    || twice && stem.is_ascii() && known(&stem[..stem.len() - 1])
            })
        })
}

/// Whether a word is made of plain ones only: `read-only`, `claude-sonnet-4`.
pub(super) fn is_plain_compound(word: &str) -> bool {
    word.split(['-', '_', '.', '+', ':']).all(is_plain)
}
