//! Rules of other clients that need a session of their own: what is carried on, what follows the
//! summary, what is refused.

use super::{kept, nothing, talk, with_fate};
use crate::common::{instructed, outcome, plan_of, planned, read, small_session};
use palimpsest_compaction::assemble::NextItem;
use palimpsest_compaction::select::Fate;
use palimpsest_compaction::{Instructions, NothingToDo, Plan, PlanError, PlanOutcome};
use palimpsest_core::Role;
use palimpsest_formats::InMemory;
use palimpsest_testkit::session::{CompactionSpec, PiSession, Reply};
use serde_json::json;

/// The texts that the next request has beside the summary.
fn texts(plan: &Plan) -> Vec<&str> {
    let texts = plan.next.iter().filter_map(|next| match next {
        NextItem::Text { text, .. } => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

#[test]
fn more_prompts_ask_for_the_headings_of_their_agent() {
    let ours = small_session();
    let cline = [("keep_recent_tokens", json!(30))];
    let few = [("count", json!(4))];
    let always = [("fill_tokens", json!(0)), ("drain_tokens", json!(0))];
    for (name, set, headings) in [
        (
            "cline",
            &cline[..],
            &[
                "## Goal",
                "## State",
                "Done:",
                "In progress:",
                "Blocked:",
                "## Highlights",
                "## Next",
                "## Files",
                "Read:",
                "Edited:",
            ][..],
        ),
        (
            "cline-summarize-task",
            &[],
            &[
                "1. Request",
                "7. Task Evolution",
                "word for word",
                "10. Required Files",
            ],
        ),
        (
            "roo",
            &[],
            &[
                "1. Previous Conversation",
                "2. Current Work",
                "3. Key Technical Concepts",
                "4. Relevant Files and Code",
                "5. Errors and Fixes",
                "6. Problem Solving",
                "7. All User Messages",
                "8. Pending Tasks",
                "9. Next Step",
            ],
        ),
        (
            "zed",
            &[],
            &[
                "## Goal",
                "## State",
                "## Context",
                "## Next",
                "## Pitfalls",
            ],
        ),
        (
            "amp-handoff",
            &[],
            &["## Goal", "## Context", "## Relevant Files"],
        ),
        ("continue", &[], &["third person", "exact identifiers"]),
        (
            "langchain",
            &few,
            &[
                "## SESSION INTENT\n",
                "## SUMMARY\n",
                "## ARTIFACTS\n",
                "## NEXT STEPS\n",
            ],
        ),
        (
            "letta",
            &[],
            &[
                "**High level goals**",
                "**What happened**",
                "**Important details**",
                "**Errors and fixes**",
                "**Lookup hints**",
            ],
        ),
        (
            "mux",
            &[],
            &[
                "overall goal and the current task",
                "## Decisions\n[What was decided and why]",
                "## State of the Work",
                "## Technical Details\n[Paths, functions, configuration]",
                "## Errors\n[What went wrong and how it was solved]",
                "## Open Issues",
                "do not suggest next steps",
            ],
        ),
        (
            "factory-droid-scratchpad",
            &always,
            &[
                "## Session Intent",
                "## File Modifications",
                "## Decisions Made",
                "## Next Steps",
                "## Scratchpad",
            ],
        ),
        ("aider", &[], &[]),
    ] {
        let set: Vec<_> = match name {
            "aider" => vec![("history_limit_tokens", json!(60))],
            _ => set.to_vec(),
        };
        let plan = plan_of(&ours, name, &set);
        let asked = plan.calls[0].prompt.to_lowercase();
        let missing: Vec<&&str> = headings
            .iter()
            .filter(|own| !asked.contains(&own.to_lowercase()))
            .collect();
        assert!(missing.is_empty(), "{name}: {missing:?}");
    }
    let aider = plan_of(&ours, "aider", &[("history_limit_tokens", json!(60))]);
    for word in [
        "\"I asked you\"",
        "functions, libraries, packages and file names",
        "No fenced",
    ] {
        assert!(aider.calls[0].system.contains(word), "{word}");
    }
}

/// A session that was compacted to "The anchor." and went on.
fn compacted(since: usize) -> PiSession {
    let mut session = PiSession::new();
    session.user("first");
    session.assistant(Reply::new().text("before"));
    session.compact(CompactionSpec::new("The anchor.").keep_nothing());
    for number in 0..since {
        match number % 2 {
            0 => session.user(&format!("since {number}")),
            _ => session.assistant(Reply::new().text(&format!("since {number}"))),
        };
    }
    session
}

#[test]
fn an_earlier_summary_is_given_first_and_folded_in() {
    let ours = read(&compacted(6));
    for name in [
        "gemini-cli",
        "cline",
        "copilot-chat",
        "roo",
        "goose",
        "continue",
        "continue-cli",
        "aider",
        "zed",
    ] {
        let set: Vec<_> = match name {
            "cline" => vec![("keep_recent_tokens", json!(1))],
            "aider" => vec![("history_limit_tokens", json!(1))],
            _ => Vec::new(),
        };
        let plan = plan_of(&ours, name, &set);
        let prompt = &plan.calls[0].prompt;
        let (anchor, since) = (prompt.find("The anchor."), prompt.find("since 0"));
        assert!(anchor.is_some() && anchor < since, "{name}: {prompt}");
        assert_eq!(
            plan.previous_summary.as_deref(),
            Some("The anchor."),
            "{name}"
        );
        assert!(!prompt.contains("before\n"), "{name}");
    }
}

#[test]
fn a_summary_on_the_chosen_message_is_made_again_from_before_it() {
    // Standing on a compaction nothing is planned; the state before it is planned at its parent.
    let session = compacted(0);
    let ours = read(&session);
    for name in ["continue", "roo", "goose"] {
        assert_eq!(nothing(&ours, name, &[]), NothingToDo::AlreadyCompacted);
    }
}

#[test]
fn copilot_can_cut_inside_a_turn() {
    let mut session = PiSession::new();
    session.user("Do it.");
    for number in 0..3 {
        session.assistant(Reply::new().call("read", json!({"path": format!("{number}.rs")})));
        session.tool_result(&format!("code {number}"));
    }
    let plan = plan_of(&read(&session), "copilot-chat", &[]);
    assert!(kept(&plan).is_empty() && plan.turn_prefix.is_empty());
    assert_eq!(plan.summarized.len(), 7);
    assert!(plan.calls[0].conversation().ends_with("code 2"));
}

#[test]
fn continues_command_line_drops_the_end_with_its_call() {
    let mut session = PiSession::new();
    session.user("Begin.");
    session.assistant(Reply::new().text("Begun."));
    session.user("Read it.");
    session.assistant(Reply::new().call("read", json!({"path": "a.rs"})));
    session.tool_result(&"code ".repeat(800));
    let ours = read(&session);
    let whole = plan_of(&ours, "continue-cli", &[]);
    assert!(matches!(
        &whole.next[0],
        NextItem::Summary {
            role: Role::Assistant,
            ..
        }
    ));
    let limit = [("max_input_tokens", json!(400))];
    let plan = plan_of(&ours, "continue-cli", &limit);
    assert_eq!(plan.calls[0].items, [0, 1, 2]);
    assert_eq!(with_fate(&plan, Fate::Dropped), [3, 4]);
    let shown = match &plan.next[0] {
        NextItem::Summary { parts, .. } => format!("{parts:?}"),
        other => panic!("{other:?}"),
    };
    assert!(shown.contains("[COMPACTED HISTORY]\\n"), "{shown}");
}

#[test]
fn roo_carries_commands_on_and_folds_files() {
    let mut session = PiSession::new();
    let command = "<command name=\"init\">\nLook around.\n</command>";
    session.user(&format!("Do {command} now."));
    session.assistant(Reply::new().call("read", json!({"path": "src/gears.rs"})));
    session.tool_result("use std::fmt;\n\npub fn turn() {\n    step();\n}\nstruct Gear;\n");
    session.assistant(Reply::new().call("read", json!({"path": "README.md"})));
    session.tool_result("Nothing is defined here.");
    let made = json!({"path": "src/clock.rs", "content": "impl Clock {\n"});
    session.assistant(Reply::new().call("write", made));
    session.tool_result("ok");
    session.user("<commands>not one</commands>");
    let plan = plan_of(&read(&session), "roo", &[]);
    let stored = plan.assemble(&["S"]).unwrap();
    assert!(stored.starts_with("## Conversation Summary\nS\n\n"));
    assert!(stored.ends_with(&format!(":\n{command}")), "{stored}");
    assert_eq!(
        texts(&plan),
        [
            "src/clock.rs defines, by line:\n\n1 | impl Clock {",
            "src/gears.rs defines, by line:\n\n3 | pub fn turn() {\n6 | struct Gear;",
        ]
    );
    let few = [("max_definition_chars", json!(50))];
    assert_eq!(texts(&plan_of(&read(&session), "roo", &few)).len(), 1);
    // The next summary carries them on from this one.
    session.compact(CompactionSpec::new(&stored).keep_nothing());
    session.user("More.");
    session.assistant(Reply::new().text("Done."));
    let again = plan_of(&read(&session), "roo", &[]);
    assert!(
        again
            .assemble(&["T"])
            .unwrap()
            .ends_with(&format!(":\n{command}"))
    );
    let bare = [("carry_tags", json!([]))];
    let bare = plan_of(&read(&session), "roo", &bare);
    assert_eq!(bare.assemble(&["T"]).unwrap(), "## Conversation Summary\nT");
}

#[test]
fn roo_folds_what_a_message_wrote_last() {
    let written = |path: &str, content: &str| json!({"path": path, "content": content});
    let mut session = PiSession::new();
    session.user("Write both.");
    let reply = Reply::new()
        .call("write", written("clock.rs", "struct Early;"))
        .call("write", written("gears.rs", "struct Gear;"))
        .call("write", written("clock.rs", "struct Late;"));
    session.assistant(reply);
    session.tool_result("ok");
    assert_eq!(
        texts(&plan_of(&read(&session), "roo", &[])),
        [
            "clock.rs defines, by line:\n\n1 | struct Late;",
            "gears.rs defines, by line:\n\n1 | struct Gear;",
        ]
    );
}

#[test]
fn results_belong_to_the_nearest_call_of_their_id() {
    // Models whose provider gives no ids count their calls from one in every turn.
    let mut session = PiSession::new();
    for (path, code) in [("clock.rs", "struct Clock;"), ("gears.rs", "struct Gear;")] {
        session.user("Read on.");
        let reply = Reply::new().call_with_id("call_1", "read", json!({"path": path}));
        session.assistant(reply);
        session.tool_result(code);
    }
    assert_eq!(
        texts(&plan_of(&read(&session), "roo", &[])),
        [
            "gears.rs defines, by line:\n\n1 | struct Gear;",
            "clock.rs defines, by line:\n\n1 | struct Clock;",
        ]
    );
}

#[test]
fn roo_carries_the_newest_surroundings_on() {
    let details = |text: &str| format!("<environment_details>\n{text}\n</environment_details>");
    let mut session = PiSession::new();
    let command = "<command>look</command>";
    session.user(&format!("Go. {command}\n{}", details("old")));
    session.assistant(Reply::new().text("Gone."));
    session.user(&format!("On.\n{}", details("new")));
    let plan = plan_of(&read(&session), "roo", &[]);
    let stored = plan.assemble(&["S"]).unwrap();
    assert!(
        stored.ends_with(&format!(":\n{command}\n\n{}", details("new"))),
        "{stored}"
    );
    assert!(!stored.contains("old"));
    // When it was asked for there are none.
    let asked = [("carry_newest_tags", json!([]))];
    let asked = plan_of(&read(&session), "roo", &asked)
        .assemble(&["S"])
        .unwrap();
    assert!(asked.ends_with(&format!(":\n{command}")), "{asked}");
    // The next summary has newer ones, or else the same.
    session.compact(CompactionSpec::new(&stored).keep_nothing());
    session.user("More.");
    session.assistant(Reply::new().text("Done."));
    let again = plan_of(&read(&session), "roo", &[])
        .assemble(&["T"])
        .unwrap();
    assert!(again.ends_with(&details("new")), "{again}");
    session.user(&details("newest"));
    let again = plan_of(&read(&session), "roo", &[])
        .assemble(&["T"])
        .unwrap();
    assert!(
        again.ends_with(&details("newest")) && !again.contains("\nnew\n"),
        "{again}"
    );
}

#[test]
fn copilot_asks_for_no_temperature_and_has_5_percent_more_for_its_cache() {
    let ours = small_session();
    for name in ["copilot-chat", "copilot-chat-simple"] {
        let plan = plan_of(&ours, name, &[]);
        assert_eq!(plan.calls[0].temperature, Some(0.0), "{name}");
        let fallbacks = plan.fallbacks.iter().flat_map(|own| &own.plan.calls);
        assert!(
            fallbacks
                .into_iter()
                .all(|call| call.temperature == Some(0.0))
        );
        let own = [("temperature", json!(null))];
        assert_eq!(plan_of(&ours, name, &own).calls[0].temperature, None);
    }
    assert_eq!(plan_of(&ours, "roo", &[]).calls[0].temperature, None);
    let set = [("temperature", json!(0.5)), ("slice_tokens", json!(16))];
    let slices = plan_of(&ours, "parallel-stitch", &set);
    assert!(
        slices
            .calls
            .iter()
            .all(|call| call.temperature == Some(0.5))
    );
    // A budget of which the call needs 1.05 times as much.
    let needs = plan_of(&ours, "copilot-chat", &[]).calls[0].input_tokens;
    let budget = (needs as f64 / 1.05).ceil() as u64;
    let fits = |factor: f64| {
        let set = [
            ("max_input_tokens", json!(budget)),
            ("max_input_factor", json!(factor)),
        ];
        let plan = plan_of(&ours, "copilot-chat", &set);
        plan.calls[0].input_tokens == needs
    };
    assert!(fits(1.05));
    assert!(!fits(1.0), "then the plain text is what fits");
}

#[test]
fn roo_says_when_there_is_too_little() {
    let one = talk(&[10]);
    assert_eq!(nothing(&one, "roo", &[]), NothingToDo::TooSmall);
    assert_eq!(
        nothing(&read(&compacted(1)), "roo", &[]),
        NothingToDo::CompactedRecently
    );
    assert_eq!(
        plan_of(&read(&compacted(2)), "roo", &[]).summarized.len(),
        2
    );
}

#[test]
fn a_result_that_roo_puts_in_is_counted() {
    let mut session = PiSession::new();
    session.user("go");
    let mut calls = Reply::new().text("I look.");
    for number in 0..40 {
        calls = calls.call("read", json!({"path": format!("{number}.rs")}));
    }
    session.assistant(calls);
    session.user("Never mind.");
    let call = plan_of(&read(&session), "roo", &[]).calls.remove(0);
    let units: u64 = call.parts.iter().map(|part| part.units).sum();
    assert_eq!(units, call.conversation().encode_utf16().count() as u64);
}

#[test]
fn roo_answers_orphans_and_shows_no_images() {
    let mut session = PiSession::new();
    session.user_blocks(json!([
        {"type": "text", "text": "See."},
        {"type": "image", "data": "AAAA", "mimeType": "image/png"},
    ]));
    let calls = Reply::new()
        .call("read", json!({"path": "a.rs"}))
        .call("read", json!({"path": "b.rs"}));
    session.assistant(calls);
    session.tool_result("code");
    session.user("Stop.");
    session.assistant(Reply::new().call("bash", json!({"command": "ls"})));
    let plan = plan_of(&read(&session), "roo", &[]);
    let shown = plan.calls[0].conversation();
    let missing = "[Tool Result] The call was interrupted and has no result.";
    assert_eq!(shown.matches(missing).count(), 2, "{shown}");
    assert!(shown.contains(&format!("[Tool Result] code\n\n{missing}\n\nUser: Stop.")));
    assert!(shown.ends_with(missing));
    assert!(shown.starts_with("User: See.\n\n") && !shown.contains("AAAA"));
    let plain = plan_of(&read(&session), "roo", &[("orphan_result", json!(""))]);
    assert!(!plain.calls[0].conversation().contains("interrupted"));
}

#[test]
fn own_words_take_the_place_of_roos_prompt() {
    let own = Instructions {
        text: Some("Only the errors.".into()),
        replace: true,
    };
    let asked = instructed(&small_session(), "roo", &[], own);
    let PlanOutcome::Compaction(plan) = asked.unwrap().0 else {
        panic!("nothing planned");
    };
    assert!(
        plan.calls[0]
            .prompt
            .ends_with("</conversation>\n\nOnly the errors.")
    );
}

#[test]
fn goose_has_three_ways_to_go_on() {
    let text = |session: &PiSession, name: &str| {
        let plan = plan_of(&read(session), name, &[]);
        let said: Vec<String> = texts(&plan).into_iter().map(str::to_owned).collect();
        (said, kept(&plan))
    };
    let mut session = PiSession::new();
    session.user("Wind the clock.");
    session.assistant(Reply::new().text("Wound."));
    session.user("Now the gears.");
    // The prompt waits for its answer: it stays, behind the summary.
    let (said, stays) = text(&session, "goose-auto");
    assert!(said[0].contains("Answer the user's next message"));
    assert_eq!((said.len(), stays), (1, vec![2]));
    // In the middle of tool calls it was summarized, and is given again.
    session.assistant(Reply::new().call("read", json!({"path": "a.rs"})));
    session.tool_result("code");
    let (said, stays) = text(&session, "goose-auto");
    assert!(said[0].contains("in the middle of tool calls"));
    assert_eq!((said[1].as_str(), stays.len()), ("Now the gears.", 0));
    // Asked for by the user.
    let (said, stays) = text(&session, "goose");
    assert!(said[0].contains("because the user asked for it"));
    assert_eq!((said.len(), stays.len()), (1, 0));
}

#[test]
fn zed_leaves_a_prompt_that_waits_behind_the_summary() {
    let waiting = talk(&[10, 10, 10]);
    let plan = plan_of(&waiting, "zed", &[]);
    assert_eq!(kept(&plan), [2]);
    assert!(matches!(
        plan.next.last(),
        Some(NextItem::Kept { item: 2, .. })
    ));
    assert_eq!(
        texts(&plan).len(),
        1,
        "the first prompt goes on in the user's words"
    );
    assert!(kept(&plan_of(&talk(&[10; 4]), "zed", &[])).is_empty());
}

#[test]
fn clines_basic_way_tells_lines_and_keeps_the_newest_image() {
    let mut session = PiSession::new();
    let image = |text: &str| {
        json!([
            {"type": "text", "text": text},
            {"type": "image", "data": "AAAA", "mimeType": "image/png"},
        ])
    };
    session.user("Go.");
    session.assistant(Reply::new().call("read", json!({"path": "a.rs", "offset": 21, "limit": 3})));
    session.tool_result("one\ntwo\nthree\n");
    let edit = json!({"path": "a.rs", "edits": [{"oldText": "two\nthree", "newText": "2\n3", "start_line": 22, "end_line": 23}]});
    session.assistant(Reply::new().call("edit", edit));
    session.tool_result("ok");
    session.user_blocks(image("Like this."));
    session.assistant(Reply::new().text("Yes."));
    session.user_blocks(image("Or this."));
    let ours = read(&session);
    // What stays begins with the first image: only that of the newest message stays.
    let plan = plan_of(
        &ours,
        "cline-basic",
        &[("keep_recent_tokens", json!(2_000))],
    );
    assert_eq!(kept(&plan), [5, 6, 7]);
    let changed: Vec<usize> = plan.changes.iter().map(|change| change.item).collect();
    assert_eq!(changed, [5]);
    let told = plan.assemble(&[]).unwrap();
    assert!(
        told.contains("## Files Read\n- a.rs (lines 21-23)\n"),
        "{told}"
    );
    assert!(
        told.contains("## Files Edited\n- a.rs (lines 22-23)"),
        "{told}"
    );
}

#[test]
fn clines_task_summary_keeps_the_first_pair_and_gives_files_again() {
    let mut session = PiSession::new();
    session.user("Task.");
    session.assistant(Reply::new().text("On it."));
    session.user("More.");
    session.assistant(Reply::new().call("read", json!({"path": "a.rs"})));
    session.tool_result("fn a() {}");
    session.assistant(Reply::new().text("Seen."));
    let plan = plan_of(&read(&session), "cline-summarize-task", &[]);
    assert_eq!(kept(&plan), [0, 1]);
    assert!(matches!(plan.next[2], NextItem::Summary { .. }));
    assert_eq!(texts(&plan), ["a.rs as it was last read:\n\nfn a() {}"]);
}

#[test]
fn aiders_head_is_no_larger_than_the_model_takes() {
    let limits = [
        ("history_limit_tokens", json!(100)),
        ("max_span_tokens", json!(250)),
    ];
    let plan = plan_of(&talk(&[100; 8]), "aider", &limits);
    // Of what goes the newest that fits is shown; all of it is summarized.
    assert_eq!(plan.calls[0].items, [6, 7]);
    assert_eq!(plan.summarized.len(), 8);
}

#[test]
fn amp_hands_files_over() {
    let plan = plan_of(&small_session(), "amp-handoff", &[]);
    let draft = plan.assemble(&["Draft."]).unwrap();
    assert!(draft.starts_with("Draft.") && draft.contains("src/gears.rs"));
}

#[test]
fn droids_update_is_a_merge() {
    let lines = [("fill_tokens", json!(0)), ("drain_tokens", json!(1))];
    let plan = plan_of(&read(&compacted(4)), "factory-droid", &lines);
    assert!(plan.calls[0].prompt.contains("Do not write it anew"));
    // Filling and draining are two knobs.
    let full = [
        ("fill_tokens", json!(1_000_000)),
        ("drain_tokens", json!(1)),
    ];
    assert_eq!(
        nothing(&read(&compacted(4)), "factory-droid", &full),
        NothingToDo::TooSmall
    );
}

#[test]
fn a_fallback_that_leads_nowhere_is_no_part_of_the_plan() {
    let list = json!([{"meaning": "none", "strategy": "gemini-cli-truncate"}]);
    let (plan, _) = planned(&small_session(), "goose", &[("summarize.fallbacks", list)]);
    assert!(plan.fallbacks.is_empty());
    let odd = json!([{"meaning": "none", "on": ["rain"]}]);
    let refused = outcome(&small_session(), "goose", &[("summarize.fallbacks", odd)]).unwrap_err();
    assert!(matches!(refused, PlanError::Params(_)), "{refused}");
}

#[test]
fn letta_caps_tool_returns_at_2_000_characters() {
    for name in ["letta", "letta-all"] {
        let mut session = PiSession::new();
        session.assistant(Reply::new().call("read", json!({"path": "a"})));
        session.tool_result(&"x".repeat(2_001));
        for _ in 0..8 {
            session.user("go on");
        }
        let plan = plan_of(&read(&session), name, &[]);
        let shown = plan.calls[0].conversation().matches('x').count();
        assert_eq!(shown, 2_000, "{name}");
    }
}

#[test]
fn cline_is_content_when_repeated_reads_are_three_tenths() {
    // Both reads have 300 tokens; what the user says makes up for the rest.
    let session = |total: u64| {
        let with = |filler: usize| {
            let mut session = PiSession::new();
            session.user(&"abc ".repeat(filler));
            for _ in 0..2 {
                session.assistant(Reply::new().call("read", json!({"path": "a.rs"})));
                session.tool_result(&"abc ".repeat(300));
            }
            for _ in 0..4 {
                session.assistant(Reply::new().text("Seen."));
                session.user("Go on.");
            }
            read(&session)
        };
        let tokens = |ours: &InMemory| -> u64 {
            let items = ours.context(ours.session.active_leaf).items;
            items.iter().map(|item| item.estimate).sum()
        };
        let ours = with((total - tokens(&with(1)) + 1) as usize);
        assert_eq!(tokens(&ours), total);
        ours
    };
    let goes = |total: u64| {
        let plan = plan_of(&session(total), "cline-truncate", &[]);
        !with_fate(&plan, Fate::Summarized).is_empty()
    };
    assert!(!goes(1_000), "300 of 1,000 are enough");
    assert!(goes(1_001), "300 of 1,001 are not");
}
