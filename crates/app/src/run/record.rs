//! Plans and runs as they are kept: entries by id, so that a record outlives the open session.

mod calls;

pub use calls::{CallRecord, MadeCall, StepKind, stop_name};

use palimpsest_compaction::assemble::NextItem;
use palimpsest_compaction::branch::{self, Branch, BranchPart};
use palimpsest_compaction::execute::Attempt;
use palimpsest_compaction::plan::SummaryPart;
use palimpsest_compaction::select::Fate;
use palimpsest_compaction::{Plan, PlannedCall};
use palimpsest_core::failure::{NextStep, Problem};
use palimpsest_core::{Context, EntryIx, EntryPlaces, Role};
use palimpsest_formats::SizeBasis;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::prompts::PromptUse;
use crate::session::OpenSession;

/// What a plan would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanKind {
    /// Summarizes the beginning of a context.
    Compaction,
    /// Summarizes a branch that is left.
    BranchSummary,
    /// There is nothing to do.
    #[default]
    Nothing,
}

/// What a part of the next request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NextKind {
    /// What is always sent.
    System,
    /// A summary.
    Summary,
    /// Items of the context that stay.
    Kept,
    /// A text of the strategy.
    Text,
}

/// A plan with its entries named by id.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PlanRecord {
    /// What would be done.
    pub kind: PlanKind,
    /// Why there is nothing to do.
    pub reason: Option<String>,
    /// What to do then.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "palimpsest_core::failure::known_step"
    )]
    pub next_step: Option<NextStep>,
    /// The strategy.
    pub strategy: String,
    /// All its parameters.
    pub params: Map<String, Value>,
    /// The entry planned at.
    pub at: Option<String>,
    /// Context size before, in tokens, as the agent takes it.
    pub tokens_before: u64,
    /// The same as the sum of estimates, which the size after is; absent in records of earlier
    /// versions and where there is nothing to do.
    #[serde(default)]
    pub estimated_tokens_before: Option<u64>,
    /// Of the size before, what is sent with every request beside the session's messages, as
    /// [`palimpsest_formats::Measure::fixed_in`] has it, and behind a compaction what the agent sends
    /// again; absent in records of earlier versions.
    #[serde(default)]
    pub fixed_tokens: Option<u64>,
    /// First entry of the kept tail.
    pub first_kept_id: Option<String>,
    /// Where the split turn starts.
    pub turn_start_id: Option<String>,
    /// True when the cut falls inside a turn.
    pub is_split_turn: bool,
    /// Entries summarized.
    pub summarize_ids: Vec<String>,
    /// Entries of the turn prefix.
    pub turn_prefix_ids: Vec<String>,
    /// Entries kept.
    pub kept_ids: Vec<String>,
    /// The summary this one builds on.
    pub previous_summary: Option<String>,
    /// The compaction that holds it.
    pub previous_id: Option<String>,
    /// Files read and not modified.
    pub read_files: Vec<String>,
    /// Files modified.
    pub modified_files: Vec<String>,
    /// The calls.
    pub calls: Vec<CallRecord>,
    /// Entries neither kept nor summarized.
    #[serde(default)]
    pub dropped_ids: Vec<String>,
    /// What is made smaller without a model.
    #[serde(default)]
    pub changes: Vec<ChangeRecord>,
    /// What becomes of the path, from root to leaf; neighbours differ.
    #[serde(default)]
    pub bands: Vec<BandRecord>,
    /// Tokens of the context by what becomes of them.
    #[serde(default)]
    pub shares: Vec<ShareRecord>,
    /// What the next request would contain, in order.
    #[serde(default)]
    pub next: Vec<NextRecord>,
    /// True when the context would be larger than before.
    #[serde(default)]
    pub may_grow: bool,
    /// Most calls made at the same time; 0 is no limit.
    #[serde(default)]
    pub max_concurrent: u64,
    /// Estimated context size after, in tokens.
    pub estimated_tokens_after: u64,
    /// Estimated cost with the chosen model; `None` when its price is not known.
    pub estimated_cost_usd: Option<f64>,
    /// What it may cost when every attempt is made and every fallback is used; 0 for a server on this
    /// machine whose price is unknown.
    #[serde(default)]
    pub most_cost_usd: Option<f64>,
    /// True where a price that the user entered was used.
    #[serde(default)]
    pub user_prices: bool,
    /// Where the calls would go, in words.
    pub destination: String,
    /// The prompts used, by hash and version.
    #[serde(default)]
    pub prompts: Vec<PromptUse>,
    /// The branch, where its summary is what was asked for.
    #[serde(default)]
    pub branch: Option<BranchRecord>,
    /// Fallbacks for a failed run, in the order they are tried.
    #[serde(default)]
    pub fallbacks: Vec<FallbackRecord>,
    /// What is to be said of the plan beside what it shows, in sentences.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Where the offline summarizer answers in place of a model: what its summary depends on, as a
    /// hash. It reads no prompt, so two plans with the same hash have the same summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offline_key: Option<String>,
}

/// A plan that takes over from another.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FallbackRecord {
    /// When it is taken and what is done then, in words.
    pub meaning: String,
    /// The strategy that takes over.
    pub strategy: String,
    /// Its calls; where they go on from the summary of the plan before they have a mark.
    pub calls: Vec<CallRecord>,
    /// Entries it keeps.
    pub kept_ids: Vec<String>,
    /// Estimated context size after it, in tokens.
    pub estimated_tokens_after: u64,
    /// What takes over from it in turn.
    #[serde(default)]
    pub fallbacks: Vec<FallbackRecord>,
}

/// A failed attempt.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AttemptRecord {
    /// Why it failed.
    pub reason: String,
    /// The fallback used.
    pub then: String,
}

impl AttemptRecord {
    /// The record of an attempt.
    pub(super) fn of(attempt: &Attempt) -> AttemptRecord {
        AttemptRecord {
            reason: attempt.reason.clone(),
            then: attempt.then.clone(),
        }
    }
}

/// What is left behind when one entry is left for another.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct BranchRecord {
    /// The entry left.
    pub from_id: Option<String>,
    /// The target entry.
    pub to_id: String,
    /// The entry under which the summary would stand; absent before the first.
    pub new_leaf_id: Option<String>,
    /// True when the target entry is a user prompt, whose text the user edits.
    pub written_anew: bool,
    /// The deepest entry on both paths.
    pub common_ancestor_id: Option<String>,
    /// The entries left behind, oldest first.
    pub left_behind_ids: Vec<String>,
    /// Those among them whose messages do not fit the budget.
    pub over_budget_ids: Vec<String>,
    /// Most tokens of them that are summarized; 0 is no limit.
    pub budget_tokens: u64,
    /// Estimated tokens of what is summarized.
    pub taken_tokens: u64,
}

impl BranchRecord {
    fn of_plan(open: &OpenSession, part: &BranchPart) -> BranchRecord {
        let id = |ix: EntryIx| open.session.name_of(ix);
        let ids = |list: &[EntryIx]| list.iter().map(|&ix| id(ix)).collect();
        BranchRecord {
            from_id: Some(id(part.from)),
            to_id: id(part.to),
            new_leaf_id: part.new_leaf.map(id),
            written_anew: branch::is_written_anew(&open.session, part.to),
            common_ancestor_id: part.common_ancestor.map(id),
            left_behind_ids: ids(&part.entries),
            over_budget_ids: ids(&part.over_budget),
            budget_tokens: part.budget_tokens,
            taken_tokens: part.taken_tokens,
        }
    }

    /// Where nothing is summarized.
    pub(super) fn of_nothing(
        open: &OpenSession,
        from: Option<EntryIx>,
        to: EntryIx,
        left: &Branch,
    ) -> BranchRecord {
        let part = BranchPart {
            from: from.unwrap_or(to),
            to,
            new_leaf: branch::new_leaf(&open.session, &open.tree, to),
            common_ancestor: left.common_ancestor,
            entries: left.entries.clone(),
            budget_tokens: 0,
            taken_tokens: 0,
            over_budget: Vec::new(),
        };
        let record = BranchRecord::of_plan(open, &part);
        BranchRecord {
            from_id: record.from_id.filter(|_| from.is_some()),
            ..record
        }
    }
}

/// An item of the context that is made smaller.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChangeRecord {
    /// The entry it comes from.
    pub entry_id: Option<String>,
    /// Its place on the path, from 0.
    pub position: Option<usize>,
    /// The reduce step that does it.
    pub by: String,
    /// Estimated tokens before.
    pub tokens_before: u64,
    /// Estimated tokens after; 0 when it is taken out.
    pub tokens_after: u64,
}

/// A stretch of the path with one fate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BandRecord {
    /// What becomes of it; never [`Fate::System`].
    pub fate: Fate,
    /// Its first place on the path, from 0.
    pub first: usize,
    /// Its last.
    pub last: usize,
}

/// How much of the context has one fate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShareRecord {
    /// The fate.
    pub fate: Fate,
    /// Number of items.
    pub items: u64,
    /// Estimated tokens, as the reduce stage leaves them.
    pub tokens: u64,
}

/// A part of the next request: one text, or neighbouring items of the context.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NextRecord {
    /// What it is.
    pub kind: NextKind,
    /// Who says it; `None` for items of the context.
    pub role: Option<Role>,
    /// Number of items.
    pub items: u64,
    /// Estimated tokens; for the summary its assumed size before it is written.
    pub tokens: u64,
    /// Its text, at most [`MOST_NEXT_BYTES`] of it; the summary's known words, with a mark for
    /// each reply.
    pub text: Option<String>,
    /// True when the text goes on.
    pub cut: bool,
}

/// Most bytes of a text that a part of the next request is shown with.
pub const MOST_NEXT_BYTES: usize = 4_000;

/// Sizes of the context before and after, on one basis: that of the agent's own count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sizes {
    /// Tokens before.
    pub before: u64,
    /// Tokens after, with a summary of the usual size.
    pub after: u64,
    /// Tokens of both that are no part of the session: the system prompt and the tools, where it
    /// does not hold them, and what the agent sends again after a compaction. 0 where the agent's
    /// count is not above the estimates.
    pub unseen: u64,
}

/// Tokens that are sent beside the messages of the context at `at`, of which the agent's rule knows
/// `fixed`. Behind a compaction what the agent sends again after it is among them, as it will be after
/// the next one, where a request behind the compaction was reported.
fn beside_messages(
    open: &OpenSession,
    at: Option<EntryIx>,
    fixed: u64,
    behind_compaction: bool,
) -> u64 {
    if fixed == 0 || !behind_compaction {
        return fixed;
    }
    let measured = open.measured_context(at);
    match measured.basis {
        SizeBasis::Reported => measured
            .prefix
            .saturating_add(measured.given_again.tokens)
            .min(measured.context.projected)
            .max(fixed),
        SizeBasis::Estimated | SizeBasis::Forecast => fixed,
    }
}

impl PlanRecord {
    /// The sizes before and after, comparable with each other and with the model's window.
    ///
    /// What the agent's count is above the estimates is shared out: what is sent with every
    /// request stays, the rest is what estimates miss of the messages and goes with them, in
    /// proportion to their estimates. Records of earlier versions do not tell the two apart; for
    /// them all of it stays.
    pub fn sizes(&self) -> Sizes {
        let estimated = self.estimated_tokens_before.unwrap_or(self.tokens_before);
        let beyond = self.tokens_before.saturating_sub(estimated);
        let fixed = self.fixed_tokens.unwrap_or(beyond);
        // No report above the estimates: the known overhead is added to them.
        let before = match beyond {
            0 => estimated.saturating_add(fixed),
            _ => self.tokens_before,
        };
        let fixed = fixed.min(before);
        let after = match estimated {
            0 => self.estimated_tokens_after,
            _ => {
                // In 128 bits, because a damaged file can report any number of tokens.
                let messages = u128::from(before - fixed);
                let share = u128::from(self.estimated_tokens_after) * messages;
                u64::try_from(share / u128::from(estimated)).unwrap_or(u64::MAX)
            }
        };
        Sizes {
            before,
            after: fixed.saturating_add(after),
            unseen: fixed,
        }
    }

    /// The size of the next request in tokens with a summary of `summary_tokens`, on the basis of
    /// [`PlanRecord::sizes`].
    pub fn next_request_tokens(&self, summary_tokens: u64) -> u64 {
        let others = self.next.iter();
        let others = others.filter(|part| part.kind != NextKind::Summary);
        let others: u64 = others.map(|part| part.tokens).sum();
        let known = !self.next.is_empty();
        let with_summary = PlanRecord {
            tokens_before: self.tokens_before,
            estimated_tokens_before: self.estimated_tokens_before,
            fixed_tokens: self.fixed_tokens,
            // Records of earlier versions have no parts: the size that was planned stands for it.
            estimated_tokens_after: if known {
                others.saturating_add(summary_tokens)
            } else {
                self.estimated_tokens_after
            },
            ..PlanRecord::default()
        };
        with_summary.sizes().after
    }

    /// The record of there being nothing to do: `context` stays as large as it is.
    pub(super) fn nothing(
        open: &OpenSession,
        at: Option<EntryIx>,
        strategy: &str,
        why: Problem,
        context: &Context,
    ) -> PlanRecord {
        let measure = open.measure(&context.path);
        PlanRecord {
            kind: PlanKind::Nothing,
            reason: Some(why.message),
            next_step: why.next,
            strategy: strategy.to_owned(),
            at: at.map(|ix| open.session.name_of(ix)),
            tokens_before: context.projected,
            estimated_tokens_before: Some(context.estimated),
            fixed_tokens: Some(beside_messages(
                open,
                at,
                measure.fixed_in(context.projected, context.estimated),
                context.compaction.is_some(),
            )),
            estimated_tokens_after: context.estimated,
            ..PlanRecord::default()
        }
    }

    /// Takes the cut of the plan that was carried out in the place of the one planned, with all
    /// that follows from it: it is what the summary stands for. The calls stay those planned.
    pub(super) fn cut_as(&mut self, carried_out: PlanRecord) {
        let planned = std::mem::take(self);
        *self = PlanRecord {
            strategy: planned.strategy,
            params: planned.params,
            calls: planned.calls,
            fallbacks: planned.fallbacks,
            notes: planned.notes,
            offline_key: planned.offline_key,
            estimated_cost_usd: planned.estimated_cost_usd,
            most_cost_usd: planned.most_cost_usd,
            user_prices: planned.user_prices,
            destination: planned.destination,
            prompts: planned.prompts,
            branch: planned.branch,
            previous_summary: planned.previous_summary,
            ..carried_out
        };
    }

    /// The record of a plan; a brief one is without the texts of its prompts, which can be as long
    /// as the session.
    pub(crate) fn of_plan(open: &OpenSession, plan: &Plan, brief: bool) -> PlanRecord {
        let id = |ix: EntryIx| open.session.name_of(ix);
        let ids = |list: &[EntryIx]| list.iter().map(|&ix| id(ix)).collect();
        // The entries that a branch summary covers are on the path to the entry that is left.
        let shown = plan.branch.as_ref().map_or(plan.at, |part| part.from);
        let path = open.tree.path(shown);
        let measure = open.measure(&path);
        let places = EntryPlaces::of(open.session.entries.len(), path.iter().copied());
        let is_spoken = |at: usize| {
            let entry = path.get(at).map(|&ix| open.session.entry(ix));
            entry.is_some_and(|own| {
                own.role().is_some() && own.estimate() > 0 && !own.is_in_subagent()
            })
        };
        PlanRecord {
            kind: match plan.branch {
                Some(_) => PlanKind::BranchSummary,
                None => PlanKind::Compaction,
            },
            reason: None,
            next_step: None,
            strategy: plan.strategy.clone(),
            params: plan.params.clone(),
            at: Some(id(plan.at)),
            tokens_before: plan.tokens_before,
            estimated_tokens_before: Some(plan.estimated_tokens_before),
            fixed_tokens: Some(beside_messages(
                open,
                Some(plan.at),
                measure.fixed_in(plan.tokens_before, plan.estimated_tokens_before),
                plan.branch.is_none() && plan.previous_compaction.is_some(),
            )),
            first_kept_id: plan.first_kept.map(id),
            turn_start_id: plan.turn_start.map(id),
            is_split_turn: plan.is_split_turn,
            summarize_ids: ids(&plan.summarized),
            turn_prefix_ids: ids(&plan.turn_prefix),
            kept_ids: ids(&plan.kept),
            previous_summary: plan.previous_summary.clone(),
            previous_id: plan.previous_compaction.map(id),
            read_files: plan.files.read.clone(),
            modified_files: plan.files.modified.clone(),
            calls: plan
                .calls
                .iter()
                .enumerate()
                .map(|(number, call)| {
                    if brief {
                        CallRecord::without_texts(call)
                    } else {
                        CallRecord::of_plan(plan, number, call)
                    }
                })
                .collect(),
            dropped_ids: ids(&plan.dropped),
            changes: plan
                .changes
                .iter()
                .map(|change| ChangeRecord {
                    entry_id: change.entry.map(id),
                    position: change.entry.and_then(|entry| places.get(entry)),
                    by: change.by.to_owned(),
                    tokens_before: change.tokens_before,
                    tokens_after: change.tokens_after,
                })
                .collect(),
            bands: bands(plan, &places, is_spoken),
            shares: shares(plan),
            next: next(plan),
            may_grow: plan.may_grow,
            max_concurrent: plan.max_concurrent,
            estimated_tokens_after: plan.estimated_tokens_after,
            estimated_cost_usd: None,
            most_cost_usd: None,
            user_prices: false,
            destination: String::new(),
            prompts: Vec::new(),
            branch: plan
                .branch
                .as_ref()
                .map(|part| BranchRecord::of_plan(open, part)),
            fallbacks: fallbacks(plan, &ids, brief),
            notes: plan.notes.clone(),
            offline_key: None,
        }
    }
}

fn fallbacks(
    plan: &Plan,
    ids: &dyn Fn(&[EntryIx]) -> Vec<String>,
    brief: bool,
) -> Vec<FallbackRecord> {
    let call = |call: &PlannedCall| {
        if brief {
            CallRecord::without_texts(call)
        } else {
            CallRecord::of(call)
        }
    };
    let own = plan.fallbacks.iter().map(|own| FallbackRecord {
        meaning: own.words(),
        strategy: own.plan.strategy.clone(),
        calls: own.plan.calls.iter().map(call).collect(),
        kept_ids: ids(&own.plan.kept),
        estimated_tokens_after: own.plan.estimated_tokens_after,
        fallbacks: fallbacks(&own.plan, ids, brief),
    });
    own.collect()
}

/// Entries without a message belong to the stretch around them. `is_spoken` tells which places on the path
/// have one: where they are not in the context any more, as before an earlier compaction, a stretch ends.
fn bands(plan: &Plan, places: &EntryPlaces, is_spoken: impl Fn(usize) -> bool) -> Vec<BandRecord> {
    let place = |entry: &EntryIx| places.get(*entry);
    let mut fates: Vec<Option<Fate>> = Vec::new();
    let mut put = |at: usize, fate: Fate, is_sure: bool| {
        if fates.len() <= at {
            fates.resize(at + 1, None);
        }
        // An entry with several items has the fate of the last one that is sure.
        if is_sure || fates[at].is_none() {
            fates[at] = Some(fate);
        }
    };
    for item in plan.items.iter().filter(|item| item.fate != Fate::System) {
        for at in item.entries().filter_map(|entry| place(&entry)) {
            put(at, item.fate, true);
        }
    }
    // Kept entries without a message (a model change) are in no item.
    for at in plan.kept.iter().filter_map(place) {
        put(at, Fate::Kept, false);
    }
    let mut bands: Vec<BandRecord> = Vec::new();
    for (at, fate) in fates.into_iter().enumerate() {
        let Some(fate) = fate else {
            continue;
        };
        let goes_on = |last: &BandRecord| last.fate == fate && !(last.last + 1..at).any(&is_spoken);
        match bands.last_mut() {
            Some(last) if goes_on(last) => last.last = at,
            _ => bands.push(BandRecord {
                fate,
                first: at,
                last: at,
            }),
        }
    }
    bands
}

fn shares(plan: &Plan) -> Vec<ShareRecord> {
    const ORDER: [Fate; 6] = [
        Fate::System,
        Fate::Carried,
        Fate::Summarized,
        Fate::TurnPrefix,
        Fate::Dropped,
        Fate::Kept,
    ];
    let share = |fate: Fate| {
        let own = plan.items.iter().filter(|item| item.fate == fate);
        ShareRecord {
            fate,
            items: own.clone().count() as u64,
            tokens: own.map(|item| item.tokens).sum(),
        }
    };
    let all = ORDER.into_iter().map(share);
    all.filter(|share| share.items > 0).collect()
}

fn next(plan: &Plan) -> Vec<NextRecord> {
    let mut parts: Vec<NextRecord> = Vec::new();
    let mut summaries = plan.next_summary_tokens().into_iter();
    for item in &plan.next {
        let part = match item {
            NextItem::Kept { item, tokens } => {
                let fate = plan.items.get(*item).map(|item| item.fate);
                let kind = if fate == Some(Fate::System) {
                    NextKind::System
                } else {
                    NextKind::Kept
                };
                // Neighbours are joined, because a long tail has thousands of items.
                match parts.last_mut() {
                    Some(last) if last.kind == kind => {
                        last.items += 1;
                        last.tokens += tokens;
                        continue;
                    }
                    _ => NextRecord {
                        kind,
                        role: None,
                        items: 1,
                        tokens: *tokens,
                        text: None,
                        cut: false,
                    },
                }
            }
            NextItem::Summary {
                role,
                parts,
                again_tokens,
            } => {
                let tokens = summaries.next().unwrap_or_default() + again_tokens;
                let text: String = parts.iter().map(part_text).collect();
                text_part(NextKind::Summary, *role, tokens, &text)
            }
            NextItem::Text { role, text, tokens } => {
                text_part(NextKind::Text, *role, *tokens, text)
            }
        };
        parts.push(part);
    }
    parts
}

fn part_text(part: &SummaryPart) -> String {
    match part {
        SummaryPart::Text(_) | SummaryPart::ByTail { .. } => {
            part.known().unwrap_or_default().to_owned()
        }
        SummaryPart::Reply(call) | SummaryPart::Filled(call, _) => {
            format!("[reply of call {}]", call + 1)
        }
    }
}

fn text_part(kind: NextKind, role: Role, tokens: u64, text: &str) -> NextRecord {
    let shown = &text[..text.floor_char_boundary(MOST_NEXT_BYTES)];
    NextRecord {
        kind,
        role: Some(role),
        items: 1,
        tokens,
        text: Some(shown.to_owned()),
        cut: shown.len() < text.len(),
    }
}
