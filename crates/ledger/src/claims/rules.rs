//! Claims about what the user wants: a limit whose denial is gone or that is denied now, and two
//! things in each other's place.

use crate::claims::told::{any_of, plain_words};
use crate::claims::verdict::{Decided, Verdict};
use crate::{meaning, words};
use palimpsest_core::ledger::{Fact, FactKind, FactStatus};
use rustc_hash::FxHashSet as HashSet;
use std::sync::LazyLock;

/// Share of a rule's content words that a sentence must have to be held against it.
const SAME_RULE: f64 = 0.75;

/// Words that say how binding a rule is, and not what it is about.
const BINDING: &[&str] = &[
    "not", "never", "don't", "dont", "no", "always", "must", "should", "may", "can", "cannot",
    "without", "only", "be", "please", "need", "added", "allowed",
];

const DENIALS: &[&str] = &[
    "not", "never", "don't", "dont", "no", "without", "cannot", "can't", "mustn't",
];

/// A limit of the user whose denial is gone.
pub(super) fn turned_around(sentence: &str, facts: &[&Fact]) -> Option<Decided> {
    let denies = |text: &str| {
        let lower = text.to_lowercase().replace('\u{2019}', "'");
        let mut all = lower.split(|c: char| !(c.is_alphanumeric() || c == '\''));
        all.any(|word| {
            matches!(
                word,
                "not"
                    | "never"
                    | "don't"
                    | "no"
                    | "without"
                    | "cannot"
                    | "nothing"
                    | "none"
                    | "nobody"
            )
        })
    };
    facts.iter().find_map(|fact| {
        let limit = fact.kind == FactKind::Constraint && fact.status == FactStatus::Changed;
        let (source, now) = fact.details.difference.as_ref().filter(|_| limit)?;
        let same_line = sentence.contains(now.trim()) || now.contains(sentence.trim());
        (same_line && denies(source) && !denies(now)).then(|| {
            let entry = fact.places.first().map(|place| place.entry);
            let reason = format!("the user said: {}", words::one_line(source, 160));
            (Verdict::Contradicted, entry.into_iter().collect(), reason)
        })
    })
}

static BINDING_WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let stems = BINDING.iter();
    stems.filter_map(|word| words::content_word(word)).collect()
});

/// The words a rule is about.
fn matter(text: &str) -> HashSet<String> {
    let all = words::content_words(text).into_iter();
    all.filter(|word| !BINDING_WORDS.contains(word)).collect()
}

/// A limit of the user as sentences are held against it.
pub(super) struct Limit<'a> {
    fact: &'a Fact,
    matter: HashSet<String>,
    denies: bool,
    binds: bool,
}

/// The limits among `all`: each is read once for all sentences.
pub(super) fn limits(all: &[Fact]) -> Vec<Limit<'_>> {
    let rules = all.iter().filter(|fact| fact.kind == FactKind::Constraint);
    rules
        .map(|fact| {
            let source = plain_words(fact.own_words());
            Limit {
                fact,
                matter: matter(fact.own_words()),
                denies: any_of(&source, DENIALS),
                binds: any_of(&source, &["always", "must"]),
            }
        })
        .filter(|limit| limit.matter.len() >= 2)
        .collect()
}

/// A rule of the user that the sentence allows although it was forbidden, or forbids although it was
/// wanted.
pub(super) fn denied(sentence: &str, limits: &[Limit<'_>]) -> Option<Decided> {
    let own = matter(sentence);
    let told = plain_words(sentence);
    // A question and a quotation of what was said deny nothing.
    if own.len() < 2 || told.len() > 24 || sentence.trim_end().ends_with('?') {
        return None;
    }
    let allows = any_of(&told, &["may", "can", "allowed", "free"]);
    let mut found = None;
    for limit in limits {
        let shared = limit.matter.intersection(&own).count() as f64;
        if shared < SAME_RULE * limit.matter.len() as f64 {
            continue;
        }
        let now = denies_at_all(sentence, &told);
        if limit.denies == now {
            // The same rule as it stands.
            return None;
        }
        // Only a sentence that allows what was forbidden, or forbids outright what was wanted.
        let turned = (limit.denies && allows)
            || (!limit.denies && any_of(&told, &["never", "don't"]) && limit.binds);
        if turned {
            found = Some(limit.fact);
        }
    }
    found.map(said)
}

fn denies_at_all(sentence: &str, told: &[String]) -> bool {
    meaning::denies(sentence) || any_of(told, &["nothing", "none", "nobody", "neither"])
}

fn said(rule: &Fact) -> Decided {
    let entry = rule.places.first().map(|place| place.entry);
    let reason = format!("the user said: {}", words::one_line(&rule.text, 160));
    (Verdict::Contradicted, entry.into_iter().collect(), reason)
}

/// What is wanted and what is not, in "tabs, not spaces" and "Postgres instead of SQLite".
fn pair(text: &str) -> Option<(HashSet<String>, HashSet<String>)> {
    let lower = text.to_lowercase();
    let joints = [", not ", " instead of ", " rather than "];
    let (at, joint) = joints
        .iter()
        .find_map(|joint| Some((lower.find(joint)?, joint)))?;
    let left: Vec<String> = words::content_words(&lower[..at]);
    let right: Vec<String> = words::content_words(&lower[at + joint.len()..]);
    let right: HashSet<String> = right.into_iter().take(3).collect();
    let left: HashSet<String> = left
        .into_iter()
        .filter(|word| !right.contains(word))
        .collect();
    (!left.is_empty() && !right.is_empty()).then_some((left, right))
}

/// Two things in each other's place: the user wanted one and not the other.
pub(super) fn swapped(sentence: &str, all: &[Fact]) -> Option<Decided> {
    let (wanted, unwanted) = pair(sentence)?;
    let said_by_user =
        |fact: &&Fact| matches!(fact.kind, FactKind::Constraint | FactKind::UserRequest);
    let mut found = None;
    for fact in all.iter().filter(said_by_user) {
        let Some((left, right)) = pair(fact.own_words()) else {
            continue;
        };
        if !left.is_disjoint(&wanted) && !right.is_disjoint(&unwanted) {
            found = None;
        } else if !left.is_disjoint(&unwanted) && !right.is_disjoint(&wanted) {
            found = Some(fact);
        }
    }
    found.map(said)
}
