//! One entry whole, for people.

use super::found::{self, What};
use super::table::{counted, duration, thousands, time};
use palimpsest_api::wire::{
    CallOutcome, EntryPart, EntryTextView, FileChangeKind, FileDiff, LineChange, PartKind, Role,
    SubagentView,
};

/// An entry: what it is, then what it says, block by block.
pub(super) fn entry(entry: &EntryTextView) -> String {
    let what = What {
        kind: entry.kind,
        role: entry.role,
        tools: &entry.tools,
        is_error: entry.is_error,
        aborted: entry.aborted,
        rejected: entry.rejected,
        // The parts of the record say who speaks.
        in_subagent: false,
        subagent: None,
        thinking: false,
        record: entry.record.as_deref(),
    };
    let mut head = vec![
        format!("entry {}", entry.id),
        what.to_string(),
        time(entry.timestamp),
    ];
    // People count lines from 1, as editors do; the name that commands take counts from 0.
    head.extend(entry.line.map(|line| {
        let told = thousands(u64::from(line) + 1);
        format!("line {told} (`line:{line}`)")
    }));
    head.push(counted(
        entry.tokens,
        "token (estimated)",
        "tokens (estimated)",
    ));
    let mut lines = vec![head.join("  ")];
    let mut more = Vec::new();
    more.extend(entry.parent_id.as_ref().map(|id| format!("parent {id}")));
    more.extend(entry.model.as_ref().map(|model| format!("model {model}")));
    let before = entry.model_before.as_ref();
    more.extend(before.map(|model| format!("changed from {model}")));
    more.extend(entry.label.as_ref().map(|label| format!("label {label}")));
    if entry.undone {
        more.push("taken back by the user".to_owned());
    } else if !entry.on_active_path {
        more.push("not on the active path".to_owned());
    }
    if !more.is_empty() {
        lines.push(more.join("  "));
    }
    for detail in &entry.details {
        let (name, value) = (&detail.name, detail.value.replace('\n', ", "));
        lines.push(format!("{name}: {value}"));
    }
    for part in &entry.parts {
        lines.push(String::new());
        lines.extend(heading(entry, part));
        if !part.files.is_empty() {
            lines.extend(part.files.iter().map(diff));
        } else if !part.text.is_empty() {
            lines.push(part.text.trim_end().to_owned());
        }
    }
    if !entry.subagents.is_empty() {
        lines.push(String::new());
        lines.extend(entry.subagents.iter().map(subagent));
    }
    if entry.parts.is_empty() {
        lines.extend([String::new(), "The entry has no text.".to_owned()]);
    }
    lines.join("\n")
}

/// A changed file as a diff.
fn diff(file: &FileDiff) -> String {
    let change = match file.change {
        FileChangeKind::Written => "written",
        FileChangeKind::Edited => "edited",
        FileChangeKind::Deleted => "deleted",
    };
    let mut lines = vec![format!(
        "--- {} ({change}, +{} -{})",
        file.path,
        thousands(file.added),
        thousands(file.removed)
    )];
    for (nth, hunk) in file.hunks.iter().enumerate() {
        // The session holds no line numbers of the places.
        lines.extend((nth > 0).then(|| "@@".to_owned()));
        lines.extend(hunk.lines.iter().map(|line| {
            let sign = match line.change {
                LineChange::Same => ' ',
                LineChange::Removed => '-',
                LineChange::Added => '+',
            };
            format!("{sign}{}", line.text)
        }));
    }
    if file.cut {
        lines.push("(only the first lines; --json has the arguments whole)".to_owned());
    }
    lines.join("\n")
}

/// What a subagent was to do, what it took, and its session.
fn subagent(agent: &SubagentView) -> String {
    let kind = agent.kind.as_deref().unwrap_or("general");
    let sign = if agent.cost_computed { "~" } else { "" };
    let facts = [
        agent.task.clone(),
        agent
            .tokens
            .map(|tokens| counted(tokens, "token", "tokens")),
        agent.calls.map(|calls| counted(calls, "call", "calls")),
        agent.duration_ms.map(duration),
        agent.cost_usd.map(|usd| format!("{sign}${usd:.2}")),
        agent.is_error.then(|| "failed".to_owned()),
        agent
            .session
            .as_ref()
            .map(|session| format!("session {session}")),
    ];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    format!("subagent {kind}: {}", facts.join(", "))
}

/// What stands above a block; nothing above the words of who speaks in the entry.
fn heading(entry: &EntryTextView, part: &EntryPart) -> Option<String> {
    let tool = part.tool.as_deref().unwrap_or("a tool");
    let name = match part.kind {
        PartKind::Call => format!("call of {tool}"),
        PartKind::Result => {
            let call = part.call.as_ref().map(|call| &*call.headline);
            let call = call.filter(|line| !line.is_empty());
            // Of a result that is an entry the first line says how the call went.
            let outcome = match part.outcome {
                Some(CallOutcome::Failed) if entry.role != Some(Role::Tool) => ", failed",
                Some(CallOutcome::Rejected) if entry.role != Some(Role::Tool) => ", rejected",
                _ => "",
            };
            match call {
                Some(line) => format!("result of {tool}: {line}{outcome}"),
                None => format!("result of {tool}{outcome}"),
            }
        }
        PartKind::Failure => return Some("[error]".to_owned()),
        PartKind::Thinking => "thinking".to_owned(),
        // Its text says that it is one.
        PartKind::Image => return None,
        PartKind::Other => "other".to_owned(),
        PartKind::Text if Some(part.role) == entry.role && !part.kept => return None,
        PartKind::Text => match part.role {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "result",
        }
        .to_owned(),
    };
    let kept = match &entry.queued {
        Some(prompt) if part.kept => format!(", {}", found::queued(prompt)),
        _ if part.kept => ", not sent to the model".to_owned(),
        _ => String::new(),
    };
    Some(format!("[{name}{kept}]"))
}
