//! The command line's words, parsed; what they mean is in [`crate::run`].

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use palimpsest_api::wire::{Tokenizer, word};
use std::path::PathBuf;

/// Explore coding-agent sessions: their trees, contexts, compactions, and what summaries dropped.
#[derive(Debug, Parser)]
#[command(name = "palimpsest", version, about, max_term_width = 100)]
pub struct Cli {
    /// Print exactly one JSON document on standard output.
    #[arg(long, global = true)]
    pub json: bool,
    /// Folder of the databases [default: the user's data folder].
    #[arg(long, global = true, env = "PALIMPSEST_DATA_DIR", value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// Use the sample sessions that come with the program instead of the agents' places.
    #[arg(long, global = true)]
    pub samples: bool,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Bring the index up to date.
    Index {
        /// Folders or files; the agents' default places when none is given.
        roots: Vec<String>,
    },
    /// List the sessions in the index.
    Sessions {
        /// Only this agent's.
        #[arg(long)]
        agent: Option<String>,
        /// Words and filters, e.g. `has:compaction project:courier`.
        query: Vec<String>,
    },
    /// Show a session's tree.
    Tree {
        /// A file, an id, or a unique beginning of one.
        session: String,
    },
    /// Show what the model saw at an entry.
    Context {
        /// A file, an id, or a unique beginning of one.
        session: String,
        /// The entry: an id, a unique prefix, `leaf` or `line:N`.
        #[arg(long, value_name = "ENTRY")]
        at: Option<String>,
        /// Count tokens with this encoding.
        #[arg(long, value_name = "T", value_parser = tokenizers())]
        tokenizer: Option<Tokenizer>,
    },
    /// Show what a compaction would do, or with --to the summary of a branch, without doing it.
    Plan {
        /// What to plan.
        #[command(flatten)]
        plan: PlanArgs,
        /// Where, or which entries.
        #[command(flatten)]
        place: PlanPlace,
        /// Who would summarize, for where it goes and what it costs.
        #[command(flatten)]
        by: ProviderArgs,
    },
    /// Plan a compaction and run it; the session itself is not touched.
    Compact {
        /// What to plan.
        #[command(flatten)]
        plan: PlanArgs,
        /// Where.
        #[command(flatten)]
        place: CompactPlace,
        /// Who summarizes.
        #[command(flatten)]
        by: ProviderArgs,
    },
    /// Summarize what is left behind when one entry is left for another; the session itself is
    /// not touched.
    BranchSummary {
        /// What to plan.
        #[command(flatten)]
        plan: PlanArgs,
        /// The entry that is left: an id, a unique prefix, `leaf` or `line:N`.
        #[arg(long, value_name = "ENTRY")]
        from: String,
        /// The entry to go to.
        #[arg(long, value_name = "ENTRY")]
        to: String,
        /// Who summarizes.
        #[command(flatten)]
        by: ProviderArgs,
    },
    /// Show what a summary kept and what it dropped.
    Ledger {
        /// A file, an id, or a unique beginning of one.
        session: String,
        /// A compaction of the session [default: the newest on the active path].
        #[arg(long, value_name = "ENTRY", group = "what")]
        compaction: Option<String>,
        /// A run.
        #[arg(long, value_name = "RUN", group = "what")]
        run: Option<String>,
        /// A file with a summary, held against what a compaction at ENTRY would summarize.
        #[arg(long, value_name = "F", group = "what", requires = "at")]
        summary_file: Option<PathBuf>,
        /// Where, for --summary-file.
        #[arg(long, value_name = "ENTRY")]
        at: Option<String>,
    },
    /// Find entries that contain words.
    Search {
        /// Words, "phrases", -exclusions, filters.
        #[arg(required = true)]
        query: Vec<String>,
        /// Hits to print.
        #[arg(long, default_value_t = 50)]
        limit: u64,
    },
    /// Show where each agent would have compacted along a path by itself.
    Policy {
        /// A file, an id, or a unique beginning of one.
        #[arg(required_unless_present = "list")]
        session: Option<String>,
        /// List the policies instead, with what can be set of each.
        #[arg(long, conflicts_with_all = ["session", "at", "set", "window", "max_output"])]
        list: bool,
        /// A number of a policy, in the unit that --list shows, e.g. `codex.percent=85`.
        #[arg(long, value_name = "POLICY.KEY=VALUE", value_parser = key_value)]
        set: Vec<(String, serde_json::Value)>,
        /// The entry the path leads to [default: leaf].
        #[arg(long, value_name = "ENTRY")]
        at: Option<String>,
        /// Only this policy; may be given several times.
        #[arg(long, value_name = "NAME")]
        policy: Vec<String>,
        /// The model's window in tokens, in place of the known one.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
        window: Option<u64>,
        /// The model's longest reply in tokens, in place of the known one.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
        max_output: Option<u64>,
    },
    /// List the ways to make a context smaller, or show one with its parameters and prompts.
    Strategies {
        /// The one to show.
        name: Option<String>,
    },
    /// List the models of the catalog, or those a provider offers now.
    Models {
        /// Ask this provider for its models.
        #[arg(long, value_name = "P", group = "whose")]
        provider: Option<String>,
        /// Look for model servers on this machine at their default ports.
        #[arg(long, group = "whose")]
        local: bool,
    },
    /// Make a run's summary again from its recorded replies, offline, and say whether it is the
    /// same byte for byte.
    Replay {
        /// The run's id or a unique beginning of one.
        run: String,
    },
    /// List saved prompts, or save, show, delete and import them.
    Prompts {
        /// What to do; lists all without.
        #[command(subcommand)]
        action: Option<PromptAction>,
    },
    /// List runs.
    Runs {
        /// Only of this session.
        session: Option<String>,
    },
    /// Serve the interface on this machine's loopback address.
    Serve {
        /// The port; 0 takes a free one.
        #[arg(long, default_value_t = 7411)]
        port: u16,
        /// Let the interface set up and start any program. Without, it starts those that were set
        /// up in the desktop window or in files of presets.
        #[arg(long)]
        allow_programs: bool,
    },
    /// Measure the program on generated sessions.
    Bench {
        /// Smaller corpora, for a quick look.
        #[arg(long)]
        quick: bool,
        /// Keep the generated corpora here and use them again.
        #[arg(long, value_name = "DIR")]
        dir: Option<PathBuf>,
    },
}

/// What to do with saved prompts. Every text saved under a name is a version of it.
#[derive(Debug, Subcommand)]
pub enum PromptAction {
    /// Show one, with all its versions.
    Show {
        /// `NAME`, or `NAME@VERSION`.
        name: String,
    },
    /// Save a text as the next version.
    Save {
        /// The name.
        name: String,
        /// A file with the text; `-` is standard input.
        #[arg(long, value_name = "F")]
        file: PathBuf,
        /// The strategy it is for.
        #[arg(long, value_name = "NAME")]
        strategy: Option<String>,
        /// Which of the strategy's prompts it is, `instructions`, or `request` to replace that.
        #[arg(long, value_name = "PLACE")]
        place: Option<String>,
    },
    /// Delete one with all its versions.
    Delete {
        /// The name.
        name: String,
    },
    /// Take over what the settings of Codex, Claude Code, pi and OpenCode say about compaction.
    Import {
        /// Look in this project as well.
        #[arg(long, value_name = "DIR")]
        project: Option<PathBuf>,
        /// Only show what there is.
        #[arg(long)]
        dry_run: bool,
    },
}

/// What to plan.
#[derive(Debug, Args)]
pub struct PlanArgs {
    /// A file, an id, or a unique beginning of one.
    pub session: String,
    /// The strategy [default: pi, and pi-branch for a branch].
    #[arg(long, value_name = "NAME")]
    pub strategy: Option<String>,
    /// A parameter of the strategy.
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_value)]
    pub set: Vec<(String, serde_json::Value)>,
    /// A saved prompt for one of the strategy's prompts, for `instructions`, or for `request`.
    #[arg(long, value_name = "PLACE=NAME[@VERSION]", value_parser = place_name)]
    pub prompt: Vec<(String, String)>,
    /// Own instructions, added to the prompt.
    #[arg(long, value_name = "TEXT")]
    pub instructions: Option<String>,
    /// The instructions replace the prompt instead.
    #[arg(long, requires = "instructions")]
    pub replace_prompt: bool,
    /// Where vectors come from for relevance=embedding and similarity=embedding: a provider's
    /// model, which is sent the texts, or a text file of word vectors [env: PALIMPSEST_EMBEDDINGS].
    #[arg(long, value_name = "PROVIDER:MODEL|FILE")]
    pub embeddings: Option<String>,
}

/// Where to compact.
#[derive(Debug, Args)]
pub struct CompactPlace {
    /// Where to compact [default: leaf].
    #[arg(long, value_name = "ENTRY")]
    pub at: Option<String>,
    /// When ENTRY is a compaction: plan at the state just before it, to do it again.
    #[arg(long)]
    pub redo: bool,
}

/// Where to compact, or which entry to leave for which.
#[derive(Debug, Args)]
pub struct PlanPlace {
    /// Where to compact.
    #[command(flatten)]
    pub compact: CompactPlace,
    /// The entry to go to: plans the summary of what is left behind.
    #[arg(long, value_name = "ENTRY", conflicts_with_all = ["at", "redo"])]
    pub to: Option<String>,
    /// The entry that is left for it [default: leaf].
    #[arg(long, value_name = "ENTRY", requires = "to")]
    pub from: Option<String>,
}

/// Who summarizes.
#[derive(Debug, Args)]
pub struct ProviderArgs {
    /// Who summarizes: `offline`, `anthropic`, `openai`, or a provider set up by you.
    #[arg(long, value_name = "P", default_value = "offline")]
    pub provider: String,
    /// The model.
    #[arg(long, value_name = "M", requires = "provider")]
    pub model: Option<String>,
    /// Another address for the provider.
    #[arg(long, value_name = "URL", requires = "provider")]
    pub base_url: Option<String>,
}

/// The encodings there are, by their names on the wire.
fn tokenizers() -> impl TypedValueParser<Value = Tokenizer> {
    PossibleValuesParser::new(["o200k", "cl100k"])
        .try_map(|name| word(&name).ok_or("there is no such encoding"))
}

fn place_name(text: &str) -> Result<(String, String), String> {
    text.split_once('=')
        .map(|(place, name)| (place.to_owned(), name.to_owned()))
        .ok_or_else(|| format!("'{text}' is not of the form PLACE=NAME"))
}

fn key_value(text: &str) -> Result<(String, serde_json::Value), String> {
    let (key, value) = text
        .split_once('=')
        .ok_or_else(|| format!("'{text}' is not of the form key=value"))?;
    let value =
        serde_json::from_str(value).unwrap_or_else(|_| serde_json::Value::String(value.to_owned()));
    Ok((key.to_owned(), value))
}
