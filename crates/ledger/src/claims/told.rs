//! What the words of a sentence claim: that something went well or wrong, now and not in a plan.

/// Words that say that something went wrong, and that it went well.
pub(super) const WRONG: &[&str] = &["failed", "fails", "failing", "fail", "broken", "errored"];
pub(super) const WELL: &[&str] = &[
    "passed",
    "passes",
    "passing",
    "pass",
    "succeeded",
    "succeeds",
    "successful",
    "successfully",
    "green",
];

/// Words with which a sentence speaks of a request, the past, a plan, a condition or the opposite, so
/// that its outcome is not what it claims of now.
pub(super) const NOT_NOW: &[&str] = &[
    "0",
    "after",
    "and",
    "asked",
    "at",
    "be",
    "because",
    "before",
    "but",
    "can",
    "could",
    "earlier",
    "ensure",
    "except",
    "expected",
    "first",
    "fix",
    "fixed",
    "goal",
    "had",
    "how",
    "if",
    "initial",
    "initially",
    "instead",
    "intent",
    "investigate",
    "may",
    "might",
    "must",
    "need",
    "needs",
    "never",
    "no",
    "not",
    "now",
    "once",
    "one",
    "only",
    "or",
    "original",
    "originally",
    "other",
    "pre-existing",
    "preexisting",
    "previously",
    "re-run",
    "request",
    "requested",
    "rerun",
    "resolved",
    "run",
    "should",
    "since",
    "some",
    "still",
    "sure",
    "task",
    "then",
    "to",
    "unless",
    "unrelated",
    "until",
    "verify",
    "wanted",
    "wants",
    "was",
    "were",
    "when",
    "whether",
    "while",
    "why",
    "will",
    "without",
    "would",
];

/// What a sentence says of now: `Some(true)` that something went well, `Some(false)` that it went
/// wrong.
pub(super) fn outcome_of(sentence: &str) -> Option<bool> {
    // Words in code are no words of the sentence.
    let prose: String = sentence.split('`').step_by(2).collect::<Vec<_>>().join(" ");
    let all = plain_words(&prose);
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let has = |list: &[&str]| all.iter().any(|word| list.contains(word));
    if has(NOT_NOW) || all.iter().any(|word| word.ends_with("n't")) {
        return None;
    }
    match (has(WELL), has(WRONG)) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        _ => None,
    }
}

/// The words of a text in lower case; an apostrophe and a hyphen belong to their word.
pub(super) fn plain_words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase().replace('\u{2019}', "'");
    lower
        .split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '\'' || c == '_'))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// True where one of `all` is in `list`.
pub(super) fn any_of(all: &[String], list: &[&str]) -> bool {
    all.iter().any(|word| list.contains(&word.as_str()))
}

/// Words with which a sentence speaks of a plan, a condition or a wish.
pub(super) const PLANNED: &[&str] = &[
    "should",
    "must",
    "will",
    "would",
    "if",
    "before",
    "after",
    "until",
    "once",
    "when",
    "can",
    "could",
    "may",
    "might",
    "please",
    "need",
    "needs",
    "next",
    "then",
    "first",
    "initially",
    "earlier",
    "previously",
    "want",
    "wants",
    "wanted",
    "asked",
    "ask",
    "ready",
    "ensure",
    "never",
    "always",
    "whenever",
    "unless",
    "plan",
    "planned",
    "how",
    "whether",
    "or",
    "but",
    "although",
    "though",
];

/// Words that deny, or say that something did not come about.
pub(super) const DENYING: &[&str] = &[
    "not",
    "no",
    "never",
    "failed",
    "fails",
    "fail",
    "failing",
    "rejected",
    "refused",
    "declined",
    "unable",
    "cannot",
    "without",
    "uncommitted",
    "unpushed",
    "unmerged",
    "stopped",
    "aborted",
    "blocked",
    "hasn't",
    "haven't",
    "wasn't",
    "weren't",
    "isn't",
    "aren't",
    "didn't",
    "couldn't",
    "can't",
    "won't",
    "skipped",
    "unresolved",
    "unfinished",
    "timed",
];

#[cfg(test)]
mod tests {
    use super::outcome_of;

    #[test]
    fn a_request_or_the_past_is_no_outcome_of_now() {
        for (sentence, expected) in [
            ("Lint is failing", Some(false)),
            ("The tests pass", Some(true)),
            (
                "Initial request: investigate why lint is failing on CI",
                None,
            ),
            ("The user asked about failing tests", None),
            ("The tests were failing", None),
        ] {
            assert_eq!(outcome_of(sentence), expected, "{sentence}");
        }
    }
}
