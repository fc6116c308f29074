//! Zed (07 §7.15) and its fork kask (07 §7.16), by their rules.

use super::{kept, with_fate};
use crate::common::{Model, Said, plan_of, planned, read, small_session};
use palimpsest_compaction::assemble::NextItem;
use palimpsest_compaction::execute::Unobserved;
use palimpsest_compaction::select::Fate;
use palimpsest_compaction::{Plan, RunFailure, Step, execute, replay};
use palimpsest_core::Role;
use palimpsest_core::words::thousands;
use palimpsest_formats::InMemory;
use palimpsest_testkit::session::{PiSession, Reply};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

#[test]
fn zed_has_five_headings_and_the_summary_stands_before_a_waiting_prompt() {
    let mut session = PiSession::new();
    session.user("First.");
    session.assistant(Reply::new().text("Done."));
    session.user("And now this.");
    for name in ["zed", "kask"] {
        let plan = plan_of(&read(&session), name, &[]);
        assert_eq!(
            (with_fate(&plan, Fate::Summarized), kept(&plan)),
            (vec![0, 1], vec![2])
        );
        let [
            NextItem::Text { text, role, .. },
            NextItem::Summary { .. },
            NextItem::Kept { item: 2, .. },
        ] = plan.next.as_slice()
        else {
            panic!("{name}: {:?}", plan.next);
        };
        assert_eq!((text.as_str(), *role), ("First.", Role::User));
        let last = plan.calls.last().unwrap();
        let headings: Vec<&str> = last
            .prompt
            .lines()
            .filter_map(|line| line.strip_prefix("## "))
            .collect();
        let wanted = ["Goal", "State", "Context", "Next", "Pitfalls"];
        assert_eq!(headings, wanted, "{name}");
    }
}

#[test]
fn zed_counts_the_bytes_of_all_messages_together() {
    let mut session = PiSession::new();
    // Each has one byte more than whole tokens; rounded up, five would be 20 bytes too many.
    for _ in 0..5 {
        session.user(&"u".repeat(16_001));
        session.assistant(Reply::new().text("a"));
    }
    let plan = plan_of(&read(&session), "zed", &[]);
    let said: Vec<usize> = plan
        .next
        .iter()
        .filter_map(|next| match next {
            NextItem::Text { text, .. } => Some(text.len()),
            _ => None,
        })
        .collect();
    assert_eq!(said, [15_996, 16_001, 16_001, 16_001, 16_001]);
    assert_eq!(said.iter().sum::<usize>(), 80_000);
}

#[test]
fn a_new_thread_takes_nothing_but_the_answers_to_four_asks() {
    let plan = plan_of(&small_session(), "zed-thread", &[]);
    let asks = plan.calls[0].prompt.matches("\n## ").count();
    assert_eq!(asks, 4);
    assert!(kept(&plan).is_empty());
    assert!(matches!(plan.next.as_slice(), [NextItem::Summary { .. }]));
}

/// Turns of a prompt, a call and its result of so many bytes.
fn working(results: &[usize]) -> InMemory {
    let mut session = PiSession::new();
    for (at, bytes) in results.iter().enumerate() {
        session.user(&format!("Read {at}."));
        session.assistant(Reply::new().call("read", json!({"path": format!("{at}.rs")})));
        // Lines that differ, so that none of them are collapsed.
        let lines: String = (0..).map(|n| format!("{n:07}\n")).take(bytes / 8).collect();
        session.tool_result(&lines);
        session.assistant(Reply::new().text("Read."));
    }
    read(&session)
}

fn items(plan: &Plan) -> Vec<Vec<usize>> {
    plan.calls.iter().map(|call| call.items.clone()).collect()
}

/// A capacity with which a call may have so many bytes.
fn budget(bytes: u64) -> (&'static str, Value) {
    ("capacity_tokens", json!((bytes as f64 / 1.7).ceil() as u64))
}

#[test]
fn what_fits_is_two_halves_at_the_same_time_and_one_call_that_merges_them() {
    let plan = plan_of(&working(&[800; 4]), "kask", &[]);
    let all: Vec<usize> = (0..16).collect();
    assert_eq!(
        items(&plan),
        [all[..8].to_vec(), all[8..].to_vec(), all.clone()]
    );
    assert_eq!(plan.calls[2].step, Step::Stitch);
    assert!(plan.calls[0].after.is_empty() && plan.calls[1].after.is_empty());
    assert_eq!(plan.calls[2].after, [0, 1]);
    let merges = &plan.calls[2].prompt;
    let place = |n: usize| merges.find(&format!("{{{{reply of call {n}}}}}")).unwrap();
    assert!(place(0) < place(1), "in the order of time");
}

#[test]
fn what_does_not_fit_is_cut_into_equal_segments_of_which_eight_run_at_once() {
    let ours = working(&[800; 30]);
    let plan = plan_of(&ours, "kask", &[budget(3_000)]);
    let segments = plan.calls.len() - 1;
    assert!((9..=11).contains(&segments), "{segments}");
    assert_eq!(plan.max_concurrent, 8);
    let sizes: Vec<usize> = plan.calls[..segments]
        .iter()
        .map(|call| call.conversation().len())
        .collect();
    assert!(sizes.iter().all(|size| *size <= 3_000), "{sizes:?}");
    let (least, most) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
    assert!(most - least < 1_000, "{sizes:?}");
    // Every message is in one of them.
    let flat: Vec<usize> = items(&plan)[..segments].concat();
    assert_eq!(flat, (0..120).collect::<Vec<_>>());
}

#[test]
fn no_call_is_parted_from_its_result() {
    let mut session = PiSession::new();
    session.user("Read them.");
    for at in 0..6 {
        let two = Reply::new()
            .call("read", json!({"path": format!("{at}.rs")}))
            .call("read", json!({"path": format!("{at}.txt")}));
        session.assistant(two);
        session.tool_result(&"r".repeat(300));
        session.tool_result(&"t".repeat(300));
    }
    for bytes in [500, 900, 2_000, 5_000] {
        let plan = plan_of(&read(&session), "kask", &[budget(bytes)]);
        for items in &items(&plan)[1..plan.calls.len() - 1] {
            // Calls are at 1, 4, 7 and so on.
            assert_eq!(items[0] % 3, 1, "{bytes}: {items:?}");
        }
    }
}

#[test]
fn a_message_larger_than_a_call_loses_its_middle() {
    let mut session = PiSession::new();
    session.user(&format!("a{}z", "ö".repeat(5_000)));
    session.assistant(Reply::new().text("ok"));
    let plan = plan_of(&read(&session), "kask", &[budget(1_000)]);
    let shown = plan.calls[0].conversation();
    assert!(shown.len() <= 1_000, "{}", shown.len());
    assert!(shown.contains("aö") && shown.contains("öz"));
    let gone = 10_002 - (shown.matches('ö').count() * 2 + 2);
    assert!(
        shown.contains(&format!("[... {gone} bytes left out ...]")),
        "{shown}"
    );
    // What the user said goes on as it was.
    let said = plan
        .next
        .iter()
        .any(|next| matches!(next, NextItem::Text { text, .. } if text.len() == 10_002));
    assert!(said);
}

#[test]
fn results_over_a_32nd_of_the_budget_are_shortened_without_exemption() {
    // 340,000 bytes: 10,625 for a result, errors and the newest included.
    let mut session = PiSession::new();
    session.user("Go.");
    for (at, bytes) in [10_624, 10_640, 20_000].into_iter().enumerate() {
        session.assistant(Reply::new().call("bash", json!({"command": "x"})));
        let lines: String = (0..).map(|n| format!("{n:07}\n")).take(bytes / 8).collect();
        match at {
            2 => session.tool_error(&lines),
            _ => session.tool_result(&lines),
        };
    }
    let plan = plan_of(&read(&session), "kask", &[]);
    let changed: Vec<(usize, &str)> = plan
        .changes
        .iter()
        .map(|change| (change.item, change.by))
        .collect();
    let by = "elide_tool_results";
    assert_eq!(changed, [(4, by), (6, by)]);
    // A larger budget allows more, up to 64 KiB.
    let roomy = [("capacity_tokens", json!(2_000_000))];
    assert!(plan_of(&read(&session), "kask", &roomy).changes.is_empty());
}

#[test]
fn three_equal_lines_become_one_with_their_number() {
    let mut session = PiSession::new();
    session.user(&format!(
        "{}{}",
        "look here\n".repeat(3),
        "twice only\n".repeat(2)
    ));
    session.assistant(Reply::new().call("bash", json!({"command": "x"})));
    session.tool_result(&format!("start\n{}end", "the same line\n".repeat(500)));
    let plan = plan_of(&read(&session), "kask", &[]);
    let shown: String = plan.calls[..plan.calls.len() - 1]
        .iter()
        .map(|call| call.conversation())
        .collect();
    assert_eq!(shown.matches("the same line").count(), 1);
    assert!(
        shown.contains("start\nthe same line\n[500 equal lines]\nend"),
        "{shown}"
    );
    assert_eq!(shown.matches("look here").count(), 1);
    assert_eq!(shown.matches("twice only").count(), 2);
    // The history itself is as it was: so is what the user said in the next request.
    let said = plan.next.iter().any(|next| {
        matches!(next, NextItem::Text { text, .. } if text.matches("look here").count() == 3)
    });
    assert!(said);
}

#[tokio::test]
async fn a_merge_that_is_empty_commits_nothing_and_a_whole_one_is_replayed() {
    let (plan, material) = planned(&working(&[800; 4]), "kask", &[]);
    let cancel = CancellationToken::new();
    let model = Model::default();
    let done = execute(&plan, &material, &model, &Unobserved, &cancel).await;
    let done = done.unwrap();
    assert_eq!(done.summary, "R2");
    assert_eq!(replay(&plan, &done.replies).unwrap(), "R2");
    let asked = model.asked.into_inner().unwrap();
    assert!(asked[2].1.contains("=== Segment 1 of 2 ===\nR0"));
    let empty = Said(String::new());
    let error = execute(&plan, &material, &empty, &Unobserved, &cancel).await;
    let reason = error.unwrap_err().reason;
    assert!(matches!(reason, RunFailure::Empty { .. }), "{reason:?}");
    cancel.cancel();
    let error = execute(&plan, &material, &Model::default(), &Unobserved, &cancel).await;
    assert_eq!(error.unwrap_err().reason, RunFailure::Cancelled);
}

#[test]
fn a_call_larger_than_the_capacity_is_named_with_its_size() {
    let ours = working(&[800; 30]);
    let plan = plan_of(&ours, "kask", &[budget(3_000)]);
    let last = plan.calls.last().unwrap();
    let limit = (3_000_f64 / 1.7).ceil() as u64;
    assert!(last.input_tokens > limit);
    let said = format!(
        "The call for the summary (segments put together) has about {} tokens if the replies it quotes reach their limits, more than the {} of \
         capacity_tokens. A model with that limit refuses it.",
        thousands(last.input_tokens),
        thousands(limit)
    );
    assert_eq!(plan.notes, [said]);
    // As much as it has is enough.
    let roomy = [("capacity_tokens", json!(200_000))];
    assert!(plan_of(&ours, "kask", &roomy).notes.is_empty());
    let largest = |plan: &Plan| plan.calls.iter().map(|call| call.input_tokens).max();
    let enough = largest(&plan_of(&ours, "kask", &roomy)).unwrap();
    let window = |tokens: u64| {
        let set = [roomy[0].clone(), ("model_window_tokens", json!(tokens))];
        plan_of(&ours, "kask", &set).notes.len()
    };
    assert_eq!([window(0), window(enough - 1), window(enough)], [0, 1, 0]);
}
