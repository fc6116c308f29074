//! The kinds each stage can be switched to, for forms and listings.

use crate::plan::overflow::Overflow;
use crate::stages::assemble::next::NextPart;
use crate::stages::reduce::Reduce;
use crate::stages::select::Select;
use crate::stages::summarize::Method;
use crate::vocabulary::params::{ParamDoc, ParamSpec};
use crate::workpiece::transcript::Transcript;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// A kind of a stage.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StageKind {
    /// Where it can stand in a preset: `select`, `reduce` (one of a list), `summarize.method`,
    /// `summarize.transcript`, `summarize.overflow` or `assemble.next` (one of a list).
    pub stage: &'static str,
    /// The kind, as presets and settings name it.
    pub kind: &'static str,
    /// What it does, in one line.
    pub meaning: &'static str,
    /// Its parameters with the defaults they have where it is switched to.
    pub params: Vec<ParamSpec>,
}

type Kinds = &'static [(&'static str, &'static str)];

const SELECT: Kinds = &[
    (
        "keep_recent",
        "the newest tokens stay, whole turns or a part of one",
    ),
    ("turn_tail", "the newest turns that fit stay"),
    ("keep_share", "the newest share of the context stays"),
    ("drop_share", "the oldest share goes, unsummarized"),
    (
        "window_share",
        "half goes or three quarters, by the window; nothing where repeated reads are enough",
    ),
    ("last_messages", "the last messages stay"),
    (
        "last_tool_uses",
        "the last tool uses stay, with what was said since",
    ),
    (
        "old_tool_pairs",
        "old tool calls with their results are summarized, all else stays",
    ),
    (
        "user_messages",
        "what the user said stays, the rest is summarized",
    ),
    ("first_and_last", "the first and the last messages stay"),
    (
        "fitting_tail",
        "the newest messages that fit stay, the others go",
    ),
    ("prompt_tail", "a tail stays that has the last prompt in it"),
    ("half_tail", "a tail of at most half a limit stays"),
    ("notes_tail", "a tail beside running notes stays"),
    (
        "fill_drain",
        "once a fill line is reached, all above a drain line goes",
    ),
    (
        "memory_stream",
        "what is recent, important and relevant stays",
    ),
    ("from_entry", "one side of an entry is summarized"),
    ("cut_at", "what is before an entry is summarized"),
    ("entries", "chosen entries are summarized"),
    (
        "left_behind",
        "the newest that fits is summarized, nothing stays: for branches",
    ),
    ("everything", "all is summarized, nothing stays"),
    (
        "keep_all",
        "all stays; only the next stage makes it smaller",
    ),
];

const REDUCE: Kinds = &[
    (
        "clear_tool_results",
        "old tool results give way to a placeholder",
    ),
    (
        "clear_oldest_results",
        "the oldest tool results are cleared until few enough are left",
    ),
    (
        "clear_tool_uses",
        "old tool uses are cleared once the context is large",
    ),
    (
        "prune_tool_results",
        "tool results beyond a number of tokens are cleared",
    ),
    ("mask_results", "tool results outside a window are cleared"),
    ("cap_tool_results", "long tool results are cut"),
    ("clear_thinking", "the reasoning of earlier turns goes"),
    ("replace_images", "images and documents give way to a word"),
    (
        "drop_repeated_reads",
        "of files read several times only the newest result stays",
    ),
    (
        "keep_resulting_code",
        "edits keep the code they led to, without what they replaced",
    ),
    (
        "shorten_old_results",
        "tool results beyond a number of tokens keep their beginning and end",
    ),
    (
        "collapse_lines",
        "equal lines in a row become one with their number",
    ),
    (
        "elide_tool_results",
        "tool results over a share of a call keep their beginning and end",
    ),
    (
        "trim_span",
        "the summarizer gets only the newest of what it summarizes",
    ),
];

const METHOD: Kinds = &[
    (
        "single",
        "one call, one more for a split turn, one more as a check where asked",
    ),
    ("slices", "one call for each of several segments"),
    (
        "map_reduce",
        "one call for each half, or for each of as few equal segments as fit, and one more",
    ),
    (
        "reflect",
        "rounds of questions, with insights that answer them and cite entries",
    ),
    (
        "pairs",
        "one call for each tool call with its result, at the same time",
    ),
    ("digest", "no call: what happened is listed by fixed rules"),
    (
        "attention",
        "one call that names the messages which stay word for word",
    ),
    (
        "external",
        "a program of your own gets the plan as JSON and prints the summary",
    ),
    (
        "pack",
        "files are packed by priority into a number of tokens; no call, or one for each chunk",
    ),
    ("fixed", "no call: a fixed text stands for what is gone"),
];

const TRANSCRIPT: Kinds = &[
    (
        "pi",
        "one labelled block for each message, as pi writes them",
    ),
    ("role_blocks", "blocks under the role's name"),
    ("labelled", "one line of label and text for each part"),
];

const OVERFLOW: Kinds = &[
    ("fail", "the run fails"),
    (
        "drop_oldest",
        "the oldest message is left out, again and again",
    ),
    (
        "drop_newest",
        "the newest message is left out, again and again",
    ),
    (
        "keep_more",
        "the newest message is kept instead, again and again",
    ),
    (
        "middle_out_tool_results",
        "tool results are left out from the middle outwards",
    ),
    (
        "cut_middle",
        "the middle of the conversation is left out, once or more",
    ),
    (
        "shorten_messages",
        "long messages are cut shorter and shorter",
    ),
];

const NEXT: Kinds = &[
    ("system", "the system prompt and what else is always sent"),
    (
        "not_recorded",
        "of what is always sent only what the session does not hold",
    ),
    ("summary", "the summary"),
    (
        "in_place",
        "what stays, with each reply where its messages were",
    ),
    ("previous_summary", "the summary before"),
    (
        "user_messages",
        "what the user said in what is summarized, word for word",
    ),
    ("recent_files", "the files read last, with their contents"),
    ("edited_files", "the changes to the files edited last"),
    (
        "definitions",
        "of the files touched the lines that define something",
    ),
    (
        "continuation",
        "what makes the assistant go on, by where the turn stands",
    ),
    (
        "last_prompt",
        "the user's last prompt again, where it was summarized",
    ),
    ("kept", "the items that stay"),
    ("kept_text", "the items that stay, written out as one text"),
    (
        "kept_first",
        "the items that stay, before the summarized ones",
    ),
    (
        "kept_last",
        "the items that stay, behind the summarized ones",
    ),
];

/// Every kind of every stage.
pub fn stage_kinds() -> Vec<StageKind> {
    let mut all = Vec::new();
    all.extend(kinds("select", SELECT, Select::docs));
    all.extend(kinds("reduce", REDUCE, Reduce::docs));
    all.extend(kinds("summarize.method", METHOD, Method::docs));
    all.extend(kinds("summarize.transcript", TRANSCRIPT, Transcript::docs));
    all.extend(kinds("summarize.overflow", OVERFLOW, Overflow::docs));
    all.extend(kinds("assemble.next", NEXT, NextPart::docs));
    all
}

fn kinds<T: DeserializeOwned + Serialize>(
    stage: &'static str,
    kinds: Kinds,
    docs: fn(&T) -> &'static [ParamDoc],
) -> impl Iterator<Item = StageKind> {
    kinds.iter().filter_map(move |&(kind, meaning)| {
        let own: T = serde_json::from_value(json!({ "kind": kind })).ok()?;
        let value = serde_json::to_value(&own).unwrap_or_default();
        let spec = |doc: &ParamDoc| ParamSpec {
            name: doc.name.to_owned(),
            path: format!("{stage}.{}", doc.name),
            kind: doc.kind,
            default: value.get(doc.name).cloned().unwrap_or_default(),
            unit: doc.unit,
            range: doc.range,
            words: doc.words,
            description: doc.description,
        };
        Some(StageKind {
            stage,
            kind,
            meaning,
            params: docs(&own).iter().map(spec).collect(),
        })
    })
}

/// Whether a setting switches kinds: the path of the stage, where `name` ends in `.kind`.
pub(crate) fn switched(name: &str) -> Option<Vec<String>> {
    let stage = name.strip_suffix(".kind")?;
    let stage = match stage {
        "summarize" => "summarize.method",
        "transcript" => "summarize.transcript",
        "overflow" => "summarize.overflow",
        other => other,
    };
    Some(stage.split('.').map(str::to_owned).collect())
}

/// The value of a stage that is switched to `kind`; what it was when the kind is the same.
pub(crate) fn switch(stage: &mut Value, kind: &Value) {
    if stage.get("kind") != Some(kind) {
        *stage = json!({ "kind": kind });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::preset::data::Preset;

    /// The kinds a type has, as its own refusal of an unknown one lists them.
    fn known<T: DeserializeOwned>() -> Vec<String> {
        let refused = serde_json::from_value::<T>(json!({"kind": "?"}));
        let text = refused.err().unwrap().to_string();
        let listed = text.split_once("expected").unwrap().1;
        let mut names: Vec<String> = listed
            .split('`')
            .skip(1)
            .step_by(2)
            .map(str::to_owned)
            .collect();
        names.sort();
        names
    }

    #[test]
    fn every_kind_is_listed_and_can_be_switched_to() {
        fn check<T: DeserializeOwned + Serialize>(
            stage: &'static str,
            list: Kinds,
            docs: fn(&T) -> &'static [ParamDoc],
        ) {
            let mut names: Vec<String> = list.iter().map(|(kind, _)| (*kind).to_owned()).collect();
            names.sort();
            let mut known = known::<T>();
            // A text needs a role and a prompt: it is no kind to switch to.
            known.retain(|kind| stage != "assemble.next" || kind != "text");
            assert_eq!(names, known, "{stage}");
            assert_eq!(kinds(stage, list, docs).count(), list.len(), "{stage}");
        }
        check::<Select>("select", SELECT, Select::docs);
        check::<Reduce>("reduce", REDUCE, Reduce::docs);
        check::<Method>("summarize.method", METHOD, Method::docs);
        check::<Transcript>("summarize.transcript", TRANSCRIPT, Transcript::docs);
        check::<Overflow>("summarize.overflow", OVERFLOW, Overflow::docs);
        check::<NextPart>("assemble.next", NEXT, NextPart::docs);
    }

    #[test]
    fn every_preset_can_be_switched_to_every_kind() {
        for preset in Preset::built_in() {
            for kind in stage_kinds() {
                let name = match kind.stage {
                    "reduce" | "assemble.next" => continue,
                    stage => format!("{stage}.kind"),
                };
                let settings = [(name, json!(kind.kind))].into_iter().collect();
                let with = preset.with(&settings);
                assert!(with.is_ok(), "{} to {}: {with:?}", preset.name, kind.kind);
            }
        }
    }
}
