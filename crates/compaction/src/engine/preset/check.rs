//! Whether a preset can be used.

use crate::engine::preset::data::Preset;
use crate::engine::preset::wants::needed;
use crate::vocabulary::error::PresetError;

impl Preset {
    /// Looks whether the parameters are what they may be, and whether every prompt that the stages
    /// need is there and has its places.
    pub(crate) fn check(&self) -> Result<(), PresetError> {
        let name = || self.name.clone();
        self.check_ranges()?;
        let clash = self
            .select
            .clash()
            .or_else(|| self.summarize.method.clash());
        if let Some(reason) = clash {
            let name = name();
            return Err(PresetError::Clash { name, reason });
        }
        if let Some((prompt, reason)) = self.prompts.refused() {
            return Err(PresetError::Prompt {
                name: name(),
                prompt: prompt.clone(),
                reason: reason.clone(),
            });
        }
        // Looked at when the preset is read: a plan would otherwise send a prompt without its
        // conversation.
        for (prompt, places) in &needed(self) {
            if !self.prompts.contains_key(prompt) {
                let prompt = *prompt;
                return Err(PresetError::NoPrompt {
                    name: name(),
                    prompt,
                });
            }
            let template = self.prompt(prompt);
            if let Some(place) = places.iter().find(|place| !template.has(place)) {
                let (prompt, place) = (*prompt, *place);
                return Err(PresetError::NoPlace {
                    name: name(),
                    prompt,
                    place,
                });
            }
        }
        Ok(())
    }
}
