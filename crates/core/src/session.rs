//! A session: its header, its entries in file order, and what was wrong with the file.

use crate::entry::Entry;
use crate::failure::{Failure, Input, NextStep};
use crate::ids::{Agent, EntryId, EntryIx};
use serde::{Deserialize, Serialize};
use std::collections::hash_map::Entry as Slot;
use std::collections::{BTreeSet, HashMap};

/// One conversation as an agent stored it, without its text.
#[derive(Debug, Clone)]
pub struct Session {
    /// What the header and the records say about the session as a whole.
    pub meta: SessionMeta,
    /// Every record, in file order.
    pub entries: Vec<Entry>,
    /// The entry from which the agent would resume.
    pub active_leaf: Option<EntryIx>,
    /// What could not be read, and why.
    pub warnings: Vec<Warning>,
    /// 0-based lines of records about the session as a whole, which are no entries.
    pub headers: Vec<u32>,
    /// Records that say again what an entry says, and so are none themselves.
    pub merged: Vec<Merged>,
    /// Other sessions this one belongs with, as far as its own records tell.
    pub links: Vec<SessionLink>,
    /// Entries with which a process of the agent took the conversation up again from its file, in
    /// file order. It read what the stored parents lead to, so a guessed parent above such an entry
    /// was not in its context.
    pub restarts: Vec<EntryIx>,
    /// The files that the agent read or wrote, as its records tell their sizes, in file order.
    /// Some agents send the newest of them again after a compaction.
    pub file_states: Vec<FileState>,
    /// Where results are sent that the file holds in the order in which their tools finished, in
    /// file order; none where a reply called one tool.
    pub answer_places: Vec<AnswerPlace>,
    /// The files the records come from, in order, where they are not all from one; offsets and
    /// lines of [`crate::SourceSpan`] run on from part to part.
    pub parts: Vec<SourcePart>,
    /// Entries whose id others have as well; see [`Session::find_repeated`].
    pub repeated: BTreeSet<EntryIx>,
}

/// A file as an agent saw it at an entry: after it read a part of it or changed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileState {
    /// The entry, a tool result.
    pub at: EntryIx,
    /// The file, as the agent spells it.
    pub path: Box<str>,
    /// Length of the text seen, in UTF-16 units.
    pub units: u32,
    /// Length of the text seen as a JSON string, in UTF-16 units.
    pub json_units: u32,
    /// Lines of the text seen.
    pub lines: u32,
    /// Lines of the whole file; `lines` where the whole of it was seen.
    pub of_lines: u32,
}

/// Where among the results of a reply one of them is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnswerPlace {
    /// The entry, a tool result.
    pub at: EntryIx,
    /// The place of its call among the calls of the reply, from 0.
    pub place: u32,
}

/// A record that says again what an entry says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// 0-based physical line.
    pub line: u32,
    /// The entry that has its content.
    pub into: EntryIx,
}

/// Where in a session read from several files one of them begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourcePart {
    /// The file.
    pub path: String,
    /// Offset of its first byte in the whole.
    pub offset: u64,
    /// Number of lines before it in the whole.
    pub line: u32,
}

/// Another session that this one belongs with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionLink {
    /// What the other session is to this one.
    pub kind: LinkKind,
    /// The other session's id as its agent wrote it; empty when only the path is known.
    pub native_id: String,
    /// The other session's file, where it is known.
    pub path: Option<String>,
    /// The entry of this session at which the other one hangs, such as the tool call that started
    /// a subagent.
    pub at: Option<EntryIx>,
    /// A few words about it, such as the kind of subagent.
    pub label: Option<Box<str>>,
}

/// What another session is to this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export_to = "wire.ts"))]
#[serde(rename_all = "snake_case")]
pub enum LinkKind {
    /// The session this one was forked from.
    ForkedFrom,
    /// The session whose agent started this one as a subagent.
    SubagentOf,
    /// A subagent started here.
    Subagent,
    /// The session this one continues.
    Continues,
    /// A session whose records this one begins with copies of, or the reverse: a fork of which
    /// no record tells (Claude Code's `--fork-session`).
    SharesBeginning,
    /// Another file of the same session: a copy, an export, a backup.
    SameSession,
}

impl LinkKind {
    /// The name on the wire and in the index.
    pub fn name(self) -> &'static str {
        match self {
            LinkKind::ForkedFrom => "forked_from",
            LinkKind::SubagentOf => "subagent_of",
            LinkKind::Subagent => "subagent",
            LinkKind::Continues => "continues",
            LinkKind::SharesBeginning => "shares_beginning",
            LinkKind::SameSession => "same_session",
        }
    }

    /// The kind called `name`.
    pub fn from_name(name: &str) -> Option<LinkKind> {
        [
            LinkKind::ForkedFrom,
            LinkKind::SubagentOf,
            LinkKind::Subagent,
            LinkKind::Continues,
            LinkKind::SharesBeginning,
            LinkKind::SameSession,
        ]
        .into_iter()
        .find(|kind| kind.name() == name)
    }
}

/// What is known about a session as a whole.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq)]
pub struct SessionMeta {
    /// The agent that wrote it.
    pub agent: Agent,
    /// The session id as the agent wrote it.
    pub native_id: String,
    /// The source file; empty for sessions read from memory.
    pub path: String,
    /// The version of the format the file declares (pi: 1 when it declares none).
    pub format_version: Option<u32>,
    /// The directory the agent worked in.
    pub cwd: Option<String>,
    /// The name given to the session, else the first words of its first user message.
    pub title: Option<String>,
    /// The session this one was forked from, as stored (pi: a path).
    pub parent_session: Option<String>,
    /// What `parent_session` is to this one; forked from, where nothing else is said.
    #[serde(default)]
    pub parent_kind: Option<LinkKind>,
    /// The newest version of the agent that wrote to it, as stored.
    #[serde(default)]
    pub agent_version: Option<String>,
    /// The branches of the project's repository it was on, in order, as stored.
    #[serde(default)]
    pub branches: Vec<String>,
    /// When the header was written, Unix milliseconds.
    pub created_at_ms: Option<i64>,
    /// The newest time on any entry, Unix milliseconds.
    pub updated_at_ms: Option<i64>,
}

impl SessionMeta {
    /// Notes that it was on a branch. `HEAD` is none, and more than 32 nobody looks for.
    pub fn on_branch(&mut self, branch: &str) {
        const MOST: usize = 32;
        let is_new = self.branches.last().is_none_or(|last| last != branch);
        if is_new
            && !matches!(branch, "" | "HEAD")
            && self.branches.len() < MOST
            && !self.branches.iter().any(|known| known == branch)
        {
            self.branches.push(branch.to_owned());
        }
    }

    /// Palimpsest's id of the session: 16 hex digits over agent, native id and path, so that
    /// copies and forks stay apart. The same source has the same id on every run.
    pub fn stable_id(&self) -> String {
        // FNV-1a, 64 bit (fixed by its authors, unlike the standard library's hasher), with the
        // finalizer of splitmix64 so that near-equal paths differ in their first digits.
        let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
        for part in [self.agent.name(), &self.native_id, &self.path] {
            for byte in part.bytes().chain([0]) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
        hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        format!("{:016x}", hash ^ (hash >> 31))
    }
}

/// A part of a source that could not be read as an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// 0-based physical line, where the source has lines.
    pub line: Option<u32>,
    /// What is wrong, in words, with what became of the record.
    pub reason: String,
}

impl Session {
    /// The entry at `ix`.
    ///
    /// # Panics
    /// When `ix` was taken from another session; positions never leave the session they index.
    pub fn entry(&self, ix: EntryIx) -> &Entry {
        &self.entries[ix.get()]
    }

    /// All positions, in file order.
    pub fn indices(&self) -> impl DoubleEndedIterator<Item = EntryIx> + use<> {
        (0..self.entries.len()).map(EntryIx::new)
    }

    /// How many of the entries at the end begin on this line. Lines never decrease along the entries
    /// of a line-based file, so that a line with 100,000 records costs no search per record.
    pub fn entries_on(&self, line: u32) -> usize {
        let before = self
            .entries
            .partition_point(|entry| entry.source.line < line);
        self.entries.len() - before
    }

    /// The name of an entry, as [`Session::resolve`] reads it: its id, or `line:N` where others have
    /// the same id.
    pub fn name_of(&self, ix: EntryIx) -> String {
        let entry = self.entry(ix);
        if self.repeated.contains(&ix) {
            format!("line:{}", entry.source.line)
        } else {
            entry.id.to_string()
        }
    }

    /// Finds the entries whose id others have as well, for [`Session::name_of`]. To be called when
    /// entries were added.
    pub fn find_repeated(&mut self) {
        let mut first: HashMap<&str, EntryIx> = HashMap::with_capacity(self.entries.len());
        let mut repeated = BTreeSet::new();
        for (at, entry) in self.entries.iter().enumerate() {
            let ix = EntryIx::new(at);
            match first.entry(entry.id.as_str()) {
                Slot::Occupied(other) => {
                    repeated.insert(*other.get());
                    repeated.insert(ix);
                }
                Slot::Vacant(free) => {
                    free.insert(ix);
                }
            }
        }
        self.repeated = repeated;
    }

    /// The *first* entry of each id; agents that repeat ids are handled by their readers.
    pub fn by_id(&self) -> HashMap<&str, EntryIx> {
        let mut map = HashMap::with_capacity(self.entries.len());
        for ix in self.indices() {
            map.entry(self.entry(ix).id.as_str()).or_insert(ix);
        }
        map
    }

    /// Finds an entry the way users name one: `leaf`, `line:N`, an id, or a unique id prefix.
    pub fn resolve(&self, name: &str) -> Result<EntryIx, ResolveError> {
        // Before ids and prefixes: a word of the command line must not depend on the ids of a
        // session.
        if name == "leaf" {
            return self.active_leaf.ok_or(ResolveError::NoLeaf);
        }
        let by_line = |text: &str| text.parse::<u32>().ok();
        if let Some(line) = name.strip_prefix("line:").and_then(by_line) {
            let found = self
                .indices()
                .find(|&ix| self.entry(ix).source.line == line);
            return found.ok_or(ResolveError::NoEntryAtLine(line));
        }
        // An id wins over ids that it is a prefix of.
        let mut equal = self
            .indices()
            .filter(|&ix| self.entry(ix).id.as_str() == name);
        if let Some(ix) = equal.next() {
            if !self.repeated.contains(&ix) {
                return Ok(ix);
            }
            let lines = std::iter::once(ix).chain(equal);
            return Err(ResolveError::Repeated {
                name: name.to_owned(),
                lines: lines.map(|ix| self.entry(ix).source.line).collect(),
            });
        }
        let mut matches = self
            .indices()
            .filter(|&ix| self.entry(ix).id.as_str().starts_with(name));
        // Two are enough to know that the prefix fits several.
        match (matches.next(), matches.next()) {
            (Some(ix), None) if !name.is_empty() => Ok(ix),
            (Some(a), Some(b)) if !name.is_empty() => Err(ResolveError::Ambiguous {
                name: name.to_owned(),
                first: self.entry(a).id.clone(),
                second: self.entry(b).id.clone(),
            }),
            _ => Err(ResolveError::Unknown(name.to_owned())),
        }
    }
}

/// A 0-based line as people count lines.
fn as_told(line: &u32) -> u64 {
    u64::from(*line) + 1
}

/// Why a name does not lead to one entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// The session has no entries.
    #[error("the session has no entries, so it has no leaf")]
    NoLeaf,
    /// No entry begins on that line.
    #[error(
        "there is no entry line:{line} (`line:` counts from 0, so that this is line {told} of the file, and \
         the header of a file is no entry)",
        line = .0,
        told = as_told(.0)
    )]
    NoEntryAtLine(u32),
    /// Several entries have the id.
    #[error(
        "the id '{name}' is that of several entries: {}",
        lines.iter().map(|line| format!("line:{line}")).collect::<Vec<_>>().join(", ")
    )]
    Repeated {
        /// What was asked for.
        name: String,
        /// The 0-based physical lines of the entries.
        lines: Vec<u32>,
    },
    /// The prefix fits several entries.
    #[error("several entries have an id that begins with '{name}', such as {first} and {second}")]
    Ambiguous {
        /// What was asked for.
        name: String,
        /// One entry it fits.
        first: EntryId,
        /// Another.
        second: EntryId,
    },
    /// Nothing fits.
    #[error("there is no entry '{0}'")]
    Unknown(String),
}

impl Failure for ResolveError {
    fn next(&self) -> Option<NextStep> {
        match self {
            ResolveError::NoLeaf => None,
            ResolveError::Ambiguous { .. } => Some(NextStep::GiveLongerId),
            ResolveError::Repeated { .. } => Some(NextStep::GiveLine),
            ResolveError::NoEntryAtLine(_) | ResolveError::Unknown(_) => {
                Some(NextStep::Give { what: Input::Entry })
            }
        }
    }
}
