//! Session files of the agents, read into [`palimpsest_core`] terms.
//!
//! One folder per agent. Reading never writes, never fails on content and never panics: what is
//! not an entry is a warning with its line and reason. To add an agent: a folder with an
//! implementation of [`SessionFormat`], fixtures, and a line in [`formats`].

pub mod account;
pub mod assembly;
mod blank_entry;
mod by_bytes;
pub mod claude_code;
pub mod coder;
pub mod codex;
mod context_item;
pub mod continue_dev;
pub mod copilot;
pub mod copilot_chat;
mod coverage;
pub mod factory_droid;
mod failure;
mod file_uri;
mod format;
mod in_memory;
mod json;
mod jsonl;
mod links;
mod measure;
pub mod mux;
pub mod opencode;
mod outcome;
mod patch;
pub mod pi;
mod queueing;
mod reading;
mod rejection;
mod repair;
mod seen;
mod shares;
pub mod sizing;
mod time;

pub use assembly::{Addressed, Assembly, Disk, Document, Stamp};
pub use coverage::{Coverage, Records};
pub use format::SessionFormat;
pub use in_memory::InMemory;
pub use outcome::outcome_of;
pub use queueing::{QueueFate, Queued, Queueing, queued};
pub use reading::{
    BudgetPolicy, FirstReport, GivenAgain, Known, Places, ReadState, Reading, Resume,
};
pub use rejection::{Rejection, rejection};
pub use sizing::{AfterCompaction, Along, Measure, MeasuredContext, SizeAlong, SizeBasis, along};

use palimpsest_core::Agent;
use std::path::Path;

/// Every format, in the order in which files are tried.
pub fn formats() -> &'static [&'static dyn SessionFormat] {
    &[
        &pi::Pi,
        &claude_code::ClaudeCode,
        &opencode::OpenCode,
        &codex::Codex,
        &copilot::Copilot,
        &copilot_chat::CopilotChat,
        &factory_droid::FactoryDroid,
        &mux::Mux,
        &continue_dev::Continue,
        &coder::Coder,
    ]
}

/// The format of `agent`, where it is built in.
pub fn format_of(agent: Agent) -> Option<&'static dyn SessionFormat> {
    formats()
        .iter()
        .copied()
        .find(|format| format.agent() == agent)
}

/// The agent called `name`, where it is built in.
pub fn agent_named(name: &str) -> Option<Agent> {
    let mut agents = formats().iter().map(|format| format.agent());
    agents.find(|agent| agent.name() == name)
}

/// The format of the file at `path` that begins with `head`.
pub fn sniff(path: &Path, head: &[u8]) -> Option<&'static dyn SessionFormat> {
    formats()
        .iter()
        .copied()
        .find(|format| format.sniff(path, head))
}
