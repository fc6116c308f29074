//! Branches left behind, against pi's.

use crate::contexts::line_of;
use crate::expected::{BudgetFacts, Pair};
use crate::plans::Wording;
use crate::tally::Case;
use palimpsest_compaction::branch::{
    BranchInput, BranchOutcome, BranchRules, Chosen, choose, collect, plan,
};
use palimpsest_compaction::{Instructions, Preset};
use palimpsest_core::{ContextItem, EntryIx};
use palimpsest_formats::InMemory;
use serde_json::Map;

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
                (from, to),
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
    pair: (EntryIx, EntryIx),
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
        .taken()
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
    compare_plan(ours, pair, facts, &chosen, wording, version, &mut case);
    case
}

/// Compares the plan that the preset for this release makes of the same branch: what it
/// summarizes, and how that is written out in its call.
fn compare_plan(
    ours: &InMemory,
    (from, to): (EntryIx, EntryIx),
    facts: &BudgetFacts,
    chosen: &Chosen,
    wording: &Wording,
    version: &str,
    case: &mut Case,
) {
    let name = match version {
        "0.87.1" => "pi-branch-0.87",
        _ => "pi-branch",
    };
    let mut settings = Map::new();
    settings.insert("budget_tokens".to_owned(), facts.budget.into());
    let messages = |item: &ContextItem| ours.format.item_message(&ours.session, item, ours);
    let input = BranchInput {
        session: &ours.session,
        tree: &ours.tree,
        leaving: &ours.context(Some(from)),
        to,
        destination: &ours.context(Some(to)),
        messages: &messages,
        window: None,
        instructions: &Instructions::default(),
        vectors: None,
    };
    let planned = Preset::known(name).and_then(|preset| {
        let preset = preset.with(&settings)?;
        plan(&preset, &input)
    });
    match planned {
        Ok(BranchOutcome::Summary { plan, .. }) => {
            let summarized: Vec<u32> = plan
                .summarized
                .iter()
                .map(|&ix| line_of(ours, ix))
                .collect();
            case.same("planned", &summarized, &facts.chosen_lines);
            case.same("planned files", &plan.files, &chosen.files);
            if let (Some(theirs), [call]) = (&facts.text, plan.calls.as_slice()) {
                wording.compare("text", call.conversation(), theirs, case);
            }
        }
        Ok(BranchOutcome::Nothing { .. }) => {
            case.same("planned", &Vec::<u32>::new(), &facts.chosen_lines);
        }
        Err(error) => case.differs("plan", &error.to_string()),
    }
}
