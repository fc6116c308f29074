//! When an agent compacts automatically, as data.

use crate::engine::preset::data::Preset;
use crate::policy::error::PolicyError;
use crate::policy::trigger::{Limits, Line, Off, Trigger};
use crate::stages::select::Select;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::LazyLock;

/// The auto-compaction threshold of an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// Its name.
    pub name: String,
    /// The agent whose policy it is, as sessions name agents where they do.
    pub agent: String,
    /// The agent's version that has it.
    pub version: String,
    /// When it fires, in one line.
    pub description: String,
    /// Where the rule and its numbers come from.
    pub source: String,
    /// Where its line lies.
    pub trigger: Trigger,
    /// What is held against the line.
    pub counting: Counting,
    /// When it looks.
    pub checks: Vec<Check>,
    /// A second line that is looked at elsewhere.
    #[serde(default)]
    pub forced: Option<Forced>,
    /// Lines at which something else happens than a compaction.
    #[serde(default)]
    pub levels: Vec<Level>,
    /// The window the agent assumes for a model it does not know, in tokens.
    #[serde(default)]
    pub default_window: Option<u64>,
    /// The window that counts in the place of the model's, where the agent lets it be set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_window: Option<OwnWindow>,
    /// When the agent gives up compacting again and again.
    #[serde(default)]
    pub thrash: Option<Thrash>,
    /// What turns it off, in words.
    #[serde(default)]
    pub off: Vec<String>,
    /// The preset it runs.
    pub preset: String,
    /// Parameters of that preset's choice that differ here.
    #[serde(default)]
    pub select: Map<String, Value>,
}

/// What is held against a policy's line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Counting {
    /// What the provider reported last, and an estimate of what came after.
    UsageAndTrailing,
    /// What the provider reported last, request and reply; what came after is not seen.
    LastUsage,
    /// What the provider reported last of the request, without its reply (Coder).
    LastRequest,
    /// An estimate of the messages; the system prompt and the tools do not count.
    Estimate,
    /// An estimate of the whole request.
    RequestEstimate,
}

/// When a policy looks at the context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// When the user has written a prompt, before it is taken into the context.
    BeforePrompt,
    /// With the prompt in the context, before it is sent.
    BeforeRequest,
    /// After the results of tools, before the next request of the same turn.
    BetweenTools,
    /// After every reply, before its tools run.
    AfterStep,
    /// After the reply that ends a turn.
    AfterRun,
}

/// A second line of a policy: one of its own, or one that moves along with the first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Forced {
    /// Where it lies, where it is a line of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<Trigger>,
    /// By how many points, in percent, it lies above the policy's share (Mux).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above_percent: Option<u64>,
    /// When it is looked at.
    pub checks: Vec<Check>,
}

/// A window that the user sets in the place of the model's (Claude Code,
/// `CLAUDE_CODE_AUTO_COMPACT_WINDOW`). It is never larger than the model's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnWindow {
    /// Its tokens; `None` is the model's window.
    #[serde(default)]
    pub window_tokens: Option<u64>,
    /// A smaller number is raised to this one.
    pub least_tokens: u64,
    /// A larger number is lowered to this one.
    pub most_tokens: u64,
}

/// A line at which something else happens than a compaction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Level {
    /// Its name.
    pub name: String,
    /// What happens there.
    pub meaning: String,
    /// Where it lies.
    pub trigger: Trigger,
}

/// When an agent gives up because each compaction is followed by the next at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Thrash {
    /// Full again within so many turns...
    pub turns: u64,
    /// ...so many times in a row.
    pub times: u64,
}

/// The built-in policies. A file that cannot be read gives none; the tests see to it that it can.
static BUILT_IN: LazyLock<Vec<Policy>> = LazyLock::new(|| {
    let text = include_str!("../../../../assets/policies.json");
    serde_json::from_str(text).unwrap_or_default()
});

impl Policy {
    /// The built-in policies, in the order in which they are listed.
    pub fn built_in() -> &'static [Policy] {
        &BUILT_IN
    }

    /// The built-in policy called `name`, or an error that lists those there are.
    pub fn known(name: &str) -> Result<&'static Policy, PolicyError> {
        let found = Policy::built_in().iter().find(|own| own.name == name);
        found.ok_or_else(|| {
            let names = Policy::built_in()
                .iter()
                .map(|own| own.name.clone())
                .collect();
            PolicyError::Unknown {
                name: name.to_owned(),
                known: names,
            }
        })
    }

    /// The line of its trigger for a model with these limits, or why it has none. Where the window
    /// is not known the agent's own assumption stands in.
    pub fn line(&self, limits: &Limits) -> Result<Line, Off> {
        self.trigger.line(&self.limits(limits))
    }

    /// The limits as the agent takes them.
    pub fn limits(&self, limits: &Limits) -> Limits {
        let window = limits.window.or(self.default_window);
        let set = self.own_window.and_then(|own| {
            let tokens = own.window_tokens?.max(own.least_tokens);
            Some(tokens.min(own.most_tokens))
        });
        Limits {
            window: match (window, set) {
                (Some(window), Some(set)) => Some(window.min(set)),
                (window, set) => window.or(set),
            },
            ..*limits
        }
    }

    /// The second line for a model with these limits, or why it has none; `None` where the policy
    /// has no second line.
    pub fn forced_line(&self, limits: &Limits) -> Option<Result<Line, Off>> {
        let forced = self.forced.as_ref()?;
        let limits = self.limits(limits);
        match (&forced.trigger, forced.above_percent) {
            (Some(own), _) => Some(own.line(&limits)),
            (None, Some(points)) => self.trigger.line_above(points, &limits),
            (None, None) => None,
        }
    }

    /// What the agent makes of a share that is out of its range, in words; `None` where every share
    /// counts as it is set.
    pub fn correction(&self) -> Option<String> {
        if let Trigger::WindowLess(own) = &self.trigger
            && let Some(percent) = own.percent_of_rest.filter(|own| !(1..=100).contains(own))
        {
            return Some(format!("{percent} % is out of range and ignored"));
        }
        let shares = self.trigger.shares();
        let mut taken = shares
            .iter()
            .filter_map(|own| Some((own.percent, own.taken_percent().ok()?)));
        let (set, taken) = taken.find(|(set, taken)| u64::try_from(*set) != Ok(*taken))?;
        Some(format!("{set} % is out of range; {taken} % is used"))
    }

    /// The choice of its preset, with what differs here and fitted to its line; `None` when the
    /// preset is missing or the differences do not fit it.
    pub(crate) fn choice(&self, line: &Line, limits: &Limits) -> Option<Select> {
        let preset = Preset::named(&self.preset)?;
        let mut select = self.choice_of(preset).ok()?;
        match &mut select {
            // OpenCode's tail is a share of what the model can take, which is its line.
            Select::TurnTail(own) => own.usable_tokens = line.tokens.unwrap_or(own.usable_tokens),
            // The policy has fired, so the fill line is reached.
            Select::FillDrain(own) => own.fill_tokens = 0,
            Select::WindowShare(own) => {
                own.window_tokens = self.limits(limits).window.unwrap_or(own.window_tokens);
            }
            Select::PromptTail(own) => {
                let known = self.limits(limits);
                own.window_tokens = known.window.unwrap_or(own.window_tokens);
                own.model_input_tokens = known.max_input.unwrap_or(own.model_input_tokens);
                own.model_output_tokens = known.max_output.unwrap_or(own.model_output_tokens);
            }
            Select::HalfTail(own) => {
                own.history_limit_tokens = line.tokens.unwrap_or(own.history_limit_tokens);
            }
            _ => {}
        }
        Some(select)
    }
}
