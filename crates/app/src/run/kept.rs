//! Runs as they are kept, and summaries of runs held against their span.

use super::cut::cut_of_plan;
use super::planned::PlanSpec;
use super::record::{AttemptRecord, CallRecord, MadeCall, PlanRecord};
use super::under_way::UnderWay;
use crate::clock::now_ms;
use crate::error::{AppError, Result};
use crate::session::OpenSession;
use crate::summary::{Material, SummaryCut, later_entries, stored_cut};
use crate::workspace::App;
use palimpsest_compaction::execute::Recipe;
use palimpsest_core::EntryIx;
use palimpsest_core::failure::{Input, Listed, NextStep, Problem};
use palimpsest_core::ledger::Totals;
use palimpsest_core::score::Score;
use palimpsest_store::user::{RunFilter, RunNote, RunRow, RunStatus};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

/// Why a run has no result whose program ended before it.
const INTERRUPTED: &str = "the program ended before the run did";

/// Most runs listed.
const MOST_RUNS: u64 = 1_000;

/// What is kept with a run besides its columns.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RunDetails {
    /// How long it took.
    pub elapsed_ms: u64,
    /// Sums of its ledger, when it has a whole summary of something.
    pub totals: Option<Totals>,
    /// Estimated tokens of what the summary stands for; `None` in runs kept before it was noted.
    #[serde(default)]
    pub span_tokens: Option<u64>,
    /// The overall score, where it could be measured; absent in runs kept before there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
    /// Number of facts.
    pub facts: usize,
    /// Number of introduced things.
    pub introduced: usize,
    /// How the replies make the summary, for a run that has one.
    #[serde(default)]
    pub recipe: Option<Recipe>,
    /// The calls as they were made, when recovery from overflow made them smaller than planned.
    #[serde(default)]
    pub adapted: Option<Vec<CallRecord>>,
    /// Failed attempts before this one.
    #[serde(default)]
    pub attempts: Vec<AttemptRecord>,
    /// What the user can do about the run's error; `None` as well for a step that only a newer
    /// version of the program knows.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "palimpsest_core::failure::known_step"
    )]
    pub next: Option<NextStep>,
    /// What the user edited, for a summary written by hand; absent in all others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<EditedFrom>,
}

/// The summary that was edited.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EditedFrom {
    /// The run whose text was edited.
    pub run: Option<String>,
    /// The entry of the session whose summary it was in the beginning.
    pub entry: Option<String>,
}

/// A run with its parts read.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRecord {
    /// The row.
    pub row: RunRow,
    /// The plan. A run that was just made shares it with the plan that was shown.
    pub plan: Arc<PlanRecord>,
    /// The calls made.
    pub calls: Vec<MadeCall>,
    /// What else is kept.
    pub details: RunDetails,
    /// Why it is in memory only and not in the user database.
    pub unkept: Option<Problem>,
    /// The name and the note that the user gave it.
    pub note: RunNote,
}

impl RunRecord {
    /// Reads the parts of a row.
    pub fn from_row(row: RunRow) -> Result<RunRecord> {
        let record = RunRecord {
            plan: Arc::new(from_json(&row, &row.plan)?),
            calls: from_json(&row, &row.calls)?,
            details: row
                .details
                .as_ref()
                .map_or(Ok(RunDetails::default()), |details| {
                    from_json(&row, details)
                })?,
            unkept: None,
            note: RunNote::default(),
            row,
        };
        Ok(record.into_shown())
    }

    /// A run that only clears keeps what it keeps without a summary: nothing is measured.
    pub(super) fn into_shown(mut self) -> RunRecord {
        if !self.summarizes() && self.details.edited.is_none() {
            self.details.totals = None;
            self.details.score = None;
        }
        self
    }

    /// What a row stands for that says that its run is under way: so it is while its process lives.
    fn stand(&mut self, is_made: bool) {
        if is_made {
            let since = now_ms().saturating_sub(self.row.started_at_ms);
            self.details.elapsed_ms = u64::try_from(since).unwrap_or(0);
            return;
        }
        self.row.status = RunStatus::Interrupted;
        self.row.error = Some(INTERRUPTED.to_owned());
        self.details.next = Some(NextStep::RunAgain);
    }

    /// Whether anything was to be summarized; a strategy may also only clear.
    fn summarizes(&self) -> bool {
        !self.plan.summarize_ids.is_empty() || !self.plan.turn_prefix_ids.is_empty()
    }

    /// The summary this run made; `None` also for one that summarized nothing and carries on the
    /// summary before it as it is.
    pub fn own_summary(&self) -> Option<&str> {
        let edited = self.details.edited.is_some();
        let carried = !self.summarizes() && self.calls.is_empty() && !edited;
        self.row.summary.as_deref().filter(|_| !carried)
    }

    /// The entry of the session whose summary was edited.
    pub fn edited_entry(&self) -> Option<&str> {
        self.details.edited.as_ref()?.entry.as_deref()
    }

    /// The partial output of a failed or cancelled run.
    pub fn partial(&self) -> Option<&str> {
        self.own_summary()
            .filter(|_| self.row.status != RunStatus::Done)
    }

    /// The run in a few words.
    pub fn title(&self) -> String {
        let row = &self.row;
        if let Some(edited) = &self.details.edited {
            return match (&edited.run, &edited.entry) {
                (Some(run), _) => format!("summary of the run {run}, edited"),
                (None, entry) => {
                    let id = entry.as_deref().unwrap_or_default();
                    format!("summary of the compaction {id}, edited")
                }
            };
        }
        let model = if row.model.is_empty() {
            String::new()
        } else {
            format!(" {}", row.model)
        };
        let instructions = if row.instructions.is_some() {
            ", with instructions"
        } else {
            ""
        };
        format!("{} by {}{model}{instructions}", row.strategy, row.provider)
    }
}

fn from_json<T: DeserializeOwned>(row: &RunRow, text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| {
        AppError::bad_request(
            format!(
                "the run {} was saved by another version of Palimpsest and cannot be read ({error})",
                row.id
            ),
            NextStep::RunAgain,
        )
    })
}

/// Whether a run is of the session that was called so: by its id, or by where its file was.
fn is_of(row: &RunRow, name: &str) -> bool {
    let place = std::path::absolute(name);
    row.session_id == name
        || row.session_path == name
        || place.is_ok_and(|place| place == Path::new(&row.session_path))
}

impl App {
    /// The runs kept, newest first; of the session named, whose file may be gone.
    pub fn runs(&self, session: Option<&str>) -> Result<Vec<RunRecord>> {
        let rows = match session.map(|name| (name, self.open(name))) {
            None => self.run_rows(None)?,
            Some((_, Ok(opened))) => self.run_rows(Some(opened.id.clone()))?,
            Some((name, Err(error))) => {
                let rows: Vec<RunRow> = self
                    .run_rows(None)?
                    .into_iter()
                    // The file may be gone while its runs are still wanted.
                    .filter(|row| is_of(row, name))
                    .collect();
                if rows.is_empty() {
                    return Err(error);
                }
                rows
            }
        };
        // One unreadable run must not hide the others.
        let records = rows.into_iter().map(|row| self.record_of(row));
        let mut records: Vec<RunRecord> = records.filter_map(Result::ok).collect();
        // Runs in memory are listed also where the database cannot be used.
        let notes = self.user_db().and_then(|user| Ok(user.run_notes()?));
        let mut notes = notes.unwrap_or_default();
        for record in &mut records {
            record.note = notes.remove(&record.row.id).unwrap_or_default();
        }
        // Likewise: without the database they have the names of when they were made.
        let plans = records
            .iter_mut()
            .map(|record| Arc::make_mut(&mut record.plan));
        let _ = self.name_prompts(plans.flat_map(|plan| plan.prompts.iter_mut()));
        Ok(records)
    }

    fn record_of(&self, row: RunRow) -> Result<RunRecord> {
        let mut record = RunRecord::from_row(row)?;
        record.unkept = self.unkept.reason(&record.row.id);
        if record.row.status == RunStatus::Running {
            let is_made = self.is_being_made(&record.row.id);
            record.stand(is_made);
        }
        Ok(record)
    }

    fn run_rows(&self, session_id: Option<String>) -> Result<Vec<RunRow>> {
        self.keep_unkept();
        let is_wanted = |row: &RunRow| session_id.as_ref().is_none_or(|id| row.session_id == *id);
        let mut rows: Vec<RunRow> = self.unkept.rows().into_iter().rev().collect();
        rows.retain(is_wanted);
        let filter = RunFilter {
            session_id: session_id.clone(),
            ..RunFilter::default()
        };
        let kept = self
            .user_db()
            .and_then(|user| Ok(user.runs(&filter, MOST_RUNS)?));
        match kept {
            Ok(kept) => {
                // One that was kept before its figures could be.
                let unkept: HashSet<String> = rows.iter().map(|row| row.id.clone()).collect();
                rows.extend(kept.into_iter().filter(|row| !unkept.contains(&row.id)));
            }
            // What is in memory is listed where the database cannot be used.
            Err(error) if rows.is_empty() => return Err(error),
            Err(_) => {}
        }
        Ok(rows)
    }

    /// The run with this id or beginning of one.
    pub fn run_named(&self, name: &str) -> Result<RunRecord> {
        self.keep_unkept();
        let mut unkept = self.unkept.rows();
        unkept.retain(|row| row.id.starts_with(name));
        let fitting = if unkept.is_empty() {
            self.rows_named(name)?
        } else {
            unkept
        };
        match <[RunRow; 1]>::try_from(fitting) {
            Ok([row]) => {
                let mut record = self.record_of(row)?;
                let note = self
                    .user_db()
                    .and_then(|user| Ok(user.run_note(&record.row.id)?));
                record.note = note.unwrap_or_default();
                let plan = Arc::make_mut(&mut record.plan);
                let _ = self.name_prompts(plan.prompts.iter_mut());
                Ok(record)
            }
            Err(none) if none.is_empty() => {
                let next = NextStep::choose(Listed::Runs, name, Vec::new());
                let message = if Path::new(name).is_file() {
                    format!("'{name}' is a file and not a run")
                } else if self.is_session(name) {
                    format!("'{name}' is a session and not a run")
                } else {
                    format!("there is no run '{name}'")
                };
                Err(AppError::not_found(message, next))
            }
            Err(_) => Err(AppError::not_found(
                format!("several runs have an id that begins with '{name}'"),
                NextStep::GiveLongerId,
            )),
        }
    }

    /// True where an id of a session begins so. Without an index no session is known.
    fn is_session(&self, name: &str) -> bool {
        let reader = self.index_db().ok().and_then(|index| index.reader().ok());
        let found = reader.and_then(|reader| reader.sessions_by_prefix(name, 1).ok());
        found.is_some_and(|rows| !rows.is_empty())
    }

    fn rows_named(&self, name: &str) -> Result<Vec<RunRow>> {
        let user = self.user_db()?;
        Ok(match user.run(name)? {
            Some(row) => vec![row],
            // Two are enough to know that a prefix fits several.
            None => user.runs_by_prefix(name, 2)?,
        })
    }

    /// The runs under way, the oldest first.
    pub fn runs_under_way(&self) -> Vec<UnderWay> {
        self.under_way.all()
    }

    /// Gives a run a name and a note; an empty text takes one away.
    pub fn note_run(&self, run: &str, name: &str, note: &str) -> Result<()> {
        let run = self.run_named(run)?;
        let given = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let note = RunNote {
            name: given(name),
            note: given(note),
        };
        let now = crate::clock::now_ms();
        Ok(self.user_db()?.set_run_note(&run.row.id, &note, now)?)
    }

    /// Deletes a run. One under way is refused: its row would come back when it ends.
    pub fn delete_run(&self, name: &str) -> Result<()> {
        let run = self.run_named(name)?;
        if run.row.status == RunStatus::Running {
            return Err(AppError::bad_request(
                format!("the run {} has not ended", run.row.id),
                NextStep::TryLater,
            ));
        }
        let was_unkept = self.unkept.forget(&run.row.id);
        let deleted = self
            .user_db()
            .and_then(|user| Ok(user.delete_run(&run.row.id)?));
        // A database that cannot be used may have no row of such a run.
        deleted
            .map(drop)
            .or_else(|error| if was_unkept { Ok(()) } else { Err(error) })
    }

    /// The session of a run under the name that lists of runs give it, also when it is in no index:
    /// a run remembers its file.
    pub fn open_of_run(&self, session: &str, run: &str) -> Result<Arc<OpenSession>> {
        match self.open(session) {
            Err(AppError::NoSuchSession(name)) => {
                let run = self.run_named(run)?;
                // The list of runs shows the first ten characters of the id.
                if run.row.session_id.starts_with(session) {
                    self.open(&run.row.session_path)
                } else {
                    Err(AppError::NoSuchSession(name))
                }
            }
            other => other,
        }
    }

    /// What is needed to judge a run's summary.
    pub fn material_of_run(&self, open: &OpenSession, name: &str) -> Result<Material> {
        let run = self.run_named(name)?;
        // Positions of its facts are positions in its own session.
        if run.row.session_id != open.id {
            return Err(AppError::bad_request(
                format!(
                    "the run {} belongs to another session: {}",
                    run.row.id, run.row.session_path
                ),
                NextStep::Give {
                    what: Input::Session,
                },
            ));
        }
        let edited = run.details.edited.as_ref();
        if let (Some(entry), Some(text)) = (
            edited.and_then(|edited| edited.entry.as_deref()),
            run.own_summary(),
        ) {
            // It stands for what the summary of the entry stands for.
            let mut material = Material::of_compaction(open, Some(entry))?;
            material.of_entry = None;
            material.title = run.title();
            material.of_run = Some(run.row.id.clone());
            text.clone_into(&mut material.summary);
            return Ok(material);
        }
        let mut cut = cut_of_record(open, &run.plan)?;
        cut.span_tokens = run.details.span_tokens;
        let summary = run.own_summary();
        if summary.is_none() && run.row.status != RunStatus::Done {
            // Without a summary every fact would count as dropped.
            let how = match run.row.status {
                RunStatus::Cancelled => "was cancelled",
                RunStatus::Running => "has not ended",
                RunStatus::Interrupted => "was interrupted",
                _ => "failed",
            };
            return Err(AppError::bad_request(
                format!("the run {} {how} and has no summary", run.row.id),
                NextStep::RunAgain,
            ));
        }
        // A previous summary that is carried on unchanged has no difference to show.
        cut.previous = cut.previous.filter(|_| summary.is_some());
        let summary = summary.unwrap_or_default().to_owned();
        let instructions = run.row.instructions.clone();
        let mut material = Material::new(open, run.title(), summary, cut, instructions)?;
        material.of_run = Some(run.row.id.clone());
        Ok(material)
    }

    /// What is needed to judge a text as the summary of what a compaction at `at` summarizes, or of
    /// the branch that a branch summary there tells of.
    pub fn material_of_text(
        &self,
        open: &OpenSession,
        at: Option<&str>,
        text: &str,
    ) -> Result<Material> {
        let stands_on = open.resolve_or_leaf(at)?;
        let is_summary = |ix: &EntryIx| open.session.entry(*ix).kind.summary().is_some();
        let cut = match stands_on.filter(is_summary) {
            Some(ix) => stored_cut(open, ix)?,
            None => {
                let spec = PlanSpec {
                    session: open.session.meta.path.clone(),
                    at: at.map(str::to_owned),
                    ..PlanSpec::default()
                };
                let planned = self.plan(&spec)?;
                let Some(plan) = &planned.plan else {
                    let reason = planned.record.reason.clone().unwrap_or_default();
                    let message = format!("nothing would be summarized: {reason}");
                    let next = planned.record.next_step.clone();
                    return Err(AppError::Plan(Problem { message, next }));
                };
                cut_of_plan(&planned, plan)
            }
        };
        Material::new(
            open,
            "summary given as text".into(),
            text.to_owned(),
            cut,
            None,
        )
    }
}

/// The cut of a plan that was kept; entries that the session no longer has are left out.
fn cut_of_record(open: &OpenSession, plan: &PlanRecord) -> Result<SummaryCut> {
    // By id and not by position: a file can be rewritten between a run and its ledger.
    let known = open.session.by_id();
    let find = |id: &String| known.get(id.as_str()).copied();
    let all = |ids: &[String]| ids.iter().filter_map(find).collect::<Vec<_>>();
    let named = |id: Option<&String>| {
        id.and_then(find).ok_or_else(|| {
            let id = id.cloned().unwrap_or_default();
            AppError::not_found(
                format!("the session no longer has the entry '{id}' that the run was planned at"),
                NextStep::RunAgain,
            )
        })
    };
    let cleared = plan.changes.iter().filter_map(|own| own.entry_id.as_ref());
    let mut dropped = all(&plan.dropped_ids);
    dropped.extend(cleared.filter_map(find));
    // Older records name only the first entry of a reply that is stored block by block.
    let context = |at: EntryIx| open.format.context(&open.session, &open.tree, Some(at));
    let mut summarized = all(&plan.summarize_ids);
    summarized.extend(all(&plan.turn_prefix_ids));
    if let Some(branch) = &plan.branch {
        dropped.extend(all(&branch.over_budget_ids));
        let pair = (named(branch.from_id.as_ref())?, named(Some(&branch.to_id))?);
        let summarized = context(pair.0).with_further(&summarized);
        let cut = SummaryCut::of_branch(open, pair, summarized, &all(&plan.kept_ids));
        return Ok(SummaryCut { dropped, ..cut });
    }
    let at = named(plan.at.as_ref())?;
    let context = context(at);
    Ok(SummaryCut {
        summarized: context.with_further(&summarized),
        kept: context.with_further(&all(&plan.kept_ids)),
        previous: plan.previous_id.as_ref().and_then(find),
        first_kept: plan.first_kept_id.as_ref().and_then(find),
        later: later_entries(open, at),
        dropped,
        stands_on: Some(at),
        ..SummaryCut::default()
    })
}
