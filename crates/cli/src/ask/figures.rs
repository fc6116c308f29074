//! `ledger --figures`: the figures of a summary.

use palimpsest_api::Api;
use palimpsest_api::wire::*;
use serde::Serialize;

/// A ledger with its figures: for programs in one document, for people the figures alone.
#[derive(Debug, Serialize)]
pub struct LedgerFigures {
    /// The ledger.
    #[serde(flatten)]
    pub ledger: LedgerView,
    /// The figures asked for.
    pub figures: Vec<FigureView>,
    /// True where one was asked for, which is shown with its lines.
    #[serde(skip)]
    pub with_lines: bool,
}

/// Asks for the figures of the summary of `request`; of one alone where its code is given.
pub async fn ask(
    api: &Api,
    request: LedgerRequest,
    code: Option<&str>,
) -> Result<LedgerFigures, WireError> {
    let asked = api.commands();
    let session = request.session.clone();
    let named = request.compaction.as_ref();
    let named = named.map(|entry| format!("entry:{entry}"));
    let of = named.or(request.run.clone()).unwrap_or_default();
    let of_run = request.run.is_some();
    let ledger = asked.ledger(request).await?;
    if !of_run && code.is_none_or(|code| code.eq_ignore_ascii_case(Figure::ChainDecay.code())) {
        // One of the figures is of all compactions together, which are followed for it.
        let chain = ChainRequest {
            session: session.clone(),
            limit: Some(0),
            ..ChainRequest::default()
        };
        asked.chain(chain).await?;
    }
    let mut figures = asked.figures(FiguresRequest { session, of }).await?.figures;
    if let Some(code) = code {
        figures.retain(|own| own.code.eq_ignore_ascii_case(code));
    }
    Ok(LedgerFigures {
        ledger,
        figures,
        with_lines: code.is_some(),
    })
}
