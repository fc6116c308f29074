//! Full-text search.

use super::{MarkHit, RecordKind, Role, TextRange};

wire! {
    /// Asks for entries that contain words.
    #[derive(Default)]
    pub struct SearchRequest {
        /// Words, "phrases", -exclusions and filters.
        pub query: String,
        /// Number of hits to skip.
        #[serde(default)]
        pub offset: u64,
        /// How many hits to return; 50 when absent.
        #[serde(default)]
        pub limit: Option<u64>,
    }
}

wire! {
    /// A page of hits, newest first.
    pub struct SearchPage {
        /// The hits.
        pub hits: Vec<SearchHit>,
        /// Notes and labels with the words, newest first; on the first page only.
        pub marks: Vec<MarkHit>,
        /// How many notes and labels have the words in all.
        pub marks_total: u64,
        /// True when there are more.
        pub more: bool,
        /// What of the query was not understood.
        pub ignored: Vec<String>,
        /// How long the search took.
        pub elapsed_ms: u64,
    }
}

wire! {
    /// An entry that fits.
    pub struct SearchHit {
        /// The session.
        pub session: String,
        /// Its title.
        pub title: String,
        /// Its project.
        pub project: String,
        /// The agent.
        pub agent: String,
        /// The entry.
        pub entry_id: String,
        /// 0-based physical line.
        pub line: u32,
        /// What the record is.
        pub kind: RecordKind,
        /// Who speaks in it, where it has one message.
        pub role: Option<Role>,
        /// When it was written.
        pub timestamp: Option<i64>,
        /// Words around the first match.
        pub snippet: String,
        /// The matches in the snippet.
        pub ranges: Vec<TextRange>,
    }
}
