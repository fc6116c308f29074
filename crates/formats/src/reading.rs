//! The state of reading one source, so that appended bytes can be read from where we stopped.

use crate::links::Links;
use palimpsest_core::{Agent, EntryIx, Session, SessionMeta, Warning};
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

/// Where an agent's folders can be, passed in so that nothing here asks the machine.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// The user's home folder.
    pub home: PathBuf,
    /// The environment variables that override places.
    pub env: BTreeMap<String, String>,
}

/// How far a source has been read; kept in the index between runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReadState {
    /// Byte offset of the first unread byte; always the start of a line.
    pub offset: u64,
    /// 0-based physical line at that offset.
    pub line: u32,
    /// Id of the last entry read, for formats whose records follow each other by position.
    pub last_entry_id: Option<String>,
    /// Number of records parsed so far, the header included (pi's version 1 counts them).
    pub records: u32,
    /// True once a header was read.
    pub has_header: bool,
    /// True when the last record read had no line end after it: what follows in the source
    /// belongs to the same line.
    #[serde(default)]
    pub open_line: bool,
    /// What the format itself has to remember between one reading and the next.
    #[serde(default)]
    pub native: serde_json::Value,
}

/// A state and header from which reading is taken up again without the earlier entries.
#[derive(Debug, Clone)]
pub struct Resume {
    /// How far the source had been read.
    pub state: ReadState,
    /// What was known about the session then.
    pub meta: SessionMeta,
}

/// A source being read: the session so far, and where to go on.
///
/// After [`Reading::resume`] the session holds only what was read since: parents that lie before
/// are reported as `missing_parent` and are the index's to resolve.
#[derive(Debug, Clone)]
pub struct Reading {
    /// The session so far.
    pub session: Session,
    /// How far the source has been read.
    pub state: ReadState,
    /// A last line that is not yet a record.
    pub partial_line: Option<Warning>,
    /// True when a record of a resumed reading leads to something before the place where reading
    /// was taken up, of which too little was remembered: only reading the whole source tells what
    /// it means.
    pub needs_whole: bool,
    /// Entries that a later record says were taken back, in the order in which that was read. Those that
    /// were read before it are other entries now.
    pub taken_back: Vec<EntryIx>,
    /// Lines of entries that are known to be taken back by a record further on.
    foretold: HashSet<u32>,
    /// True when what was read before is not among the entries.
    resumed: bool,
    pub(crate) links: Links,
    #[allow(
        dead_code,
        reason = "pi needs only the links; readers of other agents keep more"
    )]
    pub(crate) scratch: Scratch,
}

/// What a format remembers between the chunks of one reading; a copy of a reading begins without
/// it, so it must be derivable from the session read so far.
#[derive(Default)]
pub(crate) struct Scratch(Option<Box<dyn Any + Send + Sync>>);

#[allow(dead_code, reason = "as the field")]
impl Scratch {
    /// The state of type `T`, made by `begin` when there is none.
    pub(crate) fn take_or<T: Any + Send + Sync>(&mut self, begin: impl FnOnce() -> T) -> Box<T> {
        self.0
            .take()
            .and_then(|any| any.downcast().ok())
            .unwrap_or_else(|| Box::new(begin()))
    }

    /// Keeps the state for the next chunk.
    pub(crate) fn put<T: Any + Send + Sync>(&mut self, state: Box<T>) {
        self.0 = Some(state);
    }
}

impl Clone for Scratch {
    fn clone(&self) -> Scratch {
        Scratch(None)
    }
}

impl std::fmt::Debug for Scratch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Scratch")
    }
}

/// What a reading knows beside the session it has read; with both, reading goes on when the source
/// grows.
#[derive(Debug, Clone)]
pub struct Known {
    state: ReadState,
    links: Links,
}

impl Reading {
    /// Goes on with a whole session, where the reading of it stopped.
    pub fn go_on(session: Session, known: &Known) -> Reading {
        Reading {
            session,
            state: known.state.clone(),
            partial_line: None,
            needs_whole: false,
            taken_back: Vec::new(),
            foretold: HashSet::new(),
            resumed: false,
            links: known.links.clone(),
            scratch: Scratch::default(),
        }
    }

    /// True when what was read before is not among the entries.
    pub(crate) fn is_resumed(&self) -> bool {
        self.resumed
    }

    /// Says that a record leads to what was read before, by more than what is remembered of it.
    pub(crate) fn leads_back(&mut self) {
        self.needs_whole |= self.resumed;
    }

    /// Tells which lines hold what a record further on takes back, as an earlier reading found.
    pub fn foretell(&mut self, lines: HashSet<u32>) {
        self.foretold = lines;
    }

    /// True for a line with what a record further on takes back.
    pub(crate) fn is_foretold(&self, line: u32) -> bool {
        self.foretold.contains(&line)
    }

    /// Marks what was said from the entry after `before` up to `newest` as taken back. What stands
    /// before this reading cannot be marked in it.
    pub(crate) fn take_back(&mut self, newest: Option<EntryIx>, before: Option<EntryIx>) {
        let mut next = newest;
        let mut leads_back = false;
        while let Some(ix) = next.filter(|_| next != before) {
            let entry = &mut self.session.entries[ix.get()];
            // Records about the run say nothing that the model had.
            if !entry.messages.is_empty() {
                entry.undone = true;
                self.taken_back.push(ix);
            }
            leads_back |= entry.parent.is_none() && entry.missing_parent.is_some();
            // Parents stand before their children; anything else is damage.
            next = entry.parent.filter(|parent| *parent < ix);
        }
        if leads_back {
            self.leads_back();
        }
    }

    /// The session that was read, a last line that is not yet a record, and what is known beside
    /// them.
    pub fn into_parts(mut self) -> (Session, Option<Warning>, Known) {
        // A later record may have added to the usage of an earlier one.
        for entry in &mut self.session.entries {
            entry.bound();
        }
        let known = Known {
            state: self.state,
            links: self.links,
        };
        (self.session, self.partial_line, known)
    }

    /// Starts at the beginning of a source.
    pub fn new(agent: Agent, path: &str) -> Reading {
        let meta = SessionMeta {
            agent,
            native_id: String::new(),
            path: path.to_owned(),
            format_version: None,
            cwd: None,
            title: None,
            parent_session: None,
            parent_kind: None,
            agent_version: None,
            branches: Vec::new(),
            created_at_ms: None,
            updated_at_ms: None,
        };
        let state = ReadState {
            offset: 0,
            line: 0,
            last_entry_id: None,
            records: 0,
            has_header: false,
            open_line: false,
            native: serde_json::Value::Null,
        };
        Reading::resume(Resume { state, meta })
    }

    /// Goes on where an earlier reading stopped.
    pub fn resume(from: Resume) -> Reading {
        let session = Session {
            meta: from.meta,
            entries: Vec::new(),
            active_leaf: None,
            warnings: Vec::new(),
            merged: Vec::new(),
            links: Vec::new(),
            restarts: Vec::new(),
            file_states: Vec::new(),
            repeated: Default::default(),
            answer_places: Vec::new(),
            parts: Vec::new(),
            headers: Vec::new(),
        };
        let links = Links::starting_at(from.state.records);
        let resumed = from.state.offset > 0;
        Reading {
            session,
            state: from.state,
            partial_line: None,
            needs_whole: false,
            taken_back: Vec::new(),
            foretold: HashSet::new(),
            resumed,
            links,
            scratch: Scratch::default(),
        }
    }
}

/// A share of tokens in percent, rounded down. Divided first, so that a damaged file with a huge
/// window does not overflow.
pub(crate) fn percent_of(tokens: u64, percent: u64) -> u64 {
    tokens / 100 * percent + tokens % 100 * percent / 100
}

/// The auto-compaction threshold of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct BudgetPolicy {
    /// The model's context window in tokens.
    pub window: u64,
    /// Compaction starts when the context is larger than this, in tokens.
    pub threshold: u64,
    /// Tokens kept free for the reply.
    pub reserve: u64,
    /// Tokens of recent conversation kept verbatim.
    pub keep_recent: u64,
    /// Number of the session's own automatic compactions that `threshold` was learned from; 0 where
    /// it is the rule of the agent's version.
    #[serde(default)]
    pub learned_from: u32,
}

/// Something that an agent sends again after a compaction although no record holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenAgain {
    /// What it is, such as the path of a file.
    pub name: Box<str>,
    /// Its likely size in tokens.
    pub tokens: u64,
}

/// The first report of a session and what is known beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirstReport {
    /// Size of the request in tokens.
    pub request: u64,
    /// Estimates of the messages in it, in tokens.
    pub sent: u64,
    /// The smallest part of a request on the path that was read from the provider's cache.
    pub least_cached: Option<u64>,
}
