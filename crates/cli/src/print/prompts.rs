//! Saved prompts for people.

use super::short;
use super::table::{Table, counted, time};
use palimpsest_api::wire::{FoundPromptView, InstalledPromptsView, PromptImportView, PromptRow};

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
            format!("{}@{}{}", row.name, row.version, label(row)),
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
    let named = format!("{}@{}{}", row.name, row.version, label(row));
    let mut out = format!("{named}  {}  {}", row.hash, place(row));
    if let Some(source) = &row.source {
        out += &format!("  from {source}");
    }
    format!("{out}\n\n{}", row.text)
}

/// What was saved.
pub(super) fn saved(row: &PromptRow) -> String {
    format!("saved as {}@{} ({})", row.name, row.version, row.hash)
}

/// A version with its new label.
pub(super) fn labelled(row: &PromptRow) -> String {
    match &row.label {
        Some(label) => format!("{}@{} is labeled '{label}'", row.name, row.version),
        None => format!("{}@{} has no label", row.name, row.version),
    }
}

fn label(row: &PromptRow) -> String {
    let label = row.label.as_ref();
    label.map_or_else(String::new, |label| format!(" ({label})"))
}

/// What was found in the files of installed agents.
pub(super) fn installed(answer: &InstalledPromptsView) -> String {
    let mut out = Vec::new();
    for agent in &answer.agents {
        let version = agent.version.as_deref().unwrap_or("of unknown version");
        out.push(format!("{} {version}: {}", agent.agent, agent.path));
        out.extend(agent.problem.iter().map(|problem| format!("  {problem}")));
        for own in &agent.prompts {
            let place = own.place.as_deref().unwrap_or_default();
            let saved = match own.version {
                Some(version) => format!("saved as {}@{version}", own.name),
                None => format!("not imported; imports as '{}'", own.name),
            };
            let text = own.text.as_deref().unwrap_or_default();
            let size = counted(text.chars().count() as u64, "character", "characters");
            out.push(format!(
                "  prompt {place} of {} ({}, {size}): {saved}",
                own.strategy, own.setting
            ));
        }
    }
    for name in &answer.without {
        out.push(format!(
            "no prompt found of {name}; save a text with `palimpsest prompts save NAME --file F --strategy {name} \
             --place request`"
        ));
    }
    if answer.agents.iter().any(|agent| !agent.prompts.is_empty()) {
        out.push(
            "`palimpsest prompts import --installed` imports them. The words are the agent's; labels and \
             placeholders around them are the strategy's."
                .to_owned(),
        );
    }
    out.join("\n")
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
