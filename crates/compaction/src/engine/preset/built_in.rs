//! The presets that come with the program, and how one is read.

use crate::engine::preset::data::Preset;
use crate::vocabulary::error::{PlanError, PresetError};
use palimpsest_core::unreadable::{json_text, json_value};
use serde_json::{Map, Value};
use std::sync::LazyLock;

/// The built-in presets in the order they are listed, as text.
// A preset comes after the one that it extends.
pub(crate) const FILES: &[&str] = &[
    include_str!("../../../../../assets/presets/pi.json"),
    include_str!("../../../../../assets/presets/pi-0.87.json"),
    include_str!("../../../../../assets/presets/pi-0.73.json"),
    include_str!("../../../../../assets/presets/pi-0.18.json"),
    include_str!("../../../../../assets/presets/pi-branch.json"),
    include_str!("../../../../../assets/presets/pi-branch-0.87.json"),
    include_str!("../../../../../assets/presets/pi-branch-0.73.json"),
    include_str!("../../../../../assets/presets/single-shot.json"),
    include_str!("../../../../../assets/presets/parallel-stitch.json"),
    include_str!("../../../../../assets/presets/sequential-accumulated.json"),
    include_str!("../../../../../assets/presets/sequential-rolling.json"),
    include_str!("../../../../../assets/presets/gemini-cli.json"),
    include_str!("../../../../../assets/presets/gemini-cli-masking.json"),
    include_str!("../../../../../assets/presets/gemini-cli-truncate.json"),
    include_str!("../../../../../assets/presets/cline.json"),
    include_str!("../../../../../assets/presets/cline-basic.json"),
    include_str!("../../../../../assets/presets/cline-truncate.json"),
    include_str!("../../../../../assets/presets/cline-summarize-task.json"),
    include_str!("../../../../../assets/presets/roo.json"),
    include_str!("../../../../../assets/presets/roo-truncate.json"),
    include_str!("../../../../../assets/presets/goose.json"),
    include_str!("../../../../../assets/presets/goose-auto.json"),
    include_str!("../../../../../assets/presets/goose-tool-pairs.json"),
    include_str!("../../../../../assets/presets/continue.json"),
    include_str!("../../../../../assets/presets/continue-cli.json"),
    include_str!("../../../../../assets/presets/copilot.json"),
    include_str!("../../../../../assets/presets/copilot-chat.json"),
    include_str!("../../../../../assets/presets/copilot-chat-simple.json"),
    include_str!("../../../../../assets/presets/mux.json"),
    include_str!("../../../../../assets/presets/mux-pi-local.json"),
    include_str!("../../../../../assets/presets/mux-hybrid-local.json"),
    include_str!("../../../../../assets/presets/mux-heartbeat.json"),
    include_str!("../../../../../assets/presets/factory-droid.json"),
    include_str!("../../../../../assets/presets/factory-droid-scratchpad.json"),
    include_str!("../../../../../assets/presets/amp-handoff.json"),
    include_str!("../../../../../assets/presets/langchain.json"),
    include_str!("../../../../../assets/presets/langchain-clear-tool-uses.json"),
    include_str!("../../../../../assets/presets/letta.json"),
    include_str!("../../../../../assets/presets/letta-all.json"),
    include_str!("../../../../../assets/presets/openhands.json"),
    include_str!("../../../../../assets/presets/openhands-llm.json"),
    include_str!("../../../../../assets/presets/openhands-recent.json"),
    include_str!("../../../../../assets/presets/openhands-amortized.json"),
    include_str!("../../../../../assets/presets/openhands-observation-masking.json"),
    include_str!("../../../../../assets/presets/openhands-browser-masking.json"),
    include_str!("../../../../../assets/presets/openhands-attention.json"),
    include_str!("../../../../../assets/presets/openhands-structured.json"),
    include_str!("../../../../../assets/presets/openhands-agent-cache.json"),
    include_str!("../../../../../assets/presets/openhands-window.json"),
    include_str!("../../../../../assets/presets/openhands-pipeline.json"),
    include_str!("../../../../../assets/presets/pr-agent.json"),
    include_str!("../../../../../assets/presets/pr-agent-calls.json"),
    include_str!("../../../../../assets/presets/aider.json"),
    include_str!("../../../../../assets/presets/zed.json"),
    include_str!("../../../../../assets/presets/zed-thread.json"),
    include_str!("../../../../../assets/presets/kask.json"),
    include_str!("../../../../../assets/presets/memory-stream.json"),
    include_str!("../../../../../assets/presets/memory-stream-reflect.json"),
    include_str!("../../../../../assets/presets/extractive.json"),
    include_str!("../../../../../assets/presets/truncate.json"),
    include_str!("../../../../../assets/presets/external.json"),
    include_str!("../../../../../assets/presets/claude-code.json"),
    include_str!("../../../../../assets/presets/claude-code-auto.json"),
    include_str!("../../../../../assets/presets/claude-code-from.json"),
    include_str!("../../../../../assets/presets/claude-code-up-to.json"),
    include_str!("../../../../../assets/presets/claude-code-micro.json"),
    include_str!("../../../../../assets/presets/claude-code-notes.json"),
    include_str!("../../../../../assets/presets/codex.json"),
    include_str!("../../../../../assets/presets/opencode.json"),
    include_str!("../../../../../assets/presets/opencode-auto.json"),
    include_str!("../../../../../assets/presets/opencode-v2.json"),
    include_str!("../../../../../assets/presets/opencode-prune.json"),
    include_str!("../../../../../assets/presets/anthropic-context-editing.json"),
    include_str!("../../../../../assets/presets/anthropic-compaction.json"),
    include_str!("../../../../../assets/presets/anthropic-sdk.json"),
    include_str!("../../../../../assets/presets/coder.json"),
    include_str!("../../../../../assets/presets/coder-b.json"),
    include_str!("../../../../../assets/presets/coder-a.json"),
];

/// The built-in presets, each as its whole JSON and read. One that cannot be read is left out;
/// the tests see to it that there is none.
static BUILT_IN: LazyLock<Vec<(Value, Preset)>> = LazyLock::new(|| {
    let mut all: Vec<(Value, Preset)> = Vec::new();
    for text in FILES {
        if let Ok(read) = read(text, &all) {
            all.push(read);
        }
    }
    all
});

impl Preset {
    /// The built-in presets.
    pub fn built_in() -> impl Iterator<Item = &'static Preset> {
        BUILT_IN.iter().map(|(_, preset)| preset)
    }

    /// The built-in preset called `name`.
    pub fn named(name: &str) -> Option<&'static Preset> {
        Preset::built_in().find(|preset| preset.name == name)
    }

    /// The built-in preset called `name`, or an error that lists those there are.
    pub fn known(name: &str) -> Result<&'static Preset, PlanError> {
        Preset::named(name).ok_or_else(|| {
            let names = Preset::built_in().map(|own| own.name.clone()).collect();
            PlanError::UnknownStrategy {
                name: name.to_owned(),
                known: names,
            }
        })
    }

    /// Reads a preset; it may extend a built-in one.
    pub fn parse(text: &str) -> Result<Preset, PresetError> {
        read(text, &BUILT_IN).map(|(_, preset)| preset)
    }
}

pub(crate) fn read(text: &str, bases: &[(Value, Preset)]) -> Result<(Value, Preset), PresetError> {
    let value: Value =
        serde_json::from_str(text).map_err(|error| unreadable("?", &json_text(&error)))?;
    let name = value["name"].as_str().unwrap_or("?").to_owned();
    let whole = match value.get("extends") {
        None => value,
        Some(base) => {
            let base = base.as_str().unwrap_or_default();
            let found = bases.iter().find(|(_, preset)| preset.name == base);
            let Some((below, _)) = found else {
                return Err(PresetError::NoBase {
                    name,
                    base: base.to_owned(),
                });
            };
            let mut whole = below.clone();
            let mut above = value;
            if let Some(map) = above.as_object_mut() {
                // `Preset` has no such field and refuses unknown ones.
                map.remove("extends");
            }
            merge(&mut whole, above);
            whole
        }
    };
    let preset: Preset = serde_json::from_value(whole.clone())
        .map_err(|error| unreadable(&name, &json_value(&error, &whole)))?;
    preset.check()?;
    Ok((whole, preset))
}

fn unreadable(name: &str, reason: &str) -> PresetError {
    PresetError::Unreadable {
        name: name.to_owned(),
        reason: reason.to_owned(),
    }
}

/// Puts `above` over `below`: objects field by field, unless they say to be of another kind;
/// everything else as a whole.
pub(crate) fn merge(below: &mut Value, above: Value) {
    match (below, above) {
        (Value::Object(below), Value::Object(above)) if same_kind(below, &above) => {
            for (key, value) in above {
                match below.get_mut(&key) {
                    Some(old) => merge(old, value),
                    None => {
                        below.insert(key, value);
                    }
                }
            }
        }
        (below, above) => *below = above,
    }
}

fn same_kind(below: &Map<String, Value>, above: &Map<String, Value>) -> bool {
    let kind = |map: &Map<String, Value>| map.get("kind").cloned();
    kind(above).is_none_or(|own| kind(below) == Some(own))
}
