//! What policies would have done, as tables.

use super::table::{Table, counted, thousands};
use super::{list, number, text};
use serde_json::Value;

/// One row per policy, then the firings of each where only some were asked for, then the session's
/// own compactions.
pub(super) fn policies(answer: &Value) -> String {
    let policies = list(answer, "policies");
    let figure = |key: &str| {
        let known = answer[key].as_u64();
        known.map_or("unknown".to_owned(), thousands)
    };
    let mut out = format!(
        "at {}  model {}  window {}  longest reply {}  {}\n",
        answer["at"].as_str().unwrap_or("(before the first entry)"),
        answer["model"].as_str().unwrap_or("(unknown)"),
        figure("window"),
        figure("max_output"),
        counted(number(answer, "length"), "entry", "entries"),
    );
    let mut table = Table::new(["policy", "line", "fires", "lost", "peak", "when"]);
    table.right(&[1, 2, 3, 4]);
    for own in policies {
        let when = own["off_reason"]
            .as_str()
            .map(|reason| format!("off: {reason}"))
            .unwrap_or_else(|| text(own, "description").to_owned());
        table.row([
            text(own, "name").to_owned(),
            line(own),
            thousands(number(own, "fire_count")),
            thousands(number(own, "lost_tokens")),
            thousands(number(own, "peak_tokens")),
            when,
        ]);
    }
    out += &table.to_string();
    for own in policies {
        out += &fires(own, policies.len());
        if let Some(reason) = own["stop_reason"].as_str() {
            let (name, at) = (text(own, "name"), text(own, "stopped_at"));
            out += &format!("{name} ends at {at}: {reason}\n");
        }
    }
    for own in list(answer, "actual") {
        out += &format!(
            "the session itself: {} at {} -> {}\n",
            text(own, "entry_id"),
            thousands(number(own, "tokens_before")),
            thousands(number(own, "tokens_after")),
        );
    }
    for note in list(answer, "notes").iter().filter_map(Value::as_str) {
        out += &format!("{note}\n");
    }
    out
}

/// The policies there are, each with what can be set and how.
pub(super) fn known(answer: &Value) -> String {
    let mut out = String::new();
    for own in list(answer, "policies") {
        let name = text(own, "name");
        out += &format!("{name}: {}\n", text(own, "description"));
        if let Some(path) = own["path"].as_str() {
            out += &format!("  yours, in {path}\n");
        }
        for param in list(own, "params") {
            let unit = param["unit"].as_str().unwrap_or_default();
            let value = match &param["value"] {
                Value::Null => format!("(not set) {unit}"),
                value => format!("{value} {unit}"),
            };
            let param = text(param, "name");
            out += &format!("  {name}.{param} = {}\n", value.trim_end());
        }
    }
    for broken in list(answer, "broken") {
        out += &format!(
            "{} cannot be used: {}\n",
            text(broken, "path"),
            text(broken, "reason")
        );
    }
    out + "\n`palimpsest policy SESSION --set POLICY.KEY=VALUE` looks with another number."
}

/// The threshold: tokens, or a number of messages.
fn line(policy: &Value) -> String {
    let sign = match policy["inclusive"].as_bool() {
        Some(true) => "",
        _ => "> ",
    };
    match (
        policy["threshold_tokens"].as_u64(),
        policy["threshold_messages"].as_u64(),
    ) {
        (Some(tokens), _) => format!("{sign}{}", thousands(tokens)),
        (None, Some(messages)) => format!("{sign}{}", counted(messages, "message", "messages")),
        (None, None) => "-".to_owned(),
    }
}

/// Policies listed at once for which single firings are still shown.
const MOST_SHOWN: usize = 5;

fn fires(policy: &Value, policies: usize) -> String {
    let fires = list(policy, "fires");
    if policies > MOST_SHOWN || fires.is_empty() {
        return String::new();
    }
    let mut table = Table::new(["entry", "before", "after", "lost", "gone", "kept", "when"]);
    table.right(&[1, 2, 3, 4, 5]);
    for fire in fires {
        table.row([
            text(fire, "entry_id").to_owned(),
            thousands(number(fire, "tokens_before")),
            thousands(number(fire, "tokens_after")),
            thousands(number(fire, "lost_tokens")),
            thousands(number(fire, "summarized")),
            thousands(number(fire, "kept")),
            text(fire, "check").replace('_', " "),
        ]);
    }
    format!("\n{}\n{table}", text(policy, "name"))
}
