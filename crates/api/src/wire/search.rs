//! Full-text search.

use super::{
    AnsweredCall, MarkHit, NamedKind, PlanAnswer, QueuedView, RecordKind, Role, SessionName,
    TextRange,
};

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
        /// How to order them.
        #[serde(default)]
        pub sort: SearchSort,
        /// Where vectors come from for the order by meaning, in place of what is set up:
        /// `PROVIDER:MODEL`, or a file of word vectors.
        #[serde(default)]
        pub embeddings: Option<String>,
        /// True to put the hits of a session together, in the order of its entries, and to give
        /// each the prompt before it.
        #[serde(default)]
        pub grouped: bool,
        /// True to give each hit the prompt before it, in any order.
        #[serde(default)]
        #[ts(optional)]
        pub prompts: Option<bool>,
        /// False to leave out what to change where nothing or little is found, which takes longer.
        #[serde(default)]
        #[ts(optional)]
        pub changes: Option<bool>,
    }
}

wire! {
    /// The order of hits.
    #[derive(Default)]
    #[serde(rename_all = "snake_case")]
    pub enum SearchSort {
        /// Newest first.
        #[default]
        Newest,
        /// Oldest first.
        Oldest,
        /// Best answer first, among the newest.
        Relevance,
        /// Largest entry first.
        Size,
        /// Nearest in meaning first, by the embedding model that is set up.
        Meaning,
    }
}

wire! {
    /// Asks what the hits of a query are of, and how many of each.
    pub struct CountRequest {
        /// Words, "phrases", -exclusions and filters.
        pub query: String,
        /// What they are counted by.
        pub by: CountBy,
        /// How many names to return, the most frequent first; 20 when absent.
        #[serde(default)]
        pub limit: Option<u64>,
    }
}

wire! {
    /// What hits are counted by.
    #[derive(Copy, Eq)]
    #[serde(rename_all = "snake_case")]
    pub enum CountBy {
        /// The tools of their calls; of a query for failed or rejected ones only of these calls.
        Tool,
        /// The commands of their failed and rejected calls.
        Command,
        /// The project of the session.
        Project,
        /// The agent that wrote the session.
        Agent,
    }
}

wire! {
    /// Hits counted by what they are of, the most frequent first.
    pub struct CountView {
        /// What they are counted by.
        pub by: CountBy,
        /// The most frequent names.
        pub rows: Vec<CountRow>,
        /// How many names there are.
        pub names: u64,
        /// How many entries were found.
        pub hits: u64,
        /// How many of these have no such name.
        pub without: u64,
        /// True where calls are counted and not entries.
        pub counts_calls: bool,
        /// True when the query asks for nothing that entries have.
        pub nothing_asked: bool,
        /// What of the query has another effect than it says.
        pub ignored: Vec<String>,
        /// Filters with a value that makes no sense; then nothing is counted.
        pub not_understood: Vec<String>,
        /// How long it took.
        pub elapsed_ms: u64,
    }
}

wire! {
    /// Hits with one name.
    pub struct CountRow {
        /// The tool, the command, the project or the agent.
        pub name: String,
        /// How many there are.
        pub count: u64,
        /// In how many sessions.
        pub sessions: u64,
        /// The query that finds them.
        pub query: String,
        /// The newest of them; absent when it was removed meanwhile.
        pub newest: Option<NewestHit>,
    }
}

wire! {
    /// The newest hit with a name.
    pub struct NewestHit {
        /// The session.
        pub session: String,
        /// Its id as lists show it.
        pub shown_id: String,
        /// Its title; empty when it has none.
        pub title: String,
        /// The entry.
        pub entry_id: String,
        /// When it was written.
        pub timestamp: Option<i64>,
    }
}

wire! {
    /// A part of the query language.
    pub struct SearchFilter {
        /// What is typed, up to where the value begins.
        pub write: String,
        /// What it finds.
        pub meaning: String,
        /// A whole example.
        pub example: String,
    }
}

wire! {
    /// Asks what one session says of something.
    #[derive(Default)]
    pub struct FindRequest {
        /// The session.
        pub session: String,
        /// Words, "phrases", -exclusions and filters of entries.
        pub query: String,
        /// The compaction that parts the columns; the newest on the active path when absent.
        #[serde(default)]
        pub compaction: Option<String>,
        /// How many hits a column has at most; 100 when absent.
        #[serde(default)]
        pub limit: Option<u64>,
    }
}

wire! {
    /// What one session says of something: before a compaction, in summaries, after it.
    pub struct FindView {
        /// The session.
        pub session: String,
        /// The compaction that parts the columns; absent in a session without one.
        pub compaction: Option<String>,
        /// Entries before it, and all of a session without a compaction.
        pub before: FindColumn,
        /// Compactions and branch summaries.
        pub summaries: FindColumn,
        /// Entries after it.
        pub after: FindColumn,
        /// What of the query has another effect than it says.
        pub ignored: Vec<String>,
        /// Filters with a value that makes no sense; then nothing is found.
        pub not_understood: Vec<String>,
        /// What to change in a search that finds nothing.
        pub wider: WiderSearch,
    }
}

wire! {
    /// A change of a search that finds nothing or little, after which it finds more.
    pub struct SearchChange {
        /// The word or filter, as it is written.
        pub piece: String,
        /// What stands in its place; absent where it is left out.
        pub instead: Option<String>,
        /// The search with the change.
        pub query: String,
        /// How many it finds; absent where they are not counted.
        pub total: Option<u64>,
    }
}

wire! {
    /// What to change in a search that finds nothing.
    #[derive(Default)]
    pub struct WiderSearch {
        /// Changes of one word or filter: what may stand for one first, each in the order of the search.
        pub changes: Vec<SearchChange>,
        /// Words and filters that find nothing by themselves, where no single change helps.
        pub absent: Vec<String>,
    }
}

wire! {
    /// A compaction of the session of a hit.
    pub struct CompactionAt {
        /// Its entry.
        pub entry_id: String,
        /// When it was written.
        pub timestamp: Option<i64>,
    }
}

wire! {
    /// The hits of one column, in the order of the session: oldest first.
    pub struct FindColumn {
        /// How many there are.
        pub total: u64,
        /// The first of them.
        pub hits: Vec<FindHit>,
    }
}

wire! {
    /// An entry that fits.
    pub struct FindHit {
        /// The entry.
        pub entry_id: String,
        /// What the record is.
        pub kind: RecordKind,
        /// Who speaks in it, where it has one message.
        pub role: Option<Role>,
        /// The tools it calls or holds results of.
        pub tools: Vec<String>,
        /// True for a failed tool or message.
        pub is_error: bool,
        /// True for a reply that the user stopped.
        pub aborted: bool,
        /// True for the result of a call that the user rejected.
        pub rejected: bool,
        /// True for what a subagent said or did inside the session that started it.
        pub in_subagent: bool,
        /// The subagent that wrote it: its names and what it was started for.
        pub subagent: Option<String>,
        /// True for a reply that has nothing but what the model thought.
        pub thinking: bool,
        /// The agent's own name for a record that is of no common kind.
        pub record: Option<String>,
        /// The models before and behind it, where the model changes.
        pub change: Option<String>,
        /// The call that a failed or rejected result answers.
        pub call: Option<AnsweredCall>,
        /// What became of a queued prompt.
        pub queued: Option<QueuedView>,
        /// The compaction before it, where the search is for files that are read again.
        pub after_compaction: Option<CompactionAt>,
        /// When it was written.
        pub timestamp: Option<i64>,
        /// True when it is on the path to the active leaf.
        pub on_active_path: bool,
        /// The beginning of the prompt above it; absent for a prompt.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub prompt: Option<String>,
        /// Words around the first match.
        pub snippet: String,
        /// The matches in the snippet.
        pub ranges: Vec<TextRange>,
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
        /// What has the id that the query consists of, besides entries; on the first page only.
        pub named: Vec<NamedHit>,
        /// What was compared and what was sent for it, where hits are by meaning.
        pub note: Option<String>,
        /// True when there are more.
        pub more: bool,
        /// How many there are in all; absent for phrases, which are looked up page by page, and for
        /// words in too many entries to be counted.
        pub total: Option<u64>,
        /// True when the query asks for nothing that entries, notes or labels have.
        pub nothing_asked: bool,
        /// True when it consists of filters that choose sessions, so that no entry was searched.
        pub only_filters: bool,
        /// What of the query has another effect than it says.
        pub ignored: Vec<String>,
        /// Filters with a value that makes no sense; then nothing is found.
        pub not_understood: Vec<String>,
        /// How many hits at the beginning have the words next to each other, in the order of the query.
        pub together: u64,
        /// What to change in a search that finds nothing, and which words to leave out of one that finds
        /// little; on the first page only.
        pub wider: WiderSearch,
        /// How long the search took.
        pub elapsed_ms: u64,
    }
}

wire! {
    /// An entry that fits.
    pub struct SearchHit {
        /// The session.
        pub session: String,
        /// Its id as lists show it.
        pub shown_id: String,
        /// The other files that hold the same session and entry.
        pub also_in: Vec<SessionName>,
        /// Its title.
        pub title: String,
        /// Its project.
        pub project: String,
        /// The agent.
        pub agent: String,
        /// The entry.
        pub entry_id: String,
        /// Position of the entry in the session.
        pub ix: u32,
        /// 0-based physical line.
        pub line: u32,
        /// What the record is.
        pub kind: RecordKind,
        /// Who speaks in it, where it has one message.
        pub role: Option<Role>,
        /// The tools it calls or holds results of.
        pub tools: Vec<String>,
        /// True for a failed tool or message.
        pub is_error: bool,
        /// True for a reply that the user stopped.
        pub aborted: bool,
        /// True for the result of a call that the user rejected.
        pub rejected: bool,
        /// True for what a subagent said or did inside the session that started it.
        pub in_subagent: bool,
        /// The subagent that wrote it: its names and what it was started for.
        pub subagent: Option<String>,
        /// True for a reply that has nothing but what the model thought.
        pub thinking: bool,
        /// True where it comes before newer hits: it has the words of the query next to each other,
        /// or started a subagent whose entries are asked for.
        pub first: bool,
        /// The agent's own name for a record that is of no common kind.
        pub record: Option<String>,
        /// The models before and behind it, where the model changes.
        pub change: Option<String>,
        /// The call that a failed or rejected result answers.
        pub call: Option<AnsweredCall>,
        /// What became of a queued prompt.
        pub queued: Option<QueuedView>,
        /// What the user answered to the plan, where the search is for plans.
        pub plan: Option<PlanAnswer>,
        /// The compaction before it, where the search is for files that are read again.
        pub after_compaction: Option<CompactionAt>,
        /// When it was written.
        pub timestamp: Option<i64>,
        /// Size in tokens by the agent's own estimate, where hits are ordered by it.
        pub tokens: Option<u64>,
        /// Words around the first match.
        pub snippet: String,
        /// The matches in the snippet.
        pub ranges: Vec<TextRange>,
        /// The beginning of the prompt before it, where that was asked for.
        pub prompt: Option<String>,
    }
}

wire! {
    /// Something with the id that a query consists of.
    pub struct NamedHit {
        /// What it is.
        pub kind: NamedKind,
        /// Its id; `NAME@VERSION` of a prompt.
        pub id: String,
        /// The id of a session as lists show it.
        pub shown_id: Option<String>,
        /// Palimpsest's id of the session it belongs to.
        pub session: Option<String>,
        /// The title of that session; of a prompt its first words.
        pub title: String,
        /// What is known of it beside the title: strategy, model and state of a run, the file of a
        /// write.
        pub about: String,
        /// False for a run without a summary: failed, cancelled or still running.
        pub has_summary: bool,
        /// When it was made; of a session its newest entry.
        pub timestamp: Option<i64>,
    }
}
