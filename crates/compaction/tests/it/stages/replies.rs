//! Replies that a preset has in a form of its own, and those it refuses.

use crate::common::{Said, planned, read};
use palimpsest_compaction::execute::{CallMessages, Unobserved};
use palimpsest_compaction::{Plan, RunFailure, RunOutcome, execute};
use palimpsest_testkit::session::{PiSession, Reply};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// What a run of `plan` comes to when every call is answered like this.
pub async fn run(
    plan: &Plan,
    material: &CallMessages,
    says: &str,
) -> Result<RunOutcome, RunFailure> {
    let model = Said(says.to_owned());
    let cancel = CancellationToken::new();
    let outcome = execute(plan, material, &model, &Unobserved, &cancel).await;
    outcome.map_err(|error| error.reason)
}

fn talk(name: &str, set: &[(&str, Value)]) -> (Plan, CallMessages) {
    let mut session = PiSession::new();
    for number in 0..8 {
        session.user(&format!("Question {number} about the gears?"));
        session.assistant(Reply::new().text(&format!("Answer {number}.")));
    }
    planned(&read(&session), name, set)
}

#[tokio::test]
async fn a_summary_that_makes_the_context_larger_is_refused_where_the_agent_does() {
    let (plan, material) = talk("gemini-cli", &[]);
    let long = format!("<state_snapshot>{}</state_snapshot>", "word ".repeat(9_000));
    assert!(matches!(
        run(&plan, &material, &long).await.unwrap_err(),
        RunFailure::Inflated { before, after } if after > before
    ));
    assert!(
        run(&plan, &material, "<state_snapshot>S</state_snapshot>")
            .await
            .is_ok()
    );
    let (plan, material) = talk("goose", &[]);
    assert!(run(&plan, &material, &long).await.is_ok());
}

#[tokio::test]
async fn a_reply_can_be_too_large() {
    let (plan, material) = talk("copilot-chat", &[("max_reply_tokens", json!(3))]);
    assert!(run(&plan, &material, "twelve chars").await.is_ok());
    assert!(matches!(
        run(&plan, &material, "thirteen char").await.unwrap_err(),
        RunFailure::TooLarge {
            tokens: 4,
            limit: 3,
            ..
        }
    ));
}

#[tokio::test]
async fn mux_refuses_a_bare_object() {
    let (plan, material) = talk("mux", &[]);
    let refused = run(&plan, &material, r#" {"tool": "read"} "#)
        .await
        .unwrap_err();
    assert!(matches!(refused, RunFailure::ToolCall { .. }));
    assert!(matches!(
        run(&plan, &material, "  ").await.unwrap_err(),
        RunFailure::Empty { .. }
    ));
    assert!(
        run(&plan, &material, "It said {\"tool\": 1}.")
            .await
            .is_ok()
    );
}
