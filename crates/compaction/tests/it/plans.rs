//! Plans and runs over small sessions: what is cut, what is asked, and what becomes of replies.

use async_trait::async_trait;
use palimpsest_compaction::execute::Unobserved;
use palimpsest_compaction::{
    CallContext, CallMessages, CallObserver, Instructions, NothingToDo, Plan, PlanError, PlanInput,
    PlanOutcome, Purpose, RunFailure, Said, SummarizeError, Summarizer, Writer, branch, execute,
    pi, strategies, strategy,
};
use palimpsest_core::call::{ModelReply, StopReason};
use palimpsest_core::{ContextItem, EntryIx, Failure as _, Usage};
use palimpsest_formats::{InMemory, pi::Pi};
use palimpsest_testkit::session::{CompactionSpec, PiSession, Reply};
use serde_json::{Map, Value, json};
use std::sync::Mutex;
use tokio_util::sync::CancellationToken;

fn read(session: &PiSession) -> InMemory {
    InMemory::read(&Pi, "x", session.to_jsonl().into_bytes())
}

fn settings(list: &[(&str, Value)]) -> Map<String, Value> {
    list.iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect()
}

struct Planned {
    outcome: PlanOutcome,
    material: Option<CallMessages>,
}

fn plan_with(ours: &InMemory, name: &str, set: &[(&str, Value)], own: &Instructions) -> Planned {
    let context = ours.context(ours.session.active_leaf);
    let messages = |item: &ContextItem| ours.format.item_message(&ours.session, item, ours);
    let input = PlanInput {
        session: &ours.session,
        context: &context,
        messages: &messages,
        instructions: own,
        vectors: None,
    };
    let outcome = strategy::plan(name, &settings(set), &input).unwrap();
    let material = match &outcome {
        PlanOutcome::Compaction(plan) => {
            Some(CallMessages::load(plan, &ours.session, &context, &messages).unwrap())
        }
        PlanOutcome::Nothing { .. } => None,
    };
    Planned { outcome, material }
}

fn plan_of(ours: &InMemory, set: &[(&str, Value)]) -> Plan {
    match plan_with(ours, "pi", set, &Instructions::default()).outcome {
        PlanOutcome::Compaction(plan) => *plan,
        PlanOutcome::Nothing { reason } => panic!("nothing to do: {reason:?}"),
    }
}

fn ids(ours: &InMemory, list: &[EntryIx]) -> Vec<String> {
    list.iter()
        .map(|&ix| ours.session.entry(ix).id.to_string())
        .collect()
}

/// Two turns; the second has two replies with a tool call between them.
fn two_turns() -> (PiSession, Vec<String>) {
    let mut session = PiSession::new();
    let ids = vec![
        session.user(&"first question ".repeat(8)),
        session.assistant(Reply::new().text(&"first answer ".repeat(8))),
        session.user(&"second question ".repeat(8)),
        session.assistant(
            Reply::new()
                .text("Looking.")
                .call("read", json!({"path": "gears.toml"}))
                .call("edit", json!({"path": "orbit.rs"})),
        ),
        session.tool_result(&"teeth ".repeat(30)),
        session.tool_result("changed"),
        session.assistant(Reply::new().text(&"second answer ".repeat(8))),
    ];
    (session, ids.into_iter().map(|id| id.to_string()).collect())
}

#[test]
fn a_cut_between_turns_asks_once() {
    let (session, id) = two_turns();
    let ours = read(&session);
    let total = ours.context(ours.session.active_leaf).estimated;
    let first_turn = 30 + 26;
    let plan = plan_of(&ours, &[("keep_recent_tokens", json!(total - first_turn))]);
    assert!(!plan.is_split_turn);
    assert_eq!(
        ours.session.entry(plan.first_kept.unwrap()).id.as_str(),
        id[2]
    );
    assert_eq!(ids(&ours, &plan.summarized), id[..2]);
    assert_eq!(ids(&ours, &plan.kept), id[2..]);
    assert_eq!(plan.turn_prefix, []);
    let [call] = plan.calls.as_slice() else {
        panic!("{} calls", plan.calls.len())
    };
    assert_eq!(call.purpose, Purpose::History);
    assert!(call.conversation().starts_with("[User]: first question"));
    assert!(call.prompt.contains("## Critical Context"));
    assert_eq!(call.max_output_tokens, None);
    assert_eq!(plan.assemble(&["S"]).unwrap(), "S");
    assert!(plan.assemble(&[]).is_err());
}

#[test]
fn a_cut_inside_a_turn_asks_twice_and_joins_the_replies() {
    let (session, id) = two_turns();
    let ours = read(&session);
    let plan = plan_of(&ours, &[("keep_recent_tokens", json!(10))]);
    assert!(plan.is_split_turn);
    assert_eq!(
        plan.turn_start
            .map(|ix| ours.session.entry(ix).id.to_string()),
        Some(id[2].clone())
    );
    assert_eq!(ids(&ours, &plan.summarized), id[..2]);
    assert_eq!(ids(&ours, &plan.turn_prefix), id[2..6]);
    let purposes: Vec<Purpose> = plan.calls.iter().map(|call| call.purpose).collect();
    assert_eq!(purposes, [Purpose::History, Purpose::TurnPrefix]);
    assert_eq!(plan.files.read, ["gears.toml"]);
    assert_eq!(plan.files.modified, ["orbit.rs"]);
    assert_eq!(
        plan.assemble(&["H", "P"]).unwrap(),
        "H\n\n---\n\n**Turn Context (split turn):**\n\nP\n\n<read-files>\ngears.toml\n\
         </read-files>\n\n<modified-files>\norbit.rs\n</modified-files>"
    );
}

#[test]
fn a_second_compaction_carries_the_first_on() {
    let (mut session, _) = two_turns();
    session.compact(CompactionSpec::new("What was before.").keep_recent(10));
    let question = session.user("third question");
    let ours = read(&session);
    let plan = plan_of(&ours, &[("keep_recent_tokens", json!(1))]);
    let previous = plan.previous_summary.as_deref().unwrap();
    assert!(previous.starts_with("What was before.\n\n<read-files>"));
    assert_eq!(
        ours.session.entry(plan.first_kept.unwrap()).id.as_str(),
        question.to_string()
    );
    // The tail kept by the first compaction is summarized now; the summary itself is not.
    assert_eq!(plan.summarized.len(), 1);
    assert!(!plan.calls[0].conversation().contains("What was before."));
    let carried = format!("<previous-summary>\n{previous}\n</previous-summary>\n\n");
    assert!(plan.calls[0].prompt.contains(&carried));
    assert_eq!(plan.files.modified, ["orbit.rs"]);
}

#[test]
fn a_turn_prefix_without_new_history_keeps_the_previous_summary() {
    let mut session = PiSession::new();
    session.user("before");
    session.assistant(Reply::new().text("done"));
    session.compact(CompactionSpec::new("Old.").keep_nothing());
    session.user(&"long request ".repeat(20));
    session.assistant(Reply::new().text(&"long reply ".repeat(20)));
    let ours = read(&session);
    let keep = ("keep_recent_tokens", json!(5));
    let plan = plan_of(&ours, std::slice::from_ref(&keep));
    assert_eq!(plan.fixed_history.as_deref(), Some("Old."));
    assert!(
        plan.assemble(&["P"])
            .unwrap()
            .starts_with("Old.\n\n---\n\n")
    );
    let lost = plan_of(&ours, &[keep, ("reuse_previous_summary", json!(false))]);
    assert_eq!(lost.fixed_history.as_deref(), Some("No prior history."));
}

#[test]
fn nothing_to_do_has_a_reason() {
    let reason_of = |session: &PiSession, strategy: &str, set: &[(&str, serde_json::Value)]| {
        let own = Instructions::default();
        match plan_with(&read(session), strategy, set, &own).outcome {
            PlanOutcome::Nothing { reason } => reason,
            PlanOutcome::Compaction(_) => panic!("there should be nothing to do"),
        }
    };
    let reason = |session: &PiSession| reason_of(session, "pi", &[]);
    assert_eq!(reason(&PiSession::new()), NothingToDo::Empty);
    let (mut session, _) = two_turns();
    assert_eq!(reason(&session), NothingToDo::TooSmall);
    assert_eq!(
        reason_of(&session, "opencode-prune", &[]),
        NothingToDo::NothingCleared
    );
    let elsewhere = [
        ("select.kind", serde_json::json!("cut_at")),
        ("first_kept", serde_json::json!("elsewhere")),
    ];
    assert_eq!(
        reason_of(&session, "pi", &elsewhere),
        NothingToDo::NothingChosen
    );
    session.compact(CompactionSpec::new("Done.").keep_recent(10));
    assert_eq!(reason(&session), NothingToDo::AlreadyCompacted);
}

#[test]
fn the_trigger_is_strict() {
    // pi's own figures (`compaction.test.ts`).
    assert!(pi::should_compact(95_000, 100_000, 10_000));
    assert!(!pi::should_compact(90_000, 100_000, 10_000));
    assert!(!pi::should_compact(89_000, 100_000, 10_000));
    assert!(pi::should_compact(1, 8_000, 16_384));
}

#[test]
fn strategies_differ_as_they_say() {
    let (session, _) = two_turns();
    let ours = read(&session);
    let own = Instructions {
        text: Some("Keep the numbers.".into()),
        replace: false,
    };
    let keep = [("keep_recent_tokens", json!(10))];
    let plan = |name: &str| match plan_with(&ours, name, &keep, &own).outcome {
        PlanOutcome::Compaction(plan) => *plan,
        PlanOutcome::Nothing { reason } => panic!("{reason:?}"),
    };
    let newest = plan("pi");
    assert!(newest.calls.iter().all(|call| {
        call.prompt
            .ends_with("\n\nAdditional focus: Keep the numbers.")
    }));
    let older = plan("pi-0.87");
    let limits: Vec<Option<u64>> = older
        .calls
        .iter()
        .map(|call| call.max_output_tokens)
        .collect();
    assert_eq!(limits, [Some(13_107), Some(8_192)]);
    assert!(!older.calls[1].prompt.contains("Keep the numbers."));
    let cut = plan("truncate");
    assert_eq!((cut.first_kept, cut.calls.len()), (newest.first_kept, 0));
    let summary = cut.assemble(&[]).unwrap();
    assert!(summary.contains("<modified-files>\norbit.rs\n"));
    assert_eq!(cut.estimated_tokens_after, cut.tokens_after(&summary));
    for known in strategies() {
        let takes_keep = known.params.iter().any(|own| own.name == keep[0].0);
        let set = if takes_keep { &keep[..] } else { &[] };
        // Some find nothing to do in a session as small as this.
        if let PlanOutcome::Compaction(plan) = plan_with(&ours, known.name, set, &own).outcome {
            assert_eq!(plan.strategy, known.name);
        }
    }
}

#[test]
fn an_unknown_strategy_is_refused_with_the_known_ones() {
    let ours = read(&PiSession::new());
    let context = ours.context(None);
    let messages = |item: &ContextItem| ours.format.item_message(&ours.session, item, &ours);
    let instructions = Instructions::default();
    let input = PlanInput {
        session: &ours.session,
        context: &context,
        messages: &messages,
        instructions: &instructions,
        vectors: None,
    };
    let error = strategy::plan("magic", &Map::new(), &input).unwrap_err();
    assert!(matches!(&error, PlanError::UnknownStrategy { .. }));
    let next = error.next().map(|step| step.to_string());
    assert!(next.is_some_and(|step| step.contains("extractive")));
}

/// Answers from a list and remembers what it was asked.
struct Scripted {
    replies: Mutex<Vec<Result<(&'static str, StopReason), SummarizeError>>>,
    asked: Mutex<Vec<(Purpose, usize, Option<String>)>>,
}

impl Scripted {
    fn new(replies: Vec<Result<(&'static str, StopReason), SummarizeError>>) -> Scripted {
        Scripted {
            replies: Mutex::new(replies),
            asked: Mutex::default(),
        }
    }
}

#[async_trait]
impl Summarizer for Scripted {
    async fn call(
        &self,
        context: &CallContext<'_>,
        observer: &dyn CallObserver,
        _cancel: &CancellationToken,
    ) -> Result<ModelReply, SummarizeError> {
        let previous = context.previous_summary.map(str::to_owned);
        let asked = (context.call.purpose, context.span.items.len(), previous);
        self.asked.lock().unwrap().push(asked);
        let (text, stop) = self.replies.lock().unwrap().remove(0)?;
        observer.text(text);
        let usage = Usage {
            input: 10,
            output: 2,
            ..Usage::default()
        };
        Ok(ModelReply {
            block_starts: Vec::new(),
            text: text.to_owned(),
            stop,
            usage,
            model: None,
        })
    }
}

fn split_plan() -> (Plan, CallMessages) {
    let (session, _) = two_turns();
    let ours = read(&session);
    let keep = [("keep_recent_tokens", json!(10))];
    let planned = plan_with(&ours, "pi", &keep, &Instructions::default());
    match planned.outcome {
        PlanOutcome::Compaction(plan) => (*plan, planned.material.unwrap()),
        PlanOutcome::Nothing { reason } => panic!("{reason:?}"),
    }
}

#[tokio::test]
async fn a_run_asks_in_order_and_sums_the_usage() {
    let (plan, material) = split_plan();
    let model = Scripted::new(vec![
        Ok(("H", StopReason::Stop)),
        Ok(("P", StopReason::Stop)),
    ]);
    let cancel = CancellationToken::new();
    let outcome = execute(&plan, &material, &model, &Unobserved, &cancel)
        .await
        .unwrap();
    assert_eq!(outcome.summary, plan.assemble(&["H", "P"]).unwrap());
    assert_eq!((outcome.usage.input, outcome.usage.output), (20, 4));
    assert_eq!(outcome.tokens_after, plan.tokens_after(&outcome.summary));
    let asked = model.asked.lock().unwrap().clone();
    assert_eq!(
        asked,
        [(Purpose::History, 2, None), (Purpose::TurnPrefix, 4, None)]
    );
}

fn second_call() -> String {
    "the summary of the split turn's beginning".to_owned()
}

#[tokio::test]
async fn a_reply_that_is_no_summary_ends_the_run_and_keeps_what_was_paid_for() {
    for (second, failure) in [
        (
            Ok(("half", StopReason::Length)),
            RunFailure::Incomplete {
                call: second_call(),
                limit: None,
            },
        ),
        (
            Ok(("", StopReason::ToolCall)),
            RunFailure::ToolCall {
                call: second_call(),
            },
        ),
        (
            Ok(("no", StopReason::Refusal)),
            RunFailure::Refused {
                call: second_call(),
                said: Box::new(Said {
                    model: None,
                    words: "no".to_owned(),
                }),
            },
        ),
        (
            Ok((" \n", StopReason::Stop)),
            RunFailure::Empty {
                call: second_call(),
                writer: Writer::Model,
            },
        ),
        (Err(SummarizeError::Cancelled), RunFailure::Cancelled),
        (
            Err(SummarizeError::Failed("no route".into())),
            RunFailure::Failed {
                call: second_call(),
                problem: Box::new("no route".into()),
            },
        ),
    ] {
        let (plan, material) = split_plan();
        let model = Scripted::new(vec![Ok(("H", StopReason::Stop)), second]);
        let cancel = CancellationToken::new();
        let error = execute(&plan, &material, &model, &Unobserved, &cancel)
            .await
            .unwrap_err();
        assert_eq!(error.reason, failure);
        assert_eq!(error.replies.len(), 1);
    }
}

#[tokio::test]
async fn a_cancelled_run_asks_nothing() {
    let (plan, material) = split_plan();
    let model = Scripted::new(Vec::new());
    let cancel = CancellationToken::new();
    cancel.cancel();
    let error = execute(&plan, &material, &model, &Unobserved, &cancel)
        .await
        .unwrap_err();
    assert_eq!(error.reason, RunFailure::Cancelled);
    assert!(model.asked.lock().unwrap().is_empty());
}

#[test]
fn a_branch_left_behind_is_summarized_from_its_fork() {
    let mut session = PiSession::new();
    let root = session.user("root");
    let fork = session.assistant(Reply::new().text("fork"));
    let other = session.user("the other way");
    session.at(&fork.to_string());
    let asked = session.user("this way");
    let answered = session.assistant(Reply::new().call("write", json!({"path": "a.rs"})));
    session.tool_result("written");
    let ours = read(&session);
    let by_id = ours.session.by_id();
    let at = |id: &dyn ToString| by_id[id.to_string().as_str()];
    let left = branch::collect(&ours.tree, ours.session.active_leaf, at(&other));
    assert_eq!(left.common_ancestor, Some(at(&fork)));
    assert_eq!(left.entries[..2], [at(&asked), at(&answered)]);
    let down = branch::collect(&ours.tree, Some(at(&root)), at(&fork));
    assert_eq!(
        (down.entries.len(), down.common_ancestor),
        (0, Some(at(&root)))
    );
    assert_eq!(
        branch::collect(&ours.tree, None, at(&fork)).common_ancestor,
        None
    );
}

#[test]
fn the_parameters_of_a_plan_make_the_same_plan_again() {
    let (session, ids) = two_turns();
    let ours = read(&session);
    let set = [
        ("select.kind", json!("cut_at")),
        ("first_kept", json!(ids[2])),
        ("prompts.system", json!("You write summaries.")),
    ];
    let plan = plan_of(&ours, &set);
    assert_eq!(
        plan.first_kept
            .map(|ix| ours.session.entry(ix).id.to_string()),
        Some(ids[2].clone())
    );
    assert!(
        plan.calls
            .iter()
            .all(|call| call.system == "You write summaries.")
    );
    let again: Vec<(&str, Value)> = plan
        .params
        .iter()
        .map(|(name, value)| (name.as_str(), value.clone()))
        .collect();
    assert_eq!(plan_of(&ours, &again), plan);
}

#[test]
fn what_the_user_said_or_the_last_tool_uses_stay() {
    let mut session = PiSession::new();
    session.user(&"old ".repeat(100));
    session.assistant(Reply::new().call("read", json!({"path": "a.rs"})));
    session.tool_result("a");
    session.user(&"new ".repeat(100));
    let two = Reply::new()
        .call("read", json!({"path": "b.rs"}))
        .call("read", json!({"path": "c.rs"}));
    session.assistant(two);
    session.tool_result("b");
    session.tool_result("c");
    session.assistant(Reply::new().text("done"));
    let ours = read(&session);
    let fates = |set: &[(&str, Value)]| -> String {
        let plan = plan_of(&ours, set);
        let letter = |item: &palimpsest_compaction::plan::PlannedItem| {
            format!("{:?}", item.fate).chars().next().unwrap()
        };
        plan.items.iter().map(letter).collect()
    };
    let said = |tokens: u64| {
        fates(&[
            ("select.kind", json!("user_messages")),
            ("max_user_tokens", json!(tokens)),
        ])
    };
    assert_eq!(said(0), "KSSKSSSS");
    // 400 UTF-16 units are 100 tokens: one of the two fits, exactly.
    assert_eq!(said(199), "SSSKSSSS");
    assert_eq!(said(100), "SSSKSSSS");
    assert_eq!(said(200), "KSSKSSSS");
    let uses = |count: u64| {
        fates(&[
            ("select.kind", json!("last_tool_uses")),
            ("tool_uses", json!(count)),
        ])
    };
    // The two calls were made together, so one of them cannot stay alone.
    assert_eq!(uses(1), "SSSSKKKK");
    assert_eq!(uses(2), "SSSSKKKK");
    assert_eq!(uses(3), "SKKKKKKK");
    assert_eq!(uses(0), "SSSSSSSS");
}
