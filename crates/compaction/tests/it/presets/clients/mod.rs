//! The presets of other clients and libraries, by the numbers and rules of each.

mod cline;
mod mux;
mod pairs;
mod resent;
mod rules;
mod zed;

use crate::common::{instructed, outcome, plan_of, read, small_session};
use palimpsest_compaction::assemble::NextItem;
use palimpsest_compaction::select::Fate;
use palimpsest_compaction::summarize::Overflow;
use palimpsest_compaction::{Instructions, NothingToDo, Plan, PlanError, PlanOutcome, Step};
use palimpsest_core::Role;
use palimpsest_formats::InMemory;
use palimpsest_testkit::session::{CompactionSpec, PiSession, Reply, ReplyUsage};
use serde_json::{Value, json};

/// User and assistant by turns, with messages of these sizes in tokens.
fn talk(sizes: &[usize]) -> InMemory {
    let mut session = PiSession::new();
    for (at, size) in sizes.iter().enumerate() {
        let text = "abc ".repeat(*size);
        match at % 2 {
            0 => session.user(&text),
            _ => session.assistant(Reply::new().text(&text)),
        };
    }
    read(&session)
}

/// Positions of the items with this fate.
fn with_fate(plan: &Plan, fate: Fate) -> Vec<usize> {
    let items = plan.items.iter().enumerate();
    let own = items.filter(|(_, item)| item.fate == fate);
    own.map(|(at, _)| at).collect()
}

fn kept(plan: &Plan) -> Vec<usize> {
    with_fate(plan, Fate::Kept)
}

fn nothing(ours: &InMemory, name: &str, set: &[(&str, Value)]) -> NothingToDo {
    match outcome(ours, name, set).unwrap().0 {
        PlanOutcome::Nothing { reason } => reason,
        PlanOutcome::Compaction(plan) => panic!("{name} planned {:?}", plan.items),
    }
}

#[test]
fn prompts_ask_for_the_headings_of_their_agent() {
    let ours = small_session();
    let always = [("fill_tokens", json!(0)), ("drain_tokens", json!(0))];
    for (name, set, headings) in [
        (
            "gemini-cli",
            &[][..],
            &[
                "<scratchpad>",
                "<overall_goal>",
                "<active_constraints>",
                "<key_knowledge>",
                "<artifact_trail>",
                "<file_system_state>",
                "<recent_actions>",
                "<task_state>",
            ][..],
        ),
        (
            "copilot-chat",
            &[],
            &[
                "Conversation Overview",
                "Technical Foundation",
                "Codebase Status",
                "Problem Resolution",
                "Progress Tracking",
                "Active Work State",
                "Recent Operations",
                "Continuation Plan",
            ],
        ),
        (
            "continue",
            &[],
            &[
                "Conversation Overview",
                "Active Development",
                "Technical Stack",
                "File Operations",
                "Solutions & Troubleshooting",
                "Outstanding Work",
            ],
        ),
        (
            "openhands",
            &[],
            &[
                "USER_CONTEXT",
                "TASK_TRACKING",
                "COMPLETED",
                "PENDING",
                "CURRENT_STATE",
                "CODE_STATE",
                "TESTS",
                "CHANGES",
                "DEPS",
                "VERSION_CONTROL_STATUS",
            ],
        ),
        (
            "factory-droid",
            &always,
            &[
                "Session Intent",
                "File Modifications",
                "Decisions Made",
                "Next Steps",
            ],
        ),
        (
            "letta-all",
            &[],
            &[
                "High level goals",
                "What happened",
                "Important details",
                "Errors and fixes",
                "Current state",
                "Optional next step",
                "Lookup hints",
                "at most 500 words",
            ],
        ),
    ] {
        let asked = plan_of(&ours, name, set).calls[0].prompt.clone();
        let missing: Vec<&&str> = headings
            .iter()
            .filter(|own| !asked.contains(**own))
            .collect();
        assert!(missing.is_empty(), "{name}: {missing:?}");
    }
}

#[test]
fn gemini_splits_at_the_first_prompt_behind_seven_tenths() {
    let even = talk(&[10; 20]);
    let plan = plan_of(&even, "gemini-cli", &[]);
    assert_eq!(kept(&plan), [14, 15, 16, 17, 18, 19]);
    let half = plan_of(&even, "gemini-cli", &[("keep_share", json!(0.5))]);
    assert_eq!(kept(&half).len(), 10);
    // No prompt lies behind the share: the model had the last word, so everything goes.
    let late = talk(&[10, 10, 10, 500]);
    assert!(kept(&plan_of(&late, "gemini-cli", &[])).is_empty());
    // A tool had the last word: the last prompt is the split.
    let mut session = PiSession::new();
    session.user("first");
    session.assistant(Reply::new().text("done"));
    session.user("second");
    session.assistant(Reply::new().call("read", json!({"path": "a.rs"})));
    session.tool_result(&"x ".repeat(500));
    let plan = plan_of(&read(&session), "gemini-cli", &[]);
    assert_eq!(kept(&plan), [2, 3, 4]);
    // And where it is the first prompt there is nothing to compress.
    let mut session = PiSession::new();
    session.user("only");
    session.assistant(Reply::new().call("read", json!({"path": "a.rs"})));
    session.tool_result("x");
    assert_eq!(
        nothing(&read(&session), "gemini-cli", &[]),
        NothingToDo::TooSmall
    );
}

#[test]
fn gemini_looks_its_snapshot_over() {
    let plan = plan_of(&talk(&[10; 20]), "gemini-cli", &[]);
    assert_eq!(plan.calls.len(), 2);
    assert_eq!(
        (plan.calls[1].step, plan.calls[1].after.as_slice()),
        (Step::Check, &[0][..])
    );
    let reply = "<scratchpad>hm</scratchpad>\n<state_snapshot>A</state_snapshot>";
    let sent = plan.calls[1].filled(|_| Some(plan.replies.cleaned(reply)));
    assert!(sent.prompt.contains("<state_snapshot>A</state_snapshot>"));
    assert!(!sent.prompt.contains("hm</scratchpad>"));
    let whole = plan.assemble(&["x", reply]).unwrap();
    assert_eq!(whole, "<state_snapshot>A</state_snapshot>");
    assert!(matches!(
        &plan.next[1],
        NextItem::Text {
            role: Role::Assistant,
            ..
        }
    ));
}

#[test]
fn truncation_keeps_the_beginning_and_drops_an_even_number() {
    let ours = talk(&[10; 12]);
    // Cline: two stay, of ten a half is five, so four go. Roo: one stays, of eleven likewise.
    let cline = plan_of(&ours, "cline-truncate", &[]);
    assert_eq!(with_fate(&cline, Fate::Summarized), [2, 3, 4, 5]);
    let roo = plan_of(&ours, "roo-truncate", &[]);
    assert_eq!(with_fate(&roo, Fate::Summarized), [1, 2, 3, 4]);
    assert!(matches!(roo.next[0], NextItem::Kept { item: 0, .. }));
    assert!(matches!(&roo.next[1], NextItem::Summary { .. }));
    assert!(matches!(roo.next[2], NextItem::Kept { item: 5, .. }));
    let three_quarters = plan_of(&ours, "cline-truncate", &[("window_tokens", json!(10))]);
    assert_eq!(
        with_fate(&three_quarters, Fate::Summarized),
        [2, 3, 4, 5, 6, 7]
    );
}

#[test]
fn roo_heads_its_summary() {
    let plan = plan_of(&small_session(), "roo", &[]);
    assert!(kept(&plan).is_empty());
    assert_eq!(
        plan.assemble(&[" S "]).unwrap(),
        "## Conversation Summary\nS"
    );
}

#[test]
fn clients_differ_in_what_they_show_and_leave_out() {
    let ours = small_session();
    let plan = |name: &str| plan_of(&ours, name, &[]);
    let shown = |name: &str| plan(name).calls[0].conversation().to_owned();
    assert!(!shown("goose").contains("Where are the gears?"));
    assert!(shown("continue").contains("Tool Output: Changed 1 line."));
    assert!(!shown("continue").contains("cargo test"));
    assert!(shown("copilot-chat").contains("cargo test"));
    assert!(!shown("copilot-chat-simple").contains("Changed 1 line."));
    assert_eq!(plan("goose").overflow, Overflow::MiddleOutToolResults);
    assert_eq!(plan("continue-cli").overflow, Overflow::DropNewest);
    let cleaned = plan("copilot-chat")
        .replies
        .cleaned("<analysis>a</analysis><summary>s</summary>");
    assert_eq!(cleaned, "s");
}

#[test]
fn letta_clips_what_is_too_long() {
    for name in ["letta", "letta-all"] {
        let plan = plan_of(&talk(&[10; 10]), name, &[]);
        assert_eq!(plan.assemble(&[&"x".repeat(60_000)]).unwrap().len(), 50_000);
        let all = plan_of(&talk(&[10; 10]), name, &[("clip_chars", json!(0))]);
        assert_eq!(all.assemble(&[&"x".repeat(60_000)]).unwrap().len(), 60_000);
    }
}

#[test]
fn droid_fills_up_and_drains_into_its_anchor() {
    let ours = talk(&[100; 10]);
    let lines =
        |fill: u64, drain: u64| [("fill_tokens", json!(fill)), ("drain_tokens", json!(drain))];
    let size = ours.context(ours.session.active_leaf).projected;
    assert_eq!(
        nothing(&ours, "factory-droid", &lines(size + 1, 250)),
        NothingToDo::TooSmall
    );
    let plan = plan_of(&ours, "factory-droid", &lines(size, 250));
    assert_eq!(kept(&plan), [8, 9]);
    let mut session = PiSession::new();
    session.user("first");
    session.assistant(Reply::new().text(&"before ".repeat(40)));
    session.user("kept then");
    session.compact(CompactionSpec::new("The anchor.").keep_recent(1));
    session.assistant(Reply::new().text("since"));
    session.user("now");
    let plan = plan_of(&read(&session), "factory-droid", &lines(0, 1));
    assert!(
        plan.calls[0]
            .prompt
            .contains("<previous-summary>\nThe anchor.\n")
    );
    assert!(plan.calls[0].conversation().contains("since"));
    assert!(!plan.calls[0].conversation().contains("before"));
}

#[test]
fn amp_writes_for_a_goal() {
    let ours = small_session();
    let prompt = |goal: Option<&str>, required: bool| -> Result<_, PlanError> {
        let instructions = Instructions {
            text: goal.map(str::to_owned),
            replace: false,
        };
        let set = [("require_instructions", json!(required))];
        match instructed(&ours, "amp-handoff", &set, instructions)?.0 {
            PlanOutcome::Compaction(plan) => Ok((kept(&plan), plan.calls[0].prompt.clone())),
            PlanOutcome::Nothing { reason } => panic!("{reason:?}"),
        }
    };
    let (stays, with) = prompt(Some("Build the clock."), true).unwrap();
    assert!(stays.is_empty());
    assert!(with.contains("has this goal:\n\nBuild the clock.\n"));
    for blank in [None, Some(""), Some(" \n")] {
        let refused = prompt(blank, true).unwrap_err();
        assert!(
            matches!(&refused, PlanError::NoInstructions { strategy } if strategy == "amp-handoff")
        );
        assert!(refused.to_string().contains("needs custom instructions"));
    }
    let (_, without) = prompt(None, false).unwrap();
    assert!(without.contains("the last request of the user"));
    assert!(!without.contains("has this goal"));
}

#[test]
fn langchain_keeps_twenty_and_shows_four_thousand_tokens() {
    let plan = plan_of(&talk(&[10; 25]), "langchain", &[]);
    assert_eq!(kept(&plan).len(), 20);
    assert_eq!(plan.calls[0].items, [0, 1, 2, 3, 4]);
    let large = plan_of(&talk(&[1_500; 25]), "langchain", &[]);
    assert_eq!(large.calls[0].items, [3, 4]);
    assert_eq!(with_fate(&large, Fate::Summarized), [0, 1, 2, 3, 4]);
    // Not one message fits: the last fifteen are shown.
    let huge = plan_of(&talk(&[4_001; 37]), "langchain", &[]);
    assert_eq!(huge.calls[0].items, (2..17).collect::<Vec<_>>());
    let few = talk(&[10; 20]);
    assert_eq!(nothing(&few, "langchain", &[]), NothingToDo::TooSmall);
}

#[test]
fn langchain_can_keep_tokens_and_moves_past_results() {
    let ours = talk(&[100; 10]);
    let by = |tokens: u64| {
        kept(&plan_of(
            &ours,
            "langchain",
            &[("suffix_tokens", json!(tokens))],
        ))
        .len()
    };
    assert_eq!((by(300), by(299), by(399), by(400)), (3, 2, 3, 4));
    // The suffix that fits begins with a result: it goes with its call.
    let ours = reads(3);
    let sizes = ours.context(ours.session.active_leaf).items;
    let three: u64 = sizes[3..].iter().map(|item| item.estimate).sum();
    let set = [("suffix_tokens", json!(three))];
    assert_eq!(kept(&plan_of(&ours, "langchain", &set)), [4, 5]);
    let set = [
        ("suffix_tokens", json!(three)),
        ("past_results", json!(false)),
    ];
    assert_eq!(kept(&plan_of(&ours, "langchain", &set)), [2, 3, 4, 5]);
}

/// A session of `count` reads, each with its result.
fn reads(count: usize) -> InMemory {
    let mut session = PiSession::new();
    for number in 0..count {
        session.assistant(Reply::new().call("read", json!({"path": format!("{number}.rs")})));
        session.tool_result(&"line of code\n".repeat(10));
    }
    read(&session)
}

#[test]
fn langchain_clears_all_but_three_results() {
    let name = "langchain-clear-tool-uses";
    let small = [("trigger_input_tokens", json!(0))];
    let plan = plan_of(&reads(5), name, &small);
    let cleared: Vec<usize> = plan.changes.iter().map(|change| change.item).collect();
    assert_eq!(cleared, [1, 3]);
    assert!(plan.calls.is_empty() && plan.summary.is_empty());
    assert_eq!(
        nothing(&reads(3), name, &small),
        NothingToDo::NothingCleared
    );
    // Below 100,000 tokens nothing is cleared.
    assert_eq!(nothing(&reads(5), name, &[]), NothingToDo::NothingCleared);
}

#[test]
fn langchain_clears_above_its_trigger_by_the_messages_alone() {
    let name = "langchain-clear-tool-uses";
    let ours = reads(5);
    let leaf = ours.session.active_leaf;
    let size = ours.context(leaf).estimated;
    let at = |tokens: u64| [("trigger_input_tokens", json!(tokens))];
    assert_eq!(nothing(&ours, name, &at(size)), NothingToDo::NothingCleared);
    assert_eq!(plan_of(&ours, name, &at(size - 1)).changes.len(), 2);
    // What the provider reports holds the system prompt and the tools as well.
    let mut session = PiSession::new();
    for number in 0..5 {
        let call = Reply::new().call("read", json!({"path": format!("{number}.rs")}));
        session.assistant(call.usage(ReplyUsage {
            input: 120_000,
            output: 10,
            ..ReplyUsage::default()
        }));
        session.tool_result(&"line of code\n".repeat(10));
    }
    let ours = read(&session);
    assert!(ours.context(ours.session.active_leaf).projected > 120_000);
    assert_eq!(nothing(&ours, name, &[]), NothingToDo::NothingCleared);
    let whole = [("above_in_messages", json!(false))];
    assert_eq!(plan_of(&ours, name, &whole).changes.len(), 2);
}

#[test]
fn letta_moves_three_tenths_out() {
    let plan = plan_of(&talk(&[10; 10]), "letta", &[]);
    assert_eq!(with_fate(&plan, Fate::Summarized), [0, 1, 2]);
    assert!(plan.calls[0].prompt.contains("at most 300 words"));
    assert!(kept(&plan_of(&talk(&[10; 10]), "letta-all", &[])).is_empty());
}

#[test]
fn openhands_counts_events() {
    let events = |count: usize| talk(&vec![10; count]);
    // Asked to, V1 halves the view: of 12 six are left, two first, the summary, and three.
    let v1 = plan_of(&events(12), "openhands", &[]);
    assert_eq!(kept(&v1), [0, 1, 9, 10, 11]);
    let place = v1
        .next
        .iter()
        .position(|next| matches!(next, NextItem::Summary { .. }));
    assert_eq!(place, Some(2));
    for name in ["openhands-llm", "openhands-recent", "openhands-amortized"] {
        assert_eq!(
            nothing(&events(100), name, &[]),
            NothingToDo::TooSmall,
            "{name}"
        );
    }
    // Beyond 100 V0 goes down to 50; only the first and the tail are left.
    let tail = |name: &str| kept(&plan_of(&events(101), name, &[])).len();
    assert_eq!(tail("openhands-llm"), 1 + 48);
    assert_eq!(tail("openhands-amortized"), 1 + 49);
    assert_eq!(tail("openhands-recent"), 1 + 99);
    assert!(
        plan_of(&events(101), "openhands-recent", &[])
            .calls
            .is_empty()
    );
}

#[test]
fn openhands_keeps_calls_with_their_results() {
    // The second message to be kept first is a call: its result stays as well.
    let mut session = PiSession::new();
    session.user("go");
    for number in 0..8 {
        session.assistant(Reply::new().call("read", json!({"path": format!("{number}.rs")})));
        session.tool_result("code");
    }
    let plan = plan_of(&read(&session), "openhands", &[]);
    // Of 17 eight are left; the tail of five would begin with a result, so its call stays.
    assert_eq!(kept(&plan), [0, 1, 2, 11, 12, 13, 14, 15, 16]);
}

#[test]
fn openhands_masks_what_is_behind_the_window() {
    let changed = |name: &str, ours: &InMemory, set: &[(&str, Value)]| -> Vec<usize> {
        let plan = plan_of(ours, name, set);
        plan.changes.iter().map(|change| change.item).collect()
    };
    let ours = reads(51);
    let name = "openhands-observation-masking";
    assert_eq!(changed(name, &ours, &[]), [1]);
    assert_eq!(nothing(&reads(50), name, &[]), NothingToDo::NothingCleared);
    let three = reads(3);
    let set = [("only_tools", json!(["read"]))];
    assert_eq!(changed("openhands-browser-masking", &three, &set), [1, 3]);
    assert_eq!(
        nothing(&three, "openhands-browser-masking", &[]),
        NothingToDo::NothingCleared
    );
}

#[test]
fn aider_keeps_half_its_limit_behind_a_reply() {
    // 4,000 of at most 4,096 tokens stay; what goes ends with a reply.
    let plan = plan_of(&talk(&[2_000; 10]), "aider", &[]);
    assert_eq!(kept(&plan), [8, 9]);
    // Three fit; so that what goes ends with a reply, the prompt before them stays too.
    let plan = plan_of(&talk(&[1_200; 10]), "aider", &[]);
    assert_eq!(kept(&plan), [6, 7, 8, 9]);
    let next = plan.next.iter().take(2).collect::<Vec<_>>();
    assert!(matches!(next[1], NextItem::Text { role: Role::Assistant, text, .. } if text == "Ok."));
    // Three messages over the limit all go, though the last would fit into half of it; of four
    // it stays with the prompt before it.
    let few = plan_of(&talk(&[4_500, 4_500, 10]), "aider", &[]);
    assert!(kept(&few).is_empty());
    let four = plan_of(&talk(&[4_500, 4_500, 10, 10]), "aider", &[]);
    assert_eq!(kept(&four), [2, 3]);
    // Within the limit nothing is done, however few they are.
    for within in [&[10; 3][..], &[10; 4], &[4_096, 4_096]] {
        assert_eq!(nothing(&talk(within), "aider", &[]), NothingToDo::TooSmall);
    }
    let shown = plan_of(
        &small_session(),
        "aider",
        &[("history_limit_tokens", json!(60))],
    );
    assert!(!shown.calls[0].conversation().contains("let teeth"));
    assert!(shown.calls[0].conversation().starts_with("# USER\n"));
}

#[test]
fn instructions_with_places_to_fill_in_are_said_to_go_as_they_are() {
    let notes = |text: &str, replace: bool| {
        let own = Instructions {
            text: Some(text.to_owned()),
            replace,
        };
        let (planned, _) = instructed(&small_session(), "codex", &[], own).unwrap();
        let PlanOutcome::Compaction(plan) = planned else {
            panic!("{planned:?}")
        };
        let sent = plan.calls.iter().any(|call| call.prompt.contains(text));
        (sent, plan.notes)
    };
    let said = "Custom instructions are sent verbatim; placeholders ({{...}}) in them are not \
                replaced. To insert the conversation or other values, edit the prompt of the \
                strategy.";
    let (sent, told) = notes("Summarize {{conversation} {{nonsense}}", true);
    assert!(sent);
    assert_eq!(told, [said]);
    assert_eq!(notes("Summarize {it}.", true), (true, Vec::new()));
}
