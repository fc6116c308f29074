//! The chain of a session.

use super::names;
use crate::wire::*;
use palimpsest_app::summary::{ChainCell, Life, SessionChain};
use palimpsest_app::{App, AppResult};
use palimpsest_core::EntryKind;

/// What became of each fact over all compactions.
pub(crate) fn chain(app: &App, request: ChainRequest) -> AppResult<ChainView> {
    let made = app.chain(&request.session, request.at.as_deref())?;
    let lives = &made.chain.lives;
    let mut kinds: Vec<(FactKind, f64)> = Vec::new();
    for life in lives {
        match kinds.iter_mut().find(|(kind, _)| *kind == life.fact.kind) {
            Some((_, weight)) => *weight = weight.max(life.fact.weight),
            None => kinds.push((life.fact.kind, life.fact.weight)),
        }
    }
    kinds.sort_by(|a, b| b.1.total_cmp(&a.1));
    let fits = |life: &&Life| {
        request.kind.is_none_or(|kind| life.fact.kind == kind)
            && (!request.lost || life.died().is_some())
            && (!request.needed || life.was_needed())
    };
    let mut rows: Vec<&Life> = lives.iter().filter(fits).collect();
    rows.sort_by(|a, b| {
        let rank = |life: &Life| (life.was_needed(), life.died().is_some());
        let order = rank(b).cmp(&rank(a));
        order.then(b.fact.weight.total_cmp(&a.fact.weight))
    });
    let total = rows.len();
    let offset = usize::try_from(request.offset)
        .unwrap_or(usize::MAX)
        .min(total);
    let limit = request
        .limit
        .map_or(total, |limit| usize::try_from(limit).unwrap_or(total));
    let page = rows[offset..].iter().take(limit);
    Ok(ChainView {
        compactions: columns(&made),
        total: total as u64,
        offset: offset as u64,
        facts: page.map(|life| fact(&made, life)).collect(),
        kinds: kinds.into_iter().map(|(kind, _)| kind).collect(),
    })
}

fn columns(made: &SessionChain) -> Vec<ChainCompaction> {
    let session = &made.open.session;
    let decay = made.chain.decay();
    let lives = &made.chain.lives;
    let columns = made.columns.iter().zip(decay).enumerate();
    columns
        .map(|(at, (column, first_share))| {
            let entry = session.entry(column.entry);
            let cell = |life: &Life| -> Option<ChainCell> {
                let own = at.checked_sub(life.born)?;
                life.cells.get(own).cloned()
            };
            let count = |wanted: &dyn Fn(&Life) -> bool| {
                lives.iter().filter(|life| wanted(life)).count() as u64
            };
            ChainCompaction {
                entry_id: names::id(session, column.entry),
                timestamp: entry.at_ms,
                trigger: match &entry.kind {
                    EntryKind::Compaction(info) => info.trigger,
                    _ => None,
                },
                summary_tokens: column.summary_tokens,
                incomplete: column.is_incomplete,
                born: count(&|life| life.born == at),
                carried: count(&|life| {
                    life.born < at && cell(life).is_some_and(|cell| cell.is_there())
                }),
                died: count(&|life| life.died() == Some(at)),
                needed: count(&|life| cell(life).is_some_and(|cell| !cell.needed_later.is_empty())),
                first_share,
            }
        })
        .collect()
}

fn fact(made: &SessionChain, life: &Life) -> ChainFact {
    let session = &made.open.session;
    let cells = life.cells.iter().map(|cell| ChainCellView {
        status: cell.status,
        said: cell.said,
        in_kept_tail: cell.in_kept_tail,
        needed_later: names::ids(session, &cell.needed_later),
    });
    let first = life.fact.places.first();
    ChainFact {
        kind: life.fact.kind,
        text: life.fact.text.clone(),
        entry_id: first.map(|place| names::id(session, place.entry)),
        file_role: life.fact.details.file_role,
        weight: life.fact.weight,
        born: life.born as u64,
        died: life.died().map(|at| at as u64),
        cells: cells.collect(),
    }
}
