//! A request that is ready to be planned: its session and provider, and its strategy as it is set.
//!
//! A plan that wants vectors of texts is attempted several times; what is here is found once for all
//! attempts.

use super::needs::needs_as_set;
use super::planned::PlanSpec;
use crate::error::{AppError, Result};
use crate::key_binding::Lasting;
use crate::prompts::{INSTRUCTIONS, REQUEST, has_place};
use crate::provider::Provider;
use crate::providers::OFFLINE;
use crate::session::OpenSession;
use crate::workspace::App;
use palimpsest_compaction::strategy::Needs;
use palimpsest_compaction::{Instructions, ParamError, PresetAsSet, branch};
use palimpsest_core::failure::{Failure as _, Input, NextStep, Problem};
use palimpsest_core::{EntryIx, EntryKind};
use palimpsest_llm::{ProviderConfig, ProviderKind, check_base_url};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::sync::Arc;

/// The strategy when none is named.
pub const DEFAULT_STRATEGY: &str = "pi";
/// The same for the summary of a branch.
pub const DEFAULT_BRANCH_STRATEGY: &str = "pi-branch";

/// A request that is ready to be planned.
pub(super) struct Prepared {
    /// The session.
    pub open: Arc<OpenSession>,
    /// The request with saved prompts in their places.
    pub spec: PlanSpec,
    /// Who will make the calls.
    pub provider: Provider,
    /// The model that will.
    pub model: Option<String>,
    /// The strategy as it is set.
    pub strategy: PresetAsSet,
    /// What it needs to run.
    pub needs: Needs,
}

impl Prepared {
    /// The strategy's name.
    pub(super) fn name(&self) -> &str {
        &self.strategy.preset.name
    }
}

impl App {
    /// Prepares a plan on the session as it is now unless it is given.
    pub(super) fn prepare(
        &self,
        open: Option<&Arc<OpenSession>>,
        spec: &PlanSpec,
    ) -> Result<Prepared> {
        let open = match open {
            Some(open) => Arc::clone(open),
            None => self.open(&spec.session)?,
        };
        // Before the settings are checked, since saved prompts become settings.
        let spec = as_branch(&open, self.with_saved_prompts(spec)?)?;
        let mut provider = self.provider(spec.provider.as_deref().unwrap_or(OFFLINE))?;
        check_options(&spec, &provider.config)?;
        if let Some(base_url) = &spec.base_url {
            check_base_url(base_url).map_err(|wrong| {
                let next = NextStep::Give {
                    what: Input::BaseUrl,
                };
                AppError::Usage(Problem::new(wrong, next))
            })?;
            let as_set_up = provider.config.clone();
            provider.config.base_url.clone_from(base_url);
            self.check_key_binding(Some(&as_set_up), &provider.config, Lasting::Once)?;
        }
        let first = || provider.config.models.first().cloned();
        let model = spec.model.clone().or_else(first);
        let named = spec.strategy.as_deref();
        let preset = self.preset(named.unwrap_or(default_strategy(&spec)))?;
        let (preset, set) = match spec.to {
            // The first stage of a branch is the same for every preset and names no entries.
            Some(_) => (Cow::Owned(branch::preset_for(&preset)), spec.set.clone()),
            None => (preset, with_whole_ids(&open, &spec.set)?),
        };
        let strategy = preset.as_set(&set).map_err(|error| not_set(&error))?;
        self.shown_plans.count();
        Ok(Prepared {
            needs: needs_as_set(&preset, &strategy.preset),
            open,
            spec,
            provider,
            model,
            strategy,
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
                    let text = Value::String(text);
                    self.check_prompt_place(spec, place, &name, &text)?;
                    resolved.set.insert(format!("prompts.{place}"), text);
                }
            }
        }
        Ok(resolved)
    }
}

impl App {
    /// Refuses a saved prompt for a place that the strategy does not have or whose placeholders it lacks.
    fn check_prompt_place(
        &self,
        spec: &PlanSpec,
        place: &str,
        name: &str,
        text: &Value,
    ) -> Result<()> {
        let preset = self.preset(spec.strategy.as_deref().unwrap_or(default_strategy(spec)))?;
        has_place(&preset, place)?;
        let set = [(format!("prompts.{place}"), text.clone())];
        match preset.with(&set.into_iter().collect()) {
            Err(ParamError::Value { reason, .. }) => Err(AppError::bad_request(
                format!("the saved prompt '{name}' cannot be the prompt '{place}': {reason}"),
                NextStep::Give {
                    what: Input::SavedPrompt,
                },
            )),
            // Other settings are checked with the rest of them.
            _ => Ok(()),
        }
    }
}

/// The strategy where none is named.
fn default_strategy(spec: &PlanSpec) -> &'static str {
    match spec.to {
        Some(_) => DEFAULT_BRANCH_STRATEGY,
        None => DEFAULT_STRATEGY,
    }
}

/// A stored branch summary that is written again, as a branch: from the entry that was left to the
/// summary itself, on whose path the work went on.
fn as_branch(open: &OpenSession, spec: PlanSpec) -> Result<PlanSpec> {
    let (true, Some(at)) = (spec.redo, spec.at.as_deref()) else {
        return Ok(spec);
    };
    let at = open.resolve_or_leaf(Some(at))?;
    let is_summary =
        |ix: &EntryIx| matches!(open.session.entry(*ix).kind, EntryKind::BranchSummary(_));
    let Some(summary) = at.filter(is_summary) else {
        return Ok(spec);
    };
    let id = |ix: EntryIx| open.session.name_of(ix);
    Ok(PlanSpec {
        at: None,
        to: Some(id(summary)),
        from: branch::left_by(&open.session, &open.tree, summary)
            .map(id)
            // Nothing was left; the plan says so.
            .or_else(|| Some(id(summary))),
        ..spec
    })
}

/// Why a setting is refused.
pub(super) fn not_set(error: &ParamError) -> AppError {
    AppError::Param {
        name: error.name().to_owned(),
        problem: error.problem(),
    }
}

/// The custom instructions of a request.
pub(super) fn instructions(spec: &PlanSpec) -> Instructions {
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
