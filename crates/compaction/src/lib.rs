//! Ways to make a context smaller: plans, their execution, and the strategies behind them.
//!
//! A strategy is a [`Preset`]: data that names one of the known ways for each of four stages,
//! [`select`], [`reduce`], [`summarize`] and [`assemble`]. A plan is pure and complete: the prompts
//! in it are the bytes that will be sent, with marked places where a call quotes the reply of
//! another. Executing it makes the calls through a [`Summarizer`] and puts the replies together.

pub mod agent_settings;
pub mod assemble;
pub mod branch;
pub mod edits;
mod engine;
pub mod execute;
pub mod extractive;
mod failure;
pub mod files;
pub mod lexical;
pub mod memory;
pub mod offline;
pub mod params;
pub mod pi;
pub mod plan;
pub mod policy;
pub mod preset;
pub mod ranking;
pub mod rate;
pub mod reduce;
pub mod reflect;
pub mod select;
pub mod strategy;
pub mod summarize;
pub mod vectors;

pub use engine::plan as plan_preset;
pub use execute::{
    CallContext, CallObserver, Material, Recorded, RunError, RunFailure, RunObserver, RunOutcome,
    Spoken, SummarizeError, Summarizer, Writer, execute, replay,
};
pub use files::{FileLists, FileOps};
pub use offline::OfflineSummarizer;
pub use params::{ParamError, ParamSpec, PiParams};
pub use plan::{
    AssembleError, Instructions, ItemMessages, NothingToDo, Plan, PlanError, PlanInput,
    PlanOutcome, PlannedCall, Purpose, Step,
};
pub use preset::{LentPrompt, Preset, PresetError, StageKind, stage_kinds};
pub use strategy::{Needs, Strategy, strategies};
