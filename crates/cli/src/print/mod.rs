//! Answers for people. Programs use `--json`.

mod chain;
mod cost;
mod entry;
mod figures;
mod found;
mod judge;
mod lab;
mod marks;
mod policies;
mod prompts;
mod sessions;
mod strategies;
mod summaries;
mod table;
mod writing;

use crate::ask::Answer;
use palimpsest_api::BenchReport;
use palimpsest_api::wire::{
    CoderServer, KeyState, LocalServer, ModelRow, ProviderModels, ReplayView,
};
use table::{Table, or, short, thousands};

/// An answer as text.
pub fn human(answer: &Answer) -> String {
    match answer {
        Answer::Index(report) => sessions::index(report),
        Answer::Sessions(page) => sessions::sessions(page),
        Answer::NoMatch(page) => sessions::no_match(page),
        Answer::Tree(tree) => sessions::tree(tree),
        Answer::Entry(entry) => entry::entry(entry),
        Answer::Context(context) => sessions::context(context),
        Answer::Marks(marks) => marks::all(marks),
        Answer::Star(star) => marks::star(star),
        Answer::Note(note) => marks::note(note),
        Answer::Labels(labels) => marks::labels(labels),
        Answer::Search(page) => found::search(page),
        Answer::SearchedSessions { page, sessions } => sessions::by_search(page, sessions),
        Answer::Counts(counts) => found::counts(counts),
        Answer::Find(found) => found::inside(found),
        Answer::Renamed(renamed) => marks::renamed(renamed),
        Answer::Plan(plan) => summaries::plan(plan),
        Answer::Run(run) => summaries::run(run),
        Answer::Ledger(ledger) => summaries::ledger(ledger),
        Answer::Figures(answer) => figures::figures(answer),
        Answer::Judgements(all) => judge::all(all),
        Answer::JudgePlan(plan) => judge::plan(plan),
        Answer::Judgement(judgement) => judge::judgement(judgement),
        Answer::JudgementDeleted(_) => "deleted".to_owned(),
        Answer::Chain(view) => chain::chain(view),
        Answer::Export(view) => match &view.path {
            Some(path) => format!("written to {path}"),
            None => view.text.clone(),
        },
        Answer::Runs(rows) => summaries::runs(rows),
        Answer::Policy(report) => policies::policies(report),
        Answer::Policies(known) => policies::known(known),
        Answer::Strategies(list) => strategies::strategies(list),
        Answer::Prompts(rows) => prompts::all(rows),
        Answer::Prompt(row) => prompts::one(row),
        Answer::InstalledPrompts(found) => prompts::installed(found),
        Answer::PromptLabelled(row) => prompts::labelled(row),
        Answer::PromptRenamed(_) => "renamed with all versions".to_owned(),
        Answer::PromptSaved(row) => prompts::saved(row),
        Answer::PromptDeleted(_) => "deleted with all versions".to_owned(),
        Answer::PromptsImport(found) => prompts::import(found),
        Answer::Models(rows) => models(rows),
        Answer::ProviderModels(offered) => provider_models(offered),
        Answer::LocalServers(servers) => local_servers(servers),
        Answer::CoderServers(servers) => coder_servers(servers),
        Answer::CoderRead(done) => format!(
            "{}, {} new or changed",
            table::counted(done.chats, "chat", "chats"),
            done.updated
        ),
        Answer::Limit(limit) => match limit.limit_usd {
            Some(limit) => format!("what may cost more than ${limit} needs --above-limit"),
            None => "no limit".to_owned(),
        },
        Answer::Replay(replayed) => replay(replayed),
        Answer::PutBack(view) => writing::put_back(view),
        Answer::Cost(cost) => cost::of_session(cost),
        Answer::Branches(view) => writing::branches(view),
        Answer::BranchCompare(view) => writing::branch_compare(view),
        Answer::Navigate(view) => writing::navigate(view),
        Answer::WritePlan(plan) => writing::plan(plan),
        Answer::Written(written) => writing::one(written),
        Answer::AllWritten(rows) => writing::all(rows),
        Answer::LabPlan(plan) => lab::plan(plan),
        Answer::Lab(view) => lab::outcome(view),
        Answer::Labs(rows) => lab::all(rows),
        Answer::LabDeleted(_) => "deleted; the runs stay".to_owned(),
        Answer::LabReplay(replayed) => lab::replayed(replayed),
        Answer::LabCalibration(found) => lab::calibration(found),
        Answer::CutSets(sets) => lab::sets(sets),
        Answer::CutSet(set) => lab::sets(std::slice::from_ref(set)),
        Answer::CutSetDeleted(_) => "deleted".to_owned(),
        Answer::Bench(report) => bench(report),
    }
}

fn models(rows: &[ModelRow]) -> String {
    let mut table = Table::new(["provider", "model", "window", "output", "$/M in", "$/M out"]);
    table.right(&[2, 3, 4, 5]);
    let price = |price: Option<f64>| price.map_or("-".into(), |p| format!("{p:.2}"));
    for row in rows {
        table.row([
            row.provider.clone(),
            row.id.clone(),
            thousands(row.context_window),
            or(row.max_output, "-"),
            price(row.input_price),
            price(row.output_price),
        ]);
    }
    table.to_string()
}

fn provider_models(offered: &ProviderModels) -> String {
    offered.models.join("\n")
}

fn local_servers(servers: &[LocalServer]) -> String {
    if servers.is_empty() {
        return "no server found on the default ports of Ollama, LM Studio, llama.cpp and vLLM"
            .to_owned();
    }
    let mut table = Table::new(["provider", "address", "models"]);
    for server in servers {
        table.row([
            server.name.clone(),
            server.base_url.clone(),
            server.models.join(", "),
        ]);
    }
    table.to_string()
}

fn coder_servers(servers: &[CoderServer]) -> String {
    if servers.is_empty() {
        return "no servers; `palimpsest coder add URL` adds one".to_owned();
    }
    let mut table = Table::new(["server", "chats", "token"]);
    table.right(&[1]);
    for server in servers {
        let token = match server.key_state {
            KeyState::Environment => "from the environment",
            KeyState::Keyring => "from the keyring",
            KeyState::NoneNeeded => "not needed",
            KeyState::Missing => "missing",
        };
        table.row([
            server.base_url.clone(),
            thousands(server.chats),
            token.to_owned(),
        ]);
    }
    let without = servers
        .iter()
        .filter(|server| server.key_state == KeyState::Missing);
    let notes = without.map(|server| {
        let url = &server.base_url;
        format!(
            "No token for {url}: reading will be refused. Give one with `palimpsest coder add {url} \
             --token-stdin`, or set CODER_SESSION_TOKEN and CODER_URL."
        )
    });
    let notes: Vec<String> = notes.collect();
    if notes.is_empty() {
        table.to_string()
    } else {
        format!("{table}\n{}", notes.join("\n"))
    }
}

fn replay(replayed: &ReplayView) -> String {
    let (of, what) = match replayed.judged {
        Some(_) => ("judgement", "result"),
        None => ("run", "summary"),
    };
    let same = if replayed.same {
        format!("the {what} is identical")
    } else {
        format!("the {what} differs")
    };
    let prompts = match replayed.same_prompts {
        Some(true) => "the prompts planned now are identical",
        Some(false) => "the prompts planned now differ",
        None => "the prompts cannot be planned now",
    };
    format!(
        "{of} {}: {same} (rebuilt from {}); {prompts}",
        replayed.run_id,
        table::counted(replayed.calls, "recorded reply", "recorded replies"),
    )
}

fn bench(report: &BenchReport) -> String {
    let mut table = Table::new(["figure", "measured", "aim", "times", "how"]);
    table.right(&[1, 2, 3]);
    for figure in &report.figures {
        table.row([
            figure.name.to_owned(),
            format!("{:.3} {}", figure.measured, figure.unit),
            format!("{:.3}", figure.aim),
            format!("{:.2}x", figure.ratio),
            figure.note.clone(),
        ]);
    }
    table.to_string()
}
