//! The limit that a provider states when a call does not fit.

/// Words that stand near a limit.
const CUES: &[&str] = &[
    "maximum",
    "max ",
    "limit",
    "at most",
    "up to",
    "context length",
    "context window",
];

/// The limit in tokens of our own estimate, from a message such as `prompt is too long: 208310 tokens >
/// 200000 maximum`; `estimated` is our estimate of the call. Where the message has the size of the call as
/// well, the limit is scaled by what our estimate makes of it. `None` where no limit is stated.
pub(super) fn stated(message: &str, estimated: u64) -> Option<u64> {
    // The port of the address that was asked is no number of tokens.
    let is_address = |word: &&str| word.contains("://");
    let words = message.split_whitespace().filter(|word| !is_address(word));
    let lower = words.collect::<Vec<_>>().join(" ").to_lowercase();
    if !CUES.iter().any(|cue| lower.contains(cue)) {
        return None;
    }
    let mut numbers: Vec<u64> = lower
        .split(|c: char| !c.is_ascii_digit() && c != ',')
        .filter_map(|word| word.trim_matches(',').replace(',', "").parse().ok())
        .filter(|number| *number >= 1_000)
        .collect();
    numbers.dedup();
    match numbers[..] {
        [limit] => Some(limit),
        [one, other] if one != other => {
            let (limit, size) = (one.min(other), one.max(other));
            // In 128 bits, because a message can name any number.
            let scaled = u128::from(limit) * u128::from(estimated) / u128::from(size);
            u64::try_from(scaled).ok()
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stated_limit_is_read_in_our_own_tokens() {
        for (message, limit) in [
            (
                "prompt is too long: 200000 tokens > 100000 maximum",
                Some(75_000),
            ),
            (
                "The maximum context length is 8192 tokens, the messages have 16,384.",
                Some(75_000),
            ),
            ("at most 120000 tokens", Some(120_000)),
            (
                "mine at http://127.0.0.1:41234/v1: at most 8192 tokens, the messages have 16,384.",
                Some(75_000),
            ),
            ("the request has 9001 tokens", None),
            ("the context window is exceeded (400)", None),
        ] {
            assert_eq!(stated(message, 150_000), limit, "{message}");
        }
    }
}
