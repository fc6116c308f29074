//! What several commands take from their arguments: files, plans, filters.

use crate::args::{LimitArgs, PlanArgs, ProviderArgs};
use palimpsest_api::wire::*;
use palimpsest_api::{Input, NextStep};
use std::path::Path;

/// The text of a file that was named, or why it has none.
pub(super) fn read(
    what: &str,
    path: &Path,
    text: std::io::Result<String>,
) -> Result<String, WireError> {
    let shown = match path.to_str() {
        Some("-") => "standard input".to_owned(),
        _ => path.display().to_string(),
    };
    let text = text.map_err(|error| {
        let reason = match error.kind() {
            std::io::ErrorKind::InvalidData => "it is no text in UTF-8".to_owned(),
            _ => error.to_string(),
        };
        let message = format!("the {what} cannot be read ({reason}): {shown}");
        WireError::new(ErrorCode::Io, message, NextStep::CheckFile)
    })?;
    if text.trim().is_empty() {
        let next = match what {
            "prompt" => NextStep::Give {
                what: Input::PromptText,
            },
            "summary" => NextStep::Give {
                what: Input::Summary,
            },
            // It is typed or piped, and no file.
            "token" => NextStep::TryAgain,
            _ => NextStep::CorrectFile,
        };
        let message = format!("the {what} is empty: {shown}");
        return Err(WireError::new(ErrorCode::UserFixable, message, next));
    }
    Ok(text)
}

/// The plan that the arguments ask for; where it stands is left to each command.
pub(super) fn planned(plan: &PlanArgs, by: &ProviderArgs) -> PlanRequest {
    PlanRequest {
        session: plan.session.clone(),
        prompts: Some(plan.prompt.iter().cloned().collect()),
        strategy: plan.strategy.clone(),
        set: plan.set.iter().cloned().collect(),
        instructions: plan.instructions.clone(),
        replace_prompt: plan.replace_prompt,
        embeddings: plan.embeddings.clone(),
        provider: Some(by.provider.clone()),
        model: by.model.clone(),
        base_url: by.base_url.clone(),
        ..PlanRequest::default()
    }
}

/// The run of a plan.
pub(super) fn run(plan: PlanRequest, limit: &LimitArgs) -> CompactRequest {
    CompactRequest {
        plan,
        // The command line plans and runs in one step, so there is no plan shown earlier to
        // compare with.
        plan_hash: None,
        stream: Some("command line".to_owned()),
        above_limit: Some(limit.above_limit),
    }
}

/// A filter that makes no sense is an error here: an empty list would be a wrong answer.
pub(super) fn understood(wrong: &[String]) -> Result<(), WireError> {
    if wrong.is_empty() {
        return Ok(());
    }
    Err(WireError::new(
        ErrorCode::Usage,
        wrong.join("; "),
        NextStep::CorrectFilter,
    ))
}
