//! What reading remembers between records.

use crate::links::WalkLimit;
use crate::seen::Seen;
use palimpsest_core::entry::ModelRef;
use palimpsest_core::{EntryIx, EntryKind, Role, Session};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Most user turns that can be rolled back after reading was taken up again in the middle.
const CUTS_KEPT: usize = 200;
/// Most calls without a result that are remembered by name.
// Recorded sessions have two open at the same time at most.
const CALLS_KEPT: usize = 64;

/// What a resume needs; kept in [`crate::ReadState::native`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Native {
    /// The session's own thread.
    pub thread: String,
    /// True once its header was read.
    pub has_own_header: bool,
    /// The entry of the newest header that is one.
    pub header: Option<String>,
    /// Line of the session's own header in a document of several files; what lies before is
    /// another session's.
    pub own_line: u32,
    /// True while copied records of another session are being read (legacy forks).
    pub copying: bool,
    /// Time of the first record, Unix milliseconds.
    pub begun_ms: Option<i64>,
    /// The newest turn.
    pub turn: String,
    /// Model in force.
    pub model: String,
    /// Provider in force.
    pub provider: String,
    /// Reasoning level in force.
    pub effort: String,
    /// The newest reported context window in tokens.
    pub window: u64,
    /// The entry of the newest turn context.
    pub turn_context: Option<String>,
    /// The entry before the newest turn's first record; `Some(None)` for a turn that begins the
    /// session.
    pub turn_open: Option<Option<String>>,
    /// True once a record said that a turn began (not in the earliest versions).
    pub turns_told: bool,
    /// Since the newest turn began: has the user spoken.
    pub user_spoke: bool,
    /// Does the newest turn say what started it; has any turn (0.16x does for all turns but manual
    /// compactions).
    pub attributed: bool,
    /// See `attributed`.
    pub any_attributed: bool,
    /// For each user turn on the path, the entry before it.
    pub cuts: Vec<Option<String>>,
    /// The newest cumulative usage of the thread.
    pub total: Vec<u64>,
    /// The entry that carries the newest usage.
    pub usage_entry: Option<String>,
    /// Tokens of the newest real usage.
    pub real_tokens: Option<u64>,
    /// Those of the one before it.
    pub earlier_tokens: Option<u64>,
    /// The newest compaction.
    pub compaction: Option<String>,
    /// True until that compaction is followed by a size.
    pub awaits_size: bool,
    /// Calls without a result: id and tool.
    pub calls: Vec<(String, String)>,
    /// Events read before the item they repeat: lines of item and event.
    pub expected: Vec<(u32, u32)>,
    /// Events at the end of what was read whose items had not come, as JSON.
    pub alone: Vec<String>,
    /// Subagents already linked.
    pub agents: BTreeSet<String>,
    /// Ids of items and calls.
    pub items: Seen,
    /// Messages among the last entries that no event has repeated yet.
    pub recent: Vec<Recent>,
}

/// What an event could repeat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Recent {
    /// The role of the message.
    pub role: String,
    /// Bytes of its text.
    pub bytes: u64,
    /// Its first words.
    pub preview: String,
}

/// True when an event with these words may be about a message of this role, size and beginning.
pub(super) fn is_said(
    message: (&str, u64, &str),
    (role, words): (Option<&str>, &str),
    preview: &str,
) -> bool {
    let (own_role, bytes, own_preview) = message;
    match role {
        Some(role) => own_role == role && bytes == words.len() as u64 && own_preview == preview,
        None => {
            own_role == super::item::REASONING
                && !preview.is_empty()
                // An event has one part of the reasoning, the item all of them.
                && own_preview.starts_with(preview)
        }
    }
}

impl Native {
    /// Remembers a user turn that can be rolled back.
    pub fn push_cut(&mut self, before: Option<String>) {
        if self.cuts.len() >= CUTS_KEPT {
            // The oldest goes: turns are rolled back from the newest.
            self.cuts.remove(0);
        }
        self.cuts.push(before);
    }

    /// Remembers the tool of a call.
    pub fn open_call(&mut self, id: &str, tool: &str) {
        if self.calls.len() >= CALLS_KEPT {
            self.calls.remove(0);
        }
        self.calls.push((id.to_owned(), tool.to_owned()));
    }

    /// True for a call without a result.
    pub fn is_open(&self, id: &str) -> bool {
        self.calls.iter().any(|(call, _)| call == id)
    }

    /// The tool of a call, whose result has come.
    pub fn close_call(&mut self, id: &str) -> Option<String> {
        let at = self.calls.iter().rposition(|(call, _)| call == id)?;
        Some(self.calls.remove(at).1)
    }

    /// Model and provider in force.
    pub fn model_ref(&self) -> Option<ModelRef> {
        (!self.model.is_empty()).then(|| ModelRef {
            provider: self.provider.as_str().into(),
            model: self.model.as_str().into(),
        })
    }
}

/// Entries that all compactions of a file may be above, counted for each. Recorded sessions have
/// some hundred thousand.
const MOST_ABOVE: u64 = 10_000_000;

/// Ways into the session read so far; can be made from it at any time.
#[derive(Debug)]
pub(super) struct Index {
    ids: HashMap<Box<str>, EntryIx>,
    calls: HashMap<Box<str>, EntryIx>,
    messages: HashMap<(Role, u64, Box<str>), Vec<EntryIx>>,
    /// Entries that another record repeats.
    repeated: HashSet<EntryIx>,
    /// Limit of all walks up from compactions.
    pub walk: WalkLimit,
}

impl Index {
    /// The ways into `session`.
    pub fn of(session: &Session) -> Index {
        let mut index = Index {
            ids: HashMap::new(),
            calls: HashMap::new(),
            messages: HashMap::new(),
            repeated: HashSet::new(),
            walk: WalkLimit::of(MOST_ABOVE),
        };
        for ix in session.indices() {
            index.add(session, ix);
        }
        let repeated = session.merged.iter().map(|merged| merged.into);
        index.repeated.extend(repeated);
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
        if let Some(key) = key_of(session, ix) {
            self.messages.entry(key).or_default().push(ix);
        }
    }

    /// Notes that a record repeats an entry.
    pub fn repeat(&mut self, ix: EntryIx) {
        self.repeated.insert(ix);
    }

    /// True when a record repeats the entry.
    pub fn is_repeated(&self, ix: EntryIx) -> bool {
        self.repeated.contains(&ix)
    }

    /// The entry with an id.
    pub fn by_id(&self, id: &str) -> Option<EntryIx> {
        self.ids.get(id).copied()
    }

    /// The entry with a call.
    pub fn by_call(&self, id: &str) -> Option<EntryIx> {
        self.calls.get(id).copied()
    }

    /// The entries that say the same as a message of this role, size and beginning, oldest first.
    pub fn alike(&self, role: Role, bytes: u64, preview: &str) -> &[EntryIx] {
        let key = (role, bytes, preview.into());
        self.messages.get(&key).map_or(&[], Vec::as_slice)
    }
}

/// By what an entry is recognised in a copy that has no id.
fn key_of(session: &Session, ix: EntryIx) -> Option<(Role, u64, Box<str>)> {
    let entry = session.entry(ix);
    if !matches!(
        entry.kind,
        EntryKind::Message(_) | EntryKind::CustomMessage { .. }
    ) {
        return None;
    }
    let size = entry.messages.first()?;
    let bytes = size.units.iter().map(|(_, bytes)| bytes).sum();
    Some((size.role, bytes, entry.preview.clone()))
}
