//! What each command does: one call of the API, printed.

use crate::args::{Cli, Command, CompactPlace, PlanArgs, PromptAction, ProviderArgs};
use crate::stop::Stop;
use crate::{print, serve};
use palimpsest_api::{Api, ErrorCode, Event, Options, WireError};
use serde_json::{Value, json};
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
        return print(&cli, "bench", &report);
    }
    let api = Api::open(options)?;
    match &cli.command {
        Command::Serve { port, .. } => return serve::serve(api, *port, cli.json).await,
        Command::Sessions { .. } | Command::Search { .. } if cli.samples => {
            api.call("index", Value::Null).await?;
        }
        _ => {}
    }
    let (command, request) = request(&cli.command)?;
    let mut events = std::io::stderr().is_terminal().then(|| api.events());
    let mut stop = Stop::listen()?;
    let mut asked_before = false;
    let call = api.call(command, request);
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
    let shown = match command {
        "policies" => only(answer, &cli.command),
        "sessions" if cli.json => answer.get("sessions").cloned().unwrap_or_default(),
        _ => answer,
    };
    print(&cli, command, &shown)?;
    failed
}

/// Of the list of policies those that were asked for.
fn only(mut list: Value, command: &Command) -> Value {
    if let (Command::Policy { policy, .. }, Some(known)) =
        (command, list["policies"].as_array_mut())
        && !policy.is_empty()
    {
        known.retain(|own| policy.iter().any(|name| own["name"] == name.as_str()));
    }
    list
}

/// A run that did not come to a whole summary is a failure of the command, although its answer is
/// printed: it holds what came so far.
fn failed_run(answer: &Value) -> Result<(), WireError> {
    if answer["same"] == false {
        return Err(WireError {
            code: ErrorCode::Internal,
            message: format!(
                "the replayed summary differs from the kept one at byte {}",
                answer["differs_at"]
            ),
            hint: Some("the run was kept by another version of the program; run it again".into()),
            field: None,
        });
    }
    let row = &answer["row"];
    match row["status"].as_str() {
        Some("failed" | "cancelled") => Err(WireError {
            field: None,
            code: ErrorCode::Provider,
            message: row["error"]
                .as_str()
                .unwrap_or("the run was cancelled")
                .to_owned(),
            hint: None,
        }),
        _ => Ok(()),
    }
}

/// The API's name for a command and its request.
fn request(command: &Command) -> Result<(&'static str, Value), WireError> {
    Ok(match command {
        Command::Index { roots } => ("index", json!({ "roots": roots })),
        Command::Sessions { agent, query } => (
            "sessions",
            json!({ "agent": agent, "query": query.join(" ") }),
        ),
        Command::Tree { session } => ("tree", json!({ "session": session })),
        Command::Context {
            session,
            at,
            tokenizer,
        } => (
            "context",
            json!({ "session": session, "at": at, "tokenizer": tokenizer }),
        ),
        Command::Plan { plan, place, by } => {
            let mut request = plan_request(plan);
            stand(&mut request, &place.compact);
            by_provider(&mut request, by);
            request["to"] = json!(place.to);
            request["from"] = json!(place.from);
            ("plan", request)
        }
        Command::Compact { plan, place, by } => {
            let mut request = plan_request(plan);
            stand(&mut request, place);
            run_by(&mut request, by);
            ("compact", request)
        }
        Command::BranchSummary { plan, from, to, by } => {
            let mut request = plan_request(plan);
            request["from"] = json!(from);
            request["to"] = json!(to);
            run_by(&mut request, by);
            ("compact", request)
        }
        Command::Ledger {
            session,
            compaction,
            run,
            summary_file,
            at,
        } => {
            let summary = match summary_file {
                Some(path) => Some(std::fs::read_to_string(path).map_err(|error| WireError {
                    field: None,
                    code: ErrorCode::Io,
                    message: format!("cannot read the summary in {}: {error}", path.display()),
                    hint: Some("check that it exists and is UTF-8 text".into()),
                })?),
                None => None,
            };
            let request = json!({
                "session": session, "compaction": compaction, "run": run,
                "summary": summary, "at": at,
            });
            ("ledger", request)
        }
        Command::Policy { list: true, .. } => ("policies", Value::Null),
        Command::Policy {
            session,
            at,
            policy,
            set,
            window,
            max_output,
            list: false,
        } => {
            let set: serde_json::Map<String, Value> = set.iter().cloned().collect();
            let request = json!({
                "session": session, "at": at, "policies": policy, "set": set,
                "window": window, "max_output": max_output,
            });
            ("policy", request)
        }
        Command::Search { query, limit } => (
            "search",
            json!({ "query": query.join(" "), "limit": limit }),
        ),
        Command::Strategies { name } => ("strategies", json!({ "name": name })),
        Command::Models {
            provider: Some(name),
            ..
        } => ("provider_models", json!({ "name": name })),
        Command::Models { local: true, .. } => ("local_servers", Value::Null),
        Command::Models { .. } => ("models", Value::Null),
        Command::Replay { run } => ("replay", json!({ "run": run })),
        Command::Prompts { action } => prompts(action.as_ref())?,
        Command::Runs { session } => ("runs", json!({ "session": session })),
        Command::Serve { .. } | Command::Bench { .. } => {
            return Err(WireError::internal(
                "a command without a request was asked for one",
            ));
        }
    })
}

fn prompts(action: Option<&PromptAction>) -> Result<(&'static str, Value), WireError> {
    Ok(match action {
        None => ("prompts", json!({})),
        Some(PromptAction::Show { name }) => ("prompt", json!({ "name": name })),
        Some(PromptAction::Save {
            name,
            file,
            strategy,
            place,
        }) => {
            let text = match file.as_os_str() == "-" {
                true => std::io::read_to_string(std::io::stdin()),
                false => std::fs::read_to_string(file),
            };
            let text = text.map_err(|error| WireError {
                field: None,
                code: ErrorCode::Io,
                message: format!("cannot read the prompt in {}: {error}", file.display()),
                hint: Some("check that it exists and is UTF-8 text".into()),
            })?;
            let request = json!({
                "name": name, "text": text.trim_end(), "strategy": strategy, "place": place,
            });
            ("prompt_save", request)
        }
        Some(PromptAction::Delete { name }) => ("prompt_delete", json!({ "name": name })),
        Some(PromptAction::Import { project, dry_run }) => (
            "prompts_import",
            json!({ "project": project, "dry_run": dry_run }),
        ),
    })
}

fn plan_request(plan: &PlanArgs) -> Value {
    let set: serde_json::Map<String, Value> = plan.set.iter().cloned().collect();
    let prompts: std::collections::BTreeMap<_, _> = plan.prompt.iter().cloned().collect();
    json!({
        "session": plan.session,
        "prompts": prompts,
        "strategy": plan.strategy,
        "set": set,
        "instructions": plan.instructions,
        "replace_prompt": plan.replace_prompt,
        "embeddings": plan.embeddings,
    })
}

fn stand(request: &mut Value, place: &CompactPlace) {
    request["at"] = json!(place.at);
    request["redo"] = json!(place.redo);
}

fn by_provider(request: &mut Value, by: &ProviderArgs) {
    request["provider"] = json!(by.provider);
    request["model"] = json!(by.model);
    request["base_url"] = json!(by.base_url);
}

fn run_by(request: &mut Value, by: &ProviderArgs) {
    by_provider(request, by);
    request["stream"] = json!("command line");
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

fn print(cli: &Cli, command: &str, answer: &Value) -> Result<(), WireError> {
    let text = if cli.json {
        answer.to_string()
    } else {
        print::human(command, answer)
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
