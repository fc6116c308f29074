//! The automatic compactions of the sample sessions against the policies of their agents: where each
//! policy fires on the way to the end of a session, with the settings that the session was written
//! with.

use crate::requests::request_files;
use crate::summaries::open;
use palimpsest_app::view::policies::{Limits, followed};
use palimpsest_compaction::policy::Policy;
use palimpsest_core::entry::Trigger;
use palimpsest_core::{EntryIx, EntryKind};
use palimpsest_formats::InMemory;
use serde_json::{Value, json};
use std::path::Path;

/// The agents whose samples are compared. Those of the others are compared by [`crate::sizes`].
const AGENTS: [&str; 3] = ["copilot", "factory-droid", "mux"];

/// What a session was written with: agent, name of the session, context window in tokens, a setting
/// of the policy.
type Settings = (
    &'static str,
    &'static str,
    Option<u64>,
    Option<(&'static str, u64)>,
);

/// What is no default and in no file of the session, as the notes on the samples say.
const SETTINGS: [Settings; 2] = [
    (
        "factory-droid",
        "06-auto-compaction",
        None,
        Some(("trigger.tokens", 45_000)),
    ),
    ("mux", "05-auto-compaction", Some(19_500), None),
];

/// The window where a session does not tell its own.
const WINDOW: u64 = 200_000;

/// How the policy compares with one session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Row {
    /// The agent.
    pub agent: String,
    /// The session's name among the samples.
    pub name: String,
    /// Automatic compactions of the session.
    pub automatic: usize,
    /// Of these, compactions right before which the policy fires.
    pub predicted: usize,
    /// Places where the policy fires and the session has no automatic compaction.
    pub surplus: usize,
}

impl Row {
    /// True where the policy fires before each automatic compaction and nowhere else.
    pub fn is_equal(&self) -> bool {
        self.predicted == self.automatic && self.surplus == 0
    }
}

/// The comparison of every sample session, by agent and name; none where there are no samples.
pub fn rows(shared: &Path) -> Vec<Row> {
    let mut rows = Vec::new();
    for file in request_files(shared) {
        let (agent, name) = names(&file.requests);
        if !AGENTS.contains(&&*agent) {
            continue;
        }
        let Ok(ours) = open(&file.session) else {
            continue;
        };
        let set = SETTINGS.iter().find(|own| own.0 == agent && own.1 == name);
        let window = set.and_then(|own| own.2);
        let parameter = set.and_then(|own| own.3);
        let parameter = parameter.map(|(parameter, value)| (parameter, json!(value)));
        let parameter = parameter.as_ref().map(|(name, value)| (*name, value));
        let Some(row) = compared(&ours, &agent, window, parameter) else {
            continue;
        };
        rows.push(Row { name, ..row });
    }
    rows
}

/// The agent of a file of requests, and the name of the session that it is of.
fn names(requests: &Path) -> (String, String) {
    let name = |path: &Path| {
        let name = path.file_name().map(|name| name.to_string_lossy());
        name.unwrap_or_default().into_owned()
    };
    let agent = requests.ancestors().nth(2).map(name).unwrap_or_default();
    let stem = name(requests);
    let stem = stem.strip_suffix(".requests.jsonl").unwrap_or(&stem);
    (agent, stem.to_owned())
}

/// Compares a session with the policy called `name`, in which a parameter may be set; `None` for an
/// unknown policy.
pub fn compared(
    ours: &InMemory,
    name: &str,
    window: Option<u64>,
    parameter: Option<(&str, &Value)>,
) -> Option<Row> {
    let mut policy = Policy::known(name).ok()?.clone();
    if let Some((parameter, value)) = parameter {
        policy = policy.with(parameter, value).ok()?;
    }
    let leaf = ours.session.active_leaf;
    let told = ours.format.window(&ours.session, &ours.tree, leaf);
    let limits = Limits {
        window: Some(window.or(told).unwrap_or(WINDOW)),
        ..Limits::default()
    };
    let path = ours.context(leaf).path;
    let estimated = |ix| ours.context(Some(ix)).estimated;
    let course = followed(&policy, &limits, &ours.session, &path, &estimated);
    let fires: Vec<usize> = course.fires.iter().map(|fire| fire.position).collect();
    let automatic: Vec<usize> = (0..path.len())
        .filter(|&at| is_automatic(ours, path[at]))
        .collect();
    let is_predicted = |&&at: &&usize| fires.iter().any(|fire| is_before(ours, &path, *fire, at));
    let predicted = automatic.iter().filter(is_predicted).count();
    let leads = |fire: &&usize| {
        !automatic
            .iter()
            .any(|&at| is_before(ours, &path, **fire, at))
    };
    Some(Row {
        agent: ours.session.meta.agent.name().to_owned(),
        name: String::new(),
        automatic: automatic.len(),
        predicted,
        surplus: fires.iter().filter(leads).count(),
    })
}

fn is_automatic(ours: &InMemory, ix: EntryIx) -> bool {
    match &ours.session.entry(ix).kind {
        EntryKind::Compaction(told) => told.trigger == Some(Trigger::Auto),
        _ => false,
    }
}

/// True where the compaction at `compaction` was decided right behind the message at `fire`: the
/// next message behind it is the request for the summary, the summary, or was said while the summary
/// was made in the background.
fn is_before(ours: &InMemory, path: &[EntryIx], fire: usize, compaction: usize) -> bool {
    let has_message = |at: &usize| {
        let entry = ours.session.entry(path[*at]);
        !entry.messages.is_empty() && entry.messages.iter().any(|own| own.sent)
    };
    if fire >= compaction {
        return false;
    }
    let begun = (fire..compaction)
        .rev()
        .find(|&at| is_beginning(ours, path[at]));
    let decided = begun.unwrap_or(compaction);
    // What asks for the summary is part of the decision.
    let before = (0..decided).rev().filter(has_message);
    for at in before {
        if at == fire {
            return true;
        }
        if !asks_for_summary(ours, path[at]) {
            break;
        }
    }
    false
}

/// True for the prompt or the call that stands for the request for a summary (Mux, Coder).
fn asks_for_summary(ours: &InMemory, ix: EntryIx) -> bool {
    let kinds = ["compaction-request", "chat_summarized"];
    match &ours.session.entry(ix).kind {
        EntryKind::CustomMessage { custom_type, .. } | EntryKind::Custom { custom_type } => {
            kinds.contains(&&**custom_type)
        }
        _ => false,
    }
}

/// True for the record with which a compaction in the background begins (Copilot).
fn is_beginning(ours: &InMemory, ix: EntryIx) -> bool {
    let kind = &ours.session.entry(ix).kind;
    matches!(kind, EntryKind::Custom { custom_type } if &**custom_type == "session.compaction_start")
}
