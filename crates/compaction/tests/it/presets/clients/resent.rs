//! What agents send again beside a summary: Copilot the prompts, Droid its reminders. By the fixtures
//! of their readers.

use crate::common::plan_of;
use palimpsest_compaction::Plan;
use palimpsest_compaction::assemble::NextItem;
use palimpsest_compaction::plan::SummaryPart;
use palimpsest_formats::copilot::Copilot;
use palimpsest_formats::factory_droid::FactoryDroid;
use palimpsest_formats::{InMemory, SessionFormat};
use serde_json::json;
use std::path::Path;

fn fixture(format: &'static dyn SessionFormat, name: &str) -> InMemory {
    let agent = format.agent();
    let place = format!("../formats/tests/fixtures/{agent}/valid/{name}.jsonl");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(place);
    InMemory::read(format, name, std::fs::read(path).unwrap())
}

/// The next request without the system prompt, a line for each item.
fn next(plan: &Plan) -> Vec<String> {
    let items = plan.next.iter().map(|item| match item {
        NextItem::Kept { item, .. } => format!("kept {item}"),
        NextItem::Text { role, text, .. } => format!("{} {text}", role.name()),
        NextItem::Summary { role, parts, .. } => {
            let texts = parts.iter().map(|part| match part {
                SummaryPart::Reply(_) => "SUMMARY",
                other => other.known().unwrap_or_default(),
            });
            format!("{} {}", role.name(), texts.collect::<String>())
        }
    });
    items.collect()
}

#[test]
fn copilot_sends_all_prompts_and_the_summary_in_one_message() {
    for name in ["linear-resumed", "compacted-by-command"] {
        let ours = fixture(&Copilot, name);
        let plan = plan_of(&ours, "copilot", &[]);
        let items = next(&plan);
        let frame = items.last().unwrap();
        // The system prompt is the other item.
        assert_eq!(items.len(), 2, "{items:?}");
        assert!(frame.starts_with("user "), "{frame}");
        assert!(frame.contains("<summary>\nSUMMARY\n</summary>"), "{frame}");
        // The words alone, without the time that Copilot puts before them.
        assert!(!frame.contains("<current_datetime>"), "{frame}");
        let prompts = frame.matches("<user_message>\n").count();
        let all = ours.session.indices().filter(|&ix| {
            let entry = ours.session.entry(ix);
            entry.kind == palimpsest_core::EntryKind::Message(palimpsest_core::Role::User)
                && !entry.sidechain
        });
        assert_eq!(prompts, all.count(), "{frame}");
        // They count as what stays.
        let again = plan.next.iter().find_map(|item| match item {
            NextItem::Summary { again_tokens, .. } => Some(*again_tokens),
            _ => None,
        });
        assert!(again.is_some_and(|again| again > 0 && plan.kept_tokens >= again));
    }
}

#[test]
fn what_was_said_beside_a_running_compaction_is_sent_again_once() {
    let ours = fixture(&Copilot, "compacted-in-background");
    let plan = plan_of(&ours, "copilot", &[]);
    let frame = next(&plan).pop().unwrap();
    assert_eq!(frame.matches("And April?").count(), 1, "{frame}");
}

#[test]
fn droid_repeats_four_reminders_between_the_summary_and_the_tail() {
    let ours = fixture(&FactoryDroid, "compacted-automatically");
    let plan = plan_of(&ours, "factory-droid", &[("drain_tokens", json!(8))]);
    let items = next(&plan);
    assert!(
        items[0].contains("<summary>\nSUMMARY\n</summary>"),
        "{items:?}"
    );
    let reminders = [
        "user You have these tools.",
        "user How to plan a longer piece of work, step by step.",
        "user How to ask the user.",
        "user You have these skills: winding.",
    ];
    assert_eq!(items[1..5], reminders);
    assert!(items[5..].iter().all(|item| item.starts_with("kept ")));
    assert!(items.len() > 5, "{items:?}");
}
