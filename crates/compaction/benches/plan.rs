//! Times of planning over one long session, with texts kept and without.
//!
//! `cargo bench -p palimpsest-compaction`. The aim is 150 ms for 50,000 entries once texts are
//! kept, so that a cut that is dragged follows the hand.
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]

use palimpsest_compaction::plan::ItemText;
use palimpsest_compaction::{Instructions, ItemMessages, PlanInput, PlanOutcome, strategy};
use palimpsest_core::{BodyError, Context, ContextItem, Message};
use palimpsest_formats::{InMemory, pi::Pi};
use serde_json::{Map, Value, json};
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::LazyLock;
use std::time::Instant;

const ENTRIES: usize = 50_000;

/// A session of `ENTRIES` records and about 55 MB: turns of a request, then calls with results.
fn session() -> InMemory {
    let mut text = String::new();
    let time = "2026-10-01T00:00:00.000Z";
    let _ = writeln!(
        text,
        r#"{{"type":"session","version":3,"id":"bench","timestamp":"{time}","cwd":"/work"}}"#
    );
    let words = "the parser keeps the header of src/wire/frame.rs in a buffer of 64 bytes; ";
    let mut parent = String::from("null");
    for at in 0..ENTRIES {
        let id = format!("{at:08x}");
        let message = match at % 10 {
            0 => json!({"role": "user", "content": words.repeat(4), "timestamp": 1}),
            n if n % 2 == 1 => json!({
                "role": "assistant", "provider": "p", "model": "m", "api": "a", "timestamp": 1,
                "stopReason": "toolUse",
                "content": [
                    {"type": "text", "text": words.repeat(6)},
                    {"type": "toolCall", "id": format!("c{at}"), "name": "read",
                     "arguments": {"path": format!("src/part{}.rs", at % 97)}},
                ],
                "usage": {"input": 1, "output": 1, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 2,
                    "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0}},
            }),
            _ => json!({
                "role": "toolResult", "toolCallId": format!("c{}", at - 1), "toolName": "read",
                "isError": false, "timestamp": 1,
                "content": [{"type": "text", "text": words.repeat(20)}],
            }),
        };
        let _ = writeln!(
            text,
            r#"{{"type":"message","id":"{id}","parentId":{parent},"timestamp":"{time}","message":{message}}}"#
        );
        parent = format!("\"{id}\"");
    }
    println!("{} MB", text.len() / 1_000_000);
    InMemory::read(&Pi, "bench.jsonl", text.into_bytes())
}

struct Kept<'a> {
    session: &'a InMemory,
    texts: RefCell<HashMap<(u32, u64), ItemText>>,
}

impl ItemMessages for Kept<'_> {
    fn message(&self, item: &ContextItem) -> Result<Message, BodyError> {
        let session = self.session;
        session.format.item_message(&session.session, item, session)
    }

    fn written(
        &self,
        item: &ContextItem,
        form: u64,
        make: &mut dyn FnMut() -> Result<ItemText, BodyError>,
    ) -> Result<ItemText, BodyError> {
        let key = (item.entries[0].0, form);
        if let Some(text) = self.texts.borrow().get(&key) {
            return Ok(text.clone());
        }
        let text = make()?;
        self.texts.borrow_mut().insert(key, text.clone());
        Ok(text)
    }
}

/// Time this thread has spent computing, where the system says it; else time passed. Other work
/// on the machine then does not count.
fn cpu_ms() -> f64 {
    static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);
    let spent = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let ns = spent.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    ns.map_or_else(|| BEGAN.elapsed().as_secs_f64() * 1_000.0, |ns| ns / 1e6)
}

fn plan(name: &str, set: &Value, context: &Context, messages: &Kept<'_>) -> (f64, String) {
    let instructions = Instructions::default();
    let input = PlanInput {
        session: &messages.session.session,
        context,
        messages,
        instructions: &instructions,
        vectors: None,
    };
    let set: Map<String, Value> = set.as_object().cloned().unwrap_or_default();
    let start = cpu_ms();
    let outcome = strategy::plan(name, &set, &input).unwrap();
    let ms = cpu_ms() - start;
    let said = match outcome {
        PlanOutcome::Compaction(plan) => format!(
            "{} calls, {} tokens",
            plan.calls.len(),
            plan.calls.iter().map(|call| call.input_tokens).sum::<u64>()
        ),
        PlanOutcome::Nothing { reason } => format!("nothing: {}", reason.message()),
    };
    (ms, said)
}

fn main() {
    let session = session();
    let start = cpu_ms();
    let context = session.context(session.session.active_leaf);
    println!("context: {:.0} ms", cpu_ms() - start);
    let messages = Kept {
        session: &session,
        texts: RefCell::default(),
    };
    let cut = |at: usize| json!({"select": {"kind": "cut_at", "first_kept": format!("{at:08x}")}});
    for name in palimpsest_compaction::strategies()
        .iter()
        .map(|own| own.name)
    {
        let (first, said) = plan(name, &json!({}), &context, &messages);
        let mut again: Vec<f64> = [ENTRIES / 2, ENTRIES - 100, ENTRIES - 2_000]
            .iter()
            .map(|&at| plan(name, &cut(at), &context, &messages).0)
            .collect();
        again.sort_by(f64::total_cmp);
        println!(
            "{name:32} first {first:7.1} ms, cut moved {:7.1} ms  ({said})",
            again[1]
        );
    }
}
