//! Stars, notes and labels from the command line.

use crate::program::{Program, shown};
use palimpsest_testkit::session::{PiSession, Reply};
use serde_json::{Value, json};

fn sample(program: &Program) -> (String, String) {
    let mut session = PiSession::new();
    let first = session.user("Rename `parse_amount` in src/ledger.rs.");
    session.assistant(Reply::new().text("Done."));
    let path = shown(&program.home.add_pi_session(&session).unwrap());
    program.json(&["index"]);
    (path, first)
}

fn ids(answer: &Value) -> Vec<&str> {
    let rows = answer.as_array().unwrap().iter();
    rows.map(|row| row["id"].as_str().unwrap()).collect()
}

#[test]
fn a_star_is_set_listed_and_removed() {
    let program = Program::new();
    let (path, _) = sample(&program);
    let star = program.json(&["star", &path]);
    assert_eq!(star["starred"], true);
    let listed = program.json(&["sessions", "is:starred"]);
    assert_eq!(ids(&listed), [star["session"].as_str().unwrap()]);
    assert_eq!(listed[0]["starred"], true);
    program.json(&["star", &path, "--remove"]);
    assert!(ids(&program.json(&["sessions", "is:starred"])).is_empty());
    assert_eq!(ids(&program.json(&["sessions"])).len(), 1);
}

#[test]
fn a_note_is_written_found_and_deleted() {
    let program = Program::new();
    let (path, entry) = sample(&program);
    let saved = program.json(&["note", &path, &entry, "the real cause"]);
    assert_eq!(
        (&saved["entry_id"], &saved["occurrence"], &saved["text"]),
        (&json!(entry), &json!(1), &json!("the real cause"))
    );
    program.json(&["note", &path, "about all of it"]);
    let marks = program.json(&["note", &path]);
    assert_eq!(marks["notes"][0]["on"], Value::Null);
    assert_eq!(marks["notes"][1]["on"]["entry_id"], json!(entry));
    let found = program.json(&["search", "cause"]);
    assert_eq!(found["marks"][0]["kind"], "note");
    assert_eq!(found["marks_total"], 1);
    let listed = program.json(&["sessions", "note:cause"]);
    assert_eq!(listed[0]["notes"], 2);
    let tree = program.json(&["tree", &path]);
    assert_eq!(tree["nodes"][0]["note"], "the real cause");
    let deleted = program.json(&["note", &path, &entry, "--delete"]);
    assert_eq!(
        (&deleted["text"], &deleted["before"]),
        (&Value::Null, &json!("the real cause"))
    );
    assert_eq!(program.json(&["sessions", "note:cause"]), json!([]));
}

#[test]
fn a_label_is_added_and_removed() {
    let program = Program::new();
    let (path, entry) = sample(&program);
    let labels = program.json(&["label", &path, &entry, "needs review"]);
    assert_eq!(labels["labels"], json!(["needs review"]));
    let row = &program.json(&["label", &path, "incident"]);
    assert_eq!(row["entry_id"], Value::Null);
    let listed = program.json(&["sessions", "label:review"]);
    assert_eq!(listed[0]["labels"], json!(["incident"]));
    let tree = program.json(&["tree", &path]);
    assert_eq!(tree["nodes"][0]["user_labels"], json!(["needs review"]));
    assert_eq!(tree["nodes"][0]["label"], Value::Null);
    let left = program.json(&["label", &path, &entry, "needs review", "--remove"]);
    assert_eq!(left["labels"], json!([]));
    let missing = ["label", &path, &entry, "needs review", "--remove"];
    program.fails(
        &missing,
        &["there is no label 'needs review' on entry", "no labels"],
    );
    let other = ["label", &path, "needs review", "--remove"];
    program.fails(
        &other,
        &[
            "there is no label 'needs review' on session",
            "Its labels are: incident.",
        ],
    );
}
