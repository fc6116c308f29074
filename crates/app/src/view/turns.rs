//! What each prompt of the user cost, and how long its turn took.

use crate::cost;
use crate::session::OpenSession;
use palimpsest_core::{EntryIx, EntryKind, Role};
use palimpsest_tokens::{Catalog, Cost, Spending};
use std::collections::HashMap;

/// A prompt with everything below it up to the next prompt, on all branches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Turn {
    /// The cost of its requests, those of subagents in the session included; `None` where no model
    /// has a cost or a price.
    pub cost: Option<Cost>,
    /// Milliseconds from the prompt to the newest entry of the turn; `None` without times.
    pub duration_ms: Option<u64>,
    /// True for the turn that cost most, where several have a cost.
    pub costs_most: bool,
}

/// A turn while it is added up.
#[derive(Default)]
struct Sums {
    spending: Spending,
    newest_ms: Option<i64>,
}

/// The turns of a session by the entry of their prompt.
pub fn turns(open: &OpenSession, catalog: &Catalog) -> HashMap<EntryIx, Turn> {
    let session = &open.session;
    let mut prompt_of: Vec<Option<EntryIx>> = vec![None; session.entries.len()];
    // Parents come first.
    for &ix in open.tree.preorder() {
        let entry = session.entry(ix);
        let begins = entry.kind == EntryKind::Message(Role::User) && !entry.sidechain;
        let above = || {
            open.tree
                .parent(ix)
                .and_then(|above| prompt_of[above.get()])
        };
        prompt_of[ix.get()] = if begins { Some(ix) } else { above() };
    }
    let mut sums: HashMap<EntryIx, Sums> = HashMap::new();
    // In the order of the file, in which the records of one reply follow each other.
    for ix in session.indices() {
        let Some(prompt) = prompt_of[ix.get()] else {
            continue;
        };
        let entry = session.entry(ix);
        let own = sums.entry(prompt).or_default();
        cost::add(&mut own.spending, entry);
        own.newest_ms = own.newest_ms.max(entry.at_ms);
    }
    let mut turns: HashMap<EntryIx, Turn> = sums
        .into_iter()
        .map(|(prompt, own)| {
            let began = session.entry(prompt).at_ms;
            let took = began.zip(own.newest_ms);
            let turn = Turn {
                cost: own.spending.cost(catalog),
                duration_ms: took.and_then(|(began, newest)| between(began, newest)),
                costs_most: false,
            };
            (prompt, turn)
        })
        .collect();
    mark_dearest(&mut turns);
    turns
}

/// Milliseconds between two times; `None` where a damaged file has times out of order or too far from
/// each other.
fn between(began: i64, newest: i64) -> Option<u64> {
    let took = newest.checked_sub(began)?;
    u64::try_from(took).ok()
}

fn mark_dearest(turns: &mut HashMap<EntryIx, Turn>) {
    let usd = |turn: &Turn| turn.cost.map_or(0.0, |cost| cost.usd);
    let paid = turns.iter().filter(|(_, turn)| usd(turn) > 0.0);
    if paid.clone().count() < 2 {
        return;
    }
    // Of two alike the first.
    let dearest = paid
        .max_by(|a, b| usd(a.1).total_cmp(&usd(b.1)).then(b.0.cmp(a.0)))
        .map(|(&prompt, _)| prompt);
    if let Some(turn) = dearest.and_then(|prompt| turns.get_mut(&prompt)) {
        turn.costs_most = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn times_of_a_damaged_file_give_no_duration() {
        assert_eq!(between(1_000, 3_500), Some(2_500));
        assert_eq!(between(3_500, 1_000), None);
        assert_eq!(between(i64::MIN, i64::MAX), None);
    }

    #[test]
    fn the_turns_of_a_session_cost_together_what_the_session_costs() {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../formats/tests/fixtures");
        let catalog = Catalog::embedded();
        for name in [
            "claude-code/valid/reading.jsonl",
            "pi/valid/v3-branches.jsonl",
        ] {
            let file = fixtures.join(name);
            let open = OpenSession::read(&file).unwrap();
            let turns = turns(&open, &catalog);
            let whole = cost::spending(&open.session).cost(&catalog);
            let sum: f64 = turns.values().filter_map(|turn| Some(turn.cost?.usd)).sum();
            let whole = whole.map_or(0.0, |cost| cost.usd);
            assert!((sum - whole).abs() < 1e-6, "{name}: {sum} of {whole}");
            let dearest = turns.values().filter(|turn| turn.costs_most).count();
            assert!(dearest <= 1, "{name}");
        }
    }
}
