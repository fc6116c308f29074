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
        "keeps the newest tokens, as whole turns or part of one",
    ),
    (
        "turn_tail",
        "keeps the newest turns that fit; none where all of them fit",
    ),
    ("keep_share", "keeps the newest share of the context"),
    ("drop_share", "drops the oldest share without a summary"),
    (
        "window_share",
        "drops half or three quarters, depending on the context window; only repeated reads if \
         that is enough",
    ),
    ("last_messages", "keeps the last messages"),
    (
        "last_tool_uses",
        "keeps the last tool uses and everything after the first of them",
    ),
    (
        "old_tool_pairs",
        "summarizes old tool calls with their results; keeps everything else",
    ),
    ("user_messages", "keeps user messages; summarizes the rest"),
    ("first_and_last", "keeps the first and the last messages"),
    (
        "fitting_tail",
        "keeps the newest messages that fit; drops the rest",
    ),
    ("prompt_tail", "keeps a tail that contains the last prompt"),
    ("half_tail", "keeps a tail of at most half of a limit"),
    ("notes_tail", "keeps a tail next to running notes"),
    (
        "fill_drain",
        "above a fill threshold, summarizes down to a drain threshold",
    ),
    (
        "memory_stream",
        "keeps what is recent, important and relevant",
    ),
    ("from_entry", "summarizes one side of an entry"),
    ("cut_at", "summarizes everything before an entry"),
    ("entries", "summarizes selected entries"),
    (
        "left_behind",
        "for branches: summarizes the newest entries that fit; keeps nothing",
    ),
    (
        "everything",
        "summarizes everything but what its settings keep",
    ),
    (
        "keep_all",
        "keeps everything; only the reduce stage makes it smaller",
    ),
];

const REDUCE: Kinds = &[
    (
        "clear_tool_results",
        "replaces old tool results with a placeholder",
    ),
    (
        "clear_oldest_results",
        "clears the oldest tool results until few enough are left",
    ),
    (
        "clear_tool_uses",
        "clears old tool uses when the context is large",
    ),
    (
        "prune_tool_results",
        "clears tool results beyond a number of tokens",
    ),
    ("mask_results", "clears tool results outside a window"),
    ("cap_tool_results", "truncates long tool results"),
    ("clear_thinking", "clears the reasoning of earlier turns"),
    (
        "replace_images",
        "replaces images and documents with a placeholder",
    ),
    (
        "drop_repeated_reads",
        "keeps only the newest result of files read several times",
    ),
    (
        "keep_resulting_code",
        "keeps the resulting code of edits, without the replaced code",
    ),
    (
        "shorten_old_results",
        "truncates the middle of tool results beyond a number of tokens",
    ),
    (
        "collapse_lines",
        "collapses identical consecutive lines into one with their count",
    ),
    (
        "elide_tool_results",
        "truncates the middle of tool results above a share of a call",
    ),
    (
        "trim_span",
        "sends only the newest part of the summarized span",
    ),
];

const METHOD: Kinds = &[
    (
        "single",
        "one call; one more for a split turn, one more as an optional check",
    ),
    ("slices", "one call per segment"),
    (
        "map_reduce",
        "one call per half or per segment, and one more to merge",
    ),
    (
        "reflect",
        "rounds of questions, with insights that answer them and cite entries",
    ),
    (
        "pairs",
        "one call per tool call with its result, in parallel",
    ),
    ("digest", "no calls: lists what happened by fixed rules"),
    (
        "attention",
        "one call that chooses the messages kept verbatim",
    ),
    (
        "external",
        "an external program receives the plan as JSON and prints the summary",
    ),
    (
        "pack",
        "packs files by priority into a token limit; no calls, or one per chunk",
    ),
    ("fixed", "no calls: a fixed text replaces the dropped part"),
];

const TRANSCRIPT: Kinds = &[
    ("pi", "one labelled block per message, in pi's format"),
    ("role_blocks", "blocks under the name of the role"),
    ("labelled", "one line with label and text per part"),
    (
        "speakers",
        "rows under the name of their speaker, in Droid's format",
    ),
];

const OVERFLOW: Kinds = &[
    ("fail", "the run fails"),
    ("drop_oldest", "drops the oldest message repeatedly"),
    ("drop_newest", "drops the newest message repeatedly"),
    ("keep_more", "keeps the newest message instead, repeatedly"),
    (
        "middle_out_tool_results",
        "drops tool results from the middle outwards",
    ),
    (
        "cut_middle",
        "drops the middle of the conversation, once or more",
    ),
    (
        "shorten_messages",
        "truncates long messages further with each attempt",
    ),
];

const NEXT: Kinds = &[
    (
        "system",
        "the system prompt and everything else that is always sent",
    ),
    (
        "not_recorded",
        "the always sent content that the session does not contain",
    ),
    ("summary", "the summary"),
    (
        "summary_with_user_messages",
        "the user messages of the summarized span, verbatim, and the summary, as one message",
    ),
    (
        "in_place",
        "the kept entries, with each reply in place of its messages",
    ),
    ("previous_summary", "the previous summary"),
    (
        "user_messages",
        "the user messages of the summarized span, verbatim",
    ),
    ("recent_files", "the last read files with their contents"),
    (
        "attachments",
        "what the agent attaches to a conversation, attached again",
    ),
    ("edited_files", "the changes to the last edited files"),
    ("definitions", "the definitions in the files used"),
    (
        "continuation",
        "the instruction to continue, depending on the state of the turn",
    ),
    (
        "last_prompt",
        "the last user prompt again, if it was summarized",
    ),
    ("kept", "the kept items"),
    ("kept_text", "the kept items as one text"),
    ("kept_first", "the kept items before the summarized span"),
    ("kept_last", "the kept items after the summarized span"),
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
        // Nothing but the kind, so that every parameter has its default. A test finds a kind that
        // is missing here.
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
