//! What each command does: one call of the API, printed.

use crate::args::{Cli, Command};
use crate::ask::{Answer, ask};
use crate::stop::Stop;
use crate::visible::{escaped, visible};
use crate::{print, refusal, serve};
use palimpsest_api::noun;
use palimpsest_api::wire::{IndexRequest, LabCellState, LabCellView, RunStatus, SessionRequest};
use palimpsest_api::{Api, ErrorCode, Event, Input, NextStep, Options, WireError};
use serde_json::Value;
use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

/// How a command ended whose answer was printed.
pub enum Ended {
    /// It did what it was asked.
    Done,
    /// The answer is of a failure, such as a run that has no complete summary.
    Failed(WireError),
    /// The user stopped it; what was done until then is kept.
    Interrupted(WireError, i32),
}

/// Runs the command and prints its answer.
pub async fn run(cli: Cli) -> Result<Ended, WireError> {
    let from_env = || std::env::var_os("PALIMPSEST_DATA_DIR").filter(|dir| !dir.is_empty());
    let data_dir = cli
        .data_dir
        .clone()
        .or_else(|| from_env().map(PathBuf::from));
    let mut options = Options::from_environment(data_dir, cli.samples)?;
    match &cli.command {
        // The holder of the token may be on another machine.
        Command::Serve {
            allow_programs: false,
            ..
        } => options = options.only_known_programs(),
        // A served interface has no working folder of its own.
        Command::Serve { .. } => {}
        // `./summarize.py` is looked for in the folder where the command was given.
        _ => {
            if let Ok(here) = std::env::current_dir() {
                options = options.programs_in(here);
            }
        }
    }
    if let Command::Bench { quick, dir } = &cli.command {
        // Before the API is opened: the measurement opens its own on generated sessions.
        let report = palimpsest_api::bench(options, *quick, dir.clone(), &mut |line| {
            let _ = writeln!(std::io::stderr(), "{line}");
        })?;
        print(&cli, &Answer::Bench(report), None, &[])?;
        return Ok(Ended::Done);
    }
    let api = Api::open(options)?;
    match &cli.command {
        Command::Serve {
            port, new_token, ..
        } => {
            serve::serve(api, *port, *new_token, cli.json).await?;
            return Ok(Ended::Done);
        }
        // With --samples nobody runs `index` first, and these two commands read only the index.
        Command::Sessions { .. } | Command::Search { .. } if cli.samples => {
            api.commands()
                .index(IndexRequest { roots: Vec::new() })
                .await?;
        }
        _ => {}
    }
    let on_terminal = std::io::stderr().is_terminal();
    let mut events = Some(api.events());
    // On a terminal they are printed when they happen, else after the work.
    let mut notices_printed = 0;
    // Before the call starts, so that a signal between two events is not lost.
    let mut stop = Stop::listen()?;
    let mut stopped_by = None;
    let call = ask(&api, &cli.command, cli.json);
    tokio::pin!(call);
    let answer = loop {
        let event = async {
            match &mut events {
                Some(events) => events.next().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            answer = &mut call => break answer,
            event = event => match event {
                // Progress lines overwrite each other, which only a terminal shows. A wait of many
                // seconds is told everywhere.
                Some(event) if !on_terminal && !matches!(event, Event::RunRetry { .. }) => {}
                Some(event) => {
                    notices_printed += usize::from(matches!(event, Event::Notice { .. }));
                    progress(&event);
                }
                // The stream has ended; polling it again would spin.
                None => events = None,
            },
            code = stop.asked() => {
                // A run is stored with its partial output. Other work stores nothing that could be
                // lost, and a second request stops at once.
                if stopped_by.is_some() || api.cancel_all() == 0 {
                    std::process::exit(code);
                }
                stopped_by = Some(code);
            }
        }
    };
    // What the error itself says is said once.
    let said = answer.as_ref().err().map(|error| error.message.clone());
    let notices = api.notices();
    let left = notices.iter().skip(notices_printed);
    for notice in left.filter(|notice| Some(*notice) != said.as_ref()) {
        // A closed standard error must not hide the answer.
        let _ = writeln!(std::io::stderr(), "{}", visible(notice));
    }
    // What is missing in the file may be why the command failed.
    let is_said = said.is_some_and(|said| said.contains("not read as they stand"));
    if let Some(session) = measured_session(&cli.command).filter(|_| !is_said) {
        warn_of_unread(&api, session).await;
    }
    if let (Command::Index { .. }, Some(code)) = (&cli.command, stopped_by) {
        let error = interrupted();
        match answer {
            Ok(answer) => print(&cli, &answer, Some(&error), &api.notices())?,
            // What failed for another reason is told as it is.
            Err(other) if other.code != ErrorCode::Cancelled => return Err(other),
            Err(_) if cli.json => refusal::printed(&error),
            Err(_) => {}
        }
        return Ok(Ended::Interrupted(error, code));
    }
    let answer = answer?;
    let failed = failed_root(&cli.command, &answer).or_else(|| failed_run(&answer));
    print(&cli, &answer, failed.as_ref(), &api.notices())?;
    Ok(failed.map_or(Ended::Done, Ended::Failed))
}

/// The session whose sizes a command tells. Its answer does not list what could not be read.
fn measured_session(command: &Command) -> Option<&str> {
    match command {
        Command::Context { session, .. }
        | Command::Policy {
            session: Some(session),
            ..
        } => Some(session),
        Command::Ledger { session, .. }
        | Command::Chain { session, .. }
        | Command::Judge { session, .. }
        | Command::Export { session, .. }
        | Command::Edit { session, .. } => Some(session),
        Command::Plan { plan, .. }
        | Command::Compact { plan, .. }
        | Command::BranchSummary { plan, .. } => Some(&plan.session),
        _ => None,
    }
}

/// Says how much of a session's file is missing in the answer.
async fn warn_of_unread(api: &Api, session: &str) {
    let named = if session.contains(' ') {
        format!("'{session}'")
    } else {
        session.to_owned()
    };
    let session = session.to_owned();
    // The answer itself says when the session cannot be opened.
    let Ok(opened) = api.commands().open(SessionRequest { session }).await else {
        return;
    };
    let count = opened.warnings.len() as u64;
    if count > 0 {
        let warnings = noun(count, "warning", "warnings");
        let _ = writeln!(
            std::io::stderr(),
            "{count} {warnings} about the file: some records were not read as they stand, so sizes and \
             texts may be incomplete. `palimpsest tree {named}` lists them."
        );
        for warning in opened.warnings.iter().take(MOST_WARNINGS) {
            // People count lines from 1.
            let line = warning.line.map(|line| format!("line {}: ", line + 1));
            let said = format!("  {}{}", line.unwrap_or_default(), warning.reason);
            let _ = writeln!(std::io::stderr(), "{}", visible(&said));
        }
    }
}

/// Most warnings of a file that are printed beside the answer of another command.
const MOST_WARNINGS: usize = 3;

/// What an index that was stopped says behind its figures.
fn interrupted() -> WireError {
    WireError {
        hint: Some(
            "The index has what was read until then. Run the same command again to read the rest."
                .to_owned(),
        ),
        ..WireError::alone(ErrorCode::Cancelled, "indexing was interrupted")
    }
}

/// A file or stream that could not be read or written.
pub fn io(message: String, next: NextStep) -> WireError {
    WireError::new(ErrorCode::Io, message, next)
}

/// A file that was named and is no session is a failure of the command; files in a folder that are
/// none are only listed.
fn failed_root(command: &Command, answer: &Answer) -> Option<WireError> {
    let (Command::Index { roots }, Answer::Index(report)) = (command, answer) else {
        return None;
    };
    // The report names whole paths.
    let whole: Vec<PathBuf> = roots
        .iter()
        .flat_map(|root| [std::path::absolute(root), std::fs::canonicalize(root)])
        .flatten()
        .collect();
    let named = |path: &str| whole.iter().any(|root| root == Path::new(path));
    let failed = report.failed.iter().find(|failed| named(&failed.path))?;
    let next = if Path::new(&failed.path).is_dir() {
        NextStep::CheckFile
    } else {
        NextStep::Give {
            what: Input::Session,
        }
    };
    Some(WireError::new(
        ErrorCode::UserFixable,
        format!("{}: {}", failed.reason, failed.path),
        next,
    ))
}

/// A run without a complete summary is a failure of the command, although its answer is printed:
/// the answer holds the partial output.
fn failed_run(answer: &Answer) -> Option<WireError> {
    match answer {
        // Another version of the program saved the run.
        Answer::Replay(replay) if !replay.same => Some(WireError::new(
            ErrorCode::Internal,
            format!(
                "the replayed text differs from the saved one at byte {}",
                replay.differs_at.unwrap_or_default()
            ),
            NextStep::RunAgain,
        )),
        // Printed all the same: the table shows by how much.
        Answer::Lab(lab) if lab.complete && !lab.met => Some(WireError::alone(
            ErrorCode::UserFixable,
            "a threshold of the experiment is missed",
        )),
        Answer::Lab(lab) if !lab.complete => {
            let waits = |cell: &&LabCellView| cell.state == LabCellState::Waiting;
            let left = lab.cells.iter().filter(waits).count();
            Some(WireError::new(
                ErrorCode::UserFixable,
                format!("{left} of {} cells have not ended", lab.cells.len()),
                NextStep::TryAgain,
            ))
        }
        Answer::Lab(lab) => {
            let failed = lab
                .cells
                .iter()
                .filter(|cell| cell.state == LabCellState::Failed);
            let failed = failed.count();
            (failed > 0).then(|| WireError {
                hint: Some(
                    "`palimpsest lab run FILE --retry-failed` makes failed runs again.".to_owned(),
                ),
                ..WireError::alone(
                    ErrorCode::UserFixable,
                    format!("{failed} of {} runs failed", lab.cells.len()),
                )
            })
        }
        Answer::LabReplay(replayed) if replayed.same < replayed.runs => Some(WireError::new(
            ErrorCode::Internal,
            format!(
                "{} replayed summaries differ from the stored ones",
                replayed.runs - replayed.same
            ),
            NextStep::RunAgain,
        )),
        Answer::LabCalibration(found) if !found.right => Some(WireError::alone(
            ErrorCode::Internal,
            "the intervals are not as often right as they have to be",
        )),
        Answer::Judgement(judgement) => {
            let (code, said) = match judgement.status {
                RunStatus::Failed => (ErrorCode::Provider, "the judgement failed"),
                RunStatus::Cancelled => (ErrorCode::Cancelled, "the judgement was cancelled"),
                _ => return None,
            };
            let message = judgement.error.as_deref().unwrap_or(said);
            Some(WireError {
                hint: judgement.hint.clone(),
                next: judgement.next.clone().map(Box::new),
                ..WireError::alone(code, message)
            })
        }
        Answer::Run(run) => {
            let (code, said) = match run.row.status {
                RunStatus::Failed => (ErrorCode::Provider, "the run failed"),
                RunStatus::Cancelled => (ErrorCode::Cancelled, "the run was cancelled"),
                _ => return run.row.unkept.as_ref().map(unkept),
            };
            let message = run.row.error.as_deref().unwrap_or(said);
            Some(WireError {
                hint: run.row.hint.clone(),
                next: run.row.next.clone().map(Box::new),
                ..WireError::alone(code, message)
            })
        }
        _ => None,
    }
}

/// The program ends with this command, so what it prints is all that is left of the run.
fn unkept(reason: &WireError) -> WireError {
    WireError {
        message: format!(
            "the run is done and cannot be kept; its summary is only in this output ({})",
            reason.message
        ),
        ..reason.clone()
    }
}

fn progress(event: &Event) {
    let mut out = std::io::stderr();
    // Progress is a courtesy; a closed standard error must not stop the work.
    let _ = match event {
        Event::IndexProgress { done, total, .. } => write!(out, "\rindexing {done} / {total} ")
            .and_then(|()| if done == total { writeln!(out) } else { Ok(()) }),
        Event::ChainProgress { done, total, .. } => {
            write!(out, "\rreading compactions {done} / {total} ")
                .and_then(|()| if done == total { writeln!(out) } else { Ok(()) })
        }
        Event::RunRetry {
            attempt,
            of,
            wait_ms,
            reason,
            ..
        } => {
            writeln!(
                out,
                "trying again in {:.1} s ({attempt} of {of}): {}",
                *wait_ms as f64 / 1000.0,
                visible(reason)
            )
        }
        Event::Notice { text, .. } => writeln!(out, "{}", visible(text)),
        _ => Ok(()),
    };
}

fn print(
    cli: &Cli,
    answer: &Answer,
    failed: Option<&WireError>,
    notices: &[String],
) -> Result<(), WireError> {
    let text = if cli.json {
        let printed = |error: serde_json::Error| WireError::internal(&error.to_string());
        if failed.is_none() && notices.is_empty() {
            // Without a copy: an answer can be as large as its session.
            serde_json::to_string(answer).map_err(printed)?
        } else {
            // One document holds the answer, its error and what the user should know of it.
            let mut document = serde_json::to_value(answer).map_err(printed)?;
            if let Value::Object(fields) = &mut document {
                if let Some(error) = failed {
                    fields.insert("error".to_owned(), refusal::fields(error));
                }
                if !notices.is_empty() {
                    fields.insert("notices".to_owned(), notices.into());
                }
            }
            document.to_string()
        }
    } else {
        print::human(answer)
    };
    let mut out = std::io::stdout().lock();
    let text = text.trim_end();
    let shown = if cli.json {
        escaped(text)
    } else {
        visible(text)
    };
    // Flushed here, because an error at the end of the process would be lost.
    match writeln!(out, "{shown}").and_then(|()| out.flush()) {
        // `palimpsest tree X | head` closes the pipe early, and that is fine.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(io(
            format!("the answer cannot be written to standard output: {error}"),
            match error.kind() {
                std::io::ErrorKind::StorageFull => NextStep::FreeSpace,
                _ => NextStep::TryAgain,
            },
        )),
        Ok(()) => Ok(()),
    }
}
