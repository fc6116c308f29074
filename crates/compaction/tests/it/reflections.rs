//! Reflections: rounds, questions and insights over scripted replies; evidence; replays.

use crate::common::{planned, read, reply};
use async_trait::async_trait;
use palimpsest_compaction::execute::Unobserved;
use palimpsest_compaction::reflect::{StoredInsight, read_insights};
use palimpsest_compaction::{
    CallContext, CallMessages, CallObserver, Plan, Recorded, RunOutcome, SummarizeError,
    Summarizer, execute, replay,
};
use palimpsest_core::call::ModelReply;
use palimpsest_formats::InMemory;
use palimpsest_testkit::session::{CompactionSpec, PiSession, Reply};
use serde_json::{Value, json};
use std::sync::Mutex;
use tokio_util::sync::CancellationToken;

/// Answers each prompt by a rule and writes it down.
struct Scripted<F> {
    answer: F,
    asked: Mutex<Vec<(usize, String)>>,
}

#[async_trait]
impl<F: Fn(usize, &str) -> String + Send + Sync> Summarizer for Scripted<F> {
    async fn call(
        &self,
        context: &CallContext<'_>,
        _: &dyn CallObserver,
        _: &CancellationToken,
    ) -> Result<ModelReply, SummarizeError> {
        let prompt = &context.call.prompt;
        self.asked
            .lock()
            .unwrap()
            .push((context.index, prompt.clone()));
        Ok(reply(&(self.answer)(context.index, prompt)))
    }
}

/// Prompts by the number of their call.
type Asked = Vec<(usize, String)>;

async fn run(
    plan: &Plan,
    material: &CallMessages,
    answer: impl Fn(usize, &str) -> String + Send + Sync,
) -> (RunOutcome, Asked) {
    let model = Scripted {
        answer,
        asked: Mutex::default(),
    };
    let cancel = CancellationToken::new();
    let done = execute(plan, material, &model, &Unobserved, &cancel)
        .await
        .unwrap();
    let mut asked = model.asked.into_inner().unwrap();
    asked.sort();
    (done, asked)
}

/// A session about gears, then about doors.
fn workshop() -> InMemory {
    let mut session = PiSession::new();
    session.user("Make the gears turn. Never touch clock.rs.");
    session.assistant(Reply::new().call("edit", json!({"path": "src/gears.rs"})));
    session.tool_result("Changed 1 line.");
    session.assistant(Reply::new().text("The gearWheel has 48 teeth."));
    session.user("Now paint the doors.");
    session.assistant(Reply::new().call("edit", json!({"path": "src/doors.rs"})));
    session.tool_result("Changed 2 lines.");
    session.assistant(Reply::new().text("The doors are blue."));
    session.user("What is left?");
    session.assistant(Reply::new().text("Windows."));
    read(&session)
}

fn settings(more: &[(&'static str, Value)]) -> Vec<(&'static str, Value)> {
    // Nothing stays but the last request and its answer: 6 observations are reflected on, of
    // importance 10, 7, 1, 9, 7, 1.
    let mut set = vec![("budget_tokens", json!(1)), ("questions", json!(2))];
    set.extend_from_slice(more);
    set
}

fn id(ours: &InMemory, at: usize) -> String {
    let path = ours.context(ours.session.active_leaf).path;
    ours.session.entry(path[at]).id.to_string()
}

#[tokio::test]
async fn questions_are_answered_from_what_is_retrieved_for_them() {
    let ours = workshop();
    let set = settings(&[("top_n", json!(2)), ("reflect_threshold", json!(150))]);
    let (plan, material) = planned(&ours, "memory-stream-reflect", &set);
    let after: Vec<&[usize]> = plan.calls.iter().map(|call| &call.after[..]).collect();
    assert_eq!(after, [&[][..], &[0], &[0]]);
    let (gears, doors) = (id(&ours, 1), id(&ours, 4));
    let (done, asked) = run(&plan, &material, |call, _| match call {
        0 => "1. How many teeth has the gear_wheel in gears.rs?\n2. Which colour for doors?".into(),
        1 => format!("- gears.rs was edited [{gears}]\n- Cats sleep all day. [{gears}]"),
        _ => format!("1. The user wants doors painted [{doors}, ffffffff]\n2. No source at all"),
    })
    .await;
    assert!(
        asked[0]
            .1
            .contains("correction: Make the gears turn. Never touch clock.rs.")
    );
    assert!(
        !asked[0].1.contains("Windows"),
        "what stays is not reflected on"
    );
    let lines = |call: usize| -> Vec<&str> {
        asked[call]
            .1
            .lines()
            .filter(|line| line.starts_with('['))
            .collect()
    };
    assert!(
        asked[1]
            .1
            .contains("Question: How many teeth has the gear_wheel in gears.rs?")
    );
    assert_eq!(lines(1).len(), 2);
    assert_eq!(lines(0).len(), 6);
    assert!(
        lines(2).iter().any(|line| line.contains("doors")),
        "{:?}",
        lines(2)
    );
    for (_, prompt) in &asked {
        assert!(!prompt.contains("{{"), "{prompt}");
    }
    let insights = read_insights(&done.summary);
    let why: Vec<(&str, Option<&str>)> = insights
        .iter()
        .map(|own| (own.id.as_str(), own.unsupported.as_deref()))
        .collect();
    assert_eq!(
        why,
        [
            ("i1.1.1", None),
            ("i1.1.2", Some("shares too little with its evidence")),
            ("i1.2.1", Some("cites ffffffff, not in the span")),
            ("i1.2.2", Some("cites nothing")),
        ]
    );
    assert_eq!(insights[2].evidence, [doors]);
    assert!(done.summary.contains(
        "4 insights, 3 of them unsupported; 1 cited ids not in the span; 2 of 2 questions"
    ));
    assert!(done.summary.contains("2 of 6 records cited."));
    let files = done.summary.split("<modified-files>").nth(1).unwrap();
    assert!(files.contains("src/doors.rs"));
}

#[tokio::test]
async fn later_rounds_cite_earlier_insights() {
    let ours = workshop();
    // 10 + 7 and 1 + 9 + 7 are more than 14.
    let set = settings(&[("reflect_threshold", json!(14)), ("questions", json!(1))]);
    let (plan, material) = planned(&ours, "memory-stream-reflect", &set);
    assert_eq!(plan.calls.len(), 4);
    assert_eq!(plan.calls[2].after, [0, 1]);
    assert_eq!(plan.calls[3].after, [0, 1, 2]);
    let gears = id(&ours, 1);
    let (done, asked) = run(&plan, &material, |call, _| match call {
        0 | 2 => "1. What was done?".into(),
        1 => format!("- The gears turn now [{gears}]"),
        _ => "- First the gears, then the doors turn [i1.1.1]\n- Itself: gears [i2.1.1]".into(),
    })
    .await;
    // The first round knows nothing of the doors; the second is given what the first found.
    assert!(!asked[0].1.contains("doors") && !asked[1].1.contains("doors"));
    assert!(
        asked[2]
            .1
            .contains("<insights>\n[i1.1.1] The gears turn now\n</insights>")
    );
    assert!(
        asked[3]
            .1
            .contains("[i1.1.1] reflection: The gears turn now")
    );
    let insights = read_insights(&done.summary);
    let [first, tree, own] = &insights[..] else {
        panic!("{insights:?}")
    };
    assert_eq!(first.evidence, [gears]);
    assert_eq!(
        (&tree.evidence[..], &tree.unsupported),
        (&["i1.1.1".to_owned()][..], &None)
    );
    assert!(
        own.unsupported.is_some(),
        "an insight cannot rest on itself"
    );
}

#[tokio::test]
async fn replies_that_cannot_be_read_are_counted() {
    let ours = workshop();
    let (plan, material) = planned(&ours, "memory-stream-reflect", &settings(&[]));
    let (done, asked) = run(&plan, &material, |_, _| "I would rather not say.".into()).await;
    // The questions of the preset take the place of those that are missing.
    assert!(asked[1].1.contains("Question: What does the user want"));
    assert!(asked[2].1.contains("Question: What was changed"));
    assert!(read_insights(&done.summary).is_empty());
    assert!(done.summary.contains("0 insights, 0 of them unsupported"));
    assert!(done.summary.contains("0 of 2 questions by the model"));
}

#[tokio::test]
async fn the_same_replies_give_the_same_bytes() {
    let ours = workshop();
    let set = settings(&[("reflect_threshold", json!(14))]);
    let (plan, material) = planned(&ours, "memory-stream-reflect", &set);
    let (done, asked) = run(&plan, &material, |call, prompt| {
        let id = prompt.split(['[', ']']).nth(1).unwrap_or_default();
        format!("1. What of call {call}?\n2. gears.rs and call {call} [{id}, e{call}]")
    })
    .await;
    assert_eq!(replay(&plan, &done.replies).unwrap(), done.summary);
    let recorded = Recorded::new(done.replies.clone());
    let again = Mutex::new(Vec::new());
    let echo = |number: usize, prompt: &str| {
        again.lock().unwrap().push((number, prompt.to_owned()));
        done.replies[number].text.clone()
    };
    assert_eq!(run(&plan, &material, echo).await.0, done);
    let mut again = again.into_inner().unwrap();
    again.sort();
    assert_eq!(again, asked, "the prompts are the same bytes as well");
    let cancel = CancellationToken::new();
    let replayed = execute(&plan, &material, &recorded, &Unobserved, &cancel).await;
    assert_eq!(replayed.unwrap(), done);
    // What calls were counted with is what they may come to.
    for (call, (_, prompt)) in plan.calls.iter().zip(&asked) {
        let sent = (prompt.len() + call.system.len()) as u64 / 4;
        assert!(sent <= call.input_tokens, "{}: {sent}", call.label());
    }
}

#[tokio::test]
async fn a_next_summary_goes_on_from_the_insights_before() {
    let mut session = PiSession::new();
    session.user("Make the gears turn.");
    session.assistant(Reply::new().text("They turn."));
    let before = "## Reflections\n\n### 1.1 Why?\n- i3.1.1: The gears turn. [evidence: abcdef12]\n";
    session.compact(CompactionSpec::new(before).keep_recent(1));
    session.user("Paint the doors. Not the gears.");
    session.assistant(Reply::new().text("Painted."));
    session.user("What is left?");
    session.assistant(Reply::new().text("Windows."));
    let ours = read(&session);
    let set = settings(&[("questions", json!(1))]);
    let (plan, material) = planned(&ours, "memory-stream-reflect", &set);
    let (done, asked) = run(&plan, &material, |call, _| match call {
        0 => "1. What of the gears?".into(),
        _ => "1. The gears turn still [i3.1.1]".into(),
    })
    .await;
    assert!(asked[0].1.contains("[i3.1.1] reflection: The gears turn."));
    let insights: Vec<StoredInsight> = read_insights(&done.summary);
    let shown: Vec<(&str, &str)> = insights
        .iter()
        .map(|own| (own.id.as_str(), own.evidence[0].as_str()))
        .collect();
    assert_eq!(shown, [("i3.1.1", "abcdef12"), ("i4.1.1", "i3.1.1")]);
    assert!(insights.iter().all(|own| own.unsupported.is_none()));
}

#[test]
fn a_record_is_the_first_500_characters_and_a_round_sees_the_newest_100() {
    let mut session = PiSession::new();
    for number in 0..60 {
        session.user(&format!("Do step {number}."));
        session.assistant(Reply::new().text(&format!("Step {number} is done.")));
    }
    session.assistant(Reply::new().text(&"\u{e9}".repeat(501)));
    session.user("What is left?");
    session.assistant(Reply::new().text("Nothing."));
    // One round over 121 records, none of which stays.
    let shown = |more: &[(&'static str, Value)]| -> Vec<String> {
        let mut set = settings(&[("reflect_threshold", json!(100_000))]);
        set.extend_from_slice(more);
        let (plan, _) = planned(&read(&session), "memory-stream-reflect", &set);
        let lines = plan.calls[0].prompt.lines();
        let records = lines.filter(|line| line.starts_with('['));
        records.map(str::to_owned).collect()
    };
    let records = shown(&[]);
    assert_eq!(records.len(), 100);
    assert!(
        records[0].ends_with(" Step 10 is done."),
        "{:?}",
        records[0]
    );
    let long = records[99].matches('\u{e9}').count();
    assert_eq!(long, 500);
    assert_eq!(shown(&[("recent_n", json!(1_000))]).len(), 121);
    // 12,000 tokens are room for fewer than 100 long records.
    assert!(shown(&[("records_tokens", json!(200))]).len() < 10);
}
