//! What was dropped and then needed (D11), and what was used later and still there (D12).

use super::line::{Amount, FigureLine, Measured, fate, in_tokens, is_kept, of, of_fact};
use crate::regret::{self, Again};
use crate::span::Span;
use palimpsest_core::figure::Figure;
use palimpsest_core::ledger::Ledger;

const NOTHING_LATER: &str = "Nothing follows the summary in the session.";

/// D11: facts, calls and tokens by how the session came back to them.
pub(super) fn regret(ledger: &Ledger, later: &Span<'_>) -> Measured {
    if later.items.is_empty() {
        return Measured::absent(Figure::Regret, NOTHING_LATER);
    }
    let costs = regret::costs(ledger, later);
    let mut out = Measured::new(Figure::Regret);
    let sum = |of: fn(&regret::Cost) -> u64| costs.iter().map(of).sum::<u64>();
    let facts = sum(|cost| cost.facts.len() as u64);
    out.value("Dropped facts needed later", Amount::Count(facts));
    out.value("Calls for them", Amount::Count(sum(|cost| cost.calls)));
    out.value("Tokens of these", Amount::Tokens(sum(|cost| cost.tokens)));
    for cost in &costs {
        out.noted(
            by_way(cost.how),
            Amount::Count(cost.facts.len() as u64),
            in_tokens(cost.tokens),
        );
        out.lines.extend(cost.returns.iter().map(|own| FigureLine {
            note: format!(
                "{}, {}, {}",
                cost.how.in_words(),
                in_tokens(own.tokens),
                match own.prompts {
                    0 => "before the next prompt".to_owned(),
                    1 => "after one prompt".to_owned(),
                    prompts => format!("after {prompts} prompts"),
                }
            ),
            entry: Some(own.entry),
            ..of_fact(own.fact, &ledger.facts[own.fact], "")
        }));
    }
    if let Some(cost) = regret::named_and_read_again(ledger, later) {
        out.noted(
            "Files that the summary names, read again",
            Amount::Count(cost.facts.len() as u64),
            format!("{}, not counted above", in_tokens(cost.tokens)),
        );
    }
    out
}

fn by_way(how: Again) -> &'static str {
    match how {
        Again::Said => "Said again by the user",
        Again::Read => "Files read again",
        Again::Run => "Commands run again",
        Again::Failed => "Errors made again",
        Again::LookedUp => "Names and figures looked up",
        Again::Told => "Told again",
    }
}

/// D12: of what was used later, what the next context had.
pub(super) fn used_later(ledger: &Ledger, later: &Span<'_>) -> Measured {
    if later.items.is_empty() {
        return Measured::absent(Figure::UsedLater, NOTHING_LATER);
    }
    let facts = ledger.facts_by_rules();
    let used: Vec<_> = facts
        .filter(|(_, fact)| !fact.needed_later.is_empty())
        .collect();
    if used.is_empty() {
        return Measured::absent(Figure::UsedLater, "No fact of the span was used later.");
    }
    let had = used
        .iter()
        .filter(|(_, fact)| is_kept(fact) || fact.in_kept_tail)
        .count();
    let mut out = Measured::new(Figure::UsedLater);
    out.value("Used later and still there", of(had, used.len()));
    let mut used = used;
    used.sort_by_key(|(_, fact)| is_kept(fact) || fact.in_kept_tail);
    let lines = used.into_iter().map(|(at, fact)| FigureLine {
        entry: fact.needed_later.first().copied(),
        ..of_fact(at, fact, fate(fact))
    });
    out.lines = lines.collect();
    out
}
