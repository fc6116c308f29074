use crate::plan::overflow::Overflow;
use crate::plan::overflow::cut_middle::CutMiddle;
use crate::plan::overflow::keep_more::KeepMore;
use crate::plan::overflow::shorten::ShortenMessages;
use crate::vocabulary::call::PlannedCall;
use crate::vocabulary::slot::PromptPart;

/// A call about items 0 to 6: user, call with two results, user, call with a result.
fn call() -> PlannedCall {
    of_texts(&["a", "b", "c", "d", "e", "f", "g"], &[1, 2, 2, 2, 3, 4, 4])
}

/// A call about messages with these texts, in these units.
fn of_texts(texts: &[&str], units: &[usize]) -> PlannedCall {
    let mut call = PlannedCall::default();
    for (item, (text, &unit)) in texts.iter().zip(units).enumerate() {
        let start = call.prompt.len();
        call.prompt.push_str(text);
        call.parts.push(PromptPart {
            range: start..call.prompt.len(),
            item,
            unit,
            is_tool_result: item > 0 && units[item - 1] == unit,
            units: text.encode_utf16().count() as u64,
        });
        call.items.push(item);
    }
    call.input_tokens = crate::vocabulary::estimate::estimate(&call.prompt);
    call.units = call.prompt.encode_utf16().count() as u64;
    call
}

fn out(rule: &Overflow, call: &PlannedCall, attempt: usize) -> Vec<usize> {
    rule.smaller(call, attempt).leave_out
}

#[test]
fn a_call_goes_with_its_results() {
    let call = call();
    assert_eq!(Overflow::DropOldest.attempts(&call), 3);
    assert_eq!(out(&Overflow::DropOldest, &call, 2), [0, 1, 2, 3]);
    let keep_more = Overflow::KeepMore(KeepMore::default());
    assert_eq!(out(&keep_more, &call, 1), [5, 6]);
    assert_eq!(Overflow::Fail.attempts(&call), 0);
}

#[test]
fn results_go_from_the_middle() {
    let call = call();
    let rule = Overflow::MiddleOutToolResults;
    assert_eq!(out(&rule, &call, 1), [3]);
    assert_eq!(out(&rule, &call, 3), [2, 3]);
    assert_eq!(out(&rule, &call, 4), [2, 3, 6]);
}

#[test]
fn what_is_left_out_is_gone_from_the_prompt() {
    let call = call();
    let left = call.without(&|item| [1, 2, 3].contains(&item));
    assert_eq!(left.prompt, "aefg");
    let ranges: Vec<_> = left.parts.iter().map(|part| part.range.clone()).collect();
    assert_eq!(ranges, [0..1, 1..2, 2..3, 3..4]);
}

#[test]
fn the_middle_goes_between_what_is_oldest_and_newest() {
    let rule = Overflow::CutMiddle(CutMiddle::default());
    let text = "abcd".repeat(10);
    let even = of_texts(&[text.as_str(); 8], &[1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(rule.attempts(&even), 1);
    assert_eq!(out(&rule, &even, 1), [2, 3, 4, 5]);
    // A second time, where that is allowed: a quarter is left.
    assert_eq!(out(&rule, &even, 2), [1, 2, 3, 4, 5, 6]);
    let some = CutMiddle {
        kept_percent: 80,
        cut_attempts: 3,
    };
    assert_eq!(out(&Overflow::CutMiddle(some), &even, 1), [3, 4]);
    // A call goes with its results: three units of two.
    let pairs = of_texts(&[text.as_str(); 6], &[1, 1, 2, 2, 3, 3]);
    assert_eq!(out(&rule, &pairs, 1), [2, 3]);
    // Of two messages none is the middle, so that each loses its own.
    let two = of_texts(&[&"x".repeat(400), "short"], &[1, 2]);
    let smaller = rule.smaller(&two, 1);
    assert_eq!((smaller.leave_out.len(), smaller.max_chars), (0, Some(200)));
    let cut = smaller.of(&two);
    assert!(
        cut.prompt
            .contains("[... 400 characters shortened to 200 ...]")
    );
    assert_eq!(cut.prompt.len(), 200 + "short".len());
}

#[test]
fn messages_become_four_fifths_as_long_each_time() {
    let rule = Overflow::ShortenMessages(ShortenMessages::default());
    let call = of_texts(&[&"a".repeat(1_000), "b", &"ü".repeat(700)], &[1, 2, 3]);
    assert_eq!(rule.attempts(&call), 5);
    let most: Vec<Option<u64>> = (1..=5)
        .map(|attempt| rule.smaller(&call, attempt).max_chars)
        .collect();
    assert_eq!(most, [800, 640, 512, 409, 327].map(Some));
    let second = rule.smaller(&call, 2).of(&call);
    let lengths: Vec<usize> = second
        .parts
        .iter()
        .map(|part| second.prompt[part.range.clone()].chars().count())
        .collect();
    assert_eq!(lengths, [640, 1, 640]);
    assert_eq!(second.items, [0, 1, 2]);
    assert!(second.input_tokens < call.input_tokens);
    // The separator after a message is none of it.
    let parted = of_texts(&["aaaa\n\n", "bb"], &[1, 2]);
    let rule = Overflow::ShortenMessages(ShortenMessages {
        shorten_factor: 0.5,
        shorten_attempts: 1,
    });
    assert_eq!(rule.smaller(&parted, 1).of(&parted).prompt, "aa\n\nbb");
}

#[test]
fn what_is_kept_grows_by_what_the_provider_says_is_too_much() {
    let text = "abcd".repeat(100);
    let units: Vec<usize> = (1..=20).collect();
    let call = of_texts(&[text.as_str(); 20], &units);
    let rule = Overflow::KeepMore(KeepMore::default());
    let said = |gap: u64| format!("{} tokens > 200000 maximum", 200_000 + gap);
    // The first attempt keeps the newest message.
    assert_eq!(rule.next_attempt(&call, 0, &said(300)), 1);
    assert_eq!(rule.next_attempt(&call, 1, &said(250)), 1 + 3);
    assert_eq!(rule.next_attempt(&call, 1, &said(300)), 1 + 3);
    // Nearly all of the nineteen that are left: half of them.
    assert_eq!(rule.next_attempt(&call, 1, &said(1_900)), 1 + 9);
    assert_eq!(rule.next_attempt(&call, 1, &said(900_000)), 1 + 9);
    assert_eq!(rule.next_attempt(&call, 4, "too long"), 5);
    let one = Overflow::KeepMore(KeepMore { step_by_gap: false });
    assert_eq!(one.next_attempt(&call, 1, &said(300)), 2);
}
