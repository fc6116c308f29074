//! OpenCode's presets.

use crate::common::{outcome, plan_of, read, small_session};
use palimpsest_compaction::PlanOutcome;
use palimpsest_compaction::assemble::NextItem;
use palimpsest_compaction::select::TurnTail;
use palimpsest_core::Role;
use palimpsest_formats::InMemory;
use palimpsest_formats::opencode::OpenCode;
use palimpsest_testkit::session::{CompactionSpec, PiSession, Reply, Shell};
use serde_json::{Value, json};

#[test]
fn files_notes_and_commands_have_their_own_lines() {
    let mut session = PiSession::new();
    session.user_blocks(json!([
        {"type": "text", "text": "look"},
        {"type": "image", "data": "AAAA", "mimeType": "image/png"},
    ]));
    session.custom_message("note", json!("mind the paint"), true);
    session.shell(Shell::new("ls", "gears"));
    session.assistant(Reply::new().text("Seen."));
    let ours = read(&session);
    let shown = |name: &str, set: &[(&str, Value)]| {
        let plan = plan_of(&ours, name, set);
        plan.calls[0].conversation().to_owned()
    };
    let first = shown("opencode", &[("tail_tokens", json!(0))]);
    assert!(
        first.starts_with("[User]: look\n[Attached image/png: file]\n\n[User]: mind the paint")
    );
    assert!(!first.contains("[Shell]"));
    let second = shown("opencode-v2", &[("fitting_tokens", json!(0))]);
    assert!(second.contains("[Attached image/png: file]"));
    assert!(
        second.contains("\n\n[Synthetic context]: mind the paint\n\n[Shell]: "),
        "{second}"
    );
}

#[test]
fn by_itself_it_orders_to_go_on_or_to_ask() {
    let ours = turns(&[&[10, 10], &[10, 10], &[10, 10]]);
    let set = [("tail_tokens", json!(20))];
    let plain = plan_of(&ours, "opencode", &set);
    let auto = plan_of(&ours, "opencode-auto", &set);
    assert_eq!(auto.calls, plain.calls);
    let (last, before) = auto.next.split_last().unwrap();
    assert_eq!(before, plain.next);
    let NextItem::Text { role, text, .. } = last else {
        panic!("{last:?}");
    };
    assert_eq!(*role, Role::User);
    assert!(text.contains("next steps") && text.contains("stop and ask"));
}

/// Turns with these sizes in tokens: of the user's message, and of each answer.
fn turns(sizes: &[&[usize]]) -> InMemory {
    let mut session = PiSession::new();
    for turn in sizes {
        session.user(&"abc ".repeat(turn[0]));
        for answer in &turn[1..] {
            session.assistant(Reply::new().text(&"abc ".repeat(*answer)));
        }
    }
    read(&session)
}

/// Number of items that are summarized.
fn head(ours: &InMemory, set: &[(&str, Value)]) -> usize {
    plan_of(ours, "opencode", set).summarized.len()
}

#[test]
fn the_budget_is_a_quarter_within_limits() {
    let budget = |usable_tokens: u64| {
        TurnTail {
            usable_tokens,
            ..TurnTail::default()
        }
        .budget()
    };
    assert_eq!(budget(4_000), 2_000);
    assert_eq!(budget(8_000), 2_000);
    assert_eq!(budget(40_003), 10_000);
    assert_eq!(budget(60_000), 15_000);
    assert_eq!(budget(168_000), 15_000);
}

#[test]
fn whole_turns_stay_while_they_fit() {
    let ours = turns(&[&[10, 10], &[10, 10], &[10, 10]]);
    let tail = |tokens: u64| head(&ours, &[("tail_tokens", json!(tokens))]);
    assert_eq!(tail(20), 4);
    assert_eq!(tail(40), 2);
    // A turn that does not fit is split behind its own first message.
    assert_eq!(tail(39), 3);
    assert_eq!(tail(30), 3);
    assert_eq!(tail(29), 4);
    assert_eq!(tail(10), 5);
    // Nothing fits, or nothing would be left to summarize: no tail.
    assert_eq!(tail(9), 6);
    assert_eq!(tail(60), 6);
    assert_eq!(tail(59), 1);
}

#[test]
fn a_split_falls_at_the_earliest_message_that_fits_and_not_before_a_result() {
    let mut session = PiSession::new();
    session.user("first");
    session.assistant(Reply::new().text("answer"));
    session.user("second");
    session.assistant(Reply::new().call("read", json!({"path": "a"})));
    session.tool_result(&"abc ".repeat(10));
    session.assistant(Reply::new().text(&"abc ".repeat(10)));
    let ours = read(&session);
    // The result and the answer would fit, but the call would not.
    assert_eq!(head(&ours, &[("tail_tokens", json!(20))]), 5);
    assert_eq!(head(&ours, &[("tail_tokens", json!(25))]), 3);
}

#[test]
fn only_so_many_turns_are_considered() {
    let ours = turns(&[&[10, 10], &[10, 10], &[10, 10]]);
    assert_eq!(head(&ours, &[("tail_turns", json!(2))]), 2);
    assert_eq!(head(&ours, &[("tail_turns", json!(0))]), 6);
    assert_eq!(head(&ours, &[("tail_turns", json!("any"))]), 6);
}

#[test]
fn after_an_overflow_the_last_request_is_sent_again() {
    let mut session = PiSession::new();
    session.user("first");
    session.assistant(Reply::new().text("answer"));
    session.user("second");
    session.assistant(Reply::new().text("another"));
    session.user("too large");
    session.assistant(Reply::new().call("read", json!({"path": "a"})));
    session.tool_result(&"abc ".repeat(500));
    let ours = read(&session);
    let fates = |tail: u64| {
        let set = [
            ("replay_last_prompt", json!(true)),
            ("tail_tokens", json!(tail)),
        ];
        let plan = plan_of(&ours, "opencode", &set);
        let fates = plan.items.iter().map(|item| format!("{:?}", item.fate));
        let asked = plan.calls[0].conversation().contains("too large");
        assert!(!asked, "the request is no part of what is summarized");
        let kept = |item: &NextItem| matches!(item, NextItem::Kept { .. });
        assert_eq!(
            plan.next.iter().filter(|item| kept(item)).count(),
            plan.kept.len()
        );
        fates.collect::<Vec<_>>()
    };
    let (went, stays, lost) = ("Summarized", "Kept", "Dropped");
    // What came after the request is lost; the tail is counted without it.
    assert_eq!(fates(0), [went, went, went, went, stays, lost, lost]);
    assert_eq!(fates(4), [went, went, stays, stays, stays, lost, lost]);
    // With one request alone all is as always.
    let mut session = PiSession::new();
    session.user("only");
    session.assistant(Reply::new().text("answer"));
    let set = [("replay_last_prompt", json!(true))];
    assert_eq!(head(&read(&session), &set), 2);
}

#[test]
fn the_prior_summary_is_merged_and_its_pair_removed() {
    let mut session = PiSession::new();
    session.user("old");
    session.assistant(Reply::new().text("older answer"));
    session.compact(CompactionSpec::new("Anchored.").keep_nothing());
    session.user("new");
    session.assistant(Reply::new().text("answer"));
    session.user("newest");
    let ours = read(&session);
    let plan = plan_of(&ours, "opencode", &[("tail_tokens", json!(2))]);
    let prompt = &plan.calls[0].prompt;
    assert!(
        prompt.starts_with("<conversation>\n[User]: new\n\n[Assistant]: answer\n</conversation>")
    );
    assert!(prompt.contains("<prior-summary>\nAnchored.\n</prior-summary>"));
    // The question, its answer, the tail.
    let [
        NextItem::Text { role, .. },
        NextItem::Summary { role: by, .. },
        NextItem::Kept { .. },
    ] = plan.next.as_slice()
    else {
        panic!("{:?}", plan.next)
    };
    assert_eq!((*role, *by), (Role::User, Role::Assistant));
    // A tail that would begin with the first message after that summary is none.
    assert_eq!(head(&ours, &[("tail_tokens", json!(2_000))]), 3);
}

#[test]
fn the_transcript_is_labelled_and_results_are_cut() {
    let mut session = PiSession::new();
    session.user("hello");
    session.assistant(
        Reply::new()
            .think("hm")
            .text("ok")
            .call("read", json!({"path": "a"})),
    );
    session.tool_result(&"x".repeat(2_001));
    session.assistant(Reply::new().call("bash", json!({"command": "b"})));
    session.tool_error("broken");
    let plan = plan_of(&read(&session), "opencode", &[("tail_tokens", json!(0))]);
    let parts: Vec<&str> = plan.calls[0].conversation().split("\n\n").collect();
    // Line ends within a message, as in the requests of 1.18.33; a blank line between messages.
    let first = format!(
        "[Assistant reasoning]: hm\n[Assistant]: ok\n\
         [Assistant tool call]: read({{\"path\":\"a\"}})\n[Tool result]: {}\n[truncated]",
        "x".repeat(2_000)
    );
    assert_eq!(
        parts,
        [
            "[User]: hello",
            &first,
            "[Assistant tool call]: bash({\"command\":\"b\"})\n[Tool error]: broken",
        ]
    );
}

#[test]
fn the_second_engine_keeps_8_000_and_writes_4_096() {
    let ours = turns(&[&[10, 2_000], &[10, 3_000, 4_990]]);
    let plan = plan_of(&ours, "opencode-v2", &[]);
    assert_eq!(plan.kept.len(), 3);
    assert_eq!(plan.calls[0].max_output_tokens, Some(4_096));
    let ours = turns(&[&[10, 2_000], &[10, 3_000, 4_991]]);
    assert_eq!(plan_of(&ours, "opencode-v2", &[]).kept.len(), 2);
}

#[test]
fn the_second_engine_sends_what_stays_as_text() {
    let mut session = PiSession::new();
    session.user(&"old ".repeat(9_000));
    session.assistant(Reply::new().text("done"));
    session.user("look");
    session.assistant(Reply::new().call("read", json!({"path": "a"})));
    session.tool_result(&"x".repeat(2_001));
    let plan = plan_of(&read(&session), "opencode-v2", &[]);
    assert_eq!(plan.kept.len(), 4);
    let [
        NextItem::Summary { .. },
        NextItem::Text { role, text, tokens },
    ] = plan.next.as_slice()
    else {
        panic!("{:?}", plan.next)
    };
    assert_eq!(*role, Role::User);
    let expected = format!(
        "[Assistant]: done\n\n[User]: look\n\n[Assistant tool call]: read({{\"path\":\"a\"}})\n\n\
         [Tool result]: {}\n[truncated]",
        "x".repeat(2_000)
    );
    assert_eq!(*text, expected);
    // What stays is counted once, as the text.
    assert_eq!(plan.kept_tokens, *tokens);
    assert_eq!(*tokens, expected.len().div_ceil(4) as u64);
    // Where nothing stays there is no text.
    let nothing = plan_of(
        &read(&session),
        "opencode-v2",
        &[("fitting_tokens", json!(0))],
    );
    assert!(matches!(
        nothing.next.as_slice(),
        [NextItem::Summary { .. }]
    ));
}

/// Results of these sizes by turns, oldest first; those of one turn come from the tool given.
fn results(turns: &[(&str, &[usize])]) -> PiSession {
    let mut session = PiSession::new();
    for (tool, sizes) in turns {
        session.user("go");
        for size in *sizes {
            session.assistant(Reply::new().call(tool, json!({"path": "a"})));
            session.tool_result(&"abc ".repeat(*size));
        }
    }
    session
}

fn pruned(session: &PiSession) -> Vec<usize> {
    match outcome(&read(session), "opencode-prune", &[]).unwrap().0 {
        PlanOutcome::Compaction(plan) => plan.changes.iter().map(|change| change.item).collect(),
        PlanOutcome::Nothing { .. } => Vec::new(),
    }
}

#[test]
fn pruning_spares_two_turns_and_40_000_tokens() {
    let last: [(&str, &[usize]); 2] = [("read", &[90_000]), ("read", &[90_000])];
    let with = |first: &[usize]| results(&[("read", first), last[0], last[1]]);
    // 40,000 stay; the one that goes beyond is cleared whole.
    assert_eq!(pruned(&with(&[20_001, 30_000, 10_000])), [2]);
    assert_eq!(pruned(&with(&[100, 20_000, 100, 40_000])), [2, 4, 6]);
    // More than 20,000 must go.
    assert!(pruned(&with(&[20_000, 40_000])).is_empty());
    assert_eq!(pruned(&with(&[20_001, 40_000])), [2]);
    // The last two turns are never touched.
    assert!(pruned(&results(&last)).is_empty());
}

#[test]
fn pruning_spares_skills_and_errors() {
    let last: (&str, &[usize]) = ("read", &[]);
    let skill: (&str, &[usize]) = ("skill", &[60_000]);
    let read_once: (&str, &[usize]) = ("read", &[30_000, 40_000]);
    assert_eq!(pruned(&results(&[read_once, skill, last, last])), [2]);
    let mut session = PiSession::new();
    session.user("go");
    session.assistant(Reply::new().call("bash", json!({"command": "a"})));
    session.tool_error(&"abc ".repeat(90_000));
    session.user("go");
    session.user("go");
    assert!(pruned(&session).is_empty());
}

#[test]
fn pruning_stops_at_a_summary() {
    let session = |compacts: bool| {
        let mut session = results(&[("read", &[30_000, 40_000])]);
        let kept = session.user("kept then");
        session.assistant(Reply::new().call("read", json!({"path": "b"})));
        session.tool_result(&"abc ".repeat(30_000));
        if compacts {
            session.compact(CompactionSpec::new("Earlier.").first_kept(&kept.to_string()));
        }
        session.user("go");
        session.assistant(Reply::new().call("read", json!({"path": "c"})));
        session.tool_result(&"abc ".repeat(40_000));
        session.user("go");
        session.user("go");
        session
    };
    // Without a summary the result of 40,000 uses up what stays.
    assert_eq!(pruned(&session(false)), [2, 4, 7]);
    // What stayed beside the summary is older than it, and so is not touched.
    assert!(pruned(&session(true)).is_empty());
    // What came after it is.
    let mut since = session(true);
    since.assistant(Reply::new().call("read", json!({"path": "d"})));
    since.tool_result(&"abc ".repeat(40_000));
    since.user("go");
    since.user("go");
    let ours = read(&since);
    let plan = plan_of(&ours, "opencode-prune", &[]);
    let context = ours.context(ours.session.active_leaf);
    let [change] = plan.changes.as_slice() else {
        panic!("{:?}", plan.changes)
    };
    assert_eq!(context.items[change.item].estimate, 40_000);
}

#[test]
fn pruning_stops_at_what_is_cleared_already() {
    let session = |clears: bool| {
        let mut session = results(&[("read", &[30_000])]);
        session.assistant(Reply::new().call("read", json!({"path": "b"})));
        let second = session.tool_result(&"abc ".repeat(100));
        session.assistant(Reply::new().call("read", json!({"path": "c"})));
        session.tool_result(&"abc ".repeat(40_000));
        session.user("go");
        session.user("go");
        if clears {
            session.context_edit(&second.to_string(), Some(json!("cleared")));
        }
        session
    };
    assert_eq!(pruned(&session(false)), [2, 4]);
    assert!(pruned(&session(true)).is_empty());
}

#[test]
fn the_sections_are_opencodes_in_its_order() {
    let plan = plan_of(&small_session(), "opencode", &[("tail_tokens", json!(40))]);
    let lines = plan.calls[0].prompt.lines();
    let headings: Vec<&str> = lines.filter(|line| line.starts_with("##")).collect();
    assert_eq!(
        headings,
        [
            "## Objective",
            "## Important Details",
            "## Work State",
            "### Completed",
            "### Active",
            "### Blocked",
            "## Next Move",
            "## Relevant Files",
        ]
    );
}

#[test]
fn each_result_stands_behind_its_call() {
    let mut session = PiSession::new();
    session.user("hello");
    let reply = Reply::new().call("read", json!({"path": "a"}));
    session.assistant(reply.call("read", json!({"path": "b"})).text("both"));
    session.tool_result("of a");
    session.tool_result("of b");
    session.user("thanks");
    let ours = read(&session);
    let said = |set: &[(&str, Value)]| {
        let plan = plan_of(&ours, "opencode", set);
        plan.calls[0].conversation().to_owned()
    };
    assert_eq!(
        said(&[("tail_tokens", json!(0))]),
        "[User]: hello\n\n\
         [Assistant tool call]: read({\"path\":\"a\"})\n[Tool result]: of a\n\
         [Assistant tool call]: read({\"path\":\"b\"})\n[Tool result]: of b\n\
         [Assistant]: both\n\n\
         [User]: thanks"
    );
    let before = said(&[("tail_tokens", json!(0)), ("part_separator", json!(""))]);
    assert!(before.ends_with("[Tool result]: of a\n\n[Tool result]: of b\n\n[User]: thanks"));
}

#[test]
fn the_question_and_the_earlier_summary_are_not_summarized_again() {
    let fixtures =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../formats/tests/fixtures");
    let file = fixtures.join("opencode/valid/1.18-compactions-with-tail.jsonl");
    let ours = InMemory::read(&OpenCode, "x", std::fs::read(file).unwrap());
    let plan = plan_of(&ours, "opencode", &[("tail_tokens", json!(0))]);
    assert_eq!(
        plan.previous_summary.as_deref(),
        Some("## Objective\n- still")
    );
    let conversation = plan.calls[0].conversation();
    assert!(
        conversation.contains("Third") && conversation.contains("Four."),
        "{conversation}"
    );
    assert!(!conversation.contains("What did we do"), "{conversation}");
    assert!(!conversation.contains("- still"), "{conversation}");
}

#[test]
fn a_tail_may_begin_at_an_entry_that_holds_its_own_results() {
    let mut lines = vec![
        json!({"id": "ses_1", "version": "1.18.33", "projectID": "global", "directory": "/w", "title": "t", "time": {"created": 1, "updated": 9}}),
        json!({"id": "msg_0", "sessionID": "ses_1", "role": "user", "time": {"created": 2}, "agent": "build", "model": {"providerID": "p", "modelID": "m"}}),
        json!({"id": "prt_0", "sessionID": "ses_1", "messageID": "msg_0", "type": "text", "text": "look at all"}),
    ];
    for (number, output) in [
        (1, "x".repeat(8_000)),
        (2, "y".repeat(80)),
        (3, "z".repeat(80)),
    ] {
        let message = format!("msg_{number}");
        lines.push(json!({"id": message, "sessionID": "ses_1", "role": "assistant", "parentID": "msg_0", "time": {"created": 2 + number, "completed": 3 + number}, "modelID": "m", "providerID": "p", "mode": "build", "finish": "tool-calls", "cost": 0, "tokens": {"input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}}}));
        lines.push(json!({"id": format!("prt_{number}"), "sessionID": "ses_1", "messageID": message, "type": "tool", "callID": format!("c{number}"), "tool": "read", "state": {"status": "completed", "input": {"filePath": "/w/a"}, "output": output, "title": "", "metadata": {}, "time": {"start": 1, "end": 2}}}));
    }
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let ours = InMemory::read(&OpenCode, "x", text.into_bytes());
    let plan = plan_of(&ours, "opencode", &[("tail_tokens", json!(200))]);
    let first = plan
        .first_kept
        .map(|ix| ours.session.entry(ix).id.to_string());
    assert_eq!(first.as_deref(), Some("msg_2"), "{:?}", plan.items);
}
