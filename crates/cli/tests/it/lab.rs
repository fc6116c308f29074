//! Experiments: killed twice, resumed, replayed; thresholds as the exit code.

use crate::program::{Program, ran, shown};
use palimpsest_testkit::llm_server::{LlmServer, summary_of};
use palimpsest_testkit::session::{PiSession, Reply};
use serde_json::Value;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const CUTS: usize = 20;
const CELLS: usize = CUTS * 3 * 2;

/// Sessions of different content, one cut each.
fn sessions(program: &Program) -> Vec<String> {
    let folder = program.home.path().join("cuts");
    std::fs::create_dir_all(&folder).unwrap();
    (0..CUTS)
        .map(|number| {
            let mut session = PiSession::new();
            for turn in 0..8 {
                session.user(&format!(
                    "Please look at src/s{number}/part{turn}.rs. Never touch port {}.",
                    8000 + number * 10 + turn
                ));
                session.assistant(Reply::new().text(&"I looked and fixed it. ".repeat(30)));
            }
            let path = program.home.add_pi_session(&session).unwrap();
            let own = folder.join(format!("{number}.jsonl"));
            std::fs::rename(path, &own).unwrap();
            shown(&own)
        })
        .collect()
}

fn experiment(sessions: &[String], url: &str, at_least: f64) -> String {
    let cuts: Vec<String> = sessions
        .iter()
        .map(|path| format!("{{ session = \"{path}\", entry = \"leaf\" }}"))
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
    let sessions = sessions(&program);
    let file = program.file(
        "lab.toml",
        experiment(&sessions, &server.url(), 0.0).as_bytes(),
    );
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
    let strict = experiment(&sessions, &server.url(), 1.1);
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
