//! Stars, notes and labels of the user.

use super::{RecordKind, Role, TextRange};

wire! {
    /// Asks to put a star on a session or to take it off.
    pub struct StarRequest {
        /// The session.
        pub session: String,
        /// True to put it there.
        pub starred: bool,
    }
}

wire! {
    /// A session's star.
    pub struct StarView {
        /// Palimpsest's id of the session.
        pub session: String,
        /// True when the session has a star.
        pub starred: bool,
    }
}

wire! {
    /// Asks to save a note.
    pub struct NoteSaveRequest {
        /// The session.
        pub session: String,
        /// The entry; the session itself when absent.
        #[serde(default)]
        pub entry: Option<String>,
        /// Position of the entry in the file's order, where it is known: tells two entries with
        /// one id apart.
        #[serde(default)]
        pub ix: Option<u32>,
        /// The text; an empty one deletes the note.
        pub text: String,
    }
}

wire! {
    /// A note that was saved or deleted.
    pub struct NoteSaved {
        /// Palimpsest's id of the session.
        pub session: String,
        /// The entry; absent for the session itself.
        pub entry_id: Option<String>,
        /// Which of the entries with this id, from 1.
        pub occurrence: u32,
        /// What it says now; absent when it was deleted.
        pub text: Option<String>,
        /// What it said before; absent when there was none.
        pub before: Option<String>,
    }
}

wire! {
    /// Asks to put a label on something or to take it off.
    pub struct LabelRequest {
        /// The session.
        pub session: String,
        /// The entry; the session itself when absent.
        #[serde(default)]
        pub entry: Option<String>,
        /// Position of the entry in the file's order, where it is known: tells two entries with
        /// one id apart.
        #[serde(default)]
        pub ix: Option<u32>,
        /// What it says.
        pub text: String,
        /// False to take it off; true when absent.
        #[serde(default)]
        pub on: Option<bool>,
    }
}

wire! {
    /// The labels on something after a change.
    pub struct LabelsView {
        /// Palimpsest's id of the session.
        pub session: String,
        /// The entry; absent for the session itself.
        pub entry_id: Option<String>,
        /// Which of the entries with this id, from 1.
        pub occurrence: u32,
        /// Its labels, oldest first.
        pub labels: Vec<String>,
        /// True where a label was to be removed that is not on it.
        pub missing: bool,
    }
}

wire! {
    /// A label in use.
    pub struct LabelUse {
        /// What it says.
        pub text: String,
        /// On how many sessions and entries it is.
        pub uses: u64,
    }
}

wire! {
    /// The marks of a session and its entries.
    pub struct MarksView {
        /// Palimpsest's id of the session.
        pub session: String,
        /// True when the session has a star.
        pub starred: bool,
        /// The notes in the order of the session, that on the session itself first.
        pub notes: Vec<NoteView>,
        /// The labels of the user in the same order.
        pub labels: Vec<UserLabelView>,
    }
}

wire! {
    /// What a mark is on.
    pub struct MarkedEntry {
        /// The entry's id.
        pub entry_id: String,
        /// Which of the entries with this id, from 1.
        pub occurrence: u32,
        /// Its position in the file's order; absent when it is no longer in the session.
        pub ix: Option<u32>,
        /// First words of the entry.
        pub preview: String,
        /// The role of its message.
        pub role: Option<Role>,
        /// What the record is; absent when it is no longer in the session.
        pub kind: Option<RecordKind>,
        /// The tools it calls or holds results of.
        pub tools: Vec<String>,
        /// True for a failed tool or message.
        pub is_error: bool,
        /// True for the result of a call that the user rejected.
        pub rejected: bool,
        /// The agent's own name for a record that is of no common kind.
        pub record: Option<String>,
    }
}

wire! {
    /// A note.
    pub struct NoteView {
        /// The entry it is on; absent for the session itself.
        pub on: Option<MarkedEntry>,
        /// What it says.
        pub text: String,
        /// When it was last changed.
        pub updated_at: i64,
    }
}

wire! {
    /// A label of the user.
    pub struct UserLabelView {
        /// The entry it is on; absent for the session itself.
        pub on: Option<MarkedEntry>,
        /// What it says.
        pub text: String,
        /// When it was put there.
        pub created_at: i64,
    }
}

wire! {
    /// What kind of mark a text is of.
    #[derive(Copy, Eq)]
    #[serde(rename_all = "snake_case")]
    pub enum MarkKind {
        /// A note.
        Note,
        /// A label.
        Label,
    }
}

wire! {
    /// A note or label that fits a search.
    pub struct MarkHit {
        /// Note or label.
        pub kind: MarkKind,
        /// True for a label that the agent stores.
        pub by_agent: bool,
        /// The session.
        pub session: String,
        /// Its id as lists show it.
        pub shown_id: String,
        /// Its title.
        pub title: String,
        /// Its project.
        pub project: String,
        /// The agent.
        pub agent: String,
        /// The entry it is on; absent for the session itself.
        pub entry_id: Option<String>,
        /// Which of the entries with this id, from 1.
        pub occurrence: u32,
        /// When it was made or last changed.
        pub timestamp: i64,
        /// Words around the first match.
        pub snippet: String,
        /// The matches in the snippet.
        pub ranges: Vec<TextRange>,
    }
}

wire! {
    /// Gives a session a title.
    pub struct RenameRequest {
        /// The session: its id, a unique prefix, or a path.
        pub session: String,
        /// The title; without a word the session gets its own one back.
        pub title: String,
    }
}

wire! {
    /// A session that was renamed.
    pub struct RenameView {
        /// The session's id.
        pub session: String,
        /// The title the user gave it; absent where it has its own one again.
        pub title: Option<String>,
    }
}
