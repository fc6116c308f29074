//! Who used the prompts, and how their runs ended.

use super::UsedBy;
use crate::error::Result;
use crate::workspace::App;
use palimpsest_store::user::RunStatus;
use std::collections::{BTreeMap, BTreeSet};

/// What the runs with one prompt came to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PromptScore {
    /// The hash of the prompt.
    pub hash: String,
    /// Finished runs with it.
    pub done: u64,
    /// Failed and cancelled runs with it.
    pub failed: u64,
    /// The strategies it was used in.
    pub strategies: BTreeSet<String>,
    /// Who ran it: provider and model.
    pub models: BTreeSet<String>,
    /// Mean share of the facts' weight that the summaries retain, 0 to 1; `None` where no finished
    /// run was measured.
    pub retained: Option<f64>,
    /// Dropped facts that were needed later, a mean over the runs whose facts could be needed.
    pub needed_later: Option<f64>,
    /// When it was last used, Unix milliseconds.
    pub last_used_ms: i64,
}

/// What the measured runs with one prompt came to, run by run.
#[derive(Default)]
struct Measured {
    retained: Vec<f64>,
    needed_later: Vec<f64>,
}

fn mean(all: &[f64]) -> Option<f64> {
    (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
}

impl App {
    /// What the user's prompts were used for, by hash. Means are over runs of different cuts, so
    /// they only hint; a comparison of one cut decides.
    pub fn prompt_scores(&self) -> Result<Vec<PromptScore>> {
        let mut scores: BTreeMap<String, PromptScore> = BTreeMap::new();
        let mut measured: BTreeMap<String, Measured> = BTreeMap::new();
        for run in self.runs(None)? {
            // Its end is unknown.
            if run.row.status == RunStatus::Running {
                continue;
            }
            let own = run.plan.prompts.iter();
            for prompt in own.filter(|prompt| prompt.by == UsedBy::User) {
                let score = scores.entry(prompt.hash.clone()).or_default();
                if run.row.status == RunStatus::Done {
                    score.done += 1;
                } else {
                    score.failed += 1;
                }
                score.strategies.insert(run.row.strategy.clone());
                let who = format!("{} {}", run.row.provider, run.row.model);
                score.models.insert(who.trim_end().to_owned());
                score.last_used_ms = score.last_used_ms.max(run.row.started_at_ms);
                if let Some(totals) = &run.details.totals
                    && let Some(retained) = totals.retention
                {
                    let of_prompt = measured.entry(prompt.hash.clone()).or_default();
                    of_prompt.retained.push(retained);
                    let needed = totals.needed_measured().map(|facts| facts as f64);
                    of_prompt.needed_later.extend(needed);
                }
            }
        }
        for (hash, score) in &mut scores {
            score.hash.clone_from(hash);
            if let Some(all) = measured.get(hash) {
                score.retained = mean(&all.retained);
                score.needed_later = mean(&all.needed_later);
            }
        }
        Ok(scores.into_values().collect())
    }
}
