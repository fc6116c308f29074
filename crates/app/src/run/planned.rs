//! What to plan, and a plan with what it was made from.

use super::needs::asks_a_model;
use super::record::PlanRecord;
use super::uses::Uses;
use crate::error::{AppError, Result};
use crate::provider::Provider;
use crate::session::OpenSession;
use palimpsest_compaction::strategy::Needs;
use palimpsest_compaction::{Instructions, LentPrompt, Plan};
use palimpsest_core::Context;
use palimpsest_llm::ProviderKind;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What to plan.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PlanSpec {
    /// The session.
    pub session: String,
    /// Where; the active leaf when absent.
    pub at: Option<String>,
    /// The target entry of a branch summary.
    pub to: Option<String>,
    /// The start entry; the active leaf when absent.
    pub from: Option<String>,
    /// When `at` is a compaction, plan at the state just before it.
    pub redo: bool,
    /// The strategy.
    pub strategy: Option<String>,
    /// Parameters that differ from the defaults.
    pub set: Map<String, Value>,
    /// Custom instructions.
    pub instructions: Option<String>,
    /// The instructions replace the prompt.
    pub replace_prompt: bool,
    /// Saved prompts by place: one of the strategy's prompts, `instructions`, or `request` for
    /// instructions that replace it; each is `NAME` or `NAME@VERSION`.
    pub prompts: BTreeMap<String, String>,
    /// Leaves the texts of the prompts out of the record, and out of the plan what they quote of
    /// the conversation.
    pub brief: bool,
    /// The provider it will run on.
    pub provider: Option<String>,
    /// The model it will run on.
    pub model: Option<String>,
    /// Another address for the provider.
    pub base_url: Option<String>,
    /// Where vectors of texts come from, where not from what is set up: `PROVIDER:MODEL`, or a
    /// file of word vectors.
    pub embeddings: Option<String>,
}

/// A plan with what it was made from.
pub struct Planned {
    /// The session.
    pub open: Arc<OpenSession>,
    /// What the plan's items are positions in: the context planned on, and for a branch what is
    /// left behind after it.
    pub context: Arc<Context>,
    /// What would be done; `None` when there is nothing to do. Shared with the runs of it.
    pub plan: Option<Arc<Plan>>,
    /// The same or the reason, for keeping and showing.
    pub record: Arc<PlanRecord>,
    /// True when it has the texts of its prompts; else it only counts them.
    pub is_whole: bool,
    /// What the plan is called and what it uses; `None` when there is nothing to do.
    pub(super) shown: Option<PlanMark>,
    /// Who will make the calls.
    pub provider: Provider,
    /// The model that will.
    pub model: Option<String>,
    /// Prompts that other presets lend the strategy as it is set.
    pub lent: Vec<LentPrompt>,
    /// What the strategy needs to run as it is set.
    pub needs: Needs,
    /// The settings, saved prompts in their places.
    pub set: Map<String, Value>,
    /// The instructions, likewise.
    pub instructions: Instructions,
}

impl Planned {
    /// Fails where the plan has calls that only a model can answer and none was chosen.
    pub(super) fn can_run(self) -> Result<Planned> {
        let offline = self.provider.config.kind == ProviderKind::Offline;
        let asks = self.plan.as_deref().is_some_and(asks_a_model);
        if offline && asks && self.needs == Needs::Model {
            return Err(AppError::NeedsModel {
                strategy: self.record.strategy.clone(),
            });
        }
        Ok(self)
    }

    /// The plan's hash; `None` when there is nothing to do.
    pub fn hash(&self) -> Option<&str> {
        self.shown.as_ref().map(|shown| shown.hash.as_str())
    }
}

/// The name of a plan.
#[derive(Debug, Clone)]
pub(super) struct PlanMark {
    /// Its hash.
    pub hash: String,
    /// What it uses.
    pub uses: Arc<Uses>,
}
