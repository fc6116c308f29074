//! What each command does: one call of the API, printed.

use crate::args::{Cli, Command};
use crate::ask::{Answer, ask};
use crate::stop::Stop;
use crate::{print, serve};
use palimpsest_api::wire::{IndexRequest, RunStatus};
use palimpsest_api::{Api, ErrorCode, Event, Options, WireError};
use std::io::{IsTerminal as _, Write as _};

/// Runs the command and prints its answer.
pub async fn run(cli: Cli) -> Result<(), WireError> {
    let mut options = Options::from_environment(cli.data_dir.clone(), cli.samples)?;
    match &cli.command {
        // Who holds the token need not sit at this machine.
        Command::Serve {
            allow_programs: false,
            ..
        } => options = options.only_known_programs(),
        // Who uses a served interface stands nowhere.
        Command::Serve { .. } => {}
        // `./summarize.py` means the one here.
        _ => {
            if let Ok(here) = std::env::current_dir() {
                options = options.programs_in(here);
            }
        }
    }
    if let Command::Bench { quick, dir } = &cli.command {
        let report = palimpsest_api::bench(options, *quick, dir.clone(), &mut |line| {
            let _ = writeln!(std::io::stderr(), "{line}");
        })?;
        return print(&cli, &Answer::Bench(report));
    }
    let api = Api::open(options)?;
    match &cli.command {
        Command::Serve { port, .. } => return serve::serve(api, *port, cli.json).await,
        Command::Sessions { .. } | Command::Search { .. } if cli.samples => {
            api.commands()
                .index(IndexRequest { roots: Vec::new() })
                .await?;
        }
        _ => {}
    }
    let mut events = std::io::stderr().is_terminal().then(|| api.events());
    let mut stop = Stop::listen()?;
    let mut asked_before = false;
    let call = ask(&api, &cli.command);
    tokio::pin!(call);
    let answer = loop {
        let event = async {
            match &mut events {
                Some(events) => events.recv().await.ok(),
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            answer = &mut call => break answer?,
            event = event => match event {
                Some(event) => progress(&event),
                None => events = None,
            },
            code = stop.asked() => {
                // A run is kept with what came of it. What cannot be cancelled keeps nothing that
                // could be lost, and whoever asks twice will not wait.
                if asked_before || api.cancel_all() == 0 {
                    std::process::exit(code);
                }
                asked_before = true;
            }
        }
    };
    let failed = failed_run(&answer);
    print(&cli, &answer)?;
    failed
}

/// A run that did not come to a whole summary is a failure of the command, although its answer is
/// printed: it holds what came so far.
fn failed_run(answer: &Answer) -> Result<(), WireError> {
    let (message, code, hint) = match answer {
        Answer::Replay(replay) if !replay.same => (
            format!(
                "the replayed summary differs from the kept one at byte {}",
                replay.differs_at.unwrap_or_default()
            ),
            ErrorCode::Internal,
            Some("the run was kept by another version of the program; run it again".to_owned()),
        ),
        Answer::Run(run) if matches!(run.row.status, RunStatus::Failed | RunStatus::Cancelled) => {
            let error = run.row.error.clone();
            let message = error.unwrap_or_else(|| "the run was cancelled".to_owned());
            (message, ErrorCode::Provider, None)
        }
        _ => return Ok(()),
    };
    Err(WireError {
        field: None,
        code,
        message,
        hint,
    })
}

fn progress(event: &Event) {
    let mut out = std::io::stderr();
    // Progress is a courtesy; a closed standard error must not stop the work.
    let _ = match event {
        Event::IndexProgress { done, total, .. } => write!(out, "\rindexing {done} / {total} ")
            .and_then(|()| if done == total { writeln!(out) } else { Ok(()) }),
        Event::RunRetry {
            attempt,
            of,
            wait_ms,
            reason,
            ..
        } => {
            writeln!(
                out,
                "trying again in {wait_ms} ms ({attempt} of {of}): {reason}"
            )
        }
        Event::Notice { text, .. } => writeln!(out, "{text}"),
        _ => Ok(()),
    };
}

fn print(cli: &Cli, answer: &Answer) -> Result<(), WireError> {
    let text = if cli.json {
        serde_json::to_string(answer).map_err(|error| WireError::internal(&error.to_string()))?
    } else {
        print::human(answer)
    };
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{}", text.trim_end()).and_then(|()| out.flush()) {
        // `palimpsest tree X | head` closes the pipe early, and that is fine.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(WireError {
            field: None,
            code: ErrorCode::Io,
            message: format!("cannot write the answer: {error}"),
            hint: Some("check where standard output goes".into()),
        }),
        Ok(()) => Ok(()),
    }
}
