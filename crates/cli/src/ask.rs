//! What each command asks the API, and the answers there are.

use crate::args::{
    CoderAction, Command, CompactPlace, LabAction, PlanArgs, PromptAction, ProviderArgs,
    WrittenAction,
};
use palimpsest_api::wire::*;
use palimpsest_api::{Api, BenchReport, Empty, Input, NextStep};
use serde::Serialize;
use std::path::Path;

/// The answer to a command. As JSON it is what the command line promises programs.
#[derive(Debug, Serialize)]
#[serde(untagged)]
#[expect(
    clippy::large_enum_variant,
    reason = "there is one answer in the life of the program"
)]
pub enum Answer {
    /// To `index`.
    Index(IndexReport),
    /// To `sessions`; programs get the rows alone.
    Sessions(#[serde(serialize_with = "rows")] SessionPage),
    /// The same, where words or filters left none.
    NoMatch(#[serde(serialize_with = "rows")] SessionPage),
    /// To `tree`.
    Tree(TreeView),
    /// To `entry`.
    Entry(EntryTextView),
    /// To `context`.
    Context(ContextView),
    /// To `plan`.
    Plan(PlanView),
    /// To `compact` and `branch-summary`.
    Run(RunView),
    /// To `ledger`.
    Ledger(LedgerView),
    /// To `chain`.
    Chain(ChainView),
    /// To `export`; programs get the document itself.
    Export(#[serde(serialize_with = "exported")] ExportView),
    /// To `policy`.
    Policy(PolicyReport),
    /// To `policy --list`.
    Policies(PolicyList),
    /// To `note SESSION` and `label SESSION`.
    Marks(MarksView),
    /// To `star`.
    Star(StarView),
    /// To `note`.
    Note(NoteSaved),
    /// To `label`.
    Labels(LabelsView),
    /// To `search`.
    Search(SearchPage),
    /// To `find`.
    Find(FindView),
    /// To `rename`.
    Renamed(RenameView),
    /// To `strategies`.
    Strategies(Vec<StrategyInfo>),
    /// To `models`.
    Models(Vec<ModelRow>),
    /// To `models --provider`.
    ProviderModels(ProviderModels),
    /// To `models --local`.
    LocalServers(Vec<LocalServer>),
    /// To `coder`, and to `coder add` and `coder remove`, which change the list.
    CoderServers(Vec<CoderServer>),
    /// To `coder read`.
    CoderRead(CoderReading),
    /// To `replay`.
    Replay(ReplayView),
    /// To `runs`.
    Runs(Vec<RunRow>),
    /// To `prompts`.
    Prompts(Vec<PromptRow>),
    /// To `prompts show`.
    Prompt(PromptRow),
    /// To `prompts save`.
    PromptSaved(PromptRow),
    /// To `prompts delete`.
    PromptDeleted(Empty),
    /// To `prompts import`.
    PromptsImport(PromptImportView),
    /// To `branches`.
    Branches(BranchesView),
    /// To `branches` with an entry.
    BranchCompare(Box<BranchCompareView>),
    /// To `put-back`.
    PutBack(PutBackView),
    /// To `navigate`.
    Navigate(Box<NavigateView>),
    /// To `apply --dry-run`.
    WritePlan(WritePlanView),
    /// To `apply`, `navigate --write` and `written undo`.
    Written(Box<WrittenView>),
    /// To `written`.
    AllWritten(Vec<WrittenView>),
    /// To `lab run --dry-run`.
    LabPlan(LabPlanView),
    /// To `lab run` and `lab show`.
    Lab(LabView),
    /// To `lab list`.
    Labs(Vec<LabListRow>),
    /// To `lab replay`.
    LabReplay(LabReplayView),
    /// To `lab calibrate`.
    LabCalibration(LabCalibration),
    /// To `lab cuts`.
    CutSets(Vec<CutSetView>),
    /// To `lab cuts NAME --query`.
    CutSet(CutSetView),
    /// To `lab delete-cuts`.
    CutSetDeleted(Empty),
    /// To `bench`.
    Bench(BenchReport),
}

fn rows<S: serde::Serializer>(page: &SessionPage, serializer: S) -> Result<S::Ok, S::Error> {
    page.sessions.serialize(serializer)
}

fn exported<S: serde::Serializer>(view: &ExportView, serializer: S) -> Result<S::Ok, S::Error> {
    match &view.path {
        Some(path) => serde_json::json!({ "path": path }).serialize(serializer),
        None => {
            let document: serde_json::Value =
                serde_json::from_str(&view.text).map_err(serde::ser::Error::custom)?;
            document.serialize(serializer)
        }
    }
}

/// Asks for what `command` wants.
pub async fn ask(api: &Api, command: &Command, json: bool) -> Result<Answer, WireError> {
    let asked = api.commands();
    Ok(match command {
        Command::Index { roots } => {
            let roots = roots.clone();
            Answer::Index(asked.index(IndexRequest { roots }).await?)
        }
        Command::Sessions { agent, sort, query } => {
            let request = SessionsRequest {
                agent: agent.clone(),
                query: Some(query.join(" ")),
                sort: sort.clone(),
                ..SessionsRequest::default()
            };
            let page = asked.sessions(request).await?;
            understood(&page.not_understood)?;
            if page.total == 0 && (agent.is_some() || !query.is_empty()) {
                Answer::NoMatch(page)
            } else {
                Answer::Sessions(page)
            }
        }
        Command::Tree { session } => {
            let session = session.clone();
            Answer::Tree(asked.tree(SessionRequest { session }).await?)
        }
        Command::Entry { session, entry } => {
            let request = EntryRequest {
                session: session.clone(),
                entry: entry.clone(),
            };
            Answer::Entry(asked.entry_whole(request).await?)
        }
        Command::Context {
            session,
            at,
            tokenizer,
        } => {
            let request = ContextRequest {
                session: session.clone(),
                at: at.clone(),
                tokenizer: *tokenizer,
                ..ContextRequest::default()
            };
            Answer::Context(asked.context(request).await?)
        }
        Command::Plan { plan, place, by } => {
            let request = PlanRequest {
                at: place.compact.at.clone(),
                redo: place.compact.redo,
                to: place.to.clone(),
                from: place.from.clone(),
                ..planned(plan, by)
            };
            Answer::Plan(asked.plan(request).await?)
        }
        Command::Compact { plan, place, by } => {
            let CompactPlace { at, redo } = place;
            let request = PlanRequest {
                at: at.clone(),
                redo: *redo,
                ..planned(plan, by)
            };
            Answer::Run(asked.compact(run(request)).await?)
        }
        Command::BranchSummary { plan, from, to, by } => {
            let request = PlanRequest {
                from: from.clone(),
                to: Some(to.clone()),
                ..planned(plan, by)
            };
            Answer::Run(asked.compact(run(request)).await?)
        }
        Command::Ledger {
            session,
            compaction,
            run,
            summary_file,
            at,
        } => {
            if at.is_some() && summary_file.is_none() {
                return Err(WireError::new(
                    ErrorCode::Usage,
                    "--at says where the summary of --summary-file would stand, and no such file \
                     is given",
                    NextStep::Give {
                        what: Input::Summary,
                    },
                ));
            }
            let summary = match summary_file {
                Some(path) => Some(read("summary", path, std::fs::read_to_string(path))?),
                None => None,
            };
            let request = LedgerRequest {
                session: session.clone(),
                compaction: compaction.clone(),
                run: run.clone(),
                summary,
                at: at.clone(),
            };
            Answer::Ledger(asked.ledger(request).await?)
        }
        Command::Chain {
            session,
            at,
            needed,
            limit,
        } => {
            let request = ChainRequest {
                session: session.clone(),
                at: at.clone(),
                needed: *needed,
                limit: Some(*limit),
                ..ChainRequest::default()
            };
            Answer::Chain(asked.chain(request).await?)
        }
        Command::Edit { .. } => edit(api, command).await?,
        Command::Export { .. } => {
            Answer::Export(asked.export(export(command, json)?).await?)
        }
        Command::Policy {
            list: true, policy, ..
        } => {
            let mut known = asked.policies(Empty {}).await?;
            if !policy.is_empty() {
                // Filtered here, because the command of the API answers with all.
                known.policies.retain(|own| policy.contains(&own.name));
            }
            Answer::Policies(known)
        }
        Command::Policy {
            session,
            at,
            policy,
            set,
            window,
            max_output,
            list: false,
        } => {
            let request = PolicyRequest {
                session: session.clone().unwrap_or_default(),
                at: at.clone(),
                policies: policy.clone(),
                set: Some(set.iter().cloned().collect()),
                window: *window,
                max_output: *max_output,
                totals_only: false,
            };
            Answer::Policy(asked.policy(request).await?)
        }
        Command::Star { session, remove } => {
            let request = StarRequest {
                session: session.clone(),
                starred: !remove,
            };
            Answer::Star(asked.star(request).await?)
        }
        Command::Note { session, words, .. } | Command::Label { session, words, .. }
            // Without words the notes are listed; with --delete and no words the note on the
            // session is deleted.
            if words.is_empty() && !deletes(command) =>
        {
            let session = session.clone();
            Answer::Marks(asked.marks(SessionRequest { session }).await?)
        }
        Command::Note {
            session,
            words,
            delete,
        } => Answer::Note(asked.note_save(note(session, words, *delete)?).await?),
        Command::Label {
            session,
            words,
            remove,
        } => {
            let (entry, text) = entry_and_text(words);
            let request = LabelRequest {
                session: session.clone(),
                entry,
                ix: None,
                text,
                on: Some(!remove),
            };
            Answer::Labels(asked.label_set(request).await?)
        }
        Command::Rename {
            session,
            title,
            reset: _,
        } => {
            let request = RenameRequest {
                session: session.clone(),
                title: title.join(" "),
            };
            Answer::Renamed(asked.rename(request).await?)
        }
        Command::Find {
            session,
            query,
            compaction,
            limit,
        } => {
            let request = FindRequest {
                session: session.clone(),
                query: query.join(" "),
                compaction: compaction.clone(),
                limit: Some(*limit),
            };
            let found = asked.find(request).await?;
            understood(&found.not_understood)?;
            Answer::Find(found)
        }
        Command::Search {
            query,
            limit,
            sort,
            embeddings,
        } => {
            let request = SearchRequest {
                query: query.join(" "),
                limit: Some(*limit),
                sort: sort.clone(),
                embeddings: embeddings.clone(),
                ..SearchRequest::default()
            };
            let page = asked.search(request).await?;
            understood(&page.not_understood)?;
            Answer::Search(page)
        }
        Command::Strategies { name } => {
            let name = name.clone();
            Answer::Strategies(asked.strategies(StrategiesRequest { name }).await?)
        }
        Command::Models {
            provider: Some(name),
            ..
        } => {
            let name = name.clone();
            Answer::ProviderModels(asked.provider_models(ProviderRequest { name }).await?)
        }
        Command::Models { local: true, .. } => {
            Answer::LocalServers(asked.local_servers(Empty {}).await?)
        }
        Command::Models { .. } => Answer::Models(asked.models(Empty {}).await?),
        Command::Replay { run } => {
            let run = run.clone();
            Answer::Replay(asked.replay(RunRequest { run }).await?)
        }
        Command::Coder { action } => coder(api, action.as_ref()).await?,
        Command::Lab { action } => lab(api, action).await?,
        Command::Prompts { action } => prompts(api, action.as_ref()).await?,
        Command::Runs { session } => {
            let session = session.clone();
            Answer::Runs(asked.runs(RunsRequest { session }).await?)
        }
        Command::Branches {
            session,
            left: None,
            ..
        } => {
            let session = session.clone();
            Answer::Branches(asked.branches(SessionRequest { session }).await?)
        }
        Command::Branches {
            session,
            left: Some(left),
            right,
        } => {
            let request = BranchCompareRequest {
                session: session.clone(),
                left: left.clone(),
                right: right.clone(),
            };
            Answer::BranchCompare(Box::new(asked.branch_compare(request).await?))
        }
        Command::Navigate { .. }
        | Command::Apply { .. }
        | Command::PutBack { .. }
        | Command::Written { .. } => {
            writing(api, command).await?
        }
        Command::Serve { .. } | Command::Bench { .. } => {
            // `run` handles both before it asks.
            return Err(WireError::internal(
                "a command without a request was asked for one",
            ));
        }
    })
}

/// What `export` asks for.
fn export(command: &Command, json: bool) -> Result<ExportRequest, WireError> {
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
async fn edit(api: &Api, command: &Command) -> Result<Answer, WireError> {
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
async fn writing(api: &Api, command: &Command) -> Result<Answer, WireError> {
    let asked = api.commands();
    Ok(match command {
        Command::Navigate {
            plan,
            to,
            from,
            summary,
            by,
            write,
            append,
            out,
        } => {
            let session = &plan.session;
            let (run, text) = match summary.as_str() {
                "none" => (None, None),
                name if Path::new(name).is_file() => {
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
                    let done = asked.compact(self::run(request)).await?;
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
                return Ok(Answer::Navigate(Box::new(asked.navigate(request).await?)));
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
            Answer::Written(Box::new(asked.write(request).await?))
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

/// A filter that makes no sense is an error here: an empty list would be a wrong answer.
fn understood(wrong: &[String]) -> Result<(), WireError> {
    if wrong.is_empty() {
        return Ok(());
    }
    let message = format!("the query is not understood: {}", wrong.join("; "));
    Err(WireError::new(
        ErrorCode::Usage,
        message,
        NextStep::CorrectFilter,
    ))
}

fn deletes(command: &Command) -> bool {
    matches!(command, Command::Note { delete: true, .. })
}

/// `TEXT`, or `ENTRY TEXT`.
fn entry_and_text(words: &[String]) -> (Option<String>, String) {
    match words {
        [] => (None, String::new()),
        [text] => (None, text.clone()),
        [entry, text, ..] => (Some(entry.clone()), text.clone()),
    }
}

/// A note to save; to delete it, an entry and no text.
fn note(session: &str, words: &[String], delete: bool) -> Result<NoteSaveRequest, WireError> {
    let (entry, text) = match words {
        [] | [_] if delete => (words.first().cloned(), String::new()),
        _ if delete => {
            let message = "--delete takes an entry and no text";
            return Err(WireError::alone(ErrorCode::Usage, message));
        }
        _ => entry_and_text(words),
    };
    Ok(NoteSaveRequest {
        session: session.to_owned(),
        entry,
        ix: None,
        text,
    })
}

async fn prompts(api: &Api, action: Option<&PromptAction>) -> Result<Answer, WireError> {
    let asked = api.commands();
    Ok(match action {
        None => Answer::Prompts(asked.prompts(PromptsRequest { name: None }).await?),
        Some(PromptAction::Show { name }) => {
            let name = name.clone();
            Answer::Prompt(asked.prompt(PromptRequest { name }).await?)
        }
        Some(PromptAction::Save {
            name,
            file,
            strategy,
            place,
        }) => {
            let text = if file.as_os_str() == "-" {
                std::io::read_to_string(std::io::stdin())
            } else {
                std::fs::read_to_string(file)
            };
            let request = PromptSaveRequest {
                name: name.clone(),
                // Editors end a file with a line end, which would be part of every prompt.
                text: read("prompt", file, text)?.trim_end().to_owned(),
                strategy: strategy.clone(),
                place: place.clone(),
            };
            Answer::PromptSaved(asked.prompt_save(request).await?)
        }
        Some(PromptAction::Delete { name }) => {
            let name = name.clone();
            Answer::PromptDeleted(asked.prompt_delete(PromptRequest { name }).await?)
        }
        Some(PromptAction::Import { project, dry_run }) => {
            let request = PromptImportRequest {
                project: project.as_ref().map(|dir| dir.display().to_string()),
                dry_run: *dry_run,
            };
            Answer::PromptsImport(asked.prompts_import(request).await?)
        }
    })
}

async fn coder(api: &Api, action: Option<&CoderAction>) -> Result<Answer, WireError> {
    let asked = api.commands();
    match action {
        Some(CoderAction::Add { url, token_stdin }) => {
            let token = token_stdin.then(|| std::io::read_to_string(std::io::stdin()));
            let token = token
                .map(|text| read("token", Path::new("-"), text))
                .transpose()?;
            let base_url = url.clone();
            asked
                .coder_save(CoderSaveRequest { base_url, token })
                .await?;
        }
        Some(CoderAction::Read { url }) => {
            let servers = match url {
                Some(url) => vec![url.clone()],
                None => {
                    let known = asked.coder_servers(Empty {}).await?.into_iter();
                    known.map(|server| server.base_url).collect()
                }
            };
            let mut all = CoderReading {
                chats: 0,
                updated: 0,
            };
            for base_url in servers {
                let done = asked.coder_read(CoderRequest { base_url }).await?;
                all.chats += done.chats;
                all.updated += done.updated;
            }
            return Ok(Answer::CoderRead(all));
        }
        Some(CoderAction::Remove { url }) => {
            let base_url = url.clone();
            asked.coder_remove(CoderRequest { base_url }).await?;
        }
        None => {}
    }
    Ok(Answer::CoderServers(asked.coder_servers(Empty {}).await?))
}

/// The text of a file that was named, or that it cannot be read.
fn read(what: &str, path: &Path, text: std::io::Result<String>) -> Result<String, WireError> {
    text.map_err(|error| {
        let path = path.display();
        let message = format!("the {what} cannot be read ({error}): {path}");
        WireError::new(ErrorCode::Io, message, NextStep::CheckFile)
    })
}

fn planned(plan: &PlanArgs, by: &ProviderArgs) -> PlanRequest {
    PlanRequest {
        session: plan.session.clone(),
        prompts: Some(plan.prompt.iter().cloned().collect()),
        strategy: plan.strategy.clone(),
        set: plan.set.iter().cloned().collect(),
        instructions: plan.instructions.clone(),
        replace_prompt: plan.replace_prompt,
        embeddings: plan.embeddings.clone(),
        provider: Some(by.provider.clone()),
        model: by.model.clone(),
        base_url: by.base_url.clone(),
        ..PlanRequest::default()
    }
}

fn run(plan: PlanRequest) -> CompactRequest {
    CompactRequest {
        plan,
        // The command line plans and runs in one step, so there is no plan shown earlier to
        // compare with.
        plan_hash: None,
        stream: Some("command line".to_owned()),
    }
}

async fn lab(api: &Api, action: &LabAction) -> Result<Answer, WireError> {
    let asked = api.commands();
    Ok(match action {
        LabAction::Run {
            file,
            dry_run,
            retry_failed,
        } => {
            let request = LabRequest {
                experiment: read("experiment", file, std::fs::read_to_string(file))?,
                stream: None,
                retry_failed: *retry_failed,
            };
            if *dry_run {
                Answer::LabPlan(asked.lab_plan(request).await?)
            } else {
                Answer::Lab(asked.lab_run(request).await?)
            }
        }
        LabAction::Show { lab } => {
            let lab = lab.clone();
            Answer::Lab(asked.lab_show(LabShowRequest { lab }).await?)
        }
        LabAction::List => Answer::Labs(asked.labs(Empty {}).await?),
        LabAction::Replay { lab } => {
            let lab = lab.clone();
            Answer::LabReplay(asked.lab_replay(LabShowRequest { lab }).await?)
        }
        LabAction::Cuts {
            save: Some(name),
            query,
            limit,
        } => {
            let request = CutSetSaveRequest {
                name: name.clone(),
                query: query.clone(),
                limit: *limit,
                cuts: Vec::new(),
            };
            Answer::CutSet(asked.cut_set_save(request).await?)
        }
        LabAction::Cuts { .. } => Answer::CutSets(asked.cut_sets(Empty {}).await?),
        LabAction::DeleteCuts { name } => {
            let name = name.clone();
            Answer::CutSetDeleted(asked.cut_set_delete(CutSetRequest { name }).await?)
        }
        LabAction::Calibrate { seed } => {
            let request = LabCalibrateRequest { seed: *seed };
            Answer::LabCalibration(asked.lab_calibrate(request).await?)
        }
    })
}
