//! The command line's words, parsed; what they mean is in [`crate::run`].

mod actions;
mod plan;
mod values;

pub use actions::{CoderAction, LabAction, PromptAction, WrittenAction};
pub use plan::{CompactPlace, LimitArgs, PlanArgs, PlanPlace, ProviderArgs};

use clap::{CommandFactory as _, Parser, Subcommand};
use palimpsest_api::wire::{CountBy, ExportWhat, JudgeWhat, SearchSort, SessionSort, Tokenizer};
use std::path::PathBuf;
use values::{
    cost_limit, count, count_bys, exports, figure_codes, hit_sorts, judge_questions, key_value,
    path, port, search_help, session_sorts, tokenizers, tokens,
};

/// The commands with their options.
pub fn command() -> clap::Command {
    Cli::command()
}

/// Explore sessions of coding agents: trees, contexts, compactions, and what summaries dropped.
#[derive(Debug, Parser)]
#[command(name = "palimpsest", version, about, max_term_width = 100)]
pub struct Cli {
    /// Print one JSON document on standard output.
    #[arg(long, global = true)]
    pub json: bool,
    /// Data folder [default: the data folder of the user] [env: PALIMPSEST_DATA_DIR].
    // Not as `env` of the parser, which then adds the option to every usage line.
    #[arg(long, global = true, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// Use the built-in sample sessions instead of the session folders.
    #[arg(long, global = true)]
    pub samples: bool,
    /// The command to run.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Update the index.
    Index {
        /// Folders or files [default: the session folders of the agents].
        #[arg(value_parser = path)]
        roots: Vec<String>,
    },
    /// List indexed sessions.
    #[command(after_help = search_help())]
    Sessions {
        /// Only sessions of this agent.
        #[arg(long)]
        agent: Option<String>,
        /// The order: updated, created, size, entries, context, compactions, errors, rejections,
        /// cost, title or relevance.
        #[arg(long, value_name = "ORDER", default_value = "updated", value_parser = session_sorts())]
        sort: SessionSort,
        /// Maximum number of sessions [default: all].
        #[arg(long, allow_negative_numbers = true, value_parser = count)]
        limit: Option<u64>,
        /// Words and filters, such as `has:compaction project:courier`.
        query: Vec<String>,
    },
    /// Show the tree of a session.
    Tree {
        /// A file or its name, an id, or a unique prefix of an id.
        session: String,
    },
    /// Show what a session cost: by model, its prompts, most expensive first, and its subagents,
    /// longest first.
    Cost {
        /// A file or its name, an id, or a unique prefix of an id.
        session: String,
        /// Maximum number of prompts, and of subagents.
        #[arg(long, allow_negative_numbers = true, default_value = "20", value_parser = count)]
        limit: u64,
    },
    /// Print one entry whole.
    Entry {
        /// A file or its name, an id, or a unique prefix of an id.
        session: String,
        /// The entry: an id, a unique prefix of an id, `leaf`, or `line:N` (lines counted from 0).
        entry: String,
    },
    /// Show the context at an entry.
    Context {
        /// A file or its name, an id, or a unique prefix of an id.
        session: String,
        /// The entry, as with --at.
        #[arg(conflicts_with = "at")]
        entry: Option<String>,
        /// The entry: an id, a unique prefix of an id, `leaf`, or `line:N` (lines counted from 0) [default: leaf].
        #[arg(long, value_name = "ENTRY")]
        at: Option<String>,
        /// The encoding to count tokens with.
        #[arg(long, value_name = "T", value_parser = tokenizers())]
        tokenizer: Option<Tokenizer>,
    },
    /// Show the plan of a compaction, or of a branch summary with --to. Nothing is run.
    Plan {
        /// What to plan.
        #[command(flatten)]
        plan: PlanArgs,
        /// The entries.
        #[command(flatten)]
        place: PlanPlace,
        /// The provider, for the destination and the price.
        #[command(flatten)]
        by: ProviderArgs,
    },
    /// Plan and run a compaction. The session file does not change.
    Compact {
        /// What to plan.
        #[command(flatten)]
        plan: PlanArgs,
        /// The entry.
        #[command(flatten)]
        place: CompactPlace,
        /// The provider.
        #[command(flatten)]
        by: ProviderArgs,
        /// The cost limit.
        #[command(flatten)]
        limit: LimitArgs,
    },
    /// Summarize the entries left behind when a session continues at another entry. The session
    /// file does not change.
    BranchSummary {
        /// What to plan.
        #[command(flatten)]
        plan: PlanArgs,
        /// The start entry: an id, a unique prefix of an id, `leaf`, or `line:N` (lines counted from 0) [default: leaf].
        #[arg(long, value_name = "ENTRY")]
        from: Option<String>,
        /// The target entry.
        #[arg(long, value_name = "ENTRY")]
        to: String,
        /// The provider.
        #[command(flatten)]
        by: ProviderArgs,
        /// The cost limit.
        #[command(flatten)]
        limit: LimitArgs,
    },
    /// Show what is left behind when a session continues on another branch (at another entry), and
    /// what the context would be there. With --write, write a session that the agent resumes there.
    #[command(visible_alias = "switch-branch")]
    Navigate {
        /// The session, and how the default summary is planned.
        #[command(flatten)]
        plan: PlanArgs,
        /// The target entry: an id, a unique prefix of an id, `leaf`, or `line:N` (lines counted from 0);
        /// `tree` lists them.
        #[arg(long, value_name = "ENTRY")]
        to: String,
        /// The start entry: an id, a unique prefix of an id, `leaf`, or `line:N` (lines counted from 0) [default: leaf].
        #[arg(long, value_name = "ENTRY")]
        from: Option<String>,
        /// The summary of the entries left behind: `none`, `default` to write one now, the id of a
        /// run of `branch-summary`, or a file with the text.
        #[arg(long, value_name = "none|default|RUN|FILE", default_value = "none")]
        summary: String,
        /// The provider, for `--summary default`.
        #[command(flatten)]
        by: ProviderArgs,
        /// The cost limit.
        #[command(flatten)]
        limit: LimitArgs,
        /// Write the session.
        #[arg(long)]
        write: bool,
        /// Append to the original file, after a backup, instead of writing a new session (pi).
        #[arg(long, requires = "write", conflicts_with = "out")]
        append: bool,
        /// A file that does not exist, or a folder [default: beside the original].
        #[arg(long, value_name = "PATH", requires = "write")]
        out: Option<PathBuf>,
    },
    /// List the branches of a session, or compare two of them: what each did since they parted.
    Branches {
        /// A file or its name, an id, or a unique prefix of an id.
        session: String,
        /// The last entry of a branch to compare.
        left: Option<String>,
        /// The last entry of the other [default: leaf].
        #[arg(requires = "left")]
        right: Option<String>,
    },
    /// Write a session that its agent resumes: with the summary of a run, an edited summary, or the
    /// context before a compaction.
    #[command(visible_alias = "write")]
    Apply {
        /// The run whose summary is written.
        #[arg(required_unless_present_any = ["summary", "undo"])]
        run: Option<String>,
        /// The session, for --summary and --undo.
        #[arg(long, value_name = "SESSION")]
        session: Option<String>,
        /// The compaction or branch summary of the session that gets the text of --text-file.
        #[arg(long, value_name = "ENTRY", requires_all = ["session", "text_file"], conflicts_with = "run")]
        summary: Option<String>,
        /// A file with the summary, in place of that of the run or entry.
        #[arg(long, value_name = "F")]
        text_file: Option<PathBuf>,
        /// The compaction to undo.
        #[arg(long, value_name = "ENTRY", requires = "session", conflicts_with_all = ["run", "summary", "text_file"])]
        undo: Option<String>,
        /// The last entry of the written session [default: of a run the active leaf where the summary
        /// is the newest on its path, else the entry of the run; of --summary the last entry before
        /// the next compaction].
        #[arg(long, value_name = "ENTRY")]
        leaf: Option<String>,
        /// Show what would be written instead.
        #[arg(long)]
        dry_run: bool,
        /// A new session, or an addition to the original file after a backup (pi).
        #[arg(long, value_name = "new|append", default_value = "new", value_parser = ["new", "append"])]
        to: String,
        /// A file that does not exist, or a folder [default: beside the original].
        #[arg(long, value_name = "PATH")]
        out: Option<PathBuf>,
    },
    /// Print what a summary lost as one message in the words and order of the session, or write it
    /// behind the session.
    PutBack {
        /// A file or its name, an id, or a unique prefix of an id.
        session: String,
        /// The compaction or branch summary [default: the newest on the active path].
        #[arg(long, value_name = "ENTRY", conflicts_with = "run")]
        compaction: Option<String>,
        /// The run whose summary lost it.
        #[arg(long, value_name = "RUN")]
        run: Option<String>,
        /// A fact by its id in the ledger; can be repeated [default: all that was lost].
        #[arg(long = "fact", value_name = "ID")]
        facts: Vec<String>,
        /// Most tokens of the message.
        #[arg(long, value_name = "TOKENS", allow_negative_numbers = true, default_value = "2000", value_parser = tokens)]
        budget: u64,
        /// Write a session that ends with the message.
        #[arg(long)]
        write: bool,
        /// Append to the original file, after a backup, instead of writing a new session (pi).
        #[arg(long, requires = "write", conflicts_with = "out")]
        append: bool,
        /// A file that does not exist, or a folder [default: beside the original].
        #[arg(long, value_name = "PATH", requires = "write")]
        out: Option<PathBuf>,
    },
    /// List what Palimpsest wrote, or take it back.
    Written {
        /// The action [default: list all].
        #[command(subcommand)]
        action: Option<WrittenAction>,
    },
    /// Show which facts a summary kept and dropped.
    Ledger {
        /// A file or its name, an id, or a unique prefix of an id.
        session: String,
        /// A compaction or branch summary of the session [default: the newest compaction on the active
        /// path, else the newest branch summary].
        #[arg(long, value_name = "ENTRY", group = "what")]
        compaction: Option<String>,
        /// The run to measure.
        #[arg(long, value_name = "RUN", group = "what")]
        run: Option<String>,
        /// A file with a summary, compared with the span that a compaction at --at would summarize.
        #[arg(long, value_name = "F", group = "what", requires = "at")]
        summary_file: Option<PathBuf>,
        /// The entry at which the summary of --summary-file would stand.
        #[arg(long, value_name = "ENTRY")]
        at: Option<String>,
        /// Print the figures of the summary instead of the facts; with --json beside them.
        #[arg(long, conflicts_with = "summary_file")]
        figures: bool,
        /// Print one figure with its definition and the lines that it counts, by its code (D1 to D19).
        #[arg(
            long,
            value_name = "CODE",
            conflicts_with = "summary_file",
            value_parser = figure_codes()
        )]
        figure: Option<String>,
    },
    /// Ask a model about a summary, or list what was asked. Nothing is asked without --what.
    Judge {
        /// A file or its name, an id, or a unique prefix of an id.
        session: String,
        /// The question: facts (decisions, findings and constraints of what a summary stands for),
        /// pair (which of two summaries of one cut is better), probes (questions with known answers,
        /// from the context after a summary), claims (statements of a summary checked in what it
        /// stands for, and facts of that in the context after the summary) [default: list the judgements of the session].
        #[arg(long, value_name = "QUESTION", value_parser = judge_questions(), requires = "provider")]
        what: Option<JudgeWhat>,
        /// A compaction or branch summary of the session; can be repeated for a pair [default: the
        /// newest on the active path].
        #[arg(long, value_name = "ENTRY", requires = "what")]
        compaction: Vec<String>,
        /// A run of the session; can be repeated for a pair.
        #[arg(long, value_name = "RUN", requires = "what")]
        run: Vec<String>,
        /// The provider.
        #[arg(long, value_name = "P")]
        provider: Option<String>,
        /// The model.
        #[arg(long, value_name = "M", requires = "provider")]
        model: Option<String>,
        /// The address of the provider, if not the default.
        #[arg(long, value_name = "URL", requires = "provider")]
        base_url: Option<String>,
        /// The context window of the model in tokens [default: that of the catalog].
        #[arg(long, value_name = "TOKENS", requires = "what", allow_negative_numbers = true, value_parser = tokens)]
        window: Option<u64>,
        /// Most tokens of the session in one call.
        #[arg(long, value_name = "TOKENS", requires = "what", allow_negative_numbers = true, value_parser = tokens)]
        chunk: Option<u64>,
        /// Show the calls, tokens and the price instead. Nothing is sent.
        #[arg(long, requires = "what")]
        dry_run: bool,
        /// The cost limit.
        #[command(flatten)]
        limit: LimitArgs,
        /// Show a judgement with its replies, by its id or a unique prefix of it.
        #[arg(long, value_name = "ID", conflicts_with_all = ["what", "delete"])]
        show: Option<String>,
        /// Delete a judgement, and with it its facts and verdicts in ledgers.
        #[arg(long, value_name = "ID", conflicts_with = "what")]
        delete: Option<String>,
    },
    /// Show what became of each fact over all compactions of a session.
    Chain {
        /// A file or its name, an id, or a unique prefix of an id.
        session: String,
        /// An entry of the path whose compactions are shown [default: leaf].
        #[arg(long, value_name = "ENTRY")]
        at: Option<String>,
        /// Only facts that were lost and then needed.
        #[arg(long)]
        needed: bool,
        /// Maximum number of facts, the most important first.
        #[arg(long, allow_negative_numbers = true, default_value = "60", value_parser = count)]
        limit: u64,
    },
    /// Edit a summary and keep it as a run, which `apply` writes. The session file does not change.
    Edit {
        /// A file or its name, an id, or a unique prefix of an id.
        session: String,
        /// A compaction of the session [default: the newest on the active path].
        #[arg(long, value_name = "ENTRY", group = "what")]
        compaction: Option<String>,
        /// A run of the session.
        #[arg(long, value_name = "RUN", group = "what")]
        run: Option<String>,
        /// A file with the edited summary [default: the summary as it is].
        #[arg(long, value_name = "F")]
        text_file: Option<PathBuf>,
        /// Put a fact under the section that fits it, by its id in `ledger --json`; can be repeated.
        #[arg(long, value_name = "FACT")]
        insert: Vec<String>,
    },
    /// Export a session or a part of it as Markdown, as one HTML file, or with --json as JSON.
    Export {
        /// A file or its name, an id, or a unique prefix of an id.
        session: String,
        /// What: session, tree, entry, context, ledger, chain, comparison or handoff.
        #[arg(value_name = "WHAT", default_value = "session", value_parser = exports())]
        what: ExportWhat,
        /// One HTML file that needs no network.
        #[arg(long, conflicts_with = "json")]
        html: bool,
        /// Replace names and paths by others: addresses, parts of paths, and wherever they stand the
        /// names of the user, the project, accounts, mentions and authors. Plain words stay, and so do
        /// names that occur only in prose.
        #[arg(long)]
        mask: bool,
        /// The entry, of a context the one stood on, of a session the last one [default: leaf].
        #[arg(long, value_name = "ENTRY")]
        entry: Option<String>,
        /// A compaction, for ledger, handoff and comparison; can be repeated [default: the newest on
        /// the active path].
        #[arg(long, value_name = "ENTRY")]
        compaction: Vec<String>,
        /// A run, for ledger, handoff and comparison; can be repeated.
        #[arg(long, value_name = "RUN")]
        run: Vec<String>,
        /// A file that does not exist, or a folder [default: standard output].
        #[arg(long, value_name = "PATH")]
        out: Option<PathBuf>,
    },
    /// Put a star on a session; `sessions is:starred` lists those that have one.
    Star {
        /// A file or its name, an id, or a unique prefix of an id.
        session: String,
        /// Remove the star.
        #[arg(long)]
        remove: bool,
    },
    /// Write a note on a session or an entry, or list the notes of a session.
    Note {
        /// A file or its name, an id, or a unique prefix of an id.
        session: String,
        /// `TEXT` for the session, `ENTRY TEXT` for an entry; without, lists the notes.
        #[arg(value_names = ["ENTRY", "TEXT"], num_args = 0..=2)]
        words: Vec<String>,
        /// Delete the note on the session, or on the entry named.
        #[arg(long)]
        delete: bool,
    },
    /// Label a session or an entry, or list the labels of a session.
    Label {
        /// A file or its name, an id, or a unique prefix of an id.
        session: String,
        /// `TEXT` for the session, `ENTRY TEXT` for an entry; without, lists the labels.
        #[arg(value_names = ["ENTRY", "TEXT"], num_args = 0..=2)]
        words: Vec<String>,
        /// Remove the label.
        #[arg(long, requires = "words")]
        remove: bool,
    },
    /// Give a session a title, or remove the title you gave it.
    Rename {
        /// A file or its name, an id, or a unique prefix of an id.
        session: String,
        /// The title.
        #[arg(required_unless_present = "reset")]
        title: Vec<String>,
        /// Remove the title, so that the session has its own one again.
        #[arg(long, conflicts_with = "title")]
        reset: bool,
    },
    /// Search one session: before a compaction, in summaries, after it.
    Find {
        /// A file or its name, an id, or a unique prefix of an id.
        session: String,
        /// Words, "phrases", -excluded words and filters of entries.
        #[arg(required = true)]
        query: Vec<String>,
        /// The compaction [default: the newest on the active path].
        #[arg(long, value_name = "ENTRY")]
        compaction: Option<String>,
        /// Maximum number of hits in each part.
        #[arg(long, allow_negative_numbers = true, default_value = "20", value_parser = count)]
        limit: u64,
    },
    /// Search the text of all sessions, and your notes and labels.
    #[command(after_help = search_help())]
    Search {
        /// Words, "phrases", -excluded words and filters.
        #[arg(required = true)]
        query: Vec<String>,
        /// Maximum number of hits.
        #[arg(long, allow_negative_numbers = true, default_value = "50", value_parser = count)]
        limit: u64,
        /// The order: newest, oldest, relevance, size (largest entry first), or meaning, which needs an embedding model.
        #[arg(long, value_name = "ORDER", default_value = "newest", value_parser = hit_sorts())]
        sort: SearchSort,
        /// Embeddings for --sort meaning: a model of a provider, which receives the texts, or a
        /// text file of word vectors [env: PALIMPSEST_EMBEDDINGS].
        #[arg(long, value_name = "PROVIDER:MODEL|FILE")]
        embeddings: Option<String>,
        /// Count the hits instead: by tool, command, project or agent. `search kind:error --by command`
        /// ranks the commands that fail.
        #[arg(long, value_name = "WHAT", value_parser = count_bys(), conflicts_with_all = ["sort", "embeddings"])]
        by: Option<CountBy>,
    },
    /// Show where each agent would have compacted automatically on a path.
    Policy {
        /// A file or its name, an id, or a unique prefix of an id.
        #[arg(required_unless_present = "list")]
        session: Option<String>,
        /// List the policies and their parameters instead.
        #[arg(long, conflicts_with_all = ["session", "at", "set", "window", "max_output"])]
        list: bool,
        /// Set a number of a policy in the unit that --list shows, such as `codex.percent=85`.
        #[arg(long, value_name = "POLICY.KEY=VALUE", value_parser = key_value)]
        set: Vec<(String, serde_json::Value)>,
        /// The last entry of the path [default: leaf].
        #[arg(long, value_name = "ENTRY")]
        at: Option<String>,
        /// Only this policy; can be repeated.
        #[arg(long, value_name = "NAME")]
        policy: Vec<String>,
        /// The context window in tokens [default: the one of the model].
        #[arg(long, value_name = "TOKENS", allow_negative_numbers = true, value_parser = tokens)]
        window: Option<u64>,
        /// The maximum output in tokens [default: the one of the model].
        #[arg(long, value_name = "TOKENS", allow_negative_numbers = true, value_parser = tokens)]
        max_output: Option<u64>,
    },
    /// List the strategies, or show one with its parameters and prompts.
    Strategies {
        /// The strategy to show.
        name: Option<String>,
    },
    /// List the models of the catalog, or the current models of a provider.
    Models {
        /// Request the models from this provider.
        #[arg(long, value_name = "P", group = "whose")]
        provider: Option<String>,
        /// Find model servers on this machine on their default ports.
        #[arg(long, group = "whose")]
        local: bool,
    },
    /// Show the cost above which nothing is run unless --above-limit is given, or set it.
    Limit {
        /// US dollars, or `none`.
        #[arg(value_name = "USD|none", allow_negative_numbers = true, value_parser = cost_limit)]
        limit: Option<f64>,
    },
    /// Rebuild the summary of a run or the result of a judgement from its recorded replies, offline,
    /// and compare it byte by byte.
    Replay {
        /// The id of the run or judgement, or a unique prefix of it.
        run: String,
    },
    /// List, show, save, label, rename, delete or import custom prompts, and find those of installed
    /// agents.
    Prompts {
        /// The action [default: list all].
        #[command(subcommand)]
        action: Option<PromptAction>,
    },
    /// List runs.
    Runs {
        /// Only runs of this session.
        session: Option<String>,
    },
    /// Run experiments: strategies, prompts and models over several cuts, with intervals.
    Lab {
        /// The action.
        #[command(subcommand)]
        action: LabAction,
    },
    /// Read the chats of Coder servers, or list the servers.
    Coder {
        /// What to do [default: list the servers].
        #[command(subcommand)]
        action: Option<CoderAction>,
    },
    /// Serve the interface on the loopback address of this machine.
    Serve {
        /// The port; 0 selects a free one.
        #[arg(long, allow_negative_numbers = true, default_value = "7411", value_parser = port)]
        port: u16,
        /// Replace the access token. Links with the old one stop working.
        #[arg(long)]
        new_token: bool,
        /// Allow the interface to set up and start any program and to send keys to any address. By
        /// default it starts only programs that were set up in the desktop window or in preset
        /// files, and sends keys only where they were set up for.
        #[arg(long)]
        allow_programs: bool,
    },
    /// Measure performance on generated sessions.
    Bench {
        /// Use smaller corpora.
        #[arg(long)]
        quick: bool,
        /// Store the generated corpora in this folder and reuse them.
        #[arg(long, value_name = "DIR")]
        dir: Option<PathBuf>,
    },
}
