//! Plans for a place of a session.

use super::messages::SessionMessages;
use super::needs::asks_a_model;
use super::offline::{NO_PROMPT, offline_key};
use super::planned::{PlanMark, PlanSpec, Planned};
use super::prepared::{DEFAULT_STRATEGY, Prepared, instructions, not_set};
use super::record::{BranchRecord, PlanRecord};
use super::too_small::too_small;
use super::uses::hash_of;
use crate::error::{AppError, Result};
use crate::presets::strategy_of;
use crate::provider::Provider;
use crate::session::OpenSession;
use crate::workspace::App;
use palimpsest_compaction::branch::{self, Branch, BranchInput, BranchOutcome};
use palimpsest_compaction::select::SizedContext;
use palimpsest_compaction::vectors::VectorSet;
use palimpsest_compaction::{
    Instructions, NothingToDo, Plan, PlanError, PlanInput, PlanOutcome, PlannedCall, strategy,
};
use palimpsest_core::failure::{Failure as _, Input, NextStep, Problem};
use palimpsest_core::rows::is_readable;
use palimpsest_core::{Context, EntryIx, EntryKind, EntryPlaces, Usage};
use palimpsest_llm::{ProviderConfig, ProviderKind};
use palimpsest_tokens::cost_usd;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A plan before it is known where it runs.
struct PlannedOn {
    /// What the plan's items are positions in.
    context: Arc<Context>,
    plan: Option<Arc<Plan>>,
    record: PlanRecord,
    is_whole: bool,
}

/// What would be left behind.
pub struct Leaving {
    /// The session.
    pub open: Arc<OpenSession>,
    /// The entry left.
    pub from: Option<EntryIx>,
    /// The target entry.
    pub to: EntryIx,
    /// The parent of the next entry; `None` before the first entry.
    pub new_leaf: Option<EntryIx>,
    /// True when the target entry is a user prompt, whose text the user edits.
    pub written_anew: bool,
    /// The entries left behind, and the common ancestor.
    pub branch: Branch,
    /// Size of the context at the entry left, in tokens.
    pub tokens_from: u64,
    /// Size of the context where one would go on, in tokens.
    pub tokens_to: u64,
}

/// A place where a cut may fall.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CutPoint {
    /// The first entry that would stay.
    pub entry: EntryIx,
    /// Its place on the path, from 0.
    pub position: usize,
    /// Estimated tokens of what would stay.
    pub tokens: u64,
    /// True where the user says something, so that no turn would be split.
    pub starts_turn: bool,
}

impl App {
    /// The places before which a context could be cut, oldest first: all but the first entry,
    /// which would leave nothing to summarize, and those that would part a tool's result from
    /// its call. Only `session`, `at` and `redo` of `spec` count.
    pub fn cut_points(&self, spec: &PlanSpec) -> Result<(Arc<OpenSession>, Vec<CutPoint>)> {
        let open = self.open(&spec.session)?;
        let stands_on = open.resolve_or_leaf(spec.at.as_deref())?;
        let is_branch_summary =
            |ix: EntryIx| matches!(open.session.entry(ix).kind, EntryKind::BranchSummary(_));
        if spec.redo && stands_on.is_some_and(is_branch_summary) {
            // Of a branch all that fits is summarized.
            return Ok((open, Vec::new()));
        }
        let at = planning_place(&open, spec)?;
        let context = self.memos.context(&open, at);
        let places = EntryPlaces::of(open.session.entries.len(), context.path.iter().copied());
        let input = PlanInput {
            session: &open.session,
            context: &context,
            messages: &SessionMessages(&open),
            instructions: &Instructions::default(),
            vectors: None,
        };
        let sized = SizedContext::new(&input);
        let visible = (sized.start()..sized.len()).filter(|&at| sized.is_visible(at));
        let mut points = Vec::new();
        let mut tokens = 0;
        // From the newest back, so that the tokens that would stay add up.
        for at in visible.skip(1).collect::<Vec<_>>().into_iter().rev() {
            tokens += sized.tokens(at);
            let entry = sized.entry(at);
            let Some(position) = places.get(entry) else {
                continue;
            };
            if sized.may_cut_before(at) {
                points.push(CutPoint {
                    entry,
                    position,
                    tokens,
                    starts_turn: sized.is_prompt(at),
                });
            }
        }
        points.reverse();
        Ok((open, points))
    }

    /// Plans with these vectors and no others.
    pub(super) fn plan_on(
        &self,
        prepared: &Prepared,
        vectors: &VectorSet,
    ) -> std::result::Result<Planned, Refused> {
        let (open, spec, strategy) = (&prepared.open, &prepared.spec, &prepared.strategy);
        let (provider, model) = (&prepared.provider, prepared.model.as_deref());
        let planned_on = match &spec.to {
            Some(to) => {
                let catalog = self.catalog();
                // The summary is written by the chosen model, so its window limits what can be
                // sent.
                let info = model.and_then(|own| catalog.find(Some(&provider.config.name), own));
                let window = info.map(|info| info.context_window);
                self.plan_branch(prepared, (to, window), vectors)?
            }
            None => self.plan_context(prepared, vectors)?,
        };
        let PlannedOn {
            context,
            plan,
            mut record,
            is_whole,
        } = planned_on;
        record.destination = destination(&provider.config, model);
        record.notes.extend(default_used(open, spec));
        let instructions = instructions(spec);
        record.prompts = self.prompts_used(&strategy.preset, &spec.set, &instructions)?;
        if let Some(plan) = &plan {
            record.estimated_cost_usd = self.estimated_cost(plan, &context, provider, model, |_| 1);
            record.most_cost_usd = self.most_cost(plan, &context, provider, model);
            record.user_prices = self.has_user_prices(&provider.config, plan, model)?;
            record.offline_key = offline_key(&provider.config, plan, &record, &instructions);
            if record.offline_key.is_some() && instructions.given().is_some() {
                record.notes.push(NO_PROMPT.to_owned());
            }
            // Offline the weaker model is not called either.
            if provider.config.kind != ProviderKind::Offline {
                record.destination.push_str(&asked_first(plan));
            }
            if let Some(program) = super::program::program_of(plan) {
                record.destination = super::program::destination(program);
            }
        }
        let shown = match plan {
            None => None,
            Some(_) => {
                let uses = self.shown_plans.uses(open, &context)?;
                let config = &provider.config;
                let hash = hash_of(open, &record, &uses, &instructions, config, model);
                Some(PlanMark { hash, uses })
            }
        };
        Ok(Planned {
            open: Arc::clone(open),
            context,
            plan,
            record: Arc::new(record),
            is_whole,
            shown,
            provider: provider.clone(),
            model: prepared.model.clone(),
            lent: strategy.lent.clone(),
            needs: prepared.needs,
            set: spec.set.clone(),
            instructions,
        })
    }

    /// What would be left behind when the entry `from`, or the active leaf, is left for `to`.
    pub fn leaving(&self, session: &str, from: Option<&str>, to: &str) -> Result<Leaving> {
        let open = self.open(session)?;
        let to = open.resolve(to)?;
        let from = open.resolve_or_leaf(from)?;
        let new_leaf = branch::new_leaf(&open.session, &open.tree, to);
        // As everywhere a context is shown: what was reported, with what is not in the file.
        let size = |at| open.measured_context(at).tokens;
        Ok(Leaving {
            from,
            to,
            new_leaf,
            written_anew: branch::is_written_anew(&open.session, to),
            branch: branch::collect(&open.tree, from, to),
            tokens_from: size(from),
            tokens_to: size(new_leaf),
            open,
        })
    }

    fn plan_context(
        &self,
        prepared: &Prepared,
        vectors: &VectorSet,
    ) -> std::result::Result<PlannedOn, Refused> {
        let (open, spec) = (&prepared.open, &prepared.spec);
        let at = planning_place(open, spec)?;
        let context = self.memos.context(open, at);
        let brief = spec.brief && !is_small(open, &context);
        let input = PlanInput {
            session: &open.session,
            context: &context,
            messages: &self.memos.messages(open, brief),
            instructions: &instructions(spec),
            vectors: Some(vectors),
        };
        let outcome = strategy::plan_with(&prepared.strategy, &input).map_err(refused)?;
        Ok(match outcome {
            PlanOutcome::Compaction(plan) => PlannedOn {
                record: PlanRecord::of_plan(open, &plan, brief),
                context,
                plan: Some(Arc::from(plan)),
                is_whole: !brief,
            },
            PlanOutcome::Nothing { reason } => {
                // At the last entry there is no later one to choose.
                let is_last = at.is_none_or(|ix| !has_later(open, ix));
                let why = match reason {
                    NothingToDo::TooSmall => too_small(&prepared.strategy, &input, !is_last),
                    _ => Problem::new(reason.message(), reason.next(is_last)),
                };
                PlannedOn {
                    record: PlanRecord::nothing(open, at, prepared.name(), why, &context),
                    context,
                    plan: None,
                    is_whole: !brief,
                }
            }
        })
    }

    /// The summary of what is left behind; `window` is that of the model that will summarize,
    /// where it is known: else that of the session's own model counts.
    fn plan_branch(
        &self,
        prepared: &Prepared,
        (to, window): (&str, Option<u64>),
        vectors: &VectorSet,
    ) -> std::result::Result<PlannedOn, Refused> {
        let (open, spec) = (&prepared.open, &prepared.spec);
        let to = open.resolve(to)?;
        let from = open.resolve_or_leaf(spec.from.as_deref())?;
        let context_at = |at| self.memos.context(open, at);
        let leaving = context_at(from);
        let window = window.or_else(|| self.budget(open, from, leaving.model.as_ref()).window);
        let is_summary = matches!(open.session.entry(to).kind, EntryKind::BranchSummary(_));
        // A stored summary that is written again stands where it stood.
        let new_leaf = if spec.redo && is_summary {
            open.tree.parent(to)
        } else {
            branch::new_leaf(&open.session, &open.tree, to)
        };
        let destination = context_at(new_leaf);
        let brief = spec.brief && !(is_small(open, &leaving) && is_small(open, &destination));
        let input = BranchInput {
            session: &open.session,
            tree: &open.tree,
            leaving: &leaving,
            to,
            destination: &destination,
            messages: &self.memos.messages(open, brief),
            window,
            instructions: &instructions(spec),
            vectors: Some(vectors),
        };
        let outcome = strategy::plan_branch_with(&prepared.strategy, &input).map_err(refused)?;
        Ok(match outcome {
            BranchOutcome::Summary { plan, context } => PlannedOn {
                record: PlanRecord::of_plan(open, &plan, brief),
                context: Arc::new(*context),
                plan: Some(Arc::from(plan)),
                is_whole: !brief,
            },
            BranchOutcome::Nothing { reason, branch } => {
                let why = Problem::new(reason.message(), reason.next());
                let name = prepared.name();
                let mut record = PlanRecord::nothing(open, Some(to), name, why, &leaving);
                record.branch = Some(BranchRecord::of_nothing(open, from, to, &branch));
                PlannedOn {
                    context: leaving,
                    plan: None,
                    record,
                    is_whole: !brief,
                }
            }
        })
    }

    /// Cost of a plan: its input at the price of the model that each call is sent to first, and for
    /// output what the plan itself takes the summary to be, at that of the last call's model. What the
    /// provider has in its cache since the last reply is priced as read from there, where the call
    /// goes to the model of the session.
    fn estimated_cost(
        &self,
        plan: &Plan,
        context: &Context,
        provider: &Provider,
        model: Option<&str>,
        times: impl Fn(&PlannedCall) -> u64,
    ) -> Option<f64> {
        if provider.config.kind == ProviderKind::Offline {
            return Some(0.0);
        }
        let chosen = priced_model(&provider.config, model)?;
        let sent_to = |call: &'_ PlannedCall| call.model.clone().unwrap_or(chosen.to_owned());
        let mut by_model: BTreeMap<String, Usage> = BTreeMap::new();
        let of_session = context.model.as_ref().map(|own| &*own.model);
        for call in &plan.calls {
            let model = sent_to(call);
            let is_own = of_session.is_some_and(|own| is_same_model(own, &model));
            let cached = if is_own { call.cached_tokens } else { 0 };
            let usage = by_model.entry(model).or_default();
            usage.input += times(call) * call.input_tokens.saturating_sub(cached);
            usage.cache_read += times(call) * cached;
        }
        let writes = plan.calls.last().map_or(chosen.to_owned(), sent_to);
        by_model.entry(writes).or_default().output =
            // What the plan takes the summary to be; the lengths of intermediate replies are not
            // known before.
            plan.calls.last().map_or(1, &times)
                * plan.estimated_tokens_after.saturating_sub(plan.kept_tokens);
        let costs = by_model.into_iter().map(|(model, usage)| {
            let prices = self.prices(&provider.config, &model)?;
            Some(cost_usd(&usage, &prices))
        });
        costs.sum()
    }
}

impl App {
    /// What a plan may cost: every call as often as it is attempted, then every fallback.
    fn most_cost(
        &self,
        plan: &Plan,
        context: &Context,
        provider: &Provider,
        model: Option<&str>,
    ) -> Option<f64> {
        let attempts = |_: &PlannedCall| plan.attempts.max(1);
        let own = self.estimated_cost(plan, context, provider, model, attempts);
        let config = &provider.config;
        let own = match own {
            None if !asks_a_model(plan) => 0.0,
            None if config.kind != ProviderKind::Command && config.is_local() => 0.0,
            own => own?,
        };
        let fallbacks = plan.fallbacks.iter();
        let more = fallbacks.map(|own| self.most_cost(&own.plan, context, provider, model));
        Some(own + more.sum::<Option<f64>>()?)
    }

    /// True where one of the models that a plan calls has a price that the user entered.
    fn has_user_prices(
        &self,
        config: &ProviderConfig,
        plan: &Plan,
        model: Option<&str>,
    ) -> Result<bool> {
        if config.kind == ProviderKind::Offline {
            return Ok(false);
        }
        let prices = self.user_prices(&config.name)?;
        let weak = plan.calls.iter().filter_map(|call| call.model.as_deref());
        let chosen = priced_model(config, model);
        Ok(weak.chain(chosen).any(|model| prices.of(model).is_some()))
    }
}

/// The model whose price counts; a program may have none, and a price for all that it does.
fn priced_model<'a>(config: &ProviderConfig, model: Option<&'a str>) -> Option<&'a str> {
    match config.kind {
        ProviderKind::Command => Some(model.unwrap_or_default()),
        _ => model,
    }
}

/// True for two names of one model: sessions name it with or without its date.
fn is_same_model(one: &str, other: &str) -> bool {
    one.starts_with(other) || other.starts_with(one)
}

/// What to say where no strategy was named and the session's agent has one of its own.
fn default_used(open: &OpenSession, spec: &PlanSpec) -> Option<String> {
    let own = strategy_of(open.session.meta.agent);
    (spec.strategy.is_none() && spec.to.is_none() && own != DEFAULT_STRATEGY).then(|| {
        format!(
            "No strategy was named: this is `{DEFAULT_STRATEGY}`. The session's agent uses `{own}`."
        )
    })
}

/// Which weaker model the plan's calls are sent to first, as a sentence; nothing where none is
/// named.
fn asked_first(plan: &Plan) -> String {
    match plan.calls.iter().find_map(|call| call.model.as_deref()) {
        Some(weak) => format!(" The model {weak} is called first."),
        None => String::new(),
    }
}

/// Bytes of records up to which a context is planned with its texts although none were asked for:
/// the plan that is shown is then the one that runs. It takes a few milliseconds more, which tell
/// only while a cut is dragged through a longer context.
const SMALL_BYTES: u64 = 2 << 20;

fn is_small(open: &OpenSession, context: &Context) -> bool {
    let entries = context.items.iter().filter_map(|item| item.entries.first());
    let bytes = entries.map(|ix| u64::from(open.session.entry(*ix).source.len));
    bytes.sum::<u64>() <= SMALL_BYTES
}

fn planning_place(open: &OpenSession, spec: &PlanSpec) -> Result<Option<EntryIx>> {
    let is_compaction =
        |ix: EntryIx| matches!(open.session.entry(ix).kind, EntryKind::Compaction(_));
    let mut at = open.resolve_or_leaf(spec.at.as_deref())?;
    if spec.redo && spec.at.is_none() {
        // Without an entry the newest compaction of the active path is meant.
        let path = at.map(|leaf| open.tree.path(leaf)).unwrap_or_default();
        at = path.into_iter().rev().find(|&ix| is_compaction(ix)).or(at);
    }
    Ok(match at {
        // The parent stands on the context just before the compaction.
        Some(ix) if spec.redo && is_compaction(ix) => open.tree.parent(ix),
        Some(_) if spec.redo && !open.session.indices().any(is_compaction) => {
            let (message, next) = match spec.at {
                Some(_) => (
                    "the session has no compaction that could be planned again",
                    NextStep::LeaveOut { what: Input::Redo },
                ),
                // A branch summary is named by its entry.
                None => (
                    "without an entry only a compaction can be planned again, and the session has none",
                    NextStep::Give { what: Input::Entry },
                ),
            };
            return Err(AppError::Usage(Problem::new(message, next)));
        }
        Some(ix) if spec.redo => {
            let entry = open.session.entry(ix);
            return Err(AppError::Usage(Problem::new(
                format!(
                    "only a compaction or a branch summary can be planned again, and the entry {} is of \
                     the kind {}",
                    entry.id.as_str(),
                    entry.kind.name().replace('_', "-"),
                ),
                // Without an entry the newest compaction is planned again, where there is one.
                NextStep::LeaveOut {
                    what: match spec.at {
                        Some(_) => Input::Entry,
                        None => Input::Redo,
                    },
                },
            )));
        }
        other => other,
    })
}

/// True when an entry below this one can be stood on: records of the agent behind the last message
/// are none.
fn has_later(open: &OpenSession, ix: EntryIx) -> bool {
    let mut below = open.tree.children(ix).to_vec();
    while let Some(ix) = below.pop() {
        if is_readable(open.session.entry(ix)) {
            return true;
        }
        below.extend(open.tree.children(ix));
    }
    false
}

/// Why there is no plan.
pub(super) enum Refused {
    /// The vectors of these texts are missing.
    Vectors(Vec<String>),
    /// Anything else.
    Other(AppError),
}

impl From<AppError> for Refused {
    fn from(error: AppError) -> Self {
        Refused::Other(error)
    }
}

fn refused(error: PlanError) -> Refused {
    Refused::Other(match error {
        PlanError::NoVectors { texts } => return Refused::Vectors(texts),
        PlanError::Body(error) => AppError::Body(error),
        PlanError::Params(error) => not_set(&error),
        missing @ PlanError::NoInstructions { .. } => AppError::Param {
            name: "instructions".to_owned(),
            problem: missing.problem(),
        },
        other => AppError::Plan(other.problem()),
    })
}

/// Planning and texts read files; that must not hold up the threads that serve the interface.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| AppError::Internal(error.to_string()))?
}

/// Where the prompts go, in words.
pub(crate) fn destination(config: &ProviderConfig, model: Option<&str>) -> String {
    match config.kind {
        ProviderKind::Offline => "Runs on this machine. Nothing is sent.".to_owned(),
        ProviderKind::Command => format!(
            "The program {} on this machine receives the prompts. Palimpsest does not control \
             what it sends elsewhere.",
            config.command.first().map_or("", String::as_str)
        ),
        ProviderKind::OpenAi
        | ProviderKind::Responses
        | ProviderKind::Anthropic
        | ProviderKind::Gemini => format!(
            "The prompts are sent to {} ({}){}.",
            config.name,
            config.base_url,
            model
                .map(|model| format!(" for the model {model}"))
                .unwrap_or_default()
        ),
    }
}
