//! A summary with all the texts needed to judge it.

use super::cut::{SummaryCut, stored_cut, stored_summary};
use crate::error::{AppError, Result};
use crate::session::OpenSession;
use palimpsest_core::failure::{Input, NextStep};
use palimpsest_core::ledger::Ledger;
use palimpsest_core::{Bodies as _, Body, EntryIx, EntryKind};
use palimpsest_ledger::{LedgerInput, Span, SpanItem};
use std::sync::Arc;

/// Entries with their texts in memory.
#[derive(Default)]
pub struct OwnedSpan {
    entries: Vec<(EntryIx, Option<i64>, Arc<Body>)>,
}

impl OwnedSpan {
    /// Loads the texts of `entries` without content the agent added itself: the agent sends that
    /// again when needed, so no summary has to keep it.
    pub fn load(open: &OpenSession, entries: &[EntryIx]) -> Result<OwnedSpan> {
        let unseen = |ix: &EntryIx| {
            let kind = &open.session.entry(*ix).kind;
            matches!(kind, EntryKind::CustomMessage { display: false, .. })
        };
        let entries = entries
            .iter()
            .filter(|ix| !unseen(ix))
            .map(|&ix| Ok((ix, open.session.entry(ix).at_ms, open.bodies.body(ix)?)))
            .collect::<Result<Vec<_>>>()?;
        Ok(OwnedSpan { entries })
    }

    /// The messages, in order.
    pub fn items(&self) -> Vec<SpanItem<'_>> {
        let items = self.entries.iter().flat_map(|(entry, at_ms, body)| {
            body.messages
                .iter()
                .enumerate()
                .map(|(message_index, message)| SpanItem {
                    entry: *entry,
                    message_index,
                    message,
                    at_ms: *at_ms,
                })
        });
        items.collect()
    }
}

/// A summary, what it stands for, and everything it is held against.
pub struct Material {
    /// What the summary is, in words.
    pub title: String,
    /// The summary.
    pub summary: String,
    /// The summary it built on.
    pub previous: Option<String>,
    /// The custom instructions for it.
    pub instructions: Option<String>,
    /// Where it cuts.
    pub cut: SummaryCut,
    /// Texts of the summarized entries.
    pub span: OwnedSpan,
    kept: OwnedSpan,
    later: OwnedSpan,
}

impl Material {
    /// A compaction that the session holds; the newest on the active path when none is named.
    pub fn of_compaction(open: &OpenSession, entry: Option<&str>) -> Result<Material> {
        let ix = match entry {
            Some(name) => open.resolve(name)?,
            None => newest_compaction(open)?,
        };
        let cut = stored_cut(open, ix)?;
        let id = &open.session.entry(ix).id;
        let mut title = format!("compaction {id} as the session holds it");
        if cut.summarized.is_empty() {
            title.push_str("; what it summarizes is not in the file");
        }
        Material::new(open, title, stored_summary(open, ix)?, cut, None)
    }

    /// A new summary for a cut.
    pub fn new(
        open: &OpenSession,
        title: String,
        summary: String,
        cut: SummaryCut,
        instructions: Option<String>,
    ) -> Result<Material> {
        Ok(Material {
            title,
            summary,
            previous: cut
                .previous
                .map(|ix| stored_summary(open, ix))
                .transpose()?,
            instructions,
            span: OwnedSpan::load(open, &cut.summarized)?,
            kept: OwnedSpan::load(open, &cut.kept)?,
            later: OwnedSpan::load(open, &cut.later)?,
            cut,
        })
    }

    /// Size of the summarized span in tokens, as the ledger counts it.
    pub fn span_tokens(&self) -> u64 {
        let items = self.span.items();
        let counted = || Span { items: &items }.estimate();
        self.cut.span_tokens.unwrap_or_else(counted)
    }

    /// The facts and their statuses.
    pub fn ledger(&self) -> Ledger {
        let (span, kept, later) = (self.span.items(), self.kept.items(), self.later.items());
        palimpsest_ledger::build(&LedgerInput {
            span: Span { items: &span },
            span_tokens: self.cut.span_tokens,
            summary: &self.summary,
            previous_summary: self.previous.as_deref(),
            instructions: self.instructions.as_deref(),
            kept_tail: Span { items: &kept },
            later: Span { items: &later },
        })
    }
}

fn newest_compaction(open: &OpenSession) -> Result<EntryIx> {
    let path = open
        .session
        .active_leaf
        .map(|leaf| open.tree.path(leaf))
        .unwrap_or_default();
    let is_compaction =
        |ix: &EntryIx| matches!(open.session.entry(*ix).kind, EntryKind::Compaction(_));
    path.into_iter().rev().find(is_compaction).ok_or_else(|| {
        AppError::not_found(
            format!(
                "the active path of the session has no compaction: {}",
                open.session.meta.path
            ),
            NextStep::Give {
                what: Input::Compaction,
            },
        )
    })
}
