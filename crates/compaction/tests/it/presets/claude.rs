//! Claude Code's presets, and Anthropic's context editing.

use crate::common::{instructed, outcome, plan_of, read, reply, small_session};
use palimpsest_compaction::assemble::NextItem;
use palimpsest_compaction::select::Fate;
use palimpsest_compaction::summarize::Cause;
use palimpsest_compaction::{Instructions, NothingToDo, Plan, PlanOutcome, replay};
use palimpsest_core::Role;
use palimpsest_formats::InMemory;
use palimpsest_testkit::session::{CompactionSpec, PiSession, Reply};
use serde_json::{Value, json};
use std::sync::LazyLock;

fn nothing(ours: &InMemory, name: &str, set: &[(&str, Value)]) -> bool {
    let outcome = outcome(ours, name, set).unwrap().0;
    matches!(
        outcome,
        PlanOutcome::Nothing {
            reason: NothingToDo::TooSmall
                | NothingToDo::NothingCleared
                | NothingToDo::NothingChosen
        }
    )
}

fn changed(plan: &Plan) -> Vec<usize> {
    plan.changes.iter().map(|change| change.item).collect()
}

/// A session of one turn in which `tool` returns results of these sizes in tokens. The result at
/// position n of the list is item 2n + 2.
fn tools(tool: &str, sizes: &[usize]) -> PiSession {
    let mut session = PiSession::new();
    session.user("go");
    for size in sizes {
        session.assistant(Reply::new().call(tool, json!({"path": "a.rs"})));
        session.tool_result(&"abc ".repeat(*size));
    }
    session
}

#[test]
fn all_is_summarized_in_nine_sections() {
    let ours = small_session();
    let plan = plan_of(&ours, "claude-code", &[("last_round", json!("summarize"))]);
    assert_eq!(plan.calls.len(), 1);
    assert_eq!(plan.calls[0].max_output_tokens, Some(20_000));
    assert_eq!((plan.kept.len(), plan.summarized.len()), (0, 12));
    for section in [
        "1. Primary Request and Intent",
        "2. Key Technical Concepts",
        "3. Files and Code Sections",
        "4. Errors and fixes",
        "5. Problem Solving",
        "6. All user messages",
        "7. Pending Tasks",
        "8. Current Work",
        "9. Optional Next Step",
    ] {
        assert!(plan.calls[0].prompt.contains(section), "{section}");
    }
}

#[test]
fn the_analysis_goes_and_the_summary_gets_a_heading() {
    let set = [("last_round", json!("summarize"))];
    let plan = plan_of(&small_session(), "claude-code", &set);
    let text = "<analysis>\nlong\n</analysis>\n\n\n\n<summary>\n 1. A\n\n\n\n2. B \n</summary>\n";
    let summary = replay(&plan, &[reply(text)]).unwrap();
    assert!(summary.starts_with("This session goes on"));
    assert!(summary.contains("earlier part.\n\nSummary:\n1. A\n\n2. B\n\nDetails"));
    // Without tags it is used as it is.
    let plain = replay(&plan, &[reply(" plain ")]).unwrap();
    assert!(plain.contains("\n\nplain\n\nDetails"));
}

#[test]
fn the_summary_before_is_the_first_message() {
    let mut session = PiSession::new();
    session.user("old");
    session.assistant(Reply::new().text("older answer"));
    session.compact(CompactionSpec::new("What was before.").keep_nothing());
    session.user("new");
    let set = [("request", json!("transcript"))];
    let plan = plan_of(&read(&session), "claude-code", &set);
    let prompt = &plan.calls[0].prompt;
    assert!(prompt.starts_with("<conversation>\n[User]: What was before.\n\n[User]: new"));
}

#[test]
fn images_become_a_word() {
    let mut session = PiSession::new();
    session.user_blocks(json!([
        {"type": "text", "text": "look"},
        {"type": "image", "data": "AAAA", "mimeType": "image/png"},
    ]));
    let plan = plan_of(&read(&session), "claude-code", &[]);
    assert_eq!(plan.calls[0].conversation(), "[User]: look\n[image]");
}

#[test]
fn documents_become_a_word_as_well() {
    let said = json!([
        {"type": "text", "text": "look"},
        {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "AAAA"}},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
    ]);
    let record = |at: usize, role: &str, parent: Value, content: Value| {
        json!({
            "type": role,
            "uuid": format!("00000000-0000-4000-8000-{at:012}"),
            "parentUuid": parent,
            "sessionId": "11111111-1111-4111-8111-111111111111",
            "timestamp": "2026-01-01T00:00:00.000Z",
            "message": {"role": role, "model": "claude-x", "content": content},
        })
    };
    let asked = record(0, "user", Value::Null, said);
    let answered = json!([{"type": "text", "text": "Seen."}]);
    let answered = record(1, "assistant", asked["uuid"].clone(), answered);
    let lines = format!("{asked}\n{answered}\n");
    let ours = InMemory::read(
        &palimpsest_formats::claude_code::ClaudeCode,
        "x",
        lines.into_bytes(),
    );
    let plan = plan_of(&ours, "claude-code", &[("last_round", json!("summarize"))]);
    assert_eq!(
        plan.calls[0].conversation(),
        "[User]: look\n[document]\n[image]\n\n[Assistant]: Seen."
    );
}

#[test]
fn the_files_read_last_follow() {
    let mut session = PiSession::new();
    session.user("read them");
    for (path, size) in [
        ("1", 10),
        ("2", 10),
        ("3", 5_001),
        ("4", 10),
        ("5", 10),
        ("6", 10),
        ("4", 20),
    ] {
        session.assistant(Reply::new().call("read", json!({"path": path})));
        session.tool_result(&"abc ".repeat(size));
    }
    session.assistant(Reply::new().call("read", json!({"path": "lost"})));
    session.tool_error("not there");
    let ours = read(&session);
    let texts = |set: &[(&str, Value)]| -> Vec<(String, bool)> {
        let next = plan_of(&ours, "claude-code", set).next;
        let texts = next.into_iter().filter_map(|item| match item {
            NextItem::Text { text, tokens, .. } => Some((text, tokens)),
            _ => None,
        });
        texts
            .map(|(text, tokens)| (text.chars().take(1).collect(), tokens > 19))
            .collect()
    };
    // Five at most, the newest read of each; the one above 5,000 tokens is only named.
    let all = ["4", "6", "5", "3", "2"].map(str::to_owned);
    let names: Vec<String> = texts(&[]).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, all);
    let plan = plan_of(&ours, "claude-code", &[]);
    let sizes: u64 = plan
        .next
        .iter()
        .map(|item| match item {
            NextItem::Text { tokens, .. } => *tokens,
            _ => 0,
        })
        .sum();
    assert!(sizes < 200, "{sizes}");
    // Files of instructions and plans come by themselves, and so are none of the five.
    let set = [("exclude_files", json!(["6", "5/"]))];
    let names: Vec<String> = texts(&set).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["4", "5", "3", "2", "1"]);
    let few = texts(&[("max_total_tokens", json!(30))]);
    assert_eq!(few[0], ("4".to_owned(), true));
    assert_eq!(few.len(), 1);
}

#[test]
fn a_chosen_message_parts_the_conversation() {
    let ours = small_session();
    // Without a choice it is the last message of the user, item 10 of 12.
    let from = plan_of(&ours, "claude-code-from", &[]);
    let kept: Vec<Fate> = from.items.iter().map(|item| item.fate).collect();
    assert_eq!(kept[..10], [Fate::Kept; 10]);
    assert_eq!(kept[10..], [Fate::Summarized; 2]);
    assert!(matches!(from.next.last(), Some(NextItem::Summary { .. })));
    assert!(from.calls[0].prompt.contains("RECENT portion"));
    let up_to = plan_of(&ours, "claude-code-up-to", &[]);
    assert_eq!(up_to.summarized.len(), 11);
    assert_eq!(up_to.kept.len(), 1);
    // A result stays with its call on either side.
    let entry = |line: usize| ours.session.entry(from.kept[line]).id.to_string();
    let set = [("entry_id", json!(entry(1)))];
    assert_eq!(
        plan_of(&ours, "claude-code-up-to", &set).summarized.len(),
        3
    );
    let set = [("entry_id", json!(entry(2)))];
    assert_eq!(plan_of(&ours, "claude-code-from", &set).kept.len(), 1);
    let set = [("entry_id", json!("nowhere"))];
    assert!(nothing(&ours, "claude-code-from", &set));
}

#[test]
fn the_summary_before_stays_where_only_the_newest_is_summarized() {
    let mut session = PiSession::new();
    session.user("old");
    session.assistant(Reply::new().text("older answer"));
    session.compact(CompactionSpec::new("What was before.").keep_nothing());
    session.user("kept");
    session.assistant(Reply::new().text("kept as well"));
    session.user("new");
    let plan = plan_of(&read(&session), "claude-code-from", &[]);
    assert!(!plan.calls[0].prompt.contains("What was before."));
    assert!(matches!(
        &plan.next[0],
        NextItem::Text { role: Role::User, text, .. } if text == "What was before."
    ));
    let kept = plan
        .next
        .iter()
        .filter(|item| matches!(item, NextItem::Kept { .. }));
    assert_eq!(kept.count(), 2);
}

#[test]
fn micro_clears_the_oldest_until_40_000_are_left() {
    // 70,000 in all: after three are cleared 40,000 are left, which is no more than allowed.
    let ours = read(&tools("read", &[10_000; 7]));
    let plan = plan_of(&ours, "claude-code-micro", &[]);
    assert_eq!(changed(&plan), [2, 4, 6]);
    assert!(plan.calls.is_empty());
    // One more token, and one more result goes.
    let ours = read(&tools(
        "bash",
        &[10_000, 10_000, 10_000, 10_000, 10_000, 10_000, 10_001],
    ));
    assert_eq!(
        changed(&plan_of(&ours, "claude-code-micro", &[])),
        [2, 4, 6, 8]
    );
    // The last three stay, however large they are.
    let ours = read(&tools("read", &[25_000, 30_000, 30_000, 30_000]));
    assert_eq!(changed(&plan_of(&ours, "claude-code-micro", &[])), [2]);
}

#[test]
fn micro_needs_a_gain_of_20_000() {
    let ours = read(&tools("read", &[19_999, 20_000, 20_000, 20_000]));
    assert!(nothing(&ours, "claude-code-micro", &[]));
    let ours = read(&tools("read", &[20_000; 4]));
    assert_eq!(changed(&plan_of(&ours, "claude-code-micro", &[])), [2]);
    // Other tools are neither cleared nor counted.
    let ours = read(&tools("ask", &[20_000; 6]));
    assert!(nothing(&ours, "claude-code-micro", &[]));
    // 2.1.197: all but the newest go.
    let ours = read(&tools("read", &[10_000; 5]));
    let all = [("until_tokens", json!(0))];
    assert_eq!(changed(&plan_of(&ours, "claude-code-micro", &all)), [2, 4]);
    assert!(nothing(&ours, "claude-code-micro", &[]));
}

#[test]
fn notes_keep_a_tail_with_enough_in_it() {
    let talk = |sizes: &[usize]| {
        let mut session = PiSession::new();
        for size in sizes {
            session.user(&"abc ".repeat(*size));
        }
        read(&session)
    };
    let kept = |ours: &InMemory| plan_of(ours, "claude-code-notes", &[]).kept.len();
    // Five messages, as 10,000 tokens are there before.
    assert_eq!(kept(&talk(&[1, 6_000, 1, 1, 6_000, 1])), 5);
    // 10,000 tokens, as five messages are there before.
    assert_eq!(kept(&talk(&[1, 5_000, 1, 5_000, 1, 1, 1, 1])), 7);
    // 40,000 tokens, though there are only two messages.
    assert_eq!(kept(&talk(&[1, 1, 20_000, 20_000])), 2);
    // Results are no messages with text, and stay with their call.
    let mut session = tools("read", &[1, 3_000, 3_000, 3_000, 3_000]);
    session.assistant(Reply::new().text("done"));
    assert!(nothing(&read(&session), "claude-code-notes", &[]));
    let two = [("tail_min_text_messages", json!(1))];
    assert_eq!(
        plan_of(&read(&session), "claude-code-notes", &two)
            .kept
            .len(),
        9
    );
    assert_eq!(
        plan_of(&read(&session), "claude-code-notes", &two).calls[0].max_output_tokens,
        Some(12_000)
    );
}

#[test]
fn the_summary_names_the_transcript_and_goes_on_by_itself_where_nobody_asked() {
    let mut ours = small_session();
    ours.session.meta.path = "/logs/gears.jsonl".to_owned();
    let stored = |ours: &InMemory, name: &str| {
        let answer = reply("<analysis>A</analysis><summary>S</summary>");
        replay(&plan_of(ours, name, &[]), &[answer]).unwrap()
    };
    for name in ["claude-code", "claude-code-auto", "claude-code-up-to"] {
        let said = stored(&ours, name);
        assert!(said.contains("transcript: /logs/gears.jsonl"), "{name}");
    }
    // Asked for, the user says what comes next; by itself, the work goes on.
    assert!(!stored(&ours, "claude-code").contains("Go on with the work"));
    assert!(stored(&ours, "claude-code-auto").contains("Go on with the work"));
    // What is read from memory has no file.
    ours.session.meta.path = String::new();
    assert!(!stored(&ours, "claude-code").contains("transcript"));
}

#[test]
fn notes_give_way_to_a_summary_of_everything_at_the_threshold() {
    // 200,000 - 20,000 - 13,000.
    let tail = [("tail_min_tokens", json!(10))];
    let plan = plan_of(&small_session(), "claude-code-notes", &tail);
    let kept: u64 = plan
        .items
        .iter()
        .filter(|item| item.fate == Fate::Kept)
        .map(|item| item.tokens)
        .sum();
    let notes = |tokens: u64| "abcd".repeat(usize::try_from(tokens).unwrap());
    assert!(plan.is_over_limit(&notes(167_000 - kept)));
    assert!(!plan.is_over_limit(&notes(166_999 - kept)));
    let full = &plan.fallbacks[0].plan;
    assert_eq!(plan.fallbacks.len(), 1);
    assert_eq!(full.strategy, "claude-code");
    let all_but_the_last_round = plan_of(&small_session(), "claude-code", &[]);
    assert_eq!(full.kept, all_but_the_last_round.kept);
    assert_eq!(plan.fallback_on(Cause::Unusable), Some(0));
    assert_eq!(plan.fallback_on(Cause::Failed), None);
}

#[test]
fn context_editing_begins_at_100_000() {
    let editing = "anthropic-context-editing";
    let ours = read(&tools("read", &[20_000; 4]));
    assert!(nothing(&ours, editing, &[]));
    let ours = read(&tools("read", &[20_000; 6]));
    assert_eq!(changed(&plan_of(&ours, editing, &[])), [2, 4, 6]);
    let none = [("exclude_tools", json!(["read"]))];
    assert!(nothing(&ours, editing, &none));
    let much = [("clear_at_least_tokens", json!(60_000))];
    assert!(nothing(&ours, editing, &much));
    let uses = [("trigger_tool_uses", json!(7))];
    assert!(nothing(&ours, editing, &uses));
}

#[test]
fn anthropics_own_summaries_stand_for_everything_before() {
    let ours = small_session();
    let plan = plan_of(&ours, "anthropic-compaction", &[]);
    assert!(plan.kept.is_empty());
    assert_eq!(
        replay(&plan, &[reply("Well.\n<summary>\nS\n</summary>")]).unwrap(),
        "S"
    );
    let sdk = plan_of(&ours, "anthropic-sdk", &[]);
    for section in [
        "Task Overview",
        "Current State",
        "Important Discoveries",
        "Next Steps",
        "Context to Preserve",
    ] {
        assert!(sdk.calls[0].prompt.contains(section), "{section}");
    }
    // Custom instructions take the request's place, and are not added to it.
    for name in ["anthropic-compaction", "anthropic-sdk"] {
        assert!(
            prompt_with(&ours, name, "Only the numbers.")
                .ends_with("</conversation>\n\nOnly the numbers."),
            "{name}"
        );
    }
}

#[test]
fn context_editing_clears_arguments_when_asked() {
    let mut session = PiSession::new();
    session.user("go");
    for at in 0..4 {
        let path = format!("{at}{}", "x".repeat(400));
        session.assistant(Reply::new().call("read", json!({"path": path})));
        session.tool_result(&"abc ".repeat(100));
    }
    let ours = read(&session);
    let set = [
        ("trigger_input_tokens", json!(0)),
        ("clear_tool_inputs", json!(true)),
    ];
    let plan = plan_of(&ours, "anthropic-context-editing", &set);
    assert_eq!(changed(&plan), [1, 2]);
    assert!(plan.estimated_tokens_after < plan.tokens_before - 190);
    // A list clears the arguments of these tools alone.
    let listed = |tools: Value| {
        let set = [
            ("trigger_input_tokens", json!(0)),
            ("clear_tool_inputs", tools),
        ];
        changed(&plan_of(&ours, "anthropic-context-editing", &set))
    };
    assert_eq!(listed(json!(["bash", "read"])), [1, 2]);
    assert_eq!(listed(json!(["bash"])), [2]);
    assert_eq!(listed(json!([])), listed(json!(false)));
}

#[test]
fn reasoning_of_the_last_turn_stays() {
    let mut session = PiSession::new();
    for turn in 0..3 {
        session.user("go");
        session.assistant(
            Reply::new()
                .think(&"hm ".repeat(50))
                .text(&format!("turn {turn}"))
                .call("read", json!({"path": "a"})),
        );
        session.tool_result("x");
        session.assistant(Reply::new().think(&"well ".repeat(50)).text("so"));
    }
    let ours = read(&session);
    let editing = "anthropic-context-editing";
    assert_eq!(changed(&plan_of(&ours, editing, &[])), [1, 3, 5, 7]);
    let two = [("keep_thinking_turns", json!(2))];
    assert_eq!(changed(&plan_of(&ours, editing, &two)), [1, 3]);
    let all = [("keep_thinking_turns", json!("all"))];
    assert!(nothing(&ours, editing, &all));
    // Beside a summary: what goes into it loses its reasoning, and so does what stays.
    let reasoning = json!([{"kind": "clear_thinking"}]);
    let beside = |scope: &str| {
        let set = [
            ("select", json!({"kind": "last_messages", "count": 8})),
            ("reduce", reasoning.clone()),
            ("reduce.0.scope", json!(scope)),
            ("transcript.kind", json!("labelled")),
            ("thinking", json!("[Assistant reasoning]: ")),
        ];
        let plan = plan_of(&ours, "claude-code", &set);
        let shown = plan.calls[0]
            .conversation()
            .contains("[Assistant reasoning]");
        (changed(&plan), shown)
    };
    assert_eq!(beside("all"), (vec![1, 3, 5, 7], false));
    assert_eq!(beside("summarized"), (vec![1, 3], false));
    assert_eq!(beside("kept"), (vec![5, 7], true));
}

#[test]
fn micro_acts_by_itself_above_the_warning_level() {
    // A window of 200,000: 167,000 less 20,000.
    let above = [("above_context_tokens", json!(147_000))];
    let ours = read(&tools("read", &[30_000, 30_000, 30_000, 30_000]));
    assert!(nothing(&ours, "claude-code-micro", &above));
    let ours = read(&tools("read", &[37_000, 37_000, 37_000, 37_000]));
    assert_eq!(changed(&plan_of(&ours, "claude-code-micro", &above)), [2]);
    // At the level itself it acts.
    let size = ours.context(ours.session.active_leaf).projected;
    let from = |tokens: u64| [("above_context_tokens", json!(tokens))];
    assert_eq!(
        changed(&plan_of(&ours, "claude-code-micro", &from(size))),
        [2]
    );
    assert!(nothing(&ours, "claude-code-micro", &from(size + 1)));
}

#[test]
fn a_budget_by_hand_asks_neither_for_the_level_nor_for_the_gain() {
    let ours = read(&tools("read", &[10_000, 10_000, 10_000, 10_000, 10_000]));
    assert!(nothing(&ours, "claude-code-micro", &[]), "10,000 are saved");
    let by_hand = [("minimum_gain_tokens", json!(0))];
    assert_eq!(changed(&plan_of(&ours, "claude-code-micro", &by_hand)), [2]);
}

#[test]
fn context_editing_counts_what_was_sent_from_its_line_on() {
    let mut session = PiSession::new();
    for path in ["a.rs", "b.rs", "c.rs", "d.rs"] {
        session.assistant(Reply::new().call("read", json!({"path": path})));
        session.tool_result(&"abc ".repeat(100));
    }
    let ours = read(&session);
    let size = ours.context(ours.session.active_leaf).projected;
    let name = "anthropic-context-editing";
    let from = |tokens: u64| [("trigger_input_tokens", json!(tokens))];
    assert_eq!(changed(&plan_of(&ours, name, &from(size))), [1]);
    assert!(nothing(&ours, name, &from(size + 1)));
}

#[test]
fn a_section_of_the_notes_is_cut_at_2_000_tokens() {
    let tail = [
        ("tail_min_tokens", json!(10)),
        ("tail_min_text_messages", json!(2)),
    ];
    let plan = plan_of(&small_session(), "claude-code-notes", &tail);
    let line = format!("{}\n", "a".repeat(99));
    let notes = format!("# Session Title\nGears\n# Worklog\n{}", line.repeat(90));
    let stored = replay(&plan, &[reply(&notes)]).unwrap();
    assert_eq!(stored.matches(line.trim_end()).count(), 80);
    assert!(stored.contains("# Session Title\nGears\n"));
    assert!(stored.contains("cut off ...]\n\nDetails"));
}

#[test]
fn claude_codes_own_sessions_are_cut_with_all_their_items() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../formats/tests/fixtures/claude-code/valid");
    for name in ["linear.jsonl", "crlf.jsonl", "rewound.jsonl"] {
        let bytes = std::fs::read(folder.join(name)).unwrap();
        let ours = palimpsest_formats::InMemory::read(
            &palimpsest_formats::claude_code::ClaudeCode,
            name,
            bytes,
        );
        let plan = plan_of(&ours, "pi", &[("keep_recent_tokens", json!(1))]);
        let context = ours.context(ours.session.active_leaf);
        let said = context
            .items
            .iter()
            .filter(|item| item.kind == palimpsest_core::ItemKind::Message);
        let in_plan = plan.summarized.len() + plan.turn_prefix.len() + plan.kept.len();
        assert!(
            !plan.summarized.is_empty() || !plan.turn_prefix.is_empty(),
            "{name}"
        );
        assert!(
            in_plan >= said.count(),
            "{name}: items are missing from the plan"
        );
    }
}

/// Settings with which the preset has something to do on the small session.
fn set_for(name: &str) -> &'static [(&'static str, Value)] {
    static TAIL: LazyLock<[(&str, Value); 2]> = LazyLock::new(|| {
        [
            ("tail_min_tokens", json!(10)),
            ("tail_min_text_messages", json!(2)),
        ]
    });
    static FORM: LazyLock<[(&str, Value); 1]> =
        LazyLock::new(|| [("request", json!("transcript"))]);
    match name {
        "claude-code-notes" => &*TAIL,
        "claude-code" | "claude-code-auto" => &*FORM,
        _ => &[],
    }
}

/// The prompt of the first call with these instructions of the user.
fn prompt_with(ours: &InMemory, name: &str, text: &str) -> String {
    let instructions = Instructions {
        text: Some(text.to_owned()),
        replace: false,
    };
    match instructed(ours, name, set_for(name), instructions)
        .unwrap()
        .0
    {
        PlanOutcome::Compaction(plan) => plan.calls[0].prompt.clone(),
        PlanOutcome::Nothing { reason } => panic!("{reason:?}"),
    }
}

#[test]
fn instructions_are_appended_under_their_heading() {
    let ours = small_session();
    let added = "\n\nAdditional Instructions:\nOnly the numbers.\n";
    let context = "\n\nAdditional Instructions:\nUser context: Only the numbers.\n";
    for (name, expected) in [
        ("claude-code", added),
        ("claude-code-auto", added),
        ("claude-code-notes", added),
        ("claude-code-from", context),
        ("claude-code-up-to", context),
    ] {
        let prompt = prompt_with(&ours, name, "Only the numbers.");
        let (request, _) = prompt.split_once(expected).expect(name);
        // They follow the sections, and the order to use no tools ends the prompt.
        assert!(request.contains("</conversation>"), "{name}");
        assert!(!prompt.ends_with(expected), "{name}");
        let without = plan_of(&ours, name, set_for(name)).calls[0].prompt.clone();
        assert!(!without.contains("Additional Instructions"), "{name}");
    }
}

#[test]
fn the_notes_have_ten_sections() {
    let plan = plan_of(
        &small_session(),
        "claude-code-notes",
        set_for("claude-code-notes"),
    );
    let lines = plan.calls[0].prompt.lines();
    let headings: Vec<&str> = lines.filter(|line| line.starts_with("# ")).collect();
    assert_eq!(
        headings,
        [
            "# Session Title",
            "# Current State",
            "# Task specification",
            "# Files and Functions",
            "# Workflow",
            "# Errors & Corrections",
            "# Codebase and System Documentation",
            "# Learnings",
            "# Key results",
            "# Worklog",
        ]
    );
}
