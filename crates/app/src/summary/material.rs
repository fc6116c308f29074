//! A summary with all the texts needed to judge it.

use super::cut::{SummaryCut, stored_cut, stored_summary};
use crate::error::{AppError, Result};
use crate::session::OpenSession;
use palimpsest_core::failure::{Input, NextStep};
use palimpsest_core::ledger::Ledger;
use palimpsest_core::{Block, Bodies as _, Body, EntryIx, EntryKind, Message, Role};
use palimpsest_ledger::{LedgerInput, Span, SpanItem};
use std::sync::Arc;

/// The type of entries that hold a prompt which was sent while the agent worked.
const QUEUED_PROMPT: &str = "queued_command";

/// A span that holds less than this share of the size that the agent recorded before the compaction
/// is incomplete. What is sent besides the conversation (system prompt, tools, memory) is
/// [`UNSEEN_TOKENS`] at most in the sessions we know.
const COMPLETE_SHARE: f64 = 0.2;

/// Largest system prompt with tool definitions in tokens.
const UNSEEN_TOKENS: u64 = 40_000;

/// Entries with their texts in memory.
#[derive(Default)]
pub struct OwnedSpan {
    entries: Vec<(EntryIx, Option<i64>, Arc<Body>)>,
    /// The summary the first entry stores; what else that entry stores is not of the span.
    previous: Option<EntryIx>,
}

impl OwnedSpan {
    /// Loads the texts of `entries` without content the agent added itself: the agent sends that
    /// again when needed, so no summary has to keep it. A prompt the user sent while the agent
    /// worked is the user's, although it is stored as an attachment.
    pub fn load(open: &OpenSession, entries: &[EntryIx]) -> Result<OwnedSpan> {
        let unseen = |ix: &EntryIx| {
            let kind = &open.session.entry(*ix).kind;
            matches!(kind, EntryKind::CustomMessage { display: false, custom_type }
                if &**custom_type != QUEUED_PROMPT)
        };
        let entries = entries
            .iter()
            .filter(|ix| !unseen(ix))
            .map(|&ix| Ok((ix, open.session.entry(ix).at_ms, open.bodies.body(ix)?)))
            .collect::<Result<Vec<_>>>()?;
        Ok(OwnedSpan {
            entries,
            previous: None,
        })
    }

    /// Loads the texts of `entries` with the prompts between them that no message of the context
    /// holds: those the user sent while the agent worked.
    fn load_with_passed_on(open: &OpenSession, entries: &[EntryIx]) -> Result<OwnedSpan> {
        let mut span = OwnedSpan::load(open, entries)?;
        let (Some(&first), Some(&last)) = (entries.first(), entries.last()) else {
            return Ok(span);
        };
        let path = open.tree.path(last);
        for ix in open.format.passed_on(&open.session, &path) {
            if ix <= first || ix >= last || entries.contains(&ix) {
                continue;
            }
            let Some(prompt) = open.format.passed_on_prompt(&open.bodies.raw(ix)?) else {
                continue;
            };
            let body = Body {
                messages: vec![Message {
                    role: Role::User,
                    native_role: "user",
                    blocks: vec![Block::Text(prompt)],
                    tool: None,
                    sent: true,
                }],
                ..Body::default()
            };
            let at = span.entries.iter().position(|(other, ..)| *other > ix);
            let at = at.unwrap_or(span.entries.len());
            let at_ms = open.session.entry(ix).at_ms;
            span.entries.insert(at, (ix, at_ms, Arc::new(body)));
        }
        Ok(span)
    }

    /// Loads the texts of `entries` with the summary of `previous` in front.
    fn load_behind(
        open: &OpenSession,
        previous: Option<EntryIx>,
        entries: &[EntryIx],
    ) -> Result<OwnedSpan> {
        let mut span = OwnedSpan::load_with_passed_on(open, entries)?;
        if let Some(ix) = previous {
            let at_ms = open.session.entry(ix).at_ms;
            span.entries.insert(0, (ix, at_ms, open.bodies.body(ix)?));
            span.previous = previous;
        }
        Ok(span)
    }

    /// The messages, in order.
    pub fn items(&self) -> Vec<SpanItem<'_>> {
        let items = self.entries.iter().flat_map(|(entry, at_ms, body)| {
            // The record of a compaction may repeat messages before its summary.
            let is_previous = self.previous == Some(*entry);
            let is_own = move |message: &Message| message.role != Role::System;
            let summary = body.messages.iter().rposition(is_own);
            body.messages
                .iter()
                .enumerate()
                .filter(move |(index, _)| !is_previous || Some(*index) == summary)
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
    /// Context size in tokens that the agent recorded, where the file holds far less of it: facts
    /// of the span are missing, so nothing is said about the share that was kept.
    pub incomplete: Option<u64>,
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
        let incomplete = incomplete(open, ix, &cut);
        if incomplete.is_some() && !cut.summarized.is_empty() {
            title.push_str("; most of what it summarizes is not in the file");
        }
        Ok(Material {
            incomplete,
            ..Material::new(open, title, stored_summary(open, ix)?, cut, None)?
        })
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
            // The summary it built on is part of what it summarizes.
            span: OwnedSpan::load_behind(open, cut.previous, &cut.summarized)?,
            incomplete: None,
            kept: OwnedSpan::load(open, &cut.kept)?,
            later: OwnedSpan::load_with_passed_on(open, &cut.later)?,
            cut,
        })
    }

    /// Size of the summarized span in tokens, as the ledger counts it.
    pub fn span_tokens(&self) -> u64 {
        let items = self.span.items();
        // The previous summary stands before what is summarized.
        let previous = self.cut.previous;
        let own: Vec<_> = items
            .into_iter()
            .filter(|item| Some(item.entry) != previous)
            .collect();
        let counted = || Span { items: &own }.estimate();
        self.cut.span_tokens.unwrap_or_else(counted)
    }

    /// The facts and their statuses.
    pub fn ledger(&self) -> Ledger {
        let (span, kept, later) = (self.span.items(), self.kept.items(), self.later.items());
        let mut ledger = palimpsest_ledger::build(&LedgerInput {
            span: Span { items: &span },
            span_tokens: Some(self.span_tokens()),
            summary: &self.summary,
            previous_summary: self.previous.as_deref(),
            instructions: self.instructions.as_deref(),
            kept_tail: Span { items: &kept },
            later: Span { items: &later },
        });
        if self.incomplete.is_some() || self.cut.summarized.is_empty() {
            ledger.totals.retention = None;
        }
        ledger
    }
}

/// The recorded size of a context of which the file holds far less.
fn incomplete(open: &OpenSession, compaction: EntryIx, cut: &SummaryCut) -> Option<u64> {
    let EntryKind::Compaction(info) = &open.session.entry(compaction).kind else {
        return None;
    };
    let recorded = info.tokens_before?;
    let size = |ix: &EntryIx| -> u64 {
        let sizes = open.session.entry(*ix).messages.iter();
        sizes.map(|size| size.estimate).sum()
    };
    let kept: u64 = cut.kept.iter().map(size).sum();
    let previous: u64 = cut.previous.iter().map(size).sum();
    let found = cut.span_tokens? + kept + previous;
    let expected = recorded.saturating_sub(UNSEEN_TOKENS) as f64 * COMPLETE_SHARE;
    (found < expected as u64).then_some(recorded)
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
