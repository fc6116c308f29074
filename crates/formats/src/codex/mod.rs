//! The rollouts of OpenAI's Codex CLI (0.2 to 0.169), and what Codex sends from any entry.
//!
//! One JSON record per line, `{timestamp, type, payload}`, since 0.16x with an `ordinal`. Records
//! have no parents: they follow each other, and taken-back turns are branches. Every item of the
//! conversation is stored twice, as `response_item` and as `event_msg`; the item is the entry and
//! the event is merged into it. Usage is an entry of its own, because it is written after the
//! response it is for, and entries do not change once they have been read.

mod assembly;
mod body;
mod calls;
mod compaction;
mod context;
mod coverage;
mod events;
mod item;
mod json;
mod lines;
mod places;
mod reader;
mod state;
mod take;
mod threshold;
mod window;

use crate::{Assembly, BudgetPolicy, Coverage, Places, Reading, SessionFormat};
use palimpsest_core::{
    Agent, Bodies, Body, BodyError, Context, ContextItem, Entry, EntryIx, Message, Session,
    SessionMeta, Tree,
};
use std::path::{Path, PathBuf};

pub use window::CEILING_PERCENT;

/// The agent's name.
pub const AGENT: Agent = Agent::named("codex");
/// Share of the window, in percent, at which Codex compacts automatically
/// (`auto_compact_token_limit`, 0.139 to 0.169).
pub const THRESHOLD_PERCENT: u64 = 90;
/// Tokens of recent user messages kept beside a local summary (`compact.rs`, codex-rs, 2025 to
/// 0.169).
pub const KEPT_USER_TOKENS: u64 = 20_000;

/// The reader of Codex's rollouts.
#[derive(Debug, Clone, Copy, Default)]
pub struct Codex;

impl SessionFormat for Codex {
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
        assembly::is_compressed_rollout(path, head) || reader::sniff(head)
    }

    fn assembly(&self, path: &Path, head: &[u8]) -> Option<&'static dyn Assembly> {
        assembly::needed(path, head).then_some(&assembly::Rollouts as &dyn Assembly)
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
        _session: &Session,
        item: &ContextItem,
        bodies: &dyn Bodies,
    ) -> Result<Message, BodyError> {
        context::item_message(item, bodies)
    }

    fn window(&self, session: &Session, tree: &Tree, at: Option<EntryIx>) -> Option<u64> {
        window::of_model(session, tree, at)
    }

    fn policy(&self, window: u64) -> BudgetPolicy {
        BudgetPolicy {
            window,
            // Divided first, so that a damaged file with a huge window does not overflow.
            threshold: window / 100 * THRESHOLD_PERCENT + window % 100 * THRESHOLD_PERCENT / 100,
            reserve: window - window / 100 * CEILING_PERCENT - window % 100 * CEILING_PERCENT / 100,
            keep_recent: KEPT_USER_TOKENS,
            learned_from: 0,
        }
    }

    fn policy_at(
        &self,
        session: &Session,
        tree: &Tree,
        at: Option<EntryIx>,
        window: u64,
    ) -> BudgetPolicy {
        threshold::at(session, tree, at, self.policy(window))
    }
}
