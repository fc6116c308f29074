//! A session in words, as snapshots hold it.

use palimpsest_core::{Block, Context, Entry, EntryIx, EntryKind, Message, Outcome, Session};
use palimpsest_formats::InMemory;
use std::fmt::Write;

/// Texts longer than this, in bytes, are shown by their length only.
const LONG: usize = 400;

fn id(session: &Session, ix: EntryIx) -> &str {
    session.entry(ix).id.as_str()
}

fn told(session: &Session, entry: &Entry) -> String {
    let mut out = format!("{:>3} {}", entry.source.line, entry.id);
    match (&entry.parent, &entry.missing_parent) {
        (Some(parent), None) => write!(out, " <- {}", id(session, *parent)).unwrap(),
        (Some(parent), Some(missing)) => {
            let parent = id(session, *parent);
            write!(out, " <- {parent} (guessed, missing {missing})").unwrap();
        }
        (None, Some(missing)) => write!(out, " <- (missing {missing})").unwrap(),
        (None, None) => {}
    }
    write!(out, "  {}", entry.kind.name()).unwrap();
    for size in &entry.messages {
        let sent = if size.sent { "" } else { " not sent" };
        let outcome = match size.outcome {
            Outcome::Fine => "",
            Outcome::Failed => " failed",
            Outcome::Rejected => " rejected",
        };
        write!(
            out,
            " [{} {}{outcome}{sent}]",
            size.native_role, size.estimate
        )
        .unwrap();
    }
    if !entry.preview.is_empty() {
        write!(out, " {:?}", entry.preview).unwrap();
    }
    for call in &entry.tool_calls {
        let path = call.path.as_deref().unwrap_or("-");
        write!(out, " calls {} {path} {:?}", call.name, call.access).unwrap();
    }
    if let Some(usage) = &entry.usage {
        let trust = if entry.usage_trusted { "" } else { "not " };
        write!(out, " {usage:?} {trust}trusted").unwrap();
    }
    if let Some(stop) = &entry.stop_reason {
        write!(out, " {stop}").unwrap();
    }
    for (flag, word) in [
        (entry.is_error, " ERROR"),
        (entry.recovered, " RECOVERED"),
        (entry.sidechain, " SIDECHAIN"),
        (entry.undone, " UNDONE"),
    ] {
        out.push_str(if flag { word } else { "" });
    }
    match &entry.kind {
        EntryKind::Message(_) => {}
        EntryKind::Compaction(compaction) => {
            let kept: Vec<&str> = compaction.kept.iter().map(|&ix| id(session, ix)).collect();
            write!(out, "\n      kept {kept:?}, {compaction:?}").unwrap();
        }
        other => write!(out, "\n      {other:?}").unwrap(),
    }
    out
}

fn blocks(message: &Message) -> String {
    let parts = message.blocks.iter().map(|block| match block {
        Block::Text(text) if text.len() > LONG => format!("{} bytes of text", text.len()),
        Block::Text(text) => format!("{text:?}"),
        other => format!("{other:?}"),
    });
    parts.collect::<Vec<_>>().join(" + ")
}

fn told_context(ours: &InMemory, context: &Context) -> String {
    let mut out = format!(
        "context: {} estimated, {} projected, {:?}, model {:?}, reasoning {:?}\n",
        context.estimated,
        context.projected,
        context.reported,
        context.model,
        context.thinking_level.as_deref().unwrap_or_default(),
    );
    for item in &context.items {
        let message = ours.format.item_message(&ours.session, item, ours).unwrap();
        assert_eq!(message.sent, item.sent);
        let entry = item.entries.first().map(|&ix| id(&ours.session, ix));
        writeln!(
            out,
            "  {} {:?} {:?} {}{}: {}",
            item.native_role,
            item.origin,
            item.by_category,
            if item.sent { "sent" } else { "not sent" },
            entry.map_or(String::new(), |entry| format!(", {entry}")),
            blocks(&message)
        )
        .unwrap();
    }
    if !context.own_categories.is_empty() {
        writeln!(out, "own categories {:?}", context.own_categories).unwrap();
    }
    out
}

/// The session's header, entries, links and warnings, and the context at its leaf.
pub fn told_session(ours: &InMemory) -> String {
    let session = &ours.session;
    let meta = &session.meta;
    let mut out = format!(
        "id {:?}, version {:?} {:?}, cwd {:?}, title {:?}, parent {:?} {:?}, {:?} to {:?}\n",
        meta.native_id,
        meta.format_version,
        meta.agent_version,
        meta.cwd,
        meta.title,
        meta.parent_kind,
        meta.parent_session,
        meta.created_at_ms,
        meta.updated_at_ms
    );
    for entry in &session.entries {
        writeln!(out, "{}", told(session, entry)).unwrap();
    }
    for merged in &session.merged {
        let into = id(session, merged.into);
        writeln!(out, "line {} says again what {into} says", merged.line).unwrap();
    }
    for link in &session.links {
        let at = link.at.map(|ix| id(session, ix));
        let (kind, to) = (link.kind.name(), &link.native_id);
        writeln!(out, "link {kind} {to} at {at:?} {:?}", link.label).unwrap();
    }
    for warning in &session.warnings {
        writeln!(out, "warning, line {:?}: {}", warning.line, warning.reason).unwrap();
    }
    let leaf = session.active_leaf.map(|ix| id(session, ix));
    let window = ours.format.window(session, &ours.tree, session.active_leaf);
    writeln!(out, "leaf {leaf:?}, window {window:?}").unwrap();
    out.push_str(&told_context(ours, &ours.context(session.active_leaf)));
    out
}
