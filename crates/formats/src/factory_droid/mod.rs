//! The sessions of Factory's Droid (0.225), and what it sends from any entry of one.
//!
//! One JSON record per line. Message rows name their parents; outcomes of turns and compactions do
//! not, and stand where the file has them. A manual compaction begins another file, which is read
//! behind the one it was made from; an automatic one stands in its file and names the last message
//! it dropped. Usage is stored for whole sessions only, in a file beside each.
//!
//! Rules marked 0.225.2 were read in requests recorded from it.

mod assembly;
mod body;
mod context;
mod coverage;
mod entry;
mod lines;
mod places;
mod reader;
mod record;
mod said;
mod size;
mod totals;
mod trail;

use crate::{Assembly, BudgetPolicy, Coverage, Places, Reading, SessionFormat};
use palimpsest_core::{
    Agent, Bodies, Body, BodyError, Context, ContextItem, Entry, EntryIx, Message, Session,
    SessionMeta, Tree,
};
use std::path::{Path, PathBuf};

/// Droid's name.
pub const AGENT: Agent = Agent::named("factory-droid");

/// Tokens of the last request at which Droid compacts automatically, unless the user sets
/// `compactionTokenLimit` (0.225.2, for models of the user's).
pub const LIMIT_TOKENS: u64 = 250_000;
/// Most tokens of recent conversation kept verbatim by an automatic compaction (0.225.2).
pub const KEPT_TOKENS: u64 = 12_000;

/// The reader of Droid's sessions.
#[derive(Debug, Clone, Copy, Default)]
pub struct FactoryDroid;

impl SessionFormat for FactoryDroid {
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
        lines::sniff(head)
    }

    fn assembly(&self, _path: &Path, _head: &[u8]) -> Option<&'static dyn Assembly> {
        Some(&assembly::Sessions)
    }

    fn session_beside(&self, file: &Path) -> Option<PathBuf> {
        places::session_of(file)
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

    fn item_message(
        &self,
        _session: &Session,
        item: &ContextItem,
        bodies: &dyn Bodies,
    ) -> Result<Message, BodyError> {
        context::item_message(item, bodies)
    }

    /// The limit does not depend on the window. A model with a smaller one is compacted before the
    /// window is full.
    fn policy(&self, window: u64) -> BudgetPolicy {
        BudgetPolicy {
            window,
            threshold: LIMIT_TOKENS.min(window),
            reserve: window.saturating_sub(LIMIT_TOKENS),
            keep_recent: KEPT_TOKENS,
            learned_from: 0,
        }
    }
}
