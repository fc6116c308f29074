//! Arguments that several commands share: the plan, its place and who summarizes.

use super::values::{key_value, place_name};
use clap::Args;

/// What to plan.
#[derive(Debug, Args)]
pub struct PlanArgs {
    /// A file or its name, an id, or a unique prefix of an id.
    pub session: String,
    /// The strategy [default: pi, and pi-branch for a branch].
    #[arg(long, value_name = "NAME")]
    pub strategy: Option<String>,
    /// Set a parameter of the strategy; can be repeated.
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_value)]
    pub set: Vec<(String, serde_json::Value)>,
    /// Use a saved prompt for a prompt of the strategy, for `instructions` or for `request`.
    #[arg(long, value_name = "PLACE=NAME[@VERSION]", value_parser = place_name)]
    pub prompt: Vec<(String, String)>,
    /// Custom instructions, added to the prompt.
    #[arg(long, value_name = "TEXT")]
    pub instructions: Option<String>,
    /// Replace the prompt with the custom instructions.
    #[arg(long, requires = "instructions")]
    pub replace_prompt: bool,
    /// Embeddings for relevance=embedding and similarity=embedding: a model of a provider, which
    /// receives the texts, or a text file of word vectors [env: PALIMPSEST_EMBEDDINGS].
    #[arg(long, value_name = "PROVIDER:MODEL|FILE")]
    pub embeddings: Option<String>,
}

/// Where to compact.
#[derive(Debug, Args)]
pub struct CompactPlace {
    /// Where to compact [default: leaf].
    #[arg(long, value_name = "ENTRY")]
    pub at: Option<String>,
    /// Repeat the compaction ENTRY on the context just before it, or the branch summary ENTRY on the
    /// branch it describes.
    #[arg(long)]
    pub redo: bool,
}

/// Where to compact, or the start and target entry.
#[derive(Debug, Args)]
pub struct PlanPlace {
    /// Where to compact.
    #[command(flatten)]
    pub compact: CompactPlace,
    /// The target entry: plans a summary of the entries left behind.
    #[arg(long, value_name = "ENTRY", conflicts_with_all = ["at", "redo"])]
    pub to: Option<String>,
    /// The start entry [default: leaf].
    #[arg(long, value_name = "ENTRY", requires = "to")]
    pub from: Option<String>,
}

/// Who summarizes.
#[derive(Debug, Args)]
pub struct ProviderArgs {
    /// The provider: `offline`, `anthropic`, `openai`, or a custom provider.
    #[arg(long, value_name = "P", default_value = "offline")]
    pub provider: String,
    /// The model.
    #[arg(long, value_name = "M", requires = "provider")]
    pub model: Option<String>,
    /// The address of the provider, if not the default.
    #[arg(long, value_name = "URL", requires = "provider")]
    pub base_url: Option<String>,
}

/// The cost limit.
#[derive(Debug, Args)]
pub struct LimitArgs {
    /// Run it although it may cost more than the cost limit (`palimpsest limit`).
    #[arg(long)]
    pub above_limit: bool,
}
