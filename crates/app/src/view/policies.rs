//! Where each agent's policy would have compacted along a path.

use super::timeline::{Mark, timeline};
use crate::error::Result;
use crate::policies::{BrokenPolicy, chosen};
use crate::session::OpenSession;
use crate::workspace::App;
use palimpsest_compaction::policy::{Course, Growth, Level, Line, Policy, Trigger, simulate};
use palimpsest_core::entry::Trigger as StartedBy;
use palimpsest_core::words::thousands;
use palimpsest_core::{EntryIx, EntryKind, Session};
use palimpsest_formats::BudgetPolicy;
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::sync::Arc;

pub use palimpsest_compaction::policy::Limits;

/// What to look at.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PolicyQuery {
    /// The session.
    pub session: String,
    /// The entry the path leads to; the active leaf when absent.
    pub at: Option<String>,
    /// Names of policies; all when empty.
    pub policies: Vec<String>,
    /// Numbers that are another than the policies', as `POLICY.PARAMETER`.
    pub set: Map<String, Value>,
    /// The model's window in tokens; that of the session's model when absent.
    pub window: Option<u64>,
    /// The model's longest reply in tokens; that of the session's model when absent.
    pub max_output: Option<u64>,
}

/// What policies would have done.
pub struct PolicyReport {
    /// The session.
    pub open: Arc<OpenSession>,
    /// The entry the path leads to.
    pub at: Option<EntryIx>,
    /// The model there, as `provider/model`.
    pub model: Option<String>,
    /// Its limits, as far as they are known.
    pub limits: Limits,
    /// The policies in the order asked for.
    pub policies: Vec<PolicyCourse>,
    /// The session's own compactions.
    pub actual: Vec<Mark>,
    /// Files of the user that give no policy.
    pub broken: Vec<BrokenPolicy>,
}

/// What one policy would have done.
pub struct PolicyCourse {
    /// The policy, with what was set.
    pub policy: Policy,
    /// Its file, for one of the user's.
    pub path: Option<PathBuf>,
    /// What it would have done.
    pub course: Course,
    /// The lines at which something else happens.
    pub levels: Vec<(Level, Line)>,
    /// True for a policy of the agent that wrote the session.
    pub is_own: bool,
}

impl App {
    /// Walks a path of a session with policies. No model is asked.
    pub fn policies(&self, query: &PolicyQuery) -> Result<PolicyReport> {
        let (known, broken) = self.known_policies()?;
        let chosen = chosen((known, &broken), &query.policies, &query.set)?;
        let open = self.open(&query.session)?;
        let at = open.resolve_or_leaf(query.at.as_deref())?;
        let context = open.format.context(&open.session, &open.tree, at);
        let model = context.model.as_ref();
        let listed =
            model.and_then(|model| self.catalog().find(Some(&*model.provider), &model.model));
        let window = query.window.or(self.budget(&open, at, model).window);
        // What is listed of a model's replies says nothing of a smaller window that was asked for.
        let reply = listed.and_then(|info| info.max_output);
        let reply = reply.filter(|tokens| window.is_none_or(|window| *tokens < window));
        let limits = Limits {
            window,
            max_input: None,
            max_output: query.max_output.or(reply),
        };
        let growth = Growth::along(&open.session, &context.path);
        let own_agent = open.session.meta.agent.to_string();
        let policies = chosen.into_iter().map(|mut own| {
            let is_own_rule = own.policy.name == own_agent;
            let prefix = format!("{}.", own.policy.name);
            let is_set = query.set.keys().any(|key| key.starts_with(&prefix));
            // What the user sets goes before what was learned from the session.
            if is_own_rule
                && !is_set
                && query.window.is_none()
                && let Some(line) = own_line(&open, at, window)
                && let Some(adapted) = adapted(&own.policy, &limits, &line)
            {
                own.policy = adapted;
            }
            let course = if is_own_rule {
                let estimated = |ix| {
                    let context = open.format.context(&open.session, &open.tree, Some(ix));
                    context.estimated
                };
                let path = &context.path;
                walked(
                    &own.policy,
                    &limits,
                    (&open.session, path),
                    &estimated,
                    true,
                )
            } else {
                simulate(&own.policy, &limits, &growth)
            };
            PolicyCourse {
                course,
                levels: levels(&own.policy, &limits),
                is_own: own.policy.agent == own_agent,
                policy: own.policy,
                path: own.path,
            }
        });
        let policies = policies.collect();
        let (_, mut actual) = timeline(&open, at);
        actual.retain(|mark| {
            let kind = &open.session.entry(mark.ix).kind;
            matches!(kind, EntryKind::Compaction(_))
        });
        let model = model.map(|model| format!("{}/{}", model.provider, model.model));
        Ok(PolicyReport {
            at,
            model,
            limits,
            policies,
            actual,
            broken,
            open,
        })
    }
}

/// What the format says of the threshold at `at`, where that is another than its newest rule.
fn own_line(open: &OpenSession, at: Option<EntryIx>, window: Option<u64>) -> Option<BudgetPolicy> {
    let window = window?;
    let budget = open.format.policy_at(&open.session, &open.tree, at, window);
    let newest = open.format.policy(window);
    (budget.threshold != newest.threshold).then_some(budget)
}

/// A policy with the auto-compaction threshold of the version that wrote a session, or with the one
/// learned from the session's own compactions; its description says which. `None` where the policy
/// has that threshold, or a trigger of another kind.
pub fn adapted(policy: &Policy, limits: &Limits, budget: &BudgetPolicy) -> Option<Policy> {
    let line = policy.line(limits).ok()?.tokens?;
    if line == budget.threshold {
        return None;
    }
    let mut own = policy.clone();
    match &mut own.trigger {
        Trigger::WindowLess(rule) => {
            rule.reserve_tokens = (rule.reserve_tokens + line).checked_sub(budget.threshold)?;
        }
        // A share of the window, which is a setting (Codex, Mux).
        Trigger::Share(rule) if budget.learned_from > 0 => {
            own.trigger = Trigger::Tokens {
                tokens: budget.threshold,
                least_tokens: 0,
                inclusive: rule.inclusive,
            };
        }
        _ => return None,
    }
    let tokens = budget.threshold;
    let from = match budget.learned_from {
        0 => "the rule of the version that wrote the session".to_owned(),
        1 => "learned from the automatic compaction of the session".to_owned(),
        count => format!("learned from {count} automatic compactions of the session"),
    };
    own.description = format!(
        "{} tokens, {from}. Newest rule: {}",
        thousands(tokens),
        policy.description
    );
    Some(own)
}

/// Walks a path with the policy of the agent that wrote it: behind each compaction of the session
/// from the size that the next request reported. Where no reply has a report, the one of the last
/// call tells what is sent besides the messages, and `estimated` the size in tokens of the context
/// at a compaction.
pub fn followed(
    policy: &Policy,
    limits: &Limits,
    session: &Session,
    path: &[EntryIx],
    estimated: &dyn Fn(EntryIx) -> u64,
) -> Course {
    walked(policy, limits, (session, path), estimated, false)
}

/// The same; with `stored` a size that the agent stored of a compaction counts there: at 166,953
/// tokens by what is on record Claude Code had counted 167,323, and compacted at 167,000.
fn walked(
    policy: &Policy,
    limits: &Limits,
    (session, path): (&Session, &[EntryIx]),
    estimated: &dyn Fn(EntryIx) -> u64,
    stored: bool,
) -> Course {
    let besides = besides_by_last_call(session, path, estimated);
    let is_compaction = |ix: &EntryIx| matches!(session.entry(*ix).kind, EntryKind::Compaction(_));
    let mut fires = Vec::new();
    let mut peak_tokens = 0;
    let mut start = 0;
    loop {
        let length = path[start..].iter().position(is_compaction);
        let end = length.map_or(path.len(), |length| start + length);
        let mut growth = Growth::recorded(session, &path[start..end]);
        if let Some(besides) = besides {
            let compacted = start.checked_sub(1).map_or(0, |at| estimated(path[at]));
            growth.besides = vec![(0, besides + compacted)];
        }
        growth.ends_compacted = path.get(end).is_some_and(|&ix| is_automatic(session, ix));
        if stored && growth.ends_compacted {
            growth.stored_at_end = path.get(end).and_then(|&ix| stored_size(session, ix));
        }
        let mut course = simulate(policy, limits, &growth);
        for fire in &mut course.fires {
            fire.position += start;
        }
        peak_tokens = course.peak_tokens.max(peak_tokens);
        fires.append(&mut course.fires);
        if end == path.len() {
            return Course {
                fires,
                peak_tokens,
                ..course
            };
        }
        start = end + 1;
    }
}

/// The size before a compaction, as its agent stored it.
fn stored_size(session: &Session, ix: EntryIx) -> Option<u64> {
    match &session.entry(ix).kind {
        EntryKind::Compaction(told) => told.tokens_before,
        _ => None,
    }
}

/// Tokens sent besides the messages of a session whose agent reports only what the last call had
/// (Factory Droid); `None` where its replies have reports of their own, or nothing is reported.
fn besides_by_last_call(
    session: &Session,
    path: &[EntryIx],
    estimated: &dyn Fn(EntryIx) -> u64,
) -> Option<u64> {
    let reports = path.iter().map(|&ix| (ix, session.entry(ix)));
    let mut reports = reports.filter(|(_, entry)| entry.usage_trusted);
    let (at, entry) = reports.next().filter(|_| reports.next().is_none())?;
    let usage = entry.usage.filter(|_| entry.messages.is_empty())?;
    Some(usage.context_tokens().saturating_sub(estimated(at)))
}

/// True for a compaction that the agent started by itself.
fn is_automatic(session: &Session, ix: EntryIx) -> bool {
    match &session.entry(ix).kind {
        EntryKind::Compaction(told) => told.trigger == Some(StartedBy::Auto),
        _ => false,
    }
}

fn levels(policy: &Policy, limits: &Limits) -> Vec<(Level, Line)> {
    let limits = policy.limits(limits);
    let lines = policy.levels.iter();
    let lines = lines.filter_map(|level| Some((level.clone(), level.trigger.line(&limits).ok()?)));
    lines.collect()
}
