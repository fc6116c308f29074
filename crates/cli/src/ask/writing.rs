//! What the commands that write ask: edited summaries, exports, navigation, written sessions.

use super::answer::Answer;
use super::given::{planned, read, run};
use crate::args::{Command, WrittenAction};
use palimpsest_api::wire::*;
use palimpsest_api::{Api, Empty, ErrorCode};
use std::path::Path;

/// What `export` asks for.
pub(super) fn export(command: &Command, json: bool) -> Result<ExportRequest, WireError> {
    let Command::Export {
        session,
        what,
        html,
        mask,
        entry,
        compaction,
        run,
        out,
    } = command
    else {
        return Err(WireError::internal("another command was asked to export"));
    };
    let entries = compaction.iter().map(|entry| format!("entry:{entry}"));
    let sides: Vec<String> = entries.chain(run.iter().cloned()).collect();
    Ok(ExportRequest {
        session: session.clone(),
        what: *what,
        form: match (json, html) {
            (true, _) => ExportForm::Json,
            (_, true) => ExportForm::Html,
            _ => ExportForm::Markdown,
        },
        mask: *mask,
        entry: entry.clone(),
        of: sides.first().cloned(),
        sides,
        out: out.as_ref().map(|out| out.display().to_string()),
    })
}

/// An edited summary, kept as a run.
pub(super) async fn edit(api: &Api, command: &Command) -> Result<Answer, WireError> {
    let Command::Edit {
        session,
        compaction,
        run,
        text_file,
        insert,
    } = command
    else {
        return Err(WireError::internal("another command was asked to edit"));
    };
    let asked = api.commands();
    let of = match (compaction, run) {
        (Some(entry), _) => format!("entry:{entry}"),
        // The newest compaction where none is named.
        (None, run) => run.clone().unwrap_or_default(),
    };
    let mut text = match text_file {
        Some(path) => read("summary", path, std::fs::read_to_string(path))?,
        None => {
            let request = LedgerRequest {
                session: session.clone(),
                compaction: compaction.clone(),
                run: run.clone(),
                ..LedgerRequest::default()
            };
            asked.ledger(request).await?.summary
        }
    };
    text.truncate(text.trim_end().len());
    if !insert.is_empty() {
        let request = SummaryInsertRequest {
            session: session.clone(),
            of: of.clone(),
            text,
            facts: insert.clone(),
        };
        text = asked.summary_insert(request).await?.text;
    }
    let request = SummaryKeepRequest {
        session: session.clone(),
        of,
        text,
    };
    Ok(Answer::Run(asked.summary_keep(request).await?))
}

/// Navigation, writing and what was written.
pub(super) async fn writing(api: &Api, command: &Command) -> Result<Answer, WireError> {
    let asked = api.commands();
    Ok(match command {
        Command::Navigate {
            plan,
            to,
            from,
            summary,
            by,
            limit,
            write,
            append,
            out,
        } => {
            let session = &plan.session;
            let (run, text) = match summary.as_str() {
                "none" => (None, None),
                // A word with a separator can be no run.
                name if Path::new(name).is_file() || name.contains(std::path::is_separator) => {
                    let path = Path::new(name);
                    let text = read("summary", path, std::fs::read_to_string(path))?;
                    (None, Some(text.trim_end().to_owned()))
                }
                "default" => {
                    let request = PlanRequest {
                        from: from.clone(),
                        to: Some(to.clone()),
                        ..planned(plan, by)
                    };
                    let done = asked.compact(run(request, limit)).await?;
                    (Some(done.run_id), None)
                }
                run => (Some(run.to_owned()), None),
            };
            if !*write {
                let request = NavigateRequest {
                    session: session.clone(),
                    from: from.clone(),
                    to: to.clone(),
                    summary: text,
                    run,
                    items: Some(true),
                };
                let shown = asked.navigate(request).await;
                let shown = shown.map_err(|error| no_run_and_no_file(error, summary))?;
                return Ok(Answer::Navigate(Box::new(shown)));
            }
            let from = match run {
                Some(run) => WriteFrom::Run { run, text: None },
                None => WriteFrom::Navigation {
                    to: to.clone(),
                    from: from.clone(),
                    summary: text,
                },
            };
            let request = WriteRequest {
                session: Some(session.clone()),
                from,
                leaf: None,
                append: Some(*append),
                out: out.as_ref().map(|out| out.display().to_string()),
            };
            let written = asked.write(request).await;
            let written = written.map_err(|error| no_run_and_no_file(error, summary))?;
            Answer::Written(Box::new(written))
        }
        Command::Apply {
            run,
            session,
            summary,
            text_file,
            undo,
            leaf,
            dry_run,
            to,
            out,
        } => {
            let text = match text_file {
                Some(path) => {
                    let text = read("summary", path, std::fs::read_to_string(path))?;
                    Some(text.trim_end().to_owned())
                }
                None => None,
            };
            let from = match (run, summary, undo) {
                (Some(run), _, _) => WriteFrom::Run {
                    run: run.clone(),
                    text,
                },
                (_, Some(summary), _) => WriteFrom::Edited {
                    summary: summary.clone(),
                    text: text.unwrap_or_default(),
                },
                (_, _, Some(compaction)) => WriteFrom::Undone {
                    compaction: compaction.clone(),
                },
                _ => {
                    let message = "there is nothing to write: name a run, --summary or --undo";
                    return Err(WireError::alone(ErrorCode::Usage, message));
                }
            };
            let request = WriteRequest {
                session: session.clone(),
                from,
                leaf: leaf.clone(),
                append: Some(to == "append"),
                out: out.as_ref().map(|out| out.display().to_string()),
            };
            if *dry_run {
                Answer::WritePlan(asked.write_plan(request).await?)
            } else {
                Answer::Written(Box::new(asked.write(request).await?))
            }
        }
        Command::PutBack {
            session,
            compaction,
            run,
            facts,
            budget,
            write,
            append,
            out,
        } => {
            let request = PutBackRequest {
                session: session.clone(),
                compaction: compaction.clone(),
                run: run.clone(),
                facts: Some(facts.clone()).filter(|facts| !facts.is_empty()),
                tokens: Some(*budget),
            };
            let found = asked.put_back(request).await?;
            if !*write {
                return Ok(Answer::PutBack(found));
            }
            if found.text.is_empty() && !found.left_out_ids.is_empty() {
                let message = format!(
                    "no fact fits into a message of {budget} tokens: {} of them are longer",
                    found.left_out_ids.len()
                );
                return Err(WireError {
                    hint: Some("Give a larger budget with --budget, such as 2000.".to_owned()),
                    ..WireError::alone(ErrorCode::UserFixable, message)
                });
            }
            let request = WriteRequest {
                session: Some(session.clone()),
                from: WriteFrom::Message { text: found.text },
                leaf: None,
                append: Some(*append),
                out: out.as_ref().map(|out| out.display().to_string()),
            };
            Answer::Written(Box::new(asked.write(request).await?))
        }
        Command::Written {
            action: Some(WrittenAction::Undo { id }),
        } => {
            let id = id.clone();
            Answer::Written(Box::new(asked.written_undo(WrittenRequest { id }).await?))
        }
        _ => Answer::AllWritten(asked.written(Empty {}).await?),
    })
}

/// A word that is neither a run nor a file may be meant as either.
fn no_run_and_no_file(error: WireError, name: &str) -> WireError {
    let lists_runs = matches!(
        error.next.as_deref(),
        Some(NextStepView::Choose {
            what: ListedView::Runs,
            ..
        })
    );
    if error.code == ErrorCode::NotFound && lists_runs {
        return WireError {
            message: format!("there is no run and no file '{name}'"),
            ..error
        };
    }
    error
}
