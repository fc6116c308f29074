//! What the values of filters mean: dates, numbers and kinds of entries.

use crate::index::{FAILED_TEST, REREAD, RESUME, SUBAGENT, SUBAGENT_START};
use palimpsest_core::RecordKind;
use palimpsest_store::index::{NumberRange, OPEN_TODO, SessionNumber};

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// Kinds of entries that `kind:` takes beside the names of records, with what it calls them.
pub(super) const KINDS: [(&str, &str); 42] = [
    ("user", "user"),
    ("prompt", "user"),
    ("assistant", "assistant"),
    ("reply", "assistant"),
    ("system", "system"),
    ("call", "call"),
    ("tool", "call"),
    ("result", "result"),
    ("summary", "summary"),
    ("compaction", "compaction"),
    ("branch", "branch_summary"),
    ("shell", "shell"),
    ("error", "error"),
    ("rejected", "rejected"),
    ("failed_test", FAILED_TEST),
    ("failing_test", FAILED_TEST),
    ("test_failure", FAILED_TEST),
    ("reread", REREAD),
    ("read_again", REREAD),
    ("aborted", "aborted"),
    ("abort", "aborted"),
    ("interrupted", "aborted"),
    ("undone", "undone"),
    ("reverted", "undone"),
    ("rewound", "undone"),
    ("rollback", "undone"),
    ("queued", "queued"),
    ("queue", "queued"),
    ("image", "image"),
    ("todo", "todo"),
    ("open_todo", OPEN_TODO),
    ("subagent", SUBAGENT),
    ("subagent_start", SUBAGENT_START),
    ("resume", RESUME),
    ("resumed", RESUME),
    ("thinking", "thinking"),
    ("thought", "thinking"),
    ("reasoning", "thinking"),
    ("plan", "plan"),
    ("model", "model_change"),
    ("effort", "thinking_change"),
    ("label", "label"),
];

/// The kinds as messages list them.
pub(super) const SHOWN_KINDS: [&str; 27] = [
    "user",
    "assistant",
    "thinking",
    "call",
    "result",
    "error",
    "failed-test",
    "rejected",
    "aborted",
    "undone",
    "queued",
    "image",
    "todo",
    "open-todo",
    "plan",
    "reread",
    "subagent",
    "subagent-start",
    "resume",
    "summary",
    "compaction",
    "branch",
    "clearing",
    "model-change",
    "shell",
    "label",
    "system",
];

/// The values of `has:`.
pub(super) const HAS: [&str; 14] = [
    "compaction",
    "branch",
    "error",
    "failed-test",
    "rejected",
    "undone",
    "reread",
    "open-todo",
    "subagent",
    "image",
    "warning",
    "star",
    "note",
    "label",
];

/// The values of `is:`.
pub(super) const IS: [&str; 4] = ["subagent", "fork", "continuation", "starred"];

/// The kinds that say what a record is, what became of it or what it did, by the words that people
/// search and that its text rarely has.
const STATES: [(&str, &str); 26] = [
    ("image", "image"),
    ("images", "image"),
    ("picture", "image"),
    ("screenshot", "image"),
    ("screenshots", "image"),
    ("subagent", SUBAGENT_START),
    ("subagents", SUBAGENT_START),
    ("todo", "todo"),
    ("todos", "todo"),
    ("thinking", "thinking"),
    ("compaction", "compaction"),
    ("compactions", "compaction"),
    ("refused", "rejected"),
    ("refusal", "rejected"),
    ("resume", RESUME),
    ("resumed", RESUME),
    ("rejected", "rejected"),
    ("undone", "undone"),
    ("reverted", "undone"),
    ("rewound", "undone"),
    ("rollback", "undone"),
    ("reread", "reread"),
    ("queued", "queued"),
    ("aborted", "aborted"),
    ("interrupted", "aborted"),
    ("cancelled", "aborted"),
];

/// The kind that a word of a search names by what became of a record.
pub(super) fn state_of(word: &str) -> Option<&'static str> {
    let named = STATES.iter().find(|(known, _)| *known == word);
    named.map(|(_, kind)| *kind)
}

/// A list of values in a sentence.
pub(super) fn listed(values: &[&str]) -> String {
    match values {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        other => other.concat(),
    }
}

/// The kind that `kind:VALUE` asks for, as the index has it.
pub(super) fn kind(value: &str) -> Result<&'static str, String> {
    let value = value.to_lowercase().replace('-', "_");
    let singular = value.strip_suffix('s').unwrap_or(&value);
    let named = |name: &str| KINDS.iter().find(|(known, _)| *known == name);
    if let Some((_, kind)) = named(&value).or_else(|| named(singular)) {
        return Ok(kind);
    }
    RecordKind::from_name(&value)
        .or_else(|| RecordKind::from_name(singular))
        .map(RecordKind::name)
        .ok_or_else(|| {
            format!(
                "the kinds are {}, and an agent's own name of a record, such as session.shutdown",
                SHOWN_KINDS.join(", ")
            )
        })
}

/// The first millisecond of a day, month or year, UTC; `None` for what is no date.
fn start_of(value: &str) -> Option<i64> {
    let mut parts = value.split('-');
    let year: i16 = parts.next()?.parse().ok()?;
    let mut number = |missing: i8| match parts.next() {
        Some(text) => text.parse::<i8>().ok(),
        None => Some(missing),
    };
    let (month, day) = (number(1)?, number(1)?);
    if parts.next().is_some() {
        return None;
    }
    let date = jiff::civil::Date::new(year, month, day).ok()?;
    let start = date.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
    Some(start.timestamp().as_millisecond())
}

/// The start of a span of time up to now: a date, `today`, `yesterday`, or a number of hours,
/// days, weeks, months (30 days) or years (365 days) such as `12h`, `7d`, `2w`, `3m`, `1y`.
pub(super) fn since(value: &str, now_ms: i64) -> Result<i64, String> {
    let today = now_ms - now_ms.rem_euclid(DAY_MS);
    let value = value.to_lowercase();
    match value.as_str() {
        "today" => return Ok(today),
        "yesterday" => return Ok(today - DAY_MS),
        _ => {}
    }
    if let Some(unit) = value.chars().last()
        && let Ok(count) = value[..value.len() - unit.len_utf8()].parse::<u32>()
    {
        let unit_ms = match unit {
            'h' => DAY_MS / 24,
            'd' => DAY_MS,
            'w' => 7 * DAY_MS,
            'm' => 30 * DAY_MS,
            'y' => 365 * DAY_MS,
            _ => 0,
        };
        if unit_ms > 0 {
            return Ok(now_ms.saturating_sub(unit_ms.saturating_mul(i64::from(count))));
        }
    }
    start_of(&value).ok_or_else(|| {
        "write a time as 2026, 2026-10, 2026-10-05, today or yesterday, or how long ago it was as one \
         number with its unit, such as 12h, 7d or 2w"
            .to_owned()
    })
}

/// A range such as `>1`, `>=100k`, `<0.5`, `3` or `2..5`.
pub(super) fn range(of: SessionNumber, value: &str) -> Result<NumberRange, String> {
    let wrong = || "a number is written >1, >=100k, <0.5, 3 or 2..5".to_owned();
    let all = NumberRange {
        of,
        from: f64::MIN,
        to: f64::MAX,
        with_from: true,
        with_to: true,
    };
    let parse = |text: &str| number(text).ok_or_else(wrong);
    if let Some((from, to)) = value.split_once("..") {
        let (from, to) = (parse(from)?, parse(to)?);
        return Ok(NumberRange { from, to, ..all });
    }
    let operators = [
        (">=", true, true),
        ("<=", false, true),
        (">", true, false),
        ("<", false, false),
    ];
    for (sign, is_from, inclusive) in operators {
        if let Some(rest) = value.strip_prefix(sign) {
            let bound = parse(rest)?;
            return Ok(if is_from {
                NumberRange {
                    from: bound,
                    with_from: inclusive,
                    ..all
                }
            } else {
                NumberRange {
                    to: bound,
                    with_to: inclusive,
                    ..all
                }
            });
        }
    }
    let exact = parse(value.strip_prefix('=').unwrap_or(value))?;
    Ok(NumberRange {
        from: exact,
        to: exact,
        ..all
    })
}

/// A number with an optional `$` before it and `k` or `m` behind it.
fn number(text: &str) -> Option<f64> {
    let text = text.trim().trim_start_matches('$').to_lowercase();
    let (digits, factor) = match text.strip_suffix(['k', 'm']) {
        Some(digits) if text.ends_with('k') => (digits, 1e3),
        Some(digits) => (digits, 1e6),
        None => (text.as_str(), 1.0),
    };
    let digits = digits.replace('_', "");
    let plain = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit() || c == '.');
    let value: f64 = plain.then(|| digits.parse().ok())??;
    Some(value * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(value: &str) -> Option<(f64, f64, bool, bool)> {
        let range = range(SessionNumber::Tokens, value).ok()?;
        Some((range.from, range.to, range.with_from, range.with_to))
    }

    #[test]
    fn ranges_of_numbers() {
        let (least, most) = (f64::MIN, f64::MAX);
        for (value, expected) in [
            (">1", Some((1.0, most, false, true))),
            (">=100k", Some((100_000.0, most, true, true))),
            ("<$0.5", Some((least, 0.5, true, false))),
            ("<=2m", Some((least, 2e6, true, true))),
            ("3", Some((3.0, 3.0, true, true))),
            ("=3", Some((3.0, 3.0, true, true))),
            ("2..5", Some((2.0, 5.0, true, true))),
            ("", None),
            (">", None),
            ("many", None),
            ("1..", None),
            ("-1", None),
            ("1e5", None),
        ] {
            assert_eq!(bounds(value), expected, "{value}");
        }
    }

    #[test]
    fn spans_of_time_end_now() {
        // 2026-10-05 12:00 UTC.
        let now = 1_791_201_600_000;
        for (value, start) in [
            ("today", 1_791_158_400_000),
            ("yesterday", 1_791_072_000_000),
            ("12h", 1_791_158_400_000),
            ("7d", now - 7 * DAY_MS),
            ("2w", now - 14 * DAY_MS),
            ("2026-10-05", 1_791_158_400_000),
        ] {
            assert_eq!(since(value, now), Ok(start), "{value}");
        }
        for value in ["", "d", "soon", "7x", "-3d", "é"] {
            since(value, now).unwrap_err();
        }
    }

    #[test]
    fn kinds_have_everyday_names() {
        assert_eq!(kind("Results"), Ok("result"));
        assert_eq!(kind("tool_result"), Ok("tool_result"));
        assert_eq!(kind("branch-summary"), Ok("branch_summary"));
        assert_eq!(kind("model_change"), Ok("model_change"));
        assert_eq!(kind("failed-tests"), Ok("failed_test"));
        assert_eq!(kind("reread"), Ok("reread"));
        assert_eq!(kind("open-todos"), Ok("open_todo"));
        assert_eq!(kind("subagents"), Ok("subagent"));
        kind("nonsense").unwrap_err();
    }
}
