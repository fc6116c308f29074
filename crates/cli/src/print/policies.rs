//! What policies would have done, as tables.

use super::or;
use super::table::{Table, counted, thousands, unusable};
use crate::hints::words;
use palimpsest_api::wire::{PolicyCourse, PolicyList, PolicyReport, written};
use serde_json::Value;

/// One row per policy, then the firings of each where only some were asked for, then the session's
/// own compactions.
pub(super) fn policies(answer: &PolicyReport) -> String {
    let policies = &answer.policies;
    let mut out = format!(
        "at {}  model {}  window {}  max output {}  {}\n",
        answer.at.as_deref().unwrap_or("(before the first entry)"),
        answer.model.as_deref().unwrap_or("(unknown)"),
        or(answer.window, "unknown"),
        or(answer.max_output, "unknown"),
        counted(answer.length, "entry", "entries"),
    );
    let mut table = Table::new([
        "policy",
        "threshold",
        "compactions",
        "tokens removed",
        "largest context",
        "when",
    ]);
    table.right(&[1, 2, 3, 4]);
    for own in policies {
        let off = own.off_reason.as_ref();
        let when = off.map_or_else(
            || own.description.clone(),
            |reason| format!("off: {reason}"),
        );
        table.row([
            own.name.clone(),
            line(own),
            thousands(own.fire_count),
            thousands(own.lost_tokens),
            thousands(own.peak_tokens),
            when,
        ]);
    }
    out += &table.to_string();
    for own in policies {
        out += &fires(own, policies.len());
        if let Some(reason) = &own.stop_reason {
            let name = &own.name;
            let at = own.stopped_at.as_deref().unwrap_or_default();
            out += &format!("{name} stops at {at}: {reason}\n");
        }
    }
    for own in &answer.actual {
        out += &format!(
            "recorded in the session: {} at {} -> {}\n",
            own.entry_id,
            thousands(own.tokens_before),
            thousands(own.tokens_after),
        );
    }
    for note in &answer.notes {
        out += &format!("{note}\n");
    }
    out
}

/// The policies there are, each with what can be set and how.
pub(super) fn known(answer: &PolicyList) -> String {
    let mut out = String::new();
    for own in &answer.policies {
        let name = &own.name;
        out += &format!("{name}: {}\n", own.description);
        if let Some(path) = &own.path {
            out += &format!("  custom, in {path}\n");
        }
        for param in &own.params {
            let unit = param.unit.map(written).unwrap_or_default();
            let value = match &param.value {
                Value::Null => format!("(not set) {unit}"),
                value => format!("{value} {unit}"),
            };
            let param = &param.name;
            out += &format!("  {name}.{param} = {}\n", value.trim_end());
        }
    }
    for broken in &answer.broken {
        let hint = words(broken.next.as_ref(), broken.hint.as_deref());
        out += &unusable(&broken.path, &broken.reason, hint);
    }
    out + "\n`palimpsest policy SESSION --set POLICY.KEY=VALUE` simulates with another number."
}

/// The threshold: tokens, or a number of messages.
fn line(policy: &PolicyCourse) -> String {
    let sign = if policy.inclusive { "" } else { "> " };
    match (policy.threshold_tokens, policy.threshold_messages) {
        (Some(tokens), _) => format!("{sign}{}", thousands(tokens)),
        (None, Some(messages)) => format!("{sign}{}", counted(messages, "message", "messages")),
        (None, None) => "-".to_owned(),
    }
}

/// Policies listed at once for which single firings are still shown.
const MOST_SHOWN: usize = 5;

fn fires(policy: &PolicyCourse, policies: usize) -> String {
    let fires = &policy.fires;
    if policies > MOST_SHOWN || fires.is_empty() {
        return String::new();
    }
    let mut table = Table::new([
        "entry",
        "before",
        "after",
        "removed",
        "summarized",
        "kept",
        "when",
    ]);
    table.right(&[1, 2, 3, 4, 5]);
    for fire in fires {
        table.row([
            fire.entry_id.clone(),
            thousands(fire.tokens_before),
            thousands(fire.tokens_after),
            thousands(fire.lost_tokens),
            thousands(fire.summarized),
            thousands(fire.kept),
            written(fire.check).replace('_', " "),
        ]);
    }
    format!("\n{}\n{table}", policy.name)
}
