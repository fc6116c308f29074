//! Coder's presets in their three versions.

use crate::common::{plan_of, planned, reply, small_session};
use palimpsest_compaction::assemble::NextItem;
use palimpsest_compaction::execute::Unobserved;
use palimpsest_compaction::{Recorded, RunFailure, execute, replay};
use palimpsest_core::Role;
use palimpsest_core::call::StopReason;
use serde_json::json;
use tokio_util::sync::CancellationToken;

const ALL: [&str; 3] = ["coder", "coder-b", "coder-a"];

#[test]
fn nothing_stays_but_a_system_message() {
    let ours = small_session();
    for name in ALL {
        let plan = plan_of(&ours, name, &[]);
        assert_eq!((plan.kept.len(), plan.summarized.len()), (0, 12));
        assert_eq!(plan.calls[0].max_output_tokens, None);
        assert!(matches!(
            plan.next.as_slice(),
            [NextItem::Summary {
                role: Role::System,
                ..
            }]
        ));
    }
}

#[test]
fn each_version_asks_for_more() {
    let ours = small_session();
    let prompt = |name: &str| plan_of(&ours, name, &[]).calls[0].prompt.clone();
    let items = |name: &str| prompt(name).matches("\n- ").count();
    assert_eq!(ALL.map(items), [8, 7, 6]);
    let newest = prompt("coder");
    let first = newest.find("\n- ").unwrap();
    assert!(newest[first..].starts_with("\n- what the user demanded, corrected and forbade"));
    assert!(!prompt("coder-b").contains("forbade"));
    assert!(!prompt("coder-a").contains("by reference"));
    for name in ALL {
        assert!(prompt(name).contains("the exact action that was under way"));
    }
}

#[test]
fn the_summary_is_trimmed_under_its_prefix() {
    let ours = small_session();
    let stored = |name: &str| replay(&plan_of(&ours, name, &[]), &[reply(" first \n")]).unwrap();
    assert_eq!(
        stored("coder"),
        "Summary of the earlier conversation; continue from it:\n\nfirst"
    );
    for older in ["coder-b", "coder-a"] {
        assert!(stored(older).contains("in the middle of its work"));
        assert!(stored(older).ends_with("\n\nfirst"));
    }
}

#[tokio::test]
async fn the_blocks_of_a_reply_are_joined_by_a_space() {
    let ours = small_session();
    for name in ALL {
        let (plan, material) = planned(&ours, name, &[]);
        let mut blocks = reply(" first  second ");
        blocks.block_starts = vec![7];
        let model = Recorded::new(vec![blocks.clone()]);
        let cancel = CancellationToken::new();
        let run = execute(&plan, &material, &model, &Unobserved, &cancel)
            .await
            .unwrap();
        assert!(run.summary.ends_with("\n\nfirst second"), "{}", run.summary);
        // What is kept of it is what was joined.
        assert_eq!(run.replies[0].text, "first second");
        assert_eq!(replay(&plan, &run.replies).unwrap(), run.summary);
        assert_eq!(replay(&plan, &[blocks]).unwrap(), run.summary);
    }
}

#[test]
fn older_versions_wait_90_seconds() {
    let seconds = |name: &str| plan_of(&small_session(), name, &[]).call_timeout_seconds;
    assert_eq!(ALL.map(seconds), [0, 90, 90]);
}

#[test]
fn a_limited_reply_fits_into_the_room_that_is_left() {
    let ours = small_session();
    let limit = |cap: u64, window: u64| {
        let set = [
            ("max_output_tokens", json!(cap)),
            ("model_window_tokens", json!(window)),
        ];
        let plan = plan_of(&ours, "coder", &set);
        plan.calls[0].max_output_tokens.unwrap()
    };
    let plan = plan_of(&ours, "coder", &[]);
    let call = &plan.calls[0];
    let request = call.input_tokens - (call.conversation().len() as u64).div_ceil(4);
    let taken = plan.tokens_before + request;
    assert_eq!(limit(1_000, 0), 1_000);
    assert_eq!(limit(1_000, taken + 1_500), 1_000);
    assert_eq!(limit(1_000, taken + 300), 300);
    // Where nothing is left the limit stays, and the provider says what it thinks of it.
    assert_eq!(limit(1_000, taken), 1_000);
    assert_eq!(call.max_output_tokens, None);
}

#[test]
fn only_reasoning_up_to_the_limit_is_a_cut_reply() {
    let plan = plan_of(&small_session(), "coder", &[]);
    let mut cut = reply(" ");
    cut.stop = StopReason::Length;
    let refused = replay(&plan, &[cut]).unwrap_err();
    assert!(matches!(refused, RunFailure::Incomplete { .. }));
}

#[test]
fn an_empty_reply_is_refused_and_a_cut_one_used() {
    let plan = plan_of(&small_session(), "coder", &[]);
    let refused = replay(&plan, &[reply("  ")]).unwrap_err();
    assert!(matches!(refused, RunFailure::Empty { .. }));
    let mut cut = reply("as far as it came");
    cut.stop = StopReason::Length;
    assert!(replay(&plan, &[cut]).is_ok());
}
