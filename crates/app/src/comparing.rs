//! Summaries of one session compared: on the same facts, over what the next request would hold.

use crate::error::Result;
use crate::run::{NextKind, RunRecord};
use crate::session::OpenSession;
use crate::summary::{CommonCut, ComparedLedgers, Material, Side, common_cuts};
use crate::workspace::App;
use palimpsest_core::estimate::text_tokens;

/// A summary of a comparison.
pub struct ComparedSide {
    /// The summary and what it stands for.
    pub material: Material,
    /// The run that made it; `None` for a summary that the session holds.
    pub run: Option<RunRecord>,
    /// Its size in tokens, estimated.
    pub tokens: u64,
    /// Size of the whole next request in tokens.
    pub next_tokens: u64,
}

/// Summaries compared.
pub struct ComparedSides {
    /// The summaries, in the order they were named.
    pub sides: Vec<ComparedSide>,
    /// The contexts they cut. Only summaries of one context can be ranked.
    pub cuts: Vec<CommonCut>,
    /// Facts that two summaries of one context treat differently, for each of `cuts`.
    pub compared: Vec<ComparedLedgers>,
}

impl ComparedSides {
    /// The first side before `side` that the offline summarizer wrote from the same input: the two
    /// differ in prompts only, which it does not read.
    pub fn same_offline(&self, side: usize) -> Option<usize> {
        let key = |at: usize| self.sides[at].run.as_ref()?.plan.offline_key.as_ref();
        let own = key(side)?;
        (0..side).find(|&at| key(at) == Some(own))
    }
}

impl App {
    /// Compares summaries of a session: each a run's id, or `entry:ID` for a summary that the session
    /// itself holds.
    pub fn compare_summaries(&self, open: &OpenSession, names: &[String]) -> Result<ComparedSides> {
        let sides = names.iter().map(|name| self.compared_side(open, name));
        let sides = sides.collect::<Result<Vec<_>>>()?;
        let held: Vec<Side<'_>> = sides
            .iter()
            .map(|side| Side {
                material: &side.material,
                texts: side.run.as_ref().map(beside).unwrap_or_default(),
            })
            .collect();
        let cuts = common_cuts(open, &held)?;
        let compared = cuts.iter();
        let compared = compared
            .map(|cut| ComparedLedgers::of(&cut.ledgers.iter().collect::<Vec<_>>()))
            .collect();
        Ok(ComparedSides {
            sides,
            cuts,
            compared,
        })
    }

    fn compared_side(&self, open: &OpenSession, name: &str) -> Result<ComparedSide> {
        // Ids of runs have no colon, so the prefix is free for a recorded summary.
        if let Some(entry) = name.strip_prefix("entry:") {
            let material = Material::of_compaction(open, Some(entry))?;
            let material = self.with_judged(open, material);
            let ix = open.resolve(entry)?;
            return Ok(ComparedSide {
                tokens: text_tokens(&material.summary),
                next_tokens: open.after_compaction(ix).tokens,
                material,
                run: None,
            });
        }
        let material = self.with_judged(open, self.material_of_run(open, name)?);
        let run = self.run_named(name)?;
        let tokens = text_tokens(&material.summary);
        Ok(ComparedSide {
            next_tokens: run.plan.next_request_tokens(tokens),
            tokens,
            material,
            run: Some(run),
        })
    }
}

/// What the strategy of a run puts into the next request as texts of its own, such as the newest
/// prompts of the user.
fn beside(run: &RunRecord) -> Vec<String> {
    let parts = run.plan.next.iter();
    let texts = parts.filter(|part| part.kind == NextKind::Text);
    texts.filter_map(|part| part.text.clone()).collect()
}
