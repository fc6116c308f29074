//! What a search gives.

use super::kin::SessionName;
use super::marked::MarkHits;
use super::named::Named;
use super::taken::Wider;
use crate::view::calls::AnsweredCall;
use palimpsest_core::{Agent, RecordKind, Role};
use palimpsest_formats::QueueFate;
use palimpsest_store::index::{GroupCount, SessionNum, SessionNumber, SessionRow};
use std::collections::HashMap;
use std::ops::Range;

/// A page of hits, newest first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HitPage {
    /// The hits.
    pub hits: Vec<EntryHit>,
    /// The notes and labels with the words; on the first page only.
    pub marks: MarkHits,
    /// What has the id that the query consists of, besides entries; on the first page only.
    pub named: Vec<Named>,
    /// What was compared and what was sent for it, where hits are by meaning.
    pub note: Option<String>,
    /// True when there are more.
    pub more: bool,
    /// How many there are in all; `None` for phrases, which are looked up page by page, and for words
    /// in too many entries to be counted.
    pub total: Option<u64>,
    /// True when the query asks for nothing that entries, notes or labels have.
    pub nothing_asked: bool,
    /// True when it consists of filters that choose sessions, so that no entry was searched.
    pub only_filters: bool,
    /// What of the query has another effect than it says, in words.
    pub ignored: Vec<String>,
    /// Filters with a value that makes no sense, in words; then there are no hits.
    pub not_understood: Vec<String>,
    /// How many hits at the beginning have the words next to each other, in the order of the query.
    pub together: u64,
    /// What to change in a search that finds nothing; of one that finds little the words to leave out.
    pub wider: Wider,
    /// True where all hits are plans.
    pub plans: bool,
    /// True where all hits read a file again that was used before a compaction.
    pub rereads: bool,
    /// How long it took, in milliseconds.
    pub elapsed_ms: u64,
}

/// An entry that fits.
#[derive(Debug, Clone, PartialEq)]
pub struct EntryHit {
    /// The session's stable id.
    pub session_id: String,
    /// Its title; empty when it has none.
    pub title: String,
    /// Its project.
    pub project: String,
    /// The agent that wrote it.
    pub agent: Agent,
    /// Its file.
    pub path: String,
    /// The entry's id.
    pub entry_id: String,
    /// Position of the entry in the session.
    pub ix: u32,
    /// 0-based physical line.
    pub line: u32,
    /// What the record is.
    pub kind: RecordKind,
    /// The role, where the entry has one message.
    pub role: Option<Role>,
    /// When it was written, Unix milliseconds.
    pub at_ms: Option<i64>,
    /// The tools it calls or holds results of.
    pub tools: Vec<String>,
    /// The agent's own name for a record that is of no common kind.
    pub own_name: Option<String>,
    /// True for a failed tool or message.
    pub is_error: bool,
    /// True for a reply that the user stopped.
    pub is_aborted: bool,
    /// True for the result of a call that the user refused.
    pub rejected: bool,
    /// True for what a subagent said or did inside the session.
    pub in_subagent: bool,
    /// The subagent that wrote it: its names and what it was started for.
    pub subagent: Option<String>,
    /// True for a reply that has nothing but what the model thought.
    pub is_thinking: bool,
    /// True where it comes before newer hits: it has the words of the query next to each other, or
    /// started a subagent whose entries are asked for.
    pub is_first: bool,
    /// The models before and behind it, where the model changes.
    pub change: Option<String>,
    /// The call that a failed or rejected result answers.
    pub call: Option<AnsweredCall>,
    /// What became of a queued prompt.
    pub queued: Option<QueuedHit>,
    /// What the user answered to a plan, where the search is for plans.
    pub plan: Option<PlanAnswer>,
    /// The other files that hold the same session and entry, by the stable ids of their sessions.
    pub also_in: Vec<String>,
    /// The id of the session as lists show it.
    pub shown_id: String,
    /// The compaction before it, where the search is for files that are read again.
    pub after_compaction: Option<CompactionAt>,
    /// The text around the first match, on one line; empty when the source cannot be read.
    pub snippet: String,
    /// The matches in the snippet, in bytes.
    pub ranges: Vec<Range<usize>>,
    /// The same in UTF-16 code units, which JavaScript counts.
    pub ranges_utf16: Vec<Range<usize>>,
    /// The beginning of the prompt before it, where that was asked for.
    pub prompt: Option<String>,
    /// Size in tokens by the agent's own estimate, where hits are ordered by it.
    pub tokens: Option<u64>,
    /// How well it answers the query, where hits are ranked; larger is better.
    pub relevance: f64,
}

/// What became of a queued prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueuedHit {
    /// What became of it.
    pub fate: QueueFate,
    /// The entry that it was sent as, where there is one.
    pub entry_id: Option<String>,
}

/// What the user answered to a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanAnswer {
    /// The agent may go on.
    Approved,
    /// It may not.
    Rejected,
}

/// A compaction of the session of a hit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompactionAt {
    /// Its entry.
    pub entry_id: String,
    /// When it was written, Unix milliseconds.
    pub at_ms: Option<i64>,
}

/// A page of sessions.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SessionPage {
    /// How many there are on all pages.
    pub total: u64,
    /// The sessions of this page.
    pub sessions: Vec<SessionRow>,
    /// How all of them spread over projects and agents, newest first.
    pub groups: Vec<GroupCount>,
    /// How many sessions of subagents fit and were left out.
    pub hidden: u64,
    /// The first prompt of forks that the session they were made from does not have.
    pub differs: HashMap<SessionNum, String>,
    /// Another file of the same session, by its id.
    pub copies: HashMap<SessionNum, String>,
    /// The ids of the sessions as lists show them.
    pub shown: HashMap<SessionNum, String>,
    /// The sessions that their records name as parents, where these are in the index.
    pub parents: HashMap<SessionNum, SessionName>,
    /// The sessions that continue them.
    pub continued: HashMap<SessionNum, SessionName>,
    /// Of sessions that go on in another file, and of those, the first prompt that only the earlier one
    /// has: it was taken back.
    pub taken_back: HashMap<SessionNum, String>,
    /// How many entries have the words, where sessions are ordered by relevance.
    pub hits: HashMap<SessionNum, u64>,
    /// The numbers that the query asks for.
    pub numbers: Vec<SessionNumber>,
    /// What of the query has another effect than it says, in words.
    pub ignored: Vec<String>,
    /// Filters with a value that makes no sense, in words; then no session is listed.
    pub not_understood: Vec<String>,
    /// What to change in a search that lists nothing.
    pub wider: Wider,
}

impl HitPage {
    /// True when nothing was found: no entry, no mark, nothing by its id.
    pub(super) fn is_empty(&self) -> bool {
        self.hits.is_empty() && self.marks.total == 0 && self.named.is_empty()
    }

    /// Puts the hits of a session together, in the order of its entries; sessions stay in the
    /// order of their first hit.
    pub fn group(&mut self) {
        let mut order: HashMap<String, usize> = HashMap::new();
        for hit in &self.hits {
            let next = order.len();
            order.entry(hit.session_id.clone()).or_insert(next);
        }
        self.hits
            .sort_by_key(|hit| (order.get(&hit.session_id).copied(), hit.ix));
    }
}
