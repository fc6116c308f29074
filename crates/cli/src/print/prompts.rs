//! Saved prompts for people.

use super::short;
use super::table::{Table, time};
use palimpsest_api::wire::{FoundPromptView, PromptImportView, PromptRow};

/// Every version of every prompt.
pub(super) fn all(rows: &[PromptRow]) -> String {
    if rows.is_empty() {
        return "no saved prompts; import the settings of your agents with `palimpsest prompts import`, or save a \
         file with `palimpsest prompts save`"
            .to_owned();
    }
    let mut table = Table::new(["NAME", "HASH", "SAVED", "FOR", "TEXT"]);
    for row in rows {
        table.row([
            format!("{}@{}", row.name, row.version),
            row.hash.clone(),
            time(Some(row.created_at)),
            place(row),
            short(&row.text, 48),
        ]);
    }
    table.to_string()
}

/// One prompt, whole.
pub(super) fn one(row: &PromptRow) -> String {
    let mut out = format!("{}@{}  {}  {}", row.name, row.version, row.hash, place(row));
    if let Some(source) = &row.source {
        out += &format!("  from {source}");
    }
    format!("{out}\n\n{}", row.text)
}

/// What was saved.
pub(super) fn saved(row: &PromptRow) -> String {
    format!("saved as {}@{} ({})", row.name, row.version, row.hash)
}

/// What was found in agents' settings.
pub(super) fn import(answer: &PromptImportView) -> String {
    let mut out: Vec<String> = answer.found.iter().map(found_line).collect();
    if out.is_empty() {
        out.push("the agents' settings contain nothing about compaction".to_owned());
    }
    let warnings = answer.warnings.iter();
    out.extend(warnings.map(|warning| format!("warning: {warning}")));
    out.join("\n")
}

fn found_line(own: &FoundPromptView) -> String {
    let what = match &own.text {
        Some(prompt) => short(prompt, 60),
        None => serde_json::to_string(&own.params).unwrap_or_default(),
    };
    let kept = match (own.version, &own.preset) {
        (Some(version), _) => format!("{}@{version}", own.name),
        (None, Some(preset)) => format!("preset {} ({preset})", own.name),
        (None, None) => "not imported".to_owned(),
    };
    format!("{} in {}: {what}\n  -> {kept}", own.setting, own.source)
}

fn place(row: &PromptRow) -> String {
    match (row.strategy.as_deref(), row.place.as_deref()) {
        (Some(strategy), Some(place)) => format!("{strategy} {place}"),
        (None, Some(place)) => place.to_owned(),
        (strategy, None) => strategy.unwrap_or_default().to_owned(),
    }
}
