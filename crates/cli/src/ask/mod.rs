//! What each command asks the API, and the answers there are.

mod answer;
mod coder;
mod cost;
mod figures;
mod given;
mod judge;
mod lab;
mod marks;
mod prompts;
mod writing;

pub use answer::{Answer, CostLimit};
pub use cost::SessionCost;
pub use figures::LedgerFigures;

use crate::args::{Command, CompactPlace};
use given::{planned, read, run, understood};
use palimpsest_api::wire::*;
use palimpsest_api::{Api, Empty, Input, NextStep};

/// Asks for what `command` wants.
pub async fn ask(api: &Api, command: &Command, json: bool) -> Result<Answer, WireError> {
    let asked = api.commands();
    Ok(match command {
        Command::Index { roots } => {
            let roots = roots.clone();
            Answer::Index(asked.index(IndexRequest { roots }).await?)
        }
        Command::Sessions {
            agent,
            sort,
            limit,
            query,
        } => {
            let request = SessionsRequest {
                agent: agent.clone(),
                query: Some(query.join(" ")),
                sort: sort.clone(),
                limit: *limit,
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
        Command::Cost { session, limit } => {
            Answer::Cost(Box::new(cost::of_session(api, session, *limit).await?))
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
            entry,
            at,
            tokenizer,
        } => {
            let request = ContextRequest {
                session: session.clone(),
                at: at.as_ref().or(entry.as_ref()).cloned(),
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
        Command::Compact {
            plan,
            place,
            by,
            limit,
        } => {
            let CompactPlace { at, redo } = place;
            let request = PlanRequest {
                at: at.clone(),
                redo: *redo,
                ..planned(plan, by)
            };
            Answer::Run(asked.compact(run(request, limit)).await?)
        }
        Command::BranchSummary {
            plan,
            from,
            to,
            by,
            limit,
        } => {
            let request = PlanRequest {
                from: from.clone(),
                to: Some(to.clone()),
                ..planned(plan, by)
            };
            Answer::Run(asked.compact(run(request, limit)).await?)
        }
        Command::Ledger {
            session,
            compaction,
            run,
            summary_file,
            at,
            figures: all,
            figure,
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
            if *all || figure.is_some() {
                Answer::Figures(figures::ask(api, request, figure.as_deref()).await?)
            } else {
                Answer::Ledger(asked.ledger(request).await?)
            }
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
        Command::Judge { .. } => judge::judge(api, command).await?,
        Command::Edit { .. } => writing::edit(api, command).await?,
        Command::Export { .. } => {
            Answer::Export(asked.export(writing::export(command, json)?).await?)
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
            if words.is_empty() && !marks::deletes(command) =>
        {
            let session = session.clone();
            Answer::Marks(asked.marks(SessionRequest { session }).await?)
        }
        Command::Note {
            session,
            words,
            delete,
        } => Answer::Note(asked.note_save(marks::note(session, words, *delete)?).await?),
        Command::Label {
            session,
            words,
            remove,
        } => {
            let (entry, text) = marks::entry_and_text(words);
            let request = LabelRequest {
                session: session.clone(),
                entry,
                ix: None,
                text,
                on: Some(!remove),
            };
            Answer::Labels(marks::removed(asked.label_set(request).await?, words)?)
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
            by: Some(by),
            ..
        } => {
            let request = CountRequest {
                query: query.join(" "),
                by: *by,
                limit: Some(*limit),
            };
            let counts = asked.count_hits(request).await?;
            understood(&counts.not_understood)?;
            Answer::Counts(counts)
        }
        Command::Search {
            query,
            limit,
            sort,
            embeddings,
            by: None,
        } => {
            let request = SearchRequest {
                query: query.join(" "),
                limit: Some(*limit),
                sort: sort.clone(),
                embeddings: embeddings.clone(),
                prompts: Some(true),
                ..SearchRequest::default()
            };
            let page = asked.search(request).await?;
            understood(&page.not_understood)?;
            if !page.nothing_asked || query.iter().all(|word| word.trim().is_empty()) {
                return Ok(Answer::Search(page));
            }
            let request = SessionsRequest {
                query: Some(query.join(" ")),
                ..SessionsRequest::default()
            };
            let sessions = asked.sessions(request).await?;
            Answer::SearchedSessions { page, sessions }
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
        Command::Limit { limit } => {
            let settings = match limit {
                None => asked.settings(Empty {}).await?,
                Some(_) => {
                    let change = SettingsChange {
                        ask_above_usd: *limit,
                        ..SettingsChange::default()
                    };
                    asked.settings_set(change).await?
                }
            };
            Answer::Limit(CostLimit {
                limit_usd: settings.ask_above_usd,
            })
        }
        Command::Replay { run } => {
            let run = run.clone();
            Answer::Replay(asked.replay(RunRequest { run }).await?)
        }
        Command::Coder { action } => coder::coder(api, action.as_ref()).await?,
        Command::Lab { action } => lab::lab(api, action).await?,
        Command::Prompts { action } => prompts::prompts(api, action.as_ref()).await?,
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
            writing::writing(api, command).await?
        }
        Command::Serve { .. } | Command::Bench { .. } => {
            // `run` handles both before it asks.
            return Err(WireError::internal(
                "a command without a request was asked for one",
            ));
        }
    })
}
