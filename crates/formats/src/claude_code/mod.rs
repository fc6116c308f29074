//! Claude Code's session files (1.x to 2.1), and what it sends from any entry of one.
//!
//! One JSON record per line. Records of the conversation name their parents; beside them stand
//! records that do not (titles, checkpoints, queues), which hang where the file has them. A reply
//! of the model is one record per block. What looks like branching is mostly one turn: see
//! `trail` for how the shown tree is made.
//!
//! Rules marked 2.1.63 were read in the JavaScript of that version's npm package, those marked
//! 2.1.329 in requests recorded from it.

mod about;
mod attachment;
mod body;
mod categories;
mod context;
mod coverage;
mod entry;
mod estimate;
mod given_again;
mod lines;
mod places;
mod process;
mod prompt;
mod queue;
mod reader;
mod record;
mod size;
mod sniff;
mod spent;
mod threshold;
mod trail;

use crate::{
    BudgetPolicy, Coverage, FirstReport, GivenAgain, Places, Queueing, Reading, SessionFormat,
};
use palimpsest_core::{
    Agent, Bodies, Body, BodyError, Context, ContextItem, Entry, EntryIx, Message, Session,
    SessionMeta, Tree,
};
use std::path::{Path, PathBuf};

pub use threshold::{MARGIN_TOKENS, REPLY_TOKENS};

/// Claude Code's name.
pub const AGENT: Agent = Agent::named("claude-code");

/// The reader of Claude Code's session files.
#[derive(Debug, Clone, Copy, Default)]
pub struct ClaudeCode;

impl SessionFormat for ClaudeCode {
    fn agent(&self) -> Agent {
        AGENT
    }

    fn coverage(&self) -> &'static Coverage {
        &coverage::COVERAGE
    }

    fn default_roots(&self, places: &Places) -> Vec<PathBuf> {
        places::default_roots(places)
    }

    fn is_candidate(&self, path: &Path) -> bool {
        places::is_candidate(path)
    }

    fn sniff(&self, _path: &Path, head: &[u8]) -> bool {
        sniff::sniff(head)
    }

    fn is_one_file(&self) -> bool {
        true
    }

    fn goes_on(&self) -> bool {
        true
    }

    fn take(&self, reading: &mut Reading, chunk: &[u8], at_end: bool) -> usize {
        lines::read(reading, chunk, at_end)
    }

    fn body(&self, _meta: &SessionMeta, entry: &Entry, raw: &[u8]) -> Body {
        body::body(entry, raw)
    }

    fn context(&self, session: &Session, tree: &Tree, at: Option<EntryIx>) -> Context {
        context::context(session, tree, at)
    }

    /// Models of generation 4 have 200,000 tokens unless `[1m]` stands behind their name, whatever
    /// they could take (seen: an automatic compaction of opus-4-6 at 171,656).
    fn window(&self, session: &Session, tree: &Tree, at: Option<EntryIx>) -> Option<u64> {
        // The model in force is that of the newest reply above, not the newest in the file.
        let mut next = at;
        let model = loop {
            let ix = next?;
            match &session.entry(ix).model {
                Some(named) => break named.model.as_ref(),
                None => next = tree.parent(ix),
            }
        };
        if model.ends_with("[1m]") {
            return Some(1_000_000);
        }
        let generation_4 = ["claude-opus-4", "claude-sonnet-4", "claude-haiku-4"];
        let is_4 = generation_4.iter().any(|name| model.starts_with(name));
        is_4.then_some(200_000)
    }

    fn item_message(
        &self,
        _session: &Session,
        item: &ContextItem,
        bodies: &dyn Bodies,
    ) -> Result<Message, BodyError> {
        context::item_message(item, bodies)
    }

    fn given_again(&self, session: &Session, path: &[EntryIx]) -> Vec<GivenAgain> {
        given_again::given_again(session, path)
    }

    fn passed_on(&self, session: &Session, path: &[EntryIx]) -> Vec<EntryIx> {
        queue::passed_on(session, path)
    }

    fn passed_on_prompt(&self, raw: &[u8]) -> Option<String> {
        queue::prompt(raw)
    }

    fn queueing(&self, entry: &Entry) -> Option<Queueing> {
        queue::queueing(entry)
    }

    fn beside_messages(&self, first: &FirstReport) -> u64 {
        given_again::beside_messages(first)
    }

    fn policy(&self, window: u64) -> BudgetPolicy {
        threshold::newest(window)
    }

    fn policy_at(
        &self,
        session: &Session,
        tree: &Tree,
        at: Option<EntryIx>,
        window: u64,
    ) -> BudgetPolicy {
        threshold::at(session, tree, at, window)
    }
}
