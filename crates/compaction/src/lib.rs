//! Ways to make a context smaller: plans, their execution, and the strategies behind them.
//!
//! A strategy is a [`Preset`]: data that names one of the known ways for each of four stages,
//! [`select`], [`reduce`], [`summarize`] and [`assemble`]. A plan is pure and complete: the prompts
//! in it are the bytes that will be sent, with marked places where a call quotes the reply of
//! another. Executing it makes the calls through a [`Summarizer`] and puts the replies together.
//!
//! The folders are floors, and a file names only what lies below it or beside it. From the ground
//! up: `vocabulary` (what things are), `text` and `memory` (rules on texts and scores alone),
//! `plan` (what a plan is and what follows from it), `workpiece` (what the stages work on), `stages`
//! (no stage knows another), `engine` (presets put stages together), then `offline`, `execution`
//! and `policy` beside each other.

mod engine;
pub mod execution;
mod failure;
pub mod memory;
mod offline;
pub mod plan;
pub mod policy;
mod stages;
mod text;
mod vocabulary;
mod workpiece;

pub use engine::pi::PiParams;
pub use engine::planning::plan as plan_preset;
pub use engine::{agent_settings, branch, pi, preset, strategy, wording};
pub use execution as execute;
pub use execution::{
    CallContext, CallMessages, CallObserver, Recorded, RunError, RunFailure, RunObserver,
    RunOutcome, Said, Spoken, SummarizeError, Summarizer, Writer, execute, replay,
};
pub use offline::{OfflineSummarizer, extractive};
pub use plan::{
    AssembleError, Instructions, ItemMessages, NothingToDo, Plan, PlanError, PlanInput,
    PlanOutcome, PlannedCall, Purpose, Step, rate, reflect,
};
pub use preset::{
    LentPrompt, Preset, PresetAsSet, PresetError, StageKind, param_label, prompt_label, stage_kinds,
};
pub use stages::{assemble, reduce, select, summarize};
pub use strategy::{Strategy, strategies};
pub use text::{edits, lexical, ranking};
pub use vocabulary::files::{FileLists, FileOps};
pub use vocabulary::needs::Needs;
pub use vocabulary::params::{ParamError, ParamSpec};
pub use vocabulary::{files, params};
pub use workpiece::template::PLACEHOLDERS;

/// Vectors of texts from an embedding model, and which texts a plan needs them of.
pub mod vectors {
    pub use crate::engine::planning::wanted_texts;
    pub use crate::vocabulary::input::Vectors;
    pub use crate::workpiece::vectors::{EMBEDDED_CHARS, VectorSet, cosine};
}
