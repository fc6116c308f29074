//! The ledger: what a summary kept of the messages it replaced, what it dropped, what it added,
//! and which of the dropped things were needed later.
//!
//! Everything is deterministic and offline; facts that a model found are given to it ([`ModelFact`]). [`build`] takes the facts of the span ([`extract`]),
//! looks for each in the summary ([`evidence`]), lists what the summary has and its sources do not
//! ([`introduced`]), and holds the dropped facts against what really came after ([`later`]).
//! [`measures`] are the figures of a summary, each with the lines that it counts; [`regret`] is what
//! dropped facts cost. [`diff`] lays two summaries side by side.
//!
//! The cue words are English; identifiers, commands and errors are found in any language.

mod arguments;
mod asides;
mod authored;
mod beside;
mod bounded;
mod braces;
mod by_model;
mod called;
pub mod candidate;
mod carried;
pub mod chain;
mod changes;
pub mod claims;
mod clauses;
mod command_traces;
pub mod commands;
mod comments;
mod complaints;
pub mod concern;
mod content;
mod diagnostics;
pub mod diff;
mod documents;
mod drawn;
mod eastern;
mod echoes;
mod endpoints;
mod error_cues;
mod error_forms;
pub mod errors;
mod escapes;
pub mod evidence;
mod expectations;
pub mod extract;
mod failed_runs;
mod figures;
mod files;
mod foreign;
pub mod grusky;
pub mod headings;
pub mod held;
pub mod identifiers;
mod input;
pub mod insert;
pub mod introduced;
mod known_names;
mod labels;
mod languages;
pub mod later;
mod leaning;
mod led_lists;
mod levels;
mod limits;
mod lists;
mod located;
mod looked_up;
pub mod mask;
pub mod matching;
mod meaning;
pub mod measures;
mod met;
pub mod outcome;
mod pairs;
pub mod pasted;
pub mod programs;
mod project_rules;
pub mod prose;
mod ran;
mod reading;
pub mod regret;
mod removed;
mod repairs;
mod reports;
mod requests;
mod restated;
mod retold;
mod reviews;
pub mod score;
pub mod script_files;
mod scripts;
mod segments;
mod sentence;
mod sentences;
mod short_names;
mod shown_lines;
mod slight;
pub mod span;
mod standalone;
mod statements;
mod superseded;
mod taken_steps;
pub mod task_calls;
mod task_lists;
mod task_states;
mod tasks;
pub mod test_counts;
pub mod test_failures;
mod told;
mod tongues;
mod tool_action;
mod tool_failures;
mod totals;
mod turns;
mod under;
pub mod universe;
mod verdicts;
mod voices;
pub mod words;

pub use by_model::ModelFact;
pub use held::{Held, HeldFacts, Holding};
pub use input::LedgerInput;
pub use span::{Span, SpanItem};
pub use universe::Universe;

use palimpsest_core::ledger::Ledger;

/// Builds the ledger of a summary.
pub fn build(input: &LedgerInput<'_>) -> Ledger {
    let tail = universe::tail_of(input);
    let (universe, of_summary) = Universe::beside(
        input.span,
        &input.kept_tail,
        &input.later,
        input.by_model,
        |span| universe::OfSummary::read(input, span, &tail),
    );
    universe.ledger_of(input, &tail, of_summary)
}
