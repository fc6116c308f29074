//! Exports.

wire! {
    /// What is exported.
    #[derive(Copy, Eq)]
    #[serde(rename_all = "snake_case")]
    pub enum ExportWhat {
        /// The session: its figures and the entries on the active path.
        Session,
        /// Every entry with its first words.
        Tree,
        /// One entry.
        Entry,
        /// The context at an entry.
        Context,
        /// The facts of a summary, and its figures.
        Ledger,
        /// Several summaries side by side.
        Comparison,
        /// The life of each fact over all compactions.
        Chain,
        /// A summary with edited files and open tasks, for whoever goes on.
        Handoff,
    }
}

wire! {
    /// The form of an export.
    #[derive(Copy, Eq, Default)]
    #[serde(rename_all = "snake_case")]
    pub enum ExportForm {
        /// Markdown.
        #[default]
        Markdown,
        /// One HTML file that needs no network and no script.
        Html,
        /// JSON as the commands answer it.
        Json,
    }
}

wire! {
    /// Asks for an export.
    pub struct ExportRequest {
        /// The session.
        pub session: String,
        /// What is exported.
        pub what: ExportWhat,
        /// Its form.
        #[serde(default)]
        pub form: ExportForm,
        /// True to replace names and paths by others. Text ranges in JSON are emptied then.
        #[serde(default)]
        pub mask: bool,
        /// The entry, of a context the one stood on, of a session the last one; the active leaf when
        /// absent.
        #[serde(default)]
        pub entry: Option<String>,
        /// The summary, of a ledger and a hand-off: `entry:ID` or a run; the newest
        /// compaction when absent.
        #[serde(default)]
        pub of: Option<String>,
        /// The summaries of a comparison: each `entry:ID` or a run.
        #[serde(default)]
        pub sides: Vec<String>,
        /// A file that does not exist, or a folder: the export is written there.
        #[serde(default)]
        pub out: Option<String>,
    }
}

wire! {
    /// An export.
    pub struct ExportView {
        /// A name for its file.
        pub file_name: String,
        /// Its MIME type.
        pub media_type: String,
        /// The file it was written to, where one was asked for.
        pub path: Option<String>,
        /// Its text.
        pub text: String,
    }
}
