//! Numbers of things in sentences.

/// The word for `count` things: `one` where it is one, else `more`.
pub fn noun<'a>(count: u64, one: &'a str, more: &'a str) -> &'a str {
    match count {
        1 => one,
        _ => more,
    }
}

#[cfg(test)]
mod tests {
    use super::noun;

    #[test]
    fn only_one_is_one() {
        let shown = [0, 1, 2].map(|count| noun(count, "entry", "entries"));
        assert_eq!(shown, ["entries", "entry", "entries"]);
    }
}
