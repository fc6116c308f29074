//! Editing a summary: its ledger while one types, facts put in, and the result kept as a run.

use super::ledger::{named, shelved, view};
use super::runs;
use crate::render::Utf16Offsets;
use crate::wire::*;
use palimpsest_app::summary::{ShelvedLedger, insert, instructions};
use palimpsest_app::{App, AppResult};
use palimpsest_core::ledger::Fact;

/// The ledger of a text that may become the summary. Its facts have the ids that they have in the
/// ledger of the summary it is made from.
pub(crate) fn draft(app: &App, request: SummaryDraftRequest) -> AppResult<LedgerView> {
    let shelved = shelved(app, &request.session, &request.of)?;
    let ledger = shelved.material.ledger_of(&request.text);
    Ok(view(&shelved, &request.text, &ledger))
}

/// A text with facts put in, each under the section that fits its kind.
pub(crate) fn put_in(app: &App, request: SummaryInsertRequest) -> AppResult<SummaryInserted> {
    let shelved = shelved(app, &request.session, &request.of)?;
    // What the text says instead of a fact is not what the summary said: ranges and differences
    // are of the text as it is now.
    let ledger = shelved.material.ledger_of(&request.text);
    let facts = named(&ledger.facts, &request.facts)?;
    let done = insert(&request.text, &facts);
    let offsets = Utf16Offsets::new(&done.text);
    Ok(SummaryInserted {
        ranges: done
            .ranges
            .iter()
            .map(|range| offsets.range(range))
            .collect(),
        text: done.text,
    })
}

/// Custom instructions that ask for facts.
pub(crate) fn ask_for(app: &App, request: FactInstructionsRequest) -> AppResult<FactInstructions> {
    let shelved = shelved(app, &request.session, &request.of)?;
    let facts = chosen(&shelved, &request.facts)?;
    Ok(FactInstructions {
        instructions: instructions(&request.instructions, &facts),
    })
}

/// Keeps an edited summary as a run.
pub(crate) fn keep(app: &App, request: SummaryKeepRequest) -> AppResult<RunView> {
    let kept = app.keep_edited(&request.session, &request.of, &request.text)?;
    Ok(runs::view(&kept))
}

fn chosen<'a>(shelved: &'a ShelvedLedger, ids: &[String]) -> AppResult<Vec<&'a Fact>> {
    named(&shelved.ledger.facts, ids)
}
