//! The figures of a compaction and of runs, on sessions made for them.

use crate::options::Options;
use crate::summary::{Material, ShelvedLedger};
use crate::workspace::App;
use palimpsest_core::figure::Figure;
use palimpsest_core::{Entry, Usage};
use palimpsest_formats::Places;
use palimpsest_ledger::measures::{Amount, Measured};
use palimpsest_testkit::home::TempHome;
use palimpsest_testkit::session::{CompactionSpec, PiSession, Reply};
use serde_json::json;
use std::sync::Arc;

const SUMMARY: &str = "## Goal\nSort the report by date.\n\n## Progress\nChanged src/report.rs.\n";

/// A session that reads two files, edits one, is compacted, and reads the other again before it edits.
fn session() -> PiSession {
    let mut session = PiSession::new();
    session.user("Please sort the report by date. Never rename the id column.");
    for file in ["src/report.rs", "src/rows.rs"] {
        session.assistant(Reply::new().call("read", json!({ "path": file })));
        session.tool_result(&"fn part() {}\n".repeat(40));
    }
    session.assistant(Reply::new().call(
        "edit",
        json!({ "path": "src/report.rs", "oldText": "a", "newText": "b" }),
    ));
    session.tool_result("ok");
    let kept = session.user("Go on with the second part of it.");
    let spec = CompactionSpec::new(SUMMARY).without_file_lists();
    session.compact(spec.first_kept(&kept));
    session.assistant(Reply::new().call("read", json!({ "path": "src/rows.rs" })));
    session.tool_result(&"fn part() {}\n".repeat(40));
    session.assistant(Reply::new().call(
        "edit",
        json!({ "path": "src/rows.rs", "oldText": "a", "newText": "b" }),
    ));
    session.tool_result("ok");
    session
}

fn figures(follow: bool) -> Vec<Measured> {
    let home = TempHome::new();
    let path = home.add_pi_session(&session()).unwrap();
    let options = Options {
        data_dir: home.path().join("data"),
        places: Places {
            home: home.path().to_owned(),
            env: Default::default(),
        },
        samples_only: false,
        programs_in: None,
        only_known_programs: false,
    };
    let app = App::start(options, Arc::new(|_| ())).unwrap();
    let path = path.display().to_string();
    let open = app.open(&path).unwrap();
    if follow {
        app.chain(&path, None).unwrap();
    }
    let material = Material::of_compaction(&open, None).unwrap();
    let ledger = material.ledger();
    let shelved = ShelvedLedger {
        id: String::new(),
        open,
        material,
        ledger,
    };
    app.figures(&shelved, None).unwrap()
}

fn of(all: &[Measured], figure: Figure) -> &Measured {
    all.iter().find(|own| own.figure == figure).unwrap()
}

fn value(all: &[Measured], figure: Figure, name: &str) -> Amount {
    let own = of(all, figure);
    let value = own.values.iter().find(|value| value.name == name);
    value
        .unwrap_or_else(|| panic!("no '{name}' in {own:?}"))
        .amount
}

#[test]
fn every_figure_is_there_in_its_order_with_a_value_or_a_reason() {
    let all = figures(false);
    let order: Vec<Figure> = all.iter().map(|own| own.figure).collect();
    assert_eq!(order, Figure::ALL);
    for own in &all {
        assert_ne!(own.values.is_empty(), own.absent.is_none(), "{own:?}");
    }
    assert!(of(&all, Figure::Judge).absent.is_some());
    assert!(of(&all, Figure::ChainDecay).absent.is_some());
    assert!(of(&figures(true), Figure::ChainDecay).absent.is_none());
}

#[test]
fn the_values_are_those_of_the_session() {
    let all = figures(false);
    let of_files = |name| value(&all, Figure::FileLists, name);
    assert_eq!(of_files("Edited files"), Amount::Of(1, 1));
    assert_eq!(of_files("Files only read"), Amount::Of(0, 1));
    // pi's prompt has nine titles, of which the summary has two.
    assert_eq!(value(&all, Figure::Sections, "Sections"), Amount::Of(2, 9));
    assert_eq!(
        value(&all, Figure::ConstraintRecall, "Constraints"),
        Amount::Of(0, 1)
    );
    assert_eq!(
        value(&all, Figure::Regret, "Files read again"),
        Amount::Count(1)
    );
    let Amount::Tokens(tokens) = value(&all, Figure::Regret, "Tokens of these") else {
        panic!("no tokens");
    };
    // The call and its result of 520 characters.
    assert!((130..160).contains(&tokens), "{tokens}");
    let again = &of(&all, Figure::Regret).lines[0];
    assert!(again.fact.is_some() && again.entry.is_some(), "{again:?}");
    assert_eq!(
        value(&all, Figure::Reorientation, "Calls before the first edit"),
        Amount::Count(1)
    );
    assert_eq!(
        value(&all, Figure::Reorientation, "Of these only look"),
        Amount::Of(1, 1)
    );
    assert_eq!(of(&all, Figure::Reorientation).lines.len(), 2);
}

/// pi stores what its call used in the record of the summary.
#[test]
fn what_a_recorded_call_used_is_its_cost() {
    let home = TempHome::new();
    let path = home.add_pi_session(&session()).unwrap();
    let mut open = crate::session::OpenSession::read(&path).unwrap();
    let entries = &mut Arc::make_mut(&mut open.session).entries;
    let is_compaction = |entry: &&mut Entry| entry.kind.summary().is_some();
    let entry = entries.iter_mut().find(is_compaction).unwrap();
    entry.usage = Some(Usage {
        input: 247,
        output: 226,
        cache_read: 1468,
        cost_usd: Some(0.0073),
        ..Usage::default()
    });
    let all = [super::cost(Some(entry), None)];
    let of_call = |name| value(&all, Figure::Cost, name);
    assert_eq!(of_call("Output"), Amount::Tokens(226));
    assert_eq!(of_call("Input from the cache"), Amount::Tokens(1468));
    assert_eq!(of_call("Price"), Amount::Usd(0.0073));
    entry.usage = None;
    let none = super::cost(Some(entry), None);
    assert!(none.absent.is_some_and(|reason| reason.contains("neither")));
}
