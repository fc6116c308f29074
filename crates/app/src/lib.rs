//! The use cases: everything a host can ask for, with threads, files and the clock in its care.

mod ambiguous;
pub mod bench;
mod clock;
pub mod coder;
mod comparing;
pub mod cost;
pub mod embed;
mod error;
#[cfg(test)]
mod examples;
mod figures;
pub mod flags;
mod fnv;
pub mod index;
pub mod judge;
mod key_binding;
pub mod lab;
mod listing;
pub mod marks;
mod options;
pub mod policies;
mod presets;
mod process;
mod programs;
pub mod prompts;
mod provider;
mod providers;
pub mod run;
mod samples;
pub mod search;
mod session;
mod setup;
mod source;
pub mod summary;
mod user_prices;
pub mod view;
pub mod watch;
mod workspace;
pub mod writing;

pub use comparing::{ComparedSide, ComparedSides};
pub use error::{AppError, Result as AppResult};
pub use options::Options;
pub use presets::{CustomPreset, strategy_of};
pub use providers::{KeyState, LocalServer, OFFLINE, Provider};
pub use session::OpenSession;
pub use setup::{AgentPlace, Settings, SettingsChange, Theme};
pub use source::{MachineDisk, file_of};
pub use user_prices::{ANY_MODEL, UserPrices};
pub use workspace::{App, AppEvent, NoticeLevel, SessionBudget};

/// What the edits of files say.
pub use palimpsest_compaction::edits;
/// Where agents keep sessions, and how large contexts are.
pub use palimpsest_formats::{AfterCompaction, MeasuredContext, Places, SizeBasis};
/// The user's refusal of a call, by the text of its result.
pub use palimpsest_formats::{QueueFate, rejection};
/// Sentences of summaries held against their sources.
pub use palimpsest_ledger::claims;
/// Line-by-line differences of two texts.
pub use palimpsest_ledger::diff;
/// The headings of a summary.
pub use palimpsest_ledger::headings::{Heading, headings};
/// What the next request holds of the facts.
pub use palimpsest_ledger::{Held, HeldFacts};
/// The figures of summaries, and what dropped facts cost.
pub use palimpsest_ledger::{measures, regret};
/// How providers are spoken to.
pub use palimpsest_llm::{ProviderConfig, ProviderKind, ProviderLimits};
/// What the index holds.
pub use palimpsest_store::index as stored;
/// What the user database says of marks.
pub use palimpsest_store::user as kept;
/// How a run ended.
pub use palimpsest_store::user::RunStatus;
/// How tokens are counted.
pub use palimpsest_tokens::{
    Cost, CostParts, Encoding, ModelCost, Prices, Spending, Spent, cost_parts,
};
