//! Summaries of branches: what is left behind for any two entries, what of it fits, and the plan.

use crate::common::{Model, read};
use palimpsest_compaction::branch::{
    self, BranchInput, BranchOutcome, BranchRules, NothingLeft, choose, collect,
};
use palimpsest_compaction::execute::Unobserved;
use palimpsest_compaction::select::Fate;
use palimpsest_compaction::summarize::Method;
use palimpsest_compaction::{
    CallMessages, Instructions, Plan, PlanError, Preset, Purpose, Recorded, execute, replay,
    strategies,
};
use palimpsest_core::{Context, ContextItem, EntryIx, Origin, Role};
use palimpsest_formats::{InMemory, agent_named, format_of};
use palimpsest_testkit::session::{CompactionSpec, PiSession, Reply};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};
use tokio_util::sync::CancellationToken;

fn ix(ours: &InMemory, id: &dyn ToString) -> EntryIx {
    ours.session.by_id()[id.to_string().as_str()]
}

/// What a preset plans for leaving `from` for `to`.
fn outcome(
    ours: &InMemory,
    (from, to): (EntryIx, EntryIx),
    name: &str,
    set: &[(&str, Value)],
    own: &Instructions,
) -> Result<BranchOutcome, PlanError> {
    let messages = |item: &ContextItem| ours.format.item_message(&ours.session, item, ours);
    let settings: Map<String, Value> = set
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect();
    let preset = branch::preset_for(Preset::known(name)?).with(&settings)?;
    let input = BranchInput {
        session: &ours.session,
        tree: &ours.tree,
        leaving: &ours.context(Some(from)),
        to,
        destination: &ours.context(Some(to)),
        messages: &messages,
        window: None,
        instructions: own,
        vectors: None,
    };
    branch::plan(&preset, &input)
}

fn planned(
    ours: &InMemory,
    pair: (EntryIx, EntryIx),
    name: &str,
    set: &[(&str, Value)],
) -> (Plan, Context) {
    // Some strategies refuse to plan without.
    let own = Instructions {
        text: (name == "amp-handoff").then(|| "Go on.".to_owned()),
        replace: false,
    };
    match outcome(ours, pair, name, set, &own).unwrap() {
        BranchOutcome::Summary { plan, context } => (*plan, *context),
        BranchOutcome::Nothing { reason, .. } => panic!("{name}: {}", reason.message()),
    }
}

/// A fork with one reply on one side, and a written file on the other, where the leaf is.
fn fork() -> (InMemory, [EntryIx; 4]) {
    let mut session = PiSession::new();
    let root = session.user("root");
    let fork = session.assistant(Reply::new().text("fork"));
    let other = session.user("the other way");
    session.at(&fork.to_string());
    session.user("this way");
    session.assistant(Reply::new().call("write", json!({"path": "a.rs"})));
    let leaf = session.tool_result("written");
    let ours = read(&session);
    let all = [
        ix(&ours, &root),
        ix(&ours, &fork),
        ix(&ours, &other),
        ix(&ours, &leaf),
    ];
    (ours, all)
}

#[test]
fn a_branch_left_behind_is_summarized_from_its_fork() {
    let (ours, [_, fork, other, leaf]) = fork();
    let (plan, context) = planned(&ours, (leaf, other), "pi-branch", &[]);
    let [call] = plan.calls.as_slice() else {
        panic!("one call is made");
    };
    assert_eq!(call.purpose, Purpose::Branch);
    assert_eq!(
        call.conversation(),
        "[User]: this way\n\n[Assistant tool calls]: write(path=\"a.rs\")"
    );
    assert!(call.prompt.contains("## Next Steps"));
    assert!(!call.prompt.contains("## Critical Context"));
    assert_eq!(call.max_output_tokens, None);
    let part = plan.branch.as_ref().unwrap();
    assert_eq!((part.from, part.to), (leaf, other));
    assert_eq!(part.common_ancestor, Some(fork));
    assert_eq!(part.entries.len(), 3);
    assert_eq!(part.budget_tokens, 128_000 - 16_384);
    assert!(part.over_budget.is_empty());
    // What was there stays, and the summary comes behind it.
    let destination = ours.context(Some(other)).items.len();
    let kept = plan.items.iter().filter(|item| item.fate == Fate::Kept);
    assert_eq!(kept.count(), destination);
    assert_eq!(context.items.len(), plan.items.len());
    assert!(matches!(
        plan.next.last(),
        Some(palimpsest_compaction::assemble::NextItem::Summary { .. })
    ));
    assert_eq!(
        plan.assemble(&["It went well."]).unwrap(),
        "Before returning to this point, the \
        user followed another branch of the conversation.\nWhat happened there:\n\nIt went \
        well.\n\n<modified-files>\na.rs\n</modified-files>"
    );
}

#[test]
fn releases_differ_in_limit_edits_and_reasoning() {
    let mut session = PiSession::new();
    let fork = session.user("root");
    let asked = session.user("a long question that will be replaced");
    let leaf = session.assistant(Reply::new().think("Hm, hm.").text("An answer."));
    let edit = session.context_edit(&asked.to_string(), Some(json!("short")));
    let ours = read(&session);
    let pair = (ix(&ours, &edit), ix(&ours, &fork));
    let _ = leaf;
    let text = |name: &str| planned(&ours, pair, name, &[]).0.calls[0].clone();
    let (newest, older, oldest) = (
        text("pi-branch"),
        text("pi-branch-0.87"),
        text("pi-branch-0.73"),
    );
    assert_eq!(
        newest.conversation(),
        "[User]: short\n\n[Assistant]: An answer."
    );
    assert!(older.conversation().contains("will be replaced"));
    assert!(
        older
            .conversation()
            .contains("[Assistant thinking]: Hm, hm.")
    );
    assert_eq!(older.max_output_tokens, None);
    // 2,048 tokens until 0.85.0.
    assert_eq!(oldest.max_output_tokens, Some(2_048));
}

#[test]
fn where_nothing_is_left_behind_the_reason_is_said() {
    let mut session = PiSession::new();
    let root = session.user("root");
    let answer = session.assistant(Reply::new().text("yes"));
    let label = session.label(&answer.to_string(), Some("here"));
    let ours = read(&session);
    let at = |id: &dyn ToString| ix(&ours, id);
    let reason = |from, to, set: &[(&str, Value)]| match outcome(
        &ours,
        (from, to),
        "pi-branch",
        set,
        &Instructions::default(),
    )
    .unwrap()
    {
        BranchOutcome::Nothing { reason, .. } => reason,
        BranchOutcome::Summary { plan, .. } => panic!("planned {:?}", plan.summarized),
    };
    assert_eq!(reason(at(&root), at(&root), &[]), NothingLeft::SameEntry);
    assert_eq!(reason(at(&root), at(&label), &[]), NothingLeft::OnTheWay);
    assert_eq!(
        reason(at(&label), at(&answer), &[]),
        NothingLeft::NoMessages
    );
    let small = [("budget_tokens", json!(1))];
    let mut long = PiSession::new();
    let first = long.user("root");
    let last = long.user("more than one token");
    let long = read(&long);
    let pair = (ix(&long, &last), ix(&long, &first));
    let outcome = outcome(&long, pair, "pi-branch", &small, &Instructions::default());
    assert!(matches!(
        outcome.unwrap(),
        BranchOutcome::Nothing {
            reason: NothingLeft::NothingFits,
            ..
        }
    ));
}

#[test]
fn instructions_are_appended_or_take_the_requests_place() {
    let (ours, [_, _, other, leaf]) = fork();
    for name in ["pi-branch", "claude-code", "opencode", "single-shot"] {
        let prompt = |replace: bool| {
            let own = Instructions {
                text: Some("Only the file names.".into()),
                replace,
            };
            match outcome(&ours, (leaf, other), name, &[], &own).unwrap() {
                BranchOutcome::Summary { plan, .. } => plan.calls[0].prompt.clone(),
                BranchOutcome::Nothing { reason, .. } => panic!("{}", reason.message()),
            }
        };
        let (plain, appended, replaced) = (
            planned(&ours, (leaf, other), name, &[]).0.calls[0]
                .prompt
                .clone(),
            prompt(false),
            prompt(true),
        );
        assert!(appended.contains("Only the file names."), "{name}");
        assert!(appended.len() > plain.len(), "{name}");
        assert!(replaced.contains("Only the file names."), "{name}");
        assert!(replaced.len() < plain.len(), "{name}");
        assert!(replaced.contains("this way"), "{name}");
    }
}

#[test]
fn files_add_up_over_the_summaries_of_earlier_branches() {
    let mut session = PiSession::new();
    let root = session.user("root");
    session.assistant(Reply::new().call("edit", json!({"path": "deep.rs"})));
    session.tool_result("done");
    // What happened there is told under the root, and left again.
    session.branch_summary(&root.to_string(), "Deep things.");
    session.assistant(Reply::new().call("read", json!({"path": "deep.rs"})));
    session.tool_result("text");
    let leaf = session.assistant(Reply::new().call("read", json!({"path": "wide.rs"})));
    let ours = read(&session);
    let (plan, _) = planned(
        &ours,
        (ix(&ours, &leaf), ix(&ours, &root)),
        "pi-branch",
        &[],
    );
    assert_eq!(plan.files.read, ["wide.rs"]);
    assert_eq!(plan.files.modified, ["deep.rs"]);
    assert!(plan.calls[0].conversation().contains("Deep things."));
    // Lists of earlier summaries count though the summary itself does not fit.
    let few = [("budget_tokens", json!(10))];
    let (plan, _) = planned(
        &ours,
        (ix(&ours, &leaf), ix(&ours, &root)),
        "pi-branch",
        &few,
    );
    assert!(!plan.calls[0].conversation().contains("Deep things."));
    assert_eq!(plan.files.modified, ["deep.rs"]);
}

#[test]
fn a_summary_that_does_not_fit_is_let_in_below_nine_tenths() {
    let build = |tail: usize| {
        let mut session = PiSession::new();
        let root = session.user("root");
        session.user("left");
        session.branch_summary(&root.to_string(), &"s".repeat(400));
        // Four units are a token.
        let leaf = session.user(&"u".repeat(tail * 4));
        let ours = read(&session);
        let pair = (ix(&ours, &leaf), ix(&ours, &root));
        (ours, pair)
    };
    for (tail, taken) in [(89, 2), (90, 1)] {
        let (ours, pair) = build(tail);
        let (plan, _) = planned(&ours, pair, "pi-branch", &[("budget_tokens", json!(100))]);
        assert_eq!(plan.summarized.len(), taken, "{tail} of 100 tokens used");
    }
}

#[test]
fn every_preset_that_summarizes_can_tell_of_a_branch() {
    let (ours, [_, _, other, leaf]) = fork();
    for strategy in strategies() {
        let method = &Preset::known(strategy.name).unwrap().summarize.method;
        if matches!(method, Method::Fixed(_)) {
            let own = Instructions::default();
            let refused = outcome(&ours, (leaf, other), strategy.name, &[], &own).unwrap_err();
            let named =
                matches!(&refused, PlanError::NoSummary { strategy: own } if own == strategy.name);
            assert!(named, "{}: {refused}", strategy.name);
            continue;
        }
        let (plan, _) = planned(&ours, (leaf, other), strategy.name, &[]);
        assert!(!plan.summarized.is_empty(), "{}", strategy.name);
        let of_branch = |call: &palimpsest_compaction::PlannedCall| call.purpose == Purpose::Branch;
        assert!(plan.calls.iter().all(of_branch), "{}", strategy.name);
        let results = plan
            .items
            .iter()
            .filter(|item| item.fate == Fate::Summarized);
        let all = if strategy.name.starts_with("pi-branch") {
            2
        } else {
            3
        };
        assert_eq!(results.count(), all, "{}", strategy.name);
    }
}

#[tokio::test]
async fn a_run_for_a_branch_can_be_replayed_and_cancelled() {
    let (ours, [_, _, other, leaf]) = fork();
    let messages = |item: &ContextItem| ours.format.item_message(&ours.session, item, &ours);
    for name in [
        "pi-branch",
        "parallel-stitch",
        "sequential-rolling",
        "gemini-cli",
    ] {
        let set: &[(&str, Value)] = match name {
            "parallel-stitch" | "sequential-rolling" => &[("slice_tokens", json!(8))],
            _ => &[],
        };
        let (plan, context) = planned(&ours, (leaf, other), name, set);
        let material = CallMessages::load(&plan, &ours.session, &context, &messages).unwrap();
        let cancel = CancellationToken::new();
        let model = Model::default();
        let done = execute(&plan, &material, &model, &Unobserved, &cancel)
            .await
            .unwrap();
        assert_eq!(
            replay(&plan, &done.replies).unwrap(),
            done.summary,
            "{name}"
        );
        let recorded = Recorded::new(done.replies.clone());
        let again = execute(&plan, &material, &recorded, &Unobserved, &cancel)
            .await
            .unwrap();
        assert_eq!(again.summary, done.summary, "{name}");
        cancel.cancel();
        let stopped = execute(&plan, &material, &model, &Unobserved, &cancel).await;
        assert!(stopped.is_err(), "{name}");
    }
}

/// A step of a generated tree.
#[derive(Debug, Clone)]
enum Act {
    User(usize),
    Answer(usize),
    Tools(Vec<usize>),
    Compact,
    /// Goes on from this share of the entries, with a summary or without.
    Back(usize, bool),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        3 => (1_usize..200).prop_map(Act::User),
        3 => (1_usize..200).prop_map(Act::Answer),
        3 => prop::collection::vec(1_usize..300, 1..3).prop_map(Act::Tools),
        1 => Just(Act::Compact),
        3 => (0_usize..100, any::<bool>()).prop_map(|(share, told)| Act::Back(share, told)),
    ];
    prop::collection::vec(act, 2..30)
}

fn pi_tree(acts: &[Act]) -> InMemory {
    let mut session = PiSession::new();
    let mut ids = vec![session.user("root").to_string()];
    let words = |count: usize| "some words 12 ".repeat(count / 4 + 1);
    for act in acts {
        match act {
            Act::User(size) => ids.push(session.user(&words(*size)).to_string()),
            Act::Answer(size) => {
                ids.push(
                    session
                        .assistant(Reply::new().text(&words(*size)))
                        .to_string(),
                );
            }
            Act::Tools(sizes) => {
                let calls = sizes.iter().fold(Reply::new().text("so"), |reply, size| {
                    reply.call("read", json!({"path": format!("f{size}.rs")}))
                });
                ids.push(session.assistant(calls).to_string());
                for size in sizes {
                    ids.push(session.tool_result(&words(*size)).to_string());
                }
            }
            Act::Compact => {
                if session.cut(50).is_some() {
                    let spec = CompactionSpec::new("Before.").keep_recent(50);
                    ids.push(session.compact(spec).to_string());
                }
            }
            Act::Back(share, told) => {
                let to = ids[share * ids.len() / 100].clone();
                if *told {
                    ids.push(session.branch_summary(&to, "Elsewhere.").to_string());
                } else {
                    session.at(&to);
                }
            }
        }
    }
    read(&session)
}

fn holds_for_every_pair(ours: &InMemory, picks: &[(usize, usize)], budget: u64, more: u64) {
    let count = ours.session.entries.len();
    let messages = |item: &ContextItem| ours.format.item_message(&ours.session, item, ours);
    for &(from, to) in picks {
        let (from, to) = (EntryIx::new(from % count), EntryIx::new(to % count));
        let left = collect(&ours.tree, Some(from), to);
        let shared: HashSet<EntryIx> = ours.tree.path(to).into_iter().collect();
        let mut expected = ours.tree.path(from);
        expected.retain(|ix| !shared.contains(ix));
        assert_eq!(left.entries, expected);
        let deepest = ours
            .tree
            .path(from)
            .into_iter()
            .rfind(|ix| shared.contains(ix));
        assert_eq!(left.common_ancestor, deepest);
        for skip_tool_results in [true, false] {
            let rules = BranchRules {
                skip_tool_results,
                ..BranchRules::default()
            };
            let choice = |budget: u64| {
                choose(&ours.session, &left.entries, budget, rules, &messages).unwrap()
            };
            let (less, all) = (choice(budget), choice(0));
            assert_eq!(all.start, 0, "no limit takes all");
            let sum: u64 = less.taken().iter().map(|item| item.estimate).sum();
            assert_eq!(sum, less.total_tokens);
            // Only a summary, and only the oldest taken, may exceed the budget.
            if let Some((oldest, others)) = less.taken().split_first() {
                let rest: u64 = others.iter().map(|item| item.estimate).sum();
                let let_in = oldest.origin == Origin::Summary && rest * 10 < budget * 9;
                assert!(sum <= budget || let_in, "{sum} of {budget}");
            }
            assert!(
                choice(budget + more).start <= less.start,
                "more budget holds less"
            );
            if !skip_tool_results && less.start > 0 {
                let first = less.taken().first();
                assert!(
                    first.is_none_or(|item| item.role != Role::Tool),
                    "a result without call"
                );
            }
        }
    }
}

/// The sessions of every format that are kept for its reader's tests.
fn fixtures() -> Vec<(String, InMemory)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../formats/tests/fixtures");
    let mut all = Vec::new();
    for agent in ["pi", "claude-code", "codex", "opencode"] {
        let format = format_of(agent_named(agent).unwrap()).unwrap();
        for file in std::fs::read_dir(folder.join(agent).join("valid")).unwrap() {
            let path = file.unwrap().path();
            let name = format!("{agent}/{}", path.file_name().unwrap().display());
            if path.is_file() {
                let bytes = std::fs::read(&path).unwrap();
                let ours = InMemory::read(format, &name, bytes);
                if !ours.session.entries.is_empty() {
                    all.push((name, ours));
                }
            }
        }
    }
    all
}

#[test]
fn any_pair_of_nodes_of_every_format() {
    let mut planned_by_agent: HashMap<String, usize> = HashMap::new();
    for (name, ours) in fixtures() {
        let count = ours.session.entries.len();
        // Every pair of small sessions, and some of all.
        let picks: Vec<(usize, usize)> = (0..count * count)
            .step_by((count * count / 60).max(1))
            .map(|at| (at / count, at % count))
            .collect();
        for budget in [20, 300] {
            holds_for_every_pair(&ours, &picks, budget, 100);
        }
        for &(from, to) in &picks {
            let pair = (EntryIx::new(from), EntryIx::new(to));
            for preset in ["pi-branch", "claude-code", "sequential-rolling"] {
                let outcome = outcome(&ours, pair, preset, &[], &Instructions::default()).unwrap();
                if let BranchOutcome::Summary { plan, .. } = outcome {
                    // Messages without a word, such as a lone image, may need no call.
                    let asked = plan.calls.iter().all(|call| !call.prompt.is_empty());
                    assert!(asked, "{name} {preset}");
                    let agent = name.split('/').next().unwrap_or_default();
                    *planned_by_agent.entry(agent.to_owned()).or_default() += 1;
                }
            }
        }
    }
    for agent in ["pi", "claude-code", "codex", "opencode"] {
        let planned = planned_by_agent.get(agent);
        assert!(
            planned.is_some_and(|&planned| planned > 10),
            "{agent}: {planned:?}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_pair_of_nodes_of_any_tree(
        acts in acts(),
        picks in prop::collection::vec((any::<usize>(), any::<usize>()), 1..6),
        budget in 1_u64..600,
        more in 0_u64..600,
    ) {
        holds_for_every_pair(&pi_tree(&acts), &picks, budget, more);
    }

    #[test]
    fn plans_for_branches_hold_together(acts in acts(), from in any::<usize>(), to in any::<usize>()) {
        let ours = pi_tree(&acts);
        let count = ours.session.entries.len();
        let pair = (EntryIx::new(from % count), EntryIx::new(to % count));
        for name in ["pi-branch", "claude-code", "factory-droid", "parallel-stitch"] {
            let outcome = outcome(&ours, pair, name, &[], &Instructions::default()).unwrap();
            let BranchOutcome::Summary { plan, context } = outcome else { continue };
            let part = plan.branch.as_ref().unwrap();
            prop_assert_eq!(plan.items.len(), context.items.len());
            // Taken, over budget and skipped are what is left behind, and nothing else.
            let told: HashSet<EntryIx> = plan.summarized.iter().chain(&part.over_budget).copied().collect();
            prop_assert!(told.iter().all(|ix| part.entries.contains(ix)), "{}", name);
            // No stage touches where one goes on.
            let destination = ours.context(Some(pair.1));
            let before: u64 = destination.items.iter().map(|item| item.estimate).sum();
            let stays = &plan.items[..destination.items.len()];
            prop_assert!(stays.iter().all(|item| matches!(item.fate, Fate::Kept | Fate::System)));
            prop_assert_eq!(stays.iter().map(|item| item.tokens).sum::<u64>(), before);
            prop_assert!(plan.estimated_tokens_after >= before);
            let summary = plan.estimated_tokens_after - plan.kept_tokens;
            prop_assert_eq!(plan.may_grow, summary > part.taken_tokens, "{}", name);
        }
    }
}
