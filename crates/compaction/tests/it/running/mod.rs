//! Plans of several calls carried out: order, limits, what is quoted, what does not fit, replays.

mod fallbacks;

use crate::common::{Model, planned, reply, small_session};
use async_trait::async_trait;
use palimpsest_compaction::execute::{Recipe, RunObserver, Unobserved};
use palimpsest_compaction::{
    CallContext, CallObserver, Purpose, Recorded, RunFailure, SummarizeError, Summarizer, execute,
    replay,
};
use palimpsest_core::call::{ModelReply, StopReason};
use palimpsest_testkit::session::PiSession;
use serde_json::{Value, json};
use std::sync::Mutex;
use tokio_util::sync::CancellationToken;

fn slices(tokens: u64) -> (&'static str, Value) {
    ("slice_tokens", json!(tokens))
}

/// Notes when calls begin and end.
#[derive(Default)]
struct Noted(Mutex<Vec<(char, usize)>>);

impl RunObserver for Noted {
    fn started(&self, call: usize, _: Purpose) {
        self.0.lock().unwrap().push(('+', call));
    }
    fn finished(&self, call: usize, _: &ModelReply) {
        self.0.lock().unwrap().push(('-', call));
    }
}

impl Noted {
    /// The most calls that were under way at the same time.
    fn most(&self) -> usize {
        let (mut now, mut most) = (0_usize, 0);
        for (sign, _) in self.0.lock().unwrap().iter() {
            now = if *sign == '+' { now + 1 } else { now - 1 };
            most = most.max(now);
        }
        most
    }
}

#[test]
fn a_recipe_has_the_keys_that_stored_runs_have() {
    let (plan, _) = planned(
        &small_session(),
        "memory-stream-reflect",
        &[("budget_tokens", json!(10))],
    );
    let mut stored = serde_json::to_value(Recipe::of(&plan)).unwrap();
    assert!(stored["plan"]["reflection"]["records"].is_array());
    assert!(stored["plan"]["memories"].is_null());
    assert!(stored["plan"].get("derived").is_none());
    let recipe: Recipe = serde_json::from_value(stored.clone()).unwrap();
    // Runs stored before ratings were known do not have this key.
    stored["plan"].as_object_mut().unwrap().remove("memories");
    assert_eq!(serde_json::from_value::<Recipe>(stored).unwrap(), recipe);
}

#[tokio::test]
async fn independent_calls_run_together_up_to_the_limit() {
    let ours = small_session();
    for (limit, most) in [(1, 1), (2, 2), (0, 4)] {
        let set = [slices(16), ("max_concurrent", json!(limit))];
        let (plan, material) = planned(&ours, "parallel-stitch", &set);
        let segments = plan.calls.len() - 1;
        assert!(segments >= 4, "{segments} segments are too few to tell");
        let noted = Noted::default();
        let model = Model::default();
        let cancel = CancellationToken::new();
        let done = execute(&plan, &material, &model, &noted, &cancel)
            .await
            .unwrap();
        assert_eq!(noted.most(), if limit == 0 { segments } else { most });
        assert_eq!(done.summary, format!("R{segments}"));
        let asked = model.asked.lock().unwrap().clone();
        let (last, prompt) = asked.last().unwrap();
        assert_eq!(*last, segments);
        assert!(prompt.contains("=== Segment 2 ===\nR1\n"));
    }
}

#[tokio::test]
async fn sequential_calls_quote_the_ones_before() {
    let ours = small_session();
    let (plan, material) = planned(&ours, "sequential-rolling", &[slices(16)]);
    let model = Model::default();
    let noted = Noted::default();
    let cancel = CancellationToken::new();
    execute(&plan, &material, &model, &noted, &cancel)
        .await
        .unwrap();
    assert_eq!(noted.most(), 1);
    let asked = model.asked.lock().unwrap().clone();
    for (number, prompt) in &asked[1..] {
        assert!(prompt.contains(&format!("Current summary:\n\nR{}\n", number - 1)));
        assert!(!prompt.contains("{{"));
    }
}

#[tokio::test]
async fn a_recorded_run_gives_the_same_bytes() {
    let ours = small_session();
    for name in ["pi", "parallel-stitch", "sequential-accumulated"] {
        let (plan, material) = planned(&ours, name, &[("keep_recent_tokens", json!(30))]);
        let cancel = CancellationToken::new();
        let model = Model::default();
        let run = execute(&plan, &material, &model, &Unobserved, &cancel)
            .await
            .unwrap();
        assert_eq!(replay(&plan, &run.replies).unwrap(), run.summary);
        let recorded = Recorded::new(run.replies.clone());
        let again = execute(&plan, &material, &recorded, &Unobserved, &cancel)
            .await
            .unwrap();
        assert_eq!(again, run);
    }
    let (plan, _) = planned(&ours, "single-shot", &[]);
    let cut = ModelReply {
        stop: StopReason::Length,
        ..reply("half")
    };
    assert!(matches!(
        replay(&plan, &[cut]),
        Err(RunFailure::Incomplete { .. })
    ));
}

#[tokio::test]
async fn what_does_not_fit_is_left_out_by_the_rule() {
    let ours = small_session();
    let cancel = CancellationToken::new();
    let run = async |rule: Value, window: usize| {
        let (plan, material) = planned(&ours, "single-shot", &[("summarize.overflow", rule)]);
        let model = Model {
            window: Some(window),
            ..Model::default()
        };
        let done = execute(&plan, &material, &model, &Unobserved, &cancel).await;
        (plan, done, model)
    };
    let (plan, _, _) = run(json!({"kind": "fail"}), usize::MAX).await;
    let whole = plan.calls[0].prompt.len();
    let (_, done, _) = run(json!({"kind": "fail"}), whole - 1).await;
    assert!(matches!(
        done.unwrap_err().reason,
        RunFailure::Overflow { .. }
    ));
    let (plan, done, model) = run(json!({"kind": "drop_oldest"}), whole - 1).await;
    let adapted = done.unwrap().adapted.unwrap();
    assert_eq!(model.asked.lock().unwrap().len(), 2);
    assert_eq!(adapted.dropped, plan.summarized[..1]);
    assert!(!adapted.calls[0].prompt.contains("Make the gears"));
    let (plan, done, _) = run(json!({"kind": "keep_more"}), whole - 1).await;
    let adapted = done.unwrap().adapted.unwrap();
    assert_eq!(adapted.kept, plan.summarized[plan.summarized.len() - 1..]);
    assert_eq!(adapted.first_kept, adapted.kept.first().copied());
    assert!(adapted.kept_tokens > plan.kept_tokens);
    let (_, done, _) = run(json!({"kind": "drop_newest"}), 10).await;
    assert!(done.is_err());
}

/// Answers the first call; the others wait until they are cancelled.
struct OnlyFirst(CancellationToken);

#[async_trait]
impl Summarizer for OnlyFirst {
    async fn call(
        &self,
        context: &CallContext<'_>,
        _: &dyn CallObserver,
        cancel: &CancellationToken,
    ) -> Result<ModelReply, SummarizeError> {
        if context.index == 0 {
            return Ok(reply("R0"));
        }
        self.0.cancel();
        cancel.cancelled().await;
        Err(SummarizeError::Cancelled)
    }
}

#[tokio::test]
async fn a_cancelled_run_keeps_what_came() {
    let ours = small_session();
    let (plan, material) = planned(&ours, "parallel-stitch", &[slices(16)]);
    let cancel = CancellationToken::new();
    let model = OnlyFirst(cancel.clone());
    let error = execute(&plan, &material, &model, &Unobserved, &cancel)
        .await
        .unwrap_err();
    assert_eq!(error.reason, RunFailure::Cancelled);
    assert_eq!(error.replies, [(0, reply("R0"))]);
}

#[tokio::test]
async fn extraction_asks_no_model() {
    let ours = small_session();
    let (plan, material) = planned(&ours, "extractive", &[("keep_recent_tokens", json!(30))]);
    let model = Model::default();
    let cancel = CancellationToken::new();
    let done = execute(&plan, &material, &model, &Unobserved, &cancel)
        .await
        .unwrap();
    assert!(model.asked.lock().unwrap().is_empty());
    assert!(done.summary.contains("src/gears.rs"));
}

/// Answers with these replies by turns, a fault for `None`.
struct InTurn(Mutex<Vec<Option<ModelReply>>>);

#[async_trait]
impl Summarizer for InTurn {
    async fn call(
        &self,
        _: &CallContext<'_>,
        _: &dyn CallObserver,
        _: &CancellationToken,
    ) -> Result<ModelReply, SummarizeError> {
        let next = self.0.lock().unwrap().remove(0);
        next.ok_or_else(|| SummarizeError::Failed("the line is dead".into()))
    }
}

#[tokio::test]
async fn a_refused_reply_is_asked_for_again_as_often_as_allowed() {
    let ours = small_session();
    let paid = |text: &str| ModelReply {
        usage: palimpsest_core::Usage {
            output: 7,
            ..palimpsest_core::Usage::default()
        },
        ..reply(text)
    };
    let run = async |attempts: u64, replies: Vec<Option<ModelReply>>| {
        let set = [("count", json!(4)), ("attempts", json!(attempts))];
        let (plan, material) = planned(&ours, "langchain", &set);
        let model = InTurn(Mutex::new(replies));
        let cancel = CancellationToken::new();
        let done = execute(&plan, &material, &model, &Unobserved, &cancel).await;
        (plan, done, model.0.into_inner().unwrap().len())
    };
    // LangChain's three: a fault, an empty reply, a good one.
    let (plan, done, left) = run(3, vec![None, Some(paid(" ")), Some(paid("good"))]).await;
    let done = done.unwrap();
    assert_eq!((plan.attempts, left), (3, 0));
    assert_eq!(done.summary, "good");
    // What was refused has been paid for; replaying needs only what was used.
    assert_eq!(done.usage.output, 14);
    assert!(done.adapted.is_none());
    assert_eq!(replay(&plan, &done.replies).unwrap(), done.summary);
    let (_, done, left) = run(2, vec![None, Some(paid("")), Some(paid("late"))]).await;
    assert!(matches!(done.unwrap_err().reason, RunFailure::Empty { .. }));
    assert_eq!(left, 1);
    let (_, done, _) = run(1, vec![None]).await;
    assert!(matches!(
        done.unwrap_err().reason,
        RunFailure::Failed { .. }
    ));
}

#[tokio::test]
async fn the_middle_is_cut_out_once() {
    let mut session = PiSession::new();
    for number in 0..30 {
        session.user(&format!("message {number:02} {}", "abcd ".repeat(20)));
    }
    let ours = crate::common::read(&session);
    let (plan, material) = planned(&ours, "langchain", &[]);
    assert_eq!(plan.calls[0].items, (0..10).collect::<Vec<_>>());
    let whole = plan.calls[0].prompt.len();
    let run = async |window: usize| {
        let model = Model {
            window: Some(window),
            ..Model::default()
        };
        let cancel = CancellationToken::new();
        let done = execute(&plan, &material, &model, &Unobserved, &cancel).await;
        (done, model.asked.into_inner().unwrap().len())
    };
    let (done, asked) = run(whole - 1).await;
    let done = done.unwrap();
    let adapted = done.adapted.unwrap();
    assert_eq!((asked, &*adapted.calls[0].items), (2, &[0, 1, 8, 9][..]));
    assert_eq!(adapted.dropped.len(), 6);
    assert_eq!(replay(&adapted, &done.replies).unwrap(), done.summary);
    let (done, asked) = run(100).await;
    assert!(matches!(
        done.unwrap_err().reason,
        RunFailure::Overflow { .. }
    ));
    assert_eq!(asked, 2);
}

/// Takes prompts of at most so many tokens, and says how many there were.
struct Strict(u64, Mutex<usize>);

#[async_trait]
impl Summarizer for Strict {
    async fn call(
        &self,
        context: &CallContext<'_>,
        _: &dyn CallObserver,
        _: &CancellationToken,
    ) -> Result<ModelReply, SummarizeError> {
        *self.1.lock().unwrap() += 1;
        let (tokens, most) = (context.call.input_tokens, self.0);
        if tokens > most {
            Err(SummarizeError::Overflow(
                format!("prompt is too long: {tokens} tokens > {most} maximum").into(),
            ))
        } else {
            // A line alone is no summary of so long a conversation.
            Ok(reply("## Goal\n- The letters.\n- The same again."))
        }
    }
}

#[tokio::test]
async fn what_is_kept_grows_by_what_is_too_much() {
    // Claude Code 2.1.197: one more group is kept, then as many as the provider says is too much.
    let mut session = PiSession::new();
    for _ in 0..40 {
        session.user(&"abc ".repeat(500));
    }
    let ours = crate::common::read(&session);
    let run = async |by_gap: bool, most: u64| {
        let set = [("step_by_gap", json!(by_gap))];
        let (plan, material) = planned(&ours, "claude-code", &set);
        assert!(plan.calls[0].input_tokens > 20_000);
        let model = Strict(most, Mutex::new(0));
        let cancel = CancellationToken::new();
        let done = execute(&plan, &material, &model, &Unobserved, &cancel).await;
        let asked = *model.1.lock().unwrap();
        done.map(|done| {
            // What is stored says that messages stay; a summary of everything does not.
            assert!(done.summary.contains("behind the summary word for word"));
            let plan = done.adapted.unwrap();
            assert_eq!(replay(&plan, &done.replies).unwrap(), done.summary);
            assert!(
                !planned(&ours, "claude-code", &set)
                    .0
                    .assemble(&["x"])
                    .unwrap()
                    .contains("word for word")
            );
            (asked, plan)
        })
    };
    // Whole, without the newest, and without what is too much at once: three calls instead of many.
    let (asked, plan) = run(true, 15_000).await.unwrap();
    assert_eq!(asked, 3);
    let (one_by_one, other) = run(false, 15_000).await.unwrap();
    assert_eq!(one_by_one, 1 + other.kept.len());
    assert!(plan.kept.len() >= other.kept.len() && plan.kept.len() <= other.kept.len() + 1);
    assert_eq!(plan.dropped, []);
    assert!(run(true, 100).await.is_err());
}

#[test]
fn a_plan_shows_how_its_calls_would_be_made_smaller() {
    let ours = small_session();
    let (plan, _) = planned(&ours, "openhands", &[]);
    let whole = plan.calls[0].input_tokens;
    let retries = plan.retries(0, 9);
    assert_eq!(retries.len(), 5);
    assert!(retries[0].max_chars.is_some() && retries[0].left_out == 0);
    assert!(retries.is_sorted_by(|a, b| a.input_tokens >= b.input_tokens));
    assert!(retries[0].input_tokens < whole);
    let (plan, _) = planned(&ours, "codex", &[]);
    // The first three of the oldest that go, and the last attempt there is.
    let numbers: Vec<u64> = plan.retries(0, 3).iter().map(|own| own.attempt).collect();
    let attempts = plan.overflow.attempts(&plan.calls[0]) as u64;
    assert_eq!(numbers, [1, 2, 3, attempts]);
    let (plan, _) = planned(&ours, "pi", &[("keep_recent_tokens", json!(30))]);
    assert!(plan.retries(0, 3).is_empty() && plan.retries(99, 3).is_empty());
}
