//! A summary with all the texts needed to judge it.

use super::cut::{SummaryCut, stored_cut, stored_summary, summary_message};
use crate::error::{AppError, Result};
use crate::session::OpenSession;
use palimpsest_core::failure::{Input, NextStep};
use palimpsest_core::ledger::Ledger;
use palimpsest_core::score::Score;
use palimpsest_core::words::noun;
use palimpsest_core::{Block, Bodies as _, Body, EntryIx, EntryKind, Message, Role, SummaryKind};
use palimpsest_judge::claims::ClaimsChecked;
use palimpsest_ledger::claims::{self, Claim, Verdict};
use palimpsest_ledger::score::Scale;
use palimpsest_ledger::span::PartKind;
use palimpsest_ledger::{LedgerInput, ModelFact, Span, SpanItem};
use std::sync::Arc;

/// The type of entries that hold a prompt which was sent while the agent worked.
const QUEUED_PROMPT: &str = "queued_command";

/// A span that holds less than this share of the size that the agent recorded before the compaction
/// is incomplete. What is sent besides the conversation (system prompt, tools, memory) is
/// [`UNSEEN_TOKENS`] at most in the sessions we know.
const COMPLETE_SHARE: f64 = 0.2;

/// Largest system prompt with tool definitions in tokens.
const UNSEEN_TOKENS: u64 = 40_000;

/// So many digits are the number of a compaction; a longer one may be the beginning of an id.
const LONGEST_NUMBER: usize = 2;

/// The role of a message that the agent wrote in the user's place.
pub(super) const BY_AGENT: &str = "synthetic";

/// Entries with their texts in memory.
#[derive(Default)]
pub struct OwnedSpan {
    entries: Vec<(EntryIx, Option<i64>, Arc<Body>)>,
    /// The summary the first entry stores, and which of its messages that is; what else that entry
    /// stores is not of the span.
    previous: Option<(EntryIx, Option<usize>)>,
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
    pub(crate) fn load_behind(
        open: &OpenSession,
        previous: Option<EntryIx>,
        entries: &[EntryIx],
    ) -> Result<OwnedSpan> {
        let mut span = OwnedSpan::load_with_passed_on(open, entries)?;
        if let Some(ix) = previous {
            let at_ms = open.session.entry(ix).at_ms;
            let body = open.bodies.body(ix)?;
            span.previous = Some((ix, summary_message(open, ix, &body)));
            span.entries.insert(0, (ix, at_ms, body));
        }
        Ok(span)
    }

    /// The messages, in order.
    pub fn items(&self) -> Vec<SpanItem<'_>> {
        let items = self.entries.iter().flat_map(|(entry, at_ms, body)| {
            // The record of a compaction may repeat messages before its summary.
            let of_previous = self.previous.filter(|(previous, _)| previous == entry);
            body.messages
                .iter()
                .enumerate()
                .filter(move |(index, _)| of_previous.is_none_or(|(_, at)| at == Some(*index)))
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

/// What a model said of the claims of a summary.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedClaims {
    /// The judgement.
    pub judgement: String,
    /// Its result.
    pub checked: ClaimsChecked,
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
    /// The entry of the session that holds it; `None` for every other.
    pub of_entry: Option<EntryIx>,
    /// Where it cuts.
    pub cut: SummaryCut,
    /// Texts of the summarized entries.
    pub span: OwnedSpan,
    /// Context size in tokens that the agent recorded, where the file holds far less of it: facts
    /// of the span are missing, so nothing is said about the share that was kept.
    pub incomplete: Option<u64>,
    /// Facts that models found in entries of the session.
    pub by_model: Vec<ModelFact>,
    /// The newest verdicts of a model on the claims of this summary.
    pub judged_claims: Option<JudgedClaims>,
    /// The run that made it; `None` for every other.
    pub(crate) of_run: Option<String>,
    kept: OwnedSpan,
    pub(super) later: OwnedSpan,
}

impl Material {
    /// A compaction or branch summary that the session holds; when none is named, the newest
    /// compaction on the active path, or branch summary where it has no compaction.
    pub fn of_compaction(open: &OpenSession, entry: Option<&str>) -> Result<Material> {
        let ix = match entry {
            Some(name) => summary_named(open, name)?,
            None => newest_summary(open)?,
        };
        let cut = stored_cut(open, ix)?;
        let entry = open.session.entry(ix);
        let kind = entry.kind.name().replace('_', " ");
        let mut title = format!("{kind} {} as the session holds it", entry.id);
        if matches!(&entry.kind, EntryKind::BranchSummary(told) if told.from.is_none())
            && !cut.summarized.is_empty()
        {
            title.push_str(
                "; its record does not name the entry left, the newest before it is taken",
            );
        }
        if cut.summarized.is_empty() {
            title.push_str("; what it summarizes is not in the file");
        }
        let incomplete = incomplete(open, ix, &cut);
        if incomplete.is_some() && !cut.summarized.is_empty() {
            title.push_str("; most of what it summarizes is not in the file");
        }
        Ok(Material {
            incomplete,
            of_entry: Some(ix),
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
        // OpenCode sends the request again that an automatic compaction interrupted: it stands in the
        // context that the model goes on from, as the kept tail does.
        let at_work = |ix: &&EntryIx| open.session.entry(**ix).native_role() == Some(BY_AGENT);
        let sent_again = cut.later.iter().take_while(at_work).count();
        let (sent_again, later) = cut.later.split_at(sent_again);
        let kept = [&*cut.kept, sent_again].concat();
        Ok(Material {
            title,
            of_entry: None,
            summary,
            previous: cut
                .previous
                .map(|ix| stored_summary(open, ix))
                .transpose()?,
            instructions,
            // The summary it built on is part of what it summarizes.
            span: OwnedSpan::load_behind(open, cut.previous, &cut.summarized)?,
            incomplete: None,
            by_model: Vec::new(),
            judged_claims: None,
            of_run: None,
            kept: OwnedSpan::load(open, &kept)?,
            later: OwnedSpan::load_with_passed_on(open, later)?,
            cut,
        })
    }

    /// The name of the summary, `entry:ID` or the id of its run; `None` for a text.
    pub fn name(&self, open: &OpenSession) -> Option<String> {
        let entry = self.of_entry.map(|ix| open.session.name_of(ix));
        let entry = entry.map(|id| format!("entry:{id}"));
        entry.or_else(|| self.of_run.clone())
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

    /// How many entries after the summary have a message: in these later needs are looked for.
    pub fn later_messages(&self) -> usize {
        let mut entries: Vec<EntryIx> = self.later.items().iter().map(|item| item.entry).collect();
        entries.dedup();
        entries.len()
    }

    /// How many messages of the user stay in the context as they are, beside the summary.
    pub fn kept_prompts(&self) -> usize {
        let items = self.kept.items();
        let span = Span { items: &items };
        let said = span.parts().filter(|part| part.kind == PartKind::UserText);
        let mut own: Vec<usize> = said.map(|part| part.item).collect();
        own.dedup();
        own.len()
    }

    /// The sentences of a text held against what this summary stands for; `ledger` is that of the text.
    ///
    /// Where most of the source is missing, what no source has is left unchecked.
    pub fn claims(&self, summary: &str, ledger: &Ledger) -> Vec<Claim> {
        let span = self.span.items();
        let mut claims = claims::check(summary, &Span { items: &span }, ledger);
        if !self.has_source() {
            let unknown = |claim: &&mut Claim| claim.verdict == Verdict::WithoutSource;
            for claim in claims.iter_mut().filter(unknown) {
                claim.verdict = Verdict::Unchecked;
                claim.reason.clear();
            }
        }
        claims
    }

    /// True where the file has what the summary stands for.
    fn has_source(&self) -> bool {
        self.incomplete.is_none() && !self.cut.summarized.is_empty()
    }

    /// The overall score of a text whose ledger is `ledger`; `None` where the span is missing or
    /// incomplete.
    pub fn score(&self, summary: &str, ledger: &Ledger) -> Option<Score> {
        ledger.totals.retention?;
        let made = self.with_input(summary, |input| {
            let claims = claims::check(summary, &input.span, ledger);
            Scale::of(&input.span).score(input, ledger, &claims)
        });
        Some(made)
    }

    /// The facts and their statuses.
    pub fn ledger(&self) -> Ledger {
        self.ledger_of(&self.summary)
    }

    /// Hands a text and all it is held against to `work`.
    pub fn with_input<T>(&self, summary: &str, work: impl FnOnce(&LedgerInput<'_>) -> T) -> T {
        let (span, kept, later) = (self.span.items(), self.kept.items(), self.later.items());
        work(&LedgerInput {
            span: Span { items: &span },
            span_tokens: Some(self.span_tokens()),
            summary,
            previous_summary: self.previous.as_deref(),
            instructions: self.instructions.as_deref(),
            kept_tail: Span { items: &kept },
            later: Span { items: &later },
            by_model: &self.by_model,
        })
    }

    /// The facts and their statuses in another text, for what this summary stands for. Where most of it
    /// is not in the file, neither the share kept nor what the text adds can be told.
    pub fn ledger_of(&self, summary: &str) -> Ledger {
        let mut ledger = self.with_input(summary, palimpsest_ledger::build);
        if !self.has_source() {
            ledger.totals.retention = None;
            ledger.introduced.clear();
        }
        ledger
    }
}

/// The recorded size of a context of which the file holds far less.
pub(crate) fn incomplete(open: &OpenSession, compaction: EntryIx, cut: &SummaryCut) -> Option<u64> {
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
    let is_small = found < expected as u64;
    (is_small || begins_late(open, cut, recorded)).then_some(recorded)
}

/// True where the first request of the file was much larger than what the file had by then: the
/// conversation began in another one.
fn begins_late(open: &OpenSession, cut: &SummaryCut, recorded: u64) -> bool {
    // One context for each compaction takes too long where there are thousands.
    if !open.sizes_summaries() {
        return false;
    }
    let newest = cut.summarized.iter().chain(&cut.kept).max();
    let unseen = newest.map_or(0, |&newest| open.measured_context(Some(newest)).prefix);
    unseen > UNSEEN_TOKENS.max(recorded / 2)
}

/// The entry of a summary by its id, or by its number among the compactions of the session, as the
/// window counts them from 1.
fn summary_named(open: &OpenSession, name: &str) -> Result<EntryIx> {
    let number = name.parse().ok().filter(|_| name.len() <= LONGEST_NUMBER);
    let is_compaction =
        |ix: &EntryIx| matches!(open.session.entry(*ix).kind, EntryKind::Compaction(_));
    let counted = number.and_then(|number: usize| {
        let mut compactions = open.session.indices().filter(is_compaction);
        compactions.nth(number.checked_sub(1)?)
    });
    counted.map_or_else(|| open.resolve(name), Ok)
}

/// The newest summary on the active path.
pub fn newest_summary(open: &OpenSession) -> Result<EntryIx> {
    let path = open
        .session
        .active_leaf
        .map(|leaf| open.tree.path(leaf))
        .unwrap_or_default();
    let newest = |wanted: SummaryKind| {
        let is_wanted = |ix: &&EntryIx| open.session.entry(**ix).kind.summary() == Some(wanted);
        path.iter().rev().find(is_wanted).copied()
    };
    newest(SummaryKind::Compaction)
        .or_else(|| newest(SummaryKind::BranchSummary))
        .ok_or_else(|| {
            AppError::not_found(
                format!(
                    "the active path of the session has no compaction{}: {}",
                    unread(open),
                    open.session.meta.path
                ),
                NextStep::Give {
                    what: Input::Compaction,
                },
            )
        })
}

/// What is said of lines that could not be read.
const NOT_READ: &str = "not read as they stand";

/// The first lines that could not be read, for a message that misses what they may hold; empty where
/// all was read.
pub(crate) fn unread(open: &OpenSession) -> String {
    const MOST: usize = 3;
    let lines = open.session.warnings.iter().chain(&open.partial_line);
    let lines: Vec<String> = lines
        .filter_map(|warning| {
            // People count lines from 1.
            let line = warning.line? + 1;
            Some(format!("line {line}: {}", warning.reason))
        })
        .collect();
    if lines.is_empty() {
        return String::new();
    }
    let more = match lines.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    let first = lines
        .iter()
        .take(MOST)
        .cloned()
        .collect::<Vec<_>>()
        .join("; ");
    let count = lines.len() as u64;
    let were = noun(count, "line of the file was", "lines of the file were");
    format!(", and {count} {were} {NOT_READ} ({first}{more})")
}

#[cfg(test)]
mod tests {
    use super::*;
    use palimpsest_testkit::home::TempHome;
    use palimpsest_testkit::session::{CompactionSpec, PiSession, Reply};
    use serde_json::json;

    /// The names that no source has and the verdicts on the claims, for a context of so many recorded
    /// tokens.
    fn unknown(tokens_before: u64) -> (usize, Vec<Verdict>) {
        let mut session = PiSession::new();
        session.user("Please sort the report by date.");
        session.assistant(Reply::new().call("read", json!({ "path": "src/report.rs" })));
        session.tool_result(&"fn part() {}\n".repeat(40));
        let kept = session.user("Go on.");
        let spec =
            CompactionSpec::new("- `sort_barges` is in src/barges.rs.\n").without_file_lists();
        session.compact(spec.first_kept(&kept).tokens_before(tokens_before));
        let home = TempHome::new();
        let path = home.add_pi_session(&session).unwrap();
        let open = OpenSession::read(&path).unwrap();
        let material = Material::of_compaction(&open, None).unwrap();
        let ledger = material.ledger();
        let claims = material.claims(&material.summary, &ledger);
        let verdicts = claims.iter().map(|claim| claim.verdict).collect();
        (ledger.introduced.len(), verdicts)
    }

    #[test]
    fn nothing_is_called_made_up_where_most_of_the_source_is_missing() {
        assert_eq!(unknown(400), (2, vec![Verdict::WithoutSource]));
        assert_eq!(unknown(900_000), (0, vec![Verdict::Unchecked]));
    }
}
