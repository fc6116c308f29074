//! The wire: every request, answer, event and error that passes between a host and its user
//! interface, and nothing else. TypeScript sees the same types through ts-rs.
//!
//! Text offsets are UTF-16 code units, because the reader of the wire is JavaScript. Times are
//! Unix milliseconds, sizes bytes, token counts tokens, money US dollars.
//!
//! A text whose values form a closed list is an enum: one of the core's, or one in `word.rs`. Values
//! that others choose (names of agents, models, tools, presets; an agent's own words for its roles;
//! a provider's reasons to stop) stay texts.

/// Derives what every wire type needs and exports its TypeScript twin.
macro_rules! wire {
    ($(#[$meta:meta])* pub struct $name:ident $body:tt) => {
        // The tests of this crate write the file (`cargo test -p palimpsest-api`).
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, ts_rs::TS)]
        #[ts(export, export_to = "wire.ts")]
        $(#[$meta])*
        pub struct $name $body
    };
    ($(#[$meta:meta])* pub enum $name:ident $body:tt) => {
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, ts_rs::TS)]
        #[ts(export, export_to = "wire.ts")]
        $(#[$meta])*
        pub enum $name $body
    };
}

mod word;

mod branches;
mod chain;
mod claims;
mod code;
mod coder;
mod context;
mod editing;
mod entry;
mod event;
mod export;
mod figures;
mod judge;
mod lab;
mod ledger;
mod marks;
mod next;
mod plan;
mod policy;
mod prompts;
mod run;
mod search;
mod session;
mod settings;
mod tree;
mod workbench;
mod writing;

/// Words of the core that go over the wire as they are.
pub use palimpsest_core::entry::Trigger;
pub use palimpsest_core::figure::Figure;
pub use palimpsest_core::flag::Flag;
pub use palimpsest_core::ledger::{Concern, FactKind, FactStatus, FileRole, FoundBy, TaskState};
pub use palimpsest_core::score::ScorePart;
pub use palimpsest_core::{Category, ItemKind, LinkKind, Origin, RecordKind, Role, SummaryKind};
pub use word::*;

pub use branches::*;
pub use chain::*;
pub use claims::*;
pub use code::*;
pub use coder::*;
pub use context::*;
pub use editing::*;
pub use entry::*;
pub use event::*;
pub use export::*;
pub use figures::*;
pub use judge::*;
pub use lab::*;
pub use ledger::*;
pub use marks::*;
pub use next::*;
pub use plan::*;
pub use policy::*;
pub use prompts::*;
pub use run::*;
pub use search::*;
pub use session::*;
pub use settings::*;
pub use tree::*;
pub use workbench::*;
pub use writing::*;
