//! Saved prompts for people.

use super::table::{Table, time};
use super::{list, number, short, text};
use serde_json::Value;

/// Every version of every prompt.
pub(super) fn all(answer: &Value) -> String {
    let rows = answer.as_array().map(Vec::as_slice).unwrap_or_default();
    if rows.is_empty() {
        return "no prompts are saved; `palimpsest prompts import` takes over those of your \
                agents, `palimpsest prompts save` saves a file"
            .to_owned();
    }
    let mut table = Table::new(["NAME", "HASH", "SAVED", "FOR", "TEXT"]);
    for row in rows {
        table.row([
            format!("{}@{}", text(row, "name"), number(row, "version")),
            text(row, "hash").to_owned(),
            time(row["created_at"].as_i64()),
            place(row),
            short(text(row, "text"), 48),
        ]);
    }
    table.to_string()
}

/// One prompt, whole.
pub(super) fn one(row: &Value) -> String {
    let mut out = format!(
        "{}@{}  {}  {}",
        text(row, "name"),
        number(row, "version"),
        text(row, "hash"),
        place(row)
    );
    if let Some(source) = row["source"].as_str() {
        out += &format!("  from {source}");
    }
    format!("{out}\n\n{}", text(row, "text"))
}

/// What was saved.
pub(super) fn saved(row: &Value) -> String {
    format!(
        "saved as {}@{} ({})",
        text(row, "name"),
        number(row, "version"),
        text(row, "hash")
    )
}

/// What was found in agents' settings.
pub(super) fn import(answer: &Value) -> String {
    let found = list(answer, "found");
    let mut out: Vec<String> = found.iter().map(found_line).collect();
    if out.is_empty() {
        out.push("no prompts or compaction settings in the agents' settings".to_owned());
    }
    let warnings = list(answer, "warnings").iter().filter_map(Value::as_str);
    out.extend(warnings.map(|warning| format!("warning: {warning}")));
    out.join("\n")
}

fn found_line(own: &Value) -> String {
    let what = match own["text"].as_str() {
        Some(prompt) => short(prompt, 60),
        None => own["params"].to_string(),
    };
    let kept = match (own["version"].as_u64(), own["preset"].as_str()) {
        (Some(version), _) => format!("{}@{version}", text(own, "name")),
        (None, Some(preset)) => format!("preset {} ({preset})", text(own, "name")),
        (None, None) => "not taken over".to_owned(),
    };
    format!(
        "{} in {}: {what}\n  -> {kept}",
        text(own, "setting"),
        text(own, "source")
    )
}

fn place(row: &Value) -> String {
    match (row["strategy"].as_str(), row["place"].as_str()) {
        (Some(strategy), Some(place)) => format!("{strategy} {place}"),
        (None, Some(place)) => place.to_owned(),
        (strategy, None) => strategy.unwrap_or_default().to_owned(),
    }
}
