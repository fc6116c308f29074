//! What Copilot's events mean: conversations of subagents, forks, compactions that run beside the
//! conversation, what is cut away, and the order of results.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use crate::common::fixtures_of;
use palimpsest_core::entry::Trigger;
use palimpsest_core::{EntryIx, EntryKind, LinkKind, Role};
use palimpsest_formats::copilot::Copilot;
use palimpsest_formats::{InMemory, Reading, SessionFormat};

fn read(stem: &str) -> InMemory {
    let files = fixtures_of(&Copilot, &["valid", "invalid"]);
    files
        .iter()
        .find(|file| file.stem() == stem)
        .unwrap()
        .read()
}

/// The texts of the context at an entry, the system prompt left out, with the names of their roles.
fn sent(ours: &InMemory, at: EntryIx) -> Vec<(&'static str, String)> {
    let context = ours.context(Some(at));
    let items = context.items.iter().filter(|item| item.sent);
    items
        .filter(|item| item.role != Role::System)
        .map(|item| {
            let message = ours.format.item_message(&ours.session, item, ours).unwrap();
            (item.native_role, message.text("+"))
        })
        .collect()
}

fn find(ours: &InMemory, words: &str) -> EntryIx {
    let found = ours.session.indices().find(|&ix| {
        let entry = ours.session.entry(ix);
        entry.preview.contains(words) && !entry.messages.is_empty()
    });
    found.unwrap_or_else(|| panic!("no entry with {words}"))
}

fn leaf(ours: &InMemory) -> EntryIx {
    ours.session.active_leaf.unwrap()
}

#[test]
fn results_are_sent_in_the_order_of_the_calls() {
    let ours = read("linear-resumed");
    let results: Vec<String> = sent(&ours, leaf(&ours))
        .into_iter()
        .filter(|(role, _)| *role == "tool")
        .map(|(_, text)| text.lines().next().unwrap().to_owned())
        .collect();
    let stored = [
        "const CANDELA: u32 = 40_000;",
        "12 lamp.rs",
        "struct Mirror;",
        "File /home/ada/lighthouse/lamp.rs updated with changes.",
    ];
    assert_eq!(results, stored);
}

#[test]
fn usage_is_that_of_the_reply_behind_it() {
    let ours = read("linear-resumed");
    let reply = ours.session.entry(find(&ours, "It now has 80,000"));
    let usage = reply.usage.unwrap();
    assert_eq!((usage.input, usage.cache_read, usage.output), (600, 600, 9));
    assert_eq!(&*reply.model.as_ref().unwrap().model, "claude-sonnet-4.5");
    let at = Some(leaf(&ours));
    assert_eq!(
        ours.format.window(&ours.session, &ours.tree, at),
        Some(200_000)
    );
    let context = ours.context(at);
    assert_eq!(context.reported.unwrap().tokens, 1209);
    assert_eq!(context.thinking_level.as_deref(), Some("high"));
    assert_eq!(ours.session.meta.title.as_deref(), Some("A brighter lamp"));
    assert_eq!(ours.session.meta.branches, ["main", "brighter"]);
}

#[test]
fn a_compaction_by_command_leaves_all_prompts_and_the_newest_summary() {
    let ours = read("compacted-by-command");
    let texts = sent(&ours, leaf(&ours));
    let prompts: Vec<&str> = texts
        .iter()
        .filter(|(role, _)| *role == "prompt")
        .map(|(_, text)| text.as_str())
        .collect();
    let asked = [
        "Remember: the tower has 199 steps.",
        "Count the lamps.",
        "Are they clean?",
    ];
    assert_eq!(prompts, asked);
    assert_eq!(texts.len(), 6);
    assert!(texts[3].1.contains("(summary 2)"));
    assert!(texts[4].1.starts_with("<current_datetime>"));
    let context = ours.context(Some(leaf(&ours)));
    let system = &context.items[0];
    assert_eq!(system.role, Role::System);
    let EntryKind::Compaction(details) = &ours.session.entry(context.compaction.unwrap()).kind
    else {
        panic!("a compaction");
    };
    assert_eq!(details.trigger, Some(Trigger::Manual));
    assert_eq!(
        details.instructions.as_deref(),
        Some("Keep the number of steps")
    );
    assert_eq!(
        (details.tokens_before, details.tokens_after),
        (Some(720), Some(430))
    );
}

#[test]
fn what_is_said_while_a_compaction_runs_stays_behind_its_summary() {
    let ours = read("compacted-in-background");
    let texts = sent(&ours, leaf(&ours));
    let roles: Vec<&str> = texts.iter().map(|(role, _)| *role).collect();
    assert_eq!(
        roles,
        [
            "prompt",
            "prompt",
            "prompt",
            "compactionSummary",
            "assistant",
            "user",
            "assistant",
            "tool",
            "assistant"
        ]
    );
    assert_eq!(texts[2].1, "And April?");
    assert_eq!(texts[4].1, "March had 400 ships.");
    // The failed one changes nothing and is no compaction.
    let compactions = ours
        .session
        .entries
        .iter()
        .filter(|entry| matches!(entry.kind, EntryKind::Compaction(_)));
    assert_eq!(compactions.count(), 1);
}

#[test]
fn a_truncation_drops_the_oldest_replies_until_the_compaction_ends() {
    let ours = read("compacted-in-background");
    let texts = sent(&ours, find(&ours, "And April?"));
    let roles: Vec<&str> = texts.iter().map(|(role, _)| *role).collect();
    assert_eq!(
        roles,
        ["user", "user", "assistant", "tool", "assistant", "user"]
    );
    assert!(texts[2].1.starts_with("Reading."));
}

#[test]
fn each_subagent_has_a_conversation_of_its_own_below_its_call() {
    let ours = read("subagents");
    let texts = |words: &str| -> Vec<String> {
        let all = sent(&ours, find(&ours, words)).into_iter();
        all.map(|(_, text)| text.rsplit('\n').next().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        texts("The inspector found"),
        [
            "Have the tower inspected.",
            "An inspector goes.",
            "All floors are dry.",
            "The inspector found every floor dry."
        ]
    );
    let inner = find(&ours, "The cellar is dry.");
    assert_eq!(
        texts("The cellar is dry."),
        ["Look at the cellar.", "The cellar is dry."]
    );
    let outer = find(&ours, "All floors are dry.");
    let seen = [
        "Look at every floor.",
        "The cellar first.",
        "The cellar is dry.",
        "All floors are dry.",
    ];
    assert_eq!(texts("All floors are dry."), seen);
    for ix in [inner, outer] {
        assert!(ours.session.entry(ix).sidechain);
        assert!(ours.session.entry(ix).usage.is_some());
    }
    assert!(!ours.session.entry(leaf(&ours)).sidechain);
    let model = ours.context(Some(outer)).model.unwrap();
    assert_eq!(&*model.model, "gpt-5.4");
}

#[test]
fn a_fork_names_its_parent_and_leaves_it_its_usage() {
    let ours = read("forked");
    let meta = &ours.session.meta;
    assert_eq!(meta.parent_kind, Some(LinkKind::ForkedFrom));
    let parent = meta.parent_session.as_deref();
    assert_eq!(parent, Some("11110005-0000-4000-8000-000000000000"));
    assert_eq!(meta.title.as_deref(), Some("red door (fork)"));
    let spent: u64 = ours
        .session
        .entries
        .iter()
        .filter_map(|entry| entry.usage)
        .map(|usage| usage.input + usage.cache_read)
        .sum();
    assert_eq!(spent, 740);
}

#[test]
fn an_old_session_has_the_usage_of_its_ends() {
    let ours = read("old-with-totals");
    let spent: Vec<_> = ours
        .session
        .entries
        .iter()
        .filter_map(|entry| entry.usage)
        .map(|usage| (usage.input, usage.cache_read, usage.output))
        .collect();
    // Totals are over all processes; input includes what was read from and written to the cache.
    assert_eq!(spent, [(1490, 1500, 90), (1000, 1000, 40)]);
    let texts = sent(&ours, leaf(&ours));
    assert!(
        texts
            .iter()
            .all(|(_, text)| !text.contains("Sweeping.") && !text.contains("Waxed."))
    );
    assert!(texts.last().unwrap().1.contains("They stay"));
    assert!(ours.session.entry(find(&ours, "Sweeping.")).sidechain);
}

#[test]
fn refusals_failures_and_lost_replies_are_told_apart() {
    let ours = read("all-records");
    let refused = ours.session.entry(find(&ours, "did not allow"));
    assert!(refused.rejected && !refused.is_error);
    let failed = ours.session.entry(find(&ours, "exit code 1"));
    assert!(failed.is_error && !failed.rejected);
    let lost: Vec<u64> = ours
        .session
        .entries
        .iter()
        .filter(|entry| matches!(entry.kind, EntryKind::UsageRecord { .. }))
        .map(|entry| entry.usage.unwrap().context_tokens())
        .collect();
    assert_eq!(lost, [1705, 1755]);
    let opaque = ours
        .session
        .entries
        .iter()
        .filter(|entry| matches!(entry.kind, EntryKind::Opaque { .. }));
    assert_eq!(opaque.count(), 1);
    let link = &ours.session.links[0];
    assert_eq!(
        (link.kind, &*link.native_id),
        (LinkKind::Continues, "remote-7")
    );
}

#[test]
fn calls_of_custom_tools_have_the_provider_s_ids() {
    let ours = read("all-records");
    let context = ours.context(Some(leaf(&ours)));
    let answered = context
        .items
        .iter()
        .find(|item| item.role == Role::Tool)
        .unwrap();
    let message = ours
        .format
        .item_message(&ours.session, answered, &ours)
        .unwrap();
    assert_eq!(message.tool.unwrap().call_id, "call_p");
    let asked = &sent(&ours, leaf(&ours));
    assert!(
        asked
            .iter()
            .any(|(role, text)| *role == "injected" && text.contains("charts skill"))
    );
}

/// Title, folder and branches of a session with `file` beside it, given before or after the events.
fn named(events: &[u8], file: Option<&str>, at_first: bool) -> (String, String, Vec<String>) {
    let mut reading = Reading::new(Copilot.agent(), "/s/1/events.jsonl");
    let give = |reading: &mut Reading| {
        let bytes = file.map(str::as_bytes);
        Copilot.take_beside(reading, "/s/1/workspace.yaml".as_ref(), bytes);
    };
    if at_first {
        give(&mut reading);
    }
    Copilot.read(&mut reading, events, true);
    if !at_first {
        // What was said before counts no more.
        Copilot.take_beside(
            &mut reading,
            "x".as_ref(),
            Some(b"name: old\nbranch: old\ncwd: /old"),
        );
        give(&mut reading);
    }
    let meta = reading.session.meta;
    (
        meta.title.unwrap_or_default(),
        meta.cwd.unwrap_or_default(),
        meta.branches,
    )
}

#[test]
fn the_file_beside_the_events_names_the_session() {
    let event = |n: u32, kind: &str, data: &str| {
        format!("{{\"type\":\"{kind}\",\"data\":{data},\"id\":\"{n}\",\"parentId\":null}}\n")
    };
    let start = |context: &str| {
        let data = format!("{{\"sessionId\":\"s\",\"context\":{context}}}");
        event(1, "session.start", &data)
    };
    let placed = start("{\"cwd\":\"/w\",\"branch\":\"main\"}");
    let prompt = event(2, "user.message", "{\"content\":\"Light the lamp.\"}");
    let title = event(3, "session.title_changed", "{\"title\":\"The lamp\"}");
    let file = "cwd: /f\nbranch: dark\nname: |-\n  Of lamps\n  and oil\nuser_named: true\n";
    for (events, file, expected) in [
        (
            &[&placed, &prompt][..],
            None,
            ("Light the lamp.", "/w", &["main"][..]),
        ),
        (
            &[&placed, &prompt, &title],
            None,
            ("The lamp", "/w", &["main"]),
        ),
        (
            &[&placed, &prompt, &title],
            Some(file),
            ("Of lamps and oil", "/w", &["main"]),
        ),
        (
            &[&start("{}"), &prompt],
            Some(file),
            ("Of lamps and oil", "/f", &["dark"]),
        ),
        (
            &[&start("{}"), &prompt],
            Some("name: ''\nbranch: [x]"),
            ("Light the lamp.", "", &[]),
        ),
        (&[&start("{}")], Some("summary: Oil\n"), ("Oil", "", &[])),
    ] {
        let events: String = events.iter().map(|line| line.as_str()).collect();
        let expected = (
            expected.0.to_owned(),
            expected.1.to_owned(),
            expected.2.iter().map(|&branch| branch.to_owned()).collect(),
        );
        for at_first in [true, false] {
            let found = named(events.as_bytes(), file, at_first);
            assert_eq!(found, expected, "{file:?} {at_first}");
        }
    }
}
