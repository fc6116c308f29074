//! OpenCode's sessions (0.5 to 1.18), and what OpenCode sends from any entry.
//!
//! They lie in a database (since 1.2), in a tree of small JSON files (before), or in an export.
//! All three become the same document, one JSON record per line, each as it is stored with the
//! ids that stand in columns or paths put back: the session, then each message followed by its
//! parts, in the order of the conversation. A message with its parts is one entry; entries follow
//! each other, and what a revert hides is the end of the chain beyond the active leaf.

mod aside;
mod assembly;
mod body;
mod context;
mod coverage;
mod database;
mod document;
mod entry;
mod message;
mod parts;
mod places;
mod reader;
mod tree;
mod usage;
mod value;
mod warn;

use crate::{Assembly, BudgetPolicy, Coverage, Places, Reading, SessionFormat};
use palimpsest_core::{
    Agent, Bodies, Body, BodyError, Context, ContextItem, Entry, EntryIx, Message, Session,
    SessionMeta, Tree,
};
use std::path::{Path, PathBuf};

/// OpenCode, and programs that reuse its store.
pub const AGENT: Agent = Agent::named("opencode");

/// Most tokens OpenCode lets a reply have, which it keeps free (`OUTPUT_TOKEN_MAX`, 0.x to 1.18,
/// for models whose own limit is not lower).
pub const OUTPUT_TOKEN_MAX: u64 = 32_000;
/// Least and most tokens of recent conversation kept (1.18): a quarter of the usable window within
/// these bounds.
pub const KEEP_RECENT_TOKENS: (u64, u64) = (2_000, 15_000);

/// The reader of OpenCode's sessions.
#[derive(Debug, Clone, Copy, Default)]
pub struct OpenCode;

impl SessionFormat for OpenCode {
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

    fn sniff(&self, path: &Path, head: &[u8]) -> bool {
        places::sniff(path, head)
    }

    fn is_container(&self, path: &Path) -> bool {
        // A tree's session file stays as it is while messages are added beside it, so that its
        // state, too, is the assembly's to tell.
        !matches!(places::kind(path), None | Some(places::Kind::Export))
    }

    fn is_internal(&self, folder: &Path) -> bool {
        places::is_internal(folder)
    }

    fn assembly(&self, path: &Path, head: &[u8]) -> Option<&'static dyn Assembly> {
        let is_database = places::kind(path) == Some(places::Kind::Database);
        let is_other = is_database && !places::is_database(head);
        (!is_other).then_some(&assembly::Stores)
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

    /// For a model that names no limit of its input, as most do: the room for the reply is kept
    /// free, and compaction starts when the last request and reply fill what is left (1.18,
    /// `SessionCompaction.isOverflow`).
    fn policy(&self, window: u64) -> BudgetPolicy {
        let usable = window.saturating_sub(OUTPUT_TOKEN_MAX);
        let (least, most) = KEEP_RECENT_TOKENS;
        BudgetPolicy {
            window,
            // OpenCode compacts at the usable size, not above it.
            threshold: usable.saturating_sub(1),
            reserve: OUTPUT_TOKEN_MAX,
            keep_recent: (usable / 4).clamp(least, most),
            learned_from: 0,
        }
    }
}
