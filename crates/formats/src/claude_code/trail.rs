//! Where a record hangs in the shown tree.
//!
//! The stored parents branch without a fork: the blocks of one reply and the results of its calls
//! name each other crosswise, and progress reports are attached to them. Records are therefore
//! grouped into *turns*: a reply with everything that belongs to it, a prompt with what was
//! attached to it. A record hangs at the newest record of its parent's turn. A turn that two others
//! follow is a fork: a rewind, an edit, an interrupted prompt.

use crate::Reading;
use crate::links::WalkLimit;
use crate::seen::Seen;
use palimpsest_core::joined::is_further_block;
use palimpsest_core::{Entry, EntryId, EntryIx, EntryKind, LinkKind, Role, Session};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};

/// Most ids that are kept of the newest turn from one reading to the next.
const KEPT_IDS: usize = 64;
/// Steps up from summaries in one file: each goes back to the summary before it, and a real file has
/// no more entries than that.
const MOST_SPAN_STEPS: u64 = 2_000_000;
/// Replies of subagents that may go on: more than work at the same time.
pub(super) const KEPT_REPORTS: usize = 32;
/// Calls of subagents without a result that are remembered: some are never answered.
pub(super) const KEPT_REPORTED_CALLS: usize = 64;
/// Tools that start a subagent.
pub(super) const SUBAGENT_TOOLS: [&str; 2] = ["Task", "Agent"];
/// The type of the record that separates what was summarized from what follows.
pub(super) const BOUNDARY: &str = "compact_boundary";

/// The type of the note that the user stopped the model.
pub(super) const INTERRUPT: &str = "interrupt";

/// Where a record hangs.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Above {
    /// Below an entry of this reading.
    Entry(EntryIx),
    /// Below an entry that an earlier reading had.
    Earlier(Box<str>),
    /// Below the newest entry, because the stored parent is missing.
    Guessed(EntryIx, Box<str>),
    /// Below a missing record.
    Missing(Box<str>),
    /// Below nothing.
    Nothing,
}

/// What has to be known of a record to place it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placing<'r> {
    /// False for records that stand beside the conversation.
    pub is_linked: bool,
    /// The stored parent.
    pub parent: Option<&'r str>,
    /// What came before a compaction's boundary.
    pub before_boundary: Option<&'r str>,
    /// True for a compaction's boundary.
    pub is_boundary: bool,
    /// True for what reports on a call and may come late: results and progress.
    pub is_report: bool,
    /// The turn of the reply that the record is a further block of.
    pub reply: Option<u32>,
    /// True for a subagent's record in this file.
    pub sidechain: bool,
    /// Hash of the first prompt of a subagent.
    pub prompt: Option<u64>,
    /// True for the first record of a process that took the conversation up again.
    pub is_restart: bool,
}

/// What is remembered between one reading of a source and the next.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Remembered {
    /// The newest entry of the conversation.
    pub newest: Option<Box<str>>,
    /// The newest entry of its turn, where that is another: one of a subagent.
    #[serde(default)]
    pub end_of_turn: Option<Box<str>>,
    /// Ids of its turn, to which later records may refer.
    pub turn: Vec<Box<str>>,
    /// The newest reply's key and what was counted of its output.
    pub reply: Option<Reply>,
    /// Calls of the newest turn, their tools, and the hashes of the prompts they give subagents.
    pub calls: Vec<(Box<str>, Box<str>, Option<u64>)>,
    /// True when the file is a subagent's.
    pub subagent: bool,
    /// True once a linked record was read.
    pub begun: bool,
    /// True when the line before could not be read.
    pub broken: bool,
    /// How good the title is.
    pub title_rank: u8,
    /// A boundary whose summary has not been read yet.
    pub boundary: Option<Boundary>,
    /// The version that wrote the newest linked record.
    #[serde(default)]
    pub version: Option<Box<str>>,
    /// True when the newest command ended the process.
    #[serde(default)]
    pub exited: bool,
    /// True once a parent was guessed.
    #[serde(default)]
    pub guessed: bool,
    /// Output counted of the newest replies of subagents that the file reports, by message id.
    #[serde(default)]
    pub reports: Vec<(Box<str>, u64)>,
    /// Calls of subagents whose results were not reported yet: id and tool, oldest first.
    #[serde(default)]
    pub reported_calls: Vec<(Box<str>, Box<str>)>,
    /// True from a cut of the tree on until the conversation goes on behind it.
    #[serde(default)]
    pub cut: bool,
    /// Parents that were missing and may still come.
    #[serde(default)]
    pub missing: Vec<Box<str>>,
    /// The replies before the newest one: a further block of one of them would be counted again.
    #[serde(default)]
    pub replies: Seen,
}

/// A reply of the model that may go on.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Reply {
    /// Its message and request id.
    pub key: Box<str>,
    /// Output tokens counted so far.
    pub output: u64,
    /// The newest entry of it.
    pub entry: Box<str>,
    /// True when that entry is in the newest turn.
    #[serde(default)]
    pub in_turn: bool,
}

/// What a boundary says about the summary that follows.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Boundary {
    pub trigger: Option<Box<str>>,
    pub before: Option<u64>,
    pub after: Option<u64>,
    pub duration_ms: Option<u64>,
    pub instructions: Option<Box<str>>,
    pub kept: Vec<Box<str>>,
    pub kept_from: Option<Box<str>>,
    pub kept_to: Option<Box<str>>,
}

/// The newest entry of a turn, and whether another turn follows it.
#[derive(Debug, Clone, Copy, Default)]
struct Turn {
    newest: Option<EntryIx>,
    continued: bool,
    sidechain: bool,
}

/// What was counted of a reply.
#[derive(Debug, Clone, Copy)]
struct Counted {
    output: u64,
    turn: u32,
}

/// A call that started a subagent.
#[derive(Debug, Clone, Copy)]
struct Task {
    at: EntryIx,
    prompt: Option<u64>,
}

/// The state of reading one file.
#[derive(Debug)]
pub(super) struct Trail {
    pub kept: Remembered,
    places: HashMap<EntryId, EntryIx>,
    waiting: HashMap<Box<str>, Vec<EntryIx>>,
    turn_of: Vec<u32>,
    turns: Vec<Turn>,
    newest: Option<EntryIx>,
    moved: HashMap<EntryIx, EntryIx>,
    replies: HashMap<Box<str>, Counted>,
    calls: HashMap<Box<str>, (Option<EntryIx>, Box<str>)>,
    results: HashMap<Box<str>, EntryIx>,
    tasks: Vec<Task>,
    /// Limit of the search for cycles.
    pub walk: WalkLimit,
    /// Limit of the walks up from a summary, and of what they keep.
    pub span: WalkLimit,
    /// Of an entry that a late report named, the newest one that was found below it.
    below: Option<(EntryIx, EntryIx)>,
    /// Limit of the walks for late reports.
    pub late: WalkLimit,
    /// Where the links to subagents are in the session's list.
    pub agents: HashMap<Box<str>, usize>,
    /// Lines of entries whose parent was missing and has been read since.
    pub found_parents: HashSet<u32>,
    pub compaction: Option<EntryIx>,
    /// True when entries of the source are not at hand.
    resumed: bool,
}

impl Trail {
    /// The trail behind what was read so far.
    pub fn behind(reading: &Reading) -> Trail {
        let session = &reading.session;
        // A state of another version counts as none.
        let kept = Remembered::deserialize(&reading.state.native).unwrap_or_default();
        let calls = kept.calls.iter();
        let mut trail = Trail {
            places: HashMap::with_capacity(session.entries.len()),
            waiting: HashMap::new(),
            turn_of: Vec::with_capacity(session.entries.len()),
            // Turn 0 is the one that an earlier reading ended in.
            turns: vec![Turn::default()],
            newest: None,
            moved: HashMap::new(),
            replies: HashMap::new(),
            calls: calls
                .map(|(id, name, _)| (id.clone(), (None, name.clone())))
                .collect(),
            results: HashMap::new(),
            tasks: Vec::new(),
            walk: WalkLimit::default(),
            span: WalkLimit::of(MOST_SPAN_STEPS),
            below: None,
            late: WalkLimit::default(),
            agents: HashMap::new(),
            found_parents: HashSet::new(),
            compaction: None,
            resumed: reading.is_resumed(),
            kept,
        };
        for (at, link) in session.links.iter().enumerate() {
            if link.kind == LinkKind::Subagent {
                trail.agents.insert(link.native_id.as_str().into(), at);
            }
        }
        let mut open: Vec<(Box<str>, Box<str>)> = Vec::new();
        // Recalled entry by entry, because placing asks whether the conversation had begun then.
        let begun = std::mem::take(&mut trail.kept.begun);
        for ix in session.indices() {
            let entry = session.entry(ix);
            trail.recall(ix, entry, &mut open);
            // Records beside the conversation have made-up ids.
            trail.kept.begun |= !entry.id.as_str().starts_with("line:");
        }
        trail.kept.begun = begun;
        if !session.entries.is_empty() {
            // All of it is at hand.
            trail.kept.newest = None;
            trail.kept.end_of_turn = None;
            trail.kept.turn.clear();
            trail.kept.calls.clear();
        }
        if let Some(reply) = trail.kept.reply.clone() {
            let place = trail.places.get(&EntryId(reply.entry));
            let turn = place.map_or(0, |ix| trail.turn_of[ix.get()]);
            let output = reply.output;
            trail.replies.insert(reply.key, Counted { output, turn });
        }
        trail
    }

    /// Takes up an entry of an earlier reading. Which result answers which call is not part of an
    /// entry: the oldest open call of the same tool is taken.
    fn recall(&mut self, ix: EntryIx, entry: &Entry, open: &mut Vec<(Box<str>, Box<str>)>) {
        let above = match (entry.parent, &entry.missing_parent) {
            (Some(parent), None) => Above::Entry(parent),
            (Some(parent), Some(id)) => {
                self.waiting.entry(id.0.clone()).or_default().push(ix);
                Above::Guessed(parent, id.0.clone())
            }
            (None, Some(id)) => {
                self.waiting.entry(id.0.clone()).or_default().push(ix);
                Above::Missing(id.0.clone())
            }
            (None, None) => Above::Nothing,
        };
        self.add(ix, entry, &above);
        for call in &entry.tool_calls {
            let kept = self.kept.calls.iter();
            let prompt = kept.filter(|(id, _, _)| *id == call.call_id);
            let prompt = prompt.filter_map(|(_, _, prompt)| *prompt).next();
            self.call(&call.call_id, &call.name, ix, prompt);
            open.push((call.name.clone(), call.call_id.clone()));
        }
        for size in entry.messages.iter().filter(|size| size.role == Role::Tool) {
            let name = size.tool_name.as_deref().unwrap_or_default();
            if let Some(at) = open.iter().position(|(open, _)| &**open == name) {
                self.results.insert(open.remove(at).1, ix);
            }
        }
        if let EntryKind::Compaction(compaction) = &entry.kind {
            for &kept in &compaction.kept {
                self.moved.insert(kept, ix);
            }
            self.compaction = Some(ix);
        }
    }

    /// The entry called `id`.
    pub fn place(&self, id: &str) -> Option<EntryIx> {
        self.places.get(&EntryId(id.into())).copied()
    }

    /// True for the id of an entry at hand, or of one in the turn that an earlier reading ended in.
    pub fn knows(&self, id: &str) -> bool {
        self.place(id).is_some() || self.kept.turn.iter().any(|other| **other == *id)
    }

    /// True for a report on a call of an earlier reading behind which another turn has begun since:
    /// whether that is below the call is not at hand.
    pub fn is_late(&self, placing: &Placing<'_>) -> bool {
        let is_earlier = |id: &str| self.place(id).is_none();
        placing.is_report
            && !placing.sidechain
            && placing.parent.is_some_and(is_earlier)
            && self
                .newest
                .is_some_and(|newest| self.turn_of[newest.get()] != 0)
    }

    /// Where a record hangs.
    pub fn above(&mut self, session: &Session, placing: &Placing<'_>) -> Above {
        if !placing.is_linked {
            return self.at_newest();
        }
        if placing.is_boundary {
            let before = placing.before_boundary.or(placing.parent);
            let place = before.and_then(|id| self.place(id));
            // The stored link may lead nowhere, or to what follows the boundary.
            return place.map_or_else(|| self.at_newest(), |ix| self.at_turn_of(ix));
        }
        let Some(parent) = placing.parent.filter(|id| !id.is_empty()) else {
            return self.without_parent(placing);
        };
        if let Some(ix) = self.place(parent) {
            // A block belongs to its reply, whichever of the earlier blocks its record names.
            if let Some(reply) = placing.reply {
                return self.at_turn(reply);
            }
            // The result of a slow tool names the block that called it, although results of other
            // calls stand between.
            let late = placing.is_report && !placing.sidechain;
            let newest = self.newest.filter(|_| late);
            if newest.is_some_and(|newest| self.is_below(session, newest, ix)) {
                return self.at_newest();
            }
            return self.at_turn_of(ix);
        }
        if self.knows(parent) {
            return self.at_turn(0);
        }
        // A record whose parent was on a line that cannot be read, or before the first line.
        let follows = self.kept.broken || !self.kept.begun;
        match self.at_newest() {
            Above::Nothing => Above::Missing(parent.into()),
            newest if follows => newest,
            // While the process goes on, it sends all it has, whether or not the record between was
            // written: 28 records in 18 of 279 files (2.0.76 to 2.1.42) name a parent that is
            // missing, and the requests behind them hold the whole conversation.
            Above::Entry(newest) if self.has_all() && !placing.is_restart && !placing.sidechain => {
                Above::Guessed(newest, parent.into())
            }
            _ => Above::Missing(parent.into()),
        }
    }

    fn without_parent(&self, placing: &Placing<'_>) -> Above {
        if placing.sidechain {
            // Several subagents may be started by one reply; only the prompt tells them apart.
            let same = |task: &&Task| task.prompt.is_some() && task.prompt == placing.prompt;
            let task = self.tasks.iter().rev().find(same).or(self.tasks.last());
            return task.map_or_else(|| self.at_newest(), |task| Above::Entry(task.at));
        }
        if !self.kept.begun {
            return self.at_newest();
        }
        // A second conversation in the same file.
        match self.turns[0].newest {
            Some(ix) if self.kept.newest.is_none() => Above::Entry(ix),
            _ => Above::Nothing,
        }
    }

    /// True when the entry at `ix` is at or above `newest`. Parents mostly stand before their
    /// children, so the walk ends early; reports on one slow call walk only what is new. Where a file
    /// made for it takes all steps there are, it is said to be.
    fn is_below(&mut self, session: &Session, newest: EntryIx, ix: EntryIx) -> bool {
        let known = self.below.filter(|(above, _)| *above == ix);
        let mut at = newest;
        while at > ix && known.is_none_or(|(_, below)| at != below) && self.late.step() {
            match session.entry(at).parent {
                Some(parent) if parent < at => at = parent,
                _ => return false,
            }
        }
        let is_below = at >= ix;
        if is_below {
            self.below = Some((ix, newest));
        }
        is_below
    }

    /// True when the source was read from its beginning, so that an unknown id is in no record.
    pub fn has_all(&self) -> bool {
        !self.resumed
    }

    fn at_newest(&self) -> Above {
        match (self.newest, &self.kept.newest) {
            (Some(ix), _) => Above::Entry(ix),
            (None, Some(id)) => Above::Earlier(id.clone()),
            (None, None) => Above::Nothing,
        }
    }

    fn at_turn_of(&self, ix: EntryIx) -> Above {
        let ix = self.moved.get(&ix).copied().unwrap_or(ix);
        self.at_turn(self.turn_of[ix.get()])
    }

    fn at_turn(&self, turn: u32) -> Above {
        let end = self.kept.end_of_turn.as_ref().or(self.kept.newest.as_ref());
        match (self.turns[turn as usize].newest, end) {
            (Some(ix), _) => Above::Entry(ix),
            (None, Some(id)) => Above::Earlier(id.clone()),
            (None, None) => Above::Nothing,
        }
    }

    /// Notes an entry in its place. Returns the entries that waited for it as their parent.
    pub fn add(&mut self, ix: EntryIx, entry: &Entry, above: &Above) -> Vec<EntryIx> {
        let is_new = starts_turn(entry);
        let turn = match above {
            Above::Entry(parent) | Above::Guessed(parent, _) => {
                let below = self.turn_of[parent.get()];
                let turn = &mut self.turns[below as usize];
                // Only the end of a turn grows; a record behind it begins a branch.
                let is_tail = turn.newest == Some(*parent) && !turn.continued;
                if is_tail && !is_new && turn.sidechain == entry.sidechain {
                    Some(below)
                } else {
                    // A subagent's records do not end the turn in which it was started.
                    turn.continued |= turn.sidechain == entry.sidechain;
                    None
                }
            }
            // The turn that an earlier reading ended in is never a subagent's.
            Above::Earlier(_) if !is_new && !entry.sidechain => Some(0),
            // What stands before the conversation.
            Above::Nothing if !self.kept.begun && !is_new => Some(0),
            _ => None,
        };
        let turn = turn.unwrap_or_else(|| {
            self.turns.push(Turn {
                sidechain: entry.sidechain,
                ..Turn::default()
            });
            (self.turns.len() - 1) as u32
        });
        self.turns[turn as usize].newest = Some(ix);
        self.turn_of.push(turn);
        if !entry.sidechain {
            self.newest = Some(ix);
        }
        let id = &entry.id;
        self.places.entry(id.clone()).or_insert(ix);
        self.waiting.remove(&id.0).unwrap_or_default()
    }

    /// Lets an entry wait for its parent to appear later in the file.
    pub fn wait(&mut self, ix: EntryIx, parent: &str) {
        self.waiting.entry(parent.into()).or_default().push(ix);
    }

    /// True when a record leads to a reply of an earlier reading, of which no more is known than that
    /// it was.
    pub fn is_earlier_reply(&self, key: &str) -> bool {
        if !self.resumed {
            return false;
        }
        let newest = self.kept.reply.as_ref().filter(|reply| &*reply.key == key);
        match (self.replies.get(key), newest) {
            // The turn that was taken for its own is the newest one.
            (Some(Counted { turn: 0, .. }), Some(reply)) => !reply.in_turn,
            (Some(_), _) => false,
            (None, _) => self.kept.replies.has(key),
        }
    }

    /// True when a record with this id may be the parent that an earlier one named.
    pub fn is_awaited(&self, id: &str) -> bool {
        let missing = &self.kept.missing;
        self.resumed && (missing.len() >= KEPT_IDS || missing.iter().any(|other| **other == *id))
    }

    /// The turn of the reply called `key` and what was counted of its output.
    pub fn reply(&self, key: &str) -> Option<(u32, u64)> {
        self.replies
            .get(key)
            .map(|counted| (counted.turn, counted.output))
    }

    /// Notes what was counted of a reply whose newest block is the entry at `ix`.
    pub fn count(&mut self, key: Box<str>, output: u64, ix: EntryIx, id: &EntryId) {
        let turn = self.turn_of[ix.get()];
        self.replies.insert(key.clone(), Counted { output, turn });
        let before = self.kept.reply.take().filter(|reply| reply.key != key);
        if let Some(before) = before {
            self.kept.replies.note(&before.key);
        }
        self.kept.reply = Some(Reply {
            key,
            output,
            entry: id.0.clone(),
            in_turn: false,
        });
    }

    /// Notes a call; `prompt` is the hash of a subagent's prompt.
    pub fn call(&mut self, id: &str, name: &str, ix: EntryIx, prompt: Option<u64>) {
        self.calls.insert(id.into(), (Some(ix), name.into()));
        if SUBAGENT_TOOLS.contains(&name) {
            self.tasks.push(Task { at: ix, prompt });
        }
    }

    /// The tool called by `call`, and the entry that calls it.
    pub fn tool(&self, call: &str) -> Option<(Option<EntryIx>, &str)> {
        self.calls.get(call).map(|(ix, name)| (*ix, &**name))
    }

    /// Notes the result of a call.
    pub fn result(&mut self, call: &str, ix: EntryIx) {
        self.results.insert(call.into(), ix);
    }

    /// The results of calls.
    pub fn results_of(&self, calls: &[Box<str>]) -> Vec<EntryIx> {
        let results = calls.iter().filter_map(|call| self.results.get(call));
        results.copied().collect()
    }

    /// Lets what names `kept` as its parent hang behind the entry at `to`.
    pub fn move_below(&mut self, kept: EntryIx, to: EntryIx) {
        self.moved.insert(kept, to);
    }

    /// Where what names the entry at `ix` as its parent really hangs.
    pub fn moved(&self, ix: EntryIx) -> EntryIx {
        self.moved.get(&ix).copied().unwrap_or(ix)
    }

    /// What to remember for the next reading.
    pub fn keep(&mut self, session: &Session) -> serde_json::Value {
        if let Some(newest) = self.newest {
            let turn = self.turn_of[newest.get()];
            let mut ids: Vec<Box<str>> = Vec::new();
            let mut calls = Vec::new();
            // A turn's records are near the end of the file, so the rest is not looked through.
            let from = session.entries.len().saturating_sub(4 * KEPT_IDS);
            for (at, entry) in session.entries.iter().enumerate().skip(from) {
                if self.turn_of[at] == turn {
                    ids.push(entry.id.0.clone());
                    calls.extend(entry.tool_calls.iter().map(|call| {
                        let at = |task: &&Task| task.at.get() == at;
                        let prompt = self.tasks.iter().find(at).and_then(|task| task.prompt);
                        (call.call_id.clone(), call.name.clone(), prompt)
                    }));
                }
            }
            // The turn of the earlier reading goes on, with the ids remembered of it.
            if turn == 0 {
                let mut all = std::mem::take(&mut self.kept.turn);
                all.extend(ids);
                ids = all;
                let mut all = std::mem::take(&mut self.kept.calls);
                all.extend(calls);
                calls = all;
            }
            let surplus = ids.len().saturating_sub(KEPT_IDS);
            let mut kept = self.kept.clone();
            kept.turn = ids.split_off(surplus);
            let surplus = calls.len().saturating_sub(KEPT_IDS);
            kept.calls = calls.split_off(surplus);
            kept.newest = Some(session.entry(newest).id.0.clone());
            let end = self.turns[turn as usize]
                .newest
                .filter(|end| *end != newest);
            kept.end_of_turn = end.map(|end| session.entry(end).id.0.clone());
            if let Some(reply) = &mut kept.reply {
                let place = self.places.get(&EntryId(reply.entry.clone()));
                reply.in_turn = place.map_or(turn == 0 && reply.in_turn, |ix| {
                    self.turn_of[ix.get()] == turn
                });
            }
            if !self.resumed {
                kept.missing.clear();
            }
            let mut missing: Vec<Box<str>> = self.waiting.keys().cloned().collect();
            missing.sort_unstable();
            kept.missing.extend(missing);
            kept.missing.truncate(KEPT_IDS);
            return serde_json::to_value(kept).unwrap_or_default();
        }
        serde_json::to_value(&self.kept).unwrap_or_default()
    }
}

/// True for an entry with which a turn begins. A further block of a reply carries what its usage
/// adds, which is not trusted as a context's size.
pub(super) fn starts_turn(entry: &Entry) -> bool {
    match &entry.kind {
        EntryKind::Message(Role::User) => true,
        EntryKind::Message(Role::Assistant) => !is_further_block(entry),
        EntryKind::Custom { custom_type } => &**custom_type == BOUNDARY,
        // An interrupted prompt is often entered again after this.
        EntryKind::CustomMessage { custom_type, .. } => &**custom_type == INTERRUPT,
        _ => false,
    }
}
