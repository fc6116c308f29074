//! What `prompts` asks.

use super::answer::Answer;
use super::given::read;
use crate::args::PromptAction;
use palimpsest_api::Api;
use palimpsest_api::wire::*;
use std::path::Path;

/// What an action on the prompts of the user asks; without one, all are listed.
pub(super) async fn prompts(api: &Api, action: Option<&PromptAction>) -> Result<Answer, WireError> {
    let asked = api.commands();
    Ok(match action {
        None => Answer::Prompts(asked.prompts(PromptsRequest { name: None }).await?),
        Some(PromptAction::Show { name }) => {
            let name = name.clone();
            Answer::Prompt(asked.prompt(PromptRequest { name }).await?)
        }
        Some(PromptAction::Save {
            name,
            file,
            strategy,
            place,
        }) => {
            let text = if file.as_os_str() == "-" {
                std::io::read_to_string(std::io::stdin())
            } else {
                std::fs::read_to_string(file)
            };
            let request = PromptSaveRequest {
                name: name.clone(),
                // Editors end a file with a line end, which would be part of every prompt.
                text: read("prompt", file, text)?.trim_end().to_owned(),
                strategy: strategy.clone(),
                place: place.clone(),
            };
            Answer::PromptSaved(asked.prompt_save(request).await?)
        }
        Some(PromptAction::Delete { name }) => {
            let name = name.clone();
            Answer::PromptDeleted(asked.prompt_delete(PromptRequest { name }).await?)
        }
        Some(PromptAction::Label {
            name,
            label,
            remove: _,
        }) => {
            let request = PromptLabelRequest {
                name: name.clone(),
                label: label.clone().unwrap_or_default(),
            };
            Answer::PromptLabelled(asked.prompt_label(request).await?)
        }
        Some(PromptAction::Rename { name, to }) => {
            let request = RenamedRequest {
                name: name.clone(),
                to: to.clone(),
            };
            Answer::PromptRenamed(asked.prompt_rename(request).await?)
        }
        Some(PromptAction::Find { folder }) => find(api, folder.as_deref()).await?,
        Some(PromptAction::Import {
            installed: true,
            folder,
            dry_run: true,
            ..
        }) => find(api, folder.as_deref()).await?,
        Some(PromptAction::Import {
            installed: true,
            folder,
            name,
            ..
        }) => {
            let request = PromptsTakeRequest {
                folder: folder.as_deref().map(shown),
                names: name.clone(),
            };
            Answer::PromptsImport(asked.prompts_take(request).await?)
        }
        Some(PromptAction::Import {
            project, dry_run, ..
        }) => {
            let request = PromptImportRequest {
                project: project.as_ref().map(|dir| dir.display().to_string()),
                dry_run: *dry_run,
            };
            Answer::PromptsImport(asked.prompts_import(request).await?)
        }
    })
}

/// What is found in the files of installed agents.
async fn find(api: &Api, folder: Option<&Path>) -> Result<Answer, WireError> {
    let request = PromptsFindRequest {
        folder: folder.map(shown),
    };
    let found = api.commands().prompts_find(request).await?;
    Ok(Answer::InstalledPrompts(found))
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
