//! What a hit answers: the prompt before it.

use super::found::HitPage;
use super::opened::Opened;
use super::reading::text_of;
use crate::error::Result;
use crate::index::search_text;
use crate::session::OpenSession;
use crate::workspace::App;
use palimpsest_core::title::title_of_prompt;
use palimpsest_core::{Bodies as _, EntryIx, EntryKind, Role};
use palimpsest_store::index::SessionRow;

/// Characters of a prompt that are shown: one line of a wide list.
const PROMPT_CHARS: usize = 120;

/// The beginning of the prompt above an entry; `None` for a prompt.
pub fn prompt_above(open: &OpenSession, ix: EntryIx) -> Option<String> {
    let is_prompt = |ix: EntryIx| {
        let entry = open.session.entry(ix);
        entry.kind == EntryKind::Message(Role::User) && !entry.sidechain
    };
    let mut at = ix;
    while !is_prompt(at) {
        at = open.tree.parent(at)?;
    }
    if at == ix {
        return None;
    }
    let body = open.bodies.body(at).ok()?;
    beginning(&search_text(open.session.entry(at), &body))
}

fn beginning(prompt: &str) -> Option<String> {
    let title = title_of_prompt(prompt)?;
    Some(title.chars().take(PROMPT_CHARS).collect())
}

impl App {
    /// Gives every hit that is not a prompt itself the beginning of the prompt before it.
    pub fn with_prompts(&self, page: &mut HitPage) -> Result<()> {
        let reader = self.index_db()?.reader()?;
        let mut opened = Opened::default();
        let mut known: Option<SessionRow> = None;
        for hit in &mut page.hits {
            if hit.role == Some(Role::User) && !hit.in_subagent {
                continue;
            }
            // Hits of a session mostly follow each other.
            if known.as_ref().is_none_or(|row| row.id != hit.session_id) {
                known = reader.session_by_id(&hit.session_id)?;
            }
            let Some(session) = &known else { continue };
            let Some(entry) = reader.prompt_before(session.num, hit.ix)? else {
                continue;
            };
            let text = text_of(session, &entry, &mut opened);
            hit.prompt = text.and_then(|text| beginning(&text));
        }
        Ok(())
    }
}
