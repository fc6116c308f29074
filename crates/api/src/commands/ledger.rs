//! The ledger and its source side.

use super::score::overall;
use super::{claims, names};
use crate::render::Utf16Offsets;
use crate::wire::*;
use palimpsest_app::claims::{Claim, Verdict};
use palimpsest_app::flags::{of_record, of_summary};
use palimpsest_app::regret::{self, Cost};
use palimpsest_app::summary::{
    FactPlaces, Material, PUT_BACK_TOKENS, ShelvedLedger, concern, concerns, is_missed,
    marked_item, put_back as put_back_of, reorientation,
};
use palimpsest_app::{App, AppError, AppResult, Heading, headings};
use palimpsest_core::estimate::{message_tokens, text_tokens};
use palimpsest_core::failure::{Input, Listed, NextStep, Problem};
use palimpsest_core::ledger::{Fact, Ledger, SourcePlace, ToldOtherwise, Totals};
use palimpsest_core::{Block, EntryIx, EntryKind};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Places and later uses sent per fact; the count says how many there are.
const MOST_LINKS: usize = 20;

/// What a summary kept and what it dropped.
pub(crate) fn ledger(app: &App, request: LedgerRequest) -> AppResult<LedgerView> {
    let open = match &request.run {
        // A run remembers its file, so its ledger can be shown without an index.
        Some(run) => app.open_of_run(&request.session, run)?,
        None => app.open(&request.session)?,
    };
    let wanted = match (&request.compaction, &request.run, &request.summary) {
        (_, Some(run), None) => format!("run:{run}"),
        (_, None, Some(text)) => format!("text:{:?}:{text}", request.at),
        (entry, None, None) => format!("entry:{entry:?}"),
        (_, Some(_), Some(_)) => {
            let message = "a run and a text are both given, and a ledger measures one of them";
            let next = NextStep::LeaveOut {
                what: Input::Summary,
            };
            return Err(AppError::BadRequest(Problem::new(message, next)));
        }
    };
    // The generation is part of the name, so that a changed session gets a new ledger.
    let judged = app.judged_key(&open);
    let id = format!("{}:{}:{judged}:{wanted}", open.id, open.generation);
    let shelved = app.ledger_shelf().get_or_make(&id, || {
        let material = match (&request.run, &request.summary) {
            (Some(run), _) => app.material_of_run(&open, run)?,
            (None, Some(text)) => app.material_of_text(&open, request.at.as_deref(), text)?,
            (None, None) => Material::of_compaction(&open, request.compaction.as_deref())?,
        };
        Ok::<_, AppError>((Arc::clone(&open), app.with_judged(&open, material)))
    })?;
    let mut view = view(&shelved, &shelved.material.summary, &shelved.ledger);
    view.flags = flags(app, &shelved);
    view.reorientation = reoriented(&shelved);
    Ok(view)
}

/// What followed a compaction that the session holds.
fn reoriented(shelved: &ShelvedLedger) -> Option<ReorientationView> {
    let ShelvedLedger { open, material, .. } = shelved;
    let found = reorientation(open, material.of_entry?, &material.cut)?;
    Some(ReorientationView {
        figures: ReorientationFigures {
            calls: found.calls,
            looks: found.looks,
            prompts: found.prompts,
            tokens: found.tokens,
            elapsed_ms: found.elapsed_ms,
            usual: found.usual,
        },
        entry_id: names::id(&open.session, found.edit),
    })
}

/// What is unusual about the compaction whose ledger it is; of a run nothing. A flag is worth no
/// failure of its ledger: what cannot be read has none.
fn flags(app: &App, shelved: &ShelvedLedger) -> Vec<FlagView> {
    let ShelvedLedger {
        open,
        material,
        ledger,
        ..
    } = shelved;
    let Some(entry) = material.of_entry else {
        return Vec::new();
    };
    let mut found = of_record(open, entry).unwrap_or_default();
    let shown = of_summary(open, entry, material, ledger).unwrap_or_default();
    // The index may be written by an indexing run at this moment.
    let _ = app.keep_flags(open, &shown);
    found.extend(shown);
    found
        .into_iter()
        .map(|own| FlagView {
            flag: own.flag,
            rule: own.flag.rule().to_owned(),
            detail: own.detail,
            entry_ids: names::ids(&open.session, &own.entries),
        })
        .collect()
}

/// What a summary lost, as one message.
pub(crate) fn put_back(app: &App, request: PutBackRequest) -> AppResult<PutBackView> {
    let of = match (request.run, request.compaction) {
        (Some(run), _) => run,
        (None, Some(entry)) => format!("entry:{entry}"),
        (None, None) => String::new(),
    };
    let shelved = shelved(app, &request.session, &of)?;
    let items = shelved.material.span.items();
    let most = request.tokens.unwrap_or(PUT_BACK_TOKENS);
    let session = &shelved.open.session;
    let is_summary = |ix| session.entry(ix).kind.summary().is_some();
    let facts = request.facts.as_deref();
    named(&shelved.ledger.facts, facts.unwrap_or_default())?;
    let found = put_back_of(&items, &shelved.ledger, &is_summary, facts, most);
    Ok(PutBackView {
        text: found.text,
        tokens: found.tokens,
        fact_ids: found.facts,
        left_out_ids: found.left_out,
        least_tokens: found.least,
    })
}

/// The facts of these ids.
pub(crate) fn named<'a>(facts: &'a [Fact], ids: &[String]) -> AppResult<Vec<&'a Fact>> {
    let find = |id: &String| {
        facts.iter().find(|fact| fact.id == *id).ok_or_else(|| {
            AppError::bad_request(
                format!("the ledger has no fact '{id}'"),
                // All of them would be a long list.
                NextStep::choose(Listed::Facts, id, Vec::new()),
            )
        })
    };
    ids.iter().map(find).collect()
}

/// The ledger of a summary by its name, `entry:ID` or the id of a run (the newest
/// compaction where it is empty), made where it is not kept.
pub(crate) fn shelved(app: &App, session: &str, of: &str) -> AppResult<Arc<ShelvedLedger>> {
    let of = &app.summary_name(session, of)?;
    let open = if of.starts_with("entry:") {
        app.open(session)?
    } else {
        app.open_of_run(session, of)?
    };
    let wanted = match of.strip_prefix("entry:") {
        Some(entry) => format!("entry:{:?}", Some(entry)),
        None => format!("run:{of}"),
    };
    let judged = app.judged_key(&open);
    let id = format!("{}:{}:{judged}:{wanted}", open.id, open.generation);
    app.ledger_shelf().get_or_make(&id, || {
        let material = app.material_named(&open, of)?;
        Ok::<_, AppError>((Arc::clone(&open), app.with_judged(&open, material)))
    })
}

/// A ledger for the wire: of the shelved summary, or of another text for the same span.
pub(crate) fn view(shelved: &ShelvedLedger, summary: &str, ledger: &Ledger) -> LedgerView {
    let ShelvedLedger {
        id, open, material, ..
    } = shelved;
    let judged = material.judged_claims.as_ref();
    // Prepared once: a ledger has thousands of ranges in one summary.
    let offsets = Utf16Offsets::new(summary);
    let items = material.span.items();
    let item_at: HashMap<(EntryIx, usize), u64> = items
        .iter()
        .enumerate()
        .map(|(position, item)| ((item.entry, item.message_index), position as u64))
        .collect();
    let entries = |list: &[EntryIx]| {
        let mut list = list.to_vec();
        // A fact can stand several times in one entry, whose places follow each other.
        list.dedup();
        list.truncate(MOST_LINKS);
        names::ids(&open.session, &list)
    };
    let facts = ledger
        .facts
        .iter()
        .map(|fact| {
            let places: Vec<EntryIx> = fact.places.iter().map(|place| place.entry).collect();
            let first = |place: &SourcePlace| item_at.get(&(place.entry, place.message)).copied();
            FactView {
                id: fact.id.clone(),
                kind: fact.kind,
                text: fact.text.clone(),
                entry_ids: entries(&places),
                status: fact.status,
                evidence: fact
                    .evidence
                    .iter()
                    .map(|range| offsets.range(range))
                    .collect(),
                needed_later: entries(&fact.needed_later),
                count: fact.count as u64,
                weight: fact.weight,
                in_kept_tail: fact.in_kept_tail,
                missed: is_missed(fact),
                concern: concern(fact),
                first_item: fact.places.first().and_then(first).unwrap_or(0),
                file_role: fact.details.file_role,
                task: fact.details.task,
                generation: fact.details.generation,
                answers: fact.details.answers.clone(),
                missing: fact.details.missing.clone(),
                found_by: fact.details.found_by,
                minor: fact.details.minor,
                may_be_told: fact.details.told_otherwise.is_some(),
                may_be_told_at: match &fact.details.told_otherwise {
                    Some(ToldOtherwise::Words(range)) => Some(offsets.range(range)),
                    _ => None,
                },
                in_another_language: fact.details.told_otherwise == Some(ToldOtherwise::Language),
                by_model: claims::of_fact(fact, judged),
                difference: fact.details.difference.as_ref().map(|(source, summary)| {
                    DifferenceView {
                        source: source.clone(),
                        summary: summary.clone(),
                    }
                }),
            }
        })
        .collect();
    let introduced = ledger
        .introduced
        .iter()
        .map(|added| {
            let TextRange { start, end } = offsets.range(&added.range);
            IntroducedView {
                kind: added.kind,
                text: added.text.clone(),
                start,
                end,
            }
        })
        .collect();
    LedgerView {
        flags: Vec::new(),
        reorientation: None,
        costs: costs(shelved, ledger),
        named_and_read_again: named_and_read_again(shelved, ledger),
        ledger_id: id.clone(),
        facts,
        introduced,
        score: material.score(summary, ledger).as_ref().map(overall),
        totals: totals(ledger),
        concerns: concern_counts(&ledger.facts),
        summary_tokens: text_tokens(summary),
        summary_size: material
            .of_entry
            .filter(|&ix| matches!(open.session.entry(ix).kind, EntryKind::Compaction(_)))
            .filter(|_| open.sizes_summaries())
            .map(|ix| open.after_compaction(ix).summary),
        span_tokens: material.span_tokens(),
        span_size: material.cut.reported_size(open, material.of_entry),
        source_items: items.len() as u64,
        previous_diff: material
            .previous
            .as_deref()
            .map(|previous| diff_rows(previous, summary))
            // Without a previous summary there is nothing to compare with.
            .unwrap_or_default(),
        previous_summary: material.previous.clone(),
        title: material.title.clone(),
        first_kept_id: material
            .cut
            .first_kept
            .map(|ix| names::id(&open.session, ix)),
        sections: sections(summary, &offsets),
        incomplete: material.incomplete,
        later_entries: material.later_messages() as u64,
        kept_prompts: material.kept_prompts() as u64,
        claims: claims::views(open, summary, &material.claims(summary, ledger), judged),
        judged_claims: judged.map(claims::judged),
        summary: summary.to_owned(),
    }
}

fn concern_counts(facts: &[Fact]) -> ConcernCounts {
    let counts = concerns(facts);
    ConcernCounts {
        said: counts.said as u64,
        own: counts.own as u64,
        missed: counts.missed as u64,
        risk: counts.risk as u64,
        model: counts.model as u64,
        rest: counts.rest as u64,
    }
}

/// What it cost that dropped facts were needed.
fn costs(shelved: &ShelvedLedger, ledger: &Ledger) -> Vec<CostView> {
    let made = shelved
        .material
        .with_input("", |input| regret::costs(ledger, &input.later));
    let view = |cost| cost_view(shelved, ledger, cost);
    made.into_iter().map(view).collect()
}

/// What it cost that files were read again which the summary names.
fn named_and_read_again(shelved: &ShelvedLedger, ledger: &Ledger) -> Option<CostView> {
    let made = shelved.material.with_input("", |input| {
        regret::named_and_read_again(ledger, &input.later)
    });
    made.map(|cost| cost_view(shelved, ledger, cost))
}

fn cost_view(shelved: &ShelvedLedger, ledger: &Ledger, cost: Cost) -> CostView {
    let mut entries: Vec<EntryIx> = cost.returns.iter().map(|own| own.entry).collect();
    entries.sort_unstable();
    entries.dedup();
    CostView {
        how: cost.how.into(),
        fact_ids: cost
            .facts
            .iter()
            .map(|&at| ledger.facts[at].id.clone())
            .collect(),
        entry_ids: names::ids(&shelved.open.session, &entries),
        calls: cost.calls,
        tokens: cost.tokens,
    }
}

/// Sums for the wire.
pub(crate) fn totals(ledger: &Ledger) -> LedgerTotals {
    let by_rules = ledger.facts_by_rules().count();
    sums(&ledger.totals, by_rules, ledger.introduced.len())
}

/// Sums that were kept without their ledger, for the wire.
pub(crate) fn sums(totals: &Totals, facts: usize, introduced: usize) -> LedgerTotals {
    let by_kind: BTreeMap<FactKind, FateCounts> = totals
        .by_kind
        .iter()
        .map(|(kind, [verbatim, mentioned, partial, dropped])| {
            let counts = FateCounts {
                verbatim: *verbatim as u64,
                mentioned: *mentioned as u64,
                changed: totals
                    .changed
                    .iter()
                    .find(|(known, _)| known == kind)
                    .map_or(0, |(_, count)| *count as u64),
                partial: *partial as u64,
                dropped: *dropped as u64,
            };
            (*kind, counts)
        })
        .collect();
    LedgerTotals {
        by_kind,
        retention: totals.retention,
        counted: totals.counted.map(|counted| CountedFacts {
            facts: counted.facts as u64,
            kept: counted.kept as u64,
            half: counted.half as u64,
            weight: counted.weight,
            kept_weight: counted.kept_weight,
        }),
        compression_ratio: totals.compression_ratio,
        coverage: totals.coverage,
        density: totals.density,
        needed_later: totals.needed_measured().map(|facts| facts as u64),
        nothing_after: totals.nothing_after,
        facts: facts as u64,
        introduced: introduced as u64,
    }
}

/// The headings of a summary, and whether anything stands under them.
fn sections(summary: &str, offsets: &Utf16Offsets) -> Vec<SectionView> {
    let view = |heading: Heading| SectionView {
        title: heading.title,
        level: heading.level,
        start: offsets.at(heading.start),
        empty: heading.empty,
    };
    headings(summary).into_iter().map(view).collect()
}

/// A page of the source side.
pub(crate) fn ledger_source(
    app: &App,
    request: LedgerSourceRequest,
) -> AppResult<LedgerSourcePage> {
    // Pages are read from the shelf and never made again: their marks must be those of the ledger
    // on the screen.
    let shelved = app.ledger_shelf().get(&request.ledger_id).ok_or_else(|| {
        AppError::not_found(
            "the ledger is no longer in memory, or the session has changed since it was made",
            NextStep::OpenAgain,
        )
    })?;
    let items = shelved.material.span.items();
    let places = FactPlaces::new(&shelved.ledger);
    let offset = usize::try_from(request.offset)
        .unwrap_or(usize::MAX)
        .min(items.len());
    let limit = usize::try_from(request.limit).unwrap_or(usize::MAX);
    let page = items[offset..].iter().take(limit).map(|item| {
        // Marks are made page by page; a span of 2 MB has too many for one answer.
        let marked = marked_item(item, &places);
        let offsets = Utf16Offsets::new(&marked.text);
        let marks = marked
            .marks
            .iter()
            .map(|mark| {
                let TextRange { start, end } = offsets.range(&mark.range);
                FactMark {
                    start,
                    end,
                    fact_id: shelved.ledger.facts[mark.fact].id.clone(),
                    status: mark.status,
                }
            })
            .collect();
        let entry = shelved.open.session.entry(item.entry);
        let called = item.message.blocks.iter().find_map(|block| match block {
            Block::ToolCall { name, .. } => Some(name),
            _ => None,
        });
        let tool = item.message.tool.as_ref();
        SourceItem {
            entry_id: names::id(&shelved.open.session, item.entry),
            role: item.message.role,
            tool_name: tool.map(|tool| &tool.name).or(called).cloned(),
            // A record with several results fails as a whole, so the result itself is asked.
            is_error: tool.map_or(entry.is_error, |tool| tool.is_error) && !entry.rejected,
            rejected: entry.rejected,
            tokens: message_tokens(item.message),
            text: marked.text,
            marks,
        }
    });
    Ok(LedgerSourcePage {
        total: items.len() as u64,
        offset: offset as u64,
        items: page.collect(),
    })
}

/// Two texts section by section and line by line, with what changed within lines.
pub(crate) fn diff_rows(left: &str, right: &str) -> Vec<DiffRow> {
    view_rows(&palimpsest_app::diff::by_section(left, right))
}

/// Rows of two texts as the page paints them.
pub(crate) fn view_rows(rows: &[palimpsest_app::diff::Row]) -> Vec<DiffRow> {
    use palimpsest_app::diff;
    let line = |line: &diff::Line| {
        let offsets = Utf16Offsets::new(&line.text);
        DiffLine {
            number: line.no as u64,
            text: line.text.clone(),
            ranges: line
                .ranges
                .iter()
                .map(|range| offsets.range(range))
                .collect(),
            moved: line.moved.map(|no| no as u64),
        }
    };
    rows.iter()
        .map(|row| DiffRow {
            kind: row.kind.into(),
            left: row.left.as_ref().map(line),
            right: row.right.as_ref().map(line),
        })
        .collect()
}

/// Sentences by what their sources say of them.
pub(crate) fn claim_counts(claims: &[Claim]) -> ClaimCounts {
    let mut counts = ClaimCounts::default();
    for claim in claims {
        *match claim.verdict {
            Verdict::Supported => &mut counts.supported,
            Verdict::Contradicted => &mut counts.contradicted,
            Verdict::Stale => &mut counts.stale,
            Verdict::WithoutSource => &mut counts.without_source,
            Verdict::Unchecked => &mut counts.unchecked,
        } += 1;
    }
    counts
}
