//! Numbers of things in sentences, and names that look alike.

/// The word for `count` things: `one` where it is one, else `more`.
pub fn noun<'a>(count: u64, one: &'a str, more: &'a str) -> &'a str {
    match count {
        1 => one,
        _ => more,
    }
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

#[cfg(test)]
mod tests {
    use super::{noun, similar};

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
    fn only_one_is_one() {
        let shown = [0, 1, 2].map(|count| noun(count, "entry", "entries"));
        assert_eq!(shown, ["entries", "entry", "entries"]);
    }
}
