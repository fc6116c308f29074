//! Navigation, and sessions written for their agents.

use super::{ContextRows, FileLists, Role, WrittenStanding};

wire! {
    /// Asks what navigation to another entry would do.
    pub struct NavigateRequest {
        /// The session.
        pub session: String,
        /// The entry left; the active leaf when absent.
        #[serde(default)]
        #[ts(optional)]
        pub from: Option<String>,
        /// The target entry.
        pub to: String,
        /// A summary of what is left behind, which the context at the target will have.
        #[serde(default)]
        #[ts(optional)]
        pub summary: Option<String>,
        /// The run that made the summary.
        #[serde(default)]
        #[ts(optional)]
        pub run: Option<String>,
        /// True to get both contexts item by item.
        #[serde(default)]
        #[ts(optional)]
        pub items: Option<bool>,
    }
}

wire! {
    /// What navigation to another entry would do; nothing is written.
    pub struct NavigateView {
        /// The entry left; absent in a session without entries.
        pub from_id: Option<String>,
        /// The target entry.
        pub to_id: String,
        /// The entry under which the session continues; absent before the first entry.
        pub new_leaf_id: Option<String>,
        /// The text of the prompt to edit, when the target entry is one.
        pub prompt: Option<String>,
        /// The deepest entry on both paths.
        pub common_ancestor_id: Option<String>,
        /// What is left behind, oldest first.
        pub left_behind_ids: Vec<String>,
        /// Estimated tokens of what is left behind.
        pub left_behind_tokens: u64,
        /// The files that the entries left behind touched.
        pub files: FileLists,
        /// The context at the entry left.
        pub context_before: ContextSide,
        /// The context at the new leaf, with the summary.
        pub context_after: ContextSide,
        /// Both contexts item by item, where that was asked for.
        pub items: Option<ContextRows>,
        /// The run that made the summary.
        pub run_id: Option<String>,
        /// True when a session of this agent can be written.
        pub can_write: bool,
    }
}

wire! {
    /// A context in short.
    #[derive(Default)]
    pub struct ContextSide {
        /// Number of items.
        pub items: u64,
        /// Its size in tokens.
        pub tokens: u64,
        /// The model's context window in tokens.
        pub window: Option<u64>,
        /// The auto-compaction threshold in tokens.
        pub threshold: Option<u64>,
    }
}

wire! {
    /// The contexts before and after a write.
    pub struct WrittenContexts {
        /// The context at the active leaf of the session that was written from.
        pub before: ContextSide,
        /// The context at the active leaf of what was written.
        pub after: ContextSide,
        /// Both, item by item.
        pub items: ContextRows,
    }
}

wire! {
    /// What a written session continues with.
    #[serde(tag = "kind", rename_all = "snake_case")]
    pub enum WriteFrom {
        /// Another entry, with or without a summary of what is left behind.
        Navigation {
            /// The target entry.
            to: String,
            /// The entry left; the active leaf when absent.
            #[serde(default)]
            #[ts(optional)]
            from: Option<String>,
            /// The summary.
            #[serde(default)]
            #[ts(optional)]
            summary: Option<String>,
        },
        /// The summary of a run.
        Run {
            /// The run.
            run: String,
            /// Another text in place of its summary.
            #[serde(default)]
            #[ts(optional)]
            text: Option<String>,
        },
        /// Another text in a summary that the session holds.
        Edited {
            /// The entry of the summary.
            summary: String,
            /// The text.
            text: String,
        },
        /// A message of the user at the end, such as what a summary lost.
        Message {
            /// What it says.
            text: String,
        },
        /// The context before a compaction.
        Undone {
            /// The compaction.
            compaction: String,
        },
    }
}

wire! {
    /// Asks for what a summary lost, as one message.
    pub struct PutBackRequest {
        /// The session.
        pub session: String,
        /// The compaction or branch summary; the newest on the active path when absent.
        #[serde(default)]
        #[ts(optional)]
        pub compaction: Option<String>,
        /// The run, in place of a summary of the session.
        #[serde(default)]
        #[ts(optional)]
        pub run: Option<String>,
        /// The facts by their ids in the ledger; when absent, all that the summary dropped, changed
        /// or keeps in part.
        #[serde(default)]
        #[ts(optional)]
        pub facts: Option<Vec<String>>,
        /// Most tokens of the message; 2,000 when absent.
        #[serde(default)]
        #[ts(optional)]
        pub tokens: Option<u64>,
    }
}

wire! {
    /// What a summary lost, as one message.
    pub struct PutBackView {
        /// The message: passages in the words and order of the session; empty where nothing was
        /// lost or nothing fits.
        pub text: String,
        /// Its estimated tokens.
        pub tokens: u64,
        /// The ids of the facts in it.
        pub fact_ids: Vec<String>,
        /// The ids of those that do not fit, weightiest first.
        pub left_out_ids: Vec<String>,
        /// The least tokens with which one of these fits alone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub least_tokens: Option<u64>,
    }
}

wire! {
    /// Asks to write a session, or what that would do.
    pub struct WriteRequest {
        /// The session; of a run its own one when absent.
        #[serde(default)]
        #[ts(optional)]
        pub session: Option<String>,
        /// What it continues with.
        pub from: WriteFrom,
        /// The entry that it ends with, where that is not clear from `from`.
        #[serde(default)]
        #[ts(optional)]
        pub leaf: Option<String>,
        /// True to append to the original instead of writing a new file.
        #[serde(default)]
        #[ts(optional)]
        pub append: Option<bool>,
        /// A file that does not exist, or a folder, for a new session; beside the original when
        /// absent. Only the command line and the desktop window may name one.
        #[serde(default)]
        #[ts(optional)]
        pub out: Option<String>,
    }
}

wire! {
    /// What a write would do; nothing is written.
    pub struct WritePlanView {
        /// What the model gets that the context there does not have: `history`, `branch_summary`,
        /// `compaction`, `edited_summary` or `message`.
        pub change: String,
        /// The entry that the session ends with.
        pub leaf_id: Option<String>,
        /// The file that would be written to.
        pub path: String,
        /// Number of bytes that would be written.
        pub bytes: u64,
        /// Size of the context there as it is now, in estimated tokens.
        pub tokens_before: u64,
        /// The same as the agent would read it.
        pub tokens_after: u64,
        /// The context that the agent would read, in the order sent.
        pub context: Vec<WrittenItem>,
        /// What the user should know, in sentences.
        pub notes: Vec<String>,
    }
}

wire! {
    /// An item of the context of a written session.
    pub struct WrittenItem {
        /// Who says it.
        pub role: Role,
        /// The agent's own word for the role.
        pub native_role: String,
        /// The entry of the original it comes from; absent for what is new.
        pub entry_id: Option<String>,
        /// Estimated tokens.
        pub tokens: u64,
        /// First words.
        pub preview: String,
    }
}

wire! {
    /// A session that was written, or an addition to one.
    pub struct WrittenView {
        /// The id of the write.
        pub id: String,
        /// The written file.
        pub path: String,
        /// The agent that resumes it.
        pub agent: String,
        /// The command line that resumes it.
        pub resume_command: String,
        /// SHA-256 of the file as it was written.
        pub sha256: String,
        /// True for records appended to the original.
        pub appended: bool,
        /// What the model gets that the original's context does not have.
        pub change: String,
        /// The session it was made from.
        pub session: String,
        /// The file of that session.
        pub session_path: String,
        /// The entry that the agent continues from.
        pub leaf_id: Option<String>,
        /// The run whose summary it has.
        pub run_id: Option<String>,
        /// The copy of the original, for an addition.
        pub backup: Option<String>,
        /// What the file is now.
        pub standing: WrittenStanding,
        /// When it was written, Unix milliseconds.
        pub written_at: i64,
        /// What the user should know, in sentences; empty in lists.
        pub notes: Vec<String>,
    }
}

wire! {
    /// Asks for one write.
    pub struct WrittenRequest {
        /// Its id.
        pub id: String,
    }
}
