//! Summaries by a program of the user: what is pure of it.

use super::replies::run;
use crate::common::{plan_of, planned, small_session};
use palimpsest_compaction::execute::Unobserved;
use palimpsest_compaction::plan::Worker;
use palimpsest_compaction::strategy::{Needs, strategies};
use palimpsest_compaction::{OfflineSummarizer, RunFailure, execute};
use palimpsest_core::Failure as _;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

fn set() -> Vec<(&'static str, Value)> {
    vec![
        ("keep_recent_tokens", json!(30)),
        ("command", json!(["./summarize", "--short"])),
    ]
}

#[test]
fn one_call_names_the_program() {
    let ours = small_session();
    let plan = plan_of(&ours, "external", &set());
    // One call, the beginning of a split turn included, with the program as it was named.
    assert_eq!(plan.calls.len(), 1);
    assert_eq!(plan.calls[0].worker, Worker::External);
    let program = plan.calls[0].program.as_ref().unwrap();
    assert_eq!(program.command, ["./summarize", "--short"]);
    assert_eq!(program.timeout_seconds, 600);
    let all = strategies();
    let own = all.iter().find(|own| own.name == "external").unwrap();
    assert_eq!(own.needs, Needs::Program);
}

#[tokio::test]
async fn it_prints_a_summary_as_json() {
    let (plan, material) = planned(&small_session(), "external", &set());
    let outcome = run(&plan, &material, r#"{"summary": "S", "took": 3}"#)
        .await
        .unwrap();
    assert!(outcome.summary.starts_with("S\n\n<"), "{}", outcome.summary);
    for (reply, reason) in [
        ("just words", "begins with 'just words'"),
        ("[]", "expected a JSON object"),
        (r#"{"text": "S"}"#, "missing fields: summary"),
    ] {
        let refused = run(&plan, &material, reply).await.unwrap_err();
        assert!(matches!(refused, RunFailure::Form { .. }));
        let refused = refused.to_string();
        assert!(refused.contains(reason), "{refused}");
        assert!(!refused.contains("model"), "{refused}");
    }
    let empty = run(&plan, &material, r#"{"summary": " "}"#)
        .await
        .unwrap_err();
    assert!(matches!(empty, RunFailure::Empty { .. }));
    assert!(!empty.to_string().contains("model"), "{empty}");
}

#[tokio::test]
async fn without_a_command_it_is_refused_before_anything_runs() {
    for command in [json!([]), json!([" "])] {
        let set = [("keep_recent_tokens", json!(30)), ("command", command)];
        let (plan, material) = planned(&small_session(), "external", &set);
        assert!(
            plan.notes[0].contains("command of the external program is not set"),
            "{:?}",
            plan.notes
        );
        let refused = run(&plan, &material, r#"{"summary": "S"}"#)
            .await
            .unwrap_err();
        assert!(matches!(refused, RunFailure::NoProgram { .. }));
        let next = refused.next().map(|step| step.to_string());
        assert!(
            refused.to_string().contains("its command is not set"),
            "{refused}"
        );
        assert!(next.is_some(), "{refused} has no next step");
    }
}

#[tokio::test]
async fn the_offline_summarizer_does_not_stand_in_for_it() {
    let (plan, material) = planned(&small_session(), "external", &set());
    let cancel = CancellationToken::new();
    let outcome = execute(&plan, &material, &OfflineSummarizer, &Unobserved, &cancel).await;
    let reason = outcome.unwrap_err().reason.to_string();
    assert!(reason.contains("needs an external program"), "{reason}");
}
