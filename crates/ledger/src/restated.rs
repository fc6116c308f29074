//! Sayings that another fact tells as well: a list that is written again as a plan, a report and a message of a
//! commit, a prompt that was sent again in fuller words. They stay in the ledger, and weigh next to nothing.

use crate::candidate::{Candidate, Standing, tier};
use crate::{meaning, words};
use palimpsest_core::ledger::FactKind;
use rustc_hash::FxHashMap as HashMap;
use std::cmp::Reverse;

/// Share of the content words of a saying that another one must have, by who says it: the user repeats words more
/// exactly than a model.
const SHARED_BY_MODEL: f64 = 0.7;
const SHARED_BY_USER: f64 = 0.8;

/// The same where both name the same thing by a number of its own: a comment, a ticket.
const SHARED_WITH_ID: f64 = 0.4;

/// Fewest digits of such a number.
const ID_DIGITS: usize = 6;

fn is_id(word: &str) -> bool {
    word.len() >= ID_DIGITS && word.bytes().all(|b| b.is_ascii_digit())
}

/// Fewest content words that two sayings share.
const LEAST_SHARED: usize = 3;

/// Most sayings that one word leads to; more have words that tell nothing apart.
const MAX_LED: usize = 200;

/// Ranks below numbers at which a restated saying weighs.
const BELOW: i32 = 3;

/// Who says it; sayings of one are not held against those of the other, because what the user asked and what the
/// model did are two facts.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum By {
    User,
    Model,
}

fn by(fact: &Candidate) -> Option<By> {
    match fact.kind {
        FactKind::UserRequest | FactKind::Constraint => Some(By::User),
        FactKind::Decision | FactKind::Finding | FactKind::Todo => {
            fact.details.task.is_none().then_some(By::Model)
        }
        _ => None,
    }
}

/// Makes each saying light that a heavier one tells as well.
pub(crate) fn demote(facts: &mut [Candidate]) {
    let mut sayings: Vec<(usize, By, Vec<String>)> = facts
        .iter()
        .enumerate()
        .filter_map(|(at, fact)| Some((at, by(fact)?, words::content_words(&fact.text))))
        .collect();
    // Said before noticed, the heavier kind first; of the user the later and fuller one.
    sayings.sort_by_key(|(at, by, words)| {
        let fact = &facts[*at];
        let rank = match by {
            By::User => 0,
            By::Model => tier(fact.kind) - fact.lighter,
        };
        let said = fact.standing == Standing::Said;
        Reverse((said, rank, words.len(), fact.last_item))
    });
    let mut by_word: HashMap<(By, &str), Vec<usize>> = HashMap::default();
    let mut restated = Vec::new();
    for (order, (at, by, words)) in sayings.iter().enumerate() {
        let mut shared: HashMap<usize, usize> = HashMap::default();
        for word in words {
            let led = by_word.get(&(*by, word.as_str())).map(Vec::as_slice);
            for &other in led.into_iter().flatten().take(MAX_LED) {
                *shared.entry(other).or_default() += 1;
            }
        }
        let share = match by {
            By::User => SHARED_BY_USER,
            By::Model => SHARED_BY_MODEL,
        };
        let wanted = (share * words.len() as f64).max(LEAST_SHARED as f64);
        let with_id = (SHARED_WITH_ID * words.len() as f64).max(LEAST_SHARED as f64);
        let own_ids: Vec<&String> = words.iter().filter(|word| is_id(word)).collect();
        let denies = |at: usize| *by == By::User && meaning::denies(&facts[at].text);
        let denied = denies(*at);
        let is_same = |(other, count): (&usize, &usize)| {
            let count = *count as f64;
            let (other, _, others) = &sayings[*other];
            let shares =
                count >= wanted || count >= with_id && own_ids.iter().any(|id| others.contains(id));
            // "Do not rewrite it" and "rewrite it" have the same words.
            shares && denies(*other) == denied
        };
        if let Some((other, _)) = shared.iter().filter(|pair| is_same(*pair)).min() {
            restated.push((*at, sayings[*other].0, *by));
            continue;
        }
        for word in words {
            by_word.entry((*by, word)).or_default().push(order);
        }
    }
    for (at, other, by) in restated {
        // Whichever wording a summary uses, it tells both.
        if by == By::Model {
            let wording = facts[other].surfaces.first().cloned();
            facts[at].surfaces.extend(wording);
        }
        let fact = &mut facts[at];
        fact.lighter = tier(fact.kind) + BELOW;
    }
}
