//! Identifiers and limits of the span in the summary: how many, by weight, by place, and the other
//! way round.

use super::line::{Amount, FigureLine, Measured, by_loss, fate, is_kept, of, of_fact, share};
use crate::identifiers::{basename, is_hash};
use crate::input::LedgerInput;
use crate::{files, introduced};
use palimpsest_core::EntryIx;
use palimpsest_core::figure::Figure;
use palimpsest_core::ledger::{Fact, FactKind, Ledger};
use rustc_hash::FxHashMap as HashMap;

/// What kind of name an identifier is, in the order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Class {
    Files,
    Commands,
    Errors,
    Symbols,
    Tests,
    Settings,
    Commits,
    Issues,
    Addresses,
    Numbers,
}

impl Class {
    const ALL: [(Class, &'static str); 10] = [
        (Class::Files, "Files"),
        (Class::Commands, "Commands"),
        (Class::Errors, "Errors"),
        (Class::Symbols, "Symbols"),
        (Class::Tests, "Tests"),
        (Class::Settings, "Environment variables"),
        (Class::Commits, "Commits"),
        (Class::Issues, "Issues"),
        (Class::Addresses, "URLs"),
        (Class::Numbers, "Numbers"),
    ];

    /// The class of a fact; `None` for a sentence.
    fn of(fact: &Fact) -> Option<Class> {
        Some(match fact.kind {
            FactKind::Path if fact.text.contains("://") => Class::Addresses,
            FactKind::Path => Class::Files,
            FactKind::Command => Class::Commands,
            FactKind::Error => Class::Errors,
            FactKind::Symbol if is_hash(&fact.text) => Class::Commits,
            FactKind::Symbol if is_variable(&fact.text) => Class::Settings,
            FactKind::Symbol if is_test(&fact.text) => Class::Tests,
            FactKind::Symbol => Class::Symbols,
            FactKind::Number if fact.text.starts_with('#') => Class::Issues,
            FactKind::Number => Class::Numbers,
            FactKind::UserRequest
            | FactKind::Constraint
            | FactKind::Decision
            | FactKind::Finding
            | FactKind::Todo => return None,
        })
    }
}

/// `DATABASE_URL`: capitals, digits and at least one underscore.
fn is_variable(name: &str) -> bool {
    name.contains('_')
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && name
            .bytes()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

fn is_test(name: &str) -> bool {
    let last = name.rsplit([':', '.', '#']).next().unwrap_or(name);
    let by_go = last
        .strip_prefix("Test")
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase() || c == '_'));
    by_go || last.starts_with("test_") || last.ends_with("_test") || files::is_test(name)
}

fn identifiers(ledger: &Ledger) -> impl Iterator<Item = (usize, &Fact, Class)> {
    let facts = ledger.facts_by_rules();
    facts.filter_map(|(at, fact)| Some((at, fact, Class::of(fact)?)))
}

/// Facts as lines, those first that are lost, the heaviest of them first.
fn lines<'a>(facts: impl Iterator<Item = (usize, &'a Fact)>) -> Vec<FigureLine> {
    let mut all: Vec<_> = facts.collect();
    all.sort_by(|(_, a), (_, b)| {
        let order = by_loss(a).cmp(&by_loss(b));
        order.then(b.weight.total_cmp(&a.weight))
    });
    let lines = all.into_iter();
    lines
        .map(|(at, fact)| of_fact(at, fact, fate(fact)))
        .collect()
}

#[derive(Default)]
struct Kept {
    all: usize,
    kept: usize,
    in_tail: usize,
}

impl Kept {
    fn note(&mut self, fact: &Fact) {
        self.all += 1;
        if is_kept(fact) {
            self.kept += 1;
        } else if fact.in_kept_tail {
            self.in_tail += 1;
        }
    }

    fn words(&self) -> String {
        let lost = self.all - self.kept - self.in_tail;
        match self.in_tail {
            0 => format!("{lost} lost"),
            tail => format!("{tail} only in the kept tail, {lost} lost"),
        }
    }
}

/// D2: identifiers by class.
pub(super) fn recall(ledger: &Ledger) -> Measured {
    let mut out = Measured::new(Figure::IdentifierRecall);
    let mut all = Kept::default();
    let mut by_class: HashMap<Class, Kept> = HashMap::default();
    for (_, fact, class) in identifiers(ledger) {
        all.note(fact);
        by_class.entry(class).or_default().note(fact);
    }
    if all.all == 0 {
        return Measured::absent(Figure::IdentifierRecall, "The span contains no identifier.");
    }
    out.noted("Identifiers", of(all.kept, all.all), all.words());
    for (class, name) in Class::ALL {
        if let Some(kept) = by_class.get(&class) {
            out.noted(name, of(kept.kept, kept.all), kept.words());
        }
    }
    out.lines = lines(identifiers(ledger).map(|(at, fact, _)| (at, fact)));
    out
}

/// D3: identifiers by weight, and beside it what the window calls retained.
pub(super) fn weighted(ledger: &Ledger) -> Measured {
    let mut out = Measured::new(Figure::WeightedRecall);
    let weight: f64 = identifiers(ledger).map(|(_, fact, _)| fact.weight).sum();
    if weight <= 0.0 {
        return Measured::absent(Figure::WeightedRecall, "The span contains no identifier.");
    }
    let kept = identifiers(ledger).filter(|(_, fact, _)| is_kept(fact));
    let kept: f64 = kept.map(|(_, fact, _)| fact.weight).sum();
    out.value("Identifiers by weight", Amount::Share(kept / weight));
    if let Some(retention) = ledger.totals.retention {
        out.value("All facts by weight (retained)", Amount::Share(retention));
    }
    let lost = identifiers(ledger).filter(|(_, fact, _)| !is_kept(fact));
    let mut lost: Vec<_> = lost.collect();
    lost.sort_by(|(_, a, _), (_, b, _)| b.weight.total_cmp(&a.weight));
    let lost = lost.into_iter().map(|(at, fact, _)| {
        let share = 100.0 * fact.weight / weight;
        of_fact(
            at,
            fact,
            format!("{}, {share:.1} % of the weight", fate(fact)),
        )
    });
    out.lines = lost.collect();
    out
}

/// D4: what no source has.
pub(super) fn introduced(summary: &str, ledger: &Ledger) -> Measured {
    let mut out = Measured::new(Figure::Introduced);
    let distinct = introduced::stated(summary).len();
    let added = ledger.introduced.len();
    if distinct == 0 {
        return Measured::absent(Figure::Introduced, "The summary contains no identifier.");
    }
    out.noted(
        "Introduced",
        Amount::Share(share(added, distinct)),
        format!("{added} of {distinct} identifiers of the summary"),
    );
    let lines = ledger.introduced.iter().map(|own| FigureLine {
        text: own.text.clone(),
        note: own.kind.in_words().to_owned(),
        range: Some(own.range.clone()),
        ..FigureLine::default()
    });
    out.lines = lines.collect();
    out
}

/// D5: limits of the user.
pub(super) fn constraints(ledger: &Ledger) -> Measured {
    let all = || {
        let facts = ledger.facts_by_rules();
        facts.filter(|(_, fact)| fact.kind == FactKind::Constraint)
    };
    let mut out = Measured::new(Figure::ConstraintRecall);
    let total = all().count();
    if total == 0 {
        return Measured::absent(
            Figure::ConstraintRecall,
            "The user set no limit in the span.",
        );
    }
    let kept = all().filter(|(_, fact)| is_kept(fact)).count();
    let tail = all().filter(|(_, fact)| !is_kept(fact) && fact.in_kept_tail);
    let tail = tail.count();
    out.value("Constraints", of(kept, total));
    if tail > 0 {
        out.value("Only in the kept tail", Amount::Count(tail as u64));
    }
    out.lines = lines(all());
    out
}

/// D10: identifiers by the tenth of the span in which they stand first.
pub(super) fn position(input: &LedgerInput<'_>, ledger: &Ledger) -> Measured {
    let mut out = Measured::new(Figure::Position);
    // Bytes in front of each item.
    let mut starts = vec![0usize; input.span.items.len() + 1];
    for part in input.span.parts() {
        starts[part.item + 1] += part.text.len();
    }
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    let total = starts.last().copied().unwrap_or_default();
    let items = input.span.items.iter().zip(0..);
    let item_at: HashMap<(EntryIx, usize), usize> = items
        .map(|(item, at)| ((item.entry, item.message_index), at))
        .collect();
    let mut tenths = [(0usize, 0usize); 10];
    let mut found = Vec::new();
    for (at, fact, _) in identifiers(ledger) {
        let first = fact.places.first();
        let item = first.and_then(|place| item_at.get(&(place.entry, place.message)));
        let Some(&item) = item else { continue };
        let tenth = (starts[item] * 10 / total.max(1)).min(9);
        tenths[tenth].0 += usize::from(is_kept(fact));
        tenths[tenth].1 += 1;
        found.push((tenth, at, fact));
    }
    if found.is_empty() {
        return Measured::absent(Figure::Position, "The span contains no identifier.");
    }
    let halves = |range: std::ops::Range<usize>| {
        let own = &tenths[range];
        let sum = |of: fn(&(usize, usize)) -> usize| own.iter().map(of).sum::<usize>();
        Amount::Share(share(sum(|own| own.0), sum(|own| own.1)))
    };
    out.value("First half of the span", halves(0..5));
    out.value("Second half", halves(5..10));
    for (at, (kept, all)) in tenths.into_iter().enumerate() {
        if all > 0 {
            out.value(format!("Tenth {}", at + 1), of(kept, all));
        }
    }
    found.sort_by_key(|(tenth, _, fact)| (*tenth, by_loss(fact)));
    let lines = found
        .into_iter()
        .map(|(tenth, at, fact)| of_fact(at, fact, format!("tenth {}, {}", tenth + 1, fate(fact))));
    out.lines = lines.collect();
    out
}

/// The name by which a line of a list of files is compared.
pub(super) fn is_same_file(a: &str, b: &str) -> bool {
    let ends = |long: &str, short: &str| {
        long.strip_suffix(short)
            .is_some_and(|before| before.is_empty() || before.ends_with('/'))
    };
    let (a, b) = (a.trim_start_matches("./"), b.trim_start_matches("./"));
    basename(a) == basename(b) && (ends(a, b) || ends(b, a))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_apart_by_class() {
        assert!(is_variable("DATABASE_URL") && !is_variable("Database_URL") && !is_variable("URL"));
        assert!(is_test("test_reader") && is_test("TestReader") && is_test("queue::test_x"));
        assert!(!is_test("Testament") && !is_test("attest_all"));
        assert!(is_same_file("./src/a.rs", "/home/me/src/a.rs"));
        assert!(!is_same_file("src/a.rs", "src/ba.rs") && !is_same_file("x/a.rs", "y/a.rs"));
    }
}
