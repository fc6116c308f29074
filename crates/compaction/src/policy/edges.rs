//! Lines of policies at their edges, by number, and which preset each runs.

use crate::engine::preset::data::Preset;
use crate::policy::data::Policy;
use crate::policy::trigger::{Limits, Line, Off};
use serde_json::json;

fn limits(window: u64, max_output: u64) -> Limits {
    Limits {
        window: Some(window),
        max_input: None,
        max_output: Some(max_output),
    }
}

fn policy(name: &str) -> Policy {
    Policy::known(name).unwrap().clone()
}

fn set(name: &str, place: &str, to: impl Into<serde_json::Value>) -> Policy {
    policy(name).with(place, &to.into()).unwrap()
}

/// The smallest number of tokens that fires.
fn fires_from(policy: &Policy, limits: &Limits) -> u64 {
    first_met(&policy.line(limits).unwrap())
}

fn first_met(line: &Line) -> u64 {
    let (mut no, mut yes) = (0, u64::MAX);
    assert!(!line.condition.is_met(no, 0));
    while yes - no > 1 {
        let middle = no + (yes - no) / 2;
        if line.condition.is_met(middle, 0) {
            yes = middle
        } else {
            no = middle
        }
    }
    yes
}

#[test]
fn a_policy_runs_the_preset_of_its_name_as_it_runs_by_itself() {
    let mut automatic = 0;
    for own in Policy::built_in() {
        let by_itself = format!("{}-auto", own.name);
        let expected = [by_itself.as_str(), own.name.as_str()]
            .into_iter()
            .find(|name| Preset::named(name).is_some());
        if let Some(expected) = expected {
            assert_eq!(own.preset, expected, "{}", own.name);
            automatic += usize::from(expected == by_itself);
        }
    }
    assert_eq!(automatic, 3, "claude-code, goose and opencode");
    assert_eq!(
        policy("anthropic-compaction").preset,
        "anthropic-compaction"
    );
    assert_eq!(policy("anthropic-sdk").preset, "anthropic-sdk");
}

#[test]
fn mux_is_forced_five_points_above_whatever_its_share_is() {
    let window = limits(200_000, 32_000);
    let forced = |policy: &Policy| first_met(&policy.forced_line(&window).unwrap().unwrap());
    assert_eq!(forced(&policy("mux")), 150_000);
    let lower = set("mux", "trigger.percent", 60);
    assert_eq!(fires_from(&lower, &window), 120_000);
    assert_eq!(forced(&lower), 130_000);
    // 95 is lowered to 90, and forced above that.
    let higher = set("mux", "trigger.percent", 95);
    assert_eq!(fires_from(&higher, &window), 180_000);
    assert_eq!(forced(&higher), 190_000);
    assert_eq!(forced(&set("mux", "above_percent", 10)), 160_000);
    let off = set("mux", "trigger.percent", 0);
    assert_eq!(off.forced_line(&window), Some(Err(Off::Disabled(0))));
    // The first versions could be set from 50 to 90 and were forced by what was left.
    let early = |percent: u64| set("mux-early", "trigger.percent", percent);
    assert_eq!(fires_from(&early(40), &window), 100_000);
    assert_eq!(fires_from(&early(95), &window), 180_000);
    assert_eq!(forced(&early(40)), 194_800);
}

#[test]
fn a_second_line_is_its_own_or_moves_along() {
    let message = |text: &str| Policy::parse(text).unwrap_err().to_string();
    let both = message(
        r#"{"extends":"mux","name":"x","forced":{"trigger":{"kind":"messages","messages":1}}}"#,
    );
    assert!(both.contains("either a trigger or above_percent"), "{both}");
    let of_tokens = message(
        r#"{"extends":"factory-droid","name":"x","forced":{"above_percent":5,"checks":[]}}"#,
    );
    assert!(
        of_tokens.contains("requires a percentage trigger"),
        "{of_tokens}"
    );
}

#[test]
fn coder_takes_70_for_what_is_out_of_range_and_0_is_in_it() {
    let window = limits(200_000, 32_000);
    let at = |percent: i64| set("coder", "percent", percent);
    assert_eq!(fires_from(&at(130), &window), 140_000);
    assert_eq!(fires_from(&at(101), &window), 140_000);
    assert_eq!(fires_from(&at(-1), &window), 140_000);
    assert_eq!(fires_from(&at(99), &window), 198_000);
    assert_eq!(at(100).line(&window), Err(Off::Disabled(100)));
    // Any usage is 0 % or more; none at all is skipped.
    let zero = at(0).line(&window).unwrap();
    assert_eq!(zero.tokens, Some(0));
    assert_eq!(first_met(&zero), 1);
    let words = |policy: Policy| policy.correction();
    let taken = "130 % is out of range; 70 % is used";
    assert_eq!(words(at(130)).as_deref(), Some(taken));
    assert_eq!(words(at(0)), None);
    assert_eq!(words(at(70)), None);
}

#[test]
fn a_share_out_of_range_is_refused_where_no_rule_takes_it() {
    let refused = |name: &str, place: &str, percent: i64| {
        let error = policy(name).with(place, &json!(percent)).unwrap_err();
        assert!(error.to_string().contains("from 0 to 100"), "{error}");
    };
    refused("codex", "percent", 130);
    refused("codex", "percent", -1);
    refused("zed", "percent", 101);
    refused("mux", "trigger.percent", -1);
    refused("mux", "above_percent", 101);
    refused("roo", "window_percent", 101);
    // Goose: 0 or less, and 1 or more, turn it off.
    let window = limits(200_000, 32_000);
    for percent in [-5, 0, 100, 130] {
        let own = set("goose", "percent", percent);
        assert_eq!(own.line(&window), Err(Off::Disabled(percent)));
    }
    // Claude Code skips a share beyond 1 to 100.
    for percent in [0, 130] {
        let own = set("claude-code", "trigger.percent_of_rest", percent);
        assert_eq!(fires_from(&own, &window), 167_000);
        let words = format!("{percent} % is out of range and ignored");
        assert_eq!(own.correction(), Some(words));
    }
}

#[test]
fn claude_code_may_be_given_a_window_within_bounds() {
    let at = |tokens: u64, window: u64| {
        let own = set("claude-code", "window_tokens", tokens);
        fires_from(&own, &limits(window, 32_000))
    };
    assert_eq!(at(500_000, 1_000_000), 467_000);
    assert_eq!(at(50_000, 1_000_000), 67_000, "raised to 100,000");
    assert_eq!(at(5_000_000, 2_000_000), 967_000, "lowered to 1,000,000");
    assert_eq!(at(500_000, 200_000), 167_000, "never above the model's");
    // The levels move along.
    let own = set("claude-code", "window_tokens", 500_000);
    let limits = own.limits(&limits(1_000_000, 32_000));
    let level = |name: &str| {
        let level = own.levels.iter().find(|own| own.name == name).unwrap();
        first_met(&level.trigger.line(&limits).unwrap())
    };
    assert_eq!((level("warning"), level("blocking")), (447_000, 477_000));
}

#[test]
fn what_may_be_sent_is_the_smaller_of_two_limits() {
    let of = |max_input, max_output| Limits {
        window: Some(200_000),
        max_input,
        max_output,
    };
    // Copilot Chat: more than may be sent.
    let copilot = policy("copilot-chat");
    assert_eq!(fires_from(&copilot, &of(None, Some(16_000))), 184_001);
    assert_eq!(
        fires_from(&copilot, &of(Some(128_000), Some(16_000))),
        128_001
    );
    assert_eq!(
        fires_from(&copilot, &of(Some(190_000), Some(16_000))),
        184_001
    );
    // Zed: nine tenths of it.
    let zed = policy("zed");
    assert_eq!(fires_from(&zed, &of(Some(100_000), Some(20_000))), 90_000);
    assert_eq!(fires_from(&zed, &of(Some(190_000), Some(20_000))), 162_000);
    let off = zed.line(&of(Some(79_999), Some(20_000))).unwrap_err();
    let (tokens, least) = (79_999, 80_000);
    assert_eq!(off, Off::TooSmall { tokens, least });
    assert_eq!(fires_from(&zed, &of(Some(80_000), Some(20_000))), 72_000);
}

#[test]
fn fixed_lines_lie_where_they_are_said_to() {
    let window = limits(200_000, 32_000);
    assert_eq!(fires_from(&policy("factory-droid"), &window), 250_000);
    // Anthropic's least trigger is the policy's own.
    let anthropic = |tokens: u64| set("anthropic-compaction", "trigger.tokens", tokens);
    assert_eq!(
        fires_from(&policy("anthropic-compaction"), &window),
        150_000
    );
    assert_eq!(fires_from(&anthropic(10_000), &window), 50_000);
    assert_eq!(fires_from(&anthropic(50_001), &window), 50_001);
    assert_eq!(fires_from(&policy("anthropic-sdk"), &window), 100_000);
    assert_eq!(
        fires_from(&policy("anthropic-context-editing"), &window),
        100_000
    );
    assert_eq!(
        fires_from(&policy("langchain-clear-tool-uses"), &window),
        100_001
    );
}

#[test]
fn roos_share_has_a_floor_of_5_percent() {
    let window = limits(200_000, 32_000);
    let at = |percent: i64| fires_from(&set("roo", "percent", percent), &window);
    // 0.9 of the window less the reply is 148,000, and comes first at 100 %.
    assert_eq!(at(100), 148_001);
    assert_eq!(at(60), 120_000);
    assert_eq!((at(5), at(4), at(0)), (10_000, 10_000, 10_000));
    assert_eq!(at(130), 148_001);
}
