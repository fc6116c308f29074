//! The sessions of GitHub's Copilot CLI (1.0.102), and what it sends from any entry.
//!
//! A session is a folder with a file of events, one JSON record per line, `{type, data, id,
//! timestamp, parentId, agentId?}`. The parent is the line before, so the file is one chain; the
//! records of subagents lie among the others and name their agent. The conversation of each is a
//! chain of its own here, a subagent's beginning at the call that started it. Usage stands before
//! the reply it is for and is that reply's.

mod body;
mod calls;
mod compaction;
mod context;
mod coverage;
mod kinds;
mod message;
mod places;
mod reader;
mod said;
mod state;
mod take;
mod window;
mod workspace;
mod yaml;

use crate::reading::percent_of;
use crate::{BudgetPolicy, Coverage, Places, Reading, SessionFormat};
use palimpsest_core::{
    Agent, Bodies, Body, BodyError, Context, ContextItem, Entry, EntryIx, Message, Session,
    SessionMeta, Tree,
};
use std::path::{Path, PathBuf};

/// The agent's name.
pub const AGENT: Agent = Agent::named("copilot");
/// Share of the prompt's window, in percent, at which Copilot begins to compact in the background
/// (`backgroundCompactionThreshold`, SDK 1.0.14).
pub const THRESHOLD_PERCENT: u64 = 80;
/// Share at which it waits until that has ended (`bufferExhaustionThreshold`, SDK 1.0.14).
pub const CEILING_PERCENT: u64 = 95;

/// The reader of Copilot CLI's events.
#[derive(Debug, Clone, Copy, Default)]
pub struct Copilot;

impl SessionFormat for Copilot {
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
        reader::sniff(head)
    }

    fn is_internal(&self, folder: &Path) -> bool {
        places::is_internal(folder)
    }

    fn beside(&self, session: &Path) -> Vec<PathBuf> {
        workspace::file_of(session).into_iter().collect()
    }

    fn session_beside(&self, file: &Path) -> Option<PathBuf> {
        workspace::events_of(file)
    }

    fn take_beside(&self, reading: &mut Reading, _file: &Path, bytes: Option<&[u8]>) {
        reader::take_beside(reading, bytes);
    }

    fn is_one_file(&self) -> bool {
        true
    }

    fn goes_on(&self) -> bool {
        true
    }

    fn take(&self, reading: &mut Reading, chunk: &[u8], at_end: bool) -> usize {
        reader::read(reading, chunk, at_end)
    }

    fn body(&self, _meta: &SessionMeta, entry: &Entry, raw: &[u8]) -> Body {
        body::body(entry, raw)
    }

    fn context(&self, session: &Session, tree: &Tree, at: Option<EntryIx>) -> Context {
        context::context(session, tree, at)
    }

    fn item_message(
        &self,
        session: &Session,
        item: &ContextItem,
        bodies: &dyn Bodies,
    ) -> Result<Message, BodyError> {
        context::item_message(session, item, bodies)
    }

    fn window(&self, session: &Session, tree: &Tree, at: Option<EntryIx>) -> Option<u64> {
        window::at(session, tree, at)
    }

    fn policy(&self, window: u64) -> BudgetPolicy {
        BudgetPolicy {
            window,
            threshold: percent_of(window, THRESHOLD_PERCENT),
            reserve: window - percent_of(window, CEILING_PERCENT),
            keep_recent: 0,
            learned_from: 0,
        }
    }
}
