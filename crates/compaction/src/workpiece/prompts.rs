//! The prompts of a preset by name, each parsed once: when the preset is read.

use crate::vocabulary::error::TemplateError;
use crate::vocabulary::prompt::PromptText;
use crate::workpiece::template::Template;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Index;
use std::sync::Arc;

/// Prompts by name.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(
    from = "BTreeMap<String, PromptText>",
    into = "BTreeMap<String, PromptText>"
)]
pub struct Prompts {
    by_name: BTreeMap<String, Parsed>,
}

/// A prompt with its template, which all copies of the preset share.
#[derive(Debug, Clone, PartialEq)]
struct Parsed {
    text: PromptText,
    template: Arc<Result<Template, TemplateError>>,
}

impl From<PromptText> for Parsed {
    fn from(text: PromptText) -> Parsed {
        let template = Arc::new(Template::parse(&text.text()));
        Parsed { text, template }
    }
}

impl From<BTreeMap<String, PromptText>> for Prompts {
    fn from(texts: BTreeMap<String, PromptText>) -> Prompts {
        let parsed = texts.into_iter().map(|(name, text)| (name, text.into()));
        Prompts {
            by_name: parsed.collect(),
        }
    }
}

impl From<Prompts> for BTreeMap<String, PromptText> {
    fn from(prompts: Prompts) -> BTreeMap<String, PromptText> {
        let parsed = prompts.by_name.into_iter();
        parsed.map(|(name, own)| (name, own.text)).collect()
    }
}

/// The template of a prompt that a preset does not have.
static NONE: Template = Template::empty();

impl Prompts {
    /// The text of the prompt called `name`.
    pub fn get(&self, name: &str) -> Option<&PromptText> {
        self.by_name.get(name).map(|own| &own.text)
    }

    /// Whether there is a prompt called `name`.
    pub fn contains_key(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// The names, sorted.
    pub fn keys(&self) -> impl Iterator<Item = &String> {
        self.by_name.keys()
    }

    /// The names with their texts, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&String, &PromptText)> {
        self.by_name.iter().map(|(name, own)| (name, &own.text))
    }

    /// Takes over the prompt called `name` of another preset, parsed as it is there.
    pub(crate) fn borrow_from(&mut self, other: &Prompts, name: &str) {
        if let Some(own) = other.by_name.get(name) {
            self.by_name.insert(name.to_owned(), own.clone());
        }
    }

    /// These texts as prompts. A text that is here already is not parsed again.
    pub(crate) fn with_texts(&self, texts: BTreeMap<String, PromptText>) -> Prompts {
        let by_name = texts.into_iter().map(|(name, text)| {
            let same = self.by_name.get(&name).filter(|own| own.text == text);
            let own = same.cloned().unwrap_or_else(|| text.into());
            (name, own)
        });
        Prompts {
            by_name: by_name.collect(),
        }
    }

    /// The template of the prompt called `name`; empty when there is no such prompt, or its text is
    /// no template, which refuses the preset when it is read.
    pub fn template(&self, name: &str) -> &Template {
        let parsed = self.by_name.get(name).map(|own| own.template.as_ref());
        parsed.and_then(|own| own.as_ref().ok()).unwrap_or(&NONE)
    }

    /// The first prompt whose text is no template, and why.
    pub(crate) fn refused(&self) -> Option<(&String, &TemplateError)> {
        let mut all = self.by_name.iter();
        all.find_map(|(name, own)| Some((name, own.template.as_ref().as_ref().err()?)))
    }
}

impl Index<&str> for Prompts {
    type Output = PromptText;

    fn index(&self, name: &str) -> &PromptText {
        &self.by_name[name].text
    }
}
