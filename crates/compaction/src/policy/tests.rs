use crate::engine::preset::data::Preset;
use crate::policy::data::{Check, Policy};
use crate::policy::growth::{Growth, Step, StepKind};
use crate::policy::simulate::{Course, Fire, StopReason, simulate};
use crate::policy::trigger::{Condition, Limits, Off, Trigger};
use palimpsest_core::{EntryIx, Failure as _};

fn limits(window: u64, max_output: Option<u64>) -> Limits {
    Limits {
        window: Some(window),
        max_input: None,
        max_output,
    }
}

fn policy(name: &str) -> Policy {
    Policy::known(name).unwrap().clone()
}

/// The agent's number and the smallest count that fires.
fn line(name: &str, limits: &Limits) -> (u64, u64) {
    of(&policy(name).trigger, &policy(name).limits(limits))
}

fn of(trigger: &Trigger, limits: &Limits) -> (u64, u64) {
    let line = trigger.line(limits).unwrap();
    let number = line.tokens.or(line.messages).unwrap();
    let fires = |count| match line.tokens {
        Some(_) => line.condition.is_met(count, 0),
        None => line.condition.is_met(0, count),
    };
    let near = number.saturating_sub(2)..number + 3;
    (
        number,
        near.into_iter().find(|count| fires(*count)).unwrap(),
    )
}

#[test]
fn the_file_can_be_read_and_names_presets_that_are_there() {
    let text = include_str!("../../../../assets/policies.json");
    let all: Vec<Policy> = serde_json::from_str(text).unwrap();
    assert!(all.len() > 25, "{}", all.len());
    let mut names: Vec<&str> = all.iter().map(|own| own.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all.len(), "a name is there twice");
    for own in &all {
        assert!(Preset::named(&own.preset).is_some(), "{}", own.name);
        let limits = limits(200_000, Some(32_000));
        if let Ok(line) = own.line(&limits) {
            assert!(own.choice(&line, &limits).is_some(), "{}", own.name);
            assert!(!own.checks.is_empty(), "{}", own.name);
        }
    }
}

#[test]
fn each_agents_line_lies_where_its_numbers_say() {
    let of_200k = limits(200_000, Some(64_000));
    let of_1m = limits(1_000_000, Some(64_000));
    // pi: strictly above the window less 16,384.
    assert_eq!(line("pi", &of_200k), (183_616, 183_617));
    assert_eq!(line("pi-0.73", &of_200k), (183_616, 183_617));
    // Claude Code: the reply's 20,000 and 13,000 more.
    assert_eq!(line("claude-code", &of_200k), (167_000, 167_000));
    assert_eq!(line("claude-code", &of_1m), (967_000, 967_000));
    assert_eq!(
        line("claude-code", &limits(200_000, Some(8_192))).0,
        178_808
    );
    assert_eq!(line("claude-code-micro", &of_200k), (147_000, 147_000));
    // Codex: floor(window * 9 / 10), reached inclusively.
    assert_eq!(line("codex", &limits(272_000, None)), (244_800, 244_800));
    assert_eq!(line("codex", &limits(500_000, None)), (450_000, 450_000));
    assert_eq!(line("codex", &limits(372_000, None)), (334_800, 334_800));
    assert_eq!(line("codex", &limits(131_072, None)), (117_964, 117_964));
    // OpenCode: the reply takes at most 32,000.
    assert_eq!(line("opencode", &of_200k), (168_000, 168_000));
    assert_eq!(line("opencode", &limits(200_000, Some(8_000))).0, 192_000);
    assert_eq!(
        line("opencode-v2", &limits(200_000, Some(8_000))),
        (180_000, 180_001)
    );
    assert_eq!(line("opencode-v2", &of_200k), (136_000, 136_001));
    // Coder and Mux: 70 %, inclusive; Mux is forced at 75 %.
    assert_eq!(line("coder", &of_200k), (140_000, 140_000));
    assert_eq!(line("coder", &limits(272_001, None)), (190_400, 190_401));
    assert_eq!(line("mux", &of_200k), (140_000, 140_000));
    let forced = |name: &str| policy(name).forced_line(&of_200k).unwrap().unwrap();
    assert_eq!(forced("mux").condition, Condition::Tokens(150_000));
    assert_eq!(forced("mux-early").condition, Condition::Tokens(194_800));
    // Gemini CLI: half, earlier 0.7.
    let of_gemini = limits(1_048_576, Some(65_536));
    assert_eq!(line("gemini-cli", &of_gemini), (524_288, 524_288));
    assert_eq!(line("gemini-cli-older", &of_gemini), (734_003, 734_004));
    // Cline: 0.9 of 0.9 of the window, which is 128,000 where it is not known.
    assert_eq!(line("cline", &of_200k), (162_000, 162_000));
    assert_eq!(line("cline", &Limits::default()), (103_680, 103_680));
    for (window, at) in [
        (64_000, 37_000),
        (128_000, 98_000),
        (200_000, 160_000),
        (100_000, 80_000),
        (1_000_000, 960_000),
    ] {
        assert_eq!(line("cline-legacy", &limits(window, None)), (at, at));
    }
    // Roo: above 0.9 of the window less the reply.
    assert_eq!(line("roo", &of_200k), (116_000, 116_001));
    assert_eq!(line("roo", &limits(200_000, None)), (171_808, 171_809));
    // Goose: strictly above 0.8.
    assert_eq!(line("goose", &of_200k), (160_000, 160_001));
    // Zed: 90 % of what a request may have.
    assert_eq!(
        line("zed", &limits(200_000, Some(20_000))),
        (162_000, 162_000)
    );
    // aider: a sixteenth within bounds, strictly above.
    assert_eq!(line("aider", &limits(8_000, None)), (1_024, 1_025));
    assert_eq!(line("aider", &limits(64_000, None)), (4_000, 4_001));
    assert_eq!(line("aider", &of_200k), (8_192, 8_193));
    assert_eq!(line("nanocoder", &of_200k), (120_000, 120_000));
    assert_eq!(line("langchain-clear-tool-uses", &of_200k).0, 100_000);
    assert_eq!(line("anthropic-context-editing", &of_200k).0, 100_000);
    assert_eq!(line("anthropic-sdk", &of_200k).0, 100_000);
    assert_eq!(line("anthropic-compaction", &of_200k).0, 150_000);
    // OpenHands counts events.
    assert_eq!(line("openhands", &of_200k), (240, 241));
    assert_eq!(line("openhands-factory", &of_200k), (80, 81));
    assert_eq!(line("openhands-v0", &of_200k), (100, 101));
}

#[test]
fn levels_lie_beside_the_line() {
    let at = |name: &str, level: &str, window| {
        let own = policy(name);
        let level = own.levels.iter().find(|own| own.name == level).unwrap();
        of(&level.trigger, &limits(window, Some(64_000))).0
    };
    assert_eq!(at("claude-code", "warning", 200_000), 147_000);
    assert_eq!(at("claude-code", "blocking", 200_000), 177_000);
    assert_eq!(at("claude-code", "prepares", 200_000), 144_000);
    assert_eq!(at("codex", "ceiling", 272_000), 258_400);
    assert_eq!(at("memgpt", "warning", 8_192), 5_734);
}

#[test]
fn settings_move_a_line_as_the_agent_lets_them() {
    let window = limits(200_000, Some(64_000));
    let read = |json: serde_json::Value| serde_json::from_value::<Trigger>(json).unwrap();
    // Claude Code's override lowers the line, never raises it.
    let claude = |percent: u64| {
        read(serde_json::json!({
            "kind": "window_less", "reply": {"most": 20_000}, "reserve_tokens": 13_000,
            "percent_of_rest": percent, "inclusive": true,
        }))
    };
    assert_eq!(of(&claude(50), &window).0, 90_000);
    assert_eq!(of(&claude(100), &window).0, 167_000);
    // Codex's own limit too.
    let codex = |most: u64| {
        read(serde_json::json!({
            "kind": "share", "of": "window", "percent": 90, "inclusive": true,
            "rounded_down": true, "most_tokens": most,
        }))
    };
    assert_eq!(of(&codex(100_000), &window).0, 100_000);
    assert_eq!(of(&codex(190_000), &window).0, 180_000);
    // OpenCode's reserve counts where the model has a limit of input.
    let of_input = Limits {
        max_input: Some(272_000),
        ..limits(400_000, Some(128_000))
    };
    assert_eq!(line("opencode", &of_input).0, 252_000);
    // Coder: out of range is 70, 100 is off.
    let mut coder = policy("coder").trigger;
    let set = |trigger: &mut Trigger, to: i64| match trigger {
        Trigger::Share(own) => own.percent = to,
        other => panic!("{other:?}"),
    };
    set(&mut coder, 130);
    assert_eq!(of(&coder, &window).0, 140_000);
    set(&mut coder, 100);
    assert_eq!(coder.line(&window), Err(Off::Disabled(100)));
    // Mux: 0 is off, above 90 is 90.
    let mut mux = policy("mux").trigger;
    set(&mut mux, 0);
    assert_eq!(mux.line(&window), Err(Off::Disabled(0)));
    set(&mut mux, 95);
    assert_eq!(of(&mux, &window).0, 180_000);
    // Goose: 0 and 1 are off.
    let mut goose = policy("goose").trigger;
    set(&mut goose, 100);
    assert_eq!(goose.line(&window), Err(Off::Disabled(100)));
    // Anthropic's compaction has a least trigger.
    let least = read(serde_json::json!({
        "kind": "tokens", "tokens": 10_000, "least_tokens": 50_000, "inclusive": true,
    }));
    assert_eq!(of(&least, &window).0, 50_000);
}

#[test]
fn several_triggers_are_one_or_all() {
    let both = |kind: &str| {
        let json = serde_json::json!({
            "kind": kind,
            "of": [{"kind": "tokens", "tokens": 4_000, "inclusive": true},
                   {"kind": "messages", "messages": 50}],
        });
        let trigger: Trigger = serde_json::from_value(json).unwrap();
        trigger.line(&Limits::default()).unwrap().condition
    };
    assert!(both("any").is_met(4_000, 1));
    assert!(both("any").is_met(1, 51));
    assert!(!both("any").is_met(3_999, 50));
    assert!(both("all").is_met(4_000, 51));
    assert!(!both("all").is_met(4_000, 50));
    let none = Trigger::Any { of: Vec::new() };
    assert_eq!(none.line(&Limits::default()), Err(Off::NoTrigger));
}

#[test]
fn a_policy_says_why_it_is_off() {
    let off = |name: &str, limits: Limits| policy(name).line(&limits).unwrap_err();
    assert_eq!(off("pi", Limits::default()), Off::NoWindow);
    assert_eq!(off("pi", limits(16_384, None)), Off::NoRoom(16_384));
    let small = off("zed", limits(100_000, Some(32_000)));
    let (tokens, least) = (68_000, 80_000);
    assert_eq!(small, Off::TooSmall { tokens, least });
    assert!(policy("zed").line(&limits(100_000, Some(20_000))).is_ok());
    assert!(matches!(
        off("continue", limits(200_000, None)),
        Off::Never(_)
    ));
    assert!(
        Policy::known("nobody")
            .unwrap_err()
            .next()
            .is_some_and(|step| step.to_string().contains("codex"))
    );
}

#[test]
fn zeds_threshold_may_be_a_number_used_or_left() {
    let set = |number: i64, limits: Limits| {
        let own = policy("zed");
        let own = own.with("threshold_tokens", &serde_json::json!(number));
        own.unwrap().trigger.line(&limits)
    };
    // A capacity of 180,000.
    let of_200k = limits(200_000, Some(20_000));
    let line = |number| set(number, of_200k).unwrap().tokens.unwrap();
    assert_eq!((line(100_000), line(-30_000)), (100_000, 150_000));
    assert_eq!(line(0), 162_000, "none is the share");
    assert_eq!(set(-180_000, of_200k).unwrap_err(), Off::NoRoom(180_000));
    let is_met = |used| set(-30_000, of_200k).unwrap().condition.is_met(used, 0);
    assert!(is_met(150_000) && !is_met(149_999));
    // Off below 80,000 all the same.
    let small = set(1_000, limits(90_000, Some(20_000))).unwrap_err();
    let (tokens, least) = (70_000, 80_000);
    assert_eq!(small, Off::TooSmall { tokens, least });
}

/// A step of `size` tokens.
fn step(number: usize, kind: StepKind, size: u64) -> Step<'static> {
    Step {
        ix: EntryIx::new(number),
        position: number,
        kind,
        size,
        extra: 0,
        behind_reply: 0,
        reply: None,
        messages: 1,
        texts: 1,
        calls: 0,
        may_cut: kind != StepKind::Result,
        tool: None,
        read: None,
        failed: false,
        edits: Vec::new(),
    }
}

/// Turns of a prompt of 1,000 tokens, a call of 1,000, its result of 7,000 and a reply of 1,000.
fn turns(count: usize) -> Growth<'static> {
    let mut growth = Growth::default();
    for _ in 0..count {
        for (kind, size) in [
            (StepKind::Prompt, 1_000),
            (StepKind::Reply, 1_000),
            (StepKind::Result, 7_000),
            (StepKind::Reply, 1_000),
        ] {
            let mut own = step(growth.steps.len(), kind, size);
            own.calls = usize::from(own.position % 4 == 1);
            growth.steps.push(own);
        }
    }
    growth
}

fn course(name: &str, window: u64, growth: &Growth<'_>) -> Course {
    simulate(&policy(name), &limits(window, Some(32_000)), growth)
}

#[test]
fn pi_fires_above_its_line_and_keeps_its_tail() {
    // Line 83,616; turns of 10,000. After the result of the ninth turn there are 89,000.
    let course = course("pi", 100_000, &turns(12));
    let first = &course.fires[0];
    assert_eq!(
        (first.at, first.check),
        (EntryIx::new(34), Check::BetweenTools)
    );
    assert_eq!(first.tokens_before, 89_000);
    // 20,000 are reached at the result of the seventh turn; the cut is the reply behind it.
    assert_eq!((first.summarized, first.kept), (27, 8));
    assert_eq!(first.tokens_after, 20_000 + 2_000);
    assert_eq!(first.lost_tokens(), 67_000);
    assert_eq!(course.fires.len(), 1);
    assert_eq!(course.lost_tokens(), 67_000);
    assert_eq!(course.peak_tokens, 89_000);
    assert_eq!(course.stop, None);
    // The release that looked between turns only fires when the turn is over.
    let older = simulate(&policy("pi-0.73"), &limits(100_000, None), &turns(12));
    assert_eq!(older.fires[0].at, EntryIx::new(35));
    assert_eq!(older.fires[0].check, Check::AfterRun);
}

#[test]
fn a_policy_sees_only_what_it_counts() {
    // At 70,000 Coder's line is met by the request before the reply, not by the reply.
    let growth = turns(9);
    let coder = course("coder", 100_000, &growth);
    // Requests of the seventh turn: 61,000 and 69,000; of the eighth: 71,000.
    assert_eq!(coder.fires[0].at, EntryIx::new(29));
    assert_eq!(coder.fires[0].check, Check::AfterStep);
    assert_eq!(coder.fires[0].tokens_before, 72_000);
    assert_eq!(coder.fires[0].kept, 0);
    // Mux does not see the result that made it too large, and looks when a prompt comes; at 75 %
    // it does not wait for one.
    let mux = course("mux", 100_000, &growth);
    assert_eq!(mux.fires[0].at, EntryIx::new(27));
    assert_eq!(mux.fires[0].check, Check::BeforePrompt);
    let one_turn = Growth {
        steps: (0..40)
            .map(|at| match at % 2 {
                0 if at == 0 => step(at, StepKind::Prompt, 5_000),
                0 => step(at, StepKind::Result, 5_000),
                _ => step(at, StepKind::Reply, 5_000),
            })
            .collect(),
        besides: Vec::new(),
        ..Growth::default()
    };
    let forced = course("mux", 100_000, &one_turn);
    assert!(forced.fires[0].forced);
    assert_eq!(forced.fires[0].check, Check::BetweenTools);
    // The last report has 80,000, the result behind it makes 85,000.
    assert_eq!(forced.fires[0].tokens_before, 85_000);
}

#[test]
fn what_is_sent_besides_counts_for_reports_and_not_for_estimates() {
    let mut growth = turns(6);
    growth.besides = vec![(0, 30_000)];
    let nanocoder = course("nanocoder", 100_000, &growth);
    assert_eq!(nanocoder.fires[0].tokens_before, 30_000 + 31_000);
    assert_eq!(nanocoder.fires[0].at, EntryIx::new(12));
    let langchain = course("langchain", 70_000, &growth);
    // 56,000 of messages.
    assert_eq!(langchain.fires[0].at, EntryIx::new(22));
    assert_eq!(langchain.fires[0].tokens_before, 30_000 + 59_000);
    // The oldest of the last 20 is the reply that ends the first turn.
    assert_eq!(langchain.fires[0].kept, 20);
}

#[test]
fn langchain_lets_results_go_with_their_call() {
    // Turns of a prompt, twice a reply with two calls and their results, and a reply.
    let mut growth = Growth::default();
    for at in 0..40 {
        let kind = match at % 8 {
            0 => StepKind::Prompt,
            1 | 4 | 7 => StepKind::Reply,
            _ => StepKind::Result,
        };
        let mut own = step(at, kind, 100);
        own.calls = if matches!(at % 8, 1 | 4) { 2 } else { 0 };
        growth.steps.push(own);
    }
    // 80 % of 3,800 are reached with the 31st; the 20th from there is the second result of a reply.
    let langchain = course("langchain", 3_800, &growth);
    let first = &langchain.fires[0];
    assert_eq!(first.at, EntryIx::new(30));
    assert_eq!((first.summarized, first.kept), (12, 19));
}

#[test]
fn a_prompt_without_an_answer_stays_with_goose_and_zed() {
    // The report of the eighth turn's last request with its reply is 80,000: Goose needs more.
    let goose = course("goose", 99_000, &turns(12));
    let first = &goose.fires[0];
    assert_eq!(
        (first.at, first.check),
        (EntryIx::new(32), Check::BeforeRequest)
    );
    assert_eq!((first.summarized, first.kept), (32, 1));
    assert_eq!(first.tokens_after, 1_000 + 2_000);
    // Zed looks between tools as well, and there no prompt waits.
    let zed = course("zed", 120_000, &turns(12));
    let first = &zed.fires[0];
    assert_eq!(first.check, Check::BeforeRequest);
    assert_eq!((first.at, first.kept), (EntryIx::new(32), 1));
    let between = course("zed", 122_000, &turns(12));
    assert_eq!(between.fires[0].check, Check::BetweenTools);
    assert_eq!(between.fires[0].kept, 0);
}

#[test]
fn events_are_counted_and_halved() {
    let growth = Growth {
        steps: (0..400)
            .map(|at| match at % 2 {
                0 => step(at, StepKind::Prompt, 10),
                _ => step(at, StepKind::Reply, 10),
            })
            .collect(),
        besides: Vec::new(),
        ..Growth::default()
    };
    let course = course("openhands", 200_000, &growth);
    // 241 events: the first two, the summary and the last 117 make 120.
    assert_eq!(course.fires[0].at, EntryIx::new(240));
    assert_eq!(
        (course.fires[0].summarized, course.fires[0].kept),
        (122, 119)
    );
    // 120 and 121 more.
    assert_eq!(course.fires[1].at, EntryIx::new(362));
    assert_eq!(course.fires[1].kept, 119);
}

#[test]
fn codex_carries_the_users_words_on() {
    let course = course("codex", 100_000, &turns(20));
    let first = &course.fires[0];
    // 90,000 are reached with the last reply of the ninth turn, and looked at when the next prompt
    // comes; nine prompts of 1,000 stay.
    assert_eq!(
        (first.at, first.check),
        (EntryIx::new(35), Check::BeforePrompt)
    );
    assert_eq!(first.tokens_before, 90_000);
    assert_eq!(first.tokens_after, 9_000 + 2_000);
    assert_eq!(first.kept, 0);
}

#[test]
fn clearing_takes_the_oldest_results() {
    let mut growth = turns(20);
    for own in &mut growth.steps {
        own.tool = (own.kind == StepKind::Result).then_some("bash");
    }
    let course = course("claude-code-micro", 150_000, &growth);
    // 97,000 is the warning line: reached with the last result of the tenth turn, 99,000. Of ten
    // results of 7,000 so many go that at most 40,000 are left.
    let first = &course.fires[0];
    assert_eq!(first.at, EntryIx::new(38));
    assert_eq!(first.summarized, 5);
    assert_eq!(first.lost_tokens(), 5 * (7_000 - 9));
    // Context editing goes on with every result once it is above its line, all but the last three.
    let editing = self::course("anthropic-context-editing", 200_000, &turns(60));
    assert_eq!(editing.stop, None);
    let cleared: usize = editing.fires.iter().map(|fire| fire.summarized).sum();
    assert_eq!(cleared, 60 - 3);
    assert!(editing.fires.len() > 20);
}

#[test]
fn pruning_leaves_two_turns_and_40_000_tokens_before_them() {
    // Of the eight results before the last two turns the five newest have 35,000; of the three
    // others, 21,000, the first passes 40,000.
    let mut growth = turns(14);
    let pruned = course("opencode-prune", 200_000, &growth);
    let at = |fire: &Fire| (fire.at, fire.check, fire.summarized);
    let fires: Vec<_> = pruned.fires.iter().map(at).collect();
    let after = |turn: usize| EntryIx::new(turn * 4 - 1);
    // What is cleared ends the next walk back, and three turns later there are three more.
    let expected = [
        (after(10), Check::AfterRun, 3),
        (after(13), Check::AfterRun, 3),
    ];
    assert_eq!(fires, expected);
    assert_eq!(pruned.fires[0].lost_tokens(), 3 * (7_000 - 9));
    // 20,000 and no more are not enough.
    for own in &mut growth.steps[..12] {
        own.size = own.size.min(6_666);
    }
    let later = course("opencode-prune", 200_000, &growth);
    assert_eq!(later.fires[0].at, after(11));
    // The result of a tool that failed is neither counted nor cleared.
    let mut growth = turns(14);
    growth.steps[2].failed = true;
    let without = course("opencode-prune", 200_000, &growth);
    assert_eq!(
        (without.fires[0].at, without.fires[0].summarized),
        (after(11), 3)
    );
}

#[test]
fn memgpt_flushes_half_of_the_messages() {
    let course = course("memgpt", 100_000, &turns(12));
    // 100,000 are full with the last reply of the tenth turn; it is seen with the next prompt.
    let first = &course.fires[0];
    assert_eq!((first.at, first.tokens_before), (EntryIx::new(40), 101_000));
    assert_eq!((first.summarized, first.kept), (20, 21));
}

#[test]
fn compacting_in_vain_ends_the_walk() {
    let mut growth = turns(100);
    growth.besides = vec![(0, 95_000)];
    let codex = course("codex", 100_000, &growth);
    assert_eq!(codex.fires.len(), 20);
    assert_eq!(codex.stop.unwrap().why, StopReason::NoRoom);
    // Claude Code has a guard of its own: the first, and three that follow within three turns.
    let claude = course("claude-code", 120_000, &growth);
    assert_eq!(claude.fires.len(), 4);
    assert_eq!(claude.stop.unwrap().why, StopReason::Thrash);
}

#[test]
fn the_agents_policy_also_looks_where_its_path_ends_in_an_automatic_compaction() {
    // 170,000 tokens, a prompt and a reply without calls: Claude Code checks before a request, and
    // none follows on record. Its threshold is 178,000.
    let mut growth = turns(17);
    growth.steps.push(step(68, StepKind::Prompt, 1_000));
    growth.steps.push(step(69, StepKind::Reply, 1_000));
    let fires = |growth: &Growth<'_>| course("claude-code", 211_000, growth).fires.len();
    assert_eq!(fires(&growth), 0);
    growth.ends_compacted = true;
    assert_eq!(fires(&growth), 0, "below its threshold it does not compact");
    growth.stored_at_end = Some(178_500);
    assert_eq!(fires(&growth), 1, "the agent stored a size above it");
    growth.stored_at_end = None;
    growth.steps.last_mut().unwrap().size = 9_000;
    growth.ends_compacted = false;
    assert_eq!(fires(&growth), 0);
    growth.ends_compacted = true;
    assert_eq!(fires(&growth), 1);
}

#[test]
fn a_call_without_a_result_at_the_end_is_looked_at() {
    let mut growth = turns(17);
    growth.steps.push(step(68, StepKind::Prompt, 1_000));
    let mut call = step(69, StepKind::Reply, 6_000);
    call.calls = 1;
    growth.steps.push(call);
    let fires = |growth: &Growth<'_>| course("claude-code", 211_000, growth).fires.len();
    assert_eq!(fires(&growth), 0, "177,000 of 178,000");
    growth.steps[69].size = 8_000;
    assert_eq!(fires(&growth), 1, "results only add to 179,000");
}
