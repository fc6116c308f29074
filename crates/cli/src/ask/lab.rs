//! What `lab` asks.

use super::answer::Answer;
use super::given::read;
use crate::args::LabAction;
use palimpsest_api::wire::*;
use palimpsest_api::{Api, Empty};
use std::path::Path;

/// What an action of the lab asks.
pub(super) async fn lab(api: &Api, action: &LabAction) -> Result<Answer, WireError> {
    let asked = api.commands();
    Ok(match action {
        LabAction::Run {
            file,
            dry_run,
            retry_failed,
            above_limit,
        } => {
            let request = LabRequest {
                experiment: Some(read("experiment", file, std::fs::read_to_string(file))?),
                retry_failed: *retry_failed,
                above_limit: *above_limit,
                ..LabRequest::default()
            };
            if *dry_run {
                let plan = asked.lab_plan(request).await;
                Answer::LabPlan(plan.map_err(|error| in_file(error, file))?)
            } else {
                let run = asked.lab_run(request).await;
                Answer::Lab(run.map_err(|error| in_file(error, file))?)
            }
        }
        LabAction::Show { lab } => {
            let lab = lab.clone();
            Answer::Lab(asked.lab_show(LabShowRequest { lab }).await?)
        }
        LabAction::List => Answer::Labs(asked.labs(Empty {}).await?),
        LabAction::Replay { lab } => {
            let lab = lab.clone();
            Answer::LabReplay(asked.lab_replay(LabShowRequest { lab }).await?)
        }
        LabAction::Delete { lab } => {
            let lab = lab.clone();
            Answer::LabDeleted(asked.lab_delete(LabShowRequest { lab }).await?)
        }
        LabAction::Cuts {
            name: Some(name),
            query: Some(query),
            limit,
        } => {
            let request = CutSetSaveRequest {
                name: name.clone(),
                query: Some(query.clone()),
                limit: *limit,
                cuts: Vec::new(),
            };
            Answer::CutSet(asked.cut_set_save(request).await?)
        }
        LabAction::Cuts {
            name: Some(name), ..
        } => {
            // Says that there is no such set.
            let request = CutSetRequest { name: name.clone() };
            asked.cut_set_changes(request).await?;
            let mut sets = asked.cut_sets(Empty {}).await?;
            sets.retain(|set| set.name == *name);
            Answer::CutSets(sets)
        }
        LabAction::Cuts { .. } => Answer::CutSets(asked.cut_sets(Empty {}).await?),
        LabAction::DeleteCuts { name } => {
            let name = name.clone();
            Answer::CutSetDeleted(asked.cut_set_delete(CutSetRequest { name }).await?)
        }
        LabAction::Calibrate { seed } => {
            let request = LabCalibrateRequest { seed: *seed };
            Answer::LabCalibration(asked.lab_calibrate(request).await?)
        }
    })
}

/// The error with the path of the experiment, where something in the file is wrong: the API has only
/// its text.
fn in_file(error: WireError, file: &Path) -> WireError {
    let is_of_file = match error.code {
        // What its rows and cuts name is missing or does not fit.
        ErrorCode::BadRequest | ErrorCode::NotFound => {
            !matches!(error.next.as_deref(), Some(NextStepView::TryLater))
        }
        _ => matches!(error.next.as_deref(), Some(NextStepView::CorrectFile)),
    };
    if !is_of_file {
        return error;
    }
    WireError {
        message: format!("{}: {}", error.message, file.display()),
        ..error
    }
}
