//! What holds for every plan of every preset over generated sessions.

use crate::common::{outcome, read};
use palimpsest_compaction::assemble::NextItem;
use palimpsest_compaction::plan::{Memo, MemoKey};
use palimpsest_compaction::select::Fate;
use palimpsest_compaction::{
    Instructions, ItemMessages, Plan, PlanError, PlanInput, PlanOutcome, stage_kinds, strategies,
    strategy,
};
use palimpsest_core::{BodyError, Context, ContextItem, Message, Role};
use palimpsest_formats::InMemory;
use palimpsest_testkit::session::{CompactionSpec, PiSession, Reply};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::LazyLock;

/// A step of a generated session.
#[derive(Debug, Clone)]
enum Act {
    User(usize),
    Answer(usize),
    Tools(Vec<usize>),
    Label,
    Compact,
    /// Back to the entry at this share of those there are, in thousandths: a branch begins.
    Back(usize),
    /// The same, with a summary of what is left.
    Leave(usize),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        3 => (1_usize..300).prop_map(Act::User),
        3 => (1_usize..300).prop_map(Act::Answer),
        4 => prop::collection::vec(1_usize..600, 1..4).prop_map(Act::Tools),
        1 => Just(Act::Label),
        1 => Just(Act::Compact),
        1 => (0_usize..1_000).prop_map(Act::Back),
        1 => (0_usize..1_000).prop_map(Act::Leave),
    ];
    prop::collection::vec(act, 1..24)
}

fn build(acts: &[Act]) -> InMemory {
    let mut session = PiSession::new();
    let mut ids: Vec<String> = Vec::new();
    let words = |count: usize| "some words 12 ".repeat(count / 4 + 1);
    for act in acts {
        match act {
            Act::User(size) => {
                session.user(&words(*size));
            }
            Act::Answer(size) => {
                session.assistant(Reply::new().text(&words(*size)));
            }
            Act::Tools(sizes) => {
                let calls = sizes.iter().fold(Reply::new().text("so"), |reply, size| {
                    reply.call("read", json!({"path": format!("f{size}.rs")}))
                });
                session.assistant(calls);
                for size in sizes {
                    session.tool_result(&words(*size));
                }
            }
            Act::Label => {
                if let Some(leaf) = session.leaf() {
                    session.label(&leaf, Some("here"));
                }
            }
            Act::Compact => {
                if session.cut(50).is_some() {
                    session.compact(CompactionSpec::new("Before.").keep_recent(50));
                }
            }
            Act::Back(share) => {
                if let Some(id) = ids.get(share * ids.len() / 1_000) {
                    session.at(id);
                }
            }
            Act::Leave(share) => {
                if let Some(id) = ids.get(share * ids.len() / 1_000) {
                    session.branch_summary(&id.clone(), "Elsewhere.");
                }
            }
        }
        // Only behind whole turns of calls, as an agent's own branches begin.
        ids.extend(session.leaf());
    }
    read(&session)
}

fn plan(ours: &InMemory, name: &str, set: &[(&str, Value)]) -> Result<Option<Plan>, PlanError> {
    match outcome(ours, name, set)?.0 {
        PlanOutcome::Compaction(plan) => Ok(Some(*plan)),
        PlanOutcome::Nothing { .. } => Ok(None),
    }
}

fn takes_keep(strategy: &palimpsest_compaction::Strategy) -> bool {
    let mut params = strategy.params.iter();
    params.any(|param| param.name == "keep_recent_tokens")
}

/// What every plan keeps to, whatever its stages are.
fn holds_together(plan: &Plan, context: &Context) -> Result<(), TestCaseError> {
    // Spans part the context: every item has one fate, and the lists follow from them.
    prop_assert_eq!(plan.items.len(), context.items.len());
    let mut spans: Vec<_> = plan
        .summarized
        .iter()
        .chain(&plan.turn_prefix)
        .chain(&plan.dropped)
        .copied()
        .collect();
    let visible = context
        .items
        .iter()
        .zip(&plan.items)
        .filter(|(_, planned)| !matches!(planned.fate, Fate::System | Fate::Carried));
    let mut all: Vec<_> = visible
        .filter_map(|(item, _)| item.entries.first().copied())
        .collect();
    spans.extend(plan.kept.iter().filter(|kept| all.contains(kept)));
    spans.sort();
    all.sort();
    all.dedup();
    prop_assert_eq!(spans, all, "{}", plan.strategy);
    // A kept result has its call: the nearest item before it that is no result.
    for (at, item) in context.items.iter().enumerate() {
        if item.role == Role::Tool && plan.items[at].fate == Fate::Kept {
            let call = context.items[..at]
                .iter()
                .rposition(|before| before.role != Role::Tool)
                .unwrap();
            prop_assert_eq!(plan.items[call].fate, Fate::Kept);
        }
    }
    prop_assert_eq!(
        plan.may_grow,
        plan.estimated_tokens_after > plan.estimated_tokens_before
    );
    // Calls wait only for earlier ones, and for all that they quote.
    for (number, call) in plan.calls.iter().enumerate() {
        prop_assert!(call.after.iter().all(|&before| before < number));
        prop_assert!(
            call.slots
                .iter()
                .all(|slot| call.after.contains(&slot.call))
        );
        prop_assert!(call.prompt.get(call.conversation.clone()).is_some());
    }
    Ok(())
}

/// Messages of a session, with everything kept that plans work out from them.
struct Keeping<'a> {
    ours: &'a InMemory,
    memos: RefCell<HashMap<MemoKey, Memo>>,
    only_counts: bool,
    /// How often a memo was there already.
    found: Cell<u64>,
}

impl<'a> Keeping<'a> {
    fn of(ours: &'a InMemory, only_counts: bool) -> Keeping<'a> {
        Keeping {
            ours,
            memos: RefCell::default(),
            only_counts,
            found: Cell::new(0),
        }
    }

    fn plan(
        &self,
        context: &Context,
        name: &str,
        set: &[(&str, Value)],
    ) -> Result<Option<Plan>, PlanError> {
        // Some strategies refuse to plan without.
        let instructions = Instructions {
            text: (name == "amp-handoff").then(|| "Build the clock.".to_owned()),
            replace: false,
        };
        let input = PlanInput {
            session: &self.ours.session,
            context,
            messages: self,
            instructions: &instructions,
            vectors: None,
        };
        let set = set
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()));
        let settings: Map<String, Value> = set.collect();
        Ok(match strategy::plan(name, &settings, &input)? {
            PlanOutcome::Compaction(plan) => Some(*plan),
            PlanOutcome::Nothing { .. } => None,
        })
    }
}

impl ItemMessages for Keeping<'_> {
    fn message(&self, item: &ContextItem) -> Result<Message, BodyError> {
        let ours = self.ours;
        ours.format.item_message(&ours.session, item, ours)
    }

    fn memo(
        &self,
        key: MemoKey,
        make: &mut dyn FnMut() -> Result<Memo, BodyError>,
    ) -> Result<Memo, BodyError> {
        if let Some(memo) = self.memos.borrow().get(&key) {
            self.found.set(self.found.get() + 1);
            return Ok(memo.clone());
        }
        let memo = make()?;
        self.memos.borrow_mut().insert(key, memo.clone());
        Ok(memo)
    }

    fn only_counts(&self) -> bool {
        self.only_counts
    }
}

/// A plan as one that only counts has it.
fn without_conversations(mut plan: Plan) -> Plan {
    for call in &mut plan.calls {
        call.prompt = String::new();
        call.conversation = 0..0;
        call.messages.clear();
        call.parts.iter_mut().for_each(|part| part.range = 0..0);
        call.slots.iter_mut().for_each(|slot| slot.range = 0..0);
    }
    for own in &mut plan.fallbacks {
        *own.plan = without_conversations((*own.plan).clone());
    }
    plan
}

#[test]
fn a_long_tail_as_text_ends_early_where_a_plan_only_counts() {
    let mut session = PiSession::new();
    for _ in 0..40 {
        session.user(&"abc ".repeat(2_000));
    }
    let ours = read(&session);
    let context = ours.context(ours.session.active_leaf);
    let text = |only_counts: bool, tokens: u64| {
        let set = [("fitting_tokens", json!(tokens))];
        let keeping = Keeping::of(&ours, only_counts);
        let plan = keeping
            .plan(&context, "opencode-v2", &set)
            .unwrap()
            .unwrap();
        match plan.next.into_iter().next_back() {
            Some(NextItem::Text { text, tokens, .. }) => (text.len(), tokens, plan.kept_tokens),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(text(true, 8_000), text(false, 8_000));
    let (whole, brief) = (text(false, 70_000), text(true, 70_000));
    assert!(whole.0 > 270_000, "{whole:?}");
    // The message with which it is long enough is the last.
    assert!((96_000..96_000 + 8_100).contains(&brief.0), "{brief:?}");
    assert_eq!((whole.1, whole.2), (brief.1, brief.2));
}

/// The strategies, listed once: a listing has every parameter of every one.
static ALL: LazyLock<Vec<palimpsest_compaction::Strategy>> = LazyLock::new(strategies);

/// The kinds of the first stage.
static SELECT_KINDS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let kinds = stage_kinds().into_iter();
    let of_select = kinds.filter(|kind| kind.stage == "select");
    of_select.map(|kind| kind.kind).collect()
});

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_plan_holds_together(acts in acts(), keep in 1_u64..800) {
        let ours = build(&acts);
        let context = ours.context(ours.session.active_leaf);
        for strategy in ALL.iter() {
            let mut set = Vec::new();
            if takes_keep(strategy) {
                set.push(("keep_recent_tokens", json!(keep)));
            }
            let Some(plan) = plan(&ours, strategy.name, &set).unwrap() else { continue };
            holds_together(&plan, &context)?;
        }
    }

    #[test]
    fn a_larger_tail_never_keeps_less(acts in acts(), keep in 1_u64..800, more in 0_u64..800) {
        let ours = build(&acts);
        for strategy in ALL.iter() {
            if !takes_keep(strategy) {
                continue;
            }
            let kept = |tokens: u64| {
                let set = [("keep_recent_tokens", json!(tokens))];
                plan(&ours, strategy.name, &set).unwrap().map(|plan| plan.kept)
            };
            if let (Some(less), Some(more)) = (kept(keep), kept(keep + more)) {
                prop_assert!(less.iter().all(|ix| more.contains(ix)), "{}", strategy.name);
            }
        }
    }

    #[test]
    fn no_call_exceeds_its_budget(
        acts in acts(),
        limit in 300_u64..2_000,
        rule in prop::sample::select(
            vec!["fail", "drop_oldest", "drop_newest", "keep_more", "middle_out_tool_results"]
        ),
    ) {
        let ours = build(&acts);
        for strategy in ALL.iter() {
            let set = [
                ("max_input_tokens", json!(limit)),
                ("summarize.overflow", json!({"kind": rule})),
            ];
            match plan(&ours, strategy.name, &set) {
                Ok(Some(plan)) => {
                    prop_assert!(plan.calls.iter().all(|call| call.input_tokens <= limit));
                }
                Ok(None) | Err(PlanError::OverBudget { .. }) => {}
                Err(other) => prop_assert!(false, "{}: {other}", strategy.name),
            }
        }
    }

    #[test]
    fn a_cut_by_hand_falls_where_it_may(acts in acts(), share in 0_usize..1_000, split in any::<bool>()) {
        let ours = build(&acts);
        let context = ours.context(ours.session.active_leaf);
        let Some(&wanted) = context.selected.get(share * context.selected.len() / 1_000) else {
            return Ok(());
        };
        let id = ours.session.entry(wanted).id.to_string();
        let cut = json!({"kind": "cut_at", "first_kept": id, "split_turns": split});
        for strategy in ALL.iter() {
            let Some(plan) = plan(&ours, strategy.name, &[("select", cut.clone())]).unwrap() else {
                continue;
            };
            holds_together(&plan, &context)?;
            // What is kept is one tail, at or before the wanted entry, except what a preset's
            // own rules leave out of a call or keep besides.
            let order = |ix| context.selected.iter().position(|&own| own == ix);
            let first = plan.first_kept.and_then(order);
            // Nothing before the carried compaction can be kept.
            let floor = plan.previous_compaction.and_then(order).map(|at| at + 1);
            prop_assert!(first <= order(wanted).max(floor), "{}: {first:?}", strategy.name);
            prop_assert!(split || plan.turn_prefix.is_empty());
            if strategy.name == "goose-tool-pairs" {
                // It tells of tool calls only: what else was said stays, wherever the cut is.
                prop_assert!(plan.dropped.is_empty() && plan.turn_prefix.is_empty());
                for (at, planned) in plan.items.iter().enumerate() {
                    let told = plan.calls.iter().any(|call| call.items.contains(&at));
                    prop_assert_eq!(told, planned.fate == Fate::Summarized);
                    let item = &context.items[at];
                    let calls = item.entries.iter()
                        .any(|&ix| !ours.session.entry(ix).tool_calls.is_empty());
                    prop_assert!(!told || calls || item.role == Role::Tool);
                }
            }
        }
    }

    #[test]
    fn every_kind_of_choice_holds_together(
        acts in acts(),
        kind in prop::sample::select(SELECT_KINDS.clone()),
        strategy in prop::sample::select(ALL.iter().map(|own| own.name).collect::<Vec<_>>()),
        picked in prop::collection::vec(0_usize..1_000, 0..4),
    ) {
        let ours = build(&acts);
        let context = ours.context(ours.session.active_leaf);
        let selected = &context.selected;
        let ids: Vec<String> = picked.iter()
            .filter_map(|share| selected.get(share * selected.len() / 1_000))
            .map(|&ix| ours.session.entry(ix).id.to_string())
            .collect();
        let mut set = vec![("select.kind", json!(kind))];
        match kind {
            "entries" => set.push(("select.ids", json!(ids))),
            "from_entry" => set.push(("entry_id", json!(ids.first().cloned().unwrap_or_default()))),
            _ => {}
        }
        if let Some(plan) = plan(&ours, strategy, &set).unwrap() {
            holds_together(&plan, &context)?;
            if kind == "entries" {
                // Every chosen entry that says something is summarized, or stays where the method
                // tells of tool calls only.
                let pairs = strategy == "goose-tool-pairs";
                for (item, planned) in context.items.iter().zip(&plan.items) {
                    let chosen = item.entries.iter()
                        .any(|&ix| ids.iter().any(|id| *id == ours.session.entry(ix).id.to_string()));
                    let own = matches!(planned.fate, Fate::System | Fate::Carried);
                    let stays = pairs && planned.fate == Fate::Kept;
                    prop_assert!(own || !chosen || stays || planned.fate == Fate::Summarized);
                }
            }
        }
    }
}

proptest! {
    // Each case makes hundreds of plans.
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn what_is_kept_changes_nothing(
        acts in acts(),
        cuts in prop::collection::vec(0_usize..1_000, 1..4),
        limit in 300_u64..4_000,
        rule in prop::sample::select(
            vec!["keep_more", "drop_oldest", "cut_middle", "shorten_messages"]
        ),
        cap in 1_u64..600,
    ) {
        let ours = build(&acts);
        let context = ours.context(ours.session.active_leaf);
        let mut sets: Vec<Vec<(&str, Value)>> = vec![Vec::new()];
        for share in cuts {
            let wanted = context.selected.get(share * context.selected.len() / 1_000);
            let Some(&wanted) = wanted else { continue };
            let id = ours.session.entry(wanted).id.to_string();
            sets.push(vec![("select", json!({"kind": "cut_at", "first_kept": id}))]);
        }
        // What is made smaller first, by more than one step, then left out where it is too much.
        let steps = json!([
            {"kind": "cap_tool_results", "max_chars": cap},
            {"kind": "shorten_old_results", "protect_tokens": 0, "whole_span_tokens": 0,
                "head_chars": 9, "tail_chars": 7},
            {"kind": "clear_tool_results", "keep_results": 2},
        ]);
        sets.push(vec![("reduce", steps)]);
        sets.push(vec![
            ("max_input_tokens", json!(limit)),
            ("summarize.overflow", json!({"kind": rule})),
        ]);
        // One store for all strategies, so that no two of them mean different things by one key.
        let (keeping, counting) = (Keeping::of(&ours, false), Keeping::of(&ours, true));
        let mut asks = false;
        for strategy in ALL.iter() {
            for set in &sets {
                let fresh = match plan(&ours, strategy.name, set) {
                    Ok(fresh) => fresh,
                    Err(PlanError::OverBudget { .. }) => {
                        let kept = keeping.plan(&context, strategy.name, set);
                        let refused = matches!(kept, Err(PlanError::OverBudget { .. }));
                        prop_assert!(refused, "{}", strategy.name);
                        continue;
                    }
                    Err(other) => return Err(TestCaseError::fail(other.to_string())),
                };
                asks |= fresh.iter().flat_map(|plan| &plan.calls).any(|call| !call.parts.is_empty());
                let kept = keeping.plan(&context, strategy.name, set).unwrap();
                prop_assert_eq!(&kept, &fresh, "{}", strategy.name);
                let counted = counting.plan(&context, strategy.name, set).unwrap();
                let same = counted.map(without_conversations) == fresh.map(without_conversations);
                prop_assert!(same, "{} counts otherwise", strategy.name);
            }
        }
        prop_assert!(!asks || keeping.found.get() > 0);
    }
}
