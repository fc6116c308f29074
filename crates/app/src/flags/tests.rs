//! Each flag on a session made for it, and none on one at work.

use super::{Flag, Flagged, of_records, of_summary};
use crate::options::Options;
use crate::search::{HitSort, ListOptions};
use crate::session::OpenSession;
use crate::summary::Material;
use crate::workspace::App;
use palimpsest_formats::Places;
use palimpsest_testkit::home::TempHome;
use palimpsest_testkit::session::{CompactionSpec, PiSession, Reply, ReplyUsage};
use serde_json::json;
use std::sync::Arc;

const SUMMARY: &str = "The user wants the report to be sorted by date, and it is.";

fn opened(session: &PiSession) -> (TempHome, OpenSession) {
    let home = TempHome::new();
    let path = home.add_pi_session(session).unwrap();
    (home, OpenSession::read(&path).unwrap())
}

fn names(found: &[Flagged]) -> Vec<&'static str> {
    let mut names: Vec<_> = found.iter().map(|own| own.flag.name()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn of_session(session: &PiSession) -> Vec<&'static str> {
    let (_home, open) = opened(session);
    names(&of_records(&open).unwrap())
}

fn of_newest(session: &PiSession) -> Vec<&'static str> {
    let (_home, open) = opened(session);
    let material = Material::of_compaction(&open, None).unwrap();
    let entry = material.of_entry.unwrap();
    let ledger = material.ledger();
    names(&of_summary(&open, entry, &material, &ledger).unwrap())
}

/// Some turns, the last of which begins with the prompt that is returned.
fn turns(session: &mut PiSession, count: usize) -> String {
    let mut prompt = String::new();
    for turn in 0..count {
        prompt = session.user(&format!("Please sort part {turn} of the report by date."));
        for step in 0..2 {
            let path = format!("src/part{turn}_{step}.rs");
            session.assistant(Reply::new().call("read", json!({ "path": path })));
            session.tool_result(&"fn part() {}\n".repeat(40));
        }
        session.assistant(Reply::new().text("It is sorted."));
    }
    prompt
}

#[test]
fn a_session_at_work_has_no_flag() {
    let mut session = PiSession::new();
    for _ in 0..2 {
        let kept = turns(&mut session, 4);
        session.compact(CompactionSpec::new(SUMMARY).first_kept(&kept));
    }
    session.user("Go on.");
    session.assistant(Reply::new().text("Done."));
    assert_eq!(of_session(&session), [""; 0]);
    assert_eq!(of_newest(&session), [""; 0]);
}

#[test]
fn a_reply_that_only_calls_is_named_as_a_call() {
    let mut session = PiSession::new();
    turns(&mut session, 2);
    let call = Reply::new().call("read", json!({ "path": "src/part9.rs" }));
    let kept = session.assistant(call);
    session.tool_result("fn part() {}");
    session.compact(CompactionSpec::new(SUMMARY).first_kept(&kept));
    let (_home, open) = opened(&session);
    let found = of_records(&open).unwrap();
    let split = found.iter().find(|own| own.flag == Flag::SplitTurn);
    assert_eq!(split.unwrap().detail, "The kept tail begins with a call.");
}

#[test]
fn three_compactions_with_hardly_a_reply_between_are_a_loop() {
    let mut session = PiSession::new();
    let mut kept = turns(&mut session, 4);
    for _ in 0..3 {
        session.compact(CompactionSpec::new(SUMMARY).first_kept(&kept));
        kept = session.user("Go on.");
        session.assistant(Reply::new().text("I go on."));
    }
    assert_eq!(of_session(&session), ["loop"]);
}

/// A session of Codex whose call for the summary, without tools, is reported as well.
fn of_codex(after: u64) -> bool {
    let home = TempHome::new();
    let path = home.path().join("rollout.jsonl");
    let at = "2026-03-01T10:00:00.000Z";
    let said = |role: &str, kind: &str, text: &str| {
        json!({"timestamp": at, "type": "response_item", "payload": {"type": "message", "role": role,
            "content": [{"type": kind, "text": text}]}})
    };
    let reported = |tokens: u64| {
        let usage = json!({"input_tokens": tokens, "cached_input_tokens": 0, "output_tokens": 0,
            "reasoning_output_tokens": 0, "total_tokens": tokens});
        json!({"timestamp": at, "type": "event_msg", "payload": {"type": "token_count",
            "info": {"total_token_usage": usage, "last_token_usage": usage}}})
    };
    let records = [
        json!({"timestamp": at, "type": "session_meta", "payload": {
            "id": "0198aa00-0000-7000-8000-00000000000c", "timestamp": at, "cwd": "/home/ada/mill",
            "originator": "codex_exec", "cli_version": "0.104.0", "source": "exec",
            "model_provider": "openai"}}),
        said("user", "input_text", "Count the sacks."),
        said("assistant", "output_text", "Forty."),
        reported(11_000),
        said("assistant", "output_text", SUMMARY),
        reported(7_000),
        json!({"timestamp": at, "type": "compacted", "payload": {
            "message": format!("Notes of the work so far:\n{SUMMARY}"),
            "replacement_history": [
                {"type": "message", "role": "user",
                    "content": [{"type": "input_text", "text": "Count the sacks."}]},
                {"type": "message", "role": "user", "content": [{"type": "input_text",
                    "text": format!("Notes of the work so far:\n{SUMMARY}")}]}]}}),
        said("user", "input_text", "Count them again."),
        said("assistant", "output_text", "Forty."),
        reported(after),
    ];
    let lines: Vec<String> = records.iter().map(ToString::to_string).collect();
    std::fs::write(&path, lines.join("\n") + "\n").unwrap();
    let open = OpenSession::read(&path).unwrap();
    names(&of_records(&open).unwrap()).contains(&"grown")
}

#[test]
fn the_call_for_the_summary_is_not_the_request_before_it() {
    assert!(!of_codex(10_000));
    assert!(of_codex(12_000));
}

#[test]
fn a_summary_of_no_words_is_empty() {
    let mut session = PiSession::new();
    let kept = turns(&mut session, 3);
    session.compact(
        CompactionSpec::new("Done.")
            .without_file_lists()
            .first_kept(&kept),
    );
    assert_eq!(of_session(&session), ["empty"]);
}

#[test]
fn a_record_behind_the_summary_is_not_the_summary() {
    let home = TempHome::new();
    let path = home.path().join("droid.jsonl");
    // Factory Droid stores what it tells of the system behind the summary, in the same record.
    let records = [
        json!({"type": "session_start", "id": "s", "title": "t", "owner": "o", "version": 2}),
        json!({"type": "compaction_state", "id": "k", "timestamp": "2026-01-02T03:04:05.000Z",
            "summaryText": SUMMARY, "summaryTokens": 20, "systemInfoText": "A Linux machine."}),
        json!({"type": "message", "id": "m", "timestamp": "2026-01-02T03:05:05.000Z",
            "message": {"role": "user", "content": [{"type": "text", "text": "Go on."}]}}),
    ];
    let lines: Vec<String> = records.iter().map(ToString::to_string).collect();
    std::fs::write(&path, lines.join("\n") + "\n").unwrap();
    let open = OpenSession::read(&path).unwrap();
    let material = Material::of_compaction(&open, Some("k")).unwrap();
    assert_eq!(material.summary, SUMMARY);
    assert!(!names(&of_records(&open).unwrap()).contains(&"empty"));
}

#[test]
fn a_tail_that_begins_with_a_result_is_cut_inside_a_turn_and_parts_a_call() {
    let mut session = PiSession::new();
    turns(&mut session, 3);
    session.user("Read one more.");
    session.assistant(Reply::new().call("read", json!({"path": "src/last.rs"})));
    let result = session.tool_result("fn last() {}");
    session.assistant(Reply::new().text("It is read."));
    session.compact(CompactionSpec::new(SUMMARY).first_kept(&result));
    assert_eq!(of_session(&session), ["parted-call", "split-turn"]);
}

#[test]
fn a_source_far_smaller_than_recorded_is_incomplete() {
    let mut session = PiSession::new();
    let kept = turns(&mut session, 3);
    let spec = CompactionSpec::new(SUMMARY).first_kept(&kept);
    session.compact(spec.tokens_before(900_000));
    assert_eq!(of_session(&session), ["incomplete"]);
}

/// The first request has 120,000 tokens, of which the file holds some: its beginning is in another one. What
/// the file holds is more than a fifth of the recorded size.
#[test]
fn a_source_that_begins_late_is_incomplete() {
    let sized = |first: u64| {
        let mut session = PiSession::new();
        session.user("Go on with the barges.");
        let reply = |text: &str, input| {
            Reply::new().text(text).usage(ReplyUsage {
                input,
                output: 10,
                cache_read: 0,
                cache_write: 0,
                total: input + 10,
            })
        };
        session.assistant(reply("I do.", first));
        session.user(&"A long list of barges and their cargo. ".repeat(4_000));
        session.assistant(reply("They are listed.", first + 39_000));
        let kept = session.user("Sort them.");
        let spec = CompactionSpec::new(SUMMARY).first_kept(&kept);
        session.compact(spec.tokens_before(first + 40_000));
        of_session(&session)
    };
    assert_eq!(sized(120_000), ["incomplete"]);
    assert_eq!(sized(15_000), [""; 0]);
}

#[test]
fn a_summary_that_repeats_its_request_leaks_it() {
    let mut session = PiSession::new();
    let kept = turns(&mut session, 3);
    let summary = format!("<analysis>I look at it.</analysis>\n{SUMMARY}");
    session.compact(CompactionSpec::new(&summary).first_kept(&kept));
    assert_eq!(of_newest(&session), ["leaked-request"]);
}

#[test]
fn five_files_read_again_are_a_storm() {
    let mut session = PiSession::new();
    turns(&mut session, 4);
    session.compact(
        CompactionSpec::new(SUMMARY)
            .without_file_lists()
            .keep_nothing(),
    );
    session.user("Go on.");
    for turn in 0..3 {
        for step in 0..2 {
            let path = format!("src/part{turn}_{step}.rs");
            session.assistant(Reply::new().call("read", json!({ "path": path })));
            session.tool_result("fn part() {}\n");
        }
    }
    assert_eq!(of_newest(&session), ["reread"]);
}

#[test]
fn a_summary_that_denies_an_edit_contradicts_the_files() {
    let mut session = PiSession::new();
    turns(&mut session, 2);
    let edit = json!({"path": "src/a.rs", "oldText": "a", "newText": "b"});
    session.assistant(Reply::new().call("edit", edit));
    session.tool_result("ok");
    let kept = session.user("Go on.");
    let summary = format!("{SUMMARY} No files were modified.");
    let spec = CompactionSpec::new(&summary).without_file_lists();
    session.compact(spec.first_kept(&kept));
    assert_eq!(of_newest(&session), ["file-list"]);
}

#[test]
fn a_lost_constraint_that_the_user_repeats_was_broken() {
    let mut session = PiSession::new();
    session.user("Never rename the id column.");
    session.assistant(Reply::new().text("I will not."));
    let kept = turns(&mut session, 3);
    session.compact(CompactionSpec::new(SUMMARY).first_kept(&kept));
    session.user("I said never rename the id column!");
    session.assistant(Reply::new().text("Sorry."));
    assert_eq!(of_newest(&session), ["broken-constraint"]);
}

#[test]
fn a_search_finds_sessions_by_their_flags() {
    let home = TempHome::new();
    let mut looping = PiSession::new();
    let mut kept = turns(&mut looping, 4);
    for _ in 0..3 {
        looping.compact(CompactionSpec::new(SUMMARY).first_kept(&kept));
        kept = looping.user("Go on.");
        looping.assistant(Reply::new().text("I go on."));
    }
    home.add_pi_session(&looping).unwrap();
    let mut working = PiSession::with(palimpsest_testkit::session::Options {
        seed: 7,
        ..Default::default()
    });
    let kept = turns(&mut working, 4);
    working.compact(CompactionSpec::new(SUMMARY).first_kept(&kept));
    home.add_pi_session(&working).unwrap();
    let app = app(&home);
    app.bring_up_to_date(&[]).unwrap();
    let listed = |query: &str| {
        let page = app.list_sessions(query, ListOptions::default()).unwrap();
        assert_eq!(page.not_understood, [""; 0], "{query}");
        page.sessions.len()
    };
    assert_eq!(listed("has:compaction"), 2);
    assert_eq!(listed("flag:loop"), 1);
    assert_eq!(listed("-flag:loop has:compaction"), 1);
    assert_eq!(listed("flag:any"), 1);
    assert_eq!(listed("flag:empty"), 0);
    let flags: Vec<Vec<Flag>> = app.known_flags().into_values().collect();
    assert_eq!(flags, [vec![Flag::Loop]]);
    let hits = app.search("sort flag:loop", HitSort::Newest, 0, 5).unwrap();
    assert!(!hits.hits.is_empty());
    let wrong = app.list_sessions("flag:odd", ListOptions::default());
    assert_eq!(wrong.unwrap().not_understood.len(), 1);
}

fn app(home: &TempHome) -> Arc<App> {
    let options = Options {
        data_dir: home.path().join("data"),
        places: Places {
            home: home.path().to_owned(),
            env: Default::default(),
        },
        samples_only: false,
        programs_in: None,
        only_known_programs: false,
    };
    App::start(options, Arc::new(|_| {})).unwrap()
}
