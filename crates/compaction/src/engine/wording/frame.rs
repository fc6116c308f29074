//! The agent's words in the frame of a strategy's prompt: labels, placeholders, custom instructions.

use super::found::Wording;
use crate::engine::agent_settings::as_template;
use crate::engine::preset::Preset;

/// Words as they were found, and what of a prompt they are.
pub(super) struct Raw {
    pub strategy: String,
    pub place: &'static str,
    pub setting: String,
    pub words: String,
    pub part: Part,
}

/// What of a prompt the words are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// All of it.
    Whole,
    /// The request; labels, the conversation and custom instructions are the strategy's.
    Request,
    /// What stands before the summary.
    Before,
}

const OPENS: &str = "{{#request}}";
const CLOSES: &str = "{{/request}}";
const SUMMARY: &str = "{{summary}}";
const INSTRUCTIONS: (&str, &str) = ("{{#instructions}}", "{{/instructions}}");

/// The words as a prompt; `None` where the strategy has no such prompt or part.
pub(super) fn framed(raw: &Raw) -> Option<Wording> {
    if raw.words.trim().is_empty() {
        return None;
    }
    let text = match raw.part {
        Part::Whole => as_template(raw.words.trim()),
        Part::Request => {
            let frame = Preset::named(&raw.strategy)?.prompts.get(raw.place)?.text();
            let from = frame.find(OPENS)? + OPENS.len();
            let to = from + frame[from..].find(CLOSES)?;
            let words = as_template(raw.words.trim());
            let more = instructions(&frame[from..to]);
            format!("{}{words}{more}{}", &frame[..from], &frame[to..])
        }
        Part::Before => {
            let frame = Preset::named(&raw.strategy)?.prompts.get(raw.place)?.text();
            let at = frame.find(SUMMARY)?;
            format!("{}{}", as_template(&raw.words), &frame[at..])
        }
    };
    Some(Wording {
        strategy: raw.strategy.clone(),
        place: raw.place,
        setting: raw.setting.clone(),
        text,
    })
}

/// Where custom instructions go in a request, with their label.
fn instructions(request: &str) -> &str {
    let (opens, closes) = INSTRUCTIONS;
    let found = request.find(opens).and_then(|from| {
        let to = from + request[from..].find(closes)? + closes.len();
        Some(&request[from..to])
    });
    found.unwrap_or_default()
}
