//! Saved prompts, their import, and custom presets.

use super::Empty;
use crate::wire::*;
use palimpsest_app::prompts::{FoundPrompt, ImportReport, PromptOrigin, PromptVersion};
use palimpsest_app::{App, AppResult};
use std::path::Path;

/// Every version of every saved prompt, or of one.
pub(crate) fn prompts(app: &App, request: PromptsRequest) -> AppResult<Vec<PromptRow>> {
    let all = app.prompts(request.name.as_deref())?;
    Ok(all.into_iter().map(row).collect())
}

/// One saved prompt.
pub(crate) fn prompt(app: &App, request: PromptRequest) -> AppResult<PromptRow> {
    Ok(row(app.prompt(&request.name)?))
}

/// Saves a prompt.
pub(crate) fn prompt_save(app: &App, request: PromptSaveRequest) -> AppResult<PromptRow> {
    let origin = PromptOrigin {
        strategy: request.strategy,
        place: request.place,
        source: None,
    };
    Ok(row(app.save_prompt(
        &request.name,
        &request.text,
        &origin,
    )?))
}

/// Deletes a saved prompt with all its versions.
pub(crate) fn prompt_delete(app: &App, request: PromptRequest) -> AppResult<Empty> {
    app.delete_prompt(&request.name)?;
    Ok(Empty {})
}

/// Takes over what agents' settings say, or only shows it.
pub(crate) fn prompts_import(
    app: &App,
    request: PromptImportRequest,
) -> AppResult<PromptImportView> {
    let project = request.project.as_deref().map(Path::new);
    if request.dry_run {
        let (found, warnings) = app.prompts_found(project)?;
        let found = found.into_iter().map(|own| found_view(own, None)).collect();
        return Ok(PromptImportView { found, warnings });
    }
    let report = app.import_prompts(project)?;
    Ok(import_view(report))
}

/// The prompts in the files of installed agents.
pub(crate) fn prompts_find(
    app: &App,
    request: PromptsFindRequest,
) -> AppResult<InstalledPromptsView> {
    let found = app.installed_prompts(request.folder.as_deref().map(Path::new))?;
    let agents = found.agents.into_iter().map(|own| InstalledAgentView {
        agent: own.agent.to_owned(),
        version: own.version,
        path: own.path,
        prompts: own
            .prompts
            .into_iter()
            .map(|prompt| found_view(prompt, None))
            .collect(),
        problem: own.problem,
    });
    Ok(InstalledPromptsView {
        agents: agents.collect(),
        without: found.without.into_iter().map(str::to_owned).collect(),
    })
}

/// Imports prompts of installed agents.
pub(crate) fn prompts_take(app: &App, request: PromptsTakeRequest) -> AppResult<PromptImportView> {
    let folder = request.folder.as_deref().map(Path::new);
    Ok(import_view(app.import_installed(folder, &request.names)?))
}

/// Labels one version of a saved prompt.
pub(crate) fn prompt_label(app: &App, request: PromptLabelRequest) -> AppResult<PromptRow> {
    Ok(row(app.label_prompt(&request.name, &request.label)?))
}

fn import_view(report: ImportReport) -> PromptImportView {
    let found = report.imported.into_iter().map(|taken| {
        let found = FoundPrompt {
            // A text that was imported before keeps its version.
            saved: taken.version.or(taken.found.saved),
            ..taken.found
        };
        found_view(found, taken.preset)
    });
    PromptImportView {
        found: found.collect(),
        warnings: report.warnings,
    }
}

/// Saves a preset.
pub(crate) fn preset_save(app: &App, request: PresetSaveRequest) -> AppResult<PresetSaved> {
    let set = request.set.into_iter().collect();
    let path = app.save_preset(
        &request.name,
        &request.description,
        &request.strategy,
        &set,
        request.replace,
    )?;
    Ok(PresetSaved {
        path: path.display().to_string(),
    })
}

/// Deletes a preset.
pub(crate) fn preset_delete(app: &App, request: PresetRequest) -> AppResult<Empty> {
    app.delete_preset(&request.name)?;
    Ok(Empty {})
}

fn row(saved: PromptVersion) -> PromptRow {
    PromptRow {
        name: saved.name,
        version: saved.version,
        text: saved.text,
        hash: saved.content_hash,
        created_at: saved.created_at_ms,
        strategy: saved.origin.strategy,
        place: saved.origin.place,
        source: saved.origin.source,
        label: saved.label,
    }
}

fn found_view(own: FoundPrompt, preset: Option<String>) -> FoundPromptView {
    FoundPromptView {
        strategy: own.strategy,
        source: own.source,
        setting: own.setting,
        name: own.name,
        place: own.place,
        text: own.text,
        params: own.params.into_iter().collect(),
        version: own.saved,
        preset,
    }
}
