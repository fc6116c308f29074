//! Importance that a model gives: the calls, what is retrieved by their replies, replays.

use crate::common::{plan_of, planned, read, reply, small_session};
use async_trait::async_trait;
use palimpsest_compaction::execute::Unobserved;
use palimpsest_compaction::plan::SummaryPart;
use palimpsest_compaction::reflect::Fill;
use palimpsest_compaction::select::Fate;
use palimpsest_compaction::{
    CallContext, CallObserver, OfflineSummarizer, Plan, Recorded, Step, SummarizeError, Summarizer,
    execute, replay,
};
use palimpsest_core::call::ModelReply;
use palimpsest_formats::InMemory;
use palimpsest_testkit::session::{PiSession, Reply};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// Six exchanges before the last request; one of them is a call with its result.
fn workshop() -> InMemory {
    let mut session = PiSession::new();
    session.user("Begin with the gears.");
    session.assistant(Reply::new().text("Gears are round."));
    session.assistant(Reply::new().text("The cat sleeps."));
    session.assistant(Reply::new().call("read", json!({"path": "doors.rs"})));
    session.tool_result("fn open() {}");
    session.assistant(Reply::new().text("Doors are blue."));
    session.assistant(Reply::new().think("nothing to say"));
    session.user("What is left?");
    session.assistant(Reply::new().text("Windows."));
    read(&session)
}

/// Importance alone counts, and it is the model's.
fn settings(more: &[(&'static str, Value)]) -> Vec<(&'static str, Value)> {
    let mut set = vec![
        ("importance_source", json!("llm")),
        ("recency_weight", json!(0)),
        ("relevance_weight", json!(0)),
        ("append_files", json!(false)),
    ];
    set.extend_from_slice(more);
    set
}

fn kept(plan: &Plan) -> Vec<usize> {
    let items = plan.items.iter().enumerate();
    let own = items.filter(|(_, item)| item.fate == Fate::Kept);
    own.map(|(at, _)| at).collect()
}

/// Gives each call the reply of its number.
struct ByNumber(Vec<String>);

#[async_trait]
impl Summarizer for ByNumber {
    async fn call(
        &self,
        context: &CallContext<'_>,
        _: &dyn CallObserver,
        _: &CancellationToken,
    ) -> Result<ModelReply, SummarizeError> {
        Ok(reply(&self.0[context.index]))
    }
}

/// The summary that these replies make, which is also that of a replay.
async fn summary(ours: &InMemory, set: &[(&'static str, Value)], replies: &[&str]) -> String {
    let (plan, material) = planned(ours, "memory-stream", set);
    let model = ByNumber(replies.iter().map(|own| (*own).to_owned()).collect());
    let cancel = CancellationToken::new();
    let done = execute(&plan, &material, &model, &Unobserved, &cancel)
        .await
        .unwrap();
    assert_eq!(replay(&plan, &done.replies).unwrap(), done.summary);
    let recorded = Recorded::new(done.replies.clone());
    let again = execute(&plan, &material, &recorded, &Unobserved, &cancel).await;
    assert_eq!(again.unwrap(), done);
    done.summary
}

#[test]
fn the_plan_shows_the_calls_that_rate() {
    let ours = small_session();
    let set = [
        ("importance_source", json!("llm")),
        ("rated_at_once", json!(3)),
        ("budget_tokens", json!(60)),
    ];
    let plan = plan_of(&ours, "memory-stream", &set);
    let steps: Vec<Step> = plan.calls.iter().map(|call| call.step).collect();
    assert_eq!(
        steps,
        [
            Step::Ratings { batch: 0, of: 3 },
            Step::Ratings { batch: 1, of: 3 },
            Step::Ratings { batch: 2, of: 3 }
        ]
    );
    // Nothing waits, and what is retrieved stands in the summary.
    assert!(plan.calls.iter().all(|call| call.after.is_empty()));
    assert_eq!(
        plan.summary.iter().nth_back(1),
        Some(&SummaryPart::Filled(2, Fill::Memories))
    );
}

#[tokio::test]
async fn ratings_decide_what_is_retrieved() {
    let ours = workshop();
    let set = settings(&[("top_exchanges", json!(2))]);
    let plan = plan_of(&ours, "memory-stream", &set);
    // The last request and the last exchange stay in their places whatever is said.
    assert_eq!(kept(&plan), [7, 8]);
    let asked = &plan.calls[0].prompt;
    let lines: Vec<&str> = asked
        .lines()
        .filter(|line| line.starts_with(|c: char| c.is_ascii_digit()))
        .collect();
    assert_eq!(
        lines.len(),
        5,
        "what says nothing is not asked about: {lines:?}"
    );
    assert_eq!(lines[3], "4. read: {\"path\":\"doors.rs\"} fn open() {}");
    assert!(asked.contains("Reply with 5 lines"));
    let done = summary(&ours, &set, &["1: 9\n2: 1\n3: 1\n4: 10\n5: 1"]).await;
    // The request, and the call with its result, which stay together; in the order of time.
    let told = done.split("there were others between them.\n\n").nth(1);
    let told: Vec<&str> = told.unwrap().split("\n\n").collect();
    let without_id = |part: &str| part.split_once("]\n").unwrap().1.to_owned();
    assert_eq!(without_id(told[0]), "[User]: Begin with the gears.");
    assert_eq!(
        without_id(told[1]),
        "[Assistant tool calls]: read(path=\"doors.rs\")"
    );
    assert_eq!(told[2], "[Tool result]: fn open() {}");
    assert_eq!(
        told[3..],
        ["Retrieved: 2 of 6 exchanges; 5 of 5 ratings by the model."]
    );
}

#[tokio::test]
async fn what_is_not_rated_has_the_importance_of_its_kind() {
    let ours = workshop();
    let set = settings(&[("top_exchanges", json!(1))]);
    let unread = summary(&ours, &set, &["I would rather not."]).await;
    // By the table the request is worth most.
    assert!(unread.contains("[User]: Begin with the gears."), "{unread}");
    assert!(unread.ends_with("Retrieved: 1 of 6 exchanges; 0 of 5 ratings by the model."));
    let one = summary(&ours, &set, &["3: 10"]).await;
    assert!(one.contains("[Assistant]: The cat sleeps."), "{one}");
    assert!(one.ends_with("1 of 5 ratings by the model."));
    // Without a model all is by the table, and the run is the same as with no word of it.
    let (plan, material) = planned(&ours, "memory-stream", &set);
    let cancel = CancellationToken::new();
    let offline = execute(&plan, &material, &OfflineSummarizer, &Unobserved, &cancel);
    assert_eq!(offline.await.unwrap().summary, unread);
}

#[tokio::test]
async fn the_budget_holds_for_what_is_retrieved() {
    let ours = workshop();
    for budget in [0, 9, 20, 40, 1_000] {
        let set = settings(&[("budget_tokens", json!(budget))]);
        let (plan, _) = planned(&ours, "memory-stream", &set);
        let memories = plan.derived.memories.as_ref().unwrap();
        let ratings = |_: usize| Some("[5, 6, 7, 8, 9]".to_owned());
        let chosen = memories.chosen(&ratings).unwrap();
        let used: u64 = chosen.iter().map(|&at| memories.held[at].tokens).sum();
        assert!(used <= memories.budget_tokens && memories.budget_tokens <= budget);
        assert!(
            memories.chosen(&|_| None).is_none(),
            "ratings are waited for"
        );
    }
}

#[tokio::test]
async fn reflections_are_drawn_from_what_the_model_rates() {
    let ours = workshop();
    let mut set = settings(&[
        ("questions", json!(1)),
        ("select.top_exchanges", json!(0)),
        ("top_n", json!(1)),
    ]);
    set.push(("budget_tokens", json!(1)));
    let (plan, material) = planned(&ours, "memory-stream-reflect", &set);
    let steps: Vec<&Step> = plan.calls.iter().map(|call| &call.step).collect();
    assert!(
        matches!(
            steps[..],
            [
                Step::Questions { .. },
                Step::Insights { .. },
                Step::Ratings { .. }
            ]
        ),
        "{steps:?}"
    );
    // Records are retrieved once the question is asked and the ratings are there.
    assert_eq!(plan.calls[1].after, [0, 2]);
    let prompt = |ratings: &str| {
        let replies = ["1. What of it?", "", ratings];
        let sent = plan.sent(1, &|call| Some(replies[call].to_owned()));
        sent.prompt
    };
    assert!(prompt("1: 1\n2: 10\n3: 1\n4: 1\n5: 1").contains("chatter: Gears are round."));
    assert!(prompt("1: 1\n2: 1\n3: 1\n4: 1\n5: 9").contains("chatter: Doors are blue."));
    let model = ByNumber(
        ["1. What?", "- Nothing", "[1, 2, 3, 4, 5]"]
            .map(str::to_owned)
            .into(),
    );
    let cancel = CancellationToken::new();
    let done = execute(&plan, &material, &model, &Unobserved, &cancel)
        .await
        .unwrap();
    assert!(done.summary.contains("## Reflections"));
    assert!(done.summary.contains("5 of 5 ratings by the model."));
    assert_eq!(replay(&plan, &done.replies).unwrap(), done.summary);
}
