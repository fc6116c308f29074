//! `navigate`, `apply` and `written`: what programs rely on.

use crate::contract::sample;
use crate::program::{Program, shown};
use palimpsest_testkit::session::{PiSession, Reply};
use serde_json::{Value, json};
use std::path::Path;

/// A question with two answers on two branches.
fn forked(program: &Program) -> (String, [String; 3]) {
    let mut session = PiSession::new();
    session.user("Which port?");
    let fork = session.assistant(Reply::new().text("8080."));
    session.user("Change it in src/server.rs.");
    session.assistant(Reply::new().call("edit", json!({"path": "src/server.rs"})));
    session.tool_result("Changed.");
    let leaf = session.assistant(Reply::new().text("Done."));
    let path = shown(&program.home.add_pi_session(&session).unwrap());
    (path, [fork, leaf, session.cwd().to_owned()])
}

fn texts(program: &Program, path: &Value) -> Vec<String> {
    let context = program.json(&["context", path.as_str().unwrap()]);
    let items = context["items"].as_array().unwrap().iter();
    let told = items.filter(|item| !item["entry_ids"].as_array().unwrap().is_empty());
    told.map(|item| item["text"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn navigation_is_shown_then_written_then_undone() {
    let program = Program::new();
    let (path, [fork, leaf, cwd]) = forked(&program);
    let before = std::fs::read(&path).unwrap();
    let plan = program.json(&["navigate", &path, "--to", &fork]);
    assert_eq!(plan["common_ancestor_id"], json!(fork));
    assert_eq!(plan["from_id"], json!(leaf));
    assert_eq!(plan["left_behind_ids"].as_array().unwrap().len(), 4);
    assert_eq!(plan["files"]["modified"], json!(["src/server.rs"]));
    assert_eq!(plan["context_before"]["items"], 6);
    assert_eq!(plan["context_after"]["items"], 2);
    let summary = program
        .home
        .add_file("summary.md", b"The port was changed.\n")
        .unwrap();
    let summary = shown(&summary);
    let args = [
        "navigate",
        &path,
        "--to",
        &fork,
        "--summary",
        &summary,
        "--write",
    ];
    let written = program.json(&args);
    assert_eq!(
        texts(&program, &written["path"]),
        ["Which port?", "8080.", "The port was changed."]
    );
    let command = written["resume_command"].as_str().unwrap();
    assert!(
        command.starts_with(&format!("cd {cwd} && pi --session ")),
        "{command}"
    );
    assert_eq!(written["sha256"].as_str().unwrap().len(), 64);
    assert_eq!(std::fs::read(&path).unwrap(), before);
    let appended = program.json(&["navigate", &path, "--to", &fork, "--write", "--append"]);
    assert_eq!(texts(&program, &json!(path)), ["Which port?", "8080."]);
    let all = program.json(&["written"]);
    assert_eq!(all.as_array().unwrap().len(), 2);
    for one in [&appended, &written] {
        let back = program.json(&["written", "undo", one["id"].as_str().unwrap()]);
        assert_eq!(back["standing"], "undone");
    }
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert!(!Path::new(written["path"].as_str().unwrap()).exists());
}

#[test]
fn a_write_tells_how_it_is_taken_back_and_a_second_undo_that_nothing_changed() {
    let program = Program::new();
    let (path, [fork, ..]) = forked(&program);
    let said = program
        .run(&["navigate", &path, "--to", &fork, "--write"])
        .stdout;
    let undo = said.lines().find(|line| line.starts_with("undo "));
    let undo: Vec<&str> = undo.unwrap().split_whitespace().skip(2).collect();
    assert_eq!(undo[..2], ["written", "undo"], "{said}");
    let first = program.run(&undo).stdout;
    assert!(first.contains("undone: "), "{first}");
    let second = program.run(&undo);
    assert_eq!(second.code, 0, "{}", second.stderr);
    assert!(
        second
            .stdout
            .contains("undone before, so no file was changed"),
        "{}",
        second.stdout
    );
    program.fails(
        &["written", "undo", "zzz"],
        &["'zzz'", "`palimpsest written` lists"],
    );
}

#[test]
fn an_original_that_was_changed_since_is_not_taken_back_and_its_backup_is_named() {
    let program = Program::new();
    let (path, [fork, ..]) = forked(&program);
    let written = program.json(&["navigate", &path, "--to", &fork, "--write", "--append"]);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.extend_from_slice(b"{\"type\":\"label\"}\n");
    std::fs::write(&path, &bytes).unwrap();
    let backup = written["backup"].as_str().unwrap();
    let id = written["id"].as_str().unwrap();
    program.fails(&["written", "undo", id], &[&path, "stays as it is", backup]);
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
}

#[test]
fn a_run_whose_entries_are_gone_is_not_written_and_is_to_be_made_again() {
    let program = Program::new();
    let (path, _) = sample(&program);
    let run = program.json(&["compact", &path, "--set", "keep_recent_tokens=100"]);
    let whole = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    std::fs::write(&path, lines[..lines.len() / 2].join("\n") + "\n").unwrap();
    let id = run["run_id"].as_str().unwrap();
    let said = program.fails(
        &["apply", id],
        &["has changed since the run", "Make the run again"],
    );
    assert!(!said.contains("Give an entry"), "{said}");
}

#[test]
fn an_unknown_fact_is_not_put_back() {
    let program = Program::new();
    let (path, compaction) = sample(&program);
    let by = ["put-back", &path, "--compaction", &compaction];
    let args = [&by[..], &["--fact", "zz"]].concat();
    program.fails(&args, &["no fact 'zz'", "palimpsest ledger SESSION --json"]);
}

#[test]
fn a_run_an_edited_summary_and_an_undone_compaction_are_written() {
    let program = Program::new();
    let (path, compaction) = sample(&program);
    let run = program.json(&[
        "compact",
        &path,
        "--redo",
        "--at",
        &compaction,
        "--set",
        "keep_recent_tokens=900",
    ]);
    let id = run["run_id"].as_str().unwrap();
    let plan = program.json(&["apply", id, "--dry-run"]);
    assert_eq!(plan["change"], "compaction");
    let of_run = program.json(&["apply", id]);
    let got = texts(&program, &of_run["path"]);
    assert_eq!(got[0], run["summary"].as_str().unwrap());
    assert_eq!(got.len(), plan["context"].as_array().unwrap().len());
    assert_eq!(got.last().unwrap(), "And the last thing.");
    let text = shown(&program.home.add_file("summary.md", b"Mine.").unwrap());
    let edit = [
        "apply",
        "--session",
        &path,
        "--summary",
        &compaction,
        "--text-file",
        &text,
    ];
    let edited = program.json(&edit);
    assert_eq!(texts(&program, &edited["path"])[0], "Mine.");
    let undone = program.json(&["apply", "--session", &path, "--undo", &compaction]);
    assert!(texts(&program, &undone["path"]).len() > 30);
}

#[test]
fn a_default_summary_is_written_by_navigate_itself() {
    let program = Program::new();
    let (path, [fork, ..]) = forked(&program);
    let args = ["navigate", &path, "--to", &fork, "--summary", "default"];
    let plan = program.json(&args);
    let run = plan["run_id"].as_str().unwrap();
    let rows = plan["items"]["rows"].as_array().unwrap();
    let sides: Vec<&str> = rows
        .iter()
        .map(|row| row["side"].as_str().unwrap())
        .collect();
    assert_eq!(
        sides,
        ["both", "before", "before", "before", "before", "after"]
    );
    let new = rows.last().unwrap()["item"]["text"].as_str().unwrap();
    assert!(new.contains("src/server.rs"), "{new}");
    let counts = |name: &str| plan["items"][name].as_u64().unwrap();
    assert_eq!(
        [counts("same"), counts("removed"), counts("added")],
        [2, 4, 1]
    );
    let side = |name: &str| plan[name]["items"].as_u64().unwrap();
    assert_eq!(side("context_before"), counts("same") + counts("removed"));
    assert_eq!(side("context_after"), counts("same") + counts("added"));
    let written = program.json(&[
        "navigate",
        &path,
        "--to",
        &fork,
        "--summary",
        run,
        "--write",
    ]);
    assert_eq!(texts(&program, &written["path"]).len(), 3);
}

#[test]
fn branches_are_listed_and_compared() {
    let program = Program::new();
    let mut session = PiSession::new();
    session.user("Which port?");
    let fork = session.assistant(Reply::new().text("8080."));
    session.user("Change it in src/server.rs.");
    session.assistant(Reply::new().call("bash", json!({"command": "cargo test"})));
    session.tool_result("ok");
    let left = session.assistant(Reply::new().text("The port is 8080 in src/server.rs."));
    session.at(&fork.to_string());
    session.user("Use another one.");
    let leaf = session.assistant(Reply::new().text("The port is 8417 in src/server.rs."));
    let path = shown(&program.home.add_pi_session(&session).unwrap());
    let view = program.json(&["branches", &path]);
    assert_eq!(view["fork_ids"], json!([fork]));
    let branches = view["branches"].as_array().unwrap();
    assert_eq!(branches.len(), 1);
    assert_eq!(branches[0]["name"], "Change it in src/server.rs.");
    assert_eq!(branches[0]["tip_id"], json!(left));
    assert_eq!(branches[0]["entries"], 4);
    assert_eq!(view["active"]["from_id"], branches[0]["from_id"]);
    assert_eq!(view["active"]["tip_id"], view["leaf_id"]);
    let table = program.run(&["branches", &path]).stdout;
    let kinds = table.lines().skip(1);
    let kinds: Vec<&str> = kinds
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(kinds, ["active", "branch"], "{table}");
    let tree = program.json(&["tree", &path]);
    let forks = tree["nodes"].as_array().unwrap().iter();
    let forks: Vec<&Value> = forks.filter(|node| node["is_fork"] == true).collect();
    assert_eq!(forks.len(), 1);
    assert_eq!(forks[0]["id"], json!(fork));
    let compared = program.json(&["branches", &path, &left]);
    assert_eq!(compared["common_ancestor_id"], json!(fork));
    assert_eq!(compared["right"]["tip_id"], json!(leaf));
    assert_eq!(compared["left"]["commands"][0]["command"], "cargo test");
    assert_eq!(compared["right"]["total_commands"], 0);
    assert_eq!(
        compared["left"]["answer"],
        "The port is 8080 in src/server.rs."
    );
    assert_eq!(compared["rows"][0]["kind"], "replace");
}

#[test]
fn what_a_summary_lost_is_put_back() {
    let program = Program::new();
    let (path, compaction) = sample(&program);
    let ledger = program.json(&["ledger", &path, "--compaction", &compaction]);
    let facts = ledger["facts"].as_array().unwrap().iter();
    let lost: Vec<&str> = facts
        .filter(|fact| fact["status"] == "dropped")
        .map(|fact| fact["id"].as_str().unwrap())
        .collect();
    assert!(!lost.is_empty());
    let whole = program.json(&["put-back", &path, "--budget", "100000"]);
    let named: Vec<&str> = whole["fact_ids"]
        .as_array()
        .unwrap()
        .iter()
        .map(|id| id.as_str().unwrap())
        .collect();
    assert!(named.iter().any(|id| lost.contains(id)));
    assert_eq!(whole["left_out_ids"], json!([]));
    let small = program.json(&["put-back", &path, "--budget", "60"]);
    assert!(small["tokens"].as_u64().unwrap() <= 60);
    assert!(!small["left_out_ids"].as_array().unwrap().is_empty());
    program.fails(
        &["put-back", &path, "--budget", "3", "--write"],
        &["no fact fits into a message of 3 tokens", "--budget"],
    );
    let one = program.json(&["put-back", &path, "--fact", named[0], "--budget", "100000"]);
    assert_eq!(one["fact_ids"], json!([named[0]]));
    let before = std::fs::read(&path).unwrap();
    let written = program.json(&["put-back", &path, "--write"]);
    assert_eq!(written["change"], "message");
    let got = texts(&program, &written["path"]);
    let text = program.json(&["put-back", &path]);
    assert_eq!(got.last().unwrap(), text["text"].as_str().unwrap());
    assert_eq!(std::fs::read(&path).unwrap(), before);
}
