//! The commands: each turns a request into a use case of the application and its result into a
//! view.

pub(crate) mod branches;
pub(crate) mod chain;
pub(crate) mod claims;
pub(crate) mod coder;
pub(crate) mod context;
pub(crate) mod editing;
pub(crate) mod entry;
pub(crate) mod figures;
pub(crate) mod judge;
pub(crate) mod lab;
pub(crate) mod ledger;
pub(crate) mod marks;
pub(crate) mod names;
pub(crate) mod plan;
pub(crate) mod policy;
pub(crate) mod program;
pub(crate) mod prompts;
pub(crate) mod queued;
pub(crate) mod runs;
pub(crate) mod score;
pub(crate) mod search;
pub(crate) mod sessions;
pub(crate) mod side_by_side;
pub(crate) mod spending;
pub(crate) mod subagents;
pub(crate) mod tree;
pub(crate) mod workbench;
pub(crate) mod writing;

/// Nothing: the request of commands that take none, the answer of those that give none.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, ts_rs::TS)]
#[ts(export, export_to = "wire.ts")]
pub struct Empty {}
