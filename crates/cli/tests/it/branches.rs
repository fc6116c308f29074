//! `branch-summary`, and plans for branches: what programs rely on, offline and through a provider.

use crate::program::{Program, shown};
use palimpsest_testkit::llm_server::LlmServer;
use palimpsest_testkit::session::{PiSession, Reply};
use serde_json::json;

/// A fork: on one side the port is changed, and left; on the other, later, the port is asked for.
struct Forked {
    path: String,
    fork: String,
    left: String,
    on: String,
    leaf: String,
}

fn forked(program: &Program) -> Forked {
    let mut session = PiSession::new();
    session.user("Make the server listen on another port; never touch the tests.");
    let fork = session.assistant(Reply::new().text("Which one?"));
    session.user("Take port 8417 in src/server.rs.");
    session.assistant(Reply::new().call("edit", json!({"path": "src/server.rs"})));
    session.tool_result("Changed 1 line.");
    let left = session.assistant(Reply::new().text("The server listens on 8417 now."));
    session.at(&fork.to_string());
    let on = session.user("Take the default one.");
    session.assistant(Reply::new().call("read", json!({"path": "src/server.rs"})));
    session.tool_result("port = 8080");
    let leaf = session.assistant(Reply::new().text("It is 8080. Was 8417 wanted before?"));
    Forked {
        path: shown(&program.home.add_pi_session(&session).unwrap()),
        fork: fork.to_string(),
        left: left.to_string(),
        on: on.to_string(),
        leaf: leaf.to_string(),
    }
}

#[test]
fn a_branch_summary_runs_offline_is_kept_and_has_a_ledger() {
    let program = Program::new();
    let s = forked(&program);
    let args = [
        "branch-summary",
        &s.path,
        "--from",
        &s.left,
        "--to",
        &s.leaf,
    ];
    let run = program.json(&args);
    assert_eq!(run["kind"], "branch_summary");
    assert_eq!(run["common_ancestor_id"], json!(s.fork));
    assert_eq!(run["plan"]["strategy"], "pi-branch");
    assert_eq!(run["plan"]["kind"], "branch_summary");
    assert_eq!(run["plan"]["common_ancestor_id"], json!(s.fork));
    let branch = &run["plan"]["branch"];
    assert_eq!(branch["left_behind_ids"].as_array().unwrap().len(), 4);
    // The result of the tool is skipped.
    assert_eq!(run["plan"]["summarize_ids"].as_array().unwrap().len(), 3);
    assert_eq!(run["plan"]["files"]["modified"], json!(["src/server.rs"]));
    assert_eq!(run["calls"][0]["purpose"], "branch");
    let summary = run["summary"].as_str().unwrap();
    assert!(
        summary.contains("## Goal") && summary.contains("8417"),
        "{summary}"
    );
    assert!(
        summary.ends_with("<modified-files>\nsrc/server.rs\n</modified-files>"),
        "{summary}"
    );
    assert_eq!(
        program.json(&args)["summary"],
        run["summary"],
        "the same input, the same words"
    );

    let id = run["run_id"].as_str().unwrap();
    let ledger = program.json(&["ledger", &s.path, "--run", id]);
    assert_eq!(
        ledger["totals"], run["ledger"],
        "the run keeps the totals of its ledger"
    );
    // The facts are those of the branch, and what came after it on the other side may need them.
    let facts = ledger["facts"].as_array().unwrap();
    let own: Vec<&str> = branch["left_behind_ids"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|id| id.as_str())
        .collect();
    for fact in facts {
        for entry in fact["entry_ids"].as_array().unwrap() {
            assert!(own.contains(&entry.as_str().unwrap()), "{fact}");
        }
    }
    let rows = program.json(&["runs"]);
    assert_eq!(rows[0]["kind"], "branch_summary");
    let told = program.run(&args);
    assert_eq!(told.code, 0, "{}", told.stderr);
    assert!(told.stdout.contains("branch summary"), "{}", told.stdout);
}

#[cfg(unix)]
#[test]
fn what_came_later_on_the_other_side_shows_what_was_needed() {
    let program = Program::new();
    let s = forked(&program);
    // A summary that tells nothing, so that whatever comes later was not carried along.
    let command = json!([
        "/bin/sh",
        "-c",
        "cat > /dev/null; echo '{\"summary\": \"Nothing.\"}'"
    ]);
    let command = format!("command={command}");
    let needed = |from: &str, to: &str| {
        let args = [
            "branch-summary",
            &s.path,
            "--from",
            from,
            "--to",
            to,
            "--strategy",
            "external",
            "--set",
            &command,
            "--set",
            "append_files=false",
        ];
        program.json(&args)["ledger"]["needed_later"].as_u64()
    };
    // The other side speaks of the port again; seen from there, nothing was written after it was left.
    assert!(needed(&s.left, &s.leaf) > Some(0));
    assert_eq!(needed(&s.leaf, &s.left), None);
}

#[test]
fn plans_for_branches_say_what_is_left_behind_or_why_nothing_is() {
    let program = Program::new();
    let s = forked(&program);
    let plan = |extra: &[&str]| program.json(&[&["plan", s.path.as_str()], extra].concat());
    // The leaf is left when nothing else is named.
    let back = plan(&["--to", &s.fork]);
    assert_eq!(back["kind"], "branch_summary");
    assert_eq!(back["branch"]["from_id"], json!(s.leaf));
    assert_eq!(back["branch"]["new_leaf_id"], json!(s.fork));
    // A prompt is rewritten, so one goes on before it.
    let prompt = plan(&["--from", &s.left, "--to", &s.on]);
    assert_eq!(prompt["branch"]["written_anew"], true);
    assert_eq!(prompt["branch"]["new_leaf_id"], json!(s.fork));
    let nothing = plan(&["--from", &s.fork, "--to", &s.leaf]);
    assert_eq!(nothing["kind"], "nothing");
    assert!(
        nothing["reason"]
            .as_str()
            .unwrap()
            .contains("nothing is left behind")
    );
    assert_eq!(nothing["branch"]["common_ancestor_id"], json!(s.fork));
    // A small budget leaves the oldest out.
    let small = plan(&[
        "--from",
        &s.left,
        "--to",
        &s.fork,
        "--set",
        "budget_tokens=10",
    ]);
    let over = small["branch"]["over_budget_ids"].as_array().unwrap().len();
    assert!(over > 0 && small["branch"]["taken_tokens"].as_u64().unwrap() <= 10);
    // Instructions are added, or take the place of the request.
    let own = |extra: &[&str]| {
        let args = [
            "--from",
            &s.left,
            "--to",
            &s.fork,
            "--instructions",
            "Only ports.",
        ];
        plan(&[&args, extra].concat())["calls"][0]["prompt"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert!(own(&[]).contains("## Goal") && own(&[]).contains("Only ports."));
    let replaced = own(&["--replace-prompt"]);
    assert!(!replaced.contains("## Goal") && replaced.contains("Only ports."));
    for wrong in [
        vec!["plan", &s.path, "--from", &s.left],
        vec!["plan", &s.path, "--to", &s.left, "--at", &s.fork],
    ] {
        assert_eq!(program.run(&wrong).code, 2, "{wrong:?}");
    }
    let from_leaf = program.json(&["branch-summary", &s.path, "--to", &s.left]);
    assert_eq!(from_leaf["plan"]["branch"]["from_id"], s.leaf.as_str());
    program.fails(
        &[
            "branch-summary",
            &s.path,
            "--from",
            &s.fork,
            "--to",
            &s.leaf,
        ],
        &["nothing is left behind"],
    );
}

#[test]
fn a_provider_gets_the_very_prompt_and_failures_are_kept() {
    let program = Program::new();
    let server = LlmServer::start().unwrap();
    let s = forked(&program);
    let url = server.url();
    let args = |model: &'static str| {
        vec![
            "branch-summary",
            s.path.as_str(),
            "--json",
            "--from",
            &s.left,
            "--to",
            &s.leaf,
            "--provider",
            "openai",
            "--base-url",
            &url,
            "--model",
            model,
            "--strategy",
            "opencode",
        ]
    };
    let done = program.run(&args("scripted-ok"));
    assert_eq!(done.code, 0, "{}", done.stderr);
    let answer: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    let planned = answer["plan"]["calls"][0]["prompt"].as_str().unwrap();
    assert!(server.requests()[0].prompt().contains(planned));
    assert!(
        planned.contains("Changed 1 line."),
        "other presets get tool results as well"
    );
    let failed = program.run(&args("scripted-refuse"));
    assert_eq!(failed.code, 1, "{}", failed.stdout);
    let row = &program.json(&["runs"])[0];
    assert_eq!(
        (&row["status"], &row["kind"]),
        (&json!("failed"), &json!("branch_summary"))
    );
}

#[test]
fn a_branch_is_not_compared_with_itself() {
    let program = Program::new();
    let s = forked(&program);
    program.json(&["branches", &s.path, &s.left, &s.leaf]);
    for same in [[&*s.leaf, "leaf"], ["leaf", "leaf"]] {
        let [left, right] = same;
        let words = ["both sides are the entry", &*s.leaf, "nothing to compare"];
        program.fails(&["branches", &s.path, left, right], &words);
    }
}
