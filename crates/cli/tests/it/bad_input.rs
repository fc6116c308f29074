//! What bad input gets: a message that names the thing and the next step, code 1, nothing lost.

use crate::program::{Program, ran, shown};
use palimpsest_testkit::cases::each;
use palimpsest_testkit::hash::Untouched;
use palimpsest_testkit::session::{CompactionSpec, PiSession, Reply};
use std::io::Write as _;
use std::path::Path;

/// Commands that take a session and need no index.
const COMMANDS: [&str; 5] = ["tree", "context", "plan", "compact", "ledger"];

#[test]
fn a_missing_file_is_named() {
    let program = Program::new();
    let path = shown(&program.home.path().join("nowhere/session.jsonl"));
    each(COMMANDS, |&command| {
        program.fails(&[command, &path], &[&path, "Check the path"]);
    });
}

#[test]
fn an_unknown_id_says_what_to_give() {
    let program = Program::new();
    program.fails(&["tree", "abcdef"], &["abcdef", "palimpsest sessions"]);
}

#[test]
fn an_empty_file_is_named() {
    let program = Program::new();
    let path = program.file("empty.jsonl", b"");
    each(COMMANDS, |&command| {
        program.fails(&[command, &path], &["empty", &path, "Wait a while"]);
    });
}

#[test]
fn a_folder_is_no_session() {
    let program = Program::new();
    let path = shown(program.home.path());
    program.fails(&["tree", &path], &[&path, "folder", "palimpsest index"]);
}

#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_refused_without_being_opened() {
    let program = Program::new();
    let pipe = shown(&program.home.path().join("pipe.jsonl"));
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    for path in [pipe.as_str(), "/dev/zero"] {
        each(COMMANDS, |&command| {
            program.fails(&[command, path], &[path, "a pipe, a device or a socket"]);
        });
    }
}

#[test]
fn other_files_are_no_sessions() {
    let program = Program::new();
    for (name, bytes) in [
        ("notes.jsonl", b"# Notes\nnot a session\n".as_slice()),
        ("other.jsonl", b"{\"some\":\"json\"}\n{\"more\":1}\n"),
        ("binary.jsonl", &[0xff, 0xfe, 0x00, 0x80, 0x81, b'\n']),
    ] {
        let path = program.file(name, bytes);
        program.fails(
            &["tree", &path],
            &[&path, "not a session", "path of a session file"],
        );
    }
}

#[test]
fn an_unknown_entry_says_what_to_give() {
    let program = Program::new();
    let mut session = PiSession::new();
    session.user("Hello");
    let path = shown(&program.home.add_pi_session(&session).unwrap());
    program.fails(
        &["context", &path, "--at", "zzzz"],
        &["zzzz", "`leaf`", &path],
    );
    program.fails(&["context", &path, "--at", "line:99"], &["line:99", &path]);
}

#[test]
fn invalid_utf8_is_a_warning() {
    let program = Program::new();
    let mut session = PiSession::new();
    session.user("before");
    let mut bytes = session.to_jsonl().into_bytes();
    let at = bytes
        .windows(6)
        .position(|window| window == b"before")
        .unwrap();
    bytes[at] = 0xff;
    let path = program.file("broken.jsonl", &bytes);
    let tree = program.json(&["tree", &path]);
    assert_eq!(
        tree["nodes"].as_array().unwrap().len(),
        1,
        "the entry must stay: {tree}"
    );
    assert_eq!(
        tree["warnings"][0]["line"], 1,
        "and the line be reported: {tree}"
    );
}

#[test]
fn an_entry_that_is_its_own_ancestor_is_a_root() {
    let program = Program::new();
    let lines = [
        r#"{"type":"session","version":3,"id":"s","timestamp":"2026-10-01T00:00:00.000Z","cwd":"/x"}"#,
        r#"{"type":"message","id":"a","parentId":"c","timestamp":"2026-10-01T00:00:01.000Z","message":{"role":"user","content":"one"}}"#,
        r#"{"type":"message","id":"b","parentId":"a","timestamp":"2026-10-01T00:00:02.000Z","message":{"role":"user","content":"two"}}"#,
        r#"{"type":"message","id":"c","parentId":"b","timestamp":"2026-10-01T00:00:03.000Z","message":{"role":"user","content":"three"}}"#,
        r#"{"type":"message","id":"d","parentId":"d","timestamp":"2026-10-01T00:00:04.000Z","message":{"role":"user","content":"four"}}"#,
    ];
    let path = program.file("cycle.jsonl", (lines.join("\n") + "\n").as_bytes());
    let tree = program.json(&["tree", &path]);
    let parent = |id: &str| {
        let nodes = tree["nodes"].as_array().unwrap();
        nodes.iter().find(|node| node["id"] == id).unwrap()["parent_id"].clone()
    };
    assert!(parent("a").is_null(), "the cycle is cut at its first entry");
    assert_eq!(parent("c"), "b");
    assert!(parent("d").is_null());
    assert!(
        !tree["warnings"].as_array().unwrap().is_empty(),
        "and reported: {tree}"
    );
    program.json(&["context", &path, "--at", "c"]);
}

#[test]
fn branches_of_any_depth_are_printed() {
    let program = Program::new();
    let mut text = r#"{"type":"session","version":3,"id":"s","timestamp":"2026-10-01T00:00:00.000Z","cwd":"/x"}"#
        .to_owned();
    let mut entry = |id: &str, parent: Option<&str>| {
        let parent = parent.map_or("null".to_owned(), |parent| format!("\"{parent}\""));
        text += &format!(
            "\n{{\"type\":\"message\",\"id\":\"{id}\",\"parentId\":{parent},\"message\":{{\"role\":\"user\",\"content\":\"x\"}}}}"
        );
    };
    // Two columns for each: more than a formatter can indent.
    const LEVELS: usize = 33_000;
    for level in 0..LEVELS {
        let parent = level.checked_sub(1).map(|above| format!("m{above}"));
        entry(&format!("m{level}"), parent.as_deref());
        entry(&format!("s{level}"), parent.as_deref());
    }
    let path = program.file("deep.jsonl", text.as_bytes());
    let ran = program.run(&["tree", &path]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let deepest = format!("m{} ", LEVELS - 1);
    let last = ran.stdout.lines().find(|line| line.contains(&deepest));
    let indent = last.map(|line| line.len() - line.trim_start().len());
    assert_eq!(indent, Some(120));
}

#[test]
fn a_line_still_being_written_is_a_warning() {
    let program = Program::new();
    let mut session = PiSession::new();
    session.user("whole");
    let text = session.to_jsonl();
    let path = program.file(
        "partial.jsonl",
        format!("{text}{{\"type\":\"mess").as_bytes(),
    );
    let tree = program.json(&["tree", &path]);
    assert_eq!(tree["nodes"].as_array().unwrap().len(), 1);
    assert_eq!(tree["warnings"].as_array().unwrap().len(), 1, "{tree}");
}

/// 300 MB with one line of 50 MB; written once, read as a stream.
#[test]
fn a_300_mb_file_with_a_50_mb_line_opens() {
    let program = Program::new();
    let path = program.home.path().join("large.jsonl");
    let mut out = std::io::BufWriter::new(std::fs::File::create(&path).unwrap());
    let stamp = "2026-10-01T00:00:00.000Z";
    writeln!(
        out,
        r#"{{"type":"session","version":3,"id":"big","timestamp":"{stamp}","cwd":"/x"}}"#
    )
    .unwrap();
    let mut parent = "null".to_owned();
    let mut message = |text: &str, number: usize| {
        writeln!(
            out,
            r#"{{"type":"message","id":"{number:08x}","parentId":{parent},"timestamp":"{stamp}","message":{{"role":"user","content":"{text}"}}}}"#
        )
        .unwrap();
        parent = format!("\"{number:08x}\"");
    };
    let line = "the quick brown fox ".repeat(500);
    for number in 0..25_000 {
        message(&line, number);
    }
    message(&"x".repeat(50_000_000), 25_000);
    drop(out);
    let path = shown(&path);
    let tree = program.json(&["tree", &path]);
    assert_eq!(tree["nodes"].as_array().unwrap().len(), 25_001);
    assert_eq!(tree["nodes"][25_000]["tokens"], 12_500_000);
    let report = program.json(&["index", &path]);
    assert_eq!(report["entries"], 25_001);
    assert!(report["failed"].as_array().unwrap().is_empty(), "{report}");
}

#[test]
fn sources_are_never_touched() {
    let program = Program::new();
    let mut session = PiSession::new();
    for turn in 0..30 {
        session.user(&format!(
            "Please do step {turn} of the plan, in src/step_{turn}.rs."
        ));
        session.assistant(Reply::new().text(&"Working on it. ".repeat(200)));
    }
    // A version 1 file and one without its last line end are what pi itself would rewrite.
    program.home.add_pi_session(&session).unwrap();
    let old = shown(&program.home.add_pi_session(&PiSession::version(1)).unwrap());
    let cut = program.file("cut.jsonl", session.to_jsonl().trim_end().as_bytes());
    let sources = Untouched::record(program.home.pi_sessions());
    let before = std::fs::read(&cut).unwrap();
    program.json(&["index"]);
    program.run(&["tree", &old]);
    each(COMMANDS, |&command| {
        program.run(&[command, &cut, "--json"]);
    });
    program.json(&["compact", &cut, "--set", "keep_recent_tokens=1000"]);
    sources.assert_unchanged();
    assert_eq!(
        std::fs::read(&cut).unwrap(),
        before,
        "the file was written to"
    );
}

#[test]
fn a_corrupt_index_is_made_again_and_said_so() {
    let program = Program::new();
    let mut session = PiSession::new();
    session.user("findable words");
    program.home.add_pi_session(&session).unwrap();
    program.json(&["index"]);
    for name in ["index.db", "index.db-wal", "index.db-shm"] {
        let path = program.data_dir().join(name);
        if path.exists() {
            std::fs::write(path, b"this is no database, it only has the length of one").unwrap();
        }
    }
    let ran = program.run(&["index", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(program.json(&["sessions"]).as_array().unwrap().len(), 1);
}

#[test]
fn a_corrupt_user_database_is_left_alone() {
    let program = Program::new();
    std::fs::create_dir_all(program.data_dir()).unwrap();
    let path = program.data_dir().join("user.db");
    let damage = b"SQLite format 3\0 but nothing of the kind follows".repeat(40);
    std::fs::write(&path, &damage).unwrap();
    program.fails(&["runs"], &["user.db", "left as it is"]);
    assert_eq!(
        std::fs::read(&path).unwrap(),
        damage,
        "the only copy was changed"
    );
}

#[test]
fn wrong_words_are_code_2() {
    let program = Program::new();
    assert_eq!(program.run(&["no-such-command"]).code, 2);
    assert_eq!(program.run(&["tree"]).code, 2);
    assert_eq!(program.run(&["plan", "x", "--set", "novalue"]).code, 2);
}

/// Needs the right to mount a small file system, which a plain user does not have.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said_and_nothing_is_half_written() {
    use std::process::Command;
    let program = Program::new();
    let mut session = PiSession::new();
    for turn in 0..200 {
        session.user(&format!("turn {turn}"));
        session.assistant(Reply::new().text(&format!("{turn} some words to index ").repeat(500)));
    }
    program.home.add_pi_session(&session).unwrap();
    std::fs::create_dir_all(program.data_dir()).unwrap();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=256k", "tmpfs"])
        .arg(program.data_dir())
        .output()
        .is_ok_and(|output| output.status.success());
    if !mounted {
        println!("SKIPPED: this user may not mount a small file system to fill");
        return;
    }
    let ran = program.run(&["index"]);
    let unmounted = Command::new("umount")
        .arg("-l")
        .arg(program.data_dir())
        .status();
    assert!(
        unmounted.is_ok_and(|status| status.success()),
        "the test's file system stays mounted"
    );
    assert_eq!(ran.code, 1, "printed {}", ran.stdout);
    assert!(
        ran.stderr.contains("space"),
        "no word of space in: {}",
        ran.stderr
    );
    assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
}

#[test]
fn entries_in_settings_are_named_like_any_other() {
    let program = Program::new();
    let mut session = PiSession::new();
    session.user("Please fix it.");
    session.assistant(Reply::new().text("I fixed it."));
    let kept = session.user("Now the next.");
    session.assistant(Reply::new().text("Fixed as well."));
    let path = shown(&program.home.add_pi_session(&session).unwrap());
    let cut = |first_kept: &str| {
        let first_kept = format!("first_kept={first_kept}");
        [
            "plan",
            &path,
            "--set",
            "select.kind=cut_at",
            "--set",
            &first_kept,
        ]
        .map(str::to_owned)
    };
    let unknown = cut("zzzz");
    program.fails(
        &unknown.each_ref().map(String::as_str),
        &["zzzz", "`leaf`", &path],
    );
    let line = cut("line:3");
    let plan = program.json(&line.each_ref().map(String::as_str));
    assert_eq!(plan["first_kept_id"], kept.as_str(), "{plan}");
}

#[test]
fn a_model_without_a_provider_is_a_wrong_use() {
    let program = Program::new();
    for (option, value) in [("--model", "gpt-5"), ("--base-url", "http://127.0.0.1:1")] {
        let ran = program.run(&["compact", "any.jsonl", option, value]);
        assert_eq!(ran.code, 2, "{option}: {}", ran.stdout);
        assert!(ran.stderr.contains("--provider"), "{}", ran.stderr);
    }
}

#[test]
fn a_number_out_of_range_is_told_the_range_that_is_listed() {
    let program = Program::new();
    let mut session = PiSession::new();
    session.user("Please fix it.");
    let path = shown(&program.home.add_pi_session(&session).unwrap());
    let set = ["--strategy", "gemini-cli", "--set", "keep_share=7"];
    program.fails(
        &[&["plan", path.as_str()][..], &set].concat(),
        &["'7'", "'keep_share'", "0 to 1"],
    );
    let listed = program.run(&["strategies", "gemini-cli"]).stdout;
    assert!(
        listed.contains("keep_share = 0.3 share (0 to 1)"),
        "{listed}"
    );
    let rows = program.json(&["strategies", "gemini-cli"]);
    let params = rows[0]["params"].as_array().unwrap();
    let share = params.iter().find(|own| own["name"] == "keep_share");
    assert_eq!(share.unwrap()["max"], 1.0, "{share:?}");
    let own = r#"{"name": "mine", "extends": "gemini-cli", "select": {"keep_share": 7}}"#;
    let file = program.file("palimpsest-data/presets/mine.json", own.as_bytes());
    program.fails(
        &["plan", &path, "--strategy", "mine"],
        &[&file, "select.keep_share", "7", "0 to 1"],
    );
}

#[test]
fn options_that_would_have_no_effect_are_a_wrong_use() {
    let program = Program::new();
    let mut session = PiSession::new();
    let asked = session.user("Please fix it.");
    session.assistant(Reply::new().text("I fixed it."));
    let path = shown(&program.home.add_pi_session(&session).unwrap());
    for (options, words) in [
        (
            &["--at", &asked, "--redo"][..],
            &["has no compaction that could be planned again"][..],
        ),
        (
            &["--redo"],
            &["without an entry only a compaction can be planned again"],
        ),
        (
            &["--provider", "offline", "--model", "gpt-5"],
            &["offline", "no model to choose", "gpt-5"],
        ),
        (
            &["--provider", "offline", "--base-url", "http://127.0.0.1:1"],
            &["offline", "no address to choose"],
        ),
        (
            &["--instructions", " ", "--replace-prompt"],
            &["are to replace the prompt"],
        ),
    ] {
        for command in ["plan", "compact"] {
            let ran = program.run(&[&[command, &path], options].concat());
            assert_eq!(ran.code, 2, "{options:?}: {} {}", ran.stdout, ran.stderr);
            for word in words {
                assert!(ran.stderr.contains(word), "{options:?}: {}", ran.stderr);
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn an_external_program_is_looked_for_where_one_stands() {
    let program = Program::new();
    let mut session = PiSession::new();
    session.user("Please fix it.");
    session.assistant(Reply::new().text("I fixed it."));
    let path = shown(&program.home.add_pi_session(&session).unwrap());
    let script = program.file(
        "here/own.sh",
        b"cat > /dev/null; echo '{\"summary\": \"Ours.\"}'",
    );
    let folder = std::path::Path::new(&script).parent().unwrap();
    let mut command = program.command();
    command
        .current_dir(folder)
        .args(["compact", &path, "--json", "--strategy", "external"]);
    command.args([
        "--set",
        "keep_recent_tokens=0",
        "--set",
        r#"command=["/bin/sh","own.sh"]"#,
    ]);
    let done = ran(command.output().unwrap());
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(done.stdout.contains("Ours."), "{}", done.stdout);
}

#[test]
fn one_thing_is_told_as_one() {
    let program = Program::new();
    let mut session = PiSession::new();
    session.user("Please fix it.");
    let path = shown(&program.home.add_pi_session(&session).unwrap());
    let said = program.run(&["policy", &path]).stdout;
    let head = said.lines().next().unwrap();
    assert!(head.ends_with("  1 entry"), "{head}");
    let indexed = program.run(&["index"]).stdout;
    assert!(indexed.starts_with("1 session, 1 entry; "), "{indexed}");
}

#[test]
fn files_that_are_no_json_or_no_experiment_are_named_with_their_fault() {
    let program = Program::new();
    program.file("palimpsest-data/presets/mine.toml", b"name = 'mine'");
    let words = ["mine.toml", "ending .json"];
    program.fails(&["strategies", "mine"], &words);
    let listed = program.run(&["strategies"]);
    assert!(listed.stdout.contains("mine.toml"), "{}", listed.stdout);
    let path = program.file("bad.toml", b"name = 'x'\n[cuts]\nquery = 'a'\nlimti = 3\n");
    for args in [
        &["lab", "run", &path][..],
        &["lab", "run", &path, "--dry-run"],
    ] {
        program.fails(args, &["line 4", "limti", &path, "Correct the file"]);
    }
}

#[test]
fn a_folder_without_sessions_is_told_as_one() {
    let program = Program::new();
    let mut session = PiSession::new();
    session.user("Please fix it.");
    program.home.add_pi_session(&session).unwrap();
    program.run(&["index"]);
    let file = program.file("empty/notes.txt", b"nothing of an agent");
    let folder = Path::new(&file).parent().unwrap().display().to_string();
    let said = program.run(&["index", &folder]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    let told = format!("No session of a known agent in {folder}. The index has 1 session.");
    assert_eq!(said.stdout.trim_end(), told);
    let report = program.json(&["index", &folder]);
    assert_eq!(report["without_session"], serde_json::json!([folder]));
    // Beside a folder with sessions the figures stay.
    let found = shown(&program.home.pi_sessions());
    let both = program.run(&["index", &found, &folder]).stdout;
    assert!(both.starts_with("1 session, 1 entry; "), "{both}");
    assert!(
        both.contains(&format!("No session of a known agent in {folder}.")),
        "{both}"
    );
}

#[test]
fn a_named_file_that_is_no_session_fails_however_its_path_is_written() {
    let program = Program::new();
    let file = program.file("folder/notes.txt", b"nothing of an agent");
    program.fails(&["index", &file], &["not a session", "notes.txt"]);
    let folder = Path::new(&file).parent().unwrap();
    let mut relative = program.command();
    relative.current_dir(folder).args(["index", "notes.txt"]);
    let said = ran(relative.output().unwrap());
    assert_eq!(said.code, 1, "{}", said.stderr);
    assert!(said.stderr.contains("notes.txt"), "{}", said.stderr);
}

/// A session of pi in which the id `a` is that of two entries, the second below the first.
const SAME_ID: &str = concat!(
    r#"{"type":"session","version":3,"id":"s1","timestamp":"2026-01-01T00:00:00Z","cwd":"/tmp"}"#,
    "\n",
    r#"{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:01Z","message":{"role":"user","content":"one"}}"#,
    "\n",
    r#"{"type":"message","id":"a","parentId":"a","timestamp":"2026-01-01T00:00:02Z","message":{"role":"assistant","content":[{"type":"text","text":"two"}]}}"#,
    "\n",
);

#[test]
fn entries_with_the_same_id_are_told_apart_by_their_lines() {
    let program = Program::new();
    let path = program.file("twice.jsonl", SAME_ID.as_bytes());
    // Printed by ids, the second entry was its own parent, and the tree had no end.
    let tree = program.run(&["tree", &path]);
    assert_eq!(tree.code, 0, "{}", tree.stderr);
    let lines: Vec<&str> = tree.stdout.lines().collect();
    assert!(
        lines[0].contains("line:1") && lines[0].contains("one"),
        "{lines:?}"
    );
    assert!(
        lines[1].contains("line:2") && lines[1].contains("two"),
        "{lines:?}"
    );
    program.fails(
        &["context", &path, "--at", "a"],
        &["'a'", "line:1", "line:2"],
    );
    let context = program.json(&["context", &path, "--at", "line:1"]);
    assert_eq!(context["items"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_hundred_thousand_records_on_a_line_are_read_in_one_go() {
    let program = Program::new();
    let first = r#"{"type":"user","uuid":"a","parentUuid":null,"sessionId":"s","cwd":"/t","message":{"role":"user","content":"x"}}"#;
    let text = format!("{first}\n{}\n", "{}".repeat(100_000));
    let path = program.file("glued.jsonl", text.as_bytes());
    let tree = program.json(&["tree", &path]);
    assert_eq!(tree["nodes"].as_array().map(Vec::len), Some(100_001));
}

#[test]
fn a_compaction_in_a_broken_line_is_missed_with_the_line() {
    let program = Program::new();
    let mut session = PiSession::new();
    session.user("Begin.");
    session.assistant(Reply::new().text("Begun."));
    session.compact(CompactionSpec::new("Begun.").keep_nothing());
    session.user("Go on.");
    let text = session.to_jsonl();
    let lines: Vec<&str> = text.lines().collect();
    let broken: Vec<&str> = lines
        .iter()
        .map(|line| {
            if line.contains("\"compaction\"") {
                &line[..line.len() / 2]
            } else {
                line
            }
        })
        .collect();
    let number = lines
        .iter()
        .position(|line| line.contains("\"compaction\""))
        .unwrap()
        + 1;
    let path = program.file("broken.jsonl", broken.join("\n").as_bytes());
    let place = format!("line {number}: ");
    program.fails(&["ledger", &path], &["has no compaction", &place]);
    let chain = program.run(&["chain", &path]);
    assert!(chain.stderr.contains(&place), "{}", chain.stderr);
}
