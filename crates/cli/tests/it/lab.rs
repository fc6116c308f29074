//! Experiments: killed twice, resumed, replayed; thresholds as the exit code.

use crate::contract::sample;
use crate::program::{Program, ran, shown};
use crate::scripted;
use palimpsest_testkit::beside::sample_files;
use palimpsest_testkit::llm_server::{LlmServer, summary_of};
use palimpsest_testkit::session::{PiSession, Reply};
use serde_json::Value;
use std::collections::BTreeSet;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const CUTS: usize = 20;
const CELLS: usize = CUTS * 3 * 2;
/// Cuts of real sessions among them, where there are any.
const REAL: [(&str, usize); 2] = [("claude-code/real", 6), ("pi/real", 2)];
/// Cuts of scripted sessions of Codex and of OpenCode each.
const SCRIPTED: usize = 5;

/// A place where a context is cut.
struct Cut {
    session: String,
    entry: String,
}

/// Cuts of four agents: compactions of real sessions, and ends of scripted ones. Without real
/// sessions, which is said, there are more of pi.
fn cuts(program: &Program) -> Vec<Cut> {
    let mut cuts: Vec<Cut> = REAL
        .iter()
        .flat_map(|(folder, most)| real(program, folder, *most))
        .collect();
    let end = |session: String| Cut {
        session,
        entry: "leaf".to_owned(),
    };
    let file = |name: String, text: String| {
        let path = program.home.add_file(&name, text.as_bytes()).unwrap();
        end(shown(&path))
    };
    for number in 0..SCRIPTED {
        let codex = format!("rollout-2026-03-01T10-00-0{number}-0.jsonl");
        cuts.push(file(codex, scripted::codex(number)));
        cuts.push(file(
            format!("{number}.export.json"),
            scripted::opencode(number),
        ));
    }
    let missing = CUTS - cuts.len();
    cuts.extend(sessions(program, missing).into_iter().map(end));
    cuts
}

/// The first compactions of the real sessions in a folder, those of small files first.
fn real(program: &Program, folder: &str, most: usize) -> Vec<Cut> {
    let mut files = sample_files(folder);
    files.retain(|path| path.extension().is_some_and(|end| end == "jsonl"));
    files.sort_by_key(|path| std::fs::metadata(path).map_or(0, |own| own.len()));
    let mut cuts = Vec::new();
    for path in files {
        let session = shown(&path);
        let tree = program.json(&["tree", &session]);
        let nodes = tree["nodes"].as_array().unwrap().iter();
        let compactions = nodes.filter(|node| node["kind"] == "compaction");
        cuts.extend(compactions.map(|node| Cut {
            session: session.clone(),
            entry: node["id"].as_str().unwrap().to_owned(),
        }));
        if cuts.len() >= most {
            break;
        }
    }
    cuts.truncate(most);
    cuts
}

/// Sessions of pi of different content.
fn sessions(program: &Program, count: usize) -> Vec<String> {
    let folder = program.home.path().join("cuts");
    std::fs::create_dir_all(&folder).unwrap();
    (0..count)
        .map(|number| {
            let mut session = PiSession::new();
            for turn in 0..scripted::TURNS {
                session.user(&scripted::asked(number, turn));
                session.assistant(Reply::new().text(&scripted::answered()));
            }
            let path = program.home.add_pi_session(&session).unwrap();
            let own = folder.join(format!("{number}.jsonl"));
            std::fs::rename(path, &own).unwrap();
            shown(&own)
        })
        .collect()
}

fn experiment(cuts: &[Cut], url: &str, at_least: f64) -> String {
    let cuts: Vec<String> = cuts
        .iter()
        .map(|cut| {
            format!(
                "{{ session = \"{}\", entry = \"{}\" }}",
                cut.session, cut.entry
            )
        })
        .collect();
    let row = |name: &str, keep: u64, more: &str| {
        format!(
            "[[rows]]\nname = \"{name}\"\nstrategy = \"pi\"\nprovider = \"openai\"\n\
             model = \"scripted\"\nbase_url = \"{url}\"\n\
             set = {{ keep_recent_tokens = {keep} }}\n{more}\n"
        )
    };
    format!(
        "name = \"killed\"\nrepeats = 2\n[cuts]\nlist = [{}]\n{}{}{}[[thresholds]]\n\
         row = \"base\"\nmetric = \"retention.path\"\nat_least = {at_least}\n",
        cuts.join(", "),
        row("base", 300, ""),
        row("longer tail", 700, ""),
        row("asked", 300, "instructions = \"Name every file.\""),
    )
}

#[test]
fn an_experiment_killed_twice_pays_for_no_reply_again() {
    let program = Program::new();
    let server = LlmServer::start().unwrap();
    let count = AtomicU64::new(0);
    server.answer_with(move |request| {
        std::thread::sleep(Duration::from_millis(25));
        let number = count.fetch_add(1, Ordering::SeqCst);
        format!("{}\n- Reply {number}.", summary_of(request))
    });
    let cuts = cuts(&program);
    let file = program.file("lab.toml", experiment(&cuts, &server.url(), 0.0).as_bytes());
    let priced = program.json(&["lab", "run", &file, "--dry-run"]);
    assert_eq!(priced["cells"], CELLS);
    // Some cuts split a turn, which takes two calls.
    let calls = priced["calls"].as_u64().unwrap() as usize;
    assert!(calls >= CELLS, "{priced}");
    assert!(server.requests().is_empty(), "a price sends nothing");
    for stop_at in [30, 75] {
        let mut child = program
            .command()
            .args(["lab", "run", &file, "--json"])
            .env("OPENAI_API_KEY", "key")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while server.requests().len() < stop_at {
            assert_eq!(child.try_wait().unwrap(), None, "it ended by itself");
            std::thread::sleep(Duration::from_millis(5));
        }
        // No chance to tidy up.
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let run = |file: &str| {
        let mut command = program.command();
        command.args(["lab", "run", file, "--json"]);
        ran(command.env("OPENAI_API_KEY", "key").output().unwrap())
    };
    let done = run(&file);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let lab: Value = serde_json::from_str(&done.stdout).unwrap();
    let number = |name: &str| lab[name].as_u64().unwrap() as usize;
    assert_eq!(lab["complete"], true);
    assert_eq!(lab["cells"].as_array().unwrap().len(), CELLS);
    let agents: BTreeSet<&str> = lab["cuts"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|cut| cut["agent"].as_str())
        .collect();
    let has_real = cuts.iter().any(|cut| cut.entry != "leaf");
    assert_eq!(agents.len(), if has_real { 4 } else { 3 }, "{agents:?}");
    assert_eq!(
        lab["rows"].as_array().unwrap().len(),
        if has_real { 4 } else { 3 },
        "sessions with summaries of their own are a row"
    );
    let waits = lab["cells"].as_array().unwrap().iter();
    let failed: Vec<&Value> = waits.filter(|cell| cell["state"] != "done").collect();
    assert!(failed.is_empty(), "{failed:?}");
    let (sent, lost) = (number("sent"), number("lost"));
    assert_eq!(
        sent,
        calls + lost,
        "a lost reply is requested once more, no other"
    );
    assert!((1..=8).contains(&lost), "four at a time, twice: {lost}");
    // A request that was noted and cut off before it left is lost as well.
    let seen = server.requests().len();
    assert!(seen <= sent && seen + lost >= calls, "{seen} of {sent}");
    let found = &lab["differences"];
    let intervals = found.as_array().unwrap().iter();
    assert!(
        intervals.filter(|own| own["low"].is_number()).count() > 4,
        "{found}"
    );
    let replayed = program.json(&["lab", "replay", "killed"]);
    assert_eq!(
        (&replayed["runs"], &replayed["same"]),
        (&CELLS.into(), &CELLS.into())
    );
    // Another threshold is the same experiment, so nothing is sent.
    let strict = experiment(&cuts, &server.url(), 1.1);
    let missed = run(&program.file("strict.toml", strict.as_bytes()));
    assert_eq!(missed.code, 1, "{}", missed.stderr);
    assert!(missed.stderr.contains("threshold"), "{}", missed.stderr);
    let strict: Value = serde_json::from_str(&missed.stdout).unwrap();
    assert_eq!(strict["met"], false);
    assert_eq!(strict["rows"], lab["rows"], "the same figures");
    assert_eq!(server.requests().len(), seen);
}

#[test]
fn intervals_are_as_often_right_as_they_say() {
    let found = Program::new().json(&["lab", "calibrate", "--seed", "15"]);
    assert_eq!(found["right"], true, "{found}");
}

#[test]
fn a_set_of_cuts_is_saved_shown_and_named_when_it_is_not_there() {
    let program = Program::new();
    let (path, compaction) = sample(&program);
    assert_eq!(program.run(&["index", &path]).code, 0);
    let saved = program.json(&["lab", "cuts", "mine", "--query", "has:compaction"]);
    assert_eq!(saved["cuts"][0]["entry"], compaction.as_str());
    let shown = program.json(&["lab", "cuts", "mine"]);
    assert_eq!(shown, serde_json::json!([saved]));
    let missing = program.run(&["lab", "cuts", "yours"]);
    assert_ne!(missing.code, 0);
    assert!(missing.stderr.contains("'yours'"), "{}", missing.stderr);
}
