//! Planning over a large session while its cut is dragged.

use super::measure::spent;
use super::{Bench, Corpus};
use crate::error::{AppError, Result};
use crate::run::{KeptMemos, PlanRecord};
use crate::session::OpenSession;
use palimpsest_compaction::{Instructions, PlanInput, PlanOutcome, strategies, strategy};
use palimpsest_core::Failure as _;
use serde_json::{Map, json};
use std::sync::Arc;

impl Bench<'_> {
    /// The plan of every strategy at the end of a session without any compaction, as the window
    /// asks for it while the cut is dragged to one place after the other. The first plan of a
    /// strategy, which reads every text, comes before.
    pub(super) fn plan_large(&mut self, corpus: &Corpus) -> Result<()> {
        let Some(path) = corpus.files.first() else {
            return Ok(());
        };
        let open = Arc::new(OpenSession::read(path)?);
        let kept = KeptMemos::default();
        let entries = open.session.entries.len();
        let at = open.resolve_or_leaf(None)?;
        // Some strategies refuse to plan without.
        let instructions = Instructions {
            text: Some("Go on with the tests.".to_owned()),
            replace: false,
        };
        let plan = |strategy: &str, cut: usize| -> Result<u64> {
            let id = open.session.entries[cut].id.as_str();
            let select = json!({"kind": "cut_at", "first_kept": id});
            let set = Map::from_iter([("select".to_owned(), select)]);
            let input = PlanInput {
                session: &open.session,
                context: &kept.context(&open, at),
                messages: &kept.messages(&open, true),
                instructions: &instructions,
                vectors: None,
            };
            let outcome = strategy::plan(strategy, &set, &input)
                .map_err(|error| AppError::Plan(error.problem()))?;
            let PlanOutcome::Compaction(plan) = &outcome else {
                return Ok(0);
            };
            let record = PlanRecord::of_plan(&open, plan, true);
            let sent = plan.calls.iter().map(|call| call.input_tokens);
            Ok(sent.sum::<u64>() + record.kept_ids.len() as u64)
        };
        let (first, took) = spent(|| plan("pi", entries - 1));
        first?;
        let note = format!("{entries} entries; every text is read");
        self.figure("the first plan", took.wall_ms, "ms", 2_000.0, note);
        let mut slowest_of = Vec::new();
        for strategy in strategies() {
            // All that is summarized, then all that is kept: after that everything is known.
            for cut in [entries - 1, 1] {
                plan(strategy.name, cut)?;
            }
            let mut slowest = 0.0_f64;
            for tenth in [2, 5, 8] {
                let (sent, took) = spent(|| plan(strategy.name, entries * tenth / 10));
                sent?;
                // Other work on the machine does not count: a plan is made by one thread.
                slowest = slowest.max(took.cpu_s * 1_000.0);
            }
            slowest_of.push((slowest, strategy.name));
        }
        slowest_of.sort_by(|one, other| other.0.total_cmp(&one.0));
        let slowest = slowest_of.first().map_or(0.0, |(ms, _)| *ms);
        let named = |(ms, name): &(f64, &str)| format!("{name} {ms:.0}");
        let named: Vec<_> = slowest_of.iter().take(4).map(named).collect();
        let note = format!(
            "CPU; the slowest of 3 cuts with each of {} strategies: {}",
            slowest_of.len(),
            named.join(", ")
        );
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
