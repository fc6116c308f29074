//! Numbers of things in sentences, and names that look alike.

/// The word for `count` things: `one` where it is one, else `more`.
pub fn noun<'a>(count: u64, one: &'a str, more: &'a str) -> &'a str {
    match count {
        1 => one,
        _ => more,
    }
}

/// 1234567 as `1,234,567`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A message without the numbers by which the operating system counts its errors: ` (os error 2)`
/// stands behind words that say the same.
pub fn without_codes(message: &str) -> String {
    const MARK: &str = " (os error ";
    let mut out = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(at) = rest.find(MARK) {
        let code = &rest[at + MARK.len()..];
        let digits = code.len() - code.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if digits > 0 && code[digits..].starts_with(')') {
            out.push_str(&rest[..at]);
            rest = &code[digits + 1..];
        } else {
            out.push_str(&rest[..at + MARK.len()]);
            rest = code;
        }
    }
    out.push_str(rest);
    out
}

/// At most three of `known` that `name` may have been meant for, the most similar first; empty where
/// none is similar.
pub fn similar(name: &str, known: &[String]) -> Vec<String> {
    // 0.8 finds transposed and missing letters ("codx", "claude_code") and leaves out names that
    // share only their first letters.
    const ALIKE: f64 = 0.8;
    const MOST: usize = 3;
    let name = name.to_lowercase();
    let score = |other: &str| {
        let part = !name.is_empty() && (other.contains(&name) || name.contains(other));
        strsim::jaro_winkler(&name, other).max(if part { ALIKE } else { 0.0 })
    };
    let mut scored: Vec<(f64, &String)> = known
        .iter()
        .map(|other| (score(&other.to_lowercase()), other))
        .filter(|(score, _)| *score >= ALIKE)
        .collect();
    // Stable: names that are equally similar keep the order of the list.
    scored.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let names = scored.into_iter().map(|(_, name)| name.clone());
    names.take(MOST).collect()
}

/// How many letters are to be changed, added, left out or swapped with the next one to make `other` of
/// `word`.
pub fn edits(word: &str, other: &str) -> usize {
    strsim::osa_distance(word, other)
}

#[cfg(test)]
mod tests {
    use super::{edits, noun, similar, thousands, without_codes};

    #[test]
    fn edits_are_counted_by_letters() {
        let cases = [
            ("lobotomized", "lobotimized"),
            ("receive", "recieve"),
            ("größe", "grösse"),
        ];
        assert_eq!(cases.map(|(word, other)| edits(word, other)), [1, 1, 2]);
    }

    #[test]
    fn a_misspelled_name_finds_its_neighbours() {
        let known = ["pi", "codex", "claude-code", "claude-code-auto", "goose"];
        let known = known.map(str::to_owned);
        assert_eq!(similar("codx", &known), ["codex"]);
        assert_eq!(similar("Claude_Code", &known)[0], "claude-code");
        assert_eq!(similar("zebra", &known), Vec::<String>::new());
        assert_eq!(similar("", &known), Vec::<String>::new());
    }

    #[test]
    fn numbers_are_grouped() {
        let shown = [0, 999, 1_000, 1_234_567].map(thousands);
        assert_eq!(shown, ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn codes_of_the_system_are_left_out() {
        let told = "it cannot be read (No such file or directory (os error 2)): /a (os error x)";
        let plain = "it cannot be read (No such file or directory): /a (os error x)";
        assert_eq!(without_codes(told), plain);
    }

    #[test]
    fn only_one_is_one() {
        let shown = [0, 1, 2].map(|count| noun(count, "entry", "entries"));
        assert_eq!(shown, ["entries", "entry", "entries"]);
    }
}
