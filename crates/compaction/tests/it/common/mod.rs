//! Sessions, plans and summarizers for the tests of presets.

use async_trait::async_trait;
use palimpsest_compaction::{
    CallContext, CallMessages, CallObserver, Instructions, Plan, PlanError, PlanInput, PlanOutcome,
    SummarizeError, Summarizer, strategy,
};
use palimpsest_core::call::{ModelReply, StopReason};
use palimpsest_core::{ContextItem, Usage};
use palimpsest_formats::{InMemory, pi::Pi};
use palimpsest_testkit::session::{PiSession, Reply};
use serde_json::{Map, Value, json};
use std::sync::Mutex;
use tokio_util::sync::CancellationToken;

/// A session as pi's reader sees it.
pub fn read(session: &PiSession) -> InMemory {
    InMemory::read(&Pi, "x", session.to_jsonl().into_bytes())
}

/// A session on which every preset can plan: three turns, tools that read,
/// edit and fail, and a reply after the last result.
pub fn small_session() -> InMemory {
    let mut session = PiSession::new();
    session.user("Make the gears turn twice as fast. Never touch clock.rs.");
    session.assistant(
        Reply::new()
            .think("Where are the gears?")
            .text("I will look at the gears.")
            .call("read", json!({"path": "src/gears.rs"})),
    );
    session.tool_result(&"let teeth = 24;\n".repeat(20));
    session.assistant(Reply::new().call("edit", json!({"path": "src/gears.rs"})));
    session.tool_result("Changed 1 line.");
    session.assistant(Reply::new().text("The gears have 48 teeth now."));
    session.user("Run the tests.");
    session.assistant(Reply::new().call("bash", json!({"command": "cargo test"})));
    session.tool_error("error[E0308]: mismatched types in src/gears.rs:7");
    session.assistant(Reply::new().text("A type is wrong; 48 must be a u8."));
    session.user("Fix it, then say what is left to do.");
    session.assistant(Reply::new().text("Fixed. The clock is left to do."));
    read(&session)
}

/// What a strategy must be told, where it refuses to plan without.
fn goal(name: &str) -> Option<String> {
    (name == "amp-handoff").then(|| "Build the clock.".to_owned())
}

/// What a strategy plans at the session's leaf, with these settings.
pub fn outcome(
    ours: &InMemory,
    name: &str,
    set: &[(&str, Value)],
) -> Result<(PlanOutcome, Option<CallMessages>), PlanError> {
    let text = goal(name);
    let instructions = Instructions {
        text,
        replace: false,
    };
    instructed(ours, name, set, instructions)
}

/// The same with instructions of the user.
pub fn instructed(
    ours: &InMemory,
    name: &str,
    set: &[(&str, Value)],
    instructions: Instructions,
) -> Result<(PlanOutcome, Option<CallMessages>), PlanError> {
    let context = ours.context(ours.session.active_leaf);
    let messages = |item: &ContextItem| ours.format.item_message(&ours.session, item, ours);
    let input = PlanInput {
        session: &ours.session,
        context: &context,
        messages: &messages,
        instructions: &instructions,
        vectors: None,
    };
    let settings: Map<String, Value> = set
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect();
    let outcome = strategy::plan(name, &settings, &input)?;
    let material = match &outcome {
        PlanOutcome::Compaction(plan) => {
            Some(CallMessages::load(plan, &ours.session, &context, &messages).unwrap())
        }
        PlanOutcome::Nothing { .. } => None,
    };
    Ok((outcome, material))
}

/// The plan, where there must be one.
pub fn plan_of(ours: &InMemory, name: &str, set: &[(&str, Value)]) -> Plan {
    planned(ours, name, set).0
}

/// The plan and the messages its calls are about.
pub fn planned(ours: &InMemory, name: &str, set: &[(&str, Value)]) -> (Plan, CallMessages) {
    match outcome(ours, name, set).unwrap() {
        (PlanOutcome::Compaction(plan), Some(material)) => (*plan, material),
        (other, _) => panic!("no plan: {other:?}"),
    }
}

/// A model that answers by number of call and writes down what it was asked.
#[derive(Default)]
pub struct Model {
    /// Prompts in the order they came, with the number of their call.
    pub asked: Mutex<Vec<(usize, String)>>,
    /// Prompts longer than this do not fit.
    pub window: Option<usize>,
}

#[async_trait]
impl Summarizer for Model {
    async fn call(
        &self,
        context: &CallContext<'_>,
        observer: &dyn CallObserver,
        cancel: &CancellationToken,
    ) -> Result<ModelReply, SummarizeError> {
        let prompt = context.call.prompt.clone();
        let length = prompt.len();
        self.asked.lock().unwrap().push((context.index, prompt));
        // Let others begin before this one ends.
        tokio::task::yield_now().await;
        if cancel.is_cancelled() {
            return Err(SummarizeError::Cancelled);
        }
        if self.window.is_some_and(|window| length > window) {
            return Err(SummarizeError::Overflow(
                format!("{length} is too long").into(),
            ));
        }
        let text = format!("R{}", context.index);
        observer.text(&text);
        Ok(reply(&text))
    }
}

/// A whole reply.
pub fn reply(text: &str) -> ModelReply {
    ModelReply {
        block_starts: Vec::new(),
        text: text.to_owned(),
        stop: StopReason::Stop,
        usage: Usage::default(),
        model: None,
    }
}

/// A model that always says the same.
pub struct Said(pub String);

#[async_trait]
impl Summarizer for Said {
    async fn call(
        &self,
        _: &CallContext<'_>,
        _: &dyn CallObserver,
        _: &CancellationToken,
    ) -> Result<ModelReply, SummarizeError> {
        Ok(reply(&self.0))
    }
}
