//! From what the user asks to be written to the entry, the change and the bytes.

use super::left::files_of;
use crate::error::{AppError, Result};
use crate::run::RunRecord;
use crate::session::OpenSession;
use crate::workspace::App;
use palimpsest_compaction::branch;
use palimpsest_core::failure::NextStep;
use palimpsest_core::{BodyError, Context, Entry, EntryIx, EntryKind, Role};
use palimpsest_write::{
    Addition, Change, Files, Fresh, Kept, NewCompaction, NewSession, Records, Request,
};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

/// What is to be written.
#[derive(Debug, Clone, PartialEq)]
pub struct WriteSpec {
    /// The session; of a run its own one when absent.
    pub session: Option<String>,
    /// What the session continues with.
    pub source: Source,
    /// The entry that the new session ends with, where that is not clear from the source.
    pub leaf: Option<String>,
    /// Where it is written.
    pub target: Target,
}

/// What a written session continues with.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// Another entry, with or without a summary of what is left behind.
    Navigation {
        /// The target entry.
        to: String,
        /// The entry left; the active leaf when absent.
        from: Option<String>,
        /// The summary.
        summary: Option<String>,
    },
    /// The summary of a run.
    Run {
        /// The run.
        run: String,
        /// Another text in place of its summary.
        text: Option<String>,
    },
    /// Another text in a summary that the session holds.
    Edited {
        /// The entry of the summary.
        summary: String,
        /// The text.
        text: String,
    },
    /// A message of the user at the end.
    Message {
        /// What it says.
        text: String,
    },
    /// The context before a compaction.
    Undone {
        /// The compaction.
        compaction: String,
    },
}

/// Where a session is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A file of its own: at the path, in the folder, or beside the original.
    New {
        /// A file that does not exist, or a folder.
        out: Option<PathBuf>,
    },
    /// The original.
    Append,
}

/// A write that was planned, with nothing done yet.
pub struct Prepared {
    /// The session it is made from.
    pub open: Arc<OpenSession>,
    /// The entry it ends with.
    pub leaf: Option<EntryIx>,
    /// The context there as it is now.
    pub context: Context,
    /// What changes in it.
    pub change: Change,
    /// The run whose summary it has.
    pub run_id: Option<String>,
    /// What the user should know, in sentences.
    pub notes: Vec<String>,
}

impl Records for OpenSession {
    fn record(&self, ix: EntryIx) -> std::result::Result<Vec<u8>, BodyError> {
        self.bodies.raw(ix)
    }
}

impl Prepared {
    /// The change in a word: as it is listed.
    pub fn change_name(&self) -> &'static str {
        match self.change {
            Change::None => "history",
            Change::BranchSummary { .. } => "branch_summary",
            Change::Compaction(_) => "compaction",
            Change::Replace { .. } => "edited_summary",
            Change::Message { .. } => "message",
        }
    }

    /// The bytes of a new session.
    pub fn new_session(&self, fresh: &Fresh) -> Result<NewSession> {
        let request = self.request(fresh);
        Ok(palimpsest_write::new_session(&request).map_err(super::WriteError::from)?)
    }

    /// The bytes to append to the original.
    pub fn addition(&self, fresh: &Fresh) -> Result<Addition> {
        let request = self.request(fresh);
        Ok(palimpsest_write::addition(&request).map_err(super::WriteError::from)?)
    }

    fn request<'a>(&'a self, fresh: &'a Fresh) -> Request<'a> {
        Request {
            session: &self.open.session,
            context: &self.context,
            records: &*self.open,
            change: &self.change,
            fresh,
        }
    }
}

impl App {
    /// Plans a write; nothing is done.
    pub fn prepare_write(&self, spec: &WriteSpec) -> Result<Prepared> {
        let run = match &spec.source {
            Source::Run { run, .. } => Some(self.run_named(run)?),
            _ => None,
        };
        let named = spec.session.as_deref();
        let open = match (named, &run) {
            (Some(session), _) => self.open(session)?,
            (None, Some(run)) => self.open(&run.row.session_path)?,
            (None, None) => {
                return Err(AppError::bad_request(
                    "no session was named",
                    NextStep::Give {
                        what: palimpsest_core::failure::Input::Session,
                    },
                ));
            }
        };
        let mut notes = Vec::new();
        let (leaf, change) = match (&spec.source, &run) {
            (Source::Navigation { to, from, summary }, _) => {
                let to = open.resolve(to)?;
                let leaf = branch::new_leaf(&open.session, &open.tree, to);
                let change = match summary {
                    None => Change::None,
                    Some(text) => {
                        let from = open.resolve_or_leaf(from.as_deref())?;
                        let left = branch::collect(&open.tree, from, to);
                        let files = files_of(&open, &left.entries);
                        let text = text.clone();
                        Change::BranchSummary { text, from, files }
                    }
                };
                (leaf, change)
            }
            (Source::Undone { compaction }, _) => {
                let at = open.resolve(compaction)?;
                let is_compaction = |entry: &Entry| matches!(entry.kind, EntryKind::Compaction(_));
                if !is_compaction(open.session.entry(at)) {
                    let id = open.session.name_of(at);
                    let none = !open.session.entries.iter().any(is_compaction);
                    let refusal = palimpsest_write::Refusal::NoCompaction { id, none };
                    return Err(super::WriteError::from(refusal).into());
                }
                (before(&open, at), Change::None)
            }
            (Source::Message { text }, _) => {
                let text = text.clone();
                (
                    open.resolve_or_leaf(spec.leaf.as_deref())?,
                    Change::Message { text },
                )
            }
            (Source::Edited { summary, text }, _) => {
                let summary = open.resolve(summary)?;
                let leaf = match spec.leaf.as_deref() {
                    Some(leaf) => open.resolve(leaf)?,
                    None => leaf_with(&open, summary),
                };
                let text = text.clone();
                (Some(leaf), Change::Replace { summary, text })
            }
            (Source::Run { text, .. }, Some(run)) if run.edited_entry().is_some() => {
                let summary = of_run_entry(&open, run, run.edited_entry().unwrap_or_default())?;
                let leaf = match spec.leaf.as_deref() {
                    Some(leaf) => open.resolve(leaf)?,
                    None => leaf_with(&open, summary),
                };
                let own = text.as_deref().or(run.own_summary());
                let text = own.unwrap_or_default().to_owned();
                (Some(leaf), Change::Replace { summary, text })
            }
            (Source::Run { text, .. }, Some(run)) => of_run(
                &open,
                run,
                text.as_deref(),
                spec.leaf.as_deref(),
                &mut notes,
            )?,
            (Source::Run { run, .. }, None) => {
                return Err(AppError::Internal(format!("the run {run} was not read")));
            }
        };
        let context = open.format.context(&open.session, &open.tree, leaf);
        Ok(Prepared {
            context,
            leaf,
            change,
            run_id: run.map(|run| run.row.id),
            notes,
            open,
        })
    }
}

/// The entry before a compaction and before what announces it: a boundary (Claude Code), or the
/// message that asks for a summary (OpenCode).
fn before(open: &OpenSession, compaction: EntryIx) -> Option<EntryIx> {
    let mut at = open.tree.parent(compaction);
    while let Some(ix) = at {
        match open.session.entry(ix).kind {
            EntryKind::Custom { .. } => at = open.tree.parent(ix),
            _ => break,
        }
    }
    at
}

/// An entry that a run names.
///
/// # Errors
/// [`super::WriteError::RunOutdated`], when the session no longer has it.
fn of_run_entry(open: &OpenSession, run: &RunRecord, id: &str) -> Result<EntryIx> {
    let found = open.session.resolve(id);
    // What the user named is at fault elsewhere; here it is the session that lost the entry.
    Ok(found.map_err(|reason| super::WriteError::RunOutdated {
        run: run.row.id.clone(),
        reason,
        path: open.session.meta.path.clone(),
    })?)
}

fn of_run(
    open: &OpenSession,
    run: &RunRecord,
    text: Option<&str>,
    leaf: Option<&str>,
    notes: &mut Vec<String>,
) -> Result<(Option<EntryIx>, Change)> {
    if run.row.session_id != open.id {
        return Err(AppError::bad_request(
            format!(
                "the run {} belongs to another session: {}",
                run.row.id, run.row.session_path
            ),
            NextStep::Give {
                what: palimpsest_core::failure::Input::Session,
            },
        ));
    }
    // A partial summary can be completed by hand, but is not written as it is.
    let own = run.own_summary().filter(|_| run.partial().is_none());
    let Some(text) = text.or(own) else {
        return Err(AppError::bad_request(
            format!("the run {} has no complete summary", run.row.id),
            NextStep::RunAgain,
        ));
    };
    let (text, plan) = (text.to_owned(), &run.plan);
    let files = Files {
        read: plan.read_files.clone(),
        modified: plan.modified_files.clone(),
    };
    let named = |id: &str| of_run_entry(open, run, id);
    if let Some(branch) = &plan.branch {
        let leaf_of_run = branch.new_leaf_id.as_deref().map(named);
        let from = branch.from_id.as_deref().map(named);
        let (leaf_of_run, from) = (leaf_of_run.transpose()?, from.transpose()?);
        let to = named(&branch.to_id)?;
        if matches!(open.session.entry(to).kind, EntryKind::BranchSummary(_))
            && leaf_of_run == open.tree.parent(to)
        {
            // A stored branch summary was written again: what followed it stays.
            let leaf = match leaf {
                Some(leaf) => open.resolve(leaf)?,
                None => leaf_with(open, to),
            };
            return Ok((Some(leaf), Change::Replace { summary: to, text }));
        }
        return Ok((leaf_of_run, Change::BranchSummary { text, from, files }));
    }
    let after = named(plan.at.as_deref().unwrap_or_default())?;
    let context = open.format.context(&open.session, &open.tree, Some(after));
    let kept = kept(open, run, &context)?;
    let of_kept = |id: &Option<String>| id.as_ref().is_some_and(|id| plan.kept_ids.contains(id));
    let shortened = plan
        .changes
        .iter()
        .filter(|change| of_kept(&change.entry_id));
    match shortened.count() {
        0 => {}
        count => notes.push(format!(
            "The plan makes {count} kept items smaller. The written session holds them whole."
        )),
    }
    let leaf = match leaf {
        Some(leaf) => open.resolve(leaf)?,
        None => leaf_behind(open, after),
    };
    let change = Change::Compaction(Box::new(NewCompaction {
        text,
        after,
        tokens_before: plan.tokens_before,
        context,
        kept,
        files,
    }));
    Ok((Some(leaf), change))
}

/// What the plan keeps: a tail of the context where it is one, else entry by entry.
fn kept(open: &OpenSession, run: &RunRecord, context: &Context) -> Result<Kept> {
    let named = |id: &String| of_run_entry(open, run, id);
    let kept = run.plan.kept_ids.iter().map(named);
    let kept: Vec<EntryIx> = kept.collect::<Result<_>>()?;
    let sent = |ix: &EntryIx| {
        let mut items = context.items.iter();
        items.any(|item| item.entries.first() == Some(ix) && item.role != Role::System)
    };
    let kept: Vec<EntryIx> = kept.into_iter().filter(sent).collect();
    let Some(&first) = kept.first() else {
        return Ok(Kept::Nothing);
    };
    let first_kept = run.plan.first_kept_id.as_ref().map(named);
    let first = first_kept.transpose()?.unwrap_or(first);
    let is_old_summary = |ix: &EntryIx| context.compaction == Some(*ix);
    let tail = context.selected.iter().skip_while(|ix| **ix != first);
    let tail: Vec<EntryIx> = tail
        .copied()
        .filter(|ix| sent(ix) && !is_old_summary(ix))
        .collect();
    if tail == kept {
        return Ok(Kept::From(first));
    }
    // A reply that is stored block by block is kept with all its blocks.
    let selected: HashSet<EntryIx> = context.selected.iter().copied().collect();
    let mut whole = context.with_further(&kept);
    whole.retain(|ix| selected.contains(ix));
    // On a path a later entry has the larger position.
    whole.sort_unstable();
    Ok(Kept::These(whole))
}

/// The last entry whose context holds a summary: on the way to the active leaf the one before the
/// next compaction; off it the summary itself.
fn leaf_with(open: &OpenSession, summary: EntryIx) -> EntryIx {
    let path = open.session.active_leaf.map(|leaf| open.tree.path(leaf));
    let path = path.unwrap_or_default();
    let Some(place) = path.iter().position(|&ix| ix == summary) else {
        return summary;
    };
    let is_compaction =
        |ix: &&EntryIx| matches!(open.session.entry(**ix).kind, EntryKind::Compaction(_));
    let next = path[place + 1..].iter().find(is_compaction);
    let leaf = next.map_or(path.last().copied(), |&next| before(open, next));
    leaf.unwrap_or(summary)
}

/// The active leaf, where the new summary is the newest on the way to it; else the entry planned
/// at.
fn leaf_behind(open: &OpenSession, after: EntryIx) -> EntryIx {
    let Some(leaf) = open.session.active_leaf else {
        return after;
    };
    let path = open.tree.path(leaf);
    let Some(place) = path.iter().position(|&ix| ix == after) else {
        return after;
    };
    let is_compaction =
        |ix: &EntryIx| matches!(open.session.entry(*ix).kind, EntryKind::Compaction(_));
    // The first is the compaction that a repeated plan replaces.
    let later = path[place + 1..].iter().skip_while(|ix| is_compaction(ix));
    if later.clone().any(is_compaction) {
        after
    } else {
        leaf
    }
}
