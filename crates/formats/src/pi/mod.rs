//! pi's session files, versions 1 to 3 (pi 0.12 to 1.5.2), and what pi sends from any entry.
//!
//! One JSON record per line; the first is the header. Version 1 has neither ids nor parents, so
//! entries are named `line:N` and follow each other. Nothing is ever migrated on disk.

mod body;
mod context;
mod coverage;
mod entry;
mod places;
mod reader;
mod record;
mod size;

use crate::{BudgetPolicy, Coverage, Places, Reading, SessionFormat};
use palimpsest_core::{
    Agent, Bodies, Body, BodyError, Context, ContextItem, Entry, EntryIx, Message, Session,
    SessionMeta, Tree,
};
use std::path::{Path, PathBuf};

/// Tokens kept free for the reply (`compaction.reserveTokens`, pi 0.31 to 1.5).
pub const RESERVE_TOKENS: u64 = 16_384;
/// Tokens of recent conversation kept (`compaction.keepRecentTokens`, pi 0.31 to 1.5).
pub const KEEP_RECENT_TOKENS: u64 = 20_000;

/// The reader of pi's session files.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pi;

impl SessionFormat for Pi {
    fn agent(&self) -> Agent {
        Agent::PI
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

    fn is_one_file(&self) -> bool {
        true
    }

    fn goes_on(&self) -> bool {
        true
    }

    fn take(&self, reading: &mut Reading, chunk: &[u8], at_end: bool) -> usize {
        reader::read(reading, chunk, at_end)
    }

    fn body(&self, meta: &SessionMeta, _entry: &Entry, raw: &[u8]) -> Body {
        body::body(raw, meta.format_version.unwrap_or(1))
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

    fn policy(&self, window: u64) -> BudgetPolicy {
        BudgetPolicy {
            window,
            threshold: window.saturating_sub(RESERVE_TOKENS),
            reserve: RESERVE_TOKENS,
            keep_recent: KEEP_RECENT_TOKENS,
            learned_from: 0,
        }
    }
}
