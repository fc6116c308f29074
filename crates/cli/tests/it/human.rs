//! What people read: the texts of answers, next to the JSON of the same answers.

use crate::contract;
use crate::program::{Program, shown};
use palimpsest_testkit::session::{CompactionSpec, PiSession, Reply};
use serde_json::{Value, json};
use std::path::Path;

/// A session of three turns with a compaction after the second.
fn sample(program: &Program) -> String {
    let mut session = PiSession::new();
    session.user("Rename `parse_amount` in src/ledger.rs; never touch the tests.");
    session.assistant(Reply::new().call("read", json!({"path": "src/ledger.rs"})));
    session.tool_result(&"pub fn parse_amount() {}\n".repeat(400));
    session.assistant(Reply::new().text("It is renamed."));
    session.compact(CompactionSpec::new("## Goal\nRename parse_amount.").keep_recent(10));
    session.user("Go on.");
    session.assistant(Reply::new().text("Done."));
    shown(&program.home.add_pi_session(&session).unwrap())
}

/// The text of a command, and its JSON.
fn both(program: &Program, args: &[&str]) -> (String, Value) {
    (program.run(args).stdout, program.json(args))
}

/// A kind of fact as people read it.
fn in_words(kind: &str) -> &str {
    match kind {
        "user_request" => "request",
        "path" => "file",
        "todo" => "to do",
        own => own,
    }
}

fn tells(text: &str, words: &[&str]) {
    for word in words {
        assert!(text.contains(word), "no '{word}' in {text}");
    }
}

#[test]
fn a_tree_has_a_line_for_each_entry() {
    let program = Program::new();
    let path = sample(&program);
    let (text, tree) = both(&program, &["tree", &path]);
    let nodes = tree["nodes"].as_array().unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), nodes.len(), "{text}");
    for (line, node) in lines.iter().zip(nodes) {
        tells(line, &[node["id"].as_str().unwrap()]);
        tells(line, &[node["kind"].as_str().unwrap()]);
    }
    tells(lines.last().unwrap(), &["<- leaf"]);
}

#[test]
fn a_compaction_in_a_tree_has_the_sizes_before_and_after_it() {
    let program = Program::new();
    let path = sample(&program);
    let (text, tree) = both(&program, &["tree", &path]);
    let nodes = tree["nodes"].as_array().unwrap();
    let sized: Vec<&Value> = nodes
        .iter()
        .filter(|node| node["sizes"] != Value::Null)
        .collect();
    let [compaction] = sized.as_slice() else {
        panic!("{sized:?}");
    };
    assert_eq!(compaction["kind"], "compaction");
    let summary = compaction["sizes"]["summary"].as_u64().unwrap();
    tells(&text, &[" -> ", &format!(" tokens, summary {summary} ")]);
}

#[test]
fn the_cost_of_a_session_is_told_by_model_by_prompt_and_by_subagent() {
    let program = Program::new();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../formats/tests/fixtures");
    let path = shown(&fixtures.join("claude-code/valid/reading.jsonl"));
    let (text, cost) = both(&program, &["cost", &path]);
    let usd = |row: &Value| row["cost_usd"].as_f64().unwrap_or(-1.0);
    let prompts = cost["prompts"].as_array().unwrap();
    assert!(
        prompts.windows(2).all(|two| usd(&two[0]) >= usd(&two[1])),
        "{prompts:?}"
    );
    let sum: f64 = prompts.iter().map(|row| usd(row).max(0.0)).sum();
    assert!((sum - usd(&cost)).abs() < 1e-6, "{sum} of {cost}");
    tells(&text, &["cost ~$", "most expensive first", "cache read"]);
    for row in prompts {
        tells(&text, &[row["entry_id"].as_str().unwrap()]);
    }
    let (text, few) = both(&program, &["cost", &path, "--limit", "1"]);
    assert_eq!(few["prompts"].as_array().unwrap().len(), 1);
    assert_eq!(few["total_prompts"], prompts.len() as u64);
    tells(&text, &["the 1 most expensive; --limit shows more"]);
}

#[test]
fn a_list_of_sessions_can_be_limited() {
    let program = Program::new();
    program.run(&["--samples", "index"]);
    let (text, all) = both(&program, &["--samples", "sessions", "--limit", "2"]);
    assert_eq!(all.as_array().unwrap().len(), 2);
    tells(&text, &["2 of "]);
}

#[test]
fn the_entry_of_a_context_is_named_behind_the_session_or_with_at() {
    let program = Program::new();
    let path = sample(&program);
    let behind = program.json(&["context", &path, "line:1"]);
    assert_eq!(behind, program.json(&["context", &path, "--at", "line:1"]));
    assert_ne!(behind, program.json(&["context", &path]));
}

#[test]
fn a_session_in_the_place_of_a_run_is_named_as_one() {
    let program = Program::new();
    program.run(&["--samples", "index"]);
    let all = program.json(&["--samples", "sessions", "--limit", "1"]);
    let id = all[0]["id"].as_str().unwrap();
    let refused = program.run(&["--samples", "apply", id]);
    tells(
        &refused.stderr,
        &[&format!("'{id}' is a session and not a run")],
    );
}

#[test]
fn a_context_has_its_sizes_its_categories_by_name_and_its_items() {
    let program = Program::new();
    let path = sample(&program);
    let (text, context) = both(&program, &["context", &path]);
    let categories = context["by_category"].as_object().unwrap();
    let mut names: Vec<&str> = categories.keys().map(String::as_str).collect();
    names.sort_unstable();
    let listed: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next())
        .collect();
    assert_eq!(listed, names, "{text}");
    tells(
        &text,
        &["size: ", " tokens, ", "entry", "origin", "summary"],
    );
}

#[test]
fn a_plan_tells_its_cut_its_calls_and_what_it_costs() {
    let program = Program::new();
    let (path, _) = contract::sample(&program);
    let set = ["--set", "keep_recent_tokens=100"];
    let (text, plan) = both(&program, &[&["plan", path.as_str()][..], &set].concat());
    assert_eq!(plan["kind"], "compaction");
    tells(
        &text,
        &[
            "pi: ",
            " summarized, ",
            "first kept ",
            "tokens: ",
            "call for ",
            "Cost: none.",
        ],
    );
    let all = ["plan", path.as_str(), "--set", "keep_recent_tokens=1000000"];
    let (text, plan) = both(&program, &all);
    assert_eq!(plan["kind"], "nothing");
    let reason = plan["reason"].as_str().unwrap();
    assert!(
        text.starts_with(&format!("nothing to do: {reason}\n")),
        "{text}"
    );
    assert!(text.contains("--set keep_recent_tokens="), "{text}");
}

#[test]
fn a_run_a_ledger_and_the_runs_have_the_same_words_as_their_json() {
    let program = Program::new();
    let (path, _) = contract::sample(&program);
    let set = ["compact", path.as_str(), "--set", "keep_recent_tokens=100"];
    let ran = program.run(&set).stdout;
    let runs = program.json(&["runs"]);
    let run = &runs[0];
    assert_eq!(run["status"], "done");
    let id = run["run_id"].as_str().unwrap();
    tells(&ran, &[&format!("run {id} done in "), "kept ", "verbatim"]);
    let listed = program.run(&["runs"]).stdout;
    tells(&listed, &["pi", "offline", "done"]);
    let (text, ledger) = both(&program, &["ledger", &path, "--run", id]);
    let kinds = ledger["totals"]["by_kind"].as_object().unwrap();
    let mut names: Vec<&str> = kinds.keys().map(|kind| in_words(kind)).collect();
    names.sort_unstable();
    let rows: Vec<&str> = text
        .lines()
        .skip_while(|line| !line.starts_with("kind "))
        .skip(1)
        .take(names.len())
        .filter_map(|line| line.split("  ").next())
        .collect();
    assert_eq!(rows, names, "{text}");
    for fact in ledger["facts"].as_array().unwrap() {
        if fact["status"] == "dropped" {
            tells(&text, &[in_words(fact["kind"].as_str().unwrap())]);
        }
    }
    let replayed = program.run(&["replay", id]).stdout;
    tells(&replayed, &[&format!("run {id}: the summary is identical")]);
}

#[test]
fn an_entry_is_printed_whole_with_what_it_is() {
    let program = Program::new();
    let mut session = PiSession::new();
    let call = session.assistant(Reply::new().call("bash", json!({"command": "ls \u{1b}[2J"})));
    session.tool_result("first line\nsecond line");
    let path = shown(&program.home.add_pi_session(&session).unwrap());
    let (text, entry) = both(&program, &["entry", &path, &call]);
    tells(
        &text,
        &[&call, "call bash", "line 2", "[call of bash]", "ls"],
    );
    assert!(!text.contains('\u{1b}'), "{text:?}");
    assert_eq!(entry["parts"][0]["kind"], "call", "{entry}");
    assert_eq!(entry["tools"], json!(["bash"]));
    let (text, _) = both(&program, &["entry", &path, "leaf"]);
    tells(
        &text,
        &[
            "result bash",
            "[result of bash: ls",
            "]\nfirst line\nsecond line",
        ],
    );
}

#[test]
fn a_list_has_a_column_for_what_it_is_sorted_by() {
    let program = Program::new();
    let path = sample(&program);
    program.run(&["index", &path]);
    for (sort, head) in [
        ("size", "bytes"),
        ("errors", "errors"),
        ("rejections", "rejected"),
    ] {
        let ran = program.run(&["sessions", "--sort", sort]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        tells(&ran.stdout, &[head]);
    }
}

#[test]
fn an_edit_is_printed_as_a_diff() {
    let program = Program::new();
    let mut session = PiSession::new();
    let call = session.assistant(Reply::new().call(
        "edit",
        json!({"path": "src/lib.rs", "oldText": "let a = 1;\nlet b = 2;", "newText": "let a = 1;\nlet b = 3;"}),
    ));
    session.tool_result("ok");
    let path = shown(&program.home.add_pi_session(&session).unwrap());
    let (text, entry) = both(&program, &["entry", &path, &call]);
    tells(
        &text,
        &["--- src/lib.rs (edited, +1 -1)\n let a = 1;\n-let b = 2;\n+let b = 3;"],
    );
    assert!(!text.contains("oldText"), "{text}");
    assert_eq!(entry["parts"][0]["files"][0]["added"], 1, "{entry}");
}

#[test]
fn a_hit_has_its_time_and_what_it_is() {
    let program = Program::new();
    let path = sample(&program);
    program.run(&["index", &path]);
    let text = program.run(&["search", "renamed"]).stdout;
    tells(&text, &["assistant", "It is renamed.", "20"]);
    let ran = program.run(&["sessions", "kind:nonsense"]);
    assert_eq!(ran.code, 2, "{}", ran.stdout);
    tells(&ran.stderr, &["kind:nonsense", "the kinds are", "--help"]);
    let text = program.run(&["search", "has:compaction"]).stdout;
    tells(&text, &["1 session", "The filters choose sessions"]);
}

#[test]
fn a_ledger_lists_partly_kept_facts_with_what_is_missing_and_their_entries() {
    let program = Program::new();
    let mut session = PiSession::new();
    let asked = session.user("Add retry and backoff and a circuit breaker to src/client.rs");
    session.assistant(Reply::new().text("Done."));
    session.compact(CompactionSpec::new("retry and backoff were added").keep_nothing());
    let path = shown(&program.home.add_pi_session(&session).unwrap());
    let (text, ledger) = both(&program, &["ledger", &path]);
    let request = text
        .lines()
        .find(|line| line.starts_with("partly kept request "))
        .unwrap_or_else(|| panic!("{text}"));
    tells(
        request,
        &["Add retry and backoff", &format!(" {asked} "), "missing: "],
    );
    assert!(
        !text.contains("user_request") && !text.contains("partial"),
        "{text}"
    );
    let facts = ledger["facts"].as_array().unwrap();
    assert!(
        facts
            .iter()
            .any(|fact| fact["kind"] == "user_request" && fact["status"] == "partial")
    );
}
