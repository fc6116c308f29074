//! Each fixture's tree, warnings and context as read, held against a snapshot.

#![allow(
    clippy::unwrap_used,
    reason = "a fixture that cannot be read fails its test"
)]

use palimpsest_core::{Agent, Block, Bodies, Context, Entry, Message};
use palimpsest_formats::{InMemory, SessionFormat, claude_code::ClaudeCode, pi::Pi};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The formats whose fixtures are sessions as files.
const FORMATS: [&dyn SessionFormat; 2] = [&Pi, &ClaudeCode];

fn folder(format: &dyn SessionFormat, kind: &str) -> PathBuf {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    all.join(format.agent().name()).join(kind)
}

fn fixtures(kind: &str) -> Vec<(&'static dyn SessionFormat, PathBuf)> {
    let mut files = Vec::new();
    for format in FORMATS {
        let listing = std::fs::read_dir(folder(format, kind)).unwrap();
        files.extend(listing.map(|item| (format, item.unwrap().path())));
    }
    files.sort_by(|(_, a), (_, b)| a.cmp(b));
    files
}

fn read(format: &'static dyn SessionFormat, path: &Path) -> InMemory {
    let name = path.file_name().unwrap().to_string_lossy();
    InMemory::read(format, &name, std::fs::read(path).unwrap())
}

fn told(entry: &Entry, ours: &InMemory) -> String {
    let id = |ix: palimpsest_core::EntryIx| ours.session.entry(ix).id.to_string();
    let mut out = format!("{:>3} {}", entry.source.line, entry.id);
    match (&entry.parent, &entry.missing_parent) {
        (Some(parent), _) => write!(out, " <- {}", id(*parent)).unwrap(),
        (None, Some(missing)) => write!(out, " <- (missing {missing})").unwrap(),
        (None, None) => {}
    }
    write!(out, "  {}", entry.kind.name()).unwrap();
    for size in &entry.messages {
        let sent = if size.sent { "" } else { " not sent" };
        write!(out, " [{} {}{sent}]", size.native_role, size.estimate).unwrap();
    }
    if !entry.preview.is_empty() {
        write!(out, " {:?}", entry.preview).unwrap();
    }
    for call in &entry.tool_calls {
        let path = call.path.as_deref().unwrap_or("-");
        write!(out, " calls {} {path} {:?}", call.name, call.access).unwrap();
    }
    if let Some(usage) = &entry.usage {
        let trust = if entry.usage_trusted {
            "trusted"
        } else {
            "not trusted"
        };
        write!(out, " usage {} {trust}", usage.context_tokens()).unwrap();
    }
    if entry.is_error {
        out.push_str(" ERROR");
    }
    if entry.recovered {
        out.push_str(" RECOVERED");
    }
    if entry.sidechain {
        out.push_str(" SIDECHAIN");
    }
    if !matches!(entry.kind, palimpsest_core::EntryKind::Message(_)) {
        write!(out, "\n      {:?}", entry.kind).unwrap();
    }
    out
}

fn blocks(message: &Message) -> String {
    let parts: Vec<String> = message
        .blocks
        .iter()
        .map(|block| match block {
            Block::Text(text) => format!("{text:?}"),
            other => format!("{other:?}"),
        })
        .collect();
    parts.join(" + ")
}

fn told_context(ours: &InMemory, context: &Context) -> String {
    let mut out = format!(
        "context: {} estimated, {} projected, reported {:?}, model {:?}, reasoning {:?}\n",
        context.estimated,
        context.projected,
        context.reported.map(|size| size.tokens),
        context.model.as_ref().map(|model| &model.model),
        context.thinking_level.as_deref().unwrap_or_default(),
    );
    for item in &context.items {
        let message = ours.format.item_message(&ours.session, item, ours).unwrap();
        assert_eq!(message.sent, item.sent);
        writeln!(
            out,
            "  {} {:?} {:?} {}: {}",
            item.native_role,
            item.origin,
            item.by_category,
            if item.sent { "sent" } else { "not sent" },
            blocks(&message)
        )
        .unwrap();
    }
    out
}

fn snapshot(format: &'static dyn SessionFormat, path: &Path) {
    let ours = read(format, path);
    let session = &ours.session;
    let meta = &session.meta;
    let mut out = format!(
        "id {:?}, version {:?}, cwd {:?}, title {:?}, parent {:?}, {:?} to {:?}\n",
        meta.native_id,
        meta.format_version,
        meta.cwd,
        meta.title,
        meta.parent_session,
        meta.created_at_ms,
        meta.updated_at_ms
    );
    for entry in &session.entries {
        writeln!(out, "{}", told(entry, &ours)).unwrap();
    }
    for warning in &session.warnings {
        writeln!(out, "warning, line {:?}: {}", warning.line, warning.reason).unwrap();
    }
    for merged in &session.merged {
        let into = &session.entry(merged.into).id;
        writeln!(out, "line {} says again what {into} says", merged.line).unwrap();
    }
    for link in &session.links {
        let at = link.at.map(|ix| session.entry(ix).id.to_string());
        writeln!(
            out,
            "link {} {} at {at:?} {:?}",
            link.kind.name(),
            link.native_id,
            link.label
        )
        .unwrap();
    }
    let leaf = session
        .active_leaf
        .map(|ix| session.entry(ix).id.to_string());
    writeln!(out, "leaf {leaf:?}").unwrap();
    let context = ours.context(session.active_leaf);
    out.push_str(&told_context(&ours, &context));
    if !context.own_categories.is_empty() {
        writeln!(out, "own categories {:?}", context.own_categories).unwrap();
    }
    let stem = path.file_stem().unwrap().to_string_lossy();
    let name = match format.agent() {
        Agent::PI => stem.into_owned(),
        other => format!("{other}-{stem}"),
    };
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, out);
    });
}

#[test]
fn valid_files() {
    for (format, path) in fixtures("valid") {
        snapshot(format, &path);
        let head = std::fs::read(&path).unwrap();
        for other in FORMATS {
            assert_eq!(
                other.sniff(Path::new(""), &head),
                other.agent() == format.agent(),
                "{} as a file of {}",
                path.display(),
                other.agent()
            );
        }
    }
}

#[test]
fn invalid_files() {
    for (format, path) in fixtures("invalid") {
        snapshot(format, &path);
    }
}

#[test]
fn files_that_are_no_sessions_are_not_recognised() {
    for name in [
        "empty",
        "blank",
        "not-a-session",
        "no-header",
        "header-late",
    ] {
        let file = folder(&Pi, "invalid").join(format!("{name}.jsonl"));
        let head = std::fs::read(&file).unwrap();
        for format in FORMATS {
            assert!(!format.sniff(Path::new(""), &head), "{name}");
        }
    }
}

#[test]
fn sizes_of_entries_are_those_of_their_bodies() {
    for (format, path) in fixtures("valid").into_iter().chain(fixtures("invalid")) {
        let ours = read(format, &path);
        for ix in ours.session.indices() {
            let entry = ours.session.entry(ix);
            let body = ours.body(ix).unwrap();
            let spoken: Vec<_> = body
                .messages
                .iter()
                .filter(|message| message.native_role != "contextEdit")
                .map(|message| (message.role, message.native_role, message.sent))
                .collect();
            let sized: Vec<_> = entry
                .messages
                .iter()
                .map(|size| (size.role, size.native_role, size.sent))
                .collect();
            assert_eq!(spoken, sized, "{} {}", path.display(), entry.id);
        }
    }
}
