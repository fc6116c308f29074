//! The lives of facts over all compactions on a path, made with progress and kept.

use super::chained::{ChainColumn, SessionChain};
use super::material::Material;
use crate::error::{AppError, Result};
use crate::session::{OpenSession, lock};
use crate::workspace::{App, AppEvent};
use palimpsest_core::estimate::text_tokens;
use palimpsest_core::{EntryIx, EntryKind};
use palimpsest_ledger::candidate::Candidate;
use palimpsest_ledger::chain::{Chain, said};
use std::sync::{Arc, mpsc};
use std::thread;
use tokio_util::sync::CancellationToken;

impl App {
    /// The chain over the compactions on the path to `at`, the active leaf where none is named. A
    /// later call for the same session ends an earlier one.
    pub fn chain(&self, session: &str, at: Option<&str>) -> Result<Arc<SessionChain>> {
        let open = self.open(session)?;
        let leaf = open.resolve_or_leaf(at)?;
        // An entry on the active path is on the way to all its compactions.
        let leaf = match leaf {
            Some(ix) if open.on_active_path[ix.get()] => open.session.active_leaf,
            other => other,
        };
        let key = format!("{}:{}:{leaf:?}", open.id, open.generation);
        let made = lock(&self.last_chain.0).clone();
        if let Some(made) = made.filter(|made| made.key == key) {
            return Ok(made);
        }
        let stream = format!("chain {}", open.id);
        let cancel = self.begin(&stream);
        let made = self.make_chain(&open, leaf, key, &cancel);
        // A name that a later call has taken over is that call's to forget.
        if !cancel.is_cancelled() {
            self.end(&stream);
        }
        let made = Arc::new(made?);
        *lock(&self.last_chain.0) = Some(Arc::clone(&made));
        Ok(made)
    }

    fn make_chain(
        &self,
        open: &Arc<OpenSession>,
        leaf: Option<EntryIx>,
        key: String,
        cancel: &CancellationToken,
    ) -> Result<SessionChain> {
        let tell = |done, total| {
            self.tell(AppEvent::ChainProgress {
                session: open.id.clone(),
                done,
                total,
            });
        };
        let (chain, columns) = follow(open, leaf, cancel, &tell)?;
        Ok(SessionChain {
            key,
            open: Arc::clone(open),
            columns,
            chain,
        })
    }
}

/// A compaction whose texts were read.
struct ReadOne {
    material: Material,
    said: Vec<Candidate>,
}

/// Follows the facts over the compactions on the path to `leaf`. `tell` hears how many of how many are
/// done.
///
/// The texts of the next compaction are read and searched for facts while those of the last one are
/// held against its summary: that is half of the work.
pub(crate) fn follow(
    open: &OpenSession,
    leaf: Option<EntryIx>,
    cancel: &CancellationToken,
    tell: &dyn Fn(u64, u64),
) -> Result<(Chain, Vec<ChainColumn>)> {
    let path = leaf.map(|leaf| open.tree.path(leaf)).unwrap_or_default();
    let is_compaction =
        |ix: &EntryIx| matches!(open.session.entry(*ix).kind, EntryKind::Compaction(_));
    let compactions: Vec<EntryIx> = path.into_iter().filter(is_compaction).collect();
    let total = compactions.len() as u64;
    let mut chain = Chain::default();
    let mut columns = Vec::with_capacity(compactions.len());
    let read = |entry: EntryIx| -> Result<ReadOne> {
        let material = Material::of_compaction(open, Some(&open.session.name_of(entry)))?;
        let said = material.with_input("", |input| said(&input.span));
        Ok(ReadOne { material, said })
    };
    thread::scope(|scope| {
        // No more than one ahead: the texts of all compactions are as large as the session.
        let (sender, receiver) = mpsc::sync_channel::<Result<ReadOne>>(0);
        let all = &compactions;
        scope.spawn(move || {
            for &entry in all {
                // Nobody waits for it any more, or somebody asked to stop.
                if cancel.is_cancelled() || sender.send(read(entry)).is_err() {
                    return;
                }
            }
        });
        for (done, &entry) in (0_u64..).zip(&compactions) {
            tell(done, total);
            let next = receiver.recv();
            if cancel.is_cancelled() {
                return Err(AppError::Cancelled);
            }
            let ended = |_| AppError::Internal("a compaction was not read".to_owned());
            let ReadOne { material, said } = next.map_err(ended)??;
            material.with_input(&material.summary, |input| chain.add_said(said, input));
            columns.push(ChainColumn {
                entry,
                summary_tokens: text_tokens(&material.summary),
                is_incomplete: material.incomplete.is_some() || material.cut.summarized.is_empty(),
            });
        }
        Ok(())
    })?;
    tell(total, total);
    Ok((chain, columns))
}
