//! Replies stored one by one, so that a run that is cut off goes on without paying twice.

use crate::clock::now_ms;
use crate::error::Result;
use crate::session::lock;
use crate::workspace::App;
use async_trait::async_trait;
use palimpsest_compaction::execute::{CallContext, CallObserver, SummarizeError, Summarizer};
use palimpsest_core::call::ModelReply;
use palimpsest_store::user::{LabCallRow, LabCallState};
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::sync::Mutex;
use tokio_util::sync::CancellationToken;

/// Hexadecimal digits of a request's hash: 128 bits.
const KEY_DIGITS: usize = 32;

/// A summarizer whose replies are stored: what was answered before is not requested again. A row is
/// written before a request is sent, so that one cut off by the end of the process is known; it is
/// then marked as lost and sent again.
pub(super) struct StoredCalls<'a> {
    app: &'a App,
    run: &'a str,
    /// Who is asked, as part of a request's hash.
    asked: String,
    others: &'a dyn Summarizer,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The requests of earlier processes, by hash and number.
    before: HashMap<(String, u64), Vec<LabCallRow>>,
    /// How often each request was made in this one.
    made: HashMap<String, u64>,
}

impl<'a> StoredCalls<'a> {
    /// Stores the calls of `run` that go to `others`.
    pub(super) fn new(
        app: &'a App,
        run: &'a str,
        asked: String,
        others: &'a dyn Summarizer,
    ) -> Result<StoredCalls<'a>> {
        let mut before: HashMap<_, Vec<LabCallRow>> = HashMap::new();
        for row in app.user_db()?.lab_calls(run)? {
            before
                .entry((row.key.clone(), row.nth))
                .or_default()
                .push(row);
        }
        Ok(StoredCalls {
            app,
            run,
            asked,
            others,
            state: Mutex::new(State {
                before,
                ..State::default()
            }),
        })
    }

    fn key(&self, context: &CallContext<'_>) -> String {
        let call = context.call;
        let mut hash = Sha256::new();
        let form = format!(
            "{:?}{:?}{:?}{:?}",
            call.model,
            call.max_output_tokens,
            call.temperature,
            call.sent_messages()
        );
        for text in [&self.asked, &call.system, &call.prompt, &form] {
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text.as_bytes());
        }
        let digest = hash.finalize();
        let mut key: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        key.truncate(KEY_DIGITS);
        key
    }

    fn save(&self, row: &LabCallRow) -> std::result::Result<(), SummarizeError> {
        let saved = self.app.user_db().and_then(|db| Ok(db.save_lab_call(row)?));
        // Without its row a reply would be paid for a second time.
        saved.map_err(|error| SummarizeError::Failed(error.to_string().into()))
    }
}

#[async_trait]
impl Summarizer for StoredCalls<'_> {
    async fn call(
        &self,
        context: &CallContext<'_>,
        observer: &dyn CallObserver,
        cancel: &CancellationToken,
    ) -> std::result::Result<ModelReply, SummarizeError> {
        let key = self.key(context);
        let (nth, mut before) = {
            let mut state = lock(&self.state);
            let made = state.made.entry(key.clone()).or_default();
            let nth = *made;
            *made += 1;
            let before = state.before.remove(&(key.clone(), nth));
            (nth, before.unwrap_or_default())
        };
        let stored = before.iter().rev().find_map(|row| row.reply.as_deref());
        if let Some(reply) = stored.and_then(|text| serde_json::from_str::<ModelReply>(text).ok()) {
            observer.text(&reply.text);
            return Ok(reply);
        }
        for row in &mut before {
            if row.state == LabCallState::Sent {
                row.state = LabCallState::Lost;
                self.save(row)?;
            }
        }
        let mut row = LabCallRow {
            run_id: self.run.to_owned(),
            key,
            nth,
            attempt: before.iter().map(|row| row.attempt).max().unwrap_or(0) + 1,
            state: LabCallState::Sent,
            reply: None,
            error: None,
            sent_at_ms: now_ms(),
            ended_at_ms: None,
        };
        self.save(&row)?;
        let answer = self.others.call(context, observer, cancel).await;
        row.ended_at_ms = Some(now_ms());
        match &answer {
            Ok(reply) => {
                row.state = LabCallState::Replied;
                row.reply = serde_json::to_string(reply).ok();
            }
            Err(error) => {
                // What was stopped may have been answered: nobody knows.
                row.state = match error {
                    SummarizeError::Cancelled => LabCallState::Lost,
                    _ => LabCallState::Failed,
                };
                row.error = Some(error.to_string());
            }
        }
        self.save(&row)?;
        answer
    }
}
