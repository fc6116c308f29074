//! Planning over a large session while its cut is dragged.

use super::measure::spent;
use super::{Bench, Corpus};
use crate::error::{AppError, Result};
use crate::run::{KeptTexts, PlanRecord, PlanningMessages};
use crate::session::OpenSession;
use palimpsest_compaction::{Instructions, PlanInput, PlanOutcome, strategy};
use serde_json::{Map, json};
use std::sync::Arc;

impl Bench<'_> {
    /// The plan of pi's strategy at the end of a session without any compaction, with the cut at
    /// nine places one after the other; the first plan, which reads every text, comes before.
    pub(super) fn plan_large(&mut self, corpus: &Corpus) -> Result<()> {
        let Some(path) = corpus.files.first() else {
            return Ok(());
        };
        let open = Arc::new(OpenSession::read(path)?);
        let kept = KeptTexts::default();
        let messages = PlanningMessages {
            open: &open,
            kept: &kept,
        };
        let entries = open.session.entries.len();
        let at = open.resolve_or_leaf(None)?;
        let instructions = Instructions::default();
        let plan = |cut: usize| -> Result<u64> {
            let id = open.session.entries[cut].id.as_str();
            let select = json!({"kind": "cut_at", "first_kept": id});
            let set = Map::from_iter([("select".to_owned(), select)]);
            let context = open.format.context(&open.session, &open.tree, at);
            let input = PlanInput {
                session: &open.session,
                context: &context,
                messages: &messages,
                instructions: &instructions,
                vectors: None,
            };
            let outcome = strategy::plan("pi", &set, &input)
                .map_err(|error| AppError::Plan(error.to_string()))?;
            let PlanOutcome::Compaction(plan) = &outcome else {
                return Ok(0);
            };
            let record = PlanRecord::of_plan(&open, plan, true);
            let sent = plan.calls.iter().map(|call| call.input_tokens);
            Ok(sent.sum::<u64>() + record.kept_ids.len() as u64)
        };
        let (first, took) = spent(|| plan(entries - 1));
        first?;
        let note = format!("{entries} entries; every text is read");
        self.figure("the first plan", took.wall_ms, "ms", 2_000.0, note);
        let mut times = Vec::new();
        let mut tokens = 0;
        for tenth in 1..10 {
            let (sent, took) = spent(|| plan(entries * tenth / 10));
            tokens = tokens.max(sent?);
            times.push(took.wall_ms);
        }
        times.sort_by(f64::total_cmp);
        let note = format!("the slowest of 9 cuts; prompts of up to {tokens} tokens");
        let slowest = times.last().copied().unwrap_or_default();
        self.figure(
            "a plan while the cut is dragged",
            slowest,
            "ms",
            150.0,
            note,
        );
        Ok(())
    }
}
