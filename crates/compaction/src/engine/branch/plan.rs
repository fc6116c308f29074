//! The plan of a branch's summary, by the stages of any preset.

use crate::engine::branch::choose::{BranchRules, choose};
use crate::engine::branch::leaving::{Branch, collect};
use crate::engine::draw_up::Subject;
use crate::engine::draw_up::draw_up;
use crate::engine::fallback;
use crate::engine::preset::data::Preset;
use crate::plan::planned::Plan;
use crate::stages::select::Select;
use crate::stages::select::left_behind::LeftBehind;
use crate::stages::summarize::Method;
use crate::vocabulary::branch::BranchPart;
use crate::vocabulary::error::PlanError;
use crate::vocabulary::fate::Fate;
use crate::vocabulary::input::{Instructions, ItemMessages, PlanInput, Vectors};
use crate::vocabulary::selection::Selection;
use palimpsest_core::failure::{Input, NextStep};
use palimpsest_core::{Context, ContextItem, EntryIx, Session, Tree};
use serde::Serialize;

/// What the summary of a branch is planned from.
#[derive(Clone, Copy)]
pub struct BranchInput<'a> {
    /// The session.
    pub session: &'a Session,
    /// Its tree.
    pub tree: &'a Tree,
    /// The context at the entry that is left.
    pub leaving: &'a Context,
    /// The target entry.
    pub to: EntryIx,
    /// The context in which the work goes on, under which the summary will stand: that at `to`,
    /// or before it where `to` is a prompt that will be written again.
    pub destination: &'a Context,
    /// The texts.
    pub messages: &'a dyn ItemMessages,
    /// The context window in tokens of the model that summarizes, where it is known.
    pub window: Option<u64>,
    /// The user's custom instructions.
    pub instructions: &'a Instructions,
    /// Vectors of texts; `None` where no embedding model is set up.
    pub vectors: Option<&'a dyn Vectors>,
}

/// The result of planning.
#[derive(Debug, Clone, PartialEq)]
pub enum BranchOutcome {
    /// A summary.
    Summary {
        /// The plan; its [`Plan::branch`] is there.
        plan: Box<Plan>,
        /// The context its items refer to: the one at the target entry, then the messages of the
        /// branch.
        context: Box<Context>,
    },
    /// There is nothing to summarize.
    Nothing {
        /// Why.
        reason: NothingLeft,
        /// What is left behind nevertheless.
        branch: Branch,
    },
}

/// Why there is nothing to summarize.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NothingLeft {
    /// No entry is left.
    NoLeaf,
    /// The target entry is the one stood on.
    SameEntry,
    /// The entry stood on is on the way to the target entry.
    OnTheWay,
    /// No message is left behind, only records beside the conversation.
    NoMessages,
    /// Not even the newest message fits.
    NothingFits,
}

impl NothingLeft {
    /// The reason in words.
    pub fn message(self) -> &'static str {
        match self {
            NothingLeft::NoLeaf => "there is no start entry",
            NothingLeft::SameEntry => "the target entry is the start entry",
            NothingLeft::OnTheWay => {
                "nothing is left behind, because the start entry is on the path to the target entry"
            }
            NothingLeft::NoMessages => "no message is left behind, only other records",
            NothingLeft::NothingFits => {
                "not even the newest message that is left behind fits the limit of input tokens"
            }
        }
    }

    /// What to do next.
    pub fn next(self) -> NextStep {
        match self {
            NothingLeft::NoLeaf => NextStep::Give { what: Input::Entry },
            NothingLeft::SameEntry | NothingLeft::OnTheWay | NothingLeft::NoMessages => {
                NextStep::ChooseTarget
            }
            NothingLeft::NothingFits => NextStep::AllowMoreInput,
        }
    }
}

/// A preset as it works on a branch: one that is not made for branches gets their choice in the
/// place of its own, with tool results, which its other stages may want; the rest stays.
pub fn preset_for(preset: &Preset) -> Preset {
    let mut preset = preset.clone();
    if !matches!(preset.select, Select::LeftBehind(_)) {
        preset.select = Select::LeftBehind(LeftBehind::default());
    }
    preset
}

/// Plans the summary of what is left behind, with a preset as [`preset_for`] gives it.
///
/// Fails with [`PlanError::NoSummary`] for one that only clears or cuts off.
pub fn plan(preset: &Preset, input: &BranchInput<'_>) -> Result<BranchOutcome, PlanError> {
    let preset = &preset_for(preset);
    let (session, from) = (input.session, input.leaving.at);
    let branch = collect(input.tree, from, input.to);
    let nothing = |reason, branch| Ok(BranchOutcome::Nothing { reason, branch });
    let Some(from) = from else {
        return nothing(NothingLeft::NoLeaf, branch);
    };
    if branch.entries.is_empty() {
        let reason = if from == input.to {
            NothingLeft::SameEntry
        } else {
            NothingLeft::OnTheWay
        };
        return nothing(reason, branch);
    }
    // `preset_for` has set this choice, so this is never taken.
    let Select::LeftBehind(rules) = &preset.select else {
        return nothing(NothingLeft::NoMessages, branch);
    };
    let reserve = preset.summarize.reserve_tokens;
    let budget_tokens = rules.budget_tokens.tokens(input.window, reserve);
    let rules = BranchRules {
        honour_edits: rules.honour_edits,
        skip_tool_results: rules.skip_tool_results,
        nested_calls: preset.assemble.nested_calls,
    };
    let chosen = choose(
        session,
        &branch.entries,
        budget_tokens,
        rules,
        input.messages,
    )?;
    if chosen.taken().is_empty() {
        let reason = if chosen.items.is_empty() {
            NothingLeft::NoMessages
        } else {
            NothingLeft::NothingFits
        };
        return nothing(reason, branch);
    }
    let context = beside(input, &branch, chosen.items);
    let stays = input.destination.items.len();
    let first_taken = stays + chosen.start;
    // What stays is `System`, which no step and no method takes.
    let fates = (0..context.items.len()).map(|at| match at {
        _ if at < stays => Fate::System,
        _ if at < first_taken => Fate::Dropped,
        _ => Fate::Summarized,
    });
    let left_out = &context.items[stays..first_taken];
    let mut over_budget: Vec<EntryIx> = left_out
        .iter()
        .flat_map(|item| item.entries.clone())
        .collect();
    // Messages of one entry follow each other.
    over_budget.dedup();
    let subject = Subject {
        at: input.destination.at.unwrap_or(input.to),
        selection: Selection {
            fates: fates.collect(),
            // The summary is added under them; nothing of the destination is replaced.
            kept: input.destination.selected.clone(),
            first_kept: None,
            turn_start: None,
        },
        previous_compaction: None,
        // Summaries of compactions on the branch are messages of it here.
        previous_summary: None,
        files: Some(chosen.files),
        branch: Some(BranchPart {
            from,
            to: input.to,
            new_leaf: input.destination.at,
            common_ancestor: branch.common_ancestor,
            entries: branch.entries.clone(),
            budget_tokens,
            taken_tokens: chosen.total_tokens,
            over_budget,
        }),
        stays,
    };
    let plan_input = PlanInput {
        session,
        context: &context,
        messages: input.messages,
        instructions: input.instructions,
        vectors: input.vectors,
    };
    match draw_up(preset, &plan_input, subject)? {
        // A fixed text tells of no branch, whatever it says.
        Some(plan)
            if plan.calls.is_empty() && matches!(preset.summarize.method, Method::Fixed(_)) =>
        {
            // Carried out, it would end as done with a summary of 0 tokens.
            Err(PlanError::NoSummary {
                strategy: preset.name.clone(),
            })
        }
        Some(mut plan) => {
            plan.estimated_tokens_before = input.leaving.estimated;
            plan.fallbacks = fallback::plans(preset, |other| match self::plan(other, input)? {
                BranchOutcome::Summary { plan, .. } => Ok(Some(plan)),
                BranchOutcome::Nothing { .. } => Ok(None),
            })?;
            Ok(BranchOutcome::Summary {
                plan: Box::new(plan),
                context: Box::new(context),
            })
        }
        None => nothing(NothingLeft::NoMessages, branch),
    }
}

/// The context at the target entry with the messages of the branch after it, so that a plan has one
/// list of items with a fate each.
fn beside(input: &BranchInput<'_>, branch: &Branch, messages: Vec<ContextItem>) -> Context {
    let mut context = input.destination.clone();
    context.path.extend(&branch.entries);
    context.selected.extend(&branch.entries);
    context.estimated += messages.iter().map(|item| item.estimate).sum::<u64>();
    context.items.extend(messages);
    context.projected = input.leaving.projected;
    // No request ever had this content.
    context.reported = None;
    context
}
