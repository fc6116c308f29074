//! What reading remembers between records.

use super::workspace::Workspace;
use crate::links::WalkLimit;
use palimpsest_core::entry::ModelRef;
use palimpsest_core::{EntryIx, Session, Usage};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// Most calls that are remembered when reading is taken up again in the middle.
// Recorded sessions have three open at the same time at most.
const CALLS_KEPT: usize = 64;
/// Most prompts that can be taken back then.
const PROMPTS_KEPT: usize = 200;
/// The provider of models that name none.
const PROVIDER: &str = "github-copilot";

/// What a resume needs; kept in [`crate::ReadState::native`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Native {
    /// The session's own id.
    pub session: String,
    /// Provider, model and reasoning level in force.
    pub provider: String,
    /// See `provider`.
    pub model: String,
    /// See `provider`.
    pub effort: String,
    /// The newest reported context window in tokens.
    pub window: u64,
    /// The conversations of subagents: the agent's id and its newest entry.
    pub agents: BTreeMap<String, String>,
    /// Usage whose reply has not been read.
    pub spent: Vec<Spent>,
    /// The newest calls, with or without a result.
    pub calls: Vec<Call>,
    /// The newest prompts, each with the entry before it.
    pub prompts: Vec<(String, Option<String>)>,
    /// Calls that the user did not allow.
    pub refused: Vec<String>,
    /// Compactions that have begun and not ended.
    pub begun: Vec<Begun>,
    /// True while the newest usage is that of another session: records that a fork copied.
    pub is_copy: bool,
    /// True once a record of a request's usage was read; older versions have only totals.
    pub has_usage: bool,
    /// The newest totals of a version without them.
    pub totals: Option<Usage>,
    /// What the events say of the whole session.
    pub told: Told,
    /// What the file beside them says of it.
    pub workspace: Workspace,
}

/// What the events of a session say of it as a whole.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Told {
    /// The newest name.
    pub name: Option<String>,
    /// The title that the first prompt gives.
    pub prompt: Option<String>,
    /// The first folder.
    pub cwd: Option<String>,
    /// True once a branch was named.
    pub has_branch: bool,
}

/// The usage of a request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Spent {
    /// The subagent that sent it; empty for the session's own.
    pub agent: String,
    /// The provider's id of the reply.
    pub call: String,
    /// Its figures.
    pub usage: Usage,
}

/// A call of a tool.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Call {
    /// Its id.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// The entry with it.
    pub entry: String,
    /// Its place, where the reply has several.
    pub place: Option<u32>,
}

/// A compaction that has begun.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Begun {
    /// The subagent whose context it is; empty for the session's own.
    pub agent: String,
    /// Its id; empty in older versions.
    pub attempt: String,
    /// The entry that says so.
    pub entry: String,
    /// When, Unix milliseconds.
    pub at_ms: Option<i64>,
}

impl Native {
    /// Remembers a call.
    pub fn add_call(&mut self, call: Call) {
        if self.calls.len() >= CALLS_KEPT {
            self.calls.remove(0);
        }
        self.calls.push(call);
    }

    /// The call with an id.
    pub fn call(&self, id: &str) -> Option<&Call> {
        self.calls.iter().rev().find(|call| call.id == id)
    }

    /// Remembers a prompt and the entry before it.
    pub fn add_prompt(&mut self, id: String, before: Option<String>) {
        if self.prompts.len() >= PROMPTS_KEPT {
            self.prompts.remove(0);
        }
        self.prompts.push((id, before));
    }

    /// Forgets a prompt and all after it; the entry before it, which may be none.
    pub fn take_back(&mut self, id: &str) -> Option<Option<String>> {
        let at = self.prompts.iter().rposition(|(known, _)| known == id)?;
        let before = self.prompts[at].1.clone();
        self.prompts.truncate(at);
        Some(before)
    }

    /// Remembers a call that the user did not allow.
    pub fn refuse(&mut self, id: &str) {
        if self.refused.len() >= CALLS_KEPT {
            self.refused.remove(0);
        }
        self.refused.push(id.to_owned());
    }

    /// True for a call that the user did not allow; asked once, by its result.
    pub fn was_refused(&mut self, id: &str) -> bool {
        let at = self.refused.iter().position(|known| known == id);
        at.map(|at| self.refused.remove(at)).is_some()
    }

    /// The usage that waits for a reply of this agent: that of the call, else any.
    pub fn take_spent(&mut self, agent: &str, call: Option<&str>) -> Option<Spent> {
        let fits = |spent: &Spent| {
            spent.agent == agent
                && call.is_none_or(|call| spent.call.is_empty() || spent.call == call)
        };
        let at = self.spent.iter().position(fits)?;
        Some(self.spent.remove(at))
    }

    /// The compaction that a record ends: the one it names, else the newest of its agent.
    pub fn end_compaction(&mut self, agent: &str, attempt: Option<&str>) -> Option<Begun> {
        let named = |own: &Begun| attempt.is_some_and(|attempt| own.attempt == attempt);
        let at = self.begun.iter().rposition(named).or_else(|| {
            let fits = |own: &Begun| own.agent == agent && own.attempt.is_empty();
            self.begun.iter().rposition(fits)
        })?;
        Some(self.begun.remove(at))
    }

    /// A model by its name, with the provider in force.
    pub fn model_ref(&self, model: &str) -> Option<ModelRef> {
        let provider = match self.provider.as_str() {
            "" => PROVIDER,
            own => own,
        };
        (!model.is_empty()).then(|| ModelRef {
            provider: provider.into(),
            model: model.into(),
        })
    }
}

/// Ways into the session read so far; can be made from it at any time.
#[derive(Debug, Default)]
pub(super) struct Index {
    ids: HashMap<Box<str>, EntryIx>,
    calls: HashMap<Box<str>, EntryIx>,
    /// Limit of all walks up to what a record replaces.
    pub walk: WalkLimit,
}

impl Index {
    /// The ways into `session`.
    pub fn of(session: &Session) -> Index {
        let mut index = Index::default();
        for ix in session.indices() {
            index.add(session, ix);
        }
        index
    }

    /// Adds an entry.
    pub fn add(&mut self, session: &Session, ix: EntryIx) {
        let entry = session.entry(ix);
        // The first keeps the id; later ones got another when they were read.
        self.ids.entry(entry.id.0.clone()).or_insert(ix);
        for call in &entry.tool_calls {
            self.calls.insert(call.call_id.clone(), ix);
        }
    }

    /// The entry with an id.
    pub fn by_id(&self, id: &str) -> Option<EntryIx> {
        self.ids.get(id).copied()
    }

    /// The entry with a call.
    pub fn by_call(&self, id: &str) -> Option<EntryIx> {
        self.calls.get(id).copied()
    }
}
