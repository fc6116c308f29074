//! The sessions of Continue, editor and command line (1.5), and what it sends from any entry of one.
//!
//! A session is one JSON file that is rewritten with every change. Its history is a list of items
//! without ids or times: a prompt with what the editor added to it, or a reply with the results of
//! its calls. Editing an earlier prompt cuts the list there. In the editor a summary is attached to
//! the item up to which it goes; the command line replaces the whole list by it, so that what it
//! summarized is in no file.
//!
//! The rules are those of its source (`constructMessages`, `conversationCompaction` and the command
//! line's `compaction`); no requests were recorded from it.

mod assembly;
mod body;
mod context;
mod coverage;
mod item;
mod places;
mod reader;
mod usage;

use crate::reading::percent_of;
use crate::{Assembly, BudgetPolicy, Coverage, Places, Reading, SessionFormat};
use palimpsest_core::{
    Agent, Bodies, Body, BodyError, Context, ContextItem, Entry, EntryIx, Message, Session,
    SessionMeta, Tree,
};
use std::path::{Path, PathBuf};

/// Continue's name.
pub const AGENT: Agent = Agent::named("continue");
/// Share of the window, in percent, that the command line keeps free for the reply where the model
/// names no limit (`shouldAutoCompact`, 1.5).
pub const RESERVE_PERCENT: u64 = 35;
/// Share of the rest, in percent, at which the command line compacts automatically
/// (`AUTO_COMPACT_THRESHOLD`, 1.5); the editor compacts only on command.
pub const THRESHOLD_PERCENT: u64 = 80;

/// The reader of Continue's sessions.
#[derive(Debug, Clone, Copy, Default)]
pub struct Continue;

impl SessionFormat for Continue {
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
        path.extension().is_some_and(|ending| ending == "json") && assembly::sniff(head)
    }

    fn assembly(&self, _path: &Path, _head: &[u8]) -> Option<&'static dyn Assembly> {
        Some(&assembly::Sessions)
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

    fn policy(&self, window: u64) -> BudgetPolicy {
        let reserve = percent_of(window, RESERVE_PERCENT);
        BudgetPolicy {
            window,
            // Continue compacts at the line, not above it.
            threshold: percent_of(window - reserve, THRESHOLD_PERCENT).saturating_sub(1),
            reserve,
            keep_recent: 0,
            learned_from: 0,
        }
    }
}
