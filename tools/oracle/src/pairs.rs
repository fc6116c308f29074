//! Branches left behind, against pi's.

use crate::contexts::line_of;
use crate::expected::{BudgetFacts, Pair};
use crate::plans::{Wording, params_of};
use crate::tally::Case;
use palimpsest_compaction::branch::{BranchRules, choose, collect, conversation};
use palimpsest_core::{ContextItem, EntryIx};
use palimpsest_formats::InMemory;

/// Compares what is collected when one entry is left for another; one case per budget.
pub fn compare_pair(
    ours: &InMemory,
    from: EntryIx,
    to: EntryIx,
    pair: &Pair,
    wording: &Wording,
    version: &str,
) -> Vec<Case> {
    let name = format!("leaving line {} for {}", pair.old_line, pair.target_line);
    let left = collect(&ours.tree, Some(from), to);
    let lines = |list: &[EntryIx]| list.iter().map(|&ix| line_of(ours, ix)).collect::<Vec<_>>();
    let mut case = Case::new(name.clone());
    let ancestor = left.common_ancestor.map(|ix| line_of(ours, ix));
    case.same("common ancestor", &ancestor, &pair.common_ancestor_line);
    case.same("entries", &lines(&left.entries), &pair.entry_lines);
    let mut cases = vec![case];
    for facts in &pair.budgets {
        // pi itself fails on some odd input; we do not, and there is nothing to compare.
        if facts.threw.is_none() {
            let name = format!("{name} with budget {}", facts.budget);
            cases.push(compare_budget(
                ours,
                &left.entries,
                facts,
                wording,
                version,
                name,
            ));
        }
    }
    cases
}

fn compare_budget(
    ours: &InMemory,
    entries: &[EntryIx],
    facts: &BudgetFacts,
    wording: &Wording,
    version: &str,
    name: String,
) -> Case {
    let mut case = Case::new(name);
    let messages = |item: &ContextItem| ours.format.item_message(&ours.session, item, ours);
    let rules = BranchRules {
        honour_edits: version != "0.87.1",
        ..BranchRules::default()
    };
    let chosen = match choose(&ours.session, entries, facts.budget, rules, &messages) {
        Ok(chosen) => chosen,
        Err(error) => {
            case.differs("choice", &error.to_string());
            return case;
        }
    };
    let lines: Vec<u32> = chosen
        .items
        .iter()
        .filter_map(|item| item.entries.first().map(|&ix| line_of(ours, ix)))
        .collect();
    case.same("chosen", &lines, &facts.chosen_lines);
    case.same("tokens", &chosen.total_tokens, &facts.total_tokens);
    case.same("files read", &chosen.files.read, &facts.read_files);
    case.same(
        "files modified",
        &chosen.files.modified,
        &facts.modified_files,
    );
    if let Some(theirs) = &facts.text {
        match conversation(&chosen, &params_of(version), &messages) {
            Ok(text) => wording.compare("text", &text, theirs, &mut case),
            Err(error) => case.differs("text", &error.to_string()),
        }
    }
    case
}
