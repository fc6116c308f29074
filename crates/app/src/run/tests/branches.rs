//! Branch summaries that the session holds: their ledger, and writing them again.

use super::Bench;
use crate::run::{PlanKind, PlanSpec};
use crate::summary::Material;
use palimpsest_llm::ProviderKind;
use serde_json::{Value, json};

/// A session of pi with a branch that was left: `from` is what the record names as left.
fn left(from: &str) -> String {
    let at = |second: u32| format!("2026-01-01T00:00:{second:02}.000Z");
    let message = |role: &str, text: &str| {
        let content = json!([{"type": "text", "text": text}]);
        json!({"role": role, "content": content, "timestamp": 0})
    };
    let entry = |second: u32, id: &str, parent: Option<&str>, rest: Value| {
        let mut record = json!({"id": id, "parentId": parent, "timestamp": at(second)});
        let object = record.as_object_mut().unwrap();
        object.extend(rest.as_object().unwrap().clone());
        record
    };
    let said = |second, id, parent, role, text| {
        let message = json!({"type": "message", "message": message(role, text)});
        entry(second, id, Some(parent), message)
    };
    let header =
        json!({"type": "session", "version": 3, "id": "s", "timestamp": at(0), "cwd": "/w"});
    let first = json!({"type": "message", "message": message("user", "Make src/port.rs work.")});
    let told = "The branch set the port to 8417 in src/port.rs.";
    let summary = json!({"type": "branch_summary", "fromId": from, "summary": told});
    let records = [
        header,
        entry(1, "aaaaaaaa", None, first),
        said(2, "bbbbbbbb", "aaaaaaaa", "assistant", "Which port is it?"),
        said(
            3,
            "cccccccc",
            "bbbbbbbb",
            "user",
            "Try 8417, and never touch src/other.rs.",
        ),
        said(
            4,
            "dddddddd",
            "cccccccc",
            "assistant",
            "The port is 8417 in src/port.rs.",
        ),
        entry(5, "eeeeeeee", Some("bbbbbbbb"), summary),
        said(
            6,
            "ffffffff",
            "eeeeeeee",
            "user",
            "Go on without src/other.rs.",
        ),
    ];
    records.map(|record| format!("{record}\n")).concat()
}

#[test]
fn a_stored_branch_summary_is_held_against_the_entries_that_were_left() {
    // The entry left, and what pi wrote until 0.84.2: the destination.
    for from in ["dddddddd", "bbbbbbbb"] {
        let bench = Bench::new(ProviderKind::OpenAi);
        let path = bench
            .home
            .add_file("s.jsonl", left(from).as_bytes())
            .unwrap();
        let open = bench.app.open(&path.display().to_string()).unwrap();
        let material = Material::of_compaction(&open, Some("eeeeeeee")).unwrap();
        let ids = |list: &[palimpsest_core::EntryIx]| -> Vec<String> {
            list.iter().map(|&ix| open.session.name_of(ix)).collect()
        };
        assert_eq!(
            ids(&material.cut.summarized),
            ["cccccccc", "dddddddd"],
            "{from}"
        );
        assert_eq!(ids(&material.cut.kept), ["aaaaaaaa", "bbbbbbbb"]);
        assert_eq!(ids(&material.cut.later), ["ffffffff"]);
        let guessed = material.title.contains("does not name");
        assert_eq!(guessed, from == "bbbbbbbb", "{}", material.title);
        let ledger = material.ledger();
        assert!(!ledger.facts.is_empty());
        // Without a compaction the branch summary is what is meant.
        let newest = Material::of_compaction(&open, None).unwrap();
        assert_eq!(newest.cut, material.cut);
    }
}

#[test]
fn a_stored_branch_summary_is_planned_again_where_it_stands() {
    let bench = Bench::new(ProviderKind::OpenAi);
    let path = bench
        .home
        .add_file("s.jsonl", left("dddddddd").as_bytes())
        .unwrap();
    let spec = PlanSpec {
        session: path.display().to_string(),
        at: Some("eeeeeeee".to_owned()),
        redo: true,
        ..PlanSpec::default()
    };
    let planned = bench.app.plan(&spec).unwrap();
    let record = &planned.record;
    assert_eq!(record.kind, PlanKind::BranchSummary);
    assert_eq!(record.strategy, crate::run::DEFAULT_BRANCH_STRATEGY);
    assert_eq!(record.summarize_ids, ["cccccccc", "dddddddd"]);
    let branch = record.branch.as_ref().unwrap();
    assert_eq!(branch.new_leaf_id.as_deref(), Some("bbbbbbbb"));
    assert_eq!(branch.to_id, "eeeeeeee");
    let (_, points) = bench.app.cut_points(&spec).unwrap();
    assert_eq!(points, []);
}
