//! Summaries that the user edited, kept as runs without calls.

use super::executing::{run_id, to_json};
use super::kept::{EditedFrom, RunDetails, RunRecord};
use super::record::{PlanKind, PlanRecord};
use crate::clock::now_ms;
use crate::error::{AppError, Result};
use crate::session::OpenSession;
use crate::summary::{Material, newest_summary, stored_cut};
use crate::workspace::App;
use palimpsest_core::estimate::text_tokens;
use palimpsest_core::failure::{Input, NextStep};
use palimpsest_core::{EntryIx, EntryKind, SummaryKind, Usage};
use palimpsest_store::user::{RunNote, RunRow, RunStatus};
use std::sync::Arc;

/// The strategy's name of an edited summary.
pub const EDITED: &str = "edited";

/// Who wrote an edited summary, in the place of a provider.
const BY_HAND: &str = "by hand";

/// What a summary is called: `entry:ID` for one that the session holds, else the id of a run.
const ENTRY: &str = "entry:";

impl App {
    /// What is needed to judge a summary by its name: `entry:ID` or the id of a run.
    pub fn material_named(&self, open: &OpenSession, name: &str) -> Result<Material> {
        match name.strip_prefix(ENTRY) {
            Some(entry) => Material::of_compaction(open, Some(entry)),
            None => self.material_of_run(open, name),
        }
    }

    /// The name of a summary; an empty one is that of the newest summary on the active path.
    pub fn summary_name(&self, session: &str, of: &str) -> Result<String> {
        if !of.is_empty() {
            return Ok(of.to_owned());
        }
        let open = self.open(session)?;
        let ix = newest_summary(&open)?;
        Ok(format!("{ENTRY}{}", open.session.name_of(ix)))
    }

    /// Keeps an edited summary as a run: `of` names the summary that was edited, `text` is what it
    /// became. The run stands for the same entries.
    pub fn keep_edited(&self, session: &str, of: &str, text: &str) -> Result<RunRecord> {
        let named = self.summary_name(session, of)?;
        let of = named.as_str();
        if text.trim().is_empty() {
            return Err(AppError::bad_request(
                "the edited summary is empty",
                NextStep::Give {
                    what: Input::Summary,
                },
            ));
        }
        let (open, plan, from, kind) = match of.strip_prefix(ENTRY) {
            Some(entry) => {
                let open = self.open(session)?;
                let ix = open.resolve(entry)?;
                let plan = plan_of_entry(&open, ix, text)?;
                let from = EditedFrom {
                    run: None,
                    entry: Some(open.session.name_of(ix)),
                };
                let kind = match open.session.entry(ix).kind {
                    EntryKind::BranchSummary(_) => SummaryKind::BranchSummary,
                    _ => SummaryKind::Compaction,
                };
                (open, plan, from, kind)
            }
            None => {
                let open = self.open_of_run(session, of)?;
                let source = self.run_named(of)?;
                let plan = PlanRecord {
                    strategy: EDITED.to_owned(),
                    calls: Vec::new(),
                    fallbacks: Vec::new(),
                    prompts: Vec::new(),
                    destination: String::new(),
                    estimated_cost_usd: None,
                    most_cost_usd: None,
                    user_prices: false,
                    ..source.plan.as_ref().clone()
                };
                let from = EditedFrom {
                    run: Some(source.row.id.clone()),
                    // An edited summary of the session that is edited again is still of its entry.
                    entry: source.details.edited.and_then(|edited| edited.entry),
                };
                (open, plan, from, source.row.kind)
            }
        };
        let mut material = self.material_named(&open, of)?;
        text.clone_into(&mut material.summary);
        let ledger = material.ledger();
        let details = RunDetails {
            span_tokens: Some(material.span_tokens()),
            facts: ledger.facts.len(),
            introduced: ledger.introduced.len(),
            score: material.score(&material.summary, &ledger),
            totals: Some(ledger.totals),
            edited: Some(from),
            ..RunDetails::default()
        };
        let now = now_ms();
        let meta = &open.session.meta;
        let row = RunRow {
            id: run_id()?,
            kind,
            status: RunStatus::Done,
            session_id: open.id.clone(),
            session_path: meta.path.clone(),
            agent: meta.agent,
            at_entry_id: plan.at.clone(),
            strategy: EDITED.to_owned(),
            params: to_json(&plan.params)?,
            instructions: None,
            replaces_prompt: false,
            provider: BY_HAND.to_owned(),
            model: String::new(),
            plan: to_json(&plan)?,
            calls: "[]".to_owned(),
            summary: Some(text.to_owned()),
            details: Some(to_json(&details)?),
            usage: Usage {
                cost_usd: Some(0.0),
                ..Usage::default()
            },
            error: None,
            started_at_ms: now,
            finished_at_ms: Some(now),
        };
        self.keep_row(&row);
        let unkept = self.unkept.reason(&row.id);
        Ok(RunRecord {
            row,
            plan: Arc::new(plan),
            calls: Vec::new(),
            details,
            unkept,
            note: RunNote::default(),
        })
    }
}

/// The plan of a compaction that the session holds, as far as it is known: what it summarized and
/// what it kept.
fn plan_of_entry(open: &OpenSession, ix: EntryIx, text: &str) -> Result<PlanRecord> {
    let cut = stored_cut(open, ix)?;
    let session = &open.session;
    let ids = |list: &[EntryIx]| list.iter().map(|&ix| session.name_of(ix)).collect();
    let size = |ix: &EntryIx| -> u64 {
        let sizes = session.entry(*ix).messages.iter();
        sizes.map(|size| size.estimate).sum()
    };
    let kept: u64 = cut.kept.iter().map(size).sum();
    let recorded = match &session.entry(ix).kind {
        EntryKind::Compaction(info) => info.tokens_before,
        _ => None,
    };
    let before = cut.span_tokens.unwrap_or_default() + kept;
    Ok(PlanRecord {
        kind: PlanKind::Compaction,
        strategy: EDITED.to_owned(),
        at: open.tree.parent(ix).map(|at| session.name_of(at)),
        tokens_before: recorded.unwrap_or(before),
        estimated_tokens_before: Some(before),
        first_kept_id: cut.first_kept.map(|ix| session.name_of(ix)),
        summarize_ids: ids(&cut.summarized),
        kept_ids: ids(&cut.kept),
        previous_id: cut.previous.map(|ix| session.name_of(ix)),
        estimated_tokens_after: kept + text_tokens(text),
        ..PlanRecord::default()
    })
}
