//! Summaries of one cut measured on the same facts, over what the next request would hold.

use super::cut::SummaryCut;
use super::material::{Material, OwnedSpan};
use crate::error::Result;
use crate::session::OpenSession;
use palimpsest_core::ledger::Ledger;
use palimpsest_core::score::Score;
use palimpsest_core::{Block, EntryIx, EntryKind, Message, Role};
use palimpsest_ledger::claims::{self, Claim};
use palimpsest_ledger::score::Scale;
use palimpsest_ledger::{HeldFacts, LedgerInput, Span, SpanItem, Universe};
use std::collections::{HashMap, HashSet};

/// A summary with what the next request has beside it.
pub struct Side<'a> {
    /// The summary and its cut.
    pub material: &'a Material,
    /// Texts that the strategy puts beside the summary and the kept tail.
    pub texts: Vec<String>,
}

/// Summaries that replace parts of one context.
pub struct CommonCut {
    /// The entry whose context is cut; `None` before the first entry.
    pub at: Option<EntryIx>,
    /// Positions of its sides in the list that was compared.
    pub sides: Vec<usize>,
    /// The entries whose facts count: those that at least one side takes out of the context.
    pub entries: Vec<EntryIx>,
    /// The ledger of each side, all on the same facts.
    pub ledgers: Vec<Ledger>,
    /// What the next request of each side holds of the facts.
    pub held: Vec<HeldFacts>,
    /// The sentences of each side's summary held against the facts' sources.
    pub claims: Vec<Vec<Claim>>,
    /// The overall score of each side; `None` where the file holds far less than the context.
    pub scores: Vec<Option<Score>>,
    /// Context size in tokens that the agent recorded, where the file holds far less of it.
    pub incomplete: Option<u64>,
}

impl CommonCut {
    /// False where the file has nothing of what was summarized, or far less than the agent recorded: what was kept
    /// of it is not measured.
    pub fn is_whole(&self) -> bool {
        self.incomplete.is_none() && !self.entries.is_empty()
    }
}

/// Groups summaries by the context they cut, and measures those of each group on the same facts.
///
/// Two strategies may keep tails of different lengths: what one keeps and the other summarizes is
/// part of the facts, and counts as held where it is kept. Summaries of different contexts are in
/// different groups, because a figure of one says nothing about the other.
pub fn common_cuts(open: &OpenSession, sides: &[Side<'_>]) -> Result<Vec<CommonCut>> {
    let mut groups: Vec<(Place, Vec<usize>)> = Vec::new();
    for (number, side) in sides.iter().enumerate() {
        let place = Place::of(open, &side.material.cut);
        match groups.iter_mut().find(|(own, _)| *own == place) {
            Some((_, members)) => members.push(number),
            None => groups.push((place, vec![number])),
        }
    }
    let measured = groups.into_iter();
    measured
        .map(|(_, members)| measured_together(open, sides, members))
        .collect()
}

/// What makes two cuts comparable: the same context.
#[derive(PartialEq)]
struct Place {
    entries: HashSet<EntryIx>,
    previous: Option<EntryIx>,
    left_for: Option<EntryIx>,
}

impl Place {
    fn of(open: &OpenSession, cut: &SummaryCut) -> Place {
        let context = open
            .format
            .context(&open.session, &open.tree, cut.stands_on);
        let items = context.items.iter();
        let items = items.filter(|item| item.role != Role::System);
        Place {
            entries: items
                .flat_map(|item| item.entries.iter().copied())
                .collect(),
            previous: context.compaction,
            // A branch summary that is made again leads to where the stored one stands.
            left_for: cut
                .left_for
                .and_then(|to| match open.session.entry(to).kind {
                    EntryKind::BranchSummary(_) => open.tree.parent(to),
                    _ => Some(to),
                }),
        }
    }
}

fn measured_together(
    open: &OpenSession,
    sides: &[Side<'_>],
    members: Vec<usize>,
) -> Result<CommonCut> {
    let cuts: Vec<&SummaryCut> = members.iter().map(|&at| &sides[at].material.cut).collect();
    let gone: Vec<HashSet<EntryIx>> = cuts
        .iter()
        .map(|cut| cut.summarized.iter().chain(&cut.dropped).copied().collect())
        .collect();
    let all = in_order(open, cuts[0].stands_on, &cuts);
    let is_gone = |ix: &&EntryIx| gone.iter().any(|own| own.contains(ix));
    let entries: Vec<EntryIx> = all.iter().filter(is_gone).copied().collect();
    let kept_by_all: Vec<EntryIx> = all.iter().filter(|ix| !is_gone(ix)).copied().collect();
    let previous = cuts.iter().find_map(|cut| cut.previous);
    let span = OwnedSpan::load_behind(open, previous, &entries)?;
    let kept_by_all = OwnedSpan::load(open, &kept_by_all)?;
    let (span, common) = (span.items(), kept_by_all.items());
    let later = sides[members[0]].material.later.items();
    let universe = Universe::of(
        Span { items: &span },
        &Span { items: &common },
        &Span { items: &later },
        // Those of one session are the same for every side.
        &sides[members[0]].material.by_model,
    );
    let mut measured = CommonCut {
        at: cuts[0].stands_on,
        entries,
        ledgers: Vec::new(),
        held: Vec::new(),
        claims: Vec::new(),
        scores: Vec::new(),
        incomplete: members.iter().find_map(|&at| sides[at].material.incomplete),
        sides: Vec::new(),
    };
    let scale = Scale::of(&Span { items: &span });
    for (&number, gone) in members.iter().zip(&gone) {
        let side = &sides[number];
        let kept = all.iter().filter(|ix| !gone.contains(ix)).copied();
        let kept = OwnedSpan::load(open, &kept.collect::<Vec<_>>())?;
        let texts: Vec<Message> = side.texts.iter().map(|text| said(text)).collect();
        let mut tail = kept.items();
        tail.extend(texts.iter().map(|message| SpanItem {
            // Evidence is looked for in the texts alone, so the entry does not matter.
            entry: EntryIx(0),
            message_index: 0,
            message,
            at_ms: None,
        }));
        let material = side.material;
        let source = Span { items: &span };
        let input = LedgerInput {
            span: source,
            summary: &material.summary,
            previous_summary: material.previous.as_deref(),
            instructions: material.instructions.as_deref(),
            kept_tail: Span { items: &tail },
            ..LedgerInput::default()
        };
        let ledger = universe.ledger(&input);
        let claims = claims::check(&material.summary, &source, &ledger);
        let score = measured
            .is_whole()
            .then(|| scale.score(&input, &ledger, &claims));
        measured.scores.push(score);
        measured.claims.push(claims);
        measured.held.push(universe.held(&ledger));
        measured.ledgers.push(ledger);
    }
    measured.sides = members;
    Ok(measured)
}

/// The entries that the cuts speak of, each once, in the order of the path.
fn in_order(open: &OpenSession, at: Option<EntryIx>, cuts: &[&SummaryCut]) -> Vec<EntryIx> {
    let path = at.map(|at| open.tree.path(at)).unwrap_or_default();
    let places: HashMap<EntryIx, usize> = path.into_iter().zip(0..).collect();
    let named = cuts.iter().flat_map(|cut| {
        let kept = cut.summarized.iter().chain(&cut.kept);
        kept.chain(&cut.dropped).copied()
    });
    let mut all: Vec<EntryIx> = named.collect();
    // What is not on the path (a second file, another branch) stays in the order of the file.
    all.sort_by_key(|ix| (places.get(ix).copied().unwrap_or(usize::MAX), *ix));
    all.dedup();
    all
}

fn said(text: &str) -> Message {
    Message {
        role: Role::User,
        native_role: "user",
        blocks: vec![Block::Text(text.to_owned())],
        tool: None,
        sent: true,
    }
}
