//! Marks of the user: stars on sessions, notes and labels on sessions and entries.
//!
//! Marks are in the user database and name a session by its stable id. An entry is named by its
//! id and by which of the entries with that id it is, because some agents write an id twice.

mod follow;
mod place;

pub use place::Placed;

use crate::clock::now_ms;
use crate::error::{AppError, Result};
use crate::session::OpenSession;
use crate::workspace::{App, AppEvent};
use palimpsest_core::EntryIx;
use palimpsest_core::Problem;
use palimpsest_store::Target;
use palimpsest_store::user::{Label, LabelCount, MarkedSession, Note, SessionMarks};
use std::collections::{HashMap, HashSet};

/// Longest note, in bytes: far above what is written by hand, far below what slows a search.
const MOST_NOTE_BYTES: usize = 64 << 10;
/// Longest label, in characters: it has to fit on a row.
const MOST_LABEL_CHARS: usize = 60;
/// Longest title, in characters: a row shows half of it.
const MOST_TITLE_CHARS: usize = 200;

/// What a mark is put on, as the user names it.
#[derive(Debug, Clone, Copy)]
pub struct MarkPlace<'a> {
    /// The session: its id, a unique prefix, or a path.
    pub session: &'a str,
    /// The entry: an id, a unique prefix, `leaf` or `line:N`; `None` for the session itself.
    pub entry: Option<&'a str>,
    /// Position of the entry in the session, where it is known; goes before `entry`.
    pub ix: Option<u32>,
}

/// The marks of a session and its entries.
#[derive(Debug, Clone, PartialEq)]
pub struct Marks {
    /// The session's stable id.
    pub session_id: String,
    /// True when the session has a star.
    pub starred: bool,
    /// The notes in the order of the session, that on the session itself first.
    pub notes: Vec<Placed<Note>>,
    /// The labels in the same order.
    pub labels: Vec<Placed<Label>>,
}

/// A note that was saved or deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteChange {
    /// What it is on.
    pub target: Target,
    /// What it says now; `None` when it was deleted.
    pub text: Option<String>,
    /// What it said before; `None` when there was none.
    pub before: Option<String>,
}

/// A label that was put on or taken off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labelled {
    /// What it is on.
    pub target: Target,
    /// The labels there now, oldest first.
    pub labels: Vec<String>,
    /// True where it was to be taken off and was not there.
    pub missing: bool,
}

impl App {
    /// Puts a star on a session or takes it off; returns the session's stable id.
    pub fn star(&self, session: &str, on: bool) -> Result<String> {
        let session = self.marked(session)?;
        let target = Target::session(&session.session_id);
        self.user_db()?.set_star(&target, on, now_ms())?;
        self.keep_mark(&session)?;
        Ok(session.session_id)
    }

    /// Gives a session a title, or its own one back where `title` has no word; returns the
    /// session's stable id and the title it has from the user now.
    ///
    /// Errors: when the title is longer than 200 characters.
    pub fn rename(&self, session: &str, title: &str) -> Result<(String, Option<String>)> {
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        if title.chars().count() > MOST_TITLE_CHARS {
            return Err(AppError::BadRequest(Problem::alone(format!(
                "a title has at most {MOST_TITLE_CHARS} characters"
            ))));
        }
        let title = (!title.is_empty()).then_some(title);
        let session = self.marked(session)?;
        self.user_db()?
            .set_title(&session.session_id, title.as_deref(), now_ms())?;
        self.keep_mark(&session)?;
        self.tell(AppEvent::SessionsChanged(vec![session.session_id.clone()]));
        Ok((session.session_id, title))
    }

    /// Saves the note on a session or an entry, in place of the one that was there. A text
    /// without a word deletes it.
    pub fn save_note(&self, place: MarkPlace<'_>, text: &str) -> Result<NoteChange> {
        let text = text.trim();
        if text.len() > MOST_NOTE_BYTES {
            return Err(AppError::BadRequest(Problem::alone(format!(
                "the note has {} bytes and may have {MOST_NOTE_BYTES}",
                text.len()
            ))));
        }
        let (session, target) = self.target(place)?;
        let user = self.user_db()?;
        // Answered to the user, who may have replaced a note without seeing it.
        let before = user.note(&target)?.map(|note| note.text);
        user.set_note(&target, text, now_ms())?;
        self.keep_mark(&session)?;
        Ok(NoteChange {
            target,
            text: (!text.is_empty()).then(|| text.to_owned()),
            before,
        })
    }

    /// Puts a label on a session or an entry, or takes it off.
    pub fn label(&self, place: MarkPlace<'_>, text: &str, on: bool) -> Result<Labelled> {
        // One line: it is shown on a row.
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if text.is_empty() || text.chars().count() > MOST_LABEL_CHARS {
            return Err(AppError::BadRequest(Problem::alone(format!(
                "a label has 1 to {MOST_LABEL_CHARS} characters"
            ))));
        }
        let (session, target) = self.target(place)?;
        let user = self.user_db()?;
        let missing = if on {
            user.add_label(&target, &text, now_ms())?;
            false
        } else {
            !user.remove_label(&target, &text)?
        };
        self.keep_mark(&session)?;
        let labels = user.labels_on(&target)?;
        Ok(Labelled {
            target,
            labels: labels.into_iter().map(|label| label.text).collect(),
            missing,
        })
    }

    /// The marks of a session and its entries.
    pub fn marks(&self, session: &str) -> Result<Marks> {
        let open = self.open(session)?;
        self.marks_of(&open)
    }

    /// The marks of an open session and its entries.
    pub fn marks_of(&self, open: &OpenSession) -> Result<Marks> {
        // Before the marks are read: they may still be at the old path's id.
        self.follow(&of_open(open))?;
        let user = self.user_db()?;
        let notes = user.notes(Some(&open.id))?;
        let labels = user.labels(Some(&open.id))?;
        let places = place::places(
            &open.session,
            notes
                .iter()
                .map(|note| &note.target)
                .chain(labels.iter().map(|label| &label.target)),
        );
        Ok(Marks {
            session_id: open.id.clone(),
            starred: user.is_starred(&open.id)?,
            notes: place::placed(notes, |note| &note.target, &places),
            labels: place::placed(labels, |label| &label.target, &places),
        })
    }

    /// The entries with a label of the user; none when the user database cannot be read, so that
    /// a tree is shown even then.
    pub fn labelled_entries(&self, open: &OpenSession) -> HashSet<EntryIx> {
        let labels = self
            .user_db()
            .ok()
            .and_then(|user| user.labels(Some(&open.id)).ok());
        place::labelled(&open.session, &labels.unwrap_or_default())
    }

    /// The marks of every session in short, by session id.
    pub fn session_marks(&self) -> Result<HashMap<String, SessionMarks>> {
        Ok(self.user_db()?.session_marks()?)
    }

    /// The labels in use, most used first.
    pub fn label_counts(&self) -> Result<Vec<LabelCount>> {
        Ok(self.user_db()?.label_counts()?)
    }

    /// Remembers which session was marked and tells everyone that its marks changed.
    fn keep_mark(&self, session: &MarkedSession) -> Result<()> {
        self.user_db()?.keep_marked_session(session)?;
        self.tell(AppEvent::MarksChanged(session.session_id.clone()));
        Ok(())
    }

    /// The session named. One in the index is not opened for it: a star on a row must not wait
    /// until a large file is read.
    fn marked(&self, session: &str) -> Result<MarkedSession> {
        if let Ok(index) = self.index_db()
            && let Some(row) = index.reader()?.session_by_id(session)?
        {
            return Ok(MarkedSession {
                session_id: row.id,
                agent: row.agent,
                native_id: row.native_id,
                path: row.path,
            });
        }
        let open = self.open(session)?;
        Ok(of_open(&open))
    }

    fn target(&self, place: MarkPlace<'_>) -> Result<(MarkedSession, Target)> {
        if place.entry.is_none() && place.ix.is_none() {
            let session = self.marked(place.session)?;
            let target = Target::session(&session.session_id);
            return Ok((session, target));
        }
        let open = self.open(place.session)?;
        let known = |ix: u32| ((ix as usize) < open.session.entries.len()).then_some(EntryIx(ix));
        let ix = match (place.ix.and_then(known), place.entry) {
            (Some(ix), _) => ix,
            (None, entry) => open.resolve(entry.unwrap_or_default())?,
        };
        Ok((of_open(&open), place::target(&open.id, &open.session, ix)))
    }
}

fn of_open(open: &OpenSession) -> MarkedSession {
    MarkedSession {
        session_id: open.id.clone(),
        agent: open.session.meta.agent,
        native_id: open.session.meta.native_id.clone(),
        path: open.session.meta.path.clone(),
    }
}

#[cfg(test)]
mod tests;
