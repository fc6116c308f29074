//! Mux's workspaces (coder/mux, also called Xum; 0.28), and what Mux sends from any entry.
//!
//! A workspace is a folder of files: the rows since the newest compaction, an archive of the rows
//! before it, the answer being streamed, a journal with a line for each request, and blobs that the
//! journal names. Together they become one document. A row of the model holds all steps of a turn;
//! it is split where its text goes on after calls, because that is how Mux sends it later, and
//! each part is an entry.

mod assembly;
mod attachments;
mod body;
mod config;
mod context;
mod coverage;
mod entry;
mod journal;
mod lines;
mod output;
mod places;
mod reader;
mod row;
mod spoken;
mod steps;
mod threshold;
mod usage;

use crate::{Assembly, BudgetPolicy, Coverage, Places, Reading, SessionFormat};
use palimpsest_core::{
    Agent, Bodies, Body, BodyError, Context, ContextItem, Entry, EntryIx, Message, Session,
    SessionMeta, Tree,
};
use std::path::{Path, PathBuf};

pub use threshold::THRESHOLD_PERCENT;

/// The agent's name; it stays the same while the program is being renamed to Xum.
pub const AGENT: Agent = Agent::named("mux");

/// The reader of Mux's workspaces.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mux;

impl SessionFormat for Mux {
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
        places::sniff(head)
    }

    fn is_container(&self, path: &Path) -> bool {
        // The rows of one workspace are in several files, so the state is the assembly's to tell.
        places::is_candidate(path)
    }

    fn is_internal(&self, folder: &Path) -> bool {
        places::is_internal(folder)
    }

    fn assembly(&self, path: &Path, head: &[u8]) -> Option<&'static dyn Assembly> {
        (places::is_candidate(path) && places::sniff(head)).then_some(&assembly::Workspaces)
    }

    fn session_beside(&self, file: &Path) -> Option<PathBuf> {
        places::rows_beside(file)
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
        _session: &Session,
        item: &ContextItem,
        bodies: &dyn Bodies,
    ) -> Result<Message, BodyError> {
        context::item_message(item, bodies)
    }

    /// A fork copies rows with their ids, which hold the time and a random part.
    fn is_unique_id(&self, id: &str) -> bool {
        let mut parts = id.rsplit('-');
        let (random, time) = (parts.next(), parts.next());
        let is_time = |time: &str| time.len() >= 13 && time.bytes().all(|b| b.is_ascii_digit());
        parts.next().is_some()
            && random.is_some_and(|random| random.len() >= 6)
            && time.is_some_and(is_time)
    }

    /// Mux looks before it sends a prompt: at the last request and reply, against a share of the
    /// window that the user can set (0.28).
    fn policy(&self, window: u64) -> BudgetPolicy {
        threshold::of_window(window)
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
