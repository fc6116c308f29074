//! What pi reckons while it writes: sizes, the context at an entry, where a compaction cuts,
//! and which files it lists (pi 1.5, `compaction.js`; simplified where a builder may be).

use palimpsest_core::estimate::{IMAGE_UNITS, tokens_of_units};
use palimpsest_core::json::{stringify, utf16_len};
use serde_json::Value;
use std::collections::BTreeSet;

/// One stored record and its parent's position.
#[derive(Debug, Clone)]
pub(super) struct Record {
    pub parent: Option<usize>,
    pub value: Value,
}

/// Where a compaction cuts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// Position of the first kept record among the session's records.
    pub first_kept: usize,
    /// Position of the record that begins the turn in which the cut lies, when it is split.
    pub turn_start: Option<usize>,
}

pub(super) fn type_of(value: &Value) -> &str {
    value["type"].as_str().unwrap_or_default()
}

pub(super) fn role_of(value: &Value) -> &str {
    match type_of(value) {
        "message" => value["message"]["role"].as_str().unwrap_or_default(),
        "custom_message" => "custom",
        "branch_summary" => "branchSummary",
        "compaction" => "compactionSummary",
        _ => "",
    }
}

/// Positions from the root to `leaf`.
pub(super) fn path(records: &[Record], leaf: Option<usize>) -> Vec<usize> {
    let mut path: Vec<usize> = std::iter::successors(leaf, |&at| records[at].parent)
        .take(records.len())
        .collect();
    path.reverse();
    path
}

/// The records that make up the context at `leaf`, in the order sent: the newest compaction,
/// its kept tail, and what follows.
pub(super) fn projection(records: &[Record], leaf: Option<usize>) -> Vec<usize> {
    let path = path(records, leaf);
    let newest = path
        .iter()
        .rposition(|&at| type_of(&records[at].value) == "compaction");
    let Some(newest) = newest else { return path };
    let compaction = &records[path[newest]].value;
    let kept = compaction["firstKeptEntryId"].as_str().unwrap_or_default();
    let first = path[..newest]
        .iter()
        .position(|&at| records[at].value["id"] == kept);
    let tail = path[first.unwrap_or(newest)..newest].iter().copied();
    let tail = tail.filter(|&at| role_of(&records[at].value) != "system");
    std::iter::once(path[newest])
        .chain(tail)
        .chain(path[newest + 1..].iter().copied())
        .collect()
}

/// Tokens of a record by pi's estimate: UTF-16 units through four, rounded up.
pub(super) fn estimate(value: &Value) -> u64 {
    let units = match role_of(value) {
        "user" | "custom" | "toolResult" => {
            let content = if type_of(value) == "custom_message" {
                &value["content"]
            } else {
                &value["message"]["content"]
            };
            content_units(content)
        }
        "assistant" => content_units(&value["message"]["content"]),
        "bashExecution" => {
            text_units(&value["message"]["command"]) + text_units(&value["message"]["output"])
        }
        "branchSummary" => text_units(&value["summary"]),
        "compactionSummary" => {
            text_units(&value["summary"]) + system_units(&value["systemMessage"])
        }
        "system" => system_units(&value["message"]),
        _ => 0,
    };
    tokens_of_units(units)
}

fn text_units(value: &Value) -> u64 {
    value.as_str().map(utf16_len).unwrap_or(0)
}

fn content_units(content: &Value) -> u64 {
    let Some(blocks) = content.as_array() else {
        return text_units(content);
    };
    let block_units = |block: &Value| match block["type"].as_str().unwrap_or_default() {
        "text" => text_units(&block["text"]),
        "thinking" => text_units(&block["thinking"]),
        "toolCall" => text_units(&block["name"]) + utf16_len(&stringify(&block["arguments"])),
        "image" => IMAGE_UNITS,
        _ => 0,
    };
    blocks.iter().map(block_units).sum()
}

fn system_units(message: &Value) -> u64 {
    let sections = message["sections"].as_object().into_iter().flatten();
    let tools = message
        .get("toolsAdded")
        .map(|tools| utf16_len(&stringify(tools)))
        .unwrap_or(0);
    text_units(&message["content"])
        + sections.map(|(_, text)| text_units(text)).sum::<u64>()
        + tools
}

/// The estimate of the context at `leaf`, context edits applied.
pub(super) fn context_estimate(records: &[Record], leaf: Option<usize>) -> u64 {
    let shown = projection(records, leaf);
    let size = |&at: &usize| {
        let edit = shown
            .iter()
            .rev()
            .map(|&edit| &records[edit].value)
            .find(|edit| {
                type_of(edit) == "context_edit" && edit["targetId"] == records[at].value["id"]
            });
        match edit {
            None => estimate(&records[at].value),
            Some(edit) => tokens_of_units(content_units(&edit["replacement"]["content"])),
        }
    };
    shown.iter().map(size).sum()
}

/// The context size pi stores with a compaction: the last trusted report plus the estimate of
/// what came after it, or the plain estimate when no report is newer than the newest edit or
/// compaction.
pub(super) fn tokens_before(records: &[Record], leaf: Option<usize>) -> u64 {
    let path = path(records, leaf);
    let mut trailing = 0;
    for &at in path.iter().rev() {
        let value = &records[at].value;
        if matches!(type_of(value), "compaction" | "context_edit") {
            break;
        }
        let total = value["message"]["usage"]["totalTokens"]
            .as_u64()
            .unwrap_or(0);
        let failed = matches!(
            value["message"]["stopReason"].as_str(),
            Some("error" | "aborted")
        );
        if role_of(value) == "assistant" && total > 0 && !failed {
            return total + trailing;
        }
        trailing += estimate(value);
    }
    context_estimate(records, leaf)
}

/// The cut that keeps about `keep_recent` tokens.
pub(super) fn find_cut(records: &[Record], leaf: Option<usize>, keep_recent: u64) -> Option<Cut> {
    let shown = projection(records, leaf);
    let start = usize::from(
        shown
            .first()
            .is_some_and(|&at| type_of(&records[at].value) == "compaction"),
    );
    let range = &shown[start..];
    let role = |i: usize| role_of(&records[range[i]].value);
    let is_candidate = |&i: &usize| {
        matches!(
            role(i),
            "user" | "assistant" | "bashExecution" | "custom" | "branchSummary"
        )
    };
    let candidates: Vec<usize> = (0..range.len()).filter(is_candidate).collect();
    let mut cut = *candidates.first()?;
    let mut sum = 0;
    for i in (0..range.len()).rev() {
        sum += estimate(&records[range[i]].value);
        if sum >= keep_recent {
            let at_or_after = candidates.iter().find(|&&c| c >= i);
            cut = *at_or_after.or(candidates.last())?;
            break;
        }
    }
    while cut > 0 && role(cut - 1).is_empty() {
        cut -= 1;
    }
    let begins_turn = |i: usize| {
        matches!(
            role(i),
            "user" | "bashExecution" | "custom" | "branchSummary"
        )
    };
    let turn_start = if begins_turn(cut) {
        None
    } else {
        (0..cut).rev().find(|&i| begins_turn(i))
    };
    Some(Cut {
        first_kept: range[cut],
        turn_start: turn_start.map(|i| range[i]),
    })
}

/// Files read and files modified by the tool calls of `span`, the lists of an earlier summary
/// taken over; sorted, and a modified file is not listed as read.
pub(super) fn file_lists(
    records: &[Record],
    span: &[usize],
    earlier: Option<&Value>,
) -> (Vec<String>, Vec<String>) {
    let mut read = BTreeSet::new();
    let mut modified = BTreeSet::new();
    if let Some(details) = earlier
        .filter(|entry| entry["fromHook"] != true)
        .map(|e| &e["details"])
    {
        let strings = |list: &Value| -> Vec<String> {
            let items = list.as_array().into_iter().flatten();
            items.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        read.extend(strings(&details["readFiles"]));
        modified.extend(strings(&details["modifiedFiles"]));
    }
    for &at in span {
        let content = records[at].value["message"]["content"]
            .as_array()
            .into_iter()
            .flatten();
        for block in content.filter(|block| block["type"] == "toolCall") {
            let Some(path) = block["arguments"]["path"].as_str() else {
                continue;
            };
            match block["name"].as_str() {
                Some("read") => read.insert(path.to_owned()),
                Some("write" | "edit") => modified.insert(path.to_owned()),
                _ => false,
            };
        }
    }
    let read = read.difference(&modified).cloned().collect();
    (read, modified.into_iter().collect())
}

/// `summary` followed by pi's two tagged lists of files.
pub(super) fn with_file_lists(summary: &str, read: &[String], modified: &[String]) -> String {
    let mut text = summary.trim_end().to_owned();
    for (tag, files) in [("read-files", read), ("modified-files", modified)] {
        if !files.is_empty() {
            text.push_str(&format!("\n\n<{tag}>\n{}\n</{tag}>", files.join("\n")));
        }
    }
    text
}
