//! Plans for a place of a session.

use super::messages::SessionMessages;
use super::needs::{asks_a_model, needs_as_set};
use super::record::{BranchRecord, PlanRecord};
use crate::error::{AppError, Result};
use crate::prompts::{INSTRUCTIONS, REQUEST};
use crate::providers::{OFFLINE, Provider};
use crate::session::OpenSession;
use crate::workspace::App;
use palimpsest_compaction::branch::{self, Branch, BranchInput, BranchOutcome};
use palimpsest_compaction::select::Scene;
use palimpsest_compaction::strategy::Needs;
use palimpsest_compaction::vectors::VectorSet;
use palimpsest_compaction::{
    Instructions, LentPrompt, Plan, PlanError, PlanInput, PlanOutcome, PlannedCall, Preset,
    strategy,
};
use palimpsest_core::failure::{Failure as _, Input, NextStep, Problem};
use palimpsest_core::{Context, EntryIx, EntryKind, EntryPlaces, Usage};
use palimpsest_llm::{ProviderConfig, ProviderKind};
use palimpsest_tokens::cost_usd;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The strategy when none is named.
pub const DEFAULT_STRATEGY: &str = "pi";
/// The same for the summary of a branch.
pub const DEFAULT_BRANCH_STRATEGY: &str = "pi-branch";

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
    /// What would be done; `None` when there is nothing to do.
    pub plan: Option<Box<Plan>>,
    /// The same or the reason, for keeping and showing.
    pub record: PlanRecord,
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
                strategy: self.record.strategy,
            });
        }
        Ok(self)
    }
}

/// What the plan's items are positions in, the plan, and its record.
type PlannedOn = (Arc<Context>, Option<Box<Plan>>, PlanRecord);

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
        let scene = Scene::new(&input);
        let visible = (scene.start()..scene.len()).filter(|&at| scene.is_visible(at));
        let mut points = Vec::new();
        let mut tokens = 0;
        for at in visible.skip(1).collect::<Vec<_>>().into_iter().rev() {
            tokens += scene.tokens(at);
            let entry = scene.entry(at);
            let Some(position) = places.get(entry) else {
                continue;
            };
            if scene.may_cut_before(at) {
                points.push(CutPoint {
                    entry,
                    position,
                    tokens,
                    starts_turn: scene.is_prompt(at),
                });
            }
        }
        points.reverse();
        Ok((open, points))
    }

    /// Plans with these vectors and no others.
    pub(super) fn plan_on(
        &self,
        spec: &PlanSpec,
        vectors: &VectorSet,
    ) -> std::result::Result<Planned, Refused> {
        let open = self.open(&spec.session)?;
        let spec = &self.with_saved_prompts(spec)?;
        let mut provider = self.provider(spec.provider.as_deref().unwrap_or(OFFLINE))?;
        check_options(spec, &provider.config)?;
        if let Some(base_url) = &spec.base_url {
            provider.config.base_url.clone_from(base_url);
        }
        let model = spec
            .model
            .clone()
            .or_else(|| provider.config.models.first().cloned());
        let default = match spec.to {
            Some(_) => DEFAULT_BRANCH_STRATEGY,
            None => DEFAULT_STRATEGY,
        };
        let preset = self.preset(spec.strategy.as_deref().unwrap_or(default))?;
        let (context, plan, mut record) = match &spec.to {
            Some(to) => {
                let catalog = self.catalog();
                let asked = model.as_deref();
                let info = asked.and_then(|model| catalog.find(Some(&provider.config.name), model));
                let window = info.map(|info| info.context_window);
                self.plan_branch(&open, spec, (to, window), &preset, vectors)?
            }
            None => self.plan_context(&open, spec, &preset, vectors)?,
        };
        record.destination = destination(&provider.config, model.as_deref());
        let instructions = instructions(spec);
        let set = spec.set.clone();
        let planned_with = match spec.to {
            Some(_) => branch::preset_for(&preset),
            None => preset.into_owned(),
        };
        let unset = |error| refused(PlanError::Params(error));
        let as_set = planned_with.with(&set).map_err(unset)?;
        let needs = needs_as_set(&planned_with, &as_set);
        record.prompts = self.prompts_used(&as_set, &set, &instructions)?;
        let lent = planned_with.lent(&set).unwrap_or_default();
        if let Some(plan) = &plan {
            record.estimated_cost_usd = self.estimated_cost(plan, &provider, model.as_deref());
            if provider.config.kind != ProviderKind::Offline {
                record.destination.push_str(&asked_first(plan));
            }
            if let Some(program) = super::program::program_of(plan) {
                record.destination = super::program::destination(program);
            }
        }
        Ok(Planned {
            open,
            context,
            plan,
            record,
            provider,
            model,
            lent,
            needs,
            set,
            instructions,
        })
    }

    /// What would be left behind when the entry `from`, or the active leaf, is left for `to`.
    pub fn leaving(&self, session: &str, from: Option<&str>, to: &str) -> Result<Leaving> {
        let open = self.open(session)?;
        let to = open.resolve(to)?;
        let from = open.resolve_or_leaf(from)?;
        let new_leaf = branch::new_leaf(&open.session, &open.tree, to);
        let size = |at| open.format.context(&open.session, &open.tree, at).projected;
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
        open: &Arc<OpenSession>,
        spec: &PlanSpec,
        preset: &Preset,
        vectors: &VectorSet,
    ) -> std::result::Result<PlannedOn, Refused> {
        let at = planning_place(open, spec)?;
        let context = self.memos.context(open, at);
        let input = PlanInput {
            session: &open.session,
            context: &context,
            messages: &self.memos.messages(open, spec.brief),
            instructions: &instructions(spec),
            vectors: Some(vectors),
        };
        let set = with_whole_ids(open, &spec.set)?;
        let outcome = strategy::plan_with(preset, &set, &input).map_err(refused)?;
        Ok(match outcome {
            PlanOutcome::Compaction(plan) => {
                let record = PlanRecord::of_plan(open, &plan, spec.brief);
                (context, Some(plan), record)
            }
            PlanOutcome::Nothing { reason } => {
                let is_last = at.is_none_or(|ix| open.tree.children(ix).is_empty());
                let why = Problem::new(reason.message(), reason.next(is_last));
                let record = PlanRecord::nothing(open, at, &preset.name, why, &context);
                (context, None, record)
            }
        })
    }

    /// The summary of what is left behind; `window` is that of the model that will summarize,
    /// where it is known: else that of the session's own model counts.
    fn plan_branch(
        &self,
        open: &Arc<OpenSession>,
        spec: &PlanSpec,
        (to, window): (&str, Option<u64>),
        preset: &Preset,
        vectors: &VectorSet,
    ) -> std::result::Result<PlannedOn, Refused> {
        let to = open.resolve(to)?;
        let from = open.resolve_or_leaf(spec.from.as_deref())?;
        let context_at = |at| self.memos.context(open, at);
        let leaving = context_at(from);
        let window = window.or_else(|| self.budget(open, from, leaving.model.as_ref()).window);
        let destination = context_at(branch::new_leaf(&open.session, &open.tree, to));
        let input = BranchInput {
            session: &open.session,
            tree: &open.tree,
            leaving: &leaving,
            to,
            destination: &destination,
            messages: &self.memos.messages(open, spec.brief),
            window,
            instructions: &instructions(spec),
            vectors: Some(vectors),
        };
        let outcome = strategy::plan_branch_with(preset, &spec.set, &input).map_err(refused)?;
        Ok(match outcome {
            BranchOutcome::Summary { plan, context } => {
                let record = PlanRecord::of_plan(open, &plan, spec.brief);
                (Arc::new(*context), Some(plan), record)
            }
            BranchOutcome::Nothing { reason, branch } => {
                let why = Problem::new(reason.message(), reason.next());
                let name = &preset.name;
                let mut record = PlanRecord::nothing(open, Some(to), name, why, &leaving);
                record.branch = Some(BranchRecord::of_nothing(open, from, to, &branch));
                (leaving, None, record)
            }
        })
    }

    /// `spec` with the saved prompts it names in their places.
    fn with_saved_prompts(&self, spec: &PlanSpec) -> Result<PlanSpec> {
        let mut resolved = spec.clone();
        for (place, name) in std::mem::take(&mut resolved.prompts) {
            let text = self.prompt(&name)?.text;
            match place.as_str() {
                INSTRUCTIONS | REQUEST if instructions(&resolved).given().is_some() => {
                    return Err(AppError::bad_request(
                        format!(
                            "custom instructions and the saved prompt '{name}' are both given for \
                             the same place"
                        ),
                        NextStep::LeaveOut {
                            what: Input::SavedPrompt,
                        },
                    ));
                }
                INSTRUCTIONS => resolved.instructions = Some(text),
                REQUEST => {
                    resolved.instructions = Some(text);
                    resolved.replace_prompt = true;
                }
                place => {
                    let name = format!("prompts.{place}");
                    resolved.set.insert(name, Value::String(text));
                }
            }
        }
        Ok(resolved)
    }

    /// Cost of a plan: its input at the price of the model that each call is sent to first, and for
    /// output what the plan itself takes the summary to be, at that of the last call's model.
    fn estimated_cost(&self, plan: &Plan, provider: &Provider, model: Option<&str>) -> Option<f64> {
        if provider.config.kind == ProviderKind::Offline {
            return Some(0.0);
        }
        let chosen = model?;
        let sent_to = |call: &'_ PlannedCall| call.model.clone().unwrap_or(chosen.to_owned());
        let mut by_model: BTreeMap<String, Usage> = BTreeMap::new();
        for call in &plan.calls {
            by_model.entry(sent_to(call)).or_default().input += call.input_tokens;
        }
        let writes = plan.calls.last().map_or(chosen.to_owned(), sent_to);
        by_model.entry(writes).or_default().output =
            plan.estimated_tokens_after.saturating_sub(plan.kept_tokens);
        let costs = by_model.into_iter().map(|(model, usage)| {
            let prices = self.prices(&provider.config, &model)?;
            Some(cost_usd(&usage, &prices))
        });
        costs.sum()
    }
}

/// Which weaker model the plan's calls are sent to first, as a sentence; nothing where none is
/// named.
fn asked_first(plan: &Plan) -> String {
    match plan.calls.iter().find_map(|call| call.model.as_deref()) {
        Some(weak) => format!(" The model {weak} is called first."),
        None => String::new(),
    }
}

fn instructions(spec: &PlanSpec) -> Instructions {
    Instructions {
        text: spec.instructions.clone(),
        replace: spec.replace_prompt,
    }
}

/// Refuses options that would have no effect beside the others.
fn check_options(spec: &PlanSpec, provider: &ProviderConfig) -> Result<()> {
    let refuse = |message: String, next| Err(AppError::Usage(Problem::new(message, next)));
    let name = &provider.name;
    if provider.kind == ProviderKind::Offline {
        let given = [
            ("model", Input::Model, &spec.model),
            ("address", Input::BaseUrl, &spec.base_url),
        ];
        if let Some((noun, what, Some(value))) = given.iter().find(|(.., value)| value.is_some()) {
            return refuse(
                format!("the provider {name} has no {noun} to choose, but '{value}' is given"),
                NextStep::LeaveOut { what: *what },
            );
        }
    }
    if provider.kind == ProviderKind::Command
        && let Some(address) = &spec.base_url
    {
        return refuse(
            format!("the provider {name} is a program, but the address '{address}' is given"),
            NextStep::LeaveOut {
                what: Input::BaseUrl,
            },
        );
    }
    if spec.replace_prompt && instructions(spec).given().is_none() {
        return refuse(
            "the instructions are to replace the prompt, but there are no instructions".to_owned(),
            NextStep::Give {
                what: Input::Instructions,
            },
        );
    }
    Ok(())
}

fn planning_place(open: &OpenSession, spec: &PlanSpec) -> Result<Option<EntryIx>> {
    let at = open.resolve_or_leaf(spec.at.as_deref())?;
    let is_compaction =
        |ix: EntryIx| matches!(open.session.entry(ix).kind, EntryKind::Compaction(_));
    Ok(match at {
        Some(ix) if spec.redo && is_compaction(ix) => open.tree.parent(ix),
        Some(ix) if spec.redo => {
            let entry = open.session.entry(ix);
            return Err(AppError::Usage(Problem::new(
                format!(
                    "there is no compaction to plan again: the entry {} is of the kind {}",
                    entry.id.as_str(),
                    entry.kind.name(),
                ),
                NextStep::LeaveOut { what: Input::Redo },
            )));
        }
        other => other,
    })
}

/// Settings that name entries do so as users may, by `line:N` or the beginning of an id; a strategy
/// knows whole ids only. Fails on an entry that the session does not have.
fn with_whole_ids(open: &OpenSession, set: &Map<String, Value>) -> Result<Map<String, Value>> {
    let mut set = set.clone();
    for (name, value) in &mut set {
        let named = match (name.strip_prefix("select.").unwrap_or(name), value) {
            ("first_kept" | "entry_id", own) => std::slice::from_mut(own),
            ("ids", Value::Array(several)) => several.as_mut_slice(),
            _ => continue,
        };
        for entry in named {
            if let Value::String(id) = entry
                && !id.is_empty()
                && let Some(found) = open.resolve_or_leaf(Some(id))?
            {
                *id = open.session.entry(found).id.as_str().to_owned();
            }
        }
    }
    Ok(set)
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
        PlanError::Params(error) => AppError::Param {
            name: error.name().to_owned(),
            problem: error.problem(),
        },
        missing @ PlanError::NoInstructions { .. } => AppError::Param {
            name: "instructions".to_owned(),
            problem: missing.problem(),
        },
        other => AppError::Plan(other.problem()),
    })
}

/// Planning and texts read files; that must not hold up the threads that serve the interface.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| AppError::Internal(error.to_string()))?
}

/// Where the prompts go, in words.
fn destination(config: &ProviderConfig, model: Option<&str>) -> String {
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
