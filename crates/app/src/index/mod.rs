//! Bringing the index up to date with the session files.
//!
//! [`plan`] decides from a listing and from what is stored which files need reading; nothing is
//! read for it. [`run`] carries the plan out with two threads that read and parse; whoever has a
//! chunk ready writes it, so at most two chunks are in memory. Appended bytes are read from where
//! reading stopped; everything else is read whole. A file that cannot be read is reported and
//! does not keep the others from being read. Session files are only ever opened for reading.

mod calls;
mod fields;
mod forks;
mod kinds;
mod list;
mod model_switch;
mod numbers;
mod outside;
pub mod plan;
mod project;
mod reads;
mod record;
mod report;
mod rows;
mod source;
mod subagents;
mod target;
mod text;
mod todos;
mod trail;
mod write;

#[cfg(test)]
mod tests;

pub(crate) use fields::fields_of;
pub(crate) use kinds::{
    FAILED_TEST, REREAD, RESUME, SUBAGENT, SUBAGENT_START, is_thinking, kind_term, own_kind_term,
};
pub(crate) use model_switch::{model_behind, model_switch};
pub use project::{Project, project_labels, project_of};
pub(crate) use record::{RecordAt, raw_at, record_in};
pub use report::{ChangeKind, Changed, Control, Failed, IndexReport, Progress};
pub use text::{FIRST_BYTES, LAST_BYTES, search_text};
pub(crate) use trail::{Told, Trail};

use crate::source::{MachineDisk, Now};
use numbers::Block;
use palimpsest_store::{IndexDb, StoreError};
use plan::{Job, Plan};
use source::{Done, Failure};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;
use write::Batches;

/// Threads that read and parse. More would not help: SQLite's one writer takes half of the time.
const THREADS: usize = 2;

/// Brings the index up to date with everything at and below `roots`, which are folders or files;
/// what is indexed elsewhere is not looked at. A root that is gone takes its sessions with it.
///
/// A damaged index is rebuilt once, with a notice in the report.
///
/// Errors: what the index database reports; files never fail a run.
pub fn run(
    db: &IndexDb,
    roots: &[PathBuf],
    control: &Control<'_>,
) -> Result<IndexReport, StoreError> {
    match run_once(db, roots, control) {
        Err(StoreError::IndexDamaged { .. }) => {
            let notice = db.rebuild()?;
            let mut report = run_once(db, roots, control)?;
            report.notices.push(notice.to_string());
            Ok(report)
        }
        done => done,
    }
}

fn run_once(
    db: &IndexDb,
    roots: &[PathBuf],
    control: &Control<'_>,
) -> Result<IndexReport, StoreError> {
    let started = Instant::now();
    // Absolute paths are the keys, so that a folder named in two ways is indexed once.
    let roots: Vec<PathBuf> = roots
        .iter()
        .map(|root| std::path::absolute(root).unwrap_or_else(|_| root.clone()))
        .collect();
    let reader = db.reader()?;
    let mut stored = Vec::new();
    for root in &roots {
        stored.extend(reader.sources_under(&root.to_string_lossy())?);
    }
    drop(reader);
    let listing = list::list(&roots);
    let mut now = Now::new(&MachineDisk);
    let stale: HashSet<String> = stored
        .iter()
        .filter(|row| source::is_stale(row, &mut now))
        .map(|row| row.path.clone())
        .collect();
    let plan = plan::plan(listing.files, stored, &stale, &listing.unseen);
    let mut report = IndexReport {
        unchanged: plan.unchanged,
        ..IndexReport::default()
    };
    report.failed = listing.failed;
    report.failed.extend(plan.known_failures.clone());
    if !plan.jobs.is_empty() || !plan.removed.is_empty() || !plan.states.is_empty() {
        carry_out(db, plan, control, &mut report)?;
    }
    // Threads report in any order, and overlapping roots report twice.
    report.failed.sort();
    report.failed.dedup();
    let totals = db.reader()?.totals()?;
    report.sessions = totals.sessions;
    report.entries = totals.entries;
    report.warnings = totals.warnings;
    report.elapsed_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(report)
}

fn carry_out(
    db: &IndexDb,
    plan: Plan,
    control: &Control<'_>,
    report: &mut IndexReport,
) -> Result<(), StoreError> {
    let reader = db.reader()?;
    let oldest = reader.oldest_source()?;
    drop(reader);
    let batches = Batches::new(db, control);
    for row in &plan.removed {
        report.changes.extend(batches.remove(row)?);
        report.removed += 1;
    }
    // An index in a folder that is read-only is searched as it is; what has to be written for the jobs
    // fails there by itself.
    let _ = batches.keep_states(&plan.states);
    let total = plan.jobs.len() as u64;
    let groups = plan::groups(plan.jobs, oldest);
    let shared = Mutex::new((report, Ok(())));
    let done = AtomicUsize::new(0);
    let last = groups.len().saturating_sub(1);
    for (at, group) in groups.iter().enumerate() {
        let block = group.is_older.then(|| Arc::new(Block::default()));
        let next = AtomicUsize::new(0);
        let work = || {
            loop {
                // Jobs are taken one by one, since files differ widely in size.
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(job) = group.jobs.get(at) else {
                    return;
                };
                if (control.cancelled)() {
                    crate::session::lock(&shared).0.cancelled = true;
                    return;
                }
                let path = Path::new(&job.listed.path);
                let done_before = done.load(Ordering::Relaxed) as u64;
                (control.progress)(Progress {
                    done: done_before,
                    total,
                    path: Some(path),
                });
                let outcome = source::read(job, block.as_ref(), &batches, control);
                done.fetch_add(1, Ordering::Relaxed);
                let mut shared = crate::session::lock(&shared);
                if shared.1.is_ok() {
                    shared.1 = note(shared.0, job, outcome);
                }
                if shared.1.is_err() {
                    // The other thread finds no further job and ends.
                    next.store(group.jobs.len(), Ordering::Relaxed);
                    return;
                }
            }
        };
        let threads = THREADS.min(group.jobs.len());
        // A single appended file, the usual case of the watcher, needs no thread.
        if threads < 2 {
            work();
        } else {
            std::thread::scope(|scope| {
                for _ in 0..threads {
                    scope.spawn(work);
                }
            });
        }
        let state = crate::session::lock(&shared);
        if state.1.is_err() || state.0.cancelled {
            break;
        }
        drop(state);
        if at < last {
            batches.commit()?;
            (control.listed)();
        }
    }
    let (_, outcome) = shared
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    outcome?;
    batches.commit()?;
    (control.progress)(Progress {
        done: done.load(Ordering::Relaxed) as u64,
        total,
        path: None,
    });
    Ok(())
}

/// Enters the outcome of one file into the report; only the database's errors end a run.
fn note(
    report: &mut IndexReport,
    job: &Job,
    outcome: Result<Done, Failure>,
) -> Result<(), StoreError> {
    match outcome {
        Ok(done) => {
            report.bytes += done.bytes;
            report.changes.extend(done.change);
            report.unchanged += u64::from(done.unchanged);
            report.cancelled |= done.cancelled;
            Ok(())
        }
        Err(Failure::File(reason)) => {
            report.failed.push(Failed {
                path: PathBuf::from(&job.listed.path),
                reason,
            });
            Ok(())
        }
        Err(Failure::Store(error)) => Err(error),
    }
}
