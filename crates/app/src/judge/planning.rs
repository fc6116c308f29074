//! What would be asked, where it would go and what it would cost.

use crate::error::{AppError, Result};
use crate::judge::claims::how_much;
use crate::key_binding::Lasting;
use crate::provider::Provider;
use crate::run::destination;
use crate::session::OpenSession;
use crate::summary::OwnedSpan;
use crate::workspace::App;
use palimpsest_core::failure::{Input, Listed, NextStep};
use palimpsest_core::words::thousands;
use palimpsest_core::{EntryIx, Usage};
use palimpsest_judge::facts::FactLimits;
use palimpsest_judge::probes::probes;
use palimpsest_judge::{Call, Plan, Task, What};
use palimpsest_ledger::{Span, Universe};
use palimpsest_llm::ProviderKind;
use palimpsest_tokens::cost_usd;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How often a call is made whose reply is not the JSON that was asked for.
pub(super) const ATTEMPTS: u32 = 2;

/// What a model is to be asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgeSpec {
    /// The session.
    pub session: String,
    /// The question.
    pub what: What,
    /// The summaries it is about: ids of runs, or `entry:ID`. Without any the newest summary on the
    /// active path.
    #[serde(default)]
    pub of: Vec<String>,
    /// The provider.
    pub provider: String,
    /// The model; the first of the provider where none is given.
    #[serde(default)]
    pub model: Option<String>,
    /// Another address of the provider.
    #[serde(default)]
    pub base_url: Option<String>,
    /// The model's context window in tokens, in place of the catalog's.
    #[serde(default)]
    pub window: Option<u64>,
    /// Most tokens of the session in one call.
    #[serde(default)]
    pub chunk: Option<u64>,
    /// The name in events, by which the judgement can be cancelled.
    #[serde(skip)]
    pub stream: Option<String>,
    /// Whether it may cost more than the limit of the settings.
    #[serde(skip)]
    pub above_limit: bool,
}

/// A judgement as it would be made.
#[derive(Clone)]
pub struct PlannedJudgement {
    /// What was asked for, with the summary that it is about.
    pub spec: JudgeSpec,
    /// The session.
    pub open: Arc<OpenSession>,
    /// The calls.
    pub plan: Plan,
    /// Who would be asked.
    pub provider: Provider,
    /// The model; empty for a program that knows its own.
    pub model: String,
    /// What is judged, in words.
    pub title: String,
    /// Estimated tokens of all requests.
    pub input_tokens: u64,
    /// Tokens that all replies are assumed to have.
    pub output_tokens: u64,
    /// Estimated cost in dollars; `None` where the price is unknown.
    pub cost_usd: Option<f64>,
    /// What it may cost at most, in dollars: each call made twice, with the longest replies.
    pub most_usd: Option<f64>,
    /// Where the prompts would go, in words.
    pub destination: String,
    /// What else is to be said, in sentences.
    pub notes: Vec<String>,
}

impl App {
    /// Plans a judgement. Nothing is sent or stored.
    pub fn plan_judgement(&self, spec: &JudgeSpec) -> Result<PlannedJudgement> {
        let open = self.open_judged(spec)?;
        let mut spec = spec.clone();
        if spec.of.is_empty() && spec.what != What::Pair {
            // By its name: a newer one may come before the judgement is replayed.
            spec.of.push(self.summary_name(&spec.session, "")?);
        }
        if spec.what == What::Claims {
            // By its full name: ledgers of this summary show the verdicts.
            let material = self.material_named(&open, &spec.of[0])?;
            spec.of = material.name(&open).into_iter().collect();
        }
        let spec = &spec;
        let provider = self.judge_provider(spec)?;
        let first = || provider.config.models.first().cloned();
        let model = spec.model.clone().or_else(first);
        let model = match (model, provider.config.kind) {
            (Some(model), _) => model,
            // A program may well know its model by itself.
            (None, ProviderKind::Command) => String::new(),
            (None, _) => {
                return Err(AppError::bad_request(
                    format!(
                        "no model of the provider {} is chosen",
                        provider.config.name
                    ),
                    NextStep::ChooseModel {
                        provider: provider.config.name.clone(),
                    },
                ));
            }
        };
        let info = self.catalog().find(Some(&provider.config.name), &model);
        let known = spec.window.or(info.map(|info| info.context_window));
        let mut notes = Vec::new();
        if known.is_none() {
            notes.push(format!(
                "The context window of the model is unknown; {} tokens are assumed.",
                thousands(FactLimits::default().window)
            ));
        }
        let (plan, title) = self.questions(&open, spec, known)?;
        if let Task::Claims(task) = &plan.task {
            notes.extend(how_much(&task.sent));
        }
        if plan.calls.is_empty() {
            return Err(AppError::bad_request(
                format!("there is nothing to ask about: {title}"),
                NextStep::Give {
                    what: Input::Compaction,
                },
            ));
        }
        let sum = |of: fn(&Call) -> u64| plan.calls.iter().map(of).sum::<u64>();
        let usage = Usage {
            input: sum(|call| call.input_tokens),
            output: sum(|call| call.output_tokens),
            ..Usage::default()
        };
        let attempts = u64::from(ATTEMPTS);
        let most = Usage {
            input: usage.input * attempts,
            output: sum(|call| call.max_output_tokens) * attempts,
            ..Usage::default()
        };
        let prices = self.prices(&provider.config, &model);
        let costs = |usage: &Usage| prices.as_ref().map(|prices| cost_usd(usage, prices));
        let named = Some(model.as_str()).filter(|model| !model.is_empty());
        Ok(PlannedJudgement {
            cost_usd: costs(&usage),
            most_usd: costs(&most),
            destination: destination(&provider.config, named),
            spec: spec.clone(),
            input_tokens: usage.input,
            output_tokens: usage.output,
            open,
            plan,
            provider,
            model,
            title,
            notes,
        })
    }

    fn open_judged(&self, spec: &JudgeSpec) -> Result<Arc<OpenSession>> {
        let run = spec.of.iter().find(|of| !of.starts_with("entry:"));
        match run {
            Some(run) => self.open_of_run(&spec.session, run),
            None => self.open(&spec.session),
        }
    }

    fn judge_provider(&self, spec: &JudgeSpec) -> Result<Provider> {
        let mut provider = self.provider(&spec.provider)?;
        if provider.config.kind == ProviderKind::Offline {
            let models = self.providers()?.into_iter();
            let models = models.filter(|known| known.config.kind != ProviderKind::Offline);
            let names = models.map(|known| known.config.name).collect();
            return Err(AppError::bad_request(
                "a judgement needs a model; the offline summarizer is not one",
                NextStep::choose(Listed::Providers, &spec.provider, names),
            ));
        }
        if let Some(base_url) = &spec.base_url {
            let as_set_up = provider.config.clone();
            provider.config.base_url.clone_from(base_url);
            self.check_key_binding(Some(&as_set_up), &provider.config, Lasting::Once)?;
        }
        Ok(provider)
    }

    /// The calls of a judgement, and what they are about.
    fn questions(
        &self,
        open: &OpenSession,
        spec: &JudgeSpec,
        window: Option<u64>,
    ) -> Result<(Plan, String)> {
        let usual = FactLimits::default();
        let limits = FactLimits {
            window: window.unwrap_or(usual.window),
            chunk: spec.chunk.unwrap_or(usual.chunk),
        };
        match spec.what {
            What::Pair => self.pair(open, &spec.of, limits.window),
            What::Claims => self.claims(open, &spec.of[0], limits),
            What::Probes => {
                let material = self.material_named(open, &spec.of[0])?;
                let name = |ix: EntryIx| open.session.name_of(ix);
                let plan = material.with_input("", |input| {
                    // The questions are those of rules, whoever else was asked.
                    let universe = Universe::of(input.span, &input.kept_tail, &input.later, &[]);
                    let probes = probes(&input.span, universe.candidates());
                    let summary = &material.summary;
                    Plan::probes(summary, &input.kept_tail, &name, probes, limits.window)
                });
                Ok((plan, material.title))
            }
            What::Facts => {
                let material = self.material_named(open, &spec.of[0])?;
                let items = material.span.items();
                let name = |ix: EntryIx| open.session.name_of(ix);
                let plan = Plan::facts(&Span { items: &items }, &name, limits);
                Ok((plan, material.title))
            }
        }
    }

    /// The calls for two summaries of one cut.
    fn pair(&self, open: &OpenSession, of: &[String], window: u64) -> Result<(Plan, String)> {
        let two = || NextStep::Give {
            what: Input::Summary,
        };
        if of.len() != 2 {
            let message = format!(
                "a preference compares two summaries; {} given",
                match of.len() {
                    0 => "none was".to_owned(),
                    1 => "one was".to_owned(),
                    more => format!("{more} were"),
                }
            );
            return Err(AppError::bad_request(message, two()));
        }
        let all = self.compare_summaries(open, of)?;
        let [cut] = all.cuts.as_slice() else {
            let message = "the two summaries cut different contexts and cannot be compared";
            return Err(AppError::bad_request(message, two()));
        };
        let [one, other] = [&all.sides[0].material, &all.sides[1].material];
        let previous = one.cut.previous.or(other.cut.previous);
        let span = OwnedSpan::load_behind(open, previous, &cut.entries)?;
        let items = span.items();
        let name = |ix: EntryIx| open.session.name_of(ix);
        let texts = [one.summary.as_str(), other.summary.as_str()];
        let plan = Plan::pair(&Span { items: &items }, &name, texts, window);
        Ok((plan, format!("{}; {}", one.title, other.title)))
    }
}
