//! Disks that are full, folders that cannot be written to, databases that are damaged.

#![cfg(unix)]

use crate::program::{Program, Ran, ran, shown};
use crate::providers::long_session;
use palimpsest_testkit::llm_server::{LlmServer, TextReply};
use palimpsest_testkit::session::{CompactionSpec, PiSession, Reply};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

/// Runs the program with files that cannot grow beyond so many kilobytes, as on a full disk.
fn without_space(program: &Program, kilobytes: u32, args: &[&str]) -> Ran {
    let own = program.command();
    let mut command = Command::new("bash");
    command
        .env_clear()
        .envs(
            own.get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        )
        // The signal would end the program before the system call fails.
        .args(["-c", "trap '' XFSZ; ulimit -f $0; exec \"$@\""])
        .arg(kilobytes.to_string())
        .arg(own.get_program())
        .args(own.get_args())
        .args(args);
    ran(command.output().unwrap())
}

/// Runs the program with its data folder read-only; `None` where this machine cannot.
fn read_only(program: &Program, args: &[&str]) -> Option<Ran> {
    let own = program.command();
    let folder = program.data_dir();
    let mode = |mode| std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(mode));
    mode(0o500).unwrap();
    let is_held = std::fs::write(folder.join("probe"), "").is_err();
    let mut command = if is_held {
        Command::new("env")
    } else {
        // The administrator may write everywhere but to a read-only file system.
        std::fs::remove_file(folder.join("probe")).unwrap();
        let mut command = Command::new("unshare");
        let script = "mount --bind \"$0\" \"$0\" && mount -o remount,ro,bind \"$0\" && exec \"$@\"";
        command.args(["-m", "sh", "-c", script]).arg(&folder);
        command
    };
    let output = command
        .env_clear()
        .envs(
            own.get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        )
        .arg(own.get_program())
        .args(own.get_args())
        .args(args)
        .output();
    mode(0o700).unwrap();
    let ran = ran(output.ok()?);
    let is_possible = !ran.stderr.contains("unshare:") && !ran.stderr.contains("mount:");
    if !is_possible {
        println!(
            "skipped: no folder can be made read-only here: {}",
            ran.stderr
        );
    }
    is_possible.then_some(ran)
}

fn session_with_needle(program: &Program) {
    let mut session = PiSession::new();
    session.user("the needle in the haystack");
    session.assistant(Reply::new().text("found"));
    program.home.add_pi_session(&session).unwrap();
    assert_eq!(program.run(&["index"]).code, 0);
}

#[test]
fn a_reply_that_cannot_be_kept_is_printed() {
    let program = Program::new();
    let server = LlmServer::start().unwrap();
    let (session, url) = (long_session(&program), server.url());
    program.json(&["runs"]);
    let args = [
        "compact",
        &session,
        "--set",
        "keep_recent_tokens=500",
        "--provider",
        "openai",
        "--model",
        "any",
        "--base-url",
        &url,
    ];
    server.push(TextReply::new(&["The paid ", "summary."]));
    let ran = without_space(&program, 40, &args);
    assert!(ran.stdout.contains("The paid summary."), "{}", ran.stdout);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("cannot be kept"), "{}", ran.stderr);
    server.push(TextReply::new(&["The paid summary."]));
    let ran = without_space(&program, 40, &[&args[..], &["--json"]].concat());
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
    let summary = answer["summary"].as_str().unwrap();
    assert!(summary.starts_with("The paid summary."), "{summary}");
    assert_eq!(answer["row"]["unkept"]["code"], "io", "{}", answer["row"]);
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains("only in this output"), "{message}");
    let notices = answer["notices"].to_string();
    assert!(notices.contains("cannot be kept"), "{notices}");
    // The program ends with the command, and the run with it.
    assert!(!notices.contains("stays in memory"), "{notices}");
    // The database is whole, and the next run is kept.
    assert_eq!(program.json(&["runs"]), Value::Array(Vec::new()));
    server.push(TextReply::new(&["The paid summary."]));
    assert_eq!(program.run(&args).code, 0);
    assert_eq!(program.json(&["runs"]).as_array().unwrap().len(), 1);
}

#[test]
fn a_read_only_data_folder_is_searched() {
    let program = Program::new();
    session_with_needle(&program);
    let session = long_session(&program);
    program.json(&["runs"]);
    let Some(found) = read_only(&program, &["search", "needle"]) else {
        return;
    };
    assert_eq!(found.code, 0, "{}", found.stderr);
    assert!(found.stdout.contains("haystack"), "{}", found.stdout);
    assert!(found.stderr.contains("is read-only"), "{}", found.stderr);
    let listed = read_only(&program, &["sessions"]).unwrap();
    assert!(listed.stdout.contains("1 session"), "{}", listed.stdout);
    let indexed = read_only(&program, &["index"]).unwrap();
    assert_eq!(indexed.code, 1, "{}", indexed.stdout);
    assert!(indexed.stderr.contains("read-only"), "{}", indexed.stderr);
    let set = ["compact", &session, "--set", "keep_recent_tokens=500"];
    let run = read_only(&program, &set).unwrap();
    assert_eq!(run.code, 1, "{}", run.stdout);
    assert!(run.stderr.contains("read-only"), "{}", run.stderr);
    assert!(run.stdout.contains("##"), "no summary: {}", run.stdout);
    // A session that was never read for flags may have them.
    let mut compacted = PiSession::new();
    compacted.user("Begin.");
    compacted.assistant(Reply::new().text("Begun."));
    compacted.compact(CompactionSpec::new("Begun.").keep_nothing());
    program.home.add_pi_session(&compacted).unwrap();
    assert_eq!(program.run(&["index"]).code, 0);
    let flagged = read_only(&program, &["sessions", "flag:any"]).unwrap();
    assert_eq!(flagged.code, 1, "{}", flagged.stdout);
    assert!(
        flagged.stderr.contains("are not in the index yet"),
        "{}",
        flagged.stderr
    );
    program.json(&["sessions", "flag:any"]);
    let flagged = read_only(&program, &["sessions", "flag:any"]).unwrap();
    assert_eq!(flagged.code, 0, "{}", flagged.stderr);
}

#[test]
fn damage_is_said_on_every_channel_and_a_damaged_user_database_is_copied_aside() {
    let program = Program::new();
    session_with_needle(&program);
    let data = program.data_dir();
    let garbage = b"garbage where a database should be".repeat(200);
    std::fs::write(data.join("index.db"), &garbage).unwrap();
    let found = program.run(&["--json", "search", "needle"]);
    let answer: Value = serde_json::from_str(&found.stdout).unwrap();
    assert_eq!(answer["hits"].as_array().unwrap().len(), 1, "{answer}");
    assert!(
        answer["notices"].to_string().contains("was damaged"),
        "{answer}"
    );
    assert!(found.stderr.contains("was damaged"), "{}", found.stderr);
    std::fs::write(data.join("user.db"), &garbage).unwrap();
    let found = program.run(&["search", "needle"]);
    assert!(found.stdout.contains("haystack"), "{}", found.stdout);
    program.fails(
        &["runs"],
        &["damaged", "a copy is in", &shown(&data.join("user.db"))],
    );
    assert_eq!(std::fs::read(data.join("user.db")).unwrap(), garbage);
    let files = std::fs::read_dir(&data).unwrap().flatten();
    let names = files.map(|file| file.file_name().to_string_lossy().into_owned());
    let copies: Vec<String> = names
        .filter(|name| name.starts_with("user.db.damaged-"))
        .collect();
    assert_eq!(copies.len(), 1, "{copies:?}");
}

#[test]
fn a_command_that_names_a_session_fills_an_index_that_was_damaged() {
    let program = Program::new();
    // A folder that only the command line named is in no default place.
    let folder = tempfile::tempdir().unwrap();
    let mut session = PiSession::new();
    session.user("the needle in the haystack");
    std::fs::write(folder.path().join("a.jsonl"), session.to_jsonl()).unwrap();
    let named = shown(folder.path());
    assert_eq!(program.run(&["index", &named]).code, 0);
    let listed: Value = serde_json::from_str(&program.run(&["--json", "sessions"]).stdout).unwrap();
    let id = listed[0]["id"].as_str().unwrap();
    let garbage = b"garbage where a database should be".repeat(200);
    for command in ["context", "star", "runs"] {
        std::fs::write(program.data_dir().join("index.db"), &garbage).unwrap();
        let args = if command == "runs" {
            vec![command]
        } else {
            vec![command, id]
        };
        let ran = program.run(&args);
        assert_eq!(ran.code, 0, "{command}: {}", ran.stderr);
        let listed = program.run(&["sessions"]).stdout;
        assert!(listed.contains("needle"), "after {command}: {listed}");
    }
}

#[test]
fn an_index_that_was_made_again_and_not_filled_is_filled_by_the_next_program() {
    let program = Program::new();
    let folder = tempfile::tempdir().unwrap();
    let mut session = PiSession::new();
    session.user("the needle in the haystack");
    let (file, away) = (folder.path().join("a.jsonl"), folder.path().join("a.txt"));
    std::fs::write(&file, session.to_jsonl()).unwrap();
    let named = shown(folder.path());
    assert_eq!(program.run(&["index", &named]).code, 0);
    // As a program leaves it that was killed before it had read the folder again.
    std::fs::rename(&file, &away).unwrap();
    assert_eq!(program.run(&["index", &named]).code, 0);
    std::fs::rename(&away, &file).unwrap();
    assert!(!program.run(&["sessions"]).stdout.contains("needle"));
    let note = program.data_dir().join("index.db.unfilled");
    std::fs::write(&note, "").unwrap();
    assert!(program.run(&["sessions"]).stdout.contains("needle"));
    assert!(!note.exists());
}

#[test]
fn a_query_that_is_too_long_is_refused_with_its_limit() {
    let program = Program::new();
    session_with_needle(&program);
    let long = "needle ".repeat(20_000);
    for command in ["search", "sessions"] {
        program.fails(
            &[command, &long[..120_000]],
            &["120000 bytes", "at most 4096", "fewer words"],
        );
    }
}
