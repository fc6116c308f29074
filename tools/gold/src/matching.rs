//! Which fact of a ledger is the one a label names.

use crate::labels::{Kind, Label};
use palimpsest_core::ledger::Concern;
use std::collections::HashSet;

/// A fact of a ledger, as far as labels are concerned.
#[derive(Debug, Clone)]
pub struct Found {
    /// Its kind as the wire names it.
    pub kind: String,
    /// Its text.
    pub text: String,
    /// What of it stands in the source, which labels quote.
    pub own_words: String,
    /// 1-based lines of the records it stands in.
    pub lines: Vec<usize>,
    /// Its weight.
    pub weight: f64,
    /// Its status as the wire names it.
    pub status: String,
    /// True where something after the summary used it again.
    pub needed: bool,
    /// 1-based lines of the records that used it again.
    pub needed_at: Vec<usize>,
    /// True where the kept tail shows it.
    pub in_tail: bool,
    /// The question of the window's first screen that it answers.
    pub concern: Concern,
    /// The line of the summary that shows it.
    pub shown: String,
}

/// Share of the words of the shorter text that the other must have.
const SHARED: f64 = 0.6;

/// For each label the position of its fact in `found`; the best of several that fit.
pub fn pairs(labels: &[Label], found: &[Found]) -> Vec<Option<usize>> {
    labels
        .iter()
        .map(|label| {
            let scored = found.iter().enumerate().filter_map(|(at, fact)| {
                let score = score(label, fact)?;
                Some((score, at))
            });
            let best = scored.max_by(|(one, _), (other, _)| one.total_cmp(other));
            best.map(|(_, at)| at)
        })
        .collect()
}

/// How well a fact fits a label; `None` where it is another thing.
pub fn score(label: &Label, fact: &Found) -> Option<f64> {
    let on_line = fact.lines.contains(&label.line);
    let is_kind = kinds(label.kind).contains(&fact.kind.as_str());
    if !(is_kind || on_line && near(label.kind).contains(&fact.kind.as_str())) {
        return None;
    }
    let (ours, theirs) = (fact.own_words.as_str(), label.quote.as_str());
    let fits = match label.kind {
        Kind::File => named_in(theirs, |word| same_path(ours, word)).then_some(1.0),
        Kind::Symbol => named_in(theirs, |word| same_name(ours, word)).then_some(1.0),
        // A label may quote a part of the command that its line holds.
        Kind::Command => {
            shared_words(ours, theirs).filter(|_| on_line || same_program(ours, theirs))
        }
        Kind::Number => (on_line && has_number(ours, theirs)).then_some(1.0),
        // The result of a call names its one task by number.
        Kind::Todo if on_line && is_of_task(theirs) && fact.kind == "todo" => Some(1.0),
        // Similar sentences differ by the line they stand on.
        _ => shared_words(ours, theirs).filter(|share| on_line || *share > 0.9),
    }?;
    let exact = if label_kind_is(label.kind, &fact.kind) {
        0.5
    } else {
        0.0
    };
    Some(fits + exact + if on_line { 1.0 } else { 0.0 })
}

/// The kinds a ledger may give to what labellers call `kind`: where people draw the line between a
/// request and a constraint, or a decision and a finding, differs.
fn kinds(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::File => &["path"],
        Kind::Command => &["command"],
        Kind::Request | Kind::Constraint => &["user_request", "constraint"],
        Kind::Error => &["error"],
        Kind::Decision | Kind::Finding => &["decision", "finding"],
        Kind::Todo => &["todo"],
        Kind::Symbol => &["symbol"],
        Kind::Number => &["number"],
    }
}

/// Kinds of facts on the label's own line that say the same in other terms: what the user chose is a
/// request, a limit or a decision, and a point of a review something found or something to do (rows of
/// one table are labelled as both).
fn near(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Request | Kind::Constraint => &["decision"],
        Kind::Decision => &["user_request", "constraint"],
        Kind::Finding => &["todo"],
        Kind::Todo => &["finding"],
        _ => &[],
    }
}

/// True when a quote is the name of something, or a few words with the name among them.
fn named_in(quote: &str, is: impl Fn(&str) -> bool) -> bool {
    let words: Vec<&str> = quote.split_whitespace().collect();
    is(quote) || words.len() <= 6 && words.iter().any(|word| is(word))
}

/// True for what a tool says of the one task that it made or changed (`Updated task #3 status`).
fn is_of_task(quote: &str) -> bool {
    let lower = quote.to_lowercase();
    lower.split_once("task #").is_some_and(|(before, rest)| {
        before.split_whitespace().count() <= 1
            && rest.split_whitespace().count() <= 3
            && rest.starts_with(|c: char| c.is_ascii_digit())
    })
}

/// True where a label's kind is called so on the wire.
pub fn label_kind_is(kind: Kind, name: &str) -> bool {
    match kind {
        Kind::File => name == "path",
        Kind::Request => name == "user_request",
        other => other.name() == name,
    }
}

/// One names the other: equal, or an end of it at a separator.
fn same_path(one: &str, other: &str) -> bool {
    let clean = |text: &str| {
        let text = text.trim().trim_matches(['`', '"', '\'']);
        text.trim_start_matches("./")
            .trim_end_matches('/')
            .to_owned()
    };
    let (one, other) = (clean(one), clean(other));
    // `~/.zshrc` is `/home/ada/.zshrc`.
    let at_home = |long: &str, short: &str| {
        short.strip_prefix("~/").is_some_and(|inside| {
            let user = long.strip_prefix("/Users/").or(long.strip_prefix("/home/"));
            user.and_then(|rest| rest.split_once('/'))
                .is_some_and(|(_, below)| below == inside)
        })
    };
    if at_home(&one, &other) || at_home(&other, &one) {
        return true;
    }
    let ends = |long: &str, short: &str| {
        long.strip_suffix(short)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    !one.is_empty() && !other.is_empty() && (ends(&one, &other) || ends(&other, &one))
}

/// Equal, or equal behind the last separator of a qualified name.
fn same_name(one: &str, other: &str) -> bool {
    let last = |text: &str| {
        let text = text.trim().trim_end_matches("()");
        let end = text.rsplit(['.', ':', '/', '#']).next();
        end.unwrap_or(text).to_owned()
    };
    one.trim() == other.trim() || last(one).len() > 2 && last(one) == last(other)
}

fn same_program(one: &str, other: &str) -> bool {
    let first = |text: &str| text.split_whitespace().next().map(str::to_owned);
    let names = |text: &str, program: Option<String>| {
        program.is_some_and(|program| text.split_whitespace().any(|word| word == program))
    };
    names(one, first(other)) || names(other, first(one))
}

fn has_number(one: &str, other: &str) -> bool {
    let numbers = |text: &str| -> HashSet<String> {
        let parts = text.split(|c: char| !(c.is_ascii_digit() || c == '.'));
        let parts = parts.map(|part| part.trim_matches('.').to_owned());
        parts.filter(|part| !part.is_empty()).collect()
    };
    !numbers(one).is_disjoint(&numbers(other))
}

/// Share of the words of the shorter text that the other has, where it is enough.
fn shared_words(one: &str, other: &str) -> Option<f64> {
    let words = |text: &str| -> HashSet<String> {
        let parts = text.split(|c: char| !c.is_alphanumeric());
        let parts = parts.map(str::to_lowercase);
        parts.filter(|word| word.len() > 1).collect()
    };
    let same = one.trim().eq_ignore_ascii_case(other.trim());
    let (one, other) = (words(one), words(other));
    let least = one.len().min(other.len());
    if least == 0 {
        // `C)` has no words.
        return same.then_some(1.0);
    }
    let share = one.intersection(&other).count() as f64 / least as f64;
    (share >= SHARED).then_some(share)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labels::Fate;

    fn label(kind: Kind, line: usize, quote: &str) -> Label {
        Label {
            line,
            quote: quote.to_owned(),
            kind,
            role: None,
            importance: 2,
            fate: Fate::Kept,
            generation: 0,
            needed_line: None,
            heavy: false,
            outside: false,
            thinking: false,
            claim: false,
        }
    }

    fn found(kind: &str, lines: &[usize], text: &str) -> Found {
        Found {
            kind: kind.to_owned(),
            text: text.to_owned(),
            own_words: text.to_owned(),
            lines: lines.to_vec(),
            weight: 1.0,
            status: "dropped".to_owned(),
            needed: false,
            needed_at: Vec::new(),
            in_tail: false,
            concern: Concern::Rest,
            shown: String::new(),
        }
    }

    #[test]
    fn a_label_at_a_result_names_its_task_by_number() {
        assert!(is_of_task("Updated task #3 status"));
        assert!(is_of_task("Task #12 created successfully"));
        assert!(!is_of_task("Do what task #3 of the plan asks for"));
        assert!(!is_of_task("Task #x"));
    }

    #[test]
    fn files_fit_by_their_ends() {
        let own = label(Kind::File, 3, "src/a/mod.rs");
        assert!(score(&own, &found("path", &[9], "/home/x/src/a/mod.rs")).is_some());
        assert!(score(&own, &found("path", &[3], "mod.rs")).is_some());
        assert!(score(&own, &found("path", &[3], "od.rs")).is_none());
        assert!(score(&own, &found("symbol", &[3], "src/a/mod.rs")).is_none());
    }

    #[test]
    fn sentences_fit_by_words_on_their_line() {
        let own = label(Kind::Request, 7, "please do not amend commits");
        let same = found("constraint", &[7], "Please do not amend commits, ever.");
        assert!(score(&own, &same).is_some());
        let elsewhere = found("constraint", &[8], "do not amend the old release notes");
        assert!(score(&own, &elsewhere).is_none());
        let other = found("user_request", &[7], "add a search box");
        assert!(score(&own, &other).is_none());
    }

    #[test]
    fn parts_and_other_terms_fit_on_their_line() {
        let part = label(Kind::Command, 4, "pulls/7/comments/9/replies");
        let whole = found(
            "command",
            &[4],
            "gh api repos/a/b/pulls/7/comments/9/replies",
        );
        assert!(score(&part, &whole).is_some());
        assert!(
            score(
                &part,
                &Found {
                    lines: vec![5],
                    ..whole
                }
            )
            .is_none()
        );
        let choice = label(Kind::Decision, 4, "yes, take the short one");
        let request = found("user_request", &[4], "yes, take the short one");
        assert!(score(&choice, &request).is_some());
        assert!(
            score(
                &choice,
                &Found {
                    lines: vec![5],
                    ..request
                }
            )
            .is_none()
        );
        let file = label(Kind::File, 4, "Create rows.ts");
        assert!(score(&file, &found("path", &[9], "src/rows.ts")).is_some());
        let letter = label(Kind::Request, 4, "C)");
        assert!(score(&letter, &found("user_request", &[4], "C)")).is_some());
    }

    #[test]
    fn the_better_of_two_is_taken() {
        let labels = [label(Kind::Symbol, 5, "Tree::new")];
        let found = [
            found("symbol", &[1], "Graph::new"),
            found("symbol", &[5], "Tree::new"),
        ];
        assert_eq!(pairs(&labels, &found), [Some(1)]);
    }
}
