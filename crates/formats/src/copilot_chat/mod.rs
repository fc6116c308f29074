//! The chats of GitHub Copilot in VS Code (journals of changes, 2026, and the objects before them).
//!
//! A chat is one object whose requests hold what the user asked, the rounds of the model with their
//! calls, the results, and the summaries that replace what came before. The assembly makes one
//! line of each of these. No recorded request of the editor was at hand: contexts follow its public
//! source and are not checked against what it sends.

mod assembly;
mod context;
mod coverage;
mod document;
mod journal;
mod message;
mod places;
mod reader;

use crate::failure;
use crate::json::{parse, text};
use crate::{Assembly, BudgetPolicy, Coverage, Places, Reading, SessionFormat};
use palimpsest_core::{
    Agent, Bodies, Body, BodyError, Context, ContextItem, Entry, EntryIx, Message, Session,
    SessionMeta, Tree,
};
use std::path::{Path, PathBuf};

/// The agent's name.
pub const AGENT: Agent = Agent::named("copilot-chat");

/// The reader of VS Code's chats.
#[derive(Debug, Clone, Copy, Default)]
pub struct CopilotChat;

impl SessionFormat for CopilotChat {
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
        journal::sniff(head)
    }

    fn is_internal(&self, folder: &Path) -> bool {
        places::is_internal(folder)
    }

    fn assembly(&self, _path: &Path, _head: &[u8]) -> Option<&'static dyn Assembly> {
        Some(&assembly::Chats)
    }

    fn take(&self, reading: &mut Reading, chunk: &[u8], at_end: bool) -> usize {
        reader::read(reading, chunk, at_end)
    }

    fn body(&self, _meta: &SessionMeta, entry: &Entry, raw: &[u8]) -> Body {
        if entry.messages.is_empty() && !entry.is_error {
            return Body::default();
        }
        let line = parse(&palimpsest_core::stored::text(raw)).unwrap_or_default();
        let is_failure = text(&line, "type") == "error";
        let failure = if is_failure { text(&line, "text") } else { "" };
        Body {
            messages: message::message(&line).into_iter().collect(),
            beside: failure::told(failure),
            ..Body::default()
        }
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

    /// The editor summarizes when a prompt is larger than the model takes.
    fn policy(&self, window: u64) -> BudgetPolicy {
        BudgetPolicy {
            window,
            threshold: window,
            reserve: 0,
            keep_recent: 0,
            learned_from: 0,
        }
    }
}
