//! Chats of a Coder server (its chats API, 2026), from the JSON that its API gives, saved as a file:
//! the chat and its messages, or pages of messages alone.
//!
//! The server's database has rows that the API never shows, such as the summary that the model gets.
//! The call and the result that stand for a compaction in the API hold the summary's text as well.

mod assembly;
mod context;
mod coverage;
mod entry;
mod parts;
mod places;
mod reader;
pub mod server;

use crate::reading::percent_of;
use crate::{Assembly, BudgetPolicy, Coverage, Places, Reading, SessionFormat};
use palimpsest_core::{
    Agent, Bodies, Body, BodyError, Context, ContextItem, Entry, EntryIx, Message, Session,
    SessionMeta, Tree,
};
use std::path::{Path, PathBuf};

/// The agent's name.
pub const AGENT: Agent = Agent::named("coder");
/// Share of the window, in percent, at which the server compacts (default of its models).
pub const THRESHOLD_PERCENT: u64 = 70;

/// The reader of saved chats.
#[derive(Debug, Clone, Copy, Default)]
pub struct Coder;

impl SessionFormat for Coder {
    fn agent(&self) -> Agent {
        AGENT
    }

    fn coverage(&self) -> &'static Coverage {
        &coverage::COVERAGE
    }

    /// The server keeps its chats in a database; no folder of a user's machine has them.
    fn default_roots(&self, _places: &Places) -> Vec<PathBuf> {
        Vec::new()
    }

    fn is_candidate(&self, path: &Path) -> bool {
        places::is_candidate(path)
    }

    fn sniff(&self, path: &Path, head: &[u8]) -> bool {
        places::sniff(path, head)
    }

    /// The chat itself is on its server.
    fn exports_copies(&self) -> bool {
        true
    }

    fn assembly(&self, path: &Path, _head: &[u8]) -> Option<&'static dyn Assembly> {
        places::is_json(path).then_some(&assembly::Saved as &dyn Assembly)
    }

    fn take(&self, reading: &mut Reading, chunk: &[u8], at_end: bool) -> usize {
        reader::read(reading, chunk, at_end)
    }

    fn body(&self, _meta: &SessionMeta, entry: &Entry, raw: &[u8]) -> Body {
        entry::body(entry, raw)
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

    fn window(&self, session: &Session, tree: &Tree, at: Option<EntryIx>) -> Option<u64> {
        reader::window(session, tree, at)
    }

    fn policy(&self, window: u64) -> BudgetPolicy {
        let share = percent_of(window, THRESHOLD_PERCENT);
        BudgetPolicy {
            window,
            threshold: share.saturating_sub(1),
            reserve: window - share,
            keep_recent: 0,
            learned_from: 0,
        }
    }
}
