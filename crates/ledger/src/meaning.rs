//! Whether a summary says the same as a sentence it restates: how binding it is, whether it is
//! denied, and its figures.

use crate::extract::Candidate;
use crate::segments::stems;
use crate::turns::Turns;
use crate::{identifiers, words};
use palimpsest_core::ledger::FactKind;
use rustc_hash::FxHashSet as HashSet;

/// Share of a sentence's stems that a line must have to be compared with it.
const COMPARABLE: f64 = 0.5;

/// How binding a sentence is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Force {
    /// It allows or suggests.
    May,
    /// It recommends.
    Should,
    /// It binds.
    Must,
}

#[rustfmt::skip]
const MUST: &[&str] = &[
    "must", "mustn't", "never", "always", "required", "requires", "mandatory", "have to", "has to",
    "need to", "needs to", "only", "do not", "don't", "dont", "cannot", "can't", "under no circumstances",
    "not allowed", "forbidden", "prohibited", "ensure", "make sure", "strictly", "no",
];

#[rustfmt::skip]
const SHOULD: &[&str] = &[
    "should", "shouldn't", "ideally", "preferably", "prefers", "prefer", "preferred", "recommended", "try to",
    "better", "aim to", "where possible", "if possible", "when possible", "generally", "usually",
];

#[rustfmt::skip]
const MAY: &[&str] = &[
    "may", "might", "could", "optional", "optionally", "consider", "nice to have", "can be",
    "if needed", "if desired", "perhaps",
];

/// Words that deny, or tell that something is left alone.
#[rustfmt::skip]
const DENIALS: &[&str] = &[
    "no", "not", "never", "without", "avoid", "avoids", "avoided", "avoiding", "don't", "dont",
    "do not", "doesn't", "didn't", "isn't", "won't", "can't", "cannot", "mustn't", "shouldn't",
    "neither", "nor", "none", "skip", "skipped", "skipping", "skips", "exclude", "excluded",
    "excluding", "except", "instead of", "rather than", "untouched", "unchanged", "leave",
    "leaving", "left", "keep", "keeps", "kept", "forbidden", "forbids", "prohibited", "off-limits",
    "off limits", "refused", "rejected", "declined", "disallow", "disallowed", "against", "stop",
    "only", "non", "free of", "un", "remove", "removed", "drop", "dropped", "disable", "disabled",
];

/// Words by which a limit forbids.
const FORBIDDING: &[&str] = &[
    "not", "never", "don't", "dont", "do not", "mustn't", "must not", "no", "without", "cannot",
    "can't",
];

static MUST_TURNS: Turns = Turns::of_words(MUST);
static SHOULD_TURNS: Turns = Turns::of_words(SHOULD);
static MAY_TURNS: Turns = Turns::of_words(MAY);
static DENYING_TURNS: Turns = Turns::of_words(DENIALS);
static FORBIDDING_TURNS: Turns = Turns::of_words(FORBIDDING);

/// Lower case, words between single spaces; an apostrophe belongs to its word.
fn padded(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push(' ');
    for c in text.chars() {
        match c {
            '’' | '\'' => out.push('\''),
            // ASCII first: nearly all text is, and the general lower case looks in tables.
            c if c.is_ascii_alphanumeric() => out.push(c.to_ascii_lowercase()),
            c if !c.is_ascii() && c.is_alphanumeric() => out.extend(c.to_lowercase()),
            _ if !out.ends_with(' ') => out.push(' '),
            _ => {}
        }
    }
    out.push(' ');
    out
}

/// True for a text that denies something, or tells that something is left alone.
pub(crate) fn denies(text: &str) -> bool {
    DENYING_TURNS.stand_in(&padded(text))
}

fn force(padded: &str) -> Option<Force> {
    if MUST_TURNS.stand_in(padded) {
        Some(Force::Must)
    } else if SHOULD_TURNS.stand_in(padded) {
        Some(Force::Should)
    } else if MAY_TURNS.stand_in(padded) {
        Some(Force::May)
    } else {
        None
    }
}

/// The line of `there` that restates `sentence` with another meaning: a limit that binds less
/// ("must" is now "should"), a denial that is gone, or a figure with the same unit and another
/// value. Only limits, requests and decisions are compared, and only with a line that has half of
/// their words.
pub(crate) fn differs<'a>(fact: &Candidate, sentence: &str, there: &'a str) -> Option<&'a str> {
    if !matches!(
        fact.kind,
        FactKind::Constraint | FactKind::UserRequest | FactKind::Decision
    ) {
        return None;
    }
    let wanted = stems(sentence);
    if wanted.len() < 3 {
        return None;
    }
    let mut comparable: Option<(usize, &str)> = None;
    for line in words::lines(there) {
        let line = &there[line];
        let found: HashSet<String> = stems(line).into_iter().collect();
        let shared = wanted.iter().filter(|stem| found.contains(*stem)).count();
        let near = shared as f64 >= COMPARABLE * wanted.len() as f64;
        if near && comparable.is_none_or(|(known, _)| shared > known) {
            comparable = Some((shared, line));
        }
    }
    let (shared, line) = comparable?;
    let (source, now) = (padded(sentence), padded(line));
    let weaker = fact.kind == FactKind::Constraint
        && force(&source) == Some(Force::Must)
        && matches!(force(&now), Some(Force::Should | Force::May));
    // A question denies nothing, and other words may deny as well: only a line that has nearly all
    // of the sentence is held against it.
    let nearly_all = shared as f64 >= 0.75 * wanted.len() as f64;
    let undenied = fact.kind == FactKind::Constraint
        && nearly_all
        && !sentence.trim_end().ends_with('?')
        && FORBIDDING_TURNS.stand_in(&source)
        && !DENYING_TURNS.stand_in(&now);
    (weaker || undenied || other_figure(sentence, line)).then_some(line)
}

/// True when a figure of the sentence is missing in the line, and the line has another one with the
/// same unit.
pub(crate) fn other_figure(sentence: &str, line: &str) -> bool {
    let figures = |text: &str| -> Vec<(String, String)> {
        identifiers::scan(text)
            .into_iter()
            .filter(|found| found.kind == FactKind::Number)
            .filter_map(|found| {
                let key = found.key.replace("port ", "port_");
                match key.strip_prefix("port_") {
                    Some(figure) => Some((figure.to_owned(), "port".to_owned())),
                    None => key
                        .split_once(' ')
                        .map(|(figure, unit)| (figure.to_owned(), unit.to_owned())),
                }
            })
            .collect()
    };
    let there = figures(line);
    figures(sentence).iter().any(|(figure, unit)| {
        let same_unit: Vec<_> = there.iter().filter(|(_, known)| known == unit).collect();
        !same_unit.is_empty() && same_unit.iter().all(|(known, _)| known != figure)
    })
}

/// True when `there` is `figure` rounded: within a tenth of it, with fewer digits that say
/// something. Both are keys of figures with their units.
pub(crate) fn is_rounded(figure: &str, there: &str) -> bool {
    let read = |key: &str| -> Option<(f64, usize, String)> {
        let key = key.trim_start_matches('$');
        let (figure, unit) = key.split_once(' ').unwrap_or((key, ""));
        let digits = figure
            .trim_matches('0')
            .bytes()
            .filter(u8::is_ascii_digit)
            .count();
        let scale = match unit {
            "k" => 1000.0,
            _ => 1.0,
        };
        let unit = if unit == "k" { "" } else { unit };
        Some((figure.parse::<f64>().ok()? * scale, digits, unit.to_owned()))
    };
    let (Some((own, own_digits, own_unit)), Some((other, other_digits, other_unit))) =
        (read(figure), read(there))
    else {
        return false;
    };
    own != other
        && own_unit == other_unit
        && other_digits < own_digits
        && own >= 20.0
        && (own - other).abs() <= own * 0.1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constraint(text: &str) -> Candidate {
        let mut registry = crate::candidate::Registry::default();
        let index = registry.note(FactKind::Constraint, text.to_owned(), text);
        registry.facts.swap_remove(index)
    }

    #[test]
    fn a_limit_that_says_something_else_is_changed() {
        for (source, there, changed) in [
            (
                "Every import must be checked by the parser.",
                "- every import should be checked by the parser",
                true,
            ),
            (
                "Every import must be checked by the parser.",
                "- every import is checked by the parser (required)",
                false,
            ),
            (
                "Never write the generated schema files.",
                "- write the generated schema files",
                true,
            ),
            (
                "Never write the generated schema files.",
                "- leave the generated schema files alone, write none",
                false,
            ),
            (
                "Never write the generated schema files.",
                "- generated schema files are off limits",
                false,
            ),
            (
                "Keep the reply below 200 ms at all times.",
                "keep the reply below 300 ms at all times",
                true,
            ),
            (
                "Keep the reply below 200 ms at all times.",
                "keep the reply below 200 ms, not 300 ms",
                false,
            ),
            (
                "Don't use port 5432 for the test database.",
                "use port 5432 for the test database",
                true,
            ),
        ] {
            assert_eq!(
                differs(&constraint(source), source, there).is_some(),
                changed,
                "{source} / {there}"
            );
        }
    }

    #[test]
    fn rounded_figures_are_told() {
        for (figure, there, is) in [
            ("47500 tokens", "50000 tokens", true),
            ("47500 tokens", "47500 tokens", false),
            ("47500 tokens", "90000 tokens", false),
            ("47500 tokens", "50000 b", false),
            ("$47500", "$50000", true),
        ] {
            assert_eq!(is_rounded(figure, there), is, "{figure} / {there}");
        }
    }
}
