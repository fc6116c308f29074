//! What can be done with experiments, Coder servers, prompts and written sessions.

use super::values::count;
use clap::Subcommand;
use std::path::PathBuf;

/// A small experiment, which the help shows.
const EXPERIMENT: &str = "\
A small experiment:
  name = \"my prompts\"
  [cuts]
  query = \"has:compaction since:30d\"
  limit = 10
  [[rows]]
  name = \"as it is\"
  strategy = \"pi\"
  [[rows]]
  name = \"ten lines\"
  strategy = \"pi\"
  instructions = \"At most ten lines.\"";

/// What to do with experiments.
#[derive(Debug, Subcommand)]
pub enum LabAction {
    /// Run an experiment, or what is left of one that was cut off. Stored replies are not requested
    /// again. Exits with 1 when a threshold is missed.
    #[command(after_help = EXPERIMENT)]
    Run {
        /// The file with the experiment, in TOML.
        file: PathBuf,
        /// Show the cells, calls and the cost instead. Nothing is sent.
        #[arg(long)]
        dry_run: bool,
        /// Run cells again whose run failed.
        #[arg(long)]
        retry_failed: bool,
        /// Run it although it may cost more than the cost limit (`palimpsest limit`).
        #[arg(long)]
        above_limit: bool,
    },
    /// Show the figures of an experiment.
    Show {
        /// Its id, the beginning of it, or its name.
        lab: String,
    },
    /// List the experiments.
    List,
    /// Make the summaries of an experiment again from the stored replies, and compare them byte by
    /// byte.
    Replay {
        /// Its id, the beginning of it, or its name.
        lab: String,
    },
    /// Delete an experiment with its cells and stored replies. Its runs stay.
    Delete {
        /// Its id, the beginning of it, or its name.
        lab: String,
    },
    /// List the stored sets of cuts, show one, or save one with `--query`.
    Cuts {
        /// The name of the set.
        name: Option<String>,
        /// Save the set: each summary on the active paths of the sessions that these words and filters
        /// find is a cut.
        #[arg(long, value_name = "QUERY", requires = "name")]
        query: Option<String>,
        /// Maximum number of cuts.
        #[arg(long, value_name = "N", requires = "query", allow_negative_numbers = true, value_parser = count)]
        limit: Option<u64>,
    },
    /// Delete a stored set of cuts.
    DeleteCuts {
        /// Its name.
        name: String,
    },
    /// Repeat simulated experiments with and without a difference, and count how often the intervals
    /// are right.
    Calibrate {
        /// The seed of the first.
        #[arg(long, value_name = "N", default_value_t = 15)]
        seed: u64,
    },
}

/// What to do with Coder servers.
#[derive(Debug, Subcommand)]
pub enum CoderAction {
    /// Add a server. Its token is read from CODER_SESSION_TOKEN when CODER_URL names the server, else
    /// from the system keyring.
    Add {
        /// The address of the server.
        url: String,
        /// Read the token from standard input and keep it in the system keyring.
        #[arg(long)]
        token_stdin: bool,
    },
    /// Read new and changed chats and index them. Nothing is written to the server.
    Read {
        /// The address of a server [default: all].
        url: Option<String>,
    },
    /// Remove a server with its token and the copies of its chats.
    Remove {
        /// The address of the server.
        url: String,
    },
}

/// Actions on custom prompts. Each save adds a version.
#[derive(Debug, Subcommand)]
pub enum PromptAction {
    /// Show a prompt and all its versions.
    Show {
        /// `NAME`, or `NAME@VERSION`.
        name: String,
    },
    /// Save a text as a new version.
    Save {
        /// The name.
        name: String,
        /// The file with the text; `-` is standard input.
        #[arg(long, value_name = "F")]
        file: PathBuf,
        /// The strategy of the prompt.
        #[arg(long, value_name = "NAME")]
        strategy: Option<String>,
        /// The prompt of the strategy that it replaces, `instructions`, or `request`.
        #[arg(long, value_name = "PLACE")]
        place: Option<String>,
    },
    /// Label a version, or remove its label. Labels are shown wherever the version is.
    Label {
        /// `NAME@VERSION`, or `NAME` for the newest.
        name: String,
        /// The label, such as `baseline`.
        #[arg(required_unless_present = "remove")]
        label: Option<String>,
        /// Remove the label.
        #[arg(long, conflicts_with = "label")]
        remove: bool,
    },
    /// Rename a prompt with all its versions. Its runs stay linked.
    Rename {
        /// The name.
        name: String,
        /// The new name.
        to: String,
    },
    /// Find the prompts in the files of pi, Claude Code, Codex and OpenCode. Nothing is started or
    /// saved.
    Find {
        /// Only in this folder or file [default: the usual places].
        #[arg(long = "in", value_name = "DIR")]
        folder: Option<PathBuf>,
    },
    /// Delete a prompt and all its versions.
    Delete {
        /// The name.
        name: String,
    },
    /// Import the compaction settings of Codex, Claude Code, pi and OpenCode, or with --installed the
    /// prompts in the files of these agents.
    Import {
        /// Also import from this project.
        #[arg(long, value_name = "DIR", conflicts_with = "installed")]
        project: Option<PathBuf>,
        /// Import the prompts that `prompts find` lists instead.
        #[arg(long)]
        installed: bool,
        /// Only from this folder or file [default: the usual places].
        #[arg(long = "in", value_name = "DIR", requires = "installed")]
        folder: Option<PathBuf>,
        /// Only the prompt with this name; can be repeated.
        #[arg(long, value_name = "NAME", requires = "installed")]
        name: Vec<String>,
        /// Show what was found without importing it.
        #[arg(long)]
        dry_run: bool,
    },
}

/// Actions on what was written.
#[derive(Debug, Subcommand)]
pub enum WrittenAction {
    /// Delete a new session, or take an addition off the original. Refused once the file has
    /// changed.
    Undo {
        /// The id of the write.
        id: String,
    },
}
