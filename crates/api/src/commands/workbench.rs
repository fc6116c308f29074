//! The workbench: what runs differ in, runs under way, notes on runs, what prompts came to.

use super::Empty;
use super::ledger::view_rows;
use crate::wire::*;
use palimpsest_app::prompts::PromptScore;
use palimpsest_app::run::{PLACEHOLDERS, RunRecord, RunSetting, UnderWay};
use palimpsest_app::{App, AppResult, diff};

/// Two texts side by side, section by section.
pub(crate) fn text_diff(_: &App, request: TextDiffRequest) -> AppResult<TextDiffView> {
    Ok(TextDiffView {
        rows: view_rows(&diff::by_section(&request.left, &request.right)),
    })
}

/// Gives a run a name and a note.
pub(crate) fn run_note(app: &App, request: RunNoteRequest) -> AppResult<Empty> {
    app.note_run(&request.run, &request.name, &request.note)?;
    Ok(Empty {})
}

/// The runs under way, the oldest first.
pub(crate) fn running(app: &App, _: Empty) -> AppResult<Vec<RunningRun>> {
    Ok(app.runs_under_way().into_iter().map(running_run).collect())
}

/// What the user's prompts came to.
pub(crate) fn prompt_scores(app: &App, _: Empty) -> AppResult<Vec<PromptScoreView>> {
    let scores = app.prompt_scores()?.into_iter();
    Ok(scores.map(score).collect())
}

/// The places that prompts may have.
pub(crate) fn placeholders(_: &App, _: Empty) -> AppResult<Vec<PlaceholderInfo>> {
    let all = PLACEHOLDERS.iter();
    Ok(all
        .map(|(name, meaning)| PlaceholderInfo {
            name: (*name).to_owned(),
            meaning: (*meaning).to_owned(),
        })
        .collect())
}

/// Renames a saved prompt with all its versions.
pub(crate) fn prompt_rename(app: &App, request: RenamedRequest) -> AppResult<Empty> {
    app.rename_prompt(&request.name, &request.to)?;
    Ok(Empty {})
}

/// Renames a custom preset.
pub(crate) fn preset_rename(app: &App, request: RenamedRequest) -> AppResult<PresetSaved> {
    let path = app.rename_preset(&request.name, &request.to)?;
    Ok(PresetSaved {
        path: path.display().to_string(),
    })
}

pub(super) fn setting(own: RunSetting) -> RunSettingView {
    RunSettingView {
        key: own.key,
        label: own.label,
        value: own.value,
    }
}

/// The settings in which the runs among some sides differ; `None` is a side without a run.
pub(super) fn differing(
    app: &App,
    sides: &[Option<&RunRecord>],
) -> AppResult<Vec<DifferingSetting>> {
    let runs: Vec<&RunRecord> = sides.iter().flatten().copied().collect();
    let found = app.differing_with_texts(&runs)?;
    let mut all: Vec<DifferingSetting> = Vec::new();
    let places = sides.iter().enumerate().filter(|(_, run)| run.is_some());
    for ((side, _), settings) in places.zip(found) {
        for own in settings {
            let at = all.iter().position(|known| known.key == own.key);
            let at = at.unwrap_or_else(|| {
                all.push(DifferingSetting {
                    key: own.key.clone(),
                    label: own.label.clone(),
                    values: vec![None; sides.len()],
                    texts: Vec::new(),
                });
                all.len() - 1
            });
            all[at].values[side] = Some(own.value);
            if own.text.is_some() {
                all[at].texts.resize(sides.len(), None);
                all[at].texts[side] = own.text;
            }
        }
    }
    Ok(all)
}

fn running_run(own: UnderWay) -> RunningRun {
    RunningRun {
        stream: own.stream,
        kind: own.plan.kind.into(),
        session: own.session,
        at: own.plan.at.clone(),
        strategy: own.plan.strategy.clone(),
        provider: own.provider,
        model: Some(own.model).filter(|model| !model.is_empty()),
        instructions: own.instructions,
        calls: own.plan.calls.len() as u64,
        started_at: own.started_at_ms,
        heard_at: own.heard_at_ms,
        texts: own
            .texts
            .into_iter()
            .map(|(call, (purpose, text))| RunningCall {
                call: call as u64,
                purpose: purpose.into(),
                text,
            })
            .collect(),
        failures: own.failures,
    }
}

fn score(own: PromptScore) -> PromptScoreView {
    PromptScoreView {
        hash: own.hash,
        done: own.done,
        failed: own.failed,
        strategies: own.strategies.into_iter().collect(),
        models: own.models.into_iter().collect(),
        retained: own.retained,
        needed_later: own.needed_later,
        last_used: own.last_used_ms,
    }
}
