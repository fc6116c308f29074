//! What takes over when a run fails, and that such a run can be replayed.

use crate::common::{outcome, planned, read, reply, small_session};
use async_trait::async_trait;
use palimpsest_compaction::execute::{Recipe, RunObserver, Unobserved};
use palimpsest_compaction::plan::{PlannedFallback, SUMMARY_BEFORE};
use palimpsest_compaction::select::Fate;
use palimpsest_compaction::summarize::Cause;
use palimpsest_compaction::{
    CallContext, CallMessages, CallObserver, Plan, PlanError, RunError, RunFailure, RunOutcome,
    SummarizeError, Summarizer, execute, replay,
};
use palimpsest_core::call::ModelReply;
use palimpsest_formats::InMemory;
use palimpsest_testkit::session::{PiSession, Reply};
use serde_json::{Value, json};
use std::sync::Mutex;
use tokio_util::sync::CancellationToken;

/// A model that gives these answers one after the other and writes down what it was asked.
struct Script {
    answers: Mutex<Vec<Result<ModelReply, SummarizeError>>>,
    asked: Mutex<Vec<String>>,
}

impl Script {
    fn of(answers: &[Result<&str, SummarizeError>]) -> Script {
        let answer = |own: &Result<&str, SummarizeError>| match own {
            Ok(text) => Ok(reply(text)),
            Err(error) => Err(error.clone()),
        };
        Script {
            answers: Mutex::new(answers.iter().rev().map(answer).collect()),
            asked: Mutex::default(),
        }
    }
}

#[async_trait]
impl Summarizer for Script {
    async fn call(
        &self,
        context: &CallContext<'_>,
        _: &dyn CallObserver,
        _: &CancellationToken,
    ) -> Result<ModelReply, SummarizeError> {
        let prompt = context.call.prompt.clone();
        self.asked.lock().unwrap().push(prompt);
        self.answers.lock().unwrap().pop().unwrap()
    }
}

fn overflow() -> Result<&'static str, SummarizeError> {
    Err(SummarizeError::Overflow("too long".into()))
}

fn failed() -> Result<&'static str, SummarizeError> {
    Err(SummarizeError::Failed("no".into()))
}

/// Carries a plan out twice with the same answers, sees that all is the same, and that the recipe
/// of what was carried out makes the same summary of the replies.
async fn run(
    (plan, material): &(Plan, CallMessages),
    answers: &[Result<&str, SummarizeError>],
) -> (Result<RunOutcome, RunError>, Vec<String>) {
    let cancel = CancellationToken::new();
    let once = async || {
        let model = Script::of(answers);
        let done = execute(plan, material, &model, &Unobserved, &cancel).await;
        (done, model.asked.into_inner().unwrap())
    };
    let (done, asked) = once().await;
    let (again, asked_again) = once().await;
    assert_eq!(asked, asked_again);
    assert_eq!(format!("{done:?}"), format!("{again:?}"));
    if let Ok(done) = &done {
        let carried_out = done.adapted.as_deref().unwrap_or(plan);
        assert_eq!(replay(carried_out, &done.replies).unwrap(), done.summary);
        let kept = serde_json::to_string(&Recipe::of(carried_out)).unwrap();
        let recipe: Recipe = serde_json::from_str(&kept).unwrap();
        assert_eq!(recipe.replay(&done.replies).unwrap(), done.summary);
    }
    (done, asked)
}

fn causes(done: &RunOutcome) -> Vec<Cause> {
    done.attempts.iter().map(|own| own.cause).collect()
}

#[tokio::test]
async fn copilot_falls_back_to_plain_text_whatever_fails() {
    let plan = planned(&small_session(), "copilot-chat", &[]);
    for (answer, cause) in [
        (failed(), Cause::Failed),
        (overflow(), Cause::Overflow),
        (Ok(" "), Cause::Unusable),
    ] {
        let (done, asked) = run(&plan, &[answer, Ok("<summary>S</summary>")]).await;
        let done = done.unwrap();
        assert_eq!((done.summary.as_str(), causes(&done)), ("S", vec![cause]));
        assert!(asked[0].contains("Tool call: ") && !asked[1].contains("Tool call: "));
        assert!(asked[1].contains("User: Run the tests."));
    }
    // The plain text comes second and last.
    let (error, _) = run(&plan, &[failed(), failed()]).await;
    let error = error.unwrap_err();
    assert!(matches!(error.reason, RunFailure::Failed { .. }));
    assert_eq!(error.attempts.len(), 1);
    // The plain way has no other behind it.
    let simple = planned(&small_session(), "copilot-chat-simple", &[]);
    assert!(simple.0.fallbacks.is_empty());
}

#[tokio::test]
async fn a_summary_too_large_falls_back_as_well() {
    let set = [("max_reply_tokens", json!(3))];
    let plan = planned(&small_session(), "copilot-chat", &set);
    let (done, _) = run(&plan, &[Ok("far more than three tokens"), Ok("short")]).await;
    let done = done.unwrap();
    assert_eq!(
        (done.summary.as_str(), causes(&done)),
        ("short", vec![Cause::Unusable])
    );
    assert!(done.attempts[0].reason.contains("too large"));
    assert!(done.attempts[0].replies.is_empty(), "it was refused");
    // So does one that makes the context larger, where that is refused.
    let set = [("refuse_inflated", json!(true))];
    let plan = planned(&small_session(), "copilot-chat", &set);
    let long = format!("<summary>{}</summary>", "word ".repeat(20_000));
    let (done, asked) = run(&plan, &[Ok(long.as_str()), Ok("<summary>S</summary>")]).await;
    let done = done.unwrap();
    assert_eq!(
        (done.summary.as_str(), causes(&done)),
        ("S", vec![Cause::Inflated])
    );
    assert!(asked[0].contains("Tool call: ") && !asked[1].contains("Tool call: "));
}

#[tokio::test]
async fn cline_recovers_from_overflow_without_a_model_and_from_nothing_else() {
    let set = [("keep_recent_tokens", json!(30))];
    let plan = planned(&small_session(), "cline", &set);
    let (done, asked) = run(&plan, &[overflow()]).await;
    let done = done.unwrap();
    assert_eq!((asked.len(), done.replies.len()), (1, 0));
    let basic = planned(&small_session(), "cline-basic", &set).0;
    assert_eq!(done.summary, basic.assemble(&[]).unwrap());
    assert_eq!(done.adapted.unwrap().kept, plan.0.kept);
    let (error, _) = run(&plan, &[failed()]).await;
    assert!(matches!(
        error.unwrap_err().reason,
        RunFailure::Failed { .. }
    ));
}

#[test]
fn a_call_over_its_limit_gives_way_when_it_is_planned() {
    let set = [
        ("keep_recent_tokens", json!(30)),
        ("max_input_tokens", json!(50)),
    ];
    let (plan, _) = planned(&small_session(), "cline", &set);
    assert!(plan.calls.is_empty());
    assert!(
        plan.notes[0].ends_with("; fallback: lists what happened by fixed rules, without a model.")
    );
    // Without a fallback for it the limit is an error.
    let bare = [
        set[0].clone(),
        set[1].clone(),
        ("summarize.fallbacks", json!([])),
    ];
    let refused = outcome(&small_session(), "cline", &bare).unwrap_err();
    assert!(matches!(refused, PlanError::OverBudget { .. }), "{refused}");
}

/// Turns that read the same long file.
fn reads(turns: usize) -> InMemory {
    let mut session = PiSession::new();
    for _ in 0..turns {
        session.user("Look.");
        session.assistant(Reply::new().call("read", json!({"path": "a.rs"})));
        session.tool_result(&"abcd".repeat(2_000));
        session.assistant(Reply::new().text("Seen."));
    }
    read(&session)
}

#[tokio::test]
async fn gemini_only_cuts_results_once_a_compression_failed() {
    let snapshot = Ok("<state_snapshot>S</state_snapshot>");
    let plan = planned(&reads(40), "gemini-cli", &[]);
    let inflated = format!(
        "<state_snapshot>{}</state_snapshot>",
        "word ".repeat(80_000)
    );
    for (answers, cause) in [
        (
            vec![snapshot.clone(), Ok(inflated.as_str())],
            Cause::Inflated,
        ),
        (vec![Ok("  ")], Cause::Unusable),
    ] {
        let (done, _) = run(&plan, &answers).await;
        let done = done.unwrap();
        assert_eq!((done.summary.as_str(), causes(&done)), ("", vec![cause]));
        let cut = done.adapted.unwrap();
        assert_eq!(cut.strategy, "gemini-cli-truncate");
        assert!(cut.summarized.is_empty() && cut.kept.len() == 160);
        // Of 40 results of 2,000 tokens 25 stay whole.
        assert_eq!(cut.changes.len(), 15);
        assert!(done.tokens_after < plan.0.tokens_before);
    }
    // Where nothing could be cut there is no other way.
    let few = planned(&reads(4), "gemini-cli", &[]);
    assert!(few.0.fallbacks.is_empty());
    assert!(run(&few, &[Ok("  ")]).await.0.is_err());
}

#[tokio::test]
async fn roo_falls_back_to_its_sliding_window() {
    let plan = planned(&small_session(), "roo", &[]);
    let (done, _) = run(&plan, &[failed()]).await;
    let done = done.unwrap();
    let window = planned(&small_session(), "roo-truncate", &[]).0;
    assert_eq!(done.summary, window.assemble(&[]).unwrap());
    assert_eq!(done.adapted.unwrap().kept, window.kept);
}

/// User and assistant by turns, of these sizes in tokens.
fn talk(sizes: &[usize]) -> InMemory {
    let mut session = PiSession::new();
    for (at, size) in sizes.iter().enumerate() {
        let text = format!("<{at}>{}", "abc ".repeat(*size));
        match at % 2 {
            0 => session.user(&text),
            _ => session.assistant(Reply::new().text(&text)),
        };
    }
    read(&session)
}

fn shown(asked: &str) -> Vec<usize> {
    (0..40)
        .filter(|at| asked.contains(&format!("<{at}>")))
        .collect()
}

#[tokio::test]
async fn aider_summarizes_again_while_summary_and_tail_are_too_long() {
    // The limit is 1,000: less than 500 tokens stay.
    let limit = [("history_limit_tokens", json!(1_000))];
    let ours = talk(&[200; 12]);
    let plan = planned(&ours, "aider", &limit);
    assert_eq!(plan.0.kept.len(), 2);
    let (done, asked) = run(&plan, &[Ok("short")]).await;
    assert!(done.unwrap().attempts.is_empty());
    assert_eq!(asked.len(), 1);
    // With two messages and the summary there is nothing to part again: all becomes one.
    let long = "s".repeat(4 * 600);
    let (done, asked) = run(&plan, &[Ok(&long), Ok("all")]).await;
    let done = done.unwrap();
    assert_eq!(
        (done.summary.as_str(), causes(&done)),
        ("all", vec![Cause::OverLimit])
    );
    assert_eq!(done.attempts[0].replies, [(0, reply(&long))]);
    assert!(asked[1].starts_with(&format!("# USER\n{long}\n\n# USER\n<10>")));
    assert_eq!(shown(&asked[1]), [10, 11]);
    assert!(!asked[1].contains(SUMMARY_BEFORE));
    let carried_out = done.adapted.unwrap();
    assert!(carried_out.kept.is_empty());
    assert_eq!(carried_out.summarized.len(), 12, "the summary tells of all");
    // The end of the chain is taken as it is, however long.
    let (done, _) = run(&plan, &[Ok(&long), Ok(&long)]).await;
    assert_eq!(done.unwrap().summary, long);
    let off = [limit[0].clone(), ("max_depth", json!(0))];
    let (plan, _) = planned(&ours, "aider", &off);
    assert!(plan.fallbacks.is_empty());
}

#[tokio::test]
async fn aider_parts_a_long_tail_again() {
    // So that what goes ends with a reply, a tail of small messages can be far above half.
    let mut session = PiSession::new();
    for at in 0..4 {
        session.user(&format!("<{at}>{}", "abc ".repeat(100)));
        session.assistant(Reply::new().text("ok"));
    }
    for at in 4..12 {
        session.user(&format!("<{at}>{}", "abc ".repeat(100)));
    }
    let ours = read(&session);
    let limit = [("history_limit_tokens", json!(1_000))];
    let plan = planned(&ours, "aider", &limit);
    // Four fit; the users' messages before them have no reply to end with, so eight stay.
    assert_eq!(plan.0.kept.len(), 8);
    let words = "s".repeat(4 * 300);
    let (done, asked) = run(&plan, &[Ok(&words), Ok("all")]).await;
    let done = done.unwrap();
    assert_eq!(causes(&done), [Cause::OverLimit]);
    // No reply lies in the tail: all of it becomes one summary.
    assert_eq!(shown(&asked[1]), (4..12).collect::<Vec<_>>());
    assert!(done.adapted.unwrap().kept.is_empty());
}

#[test]
fn aiders_depth_is_three() {
    // Tails that can be parted again and again: many small replies behind large prompts.
    let sizes: Vec<usize> = (0..40)
        .map(|at| if at % 2 == 0 { 10 } else { 40 })
        .collect();
    let (plan, _) = planned(
        &talk(&sizes),
        "aider",
        &[("history_limit_tokens", json!(400))],
    );
    let mut depth = 0;
    let mut at = &plan;
    while let Some(next) = at.fallbacks.first() {
        assert_eq!((next.limit_tokens, next.takes_summary), (400, true));
        let kept = next.plan.items.iter().filter(|own| own.fate == Fate::Kept);
        assert!(kept.count() < at.items.iter().filter(|own| own.fate == Fate::Kept).count());
        assert_eq!(
            next.plan.summarized.len() + next.plan.kept.len(),
            sizes.len()
        );
        at = &next.plan;
        depth += 1;
    }
    assert!((1..=4).contains(&depth), "{depth}");
    assert!(at.kept.is_empty());
}

#[derive(Default)]
struct Heard(Mutex<Vec<String>>);

impl RunObserver for Heard {
    fn fell_back(&self, to: &PlannedFallback, reason: &str) {
        self.0
            .lock()
            .unwrap()
            .push(format!("{}: {reason}", to.words()));
    }
}

#[tokio::test]
async fn a_fallback_is_told_and_a_cancelled_run_has_none() {
    let (plan, material) = planned(
        &small_session(),
        "cline",
        &[("keep_recent_tokens", json!(30))],
    );
    let heard = Heard::default();
    let cancel = CancellationToken::new();
    let model = Script::of(&[overflow()]);
    execute(&plan, &material, &model, &heard, &cancel)
        .await
        .unwrap();
    assert_eq!(
        heard.0.into_inner().unwrap(),
        [
            "when a call does not fit: lists what happened by fixed rules, without a model: the \
          call for the summary failed: too long"
        ]
    );
    let heard = Heard::default();
    let model = Script::of(&[Err(SummarizeError::Cancelled)]);
    let (plan, material) = planned(&small_session(), "roo", &[]);
    let error = execute(&plan, &material, &model, &heard, &cancel)
        .await
        .unwrap_err();
    assert_eq!(error.reason, RunFailure::Cancelled);
    assert!(heard.0.into_inner().unwrap().is_empty());
}

#[tokio::test]
async fn several_fallbacks_are_tried_one_after_the_other() {
    let list: Value = json!([
        {"on": ["failed"], "meaning": "ask in other words", "set": {"prompts.system": "Other."}},
        {"on": ["unusable"], "meaning": "never for a failure", "strategy": "truncate"},
        {"on": ["overflow", "failed"], "meaning": "list", "strategy": "cline-basic",
         "set": {"keep_recent_tokens": 8}},
    ]);
    let plan = planned(&small_session(), "goose", &[("summarize.fallbacks", list)]);
    let (done, asked) = run(&plan, &[failed(), failed()]).await;
    let done = done.unwrap();
    assert_eq!(asked.len(), 2);
    let meant: Vec<&str> = done.attempts.iter().map(|own| own.then.as_str()).collect();
    assert_eq!(meant, ["ask in other words", "list"]);
    assert_eq!(done.adapted.unwrap().strategy, "cline-basic");
    let wrong = json!([{"meaning": "nowhere", "strategy": "no-such"}]);
    let refused = outcome(&small_session(), "goose", &[("summarize.fallbacks", wrong)]);
    assert!(matches!(
        refused.unwrap_err(),
        PlanError::UnknownStrategy { .. }
    ));
    let wrong = json!([{"meaning": "odd", "set": {"no_such": 1}}]);
    let refused = outcome(&small_session(), "goose", &[("summarize.fallbacks", wrong)]);
    let refused = refused.unwrap_err().to_string();
    assert!(
        refused.starts_with("the fallback of the preset goose (odd) cannot be made"),
        "{refused}"
    );
    let no_list = outcome(
        &small_session(),
        "goose",
        &[("summarize.fallbacks", json!(1))],
    );
    assert!(
        no_list
            .unwrap_err()
            .to_string()
            .contains("a JSON list of objects")
    );
}

/// Which model each call was sent to, in words.
#[derive(Default)]
struct Asked(Mutex<Vec<String>>);

impl RunObserver for Asked {
    fn asks(&self, call: usize, model: Option<&str>) {
        let model = model.unwrap_or("the chosen one");
        self.0.lock().unwrap().push(format!("{call}: {model}"));
    }
}

async fn asked_models(
    (plan, material): &(Plan, CallMessages),
    answers: &[Result<&str, SummarizeError>],
) -> Vec<String> {
    let heard = Asked::default();
    let cancel = CancellationToken::new();
    let _ = execute(plan, material, &Script::of(answers), &heard, &cancel).await;
    heard.0.into_inner().unwrap()
}

#[tokio::test]
async fn aider_asks_its_weaker_model_first_and_then_the_main_one() {
    let set = [
        ("history_limit_tokens", json!(60)),
        ("weak_model", json!("small")),
    ];
    let plan = planned(&small_session(), "aider", &set);
    assert_eq!(plan.0.calls[0].model.as_deref(), Some("small"));
    // What the weaker one says is taken, and the main one is not asked.
    let (done, _) = run(&plan, &[Ok("S")]).await;
    assert_eq!(done.unwrap().summary, "S");
    assert_eq!(asked_models(&plan, &[Ok("S")]).await, ["0: small"]);
    let both = ["0: small", "0: the chosen one"];
    for answer in [failed(), overflow(), Ok(" ")] {
        let answers = [answer, Ok("M")];
        let (done, asked) = run(&plan, &answers).await;
        assert_eq!(done.unwrap().summary, "M");
        assert_eq!(asked[0], asked[1], "the same is asked");
        assert_eq!(asked_models(&plan, &answers).await, both);
    }
    // When the main one fails as well there is no other.
    let answers = [failed(), failed()];
    let (error, _) = run(&plan, &answers).await;
    assert!(matches!(
        error.unwrap_err().reason,
        RunFailure::Failed { .. }
    ));
    assert_eq!(asked_models(&plan, &answers).await, both);
    // A summary written again is the weaker model's affair first, too.
    let again = &plan.0.fallbacks[0].plan;
    assert_eq!(again.calls[0].model.as_deref(), Some("small"));
}

#[tokio::test]
async fn without_a_weaker_model_the_chosen_one_is_asked_twice() {
    let set = [("history_limit_tokens", json!(60))];
    let plan = planned(&small_session(), "aider", &set);
    let answers = [failed(), Ok("M")];
    let (done, _) = run(&plan, &answers).await;
    assert_eq!(done.unwrap().summary, "M");
    let chosen = "0: the chosen one";
    assert_eq!(asked_models(&plan, &answers).await, [chosen, chosen]);
    // Set to the chosen model alone, it is asked once.
    let set = [set[0].clone(), ("worker", json!("model"))];
    let plan = planned(&small_session(), "aider", &set);
    assert_eq!(asked_models(&plan, &[failed()]).await, [chosen]);
}

#[tokio::test]
async fn what_is_left_out_for_the_chosen_model_stays_with_it() {
    let set = [
        ("history_limit_tokens", json!(60)),
        ("weak_model", json!("small")),
        ("summarize.overflow", json!({"kind": "drop_oldest"})),
    ];
    let plan = planned(&small_session(), "aider", &set);
    let answers = [overflow(), overflow(), Ok("M")];
    let (done, asked) = run(&plan, &answers).await;
    assert_eq!(done.unwrap().summary, "M");
    assert!(asked[0] == asked[1] && asked[2].len() < asked[1].len());
    let chosen = "0: the chosen one";
    assert_eq!(
        asked_models(&plan, &answers).await,
        ["0: small", chosen, chosen]
    );
}
