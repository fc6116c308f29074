//! Mux's own rules: what its summary has to be, the changes it gives again, its local strategies.

use super::*;

#[test]
fn mux_asks_for_words_and_refuses_a_leaked_call() {
    let ours = small_session();
    let plan = plan_of(&ours, "mux", &[]);
    assert!(plan.calls[0].prompt.contains("about 2000 words"));
    assert!(plan.replies.refuse_json && !plan.replies.accept_empty);
    assert!(matches!(
        &plan.next[0],
        NextItem::Summary {
            role: Role::Assistant,
            ..
        }
    ));
    // 1,300 tokens at 1.3 a word.
    let short = plan_of(&ours, "mux", &[("max_output_tokens", json!(1_300))]);
    assert!(short.calls[0].prompt.contains("about 1000 words"));
}

/// Texts of the next request that are put in.
fn put_in(plan: &Plan) -> Vec<&str> {
    let texts = plan.next.iter().filter_map(|item| match item {
        NextItem::Text { text, .. } => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

#[test]
fn mux_gives_the_changes_to_the_files_edited_last_again() {
    let mut session = PiSession::new();
    session.user("go");
    let mut edit = |path: &str, old: &str, new: &str| {
        let arguments = json!({"path": path, "oldText": old, "newText": new});
        session.assistant(Reply::new().call("edit", arguments));
        session.tool_result("ok");
    };
    for number in 0..12 {
        edit(&format!("{number:02}.rs"), "a", "b");
    }
    edit("03.rs", "c", "d");
    session.assistant(Reply::new().call(
        "edit",
        json!({"path": "11.rs", "oldText": "x", "newText": "y"}),
    ));
    session.tool_error("no such text");
    session.assistant(Reply::new().call("write", json!({"path": "05.rs", "content": "new\nfile"})));
    session.tool_result("ok");
    let ours = read(&session);
    let plan = plan_of(&ours, "mux", &[]);
    let texts = put_in(&plan);
    // Ten at most, the newest edit of each path first; what failed is none.
    let first: Vec<&str> = texts
        .iter()
        .filter_map(|text| text.lines().next())
        .collect();
    assert_eq!(first.len(), 10);
    assert_eq!(
        first[..3],
        [
            "Changes made to 05.rs:",
            "Changes made to 03.rs:",
            "Changes made to 11.rs:"
        ]
    );
    assert_eq!(texts[0], "Changes made to 05.rs:\n\n+new\n+file");
    assert_eq!(texts[1], "Changes made to 03.rs:\n\n-a\n+b\n…\n-c\n+d");
    assert_eq!(texts[2], "Changes made to 11.rs:\n\n-a\n+b");
    // 50,000 characters of each.
    let short = plan_of(&ours, "mux", &[("max_diff_chars", json!(5))]);
    assert_eq!(
        put_in(&short)[1],
        "Changes made to 03.rs:\n\n-a\n+b\n[... the rest of these changes was cut off ...]"
    );
    let default = plan_of(&ours, "mux", &[]).params;
    assert_eq!(
        (&default["max_diff_chars"], &default["max_edited_files"]),
        (&json!(50_000), &json!(10))
    );
    // They come after the summary.
    assert!(matches!(&plan.next[0], NextItem::Summary { .. }));
}

#[test]
fn mux_knows_what_the_user_wants_to_continue_with() {
    let asked = |ours: &InMemory| plan_of(ours, "mux", &[]).calls[0].prompt.clone();
    assert!(!asked(&small_session()).contains("wants to continue with"));
    let mut session = PiSession::new();
    session.user("first");
    session.assistant(Reply::new().text("done"));
    session.user("Now the clock.");
    assert!(asked(&read(&session)).contains("The user wants to continue with: Now the clock."));
}

#[test]
fn mux_has_local_strategies_that_keep_16_000_tokens() {
    // 4 x 4,000 stay; a result is shown up to 4,000 characters.
    let mut session = PiSession::new();
    session.user("go");
    session.assistant(Reply::new().call("read", json!({"path": "a.rs"})));
    session.tool_result(&"x".repeat(5_000));
    for at in 0..6 {
        let text = "abc ".repeat(4_000);
        match at % 2 {
            0 => session.user(&text),
            _ => session.assistant(Reply::new().text(&text)),
        };
    }
    let ours = read(&session);
    for name in ["mux-pi-local", "mux-hybrid-local"] {
        let plan = plan_of(&ours, name, &[]);
        assert_eq!(kept(&plan), [5, 6, 7, 8], "{name}");
        let call = &plan.calls[0];
        assert!(call.system.contains("kept beside your") && call.system.contains("repeat nothing"));
        assert!(call.conversation().contains(&"x".repeat(4_000)), "{name}");
        assert!(
            call.conversation()
                .contains("[... 1000 more characters truncated]"),
            "{name}"
        );
        assert!(plan.replies.refuse_json, "{name}");
        assert!(
            matches!(
                &plan.next[0],
                NextItem::Summary {
                    role: Role::Assistant,
                    ..
                }
            ),
            "{name}"
        );
    }
}

#[test]
fn a_heartbeat_of_mux_asks_no_model_and_carries_no_summary_on() {
    let mut session = PiSession::new();
    session.user("go");
    session.assistant(Reply::new().text("gone"));
    session.compact(CompactionSpec::new("The summary before.").keep_nothing());
    session.user("edit it");
    let arguments = json!({"path": "a.rs", "oldText": "old", "newText": "new"});
    session.assistant(Reply::new().call("edit", arguments));
    session.tool_result("ok");
    let plan = plan_of(&read(&session), "mux-heartbeat", &[]);
    assert!(plan.calls.is_empty() && kept(&plan).is_empty());
    assert!(matches!(
        &plan.next[0],
        NextItem::Summary {
            role: Role::Assistant,
            ..
        }
    ));
    let text = plan.assemble(&[]).unwrap();
    assert!(text.starts_with("The conversation was reset"), "{text}");
    assert!(!text.contains("The summary before."), "{text}");
    let [changes] = put_in(&plan)[..] else {
        panic!("{:?}", plan.next)
    };
    assert!(changes.contains("a.rs"), "{changes}");
}
