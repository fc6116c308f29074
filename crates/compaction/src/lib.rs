//! Ways to make a context smaller: plans, their execution, and the strategies behind them.
//!
//! A plan is pure and complete: the prompts in it are the bytes that will be sent. Executing it
//! makes the calls through a [`Summarizer`] and puts the replies together.

pub mod branch;
pub mod execute;
pub mod extractive;
pub mod files;
pub mod offline;
pub mod params;
pub mod pi;
pub mod plan;
pub mod strategy;

pub use execute::{
    CallContext, CallObserver, Material, RunError, RunFailure, RunObserver, RunOutcome, Spoken,
    SummarizeError, Summarizer, execute,
};
pub use files::{FileLists, FileOps};
pub use offline::OfflineSummarizer;
pub use params::{ParamError, ParamSpec, PiParams};
pub use plan::{
    AssembleError, Instructions, ItemMessages, NothingToDo, Plan, PlanError, PlanInput,
    PlanOutcome, PlannedCall, Purpose,
};
pub use strategy::{Needs, Strategy, strategies};
