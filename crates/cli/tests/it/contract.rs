//! The JSON that programs rely on: field names and their meaning.

use crate::program::{Program, shown};
use palimpsest_testkit::session::{CompactionSpec, PiSession, Reply};
use serde_json::{Value, json};

/// A session with a compaction in the middle and a branch.
pub fn sample(program: &Program) -> (String, String) {
    let mut session = PiSession::new();
    let first = session.user("Rename `parse_amount` in src/ledger.rs; never touch the tests.");
    for step in 0..12 {
        session.assistant(
            Reply::new()
                .text("Reading.")
                .call("read", json!({"path": format!("src/part{step}.rs")})),
        );
        session.tool_result(&format!("pub fn part{step}() {{}}\n").repeat(60));
        session.user(&format!("Now step {step}, please."));
    }
    let compaction = session.compact(
        CompactionSpec::new("## Goal\nRename parse_amount in src/ledger.rs.")
            .keep_recent(1_500)
            .without_file_lists(),
    );
    session.user("Go on.");
    session.assistant(Reply::new().call("read", json!({"path": "src/part3.rs"})));
    session.tool_result("pub fn part3() {}");
    session.assistant(Reply::new().text("Done."));
    let leaf = session.leaf().unwrap();
    session.label(&first, Some("start"));
    session.at(&leaf);
    session.user("And the last thing.");
    (
        shown(&program.home.add_pi_session(&session).unwrap()),
        compaction,
    )
}

/// Fails unless `value` has fields of these names.
pub fn fields(value: &Value, names: &[&str]) {
    for name in names {
        assert!(value.get(name).is_some(), "no field '{name}' in {value}");
    }
}

#[test]
fn index_sessions_search() {
    let program = Program::new();
    let (path, _) = sample(&program);
    let report = program.json(&["index"]);
    fields(
        &report,
        &[
            "sessions",
            "entries",
            "bytes",
            "warnings",
            "unchanged",
            "removed",
            "elapsed_ms",
        ],
    );
    assert_eq!(report["sessions"], 1);
    let again = program.json(&["index"]);
    assert_eq!(
        (&again["unchanged"], &again["bytes"]),
        (&json!(1), &json!(0))
    );
    let sessions = program.json(&["sessions"]);
    let row = &sessions[0];
    fields(
        row,
        &[
            "id",
            "agent",
            "path",
            "title",
            "cwd",
            "entries",
            "leaves",
            "compactions",
            "branch_summaries",
            "updated_at",
        ],
    );
    assert_eq!(row["path"], path);
    assert_eq!(row["compactions"], 1);
    assert_eq!(program.json(&["sessions", "--agent", "codex"]), json!([]));
    let hits = program.json(&["search", "parse_amount"]);
    assert_eq!(hits["hits"][0]["session"], row["id"]);
    assert_eq!(
        program.json(&["search", "nowheretobefound"])["hits"],
        json!([])
    );
    std::fs::remove_file(&path).unwrap();
    assert_eq!(program.json(&["index"])["removed"], 1);
}

#[test]
fn a_session_is_found_by_id_and_prefix_and_path() {
    let program = Program::new();
    let (path, _) = sample(&program);
    program.json(&["index"]);
    let id = program.json(&["sessions"])[0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let by_path = program.json(&["tree", &path]);
    assert_eq!(by_path["id"], id);
    assert_eq!(program.json(&["tree", &id]), by_path);
    assert_eq!(program.json(&["tree", &id[..6]]), by_path);
}

#[test]
fn tree_names_every_entry_and_its_line() {
    let program = Program::new();
    let (path, compaction) = sample(&program);
    let tree = program.json(&["tree", &path]);
    fields(&tree, &["id", "agent", "leaf_id", "warnings", "nodes"]);
    let nodes = tree["nodes"].as_array().unwrap();
    let lines = std::fs::read_to_string(&path).unwrap();
    assert_eq!(
        nodes.len(),
        lines.lines().count() - 1,
        "every line but the header is a node"
    );
    for (position, (node, line)) in nodes.iter().zip(lines.lines().skip(1)).enumerate() {
        fields(
            node,
            &[
                "id",
                "parent_id",
                "line",
                "kind",
                "role",
                "timestamp",
                "label",
                "tokens",
                "preview",
            ],
        );
        let stored: Value = serde_json::from_str(line).unwrap();
        assert_eq!(node["line"], position + 1);
        assert_eq!(
            (&node["id"], &node["parent_id"]),
            (&stored["id"], &stored["parentId"])
        );
    }
    let named = |id: &Value| nodes.iter().find(|node| &node["id"] == id).unwrap();
    assert_eq!(named(&json!(compaction))["kind"], "compaction");
    assert_eq!(nodes[0]["label"], "start");
    assert_eq!(tree["leaf_id"], nodes.last().unwrap()["id"]);
}

#[test]
fn context_begins_with_the_summary_and_keeps_its_tail() {
    let program = Program::new();
    let (path, compaction) = sample(&program);
    let context = program.json(&["context", &path, "--tokenizer", "o200k"]);
    fields(
        &context,
        &[
            "at",
            "model",
            "window",
            "threshold",
            "tokens",
            "by_category",
            "items",
        ],
    );
    let items = context["items"].as_array().unwrap();
    let summary = items
        .iter()
        .position(|item| item["kind"] == "compaction_summary")
        .unwrap();
    assert!(
        summary <= 1,
        "only what is not recorded may stand before the summary"
    );
    assert_eq!(items[summary]["entry_ids"], json!([compaction]));
    assert!(
        items[summary]["text"]
            .as_str()
            .unwrap()
            .starts_with("## Goal")
    );
    let sum: u64 = items
        .iter()
        .filter(|item| item["origin"] != "not_recorded")
        .map(|item| item["tokens"]["estimated"].as_u64().unwrap())
        .sum();
    assert_eq!(context["tokens"]["estimated"], sum);
    assert!(context["tokens"]["counted"].as_u64().unwrap() > 0);
    let before = program.json(&["context", &path, "--at", "line:1"]);
    assert_eq!(before["items"].as_array().unwrap().len(), 1);
}

#[test]
fn policies_tell_where_they_would_have_compacted() {
    let program = Program::new();
    let (path, compaction) = sample(&program);
    let all = program.json(&["policy", &path, "--window", "40000"]);
    let names = |answer: &Value| -> Vec<String> {
        let policies = answer["policies"].as_array().unwrap();
        let names = policies.iter().map(|own| own["name"].as_str().unwrap());
        names.map(str::to_owned).collect()
    };
    assert!(names(&all).len() > 25);
    let answer = program.json(&[
        "policy", &path, "--policy", "aider", "--policy", "codex", "--window", "40000",
    ]);
    fields(
        &answer,
        &[
            "session",
            "at",
            "model",
            "window",
            "max_output",
            "policies",
            "actual",
        ],
    );
    assert_eq!(names(&answer), ["aider", "codex"]);
    let aider = &answer["policies"][0];
    fields(
        aider,
        &[
            "name",
            "agent",
            "description",
            "source",
            "threshold_tokens",
            "rule",
            "fires",
            "lost_tokens",
            "peak_tokens",
            "off_reason",
        ],
    );
    // A sixteenth of 40,000.
    assert_eq!(aider["threshold_tokens"], 2_500);
    let fires = aider["fires"].as_array().unwrap();
    assert!(!fires.is_empty());
    let mut lost = 0;
    for fire in fires {
        fields(fire, &["entry_id", "line", "summarized", "kept"]);
        let size = |key: &str| fire[key].as_u64().unwrap();
        assert_eq!(
            size("lost_tokens"),
            size("tokens_before") - size("tokens_after")
        );
        lost += size("lost_tokens");
    }
    assert_eq!(aider["lost_tokens"], lost);
    assert_eq!(answer["policies"][1]["threshold_tokens"], 36_000);
    assert_eq!(answer["policies"][1]["fires"], json!([]));
    assert_eq!(answer["actual"][0]["entry_id"], json!(compaction));
    program.fails(
        &["policy", &path, "--policy", "nobody"],
        &["nobody", "palimpsest policy --list"],
    );
}

#[test]
fn plan_partitions_the_context() {
    let program = Program::new();
    let (path, compaction) = sample(&program);
    let at = program.json(&["tree", &path]);
    let nodes = at["nodes"].as_array().unwrap();
    let parent = nodes
        .iter()
        .find(|node| node["id"] == json!(compaction))
        .unwrap();
    let parent = parent["parent_id"].as_str().unwrap();
    let plan = program.json(&[
        "plan",
        &path,
        "--at",
        parent,
        "--set",
        "keep_recent_tokens=800",
    ]);
    fields(
        &plan,
        &[
            "kind",
            "strategy",
            "params",
            "tokens_before",
            "first_kept_id",
            "turn_start_id",
            "is_split_turn",
            "summarize_ids",
            "turn_prefix_ids",
            "kept_ids",
            "previous_summary",
            "files",
            "calls",
            "estimated_tokens_after",
        ],
    );
    assert_eq!(plan["kind"], "compaction");
    assert_eq!(plan["params"]["keep_recent_tokens"], 800);
    let call = &plan["calls"][0];
    fields(
        call,
        &[
            "purpose",
            "system",
            "prompt",
            "conversation",
            "max_output_tokens",
            "input_tokens",
        ],
    );
    let conversation = call["conversation"].as_str().unwrap();
    assert!(conversation.contains("[User]: Rename `parse_amount`"));
    assert!(call["prompt"].as_str().unwrap().contains(conversation));
    assert!(
        plan["files"]["read"]
            .as_array()
            .unwrap()
            .contains(&json!("src/part0.rs"))
    );
    let nothing = program.json(&["plan", &path, "--at", &compaction]);
    assert_eq!(nothing["kind"], "nothing");
    assert!(nothing["reason"].as_str().unwrap().len() > 10);
    let redo = program.json(&[
        "plan",
        &path,
        "--at",
        &compaction,
        "--redo",
        "--set",
        "keep_recent_tokens=800",
    ]);
    assert_eq!(
        redo["kind"], "compaction",
        "doing it again plans at the state before"
    );
    let set = ["--redo", "--set", "keep_recent_tokens=800"];
    let newest = program.json(&[&["plan", path.as_str()], &set[..]].concat());
    assert_eq!(
        (&newest["kind"], &newest["at"]),
        (&redo["kind"], &redo["at"]),
        "without an entry the newest compaction is meant"
    );
}

#[test]
fn plan_takes_instructions_and_refuses_unknown_settings() {
    let program = Program::new();
    let (path, _) = sample(&program);
    let keep = "keep_recent_tokens=300";
    let plan = |extra: &[&str]| {
        program.json(&[&["plan", &path, "--set", keep], extra].concat())["calls"][0]["prompt"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let plain = plan(&[]);
    let focused = plan(&["--instructions", "Name every port."]);
    assert!(
        focused.ends_with("Name every port."),
        "instructions come last"
    );
    assert!(
        focused.starts_with(plain.trim_end()),
        "and leave the prompt as it is"
    );
    let replaced = plan(&["--instructions", "Only ports.", "--replace-prompt"]);
    assert!(replaced.contains("Only ports.") && !replaced.contains("## Next Steps"));
    program.fails(&["plan", &path, "--set", "keep_recent=1"], &["keep_recent"]);
    program.fails(
        &["plan", &path, "--strategy", "guess"],
        &["guess", "palimpsest strategies"],
    );
}

#[test]
fn lists_of_the_program_itself() {
    let program = Program::new();
    let strategies = program.json(&["strategies"]);
    let pi = strategies
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["name"] == "pi")
        .unwrap();
    let keep = pi["params"]
        .as_array()
        .unwrap()
        .iter()
        .find(|param| param["name"] == "keep_recent_tokens")
        .unwrap();
    assert_eq!(
        (&keep["default"], &keep["unit"]),
        (&json!(20_000), &json!("tokens"))
    );
    assert!(program.json(&["models"]).as_array().unwrap().len() > 10);
    let samples = program.json(&["--samples", "sessions"]);
    assert!(samples.as_array().unwrap().len() >= 4, "{samples}");
}

#[cfg(unix)]
#[test]
fn an_external_program_gets_the_plan_as_plan_prints_it() {
    let program = Program::new();
    let (path, compaction) = sample(&program);
    let folder = program.home.path();
    let script = folder.join("own.sh");
    let got = folder.join("got.json");
    let text = format!(
        "cat > '{}'; echo '{{\"summary\": \"All renamed.\"}}'",
        got.display()
    );
    std::fs::write(&script, text).unwrap();
    let command = format!("command={}", json!(["/bin/sh", script]));
    let asked = [
        "--at",
        &compaction,
        "--redo",
        "--strategy",
        "external",
        "--set",
        "keep_recent_tokens=800",
        "--set",
        &command,
    ];
    let plan = program.json(&[&["plan", &path], &asked[..]].concat());
    let run = program.json(&[&["compact", &path], &asked[..]].concat());
    assert!(run["summary"].as_str().unwrap().starts_with("All renamed."));
    let got: Value = serde_json::from_slice(&std::fs::read(got).unwrap()).unwrap();
    for (name, value) in got.as_object().unwrap() {
        match value.as_array().filter(|_| name == "calls") {
            None => assert_eq!(value, &plan[name], "{name}"),
            Some(calls) => {
                for (name, value) in calls[0].as_object().unwrap() {
                    assert_eq!(value, &plan["calls"][0][name], "{name}");
                }
            }
        }
    }
}

#[test]
fn a_run_leads_to_its_session_without_an_index() {
    let program = Program::new();
    let (path, _) = sample(&program);
    let run = program.json(&["compact", &path, "--set", "keep_recent_tokens=100"]);
    let listed = program.json(&["runs"]);
    let id = listed[0]["session"].as_str().unwrap();
    let run_id = run["run_id"].as_str().unwrap();
    let ledger = program.json(&["ledger", id, "--run", run_id]);
    assert_eq!(ledger["totals"], run["ledger"]);
    program.fails(
        &["ledger", "nobody", "--run", run_id],
        &["no session 'nobody'"],
    );
}

#[test]
fn runs_of_a_session_are_listed_when_its_file_is_gone() {
    let program = Program::new();
    let (path, _) = sample(&program);
    let own = program.home.path().join("own.jsonl");
    std::fs::copy(&path, &own).unwrap();
    let own = own.to_str().unwrap();
    program.json(&["compact", own, "--set", "keep_recent_tokens=100"]);
    program.json(&["compact", &path, "--set", "keep_recent_tokens=100"]);
    let before = program.json(&["runs", own]);
    std::fs::remove_file(own).unwrap();
    assert_eq!(program.json(&["runs", own]), before);
    assert_eq!(before.as_array().unwrap().len(), 1);
    program.fails(&["runs", "nowhere.jsonl"], &["nowhere.jsonl"]);
}

#[test]
fn a_strategy_that_needs_a_model_is_listed_as_such_and_refused_offline() {
    let program = Program::new();
    let (path, _) = sample(&program);
    let reflect = "memory-stream-reflect";
    let rows = program.json(&["strategies"]);
    let needs = |name: &str| {
        let mut rows = rows.as_array().unwrap().iter();
        rows.find(|row| row["name"] == name).unwrap()["needs"].clone()
    };
    assert_eq!(needs(reflect), "model_only");
    assert_eq!(needs("pi"), "model");
    assert_eq!(needs("truncate"), "nothing");
    assert_eq!(needs("external"), "program");
    let set = ["--strategy", reflect, "--set", "budget_tokens=1"];
    for command in ["plan", "compact"] {
        // A low threshold: the model is asked for reflections in so small a session, too.
        let low = ["--set", "reflect_threshold=1"];
        let args = [&[command, path.as_str()][..], &set, &low].concat();
        program.fails(&args, &[reflect, "needs a model", "provider"]);
    }
    let switched = [
        &["plan", path.as_str()][..],
        &set,
        &["--set", "summarize.kind=digest"],
    ];
    assert_eq!(program.json(&switched.concat())["kind"], "compaction");
}
