//! Experiments on the scripted server: priced, budgeted, cut off and resumed.

use super::Bench;
use crate::error::AppError;
use crate::lab::{CutSpec, Cuts, LabCellState, LabSpec, StoredCut};
use palimpsest_llm::ProviderKind;

fn text(bench: &Bench, more: &str, rows: &str) -> String {
    let session = &bench.session;
    format!(
        "name = \"t\"\nconcurrent = 1\n{more}\n[cuts]\nlist = [{{ session = \"{session}\", entry = \"leaf\" }}]\n{rows}"
    )
}

fn row(name: &str, more: &str) -> String {
    format!("[[rows]]\nname = \"{name}\"\nstrategy = \"pi\"\n{more}\n")
}

fn kept(tokens: u64) -> String {
    format!("set = {{ keep_recent_tokens = {tokens} }}")
}

fn on_mine(tokens: u64) -> String {
    format!(
        "{}\nprovider = \"mine\"\nmodel = \"scripted-ok\"",
        kept(tokens)
    )
}

fn spec(bench: &Bench, text: &str) -> LabSpec {
    LabSpec {
        experiment: bench.app.read_experiment(text).unwrap(),
        stream: None,
        retry_failed: false,
        above_limit: false,
    }
}

#[tokio::test]
async fn what_ended_is_not_requested_again() {
    let bench = Bench::new(ProviderKind::OpenAi);
    let rows = row("a", &on_mine(475)) + &row("b", &on_mine(900));
    let text = text(&bench, "repeats = 2", &rows);
    let plan = bench.app.plan_lab(spec(&bench, &text).experiment).unwrap();
    assert_eq!((plan.cells, plan.ended, plan.calls), (4, 0, 6));
    let done = bench.app.run_lab(spec(&bench, &text)).await.unwrap();
    assert!(done.is_complete());
    // One of the rows splits a turn and asks twice.
    assert_eq!(bench.server.requests().len(), 6);
    assert_eq!(done.names, ["a", "b"]);
    let facts = done.table.rows[0]
        .figures
        .keys()
        .any(|name| name.starts_with("retention."));
    assert!(facts && done.table.rows[0].figures["next_tokens"].mean > 400.0);
    let again = bench.app.run_lab(spec(&bench, &text)).await.unwrap();
    assert_eq!(bench.server.requests().len(), 6, "nothing is sent again");
    assert_eq!(again.table, done.table);
    let replayed = bench.app.replay_lab(&done.id).unwrap();
    assert_eq!((replayed.runs, replayed.same), (4, 4));
}

#[tokio::test]
async fn a_source_that_is_not_in_the_file_has_sizes_only() {
    let bench = Bench::new(ProviderKind::OpenAi);
    for (recorded, measured) in [(20_000, true), (160_000, false)] {
        let file = format!("{recorded}.jsonl");
        let session = super::sources::compacted(recorded, &[]);
        let path = bench.home.add_file(&file, session.as_bytes()).unwrap();
        let open = bench.app.open(&path.display().to_string()).unwrap();
        let mut entries = open.session.entries.iter();
        let boundary = entries
            .find(|entry| entry.kind.summary().is_some())
            .unwrap();
        let text = format!(
            "name = \"{recorded}\"\n[cuts]\nlist = [{{ session = \"{}\", entry = \"{}\" }}]\n{}",
            path.display(),
            boundary.id,
            row("a", &kept(4))
        );
        let done = bench.app.run_lab(spec(&bench, &text)).await.unwrap();
        let has = |start: &str| {
            let mut rows = done.table.rows.iter();
            rows.any(|row| row.figures.keys().any(|name| name.starts_with(start)))
        };
        assert!(has("summary_tokens"), "{:?}", done.cells);
        for name in ["retention.", "introduced", "contradicted", "score"] {
            assert_eq!(has(name), measured, "{name} at {recorded}");
        }
    }
}

#[tokio::test]
async fn a_stored_reply_is_used_and_a_lost_one_is_sent_once_more() {
    let bench = Bench::new(ProviderKind::OpenAi);
    let text = text(&bench, "repeats = 2", &row("a", &on_mine(475)));
    let done = bench.app.run_lab(spec(&bench, &text)).await.unwrap();
    let user = bench.app.user_db().unwrap();
    // As after a kill: of the first cell the reply is stored and the run is not, of the second
    // the request is on its way.
    let cells = user.lab_cells(&done.id).unwrap();
    for (number, cell) in cells.iter().enumerate() {
        user.delete_run(&cell.run_id).unwrap();
        let mut cell = cell.clone();
        cell.ended = false;
        user.save_lab_cell(&done.id, &cell).unwrap();
        let mut call = user.lab_calls(&cell.run_id).unwrap().remove(0);
        if number == 1 {
            call.state = palimpsest_store::user::LabCallState::Sent;
            call.reply = None;
            user.save_lab_call(&call).unwrap();
        }
    }
    // Before it goes on, the experiment says which reply nobody waits for.
    let cut_off = bench.app.lab(&done.id).unwrap();
    let lost: Vec<u64> = cut_off.cells.iter().map(|cell| cell.lost).collect();
    assert_eq!(lost, [0, 1]);
    let again = bench.app.run_lab(spec(&bench, &text)).await.unwrap();
    assert_eq!(bench.server.requests().len(), 3);
    let told: Vec<_> = again
        .cells
        .iter()
        .map(|cell| (cell.state, cell.sent, cell.lost))
        .collect();
    assert_eq!(
        told,
        [(LabCellState::Done, 1, 0), (LabCellState::Done, 2, 1)]
    );
    let runs: Vec<_> = again.cells.iter().map(|cell| cell.run_id.clone()).collect();
    let before: Vec<_> = done.cells.iter().map(|cell| cell.run_id.clone()).collect();
    assert_eq!(runs, before, "the runs keep their ids");
}

#[tokio::test]
async fn a_budget_that_cannot_be_kept_sends_nothing() {
    let bench = Bench::new(ProviderKind::OpenAi);
    let unknown = text(&bench, "budget_usd = 1.0", &row("a", &on_mine(475)));
    let error = bench.app.run_lab(spec(&bench, &unknown)).await.unwrap_err();
    assert!(error.to_string().contains("price"), "{error}");
    let priced = "provider = \"openai\"\nmodel = \"gpt-5\"";
    let rows = row("a", &format!("{}\n{priced}", kept(475)));
    let low = text(&bench, "budget_usd = 0.0000001", &rows);
    let error = bench.app.run_lab(spec(&bench, &low)).await.unwrap_err();
    assert!(error.to_string().contains("the budget is"), "{error}");
    assert!(bench.server.requests().is_empty());
    assert!(bench.app.labs().unwrap().is_empty(), "nothing is stored");
}

#[tokio::test]
async fn rows_that_differ_in_prompts_only_are_refused_offline() {
    let bench = Bench::new(ProviderKind::OpenAi);
    let other = format!(
        "{}\n",
        kept(475).replace(" }", ", \"prompts.system\" = \"French.\" }")
    );
    let text = text(&bench, "", &(row("a", &kept(475)) + &row("b", &other)));
    let error = bench
        .app
        .plan_lab(spec(&bench, &text).experiment)
        .unwrap_err();
    let AppError::BadRequest(problem) = &error else {
        panic!("{error:?}")
    };
    assert!(
        problem.message.contains("the same input at every cut"),
        "{error}"
    );
}

#[test]
fn a_set_of_cuts_is_stored_with_hashes() {
    let bench = Bench::new(ProviderKind::OpenAi);
    let cuts = Cuts {
        list: vec![CutSpec {
            session: bench.session.clone(),
            entry: "leaf".to_owned(),
            to: None,
        }],
        ..Cuts::default()
    };
    let set = bench.app.save_cut_set("mine", &cuts).unwrap();
    assert_eq!(set.cuts[0].hash.len(), 16);
    assert_eq!(bench.app.cut_sets().unwrap(), std::slice::from_ref(&set));
    assert_eq!(bench.app.changed_cut(&set.cuts[0]), None);
    let changed = StoredCut {
        hash: "0".repeat(16),
        ..set.cuts[0].clone()
    };
    assert!(bench.app.changed_cut(&changed).unwrap().contains("changed"));
    bench.app.delete_cut_set("mine").unwrap();
    assert!(bench.app.delete_cut_set("mine").is_err());
}

#[test]
fn a_set_is_made_and_changed_cut_by_cut_and_says_what_changed() {
    let bench = Bench::new(ProviderKind::OpenAi);
    let open = bench.app.open(&bench.session).unwrap();
    let at = |number: usize| CutSpec {
        session: bench.session.clone(),
        entry: open.session.name_of(palimpsest_core::EntryIx::new(number)),
        to: None,
    };
    let app = &bench.app;
    assert_eq!(app.add_cuts(" mine ", &[at(9)]).unwrap().name, "mine");
    let set = app.add_cuts("mine", &[at(13), at(9)]).unwrap();
    assert_eq!(set.cuts.len(), 2, "a cut is in a set once");
    assert!(set.cuts.iter().all(|cut| cut.session_id == open.id));
    assert_eq!(app.changed_cuts("mine").unwrap(), [None, None]);
    // A line in the middle of the file is another one: only the cut behind it changes.
    let text = std::fs::read_to_string(&bench.session).unwrap();
    std::fs::write(&bench.session, text.replace("src/part5.rs", "src/other.rs")).unwrap();
    let changed = app.changed_cuts("mine").unwrap();
    assert_eq!(changed[0], None, "{changed:?}");
    assert!(
        changed[1].as_ref().unwrap().contains("changed"),
        "{changed:?}"
    );
    let again = app.add_cuts("mine", &[at(13)]).unwrap();
    assert_eq!(again.cuts.len(), 2);
    assert_eq!(app.changed_cuts("mine").unwrap(), [None, None]);
    assert_eq!(app.remove_cuts("mine", &[at(9)]).unwrap().cuts.len(), 1);
    assert!(app.remove_cuts("mine", &[at(13)]).is_err(), "the last one");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_experiment_under_way_is_not_started_twice_and_goes_on_by_its_id() {
    let bench = Bench::new(ProviderKind::OpenAi);
    let stalled = palimpsest_testkit::llm_server::TextReply::new(&["half"]);
    let stalled = stalled.ending(palimpsest_testkit::llm_server::Ending::Stalled);
    bench.server.push(stalled);
    let text = text(&bench, "", &row("a", &on_mine(475)));
    let (app, first) = (bench.app.clone(), spec(&bench, &text));
    let running = tokio::spawn(async move { app.run_lab(first).await });
    while bench.server.requests().is_empty() {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    let error = bench.app.run_lab(spec(&bench, &text)).await.unwrap_err();
    assert!(error.to_string().contains("under way"), "{error}");
    let listed = bench.app.labs_listed().unwrap().remove(0);
    assert!(listed.running && (listed.cells, listed.ended) == (1, 0));
    let shown = bench.app.lab(&listed.row.id).unwrap();
    assert_eq!(shown.cells[0].state, LabCellState::Running);
    assert!(shown.running && !shown.is_complete());
    assert!(bench.app.cancel(&listed.row.id), "its id is its name");
    let stopped = running.await.unwrap().unwrap();
    assert!(!stopped.running && !stopped.is_complete());
    assert!(!bench.app.labs_listed().unwrap()[0].running);
    let again = LabSpec {
        experiment: bench.app.lab_experiment(&listed.row.id).unwrap(),
        stream: None,
        retry_failed: false,
        above_limit: false,
    };
    let done = bench.app.run_lab(again).await.unwrap();
    assert!(done.is_complete());
    assert_eq!(done.id, listed.row.id);
    let cell = &done.cells[0];
    assert_eq!(
        (cell.state, cell.sent, cell.lost),
        (LabCellState::Done, 2, 1)
    );
}
