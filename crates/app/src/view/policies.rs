//! Where each agent's policy would have compacted along a path.

use super::timeline::{Mark, timeline};
use crate::error::Result;
use crate::policies::{BrokenPolicy, chosen};
use crate::session::OpenSession;
use crate::workspace::App;
use palimpsest_compaction::policy::{Course, Growth, Level, Line, Policy, simulate};
use palimpsest_core::{EntryIx, EntryKind};
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
        let policies = chosen.into_iter().map(|own| PolicyCourse {
            course: simulate(&own.policy, &limits, &growth),
            levels: levels(&own.policy, &limits),
            is_own: own.policy.agent == own_agent,
            policy: own.policy,
            path: own.path,
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

fn levels(policy: &Policy, limits: &Limits) -> Vec<(Level, Line)> {
    let limits = policy.limits(limits);
    let lines = policy.levels.iter();
    let lines = lines.filter_map(|level| Some((level.clone(), level.trigger.line(&limits).ok()?)));
    lines.collect()
}
