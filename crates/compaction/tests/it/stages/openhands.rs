//! OpenHands' condensers that have the model choose, or fill in fields; and several in a row.

use super::replies::run;
use crate::common::{Model, plan_of, planned, read};
use palimpsest_compaction::execute::Unobserved;
use palimpsest_compaction::select::Fate;
use palimpsest_compaction::{OfflineSummarizer, Plan, Preset, RunFailure, execute, replay};
use palimpsest_formats::InMemory;
use palimpsest_testkit::session::{PiSession, Reply};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// So many messages, user and assistant by turns.
fn events(count: usize) -> InMemory {
    let mut session = PiSession::new();
    for number in 0..count {
        let text = format!("message number {number}");
        match number % 2 {
            0 => session.user(&text),
            _ => session.assistant(Reply::new().text(&text)),
        };
    }
    read(&session)
}

fn kept(plan: &Plan) -> Vec<usize> {
    let items = plan.items.iter().enumerate();
    let own = items.filter(|(_, item)| item.fate == Fate::Kept);
    own.map(|(at, _)| at).collect()
}

#[tokio::test]
async fn the_model_names_the_events_that_stay() {
    let (plan, material) = planned(&events(101), "openhands-attention", &[]);
    // Of 101 events 50 are left: the first, and 49 of the others.
    assert_eq!(kept(&plan), [0]);
    assert_eq!(plan.calls.len(), 1);
    assert!(
        plan.calls[0]
            .prompt
            .contains("<message id=\"100\">\nUSER: message number 100")
    );
    assert!(plan.calls[0].prompt.contains("49 at most"));
    let ids: Vec<usize> = (1..60).collect();
    let outcome = run(&plan, &material, &json!({"ids": ids}).to_string())
        .await
        .unwrap();
    let stay: Vec<&str> = outcome
        .summary
        .lines()
        .filter(|line| !line.is_empty())
        .collect();
    assert_eq!(stay.len(), 49);
    assert_eq!(stay[0], "AGENT: message number 1");
    assert_eq!(stay[48], "AGENT: message number 49");
    // The same reply makes the same bytes again.
    assert_eq!(replay(&plan, &outcome.replies).unwrap(), outcome.summary);
    for reply in ["I would keep the first ten.", "{\"ids\": [777]}"] {
        let refused = run(&plan, &material, reply).await.unwrap_err();
        assert!(matches!(refused, RunFailure::Form { .. }), "{refused}");
    }
    // Up to 100 nothing is asked.
    let hundred = crate::common::outcome(&events(100), "openhands-attention", &[]).unwrap();
    assert!(hundred.1.is_none());
}

#[test]
fn the_agents_own_prompt_is_shown_whole_before_the_request() {
    let ours = events(101);
    let plan = plan_of(&ours, "openhands-agent-cache", &[]);
    // Of 101 events 50 are left: the first, the summary, and 48.
    assert_eq!(kept(&plan).len(), 1 + 48);
    let call = &plan.calls[0];
    assert_eq!(call.items, (1..53).collect::<Vec<_>>());
    let shown: Vec<usize> = call.parts.iter().map(|part| part.item).collect();
    assert_eq!(shown, (0..101).collect::<Vec<_>>());
    assert!(
        call.prompt
            .starts_with("USER: message number 0\n\nAGENT: message number 1\n\n")
    );
    let (before, request) = call.prompt.split_at(call.conversation.end);
    assert!(before.ends_with("USER: message number 100"));
    assert!(request.starts_with("\n\nStop here"));
    // Beside it the ordinary way shows what goes, and nothing else.
    let without = plan_of(&ours, "openhands-llm", &[]);
    let shown: Vec<usize> = without.calls[0]
        .parts
        .iter()
        .map(|part| part.item)
        .collect();
    assert_eq!(shown, without.calls[0].items);
    assert_eq!(shown, call.items);
    assert!(
        crate::common::outcome(&events(100), "openhands-agent-cache", &[])
            .unwrap()
            .1
            .is_none()
    );
    // Events are not cut there: the agent sees them whole.
    let set = [("max_messages", json!(2))];
    let mut session = PiSession::new();
    session.user("go");
    session.assistant(Reply::new().call("read", json!({"path": "a.rs"})));
    session.tool_result(&"y".repeat(12_000));
    session.user("on");
    let ours = read(&session);
    let whole = plan_of(&ours, "openhands-agent-cache", &set);
    assert!(whole.calls[0].prompt.contains(&"y".repeat(12_000)));
}

#[test]
fn no_event_is_longer_than_ten_thousand() {
    let mut session = PiSession::new();
    session.user("go");
    session.user(&"u".repeat(50_000));
    session.assistant(Reply::new().text(&"a".repeat(50_000)));
    session.assistant(Reply::new().call("write", json!({"content": "c".repeat(50_000)})));
    session.tool_result(&"r".repeat(50_000));
    session.user("on");
    let ours = read(&session);
    let set = [("max_messages", json!(2))];
    for (name, most) in [
        ("openhands-llm", 10_000),
        ("openhands-structured", 10_000),
        ("openhands-pipeline", 10_000),
        // No other condenser has such a limit.
        ("openhands-agent-cache", 51_000),
        ("openhands-attention", 51_000),
    ] {
        let plan = plan_of(&ours, name, &set);
        let call = &plan.calls[0];
        let events = call.parts.iter().filter(|part| part.item > 0);
        let texts = events.map(|part| &call.prompt[part.range.clone()]);
        let longest: Vec<usize> = texts
            .map(|text| text.strip_suffix("\n\n").unwrap_or(text))
            .map(|text| text.strip_suffix("\n[truncated]").unwrap_or(text).len())
            .filter(|length| *length > 1_000)
            .collect();
        assert!(longest.len() >= 4, "{name}: {longest:?}");
        match most {
            10_000 => assert!(
                longest.iter().all(|own| *own == most),
                "{name}: {longest:?}"
            ),
            _ => assert!(
                longest.iter().all(|own| *own > 50_000 && *own < most),
                "{name}"
            ),
        }
    }
}

#[tokio::test]
async fn the_state_comes_in_named_fields() {
    let (plan, material) = planned(&events(101), "openhands-structured", &[]);
    assert_eq!(kept(&plan).len(), 1 + 48);
    let fields = &Preset::named("openhands-structured").unwrap().params()["fields"];
    let names: Vec<&str> = fields
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert!(
        names
            .iter()
            .all(|name| plan.calls[0].prompt.contains(&format!("- {name}: ")))
    );
    let mut state: serde_json::Map<String, Value> = names
        .iter()
        .map(|name| ((*name).to_owned(), json!("")))
        .collect();
    state["pending_tasks"] = json!("paint the door");
    let reply = Value::Object(state.clone()).to_string();
    let outcome = run(&plan, &material, &reply).await.unwrap();
    assert_eq!(outcome.summary, "PENDING_TASKS:\npaint the door");
    state.remove("tests");
    let reply = Value::Object(state).to_string();
    let refused = run(&plan, &material, &reply).await.unwrap_err();
    assert!(
        refused.to_string().contains("missing fields: tests"),
        "{refused}"
    );
}

#[tokio::test]
async fn offline_replies_have_the_form_as_well() {
    for (name, begins) in [
        ("openhands-attention", "USER: message number 52"),
        ("openhands-structured", "USER_CONTEXT:\n"),
    ] {
        let (plan, material) = planned(&events(101), name, &[]);
        let cancel = CancellationToken::new();
        let outcome = execute(&plan, &material, &OfflineSummarizer, &Unobserved, &cancel).await;
        let summary = outcome.unwrap().summary;
        assert!(summary.starts_with(begins), "{name}: {summary}");
    }
}

#[test]
fn half_of_the_rest_goes_without_a_summary() {
    let plan = plan_of(&events(11), "openhands-window", &[]);
    assert_eq!(kept(&plan), [0, 6, 7, 8, 9, 10]);
    assert!(plan.calls.is_empty());
}

#[test]
fn condensers_take_their_turns() {
    let mut session = PiSession::new();
    for number in 0..60 {
        session.assistant(Reply::new().call("browse", json!({"url": format!("{number}")})));
        session.tool_result(&format!("page {number} ").repeat(20));
    }
    let plan = plan_of(&read(&session), "openhands-pipeline", &[]);
    // 59 pages by the first; the second finds nothing left to mask.
    assert_eq!(plan.changes.len(), 59);
    assert_eq!(plan.calls.len(), 1);
    let masked = plan
        .changes
        .iter()
        .filter(|change| change.tokens_after == 2);
    assert_eq!(masked.count(), 10);
    let shown = plan.calls[0].conversation();
    assert!(shown.contains("Browser output was left out.") && shown.contains("<MASKED>"));
    assert!(!shown.contains("page 3"));
}

/// Messages of these sizes in tokens, user and assistant by turns.
fn sized(sizes: &[usize]) -> InMemory {
    let mut session = PiSession::new();
    for (number, size) in sizes.iter().enumerate() {
        let text = "abc ".repeat(*size);
        match number % 2 {
            0 => session.user(&text),
            _ => session.assistant(Reply::new().text(&text)),
        };
    }
    read(&session)
}

/// V1 with only these reasons.
fn reasons(max_messages: u64, max_tokens: u64) -> Vec<(&'static str, Value)> {
    vec![
        ("halve_on_request", json!(false)),
        ("max_messages", json!(max_messages)),
        ("max_tokens", json!(max_tokens)),
    ]
}

#[test]
fn too_many_tokens_leave_half_of_the_limit() {
    // 1,200 tokens are more than 1,000: the first two and the newest stay within 500.
    let ours = sized(&[100; 12]);
    let by_tokens = plan_of(&ours, "openhands", &reasons(240, 1_000));
    assert_eq!(kept(&by_tokens), [0, 1, 9, 10, 11]);
    let at_limit = crate::common::outcome(&ours, "openhands", &reasons(240, 1_200)).unwrap();
    assert!(at_limit.1.is_none(), "no more than the limit is no reason");
    // The strictest reason counts: of 12 events more than 11 leave 5, which is a tail of 2.
    let both = plan_of(&ours, "openhands", &reasons(11, 1_000));
    assert_eq!(kept(&both), [0, 1, 10, 11]);
    let few_tokens = plan_of(&ours, "openhands", &reasons(11, 700));
    assert_eq!(kept(&few_tokens), [0, 1, 11]);
}

#[test]
fn the_factory_keeps_four_of_eighty() {
    let set = [
        ("halve_on_request", json!(false)),
        ("keep_first_messages", json!(4)),
        ("max_messages", json!(80)),
    ];
    let plan = plan_of(&events(81), "openhands", &set);
    // 40 are left: four, the summary, and 35.
    assert_eq!(kept(&plan).len(), 4 + 35);
    assert!(
        crate::common::outcome(&events(80), "openhands", &set)
            .unwrap()
            .1
            .is_none()
    );
}

#[test]
fn too_little_progress_is_none_unless_it_must_be() {
    let limits = |most: u64, target: u64, asked: bool| {
        vec![
            ("max_messages", json!(most)),
            ("target_messages", json!(target)),
            ("halve_on_request", json!(asked)),
        ]
    };
    // Of 20 events a target of 19 lets two go with the summary, which is a tenth; one of 20 is not.
    let ours = events(20);
    let tenth = plan_of(&ours, "openhands", &limits(19, 19, false));
    assert_eq!(kept(&tenth).len(), 18);
    let mut set = limits(19, 19, false);
    set.push(("summary_messages", json!(0)));
    assert!(
        crate::common::outcome(&ours, "openhands", &set)
            .unwrap()
            .1
            .is_none(),
        "a number of events is no reason to reset"
    );
    // Asked to, three events with two to keep first cannot give a tenth: everything goes.
    let reset = plan_of(&events(2), "openhands", &[]);
    assert!(kept(&reset).is_empty());
    assert_eq!(reset.calls[0].items, [0, 1]);
    assert!(
        crate::common::outcome(
            &events(2),
            "openhands",
            &[("reset_when_stuck", json!(false))]
        )
        .unwrap()
        .1
        .is_none()
    );
    // Too many tokens in what is kept first are a reason as well.
    let large = plan_of(&sized(&[500, 500, 1]), "openhands", &{
        let mut set = reasons(240, 900);
        set.push(("minimum_progress", json!(0.5)));
        set
    });
    assert!(kept(&large).is_empty());
}

#[tokio::test]
async fn a_reset_shortens_events_until_they_fit() {
    let ours = sized(&[500, 10]);
    let (plan, material) = planned(&ours, "openhands", &[]);
    let whole = plan.calls[0].prompt.len();
    let run = async |window: usize| {
        let model = Model {
            window: Some(window),
            ..Model::default()
        };
        let cancel = CancellationToken::new();
        let done = execute(&plan, &material, &model, &Unobserved, &cancel).await;
        (done, model.asked.into_inner().unwrap())
    };
    // The longest event has 2,000 characters and its label: 1,604 and 1,283 of 2,005 fit.
    let (done, asked) = run(whole - 700).await;
    let lengths: Vec<usize> = asked
        .iter()
        .map(|(_, prompt)| whole - prompt.len())
        .collect();
    assert_eq!(lengths, [0, 401, 722]);
    let done = done.unwrap();
    let adapted = done.adapted.unwrap();
    assert!(
        adapted.calls[0]
            .prompt
            .contains("characters shortened to 1283")
    );
    // Nothing was left out: each event is still in the summary.
    assert_eq!(adapted.summarized, plan.summarized);
    assert_eq!(replay(&adapted, &done.replies).unwrap(), done.summary);
    // After five times it gives up.
    let (done, asked) = run(10).await;
    assert!(matches!(
        done.unwrap_err().reason,
        RunFailure::Overflow { .. }
    ));
    assert_eq!(asked.len(), 1 + 5);
}
