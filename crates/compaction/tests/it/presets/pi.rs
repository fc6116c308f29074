//! pi's presets in their versions and those of its study of slices.

use crate::common::{outcome, plan_of, read, small_session};
use palimpsest_compaction::plan::SummaryPart;
use palimpsest_compaction::{NothingToDo, PlanOutcome, Step};
use palimpsest_formats::{InMemory, claude_code::ClaudeCode};
use palimpsest_testkit::session::{CompactionSpec, PiSession, Reply};
use serde_json::{Value, json};

#[test]
fn versions_differ_as_they_did() {
    let ours = small_session();
    let keep = [("keep_recent_tokens", json!(30))];
    let limits = |name: &str| -> Vec<Option<u64>> {
        let calls = plan_of(&ours, name, &keep).calls;
        calls.iter().map(|call| call.max_output_tokens).collect()
    };
    assert_eq!(limits("pi"), [None, None]);
    for old in ["pi-0.87", "pi-0.73", "pi-0.18"] {
        assert_eq!(limits(old), [Some(13_107), Some(8_192)], "{old}");
    }
    let plan = |name: &str| plan_of(&ours, name, &keep);
    let prefix = |name: &str| plan(name).calls[1].prompt.clone();
    assert!(prefix("pi").contains("## Progress So Far"));
    assert!(prefix("pi-0.87").contains("## Early Progress"));
    assert!(!prefix("pi-0.18").contains("## "));
    assert_eq!(plan("pi-0.87").calls[1].after, [0]);
    assert!(plan("pi-0.73").calls[1].after.is_empty());
    let thinking = |name: &str| plan(name).calls[0].prompt.contains("[Assistant thinking]");
    assert!(thinking("pi-0.73") && !thinking("pi"));
    assert!(plan("pi-0.73").replies.accept_truncated);
    assert!(!plan("pi-0.87").replies.accept_truncated);
}

#[test]
fn early_releases_lost_what_the_compaction_before_had_kept() {
    let mut session = PiSession::new();
    session.user("first");
    session.assistant(Reply::new().text(&"kept by the first compaction ".repeat(4)));
    session.compact(CompactionSpec::new("Old.").keep_recent(5));
    session.user("second");
    session.assistant(Reply::new().text("done"));
    session.user("third");
    let ours = read(&session);
    let keep = [("keep_recent_tokens", json!(1))];
    let new = plan_of(&ours, "pi", &keep);
    assert!(new.calls[0].conversation().contains("kept by the first"));
    assert_eq!(new.dropped, []);
    let old = plan_of(&ours, "pi-0.18", &keep);
    assert!(!old.calls[0].conversation().contains("kept by the first"));
    assert_eq!(old.dropped.len(), 1);
    assert!(old.calls[0].prompt.contains("<previous-summary>\nOld."));
}

/// A session of `sizes.len()` user and assistant messages of these sizes in tokens, by turns.
fn talk(sizes: &[usize]) -> PiSession {
    let mut session = PiSession::new();
    for (at, size) in sizes.iter().enumerate() {
        let text = "abc ".repeat(*size);
        if at % 2 == 0 {
            session.user(&text);
        } else {
            session.assistant(Reply::new().text(&text));
        }
    }
    session
}

#[test]
fn slices_are_the_studys() {
    // The study's figures: slices of 10,000, 2,000 tokens for each, 4,000 for the last call.
    let ours = read(&talk(&[6_000, 4_000, 1, 9_999, 12_000, 5]));
    let stitched = plan_of(&ours, "parallel-stitch", &[]);
    let items: Vec<Vec<usize>> = stitched.calls[..4]
        .iter()
        .map(|call| call.items.clone())
        .collect();
    assert_eq!(items, [vec![0, 1], vec![2, 3], vec![4], vec![5]]);
    let limits: Vec<Option<u64>> = stitched
        .calls
        .iter()
        .map(|call| call.max_output_tokens)
        .collect();
    let (slice, last) = (Some(2_000), Some(4_000));
    assert_eq!(limits, [slice, slice, slice, slice, last]);
    assert_eq!(stitched.calls[4].after, [0, 1, 2, 3]);
    assert!(stitched.calls[..4].iter().all(|call| call.after.is_empty()));
    assert!(stitched.calls[3].prompt.contains("(MOST RECENT)"));
    assert!(
        stitched.calls[4]
            .prompt
            .contains("=== Segment 4 ===\n{{reply of call 3}}")
    );
    for name in ["sequential-accumulated", "sequential-rolling"] {
        let plan = plan_of(&ours, name, &[]);
        assert_eq!(plan.calls.len(), 4);
        assert_eq!(plan.calls[3].after, [0, 1, 2]);
        assert_eq!(plan.calls[3].max_output_tokens, last);
        assert_eq!(plan.calls[2].max_output_tokens, slice);
    }
    assert_eq!(plan_of(&ours, "single-shot", &[]).calls.len(), 1);
}

#[test]
fn one_slice_and_none() {
    let ours = read(&talk(&[5, 5]));
    assert_eq!(plan_of(&ours, "parallel-stitch", &[]).calls.len(), 2);
    let rolling = plan_of(&ours, "sequential-rolling", &[]);
    assert_eq!(rolling.calls.len(), 1);
    assert_eq!(rolling.calls[0].max_output_tokens, Some(4_000));
    assert!(rolling.calls[0].prompt.contains("Write the first summary"));
    // Only failed replies: nothing that the study would have read.
    let mut session = PiSession::new();
    session.assistant(Reply::new().text("oh").stopped("error", Some("broken")));
    let ours = read(&session);
    let stitched = plan_of(&ours, "parallel-stitch", &[]);
    assert_eq!(stitched.calls.len(), 1);
    assert_eq!(stitched.calls[0].step, Step::Stitch);
    for name in ["sequential-accumulated", "sequential-rolling"] {
        let plan = plan_of(&ours, name, &[]);
        assert_eq!(
            (plan.calls.len(), plan.assemble(&[]).unwrap().as_str()),
            (0, "")
        );
    }
}

#[test]
fn replies_are_put_under_their_segments() {
    let ours = read(&talk(&[9_000, 9_000, 9_000]));
    let kept = plan_of(&ours, "sequential-accumulated", &[]);
    assert_eq!(
        kept.assemble(&["A", "B", "C"]).unwrap(),
        "## Segment 1\n\nA\n\n---\n\n## Segment 2\n\nB\n\n---\n\n## Segment 3\n\nC"
    );
    let rolling = plan_of(&ours, "sequential-rolling", &[]);
    assert_eq!(rolling.summary, [SummaryPart::Reply(2)]);
    let sent = rolling.calls[1].filled(|call| Some(format!("reply {call}")));
    assert!(
        sent.prompt
            .starts_with("Current summary:\n\nreply 0\n\n---")
    );
    assert!(sent.slots.is_empty());
    assert_eq!(sent.conversation(), rolling.calls[1].conversation());
}

#[test]
fn shares_grow_towards_the_end_and_segments_overlap() {
    let ours = read(&talk(&[90, 10, 90, 10, 90, 10]));
    let plan = plan_of(
        &ours,
        "parallel-stitch",
        &[
            ("slice_tokens", json!(100)),
            ("ratio", json!(0.1)),
            ("recent_boost", json!(2)),
            ("overlap_tokens", json!(10)),
        ],
    );
    let limits: Vec<Option<u64>> = plan.calls[..3]
        .iter()
        .map(|call| call.max_output_tokens)
        .collect();
    assert_eq!(limits, [Some(10), Some(20), Some(20)]);
    let items: Vec<Vec<usize>> = plan.calls[..3]
        .iter()
        .map(|call| call.items.clone())
        .collect();
    assert_eq!(items, [vec![0, 1], vec![1, 2, 3], vec![3, 4, 5]]);
}

/// A Claude Code session of these user records, each answered; `true` for a note of the agent.
fn claude_code(said: &[(&str, bool)]) -> InMemory {
    let mut lines = String::new();
    let mut parent = Value::Null;
    let mut add = |mut record: Value| {
        let uuid = format!("00000000-0000-4000-8000-{:012}", lines.lines().count());
        record["uuid"] = json!(uuid);
        record["parentUuid"] = parent.take();
        record["sessionId"] = json!("11111111-1111-4111-8111-111111111111");
        record["timestamp"] = json!("2026-01-01T00:00:00.000Z");
        lines.push_str(&format!("{record}\n"));
        parent = json!(uuid);
    };
    for (text, is_note) in said {
        let message = json!({"role": "user", "content": text});
        add(json!({"type": "user", "isMeta": is_note, "message": message}));
        if !is_note {
            let content = json!([{"type": "text", "text": "Done as you said. ".repeat(20)}]);
            let message = json!({"role": "assistant", "model": "claude-x", "content": content});
            add(json!({"type": "assistant", "message": message}));
        }
    }
    InMemory::read(&ClaudeCode, "x", lines.into_bytes())
}

#[test]
fn what_another_agent_says_in_the_users_place_is_no_reason_to_summarize() {
    let begins = [
        ("<system-reminder>Notes first.</system-reminder>", true),
        ("<command-name>/sort</command-name>", false),
        ("Sort the gears.", false),
    ];
    let ours = claude_code(&begins);
    let all_fits = outcome(&ours, "pi", &[]).unwrap().0;
    let PlanOutcome::Nothing { reason } = all_fits else {
        panic!("{all_fits:?}");
    };
    assert_eq!(reason, NothingToDo::TooSmall);
    // A slash command begins a turn as a prompt does.
    let plan = plan_of(&ours, "pi", &[("keep_recent_tokens", json!(200))]);
    let kept = ours.session.entry(plan.first_kept.unwrap());
    assert_eq!(kept.messages[0].native_role, "command", "{plan:?}");
    assert!(!plan.is_split_turn);
}
