//! Scores beyond the ledger's totals, all without a model.

use crate::extract::Candidate;
use crate::input::LedgerInput;
use crate::words;
use palimpsest_core::ledger::{FactKind, FactStatus, Ledger};
use std::collections::HashSet;

/// Words per n-gram in [`Scores::repeats_kept`] and [`Scores::repeats_itself`].
const NGRAM_WORDS: usize = 3;

/// Scores of a summary; shares are 0 to 1, and 1 where there was nothing to keep.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scores {
    /// Identifiers (paths, symbols, commands, errors, numbers) the summary has in full.
    pub identifier_recall: f64,
    /// Identifiers the summary dropped but the kept tail still has.
    pub identifiers_only_in_tail: f64,
    /// Identifiers neither has.
    pub identifiers_lost: f64,
    /// Weight of the kept identifiers over the weight of all.
    pub weighted_recall: f64,
    /// Constraints of the person the summary has in full.
    pub constraint_recall: f64,
    /// Of the facts used again later, those the summary or the kept tail had; `None` when none was
    /// used or nothing came later.
    pub used_later_recall: Option<f64>,
    /// For each tenth of the span by size, the share of the identifiers first seen there that the
    /// summary has; `None` where there are none.
    pub position_profile: [Option<f64>; 10],
    /// Share of the summary's three-word sequences that the kept tail has as well.
    pub repeats_kept: f64,
    /// Share of the summary's three-word sequences that stand earlier in the summary.
    pub repeats_itself: f64,
    /// Share of the summary's different identifiers that no source has; 0 when it has none.
    pub introduced_share: f64,
    /// The required headings.
    pub sections: Sections,
}

/// Required headings found in a summary.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sections {
    /// How many headings are required.
    pub required: usize,
    /// Those the summary has, in the order required.
    pub present: Vec<String>,
    /// Those it does not have.
    pub missing: Vec<String>,
    /// True when those present stand in the required order.
    pub in_order: bool,
    /// Those present with nothing, or only "(none)", below them.
    pub empty: Vec<String>,
}

pub(crate) fn is_identifier(kind: FactKind) -> bool {
    match kind {
        FactKind::Path
        | FactKind::Symbol
        | FactKind::Command
        | FactKind::Error
        | FactKind::Number => true,
        FactKind::UserRequest
        | FactKind::Constraint
        | FactKind::Decision
        | FactKind::Finding
        | FactKind::Todo => false,
    }
}

fn is_kept(status: FactStatus) -> bool {
    matches!(status, FactStatus::Verbatim | FactStatus::Mentioned)
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        1.0
    } else {
        part as f64 / whole as f64
    }
}

/// Scores `ledger`, which was built from `input`; `headings` are the section titles the strategy
/// requires, without `#`.
pub(crate) fn scores(
    input: &LedgerInput<'_>,
    candidates: &[Candidate],
    ledger: &Ledger,
    summary_identifiers: usize,
    headings: &[&str],
) -> Scores {
    let identifiers: Vec<_> = ledger
        .facts
        .iter()
        .filter(|fact| is_identifier(fact.kind))
        .collect();
    let all = identifiers.len();
    let kept = identifiers
        .iter()
        .filter(|fact| is_kept(fact.status))
        .count();
    let in_tail = identifiers
        .iter()
        .filter(|fact| !is_kept(fact.status) && fact.in_kept_tail)
        .count();
    let weight: f64 = identifiers.iter().map(|fact| fact.weight).sum();
    let kept_weight: f64 = identifiers
        .iter()
        .filter(|fact| is_kept(fact.status))
        .map(|fact| fact.weight)
        .sum();
    let constraints: Vec<_> = ledger
        .facts
        .iter()
        .filter(|fact| fact.kind == FactKind::Constraint)
        .collect();
    let used: Vec<_> = ledger
        .facts
        .iter()
        .filter(|fact| !fact.needed_later.is_empty())
        .collect();
    let had = used
        .iter()
        .filter(|fact| is_kept(fact.status) || fact.in_kept_tail)
        .count();
    let summary_grams = ngrams(&[input.summary]);
    let (repeats_kept, repeats_itself) = redundancy(input, &summary_grams);
    Scores {
        identifier_recall: share(kept, all),
        identifiers_only_in_tail: if all == 0 { 0.0 } else { share(in_tail, all) },
        identifiers_lost: if all == 0 {
            0.0
        } else {
            share(all - kept - in_tail, all)
        },
        weighted_recall: if weight > 0.0 {
            kept_weight / weight
        } else {
            1.0
        },
        constraint_recall: share(
            constraints
                .iter()
                .filter(|fact| is_kept(fact.status))
                .count(),
            constraints.len(),
        ),
        used_later_recall: (!used.is_empty()).then(|| share(had, used.len())),
        position_profile: position_profile(input, candidates, ledger),
        repeats_kept,
        repeats_itself,
        introduced_share: if summary_identifiers == 0 {
            0.0
        } else {
            share(ledger.introduced.len(), summary_identifiers)
        },
        sections: sections(input.summary, headings),
    }
}

fn position_profile(
    input: &LedgerInput<'_>,
    candidates: &[Candidate],
    ledger: &Ledger,
) -> [Option<f64>; 10] {
    // Byte offset at which each item begins.
    let mut starts = vec![0usize; input.span.items.len() + 1];
    for part in input.span.parts() {
        starts[part.item + 1] += part.text.len();
    }
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    let total = starts.last().copied().unwrap_or_default().max(1);
    let mut counts = [(0usize, 0usize); 10];
    for (candidate, fact) in candidates.iter().zip(&ledger.facts) {
        if is_identifier(fact.kind) {
            let tenth = (starts[candidate.first_item] * 10 / total).min(9);
            counts[tenth].0 += usize::from(is_kept(fact.status));
            counts[tenth].1 += 1;
        }
    }
    counts.map(|(kept, all)| (all > 0).then(|| share(kept, all)))
}

fn ngrams(texts: &[&str]) -> Vec<Vec<String>> {
    texts
        .iter()
        .flat_map(|text| {
            let words: Vec<String> = words::words(text).map(|word| word.text).collect();
            words
                .windows(NGRAM_WORDS)
                .map(<[String]>::to_vec)
                .collect::<Vec<_>>()
        })
        .collect()
}

fn redundancy(input: &LedgerInput<'_>, grams: &[Vec<String>]) -> (f64, f64) {
    if grams.is_empty() {
        return (0.0, 0.0);
    }
    let distinct: HashSet<&Vec<String>> = grams.iter().collect();
    let repeated = grams.len() - distinct.len();
    let texts: Vec<&str> = input.kept_tail.parts().map(|part| part.text).collect();
    let kept: HashSet<Vec<String>> = ngrams(&texts).into_iter().collect();
    let shared = grams.iter().filter(|gram| kept.contains(*gram)).count();
    (share(shared, grams.len()), share(repeated, grams.len()))
}

fn sections(summary: &str, headings: &[&str]) -> Sections {
    let lines: Vec<&str> = summary.lines().map(str::trim).collect();
    let is_heading = |line: &str| line.starts_with('#');
    let title = |line: &str| {
        line.trim_start_matches('#')
            .trim()
            .trim_end_matches(':')
            .to_lowercase()
    };
    let mut out = Sections {
        required: headings.len(),
        in_order: true,
        ..Sections::default()
    };
    let mut last = 0;
    for heading in headings {
        let wanted = heading.to_lowercase();
        let Some(at) = lines
            .iter()
            .position(|line| is_heading(line) && title(line) == wanted)
        else {
            out.missing.push((*heading).to_owned());
            continue;
        };
        out.in_order &= at >= last;
        last = at;
        out.present.push((*heading).to_owned());
        let level = lines[at].bytes().take_while(|b| *b == b'#').count();
        let is_empty = lines[at + 1..]
            .iter()
            .take_while(|line| {
                !is_heading(line) || line.bytes().take_while(|b| *b == b'#').count() > level
            })
            .all(|line| {
                let said = line.trim_start_matches(['-', '*', ' ']);
                said.is_empty() || is_heading(line) || said.eq_ignore_ascii_case("(none)")
            });
        if is_empty {
            out.empty.push((*heading).to_owned());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_found_in_order_and_empty_ones_told() {
        let summary = "## Goal\nShip it\n## Progress\n### Done\n- (none)\n## Next Steps\n(none)\n";
        let found = sections(
            summary,
            &["Goal", "Progress", "Next Steps", "Critical Context"],
        );
        assert_eq!(found.present, ["Goal", "Progress", "Next Steps"]);
        assert_eq!(found.missing, ["Critical Context"]);
        assert_eq!(found.empty, ["Progress", "Next Steps"]);
        assert!(found.in_order);
        assert!(!sections(summary, &["Progress", "Goal"]).in_order);
    }
}
