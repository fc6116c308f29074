//! Goose's summaries of single old tool calls (07 §7.6), by its rules.

use super::{kept, nothing, with_fate};
use crate::common::{Model, plan_of, planned, read, small_session};
use palimpsest_compaction::assemble::NextItem;
use palimpsest_compaction::execute::Unobserved;
use palimpsest_compaction::plan::SummaryPart;
use palimpsest_compaction::select::Fate;
use palimpsest_compaction::{NothingToDo, Plan, execute, replay};
use palimpsest_formats::InMemory;
use palimpsest_testkit::session::{CompactionSpec, PiSession, Reply};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

const NAME: &str = "goose-tool-pairs";

/// A prompt, then so many tool calls each with its result, at items 1 and 2, 3 and 4, and so on; a
/// word of the assistant; then a second prompt with so many more.
fn working(first: usize, second: usize) -> InMemory {
    let mut session = PiSession::new();
    for calls in [first, second] {
        session.user("Go on.");
        for at in 0..calls {
            session.assistant(Reply::new().call("read", json!({"path": format!("{at}.rs")})));
            session.tool_result(&format!("file {at}"));
        }
        session.assistant(Reply::new().text("Done."));
    }
    read(&session)
}

/// What comes in the next request: positions of items, and `R` with the number of a reply.
fn next(plan: &Plan) -> Vec<String> {
    let item = |own: &NextItem| match own {
        NextItem::Kept { item, .. } => item.to_string(),
        NextItem::Summary { parts, .. } => match parts.as_slice() {
            [SummaryPart::Reply(call)] => format!("R{call}"),
            other => format!("{other:?}"),
        },
        NextItem::Text { text, .. } => text.clone(),
    };
    plan.next.iter().map(item).collect()
}

#[test]
fn the_newest_ten_calls_stay_beside_those_of_the_turn() {
    // 13 before the last prompt: three are old. The two behind it do not count.
    let ours = working(13, 2);
    let plan = plan_of(&ours, NAME, &[]);
    assert_eq!(with_fate(&plan, Fate::Summarized), [1, 2, 3, 4, 5, 6]);
    assert_eq!(plan.calls.len(), 3);
    for (at, call) in plan.calls.iter().enumerate() {
        assert_eq!(call.items, [1 + 2 * at, 2 + 2 * at]);
        assert!(call.after.is_empty(), "all are made at the same time");
        assert!(call.prompt.contains(&format!("file {at}")));
        assert!(!call.prompt.contains(&format!("file {}", at + 1)));
    }
    assert_eq!(nothing(&working(10, 9), NAME, &[]), NothingToDo::TooSmall);
    // Where the turn is not spared its calls are the newest.
    let counted = [("spare_turn", json!(false))];
    assert_eq!(plan_of(&ours, NAME, &counted).calls.len(), 5);
    let most = [("most_tool_uses", json!(2))];
    assert_eq!(plan_of(&ours, NAME, &most).summarized.len(), 4);
    let none = [("keep_tool_uses", json!(0)), ("spare_turn", json!(false))];
    assert_eq!(plan_of(&ours, NAME, &none).calls.len(), 15);
}

#[test]
fn each_reply_stands_where_its_call_was() {
    let set = [("keep_tool_uses", json!(1)), ("spare_turn", json!(false))];
    let plan = plan_of(&working(2, 1), NAME, &set);
    assert_eq!(next(&plan), ["0", "R0", "R1", "5", "6", "7", "8", "9"]);
}

#[test]
fn calls_made_together_go_together_or_stay() {
    let mut session = PiSession::new();
    session.user("Look.");
    let two = Reply::new()
        .text("Both.")
        .call("read", json!({"path": "a"}))
        .call("read", json!({"path": "b"}));
    session.assistant(two);
    session.tool_result("A");
    session.tool_result("B");
    session.assistant(Reply::new().call("read", json!({"path": "c"})));
    session.tool_result("C");
    session.assistant(Reply::new().text("Seen."));
    let ours = read(&session);
    let set = |keep: u64| {
        [
            ("keep_tool_uses", json!(keep)),
            ("spare_turn", json!(false)),
        ]
    };
    // Of three calls the newest two stay, one of which was made with the oldest.
    assert_eq!(nothing(&ours, NAME, &set(2)), NothingToDo::TooSmall);
    let plan = plan_of(&ours, NAME, &set(1));
    assert_eq!(with_fate(&plan, Fate::Summarized), [1, 2, 3]);
    assert_eq!(plan.calls.len(), 1);
    assert_eq!(next(&plan), ["0", "R0", "4", "5", "6"]);
}

#[test]
fn a_call_without_a_result_stays() {
    let mut session = PiSession::new();
    session.user("Look.");
    session.assistant(Reply::new().call("bash", json!({"command": "sleep 600"})));
    session.user("Never mind; read it.");
    session.assistant(Reply::new().call("read", json!({"path": "a"})));
    session.tool_result("A");
    session.assistant(Reply::new().text("Read."));
    let set = [("keep_tool_uses", json!(0)), ("spare_turn", json!(false))];
    let plan = plan_of(&read(&session), NAME, &set);
    assert_eq!(with_fate(&plan, Fate::Summarized), [3, 4]);
    assert_eq!(kept(&plan), [0, 1, 2, 5]);
}

#[test]
fn the_summary_before_is_carried_on_in_front() {
    let mut session = PiSession::new();
    session.user("Before.");
    session.assistant(Reply::new().text("Yes."));
    session.compact(CompactionSpec::new("What was before.").keep_nothing());
    session.user("Go on.");
    for at in 0..3 {
        session.assistant(Reply::new().call("read", json!({"path": format!("{at}.rs")})));
        session.tool_result("x");
    }
    let set: [(&str, Value); 2] = [("keep_tool_uses", json!(2)), ("spare_turn", json!(false))];
    let plan = plan_of(&read(&session), NAME, &set);
    assert_eq!(plan.calls.len(), 1);
    let text = SummaryPart::Text("What was before.\n\n".to_owned());
    assert_eq!(plan.summary.first(), Some(&text));
    assert!(next(&plan)[0].contains("What was before."));
    assert!(!plan.calls[0].prompt.contains("What was before."));
}

#[tokio::test]
async fn the_replies_are_the_summary_and_can_be_replayed() {
    let set = [("keep_tool_uses", json!(1)), ("spare_turn", json!(false))];
    let (plan, material) = planned(&small_session(), NAME, &set);
    let cancel = CancellationToken::new();
    let model = Model::default();
    let done = execute(&plan, &material, &model, &Unobserved, &cancel);
    let done = done.await.unwrap();
    assert_eq!(done.summary, "R0\n\nR1");
    assert_eq!(replay(&plan, &done.replies).unwrap(), done.summary);
    assert_eq!(done.tokens_after, plan.tokens_after(&done.summary));
}

#[test]
fn with_any_choice_the_pairs_in_it_are_summarized_and_all_else_stays() {
    let ours = working(2, 2);
    let id = |line: usize| {
        let context = ours.context(ours.session.active_leaf);
        ours.session.entry(context.selected[line]).id.to_string()
    };
    let plan_with = |select: Value| plan_of(&ours, NAME, &[("select", select)]);
    // A cut by hand in the second turn, behind its first pair.
    for split in [true, false] {
        let cut = json!({"kind": "cut_at", "first_kept": id(9), "split_turns": split});
        let plan = plan_with(cut);
        assert_eq!(with_fate(&plan, Fate::Summarized), [1, 2, 3, 4, 7, 8]);
        assert_eq!(kept(&plan), [0, 5, 6, 9, 10, 11]);
        assert!(!plan.is_split_turn && plan.dropped.is_empty());
        assert_eq!(
            next(&plan),
            ["0", "R0", "R1", "5", "6", "R2", "9", "10", "11"]
        );
        let note = "3 selected messages are kept: this method only summarizes tool calls with their results.";
        assert_eq!(plan.notes, [note]);
    }
    let all = plan_with(json!({"kind": "everything"}));
    assert_eq!(kept(&all), [0, 5, 6, 11]);
    // By the preset's own choice nothing else was chosen.
    let own = [("keep_tool_uses", json!(0)), ("spare_turn", json!(false))];
    let own = plan_of(&ours, NAME, &own);
    assert_eq!((kept(&own), own.notes.len()), (vec![0, 5, 6, 11], 0));
    let said = json!({"kind": "cut_at", "first_kept": id(1)});
    assert_eq!(
        nothing(&ours, NAME, &[("select", said)]),
        NothingToDo::NothingChosen
    );
}

#[test]
fn each_summary_of_the_next_request_has_its_own_share() {
    let set = [("keep_tool_uses", json!(0)), ("spare_turn", json!(false))];
    let plan = plan_of(&working(2, 1), NAME, &set);
    let shares = plan.next_summary_tokens();
    let all = plan.estimated_tokens_after - plan.kept_tokens;
    assert_eq!(shares.len(), 3);
    assert_eq!(shares.iter().sum::<u64>(), all);
    assert!(shares.iter().all(|own| own.abs_diff(all / 3) <= 1));
}
