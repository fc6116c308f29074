//! Sessions as rows of a list, and one session opened.

use super::{Flag, LinkKind, SummaryKind, Trigger, WiderSearch};

wire! {
    /// A session as a reference to it names it.
    pub struct SessionName {
        /// Palimpsest's id of it.
        pub session: String,
        /// Its id as lists show it and commands take it, cut with an ellipsis.
        pub shown_id: String,
        /// Its title; empty when it has none.
        pub title: String,
        /// When it was begun.
        pub timestamp: Option<i64>,
    }
}

wire! {
    /// A session in the list.
    pub struct SessionRow {
        /// Palimpsest's id of the session.
        pub id: String,
        /// The id that lists show and commands take: the beginning of the agent's own, as long as no
        /// other session has it, cut with an ellipsis; Palimpsest's where several files hold the session.
        pub shown_id: String,
        /// The agent that wrote it, by its name in the index; each format brings its own.
        pub agent: String,
        /// The newest version of the agent that wrote to it.
        pub agent_version: Option<String>,
        /// The session it belongs to or was forked from, as stored: an id, or a path (pi).
        pub parent: Option<String>,
        /// How it relates to the session it belongs to.
        pub parent_kind: Option<LinkKind>,
        /// The session it belongs to or was forked from, when it is in the index; in a list.
        pub parent_name: Option<SessionName>,
        /// The session that continues it; in a list.
        pub continued_in: Option<SessionName>,
        /// Of a session that goes on in another file, and of that one, the first prompt that only the
        /// earlier one has: it was taken back; in a list.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub taken_back: Option<String>,
        /// The source file; `FILE#ID` for one of several sessions in a file.
        pub path: String,
        /// The name given to it, else the first words of the user.
        pub title: String,
        /// True when the user gave it this title.
        pub renamed: bool,
        /// The directory the agent worked in.
        pub cwd: Option<String>,
        /// Name of the project: the last part of `project_root`.
        pub project: String,
        /// The root of the git repository around `cwd`, else `cwd`.
        pub project_root: Option<String>,
        /// The worktree of that repository in which the agent worked.
        pub worktree: Option<String>,
        /// Number of entries.
        pub entries: u64,
        /// Number of leaves of its tree.
        pub leaves: u64,
        /// Number of compactions.
        pub compactions: u64,
        /// Number of branch summaries.
        pub branch_summaries: u64,
        /// What is unusual about its compactions, as far as it was read for that.
        pub flags: Vec<Flag>,
        /// Number of failed tool results and messages.
        pub errors: u64,
        /// Number of calls that the user rejected.
        pub rejections: u64,
        /// Number of lines that could not be read.
        pub warnings: u64,
        /// Size of the source.
        pub bytes: u64,
        /// The model used last.
        pub model: Option<String>,
        /// Largest context a provider reported, in tokens.
        pub peak_context: Option<u64>,
        /// Cost: as the agent stored it, else by the catalog's prices.
        pub cost_usd: Option<f64>,
        /// True where the catalog's prices gave the cost or a part of it.
        pub cost_computed: bool,
        /// True where the cost leaves out models without a price.
        pub cost_partial: bool,
        /// Time of the first record.
        pub created_at: Option<i64>,
        /// Time of the newest entry.
        pub updated_at: Option<i64>,
        /// True while an agent writes it: the source grew within the last minute, by new entries.
        pub live: bool,
        /// Until when it counts as live unless it grows again, in milliseconds since 1970; `None`
        /// where it is not live.
        pub live_until: Option<i64>,
        /// True for the sample sessions that come with the program.
        pub sample: bool,
        /// True while the file is as Palimpsest wrote it: no agent has continued in it.
        pub written: bool,
        /// The first prompt that no other session with the same beginning has, in a list.
        pub differs: Option<String>,
        /// Another file of the same session, by its id, in a list.
        pub copy: Option<String>,
        /// How many entries have the words of the query, in a list by relevance.
        pub hits: Option<u64>,
        /// True when the user put a star on it.
        pub starred: bool,
        /// Number of the user's notes on it and its entries.
        pub notes: u64,
        /// The user's labels on the session itself, oldest first.
        pub labels: Vec<String>,
    }
}

wire! {
    /// Asks for sessions.
    #[derive(Default)]
    pub struct SessionsRequest {
        /// Words and filters (`agent:pi has:compaction project:courier after:2026-10`).
        #[serde(default)]
        pub query: Option<String>,
        /// Only this agent's.
        #[serde(default)]
        pub agent: Option<String>,
        /// How to order them.
        #[serde(default)]
        pub sort: SessionSort,
        /// Number of sessions to skip.
        #[serde(default)]
        pub offset: u64,
        /// How many to return; all when absent.
        #[serde(default)]
        pub limit: Option<u64>,
        /// True to leave out sessions of subagents unless the query says `is:`.
        #[serde(default)]
        pub hide_subagents: bool,
    }
}

wire! {
    /// The order of a session list.
    #[derive(Default)]
    #[serde(rename_all = "snake_case")]
    pub enum SessionSort {
        /// Newest change first.
        #[default]
        Updated,
        /// Largest source first.
        Size,
        /// Highest cost first.
        Cost,
        /// Title, A to Z.
        Title,
        /// Last begun first.
        Created,
        /// Most compactions first.
        Compactions,
        /// Most failed tool results and messages first.
        Errors,
        /// Most rejected calls first.
        Rejections,
        /// Largest context first.
        Context,
        /// Most entries first.
        Entries,
        /// Words in the title first, then the most entries with the words.
        Relevance,
    }
}

wire! {
    /// A page of sessions.
    pub struct SessionPage {
        /// How many fit the query in all.
        pub total: u64,
        /// This page.
        pub sessions: Vec<SessionRow>,
        /// The order they are in.
        pub sort: SessionSort,
        /// The numbers that the query asks for, by the orders of the same name.
        pub asked: Vec<SessionSort>,
        /// How many fit per project, newest first.
        pub projects: Vec<ProjectCount>,
        /// How many sessions of subagents fit and were left out.
        pub hidden: u64,
        /// What of the query has another effect than it says.
        pub ignored: Vec<String>,
        /// Filters with a value that makes no sense; then no session is listed.
        pub not_understood: Vec<String>,
        /// What to change in a search that lists nothing.
        pub wider: WiderSearch,
    }
}

wire! {
    /// A project and its number of sessions.
    pub struct ProjectCount {
        /// The project.
        pub project: String,
        /// Its folder.
        pub root: Option<String>,
        /// The name with as many parts of the folder as tell it from the other projects.
        pub label: String,
        /// Its sessions.
        pub sessions: u64,
    }
}

wire! {
    /// A session opened.
    pub struct SessionView {
        /// The row as in the list.
        pub row: SessionRow,
        /// The session id as the agent wrote it.
        pub native_id: String,
        /// Version of the file format.
        pub format_version: Option<u32>,
        /// The session this one was forked from, as stored.
        pub parent_session: Option<String>,
        /// Other sessions it belongs with: forks, subagents, what it continues.
        pub links: Vec<SessionLinkView>,
        /// The first prompt that other sessions with the same beginning do not have.
        pub own_from: Option<String>,
        /// The first prompt that a later file of the thread goes on without.
        pub taken_back_from: Option<String>,
        /// The files it was read from, where there are several, in order.
        pub files: Vec<SourceFileView>,
        /// The built-in strategy that its agent compacts with.
        pub strategy: String,
        /// True when Palimpsest can write sessions that this agent resumes.
        pub can_write: bool,
        /// True when its file holds a tree, so that a branch can be appended to it.
        pub can_append: bool,
        /// The entry from which the agent would resume.
        pub leaf_id: Option<String>,
        /// Every leaf of the tree.
        pub leaf_ids: Vec<String>,
        /// Its compactions and branch summaries, in file order.
        pub summaries: Vec<SummaryNode>,
        /// What could not be read.
        pub warnings: Vec<WireWarning>,
        /// The entry that is shown when the session is opened: the newest one of the conversation at
        /// or above the active leaf.
        pub opens_at: Option<String>,
        /// What it used and cost, by model.
        pub spending: Vec<SpendingView>,
        /// The subagents it started.
        pub subagents: Vec<SubagentView>,
        /// The model in force at the active leaf.
        pub model: Option<String>,
        /// Its context window; absent when the catalog does not know the model.
        pub window: Option<u64>,
        /// The auto-compaction threshold in tokens.
        pub threshold: Option<u64>,
        /// Automatic compactions of the session that the threshold was learned from; absent where it is
        /// the agent's default for the model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub threshold_from: Option<u32>,
        /// Output reserve in tokens.
        pub reserve: u64,
        /// Counts up each time the source is seen to have changed.
        pub generation: u64,
    }
}

wire! {
    /// What a session used of one model.
    pub struct SpendingView {
        /// Provider and model, as the agent spells them.
        pub model: String,
        /// Number of requests.
        pub requests: u64,
        /// Uncached input in tokens.
        pub input: u64,
        /// Output in tokens.
        pub output: u64,
        /// Tokens of `output` that are estimated: the agent stored those of replies that had just
        /// begun.
        pub estimated_output: u64,
        /// Tokens read from the cache.
        pub cache_read: u64,
        /// Tokens written to the cache.
        pub cache_write: u64,
        /// The cost; absent where the agent stored none and the catalog has no price.
        pub cost_usd: Option<f64>,
        /// True where the catalog's prices gave the cost.
        pub cost_computed: bool,
        /// The cost by kind of token, by the catalog's prices.
        pub parts: Option<CostPartsView>,
    }
}

wire! {
    /// A cost in US dollars by kind of token.
    #[derive(Copy)]
    pub struct CostPartsView {
        /// Of the uncached input.
        pub input: f64,
        /// Of the output.
        pub output: f64,
        /// Of what was read from the cache.
        pub cache_read: f64,
        /// Of what was written to the cache.
        pub cache_write: f64,
    }
}

wire! {
    /// A subagent: what it was to do, what it said in the end, what it took.
    pub struct SubagentView {
        /// The agent's id of it, where stored.
        pub agent_id: Option<String>,
        /// The provider's id of the call that started it.
        pub call_id: Option<String>,
        /// The entry with that call.
        pub entry_id: Option<String>,
        /// The entry with its result.
        pub result_id: Option<String>,
        /// Which kind of subagent.
        pub kind: Option<String>,
        /// Its task in a few words.
        pub task: Option<String>,
        /// The first words of its result.
        pub result: Option<String>,
        /// The same as sanitized blocks.
        pub result_blocks: Vec<super::MdBlock>,
        /// True where it failed or was refused.
        pub is_error: bool,
        /// Size of its last context in tokens.
        pub tokens: Option<u64>,
        /// Tools it called.
        pub calls: Option<u64>,
        /// How long it worked, in milliseconds.
        pub duration_ms: Option<u64>,
        /// What its requests cost.
        pub cost_usd: Option<f64>,
        /// True where the catalog's prices gave the cost.
        pub cost_computed: bool,
        /// Palimpsest's id of its session, where it has a file that is in the index.
        pub session: Option<String>,
        /// The first entry of its conversation, where this session holds it.
        pub first_entry: Option<String>,
        /// Entries of its conversation that this session holds.
        pub entries: u64,
    }
}

wire! {
    /// Another session that a session belongs with.
    pub struct SessionLinkView {
        /// What it is to this session, or where `reversed` is set, what this session is to it.
        pub kind: LinkKind,
        /// True for a session whose record names this one: a fork of it, or one that continues it.
        pub reversed: bool,
        /// Its id as its agent wrote it.
        pub native_id: String,
        /// Palimpsest's id of it, when it is in the index.
        pub session: Option<String>,
        /// How it is named, when it is in the index.
        pub name: Option<SessionName>,
        /// The entry of this session at which it hangs.
        pub entry_id: Option<String>,
        /// The first entry of the other session that the ones with its beginning do not have: where
        /// it parts from this one.
        pub other_entry_id: Option<String>,
        /// A few words about it.
        pub label: Option<String>,
    }
}

wire! {
    /// One of the files a session was read from.
    pub struct SourceFileView {
        /// The file.
        pub path: String,
        /// Its first entry.
        pub first_entry_id: Option<String>,
        /// Number of its entries.
        pub entries: u64,
    }
}

wire! {
    /// A compaction or branch summary of a session.
    pub struct SummaryNode {
        /// The entry.
        pub entry_id: String,
        /// What it stands for.
        pub kind: SummaryKind,
        /// Time of the entry.
        pub timestamp: Option<i64>,
        /// Context size before, in tokens.
        pub tokens_before: Option<u64>,
        /// True where `tokens_before` is an estimate: neither the agent nor the provider recorded it.
        pub before_is_estimate: bool,
        /// Context size right after, in tokens: of the next request.
        pub tokens_after: u64,
        /// True where `tokens_after` is a forecast: no request was reported before the next
        /// compaction.
        pub after_is_forecast: bool,
        /// Likely tokens of the summary.
        pub summary_tokens: u64,
        /// What started it, where stored.
        pub trigger: Option<Trigger>,
        /// First words of the summary.
        pub preview: String,
        /// True when it is on the path to the active leaf.
        pub on_active_path: bool,
    }
}

wire! {
    /// Part of a source that could not be read.
    pub struct WireWarning {
        /// 0-based physical line.
        pub line: Option<u32>,
        /// What is wrong.
        pub reason: String,
    }
}

wire! {
    /// Names a session: its id, a unique prefix of it, or a path.
    pub struct SessionRequest {
        /// The session.
        pub session: String,
    }
}

wire! {
    /// Asks to bring the index up to date.
    pub struct IndexRequest {
        /// Folders or files; the configured and default places when empty.
        #[serde(default)]
        pub roots: Vec<String>,
    }
}

wire! {
    /// What indexing did.
    pub struct IndexReport {
        /// Sessions now in the index.
        pub sessions: u64,
        /// Entries now in the index.
        pub entries: u64,
        /// Bytes read.
        pub bytes: u64,
        /// Lines that could not be read.
        pub warnings: u64,
        /// Skipped sources, because nothing changed.
        pub unchanged: u64,
        /// Sources that are gone.
        pub removed: u64,
        /// Sources that could not be read at all.
        pub failed: Vec<FailedSource>,
        /// Folders that were named and hold no session of a known agent.
        pub without_session: Vec<String>,
        /// Wall time.
        pub elapsed_ms: u64,
    }
}

wire! {
    /// A source that could not be read.
    pub struct FailedSource {
        /// The file.
        pub path: String,
        /// Why.
        pub reason: String,
    }
}
