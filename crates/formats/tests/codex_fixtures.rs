//! Each Codex fixture's tree, warnings and contexts as read, held against a snapshot; damage to
//! any of them yields a tree and warnings.

#![allow(
    clippy::unwrap_used,
    reason = "a fixture that cannot be read fails its test"
)]

use palimpsest_core::{Block, Bodies, Context, Entry, EntryIx, EntryKind, Message, Session};
use palimpsest_formats::account::account;
use palimpsest_formats::codex::Codex;
use palimpsest_formats::{InMemory, Reading, Resume, SessionFormat, formats};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

fn fixtures(kind: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/codex")
        .join(kind);
    let listing = std::fs::read_dir(folder).unwrap();
    let mut files: Vec<PathBuf> = listing.map(|item| item.unwrap().path()).collect();
    files.sort();
    files
}

fn all_bytes() -> Vec<Vec<u8>> {
    let files = fixtures("valid").into_iter().chain(fixtures("invalid"));
    files.map(|path| std::fs::read(path).unwrap()).collect()
}

fn read(path: &Path) -> InMemory {
    let name = path.file_name().unwrap().to_string_lossy();
    InMemory::read(&Codex, &name, std::fs::read(path).unwrap())
}

fn id(session: &Session, ix: EntryIx) -> &str {
    session.entry(ix).id.as_str()
}

fn told(session: &Session, entry: &Entry) -> String {
    let mut out = format!("{:>3} {}", entry.source.line, entry.id);
    match (&entry.parent, &entry.missing_parent) {
        (Some(parent), _) => write!(out, " <- {}", id(session, *parent)).unwrap(),
        (None, Some(missing)) => write!(out, " <- (missing {missing})").unwrap(),
        (None, None) => {}
    }
    write!(out, "  {}", entry.kind.name()).unwrap();
    for size in &entry.messages {
        write!(out, " [{} {}]", size.native_role, size.estimate).unwrap();
    }
    if !entry.preview.is_empty() {
        write!(out, " {:?}", entry.preview).unwrap();
    }
    for call in &entry.tool_calls {
        let path = call.path.as_deref().unwrap_or("-");
        write!(out, " calls {} {path} {:?}", call.name, call.access).unwrap();
    }
    if let Some(usage) = &entry.usage {
        write!(out, " usage {usage:?}").unwrap();
    }
    if entry.is_error {
        out.push_str(" ERROR");
    }
    if entry.recovered {
        out.push_str(" RECOVERED");
    }
    if let EntryKind::Compaction(compaction) = &entry.kind {
        let kept: Vec<&str> = compaction.kept.iter().map(|&ix| id(session, ix)).collect();
        write!(
            out,
            "\n      kept {kept:?} after {:?}, {:?}, {:?} to {:?} tokens, {:?} ms, opaque {:?}",
            compaction.kept_after,
            compaction.trigger,
            compaction.tokens_before,
            compaction.tokens_after,
            compaction.duration_ms,
            compaction.opaque_bytes
        )
        .unwrap();
    } else if !matches!(entry.kind, EntryKind::Message(_)) {
        write!(out, "\n      {:?}", entry.kind).unwrap();
    }
    out
}

fn blocks(message: &Message) -> String {
    let parts: Vec<String> = message
        .blocks
        .iter()
        .map(|block| match block {
            Block::Text(text) if text.len() > 400 => format!("{} bytes of text", text.len()),
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
        context
            .reported
            .map(|size| (size.usage_tokens, size.trailing_tokens)),
        context
            .model
            .as_ref()
            .map(|model| format!("{}/{}", model.provider, model.model)),
        context.thinking_level.as_deref().unwrap_or_default(),
    );
    for item in &context.items {
        let message = ours.format.item_message(&ours.session, item, ours).unwrap();
        writeln!(
            out,
            "  {} {:?} {:?} {}: {}",
            item.native_role,
            item.origin,
            item.by_category,
            id(&ours.session, item.entries[0]),
            blocks(&message)
        )
        .unwrap();
    }
    out
}

fn snapshot(path: &Path) {
    let ours = read(path);
    let session = &ours.session;
    let meta = &session.meta;
    let mut out = format!(
        "id {:?}, version {:?}, cwd {:?}, title {:?}, parent {:?} {:?}, {:?} to {:?}\n",
        meta.native_id,
        meta.agent_version,
        meta.cwd,
        meta.title,
        meta.parent_session,
        meta.parent_kind,
        meta.created_at_ms,
        meta.updated_at_ms
    );
    for entry in &session.entries {
        writeln!(out, "{}", told(session, entry)).unwrap();
    }
    for merged in &session.merged {
        writeln!(
            out,
            "{:>3} merged into {}",
            merged.line,
            id(session, merged.into)
        )
        .unwrap();
    }
    for link in &session.links {
        let at = link.at.map(|ix| id(session, ix));
        writeln!(
            out,
            "link {:?} {} at {at:?} {:?}",
            link.kind, link.native_id, link.label
        )
        .unwrap();
    }
    for warning in &session.warnings {
        writeln!(out, "warning, line {:?}: {}", warning.line, warning.reason).unwrap();
    }
    let leaf = session.active_leaf.map(|ix| id(session, ix));
    let window = Codex.window(session, &ours.tree, session.active_leaf);
    writeln!(out, "leaf {leaf:?}, window {window:?}").unwrap();
    out.push_str(&told_context(&ours, &ours.context(session.active_leaf)));
    let name = format!("codex-{}", path.file_stem().unwrap().to_string_lossy());
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, out);
    });
}

#[test]
fn valid_files() {
    for path in fixtures("valid") {
        snapshot(&path);
        let head = std::fs::read(&path).unwrap();
        let takers: Vec<&str> = formats()
            .iter()
            .filter(|format| format.sniff(&path, &head))
            .map(|format| format.agent().name())
            .collect();
        assert_eq!(takers, ["codex"], "{}", path.display());
    }
}

#[test]
fn invalid_files() {
    for path in fixtures("invalid") {
        snapshot(&path);
    }
}

#[test]
fn files_that_are_no_rollouts_are_not_recognised() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    for name in ["empty", "blank", "no-header", "pretty-printed"] {
        let file = folder.join("codex/invalid").join(format!("{name}.jsonl"));
        assert!(
            !Codex.sniff(&file, &std::fs::read(&file).unwrap()),
            "{name}"
        );
    }
    for item in std::fs::read_dir(folder.join("pi/valid")).unwrap() {
        let file = item.unwrap().path();
        let head = std::fs::read(&file).unwrap();
        assert!(!Codex.sniff(&file, &head), "{}", file.display());
    }
}

#[test]
fn sizes_of_entries_are_those_of_their_bodies() {
    for path in fixtures("valid").into_iter().chain(fixtures("invalid")) {
        let ours = read(&path);
        for ix in ours.session.indices() {
            let entry = ours.session.entry(ix);
            let body = ours.body(ix).unwrap();
            let spoken: Vec<_> = body
                .messages
                .iter()
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

/// Everything that can be seen of a session, as text.
fn seen(reading: &Reading) -> String {
    format!("{:#?} {:?}", reading.session, reading.partial_line)
}

/// Reads `bytes` as they come in: cut at `cuts`, unread bytes offered again with the next piece.
fn read_in_pieces(bytes: &[u8], cuts: &BTreeSet<usize>) -> Reading {
    let mut reading = Reading::new(Codex.agent(), "x");
    let mut start = 0;
    let inner = cuts.iter().filter(|&&cut| cut < bytes.len());
    for &end in inner.chain([&bytes.len()]) {
        let last = end == bytes.len();
        start += Codex.read(&mut reading, &bytes[start..end], last);
        assert_eq!(reading.state.offset, start as u64);
    }
    reading
}

/// Reads, and asks everything that can be asked.
fn use_all(bytes: &[u8]) -> InMemory {
    let ours = InMemory::read(&Codex, "x", bytes.to_vec());
    Codex.sniff(Path::new(""), bytes);
    for ix in ours.session.indices() {
        ours.body(ix).unwrap();
        let context = ours.context(Some(ix));
        for item in &context.items {
            ours.format
                .item_message(&ours.session, item, &ours)
                .unwrap();
            let shares: u64 = item.by_category.iter().map(|(_, share)| share).sum();
            assert_eq!(shares, item.estimate);
        }
        let sum: u64 = context.items.iter().map(|item| item.estimate).sum();
        assert_eq!(sum, context.estimated);
    }
    ours
}

#[derive(Debug, Clone)]
enum Damage {
    Cut,
    Byte(u8),
    Glue,
    Drop,
    Repeat,
    Insert(Vec<u8>),
}

fn damage() -> impl Strategy<Value = Damage> {
    let byte = || any::<u8>().prop_filter("line end", |&b| b != b'\n');
    prop_oneof![
        Just(Damage::Cut),
        byte().prop_map(Damage::Byte),
        Just(Damage::Glue),
        Just(Damage::Drop),
        Just(Damage::Repeat),
        prop::collection::vec(byte(), 1..20).prop_map(Damage::Insert),
    ]
}

fn damaged(bytes: &[u8], line: usize, at: usize, damage: &Damage) -> Vec<u8> {
    let lines = bytes.split(|&byte| byte == b'\n');
    let mut lines: Vec<Vec<u8>> = lines.map(<[u8]>::to_vec).collect();
    let line = line % lines.len();
    let at = at % lines[line].len().max(1);
    match damage {
        Damage::Cut => lines[line].truncate(at),
        Damage::Byte(byte) => {
            if let Some(place) = lines[line].get_mut(at) {
                *place = *byte;
            }
        }
        Damage::Glue if line + 1 < lines.len() => {
            let next = lines.remove(line + 1);
            lines[line].extend(next);
        }
        Damage::Glue => {}
        Damage::Drop => {
            lines.remove(line);
        }
        Damage::Repeat => lines.insert(line, lines[line].clone()),
        Damage::Insert(more) => {
            let at = at.min(lines[line].len());
            lines[line].splice(at..at, more.iter().copied());
        }
    }
    lines.join(&b'\n')
}

proptest! {
    #[test]
    fn any_pieces_equal_one_go(
        which in 0usize..64,
        cuts in prop::collection::btree_set(0usize..12_000, 0..12),
    ) {
        let files = all_bytes();
        let bytes = &files[which % files.len()];
        let whole = read_in_pieces(bytes, &BTreeSet::new());
        let pieces = read_in_pieces(bytes, &cuts);
        prop_assert_eq!(seen(&whole), seen(&pieces));
        prop_assert_eq!(&whole.state, &pieces.state);
    }

    #[test]
    fn a_damaged_line_never_fails_and_is_accounted_for(
        which in 0usize..64,
        line in 0usize..80,
        at in 0usize..2000,
        damage in damage(),
    ) {
        let files = all_bytes();
        let bytes = damaged(&files[which % files.len()], line, at, &damage);
        let ours = use_all(&bytes);
        prop_assert_eq!(account(&ours.session, &bytes).lost, Vec::<u32>::new());
    }

    #[test]
    fn a_truncated_file_never_fails_and_is_accounted_for(
        which in 0usize..64,
        at in 0usize..20_000,
    ) {
        let files = all_bytes();
        let bytes = &files[which % files.len()];
        let bytes = &bytes[..at % (bytes.len() + 1)];
        let ours = use_all(bytes);
        prop_assert_eq!(account(&ours.session, bytes).lost, Vec::<u32>::new());
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        let ours = use_all(&bytes);
        prop_assert_eq!(account(&ours.session, &bytes).lost, Vec::<u32>::new());
    }
}

/// Checks that two readings are the same; tells the first line in which they are not.
fn assert_same(one: &Reading, other: &Reading, about: &Path) {
    let (one_told, other_told) = (seen(one), seen(other));
    let differs = one_told
        .lines()
        .zip(other_told.lines())
        .find(|(a, b)| a != b);
    assert_eq!(differs, None, "{}", about.display());
    assert_eq!(one_told.len(), other_told.len(), "{}", about.display());
    assert_eq!(one.state, other.state, "{}", about.display());
}

/// A file read at every line end as if it ended there, as it is when the agent is watched.
#[test]
fn a_file_that_grows_line_by_line_equals_the_grown_one() {
    // Of several events in a row before their item (2025) only the last is waited for.
    let in_a_row = |path: &PathBuf| path.ends_with("legacy-2025.jsonl");
    for path in fixtures("valid").into_iter().filter(|path| !in_a_row(path)) {
        let bytes = std::fs::read(&path).unwrap();
        let mut grown = Reading::new(Codex.agent(), "x");
        let mut start = 0;
        for end in bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
            start += Codex.read(&mut grown, &bytes[start..=end.0], true);
            // What is kept between two looks is the session and the state, nothing else.
            let mut next = Reading::new(Codex.agent(), "");
            next.session = grown.session.clone();
            next.state = grown.state.clone();
            grown = next;
        }
        Codex.read(&mut grown, &bytes[start..], true);
        let whole = read_in_pieces(&bytes, &BTreeSet::new());
        assert_same(&whole, &grown, &path);
    }
}

/// Taken up again from a kept state, without the entries before: the rest is the same.
#[test]
fn reading_is_taken_up_again_from_a_kept_state() {
    for path in fixtures("valid") {
        let bytes = std::fs::read(&path).unwrap();
        let whole = read_in_pieces(&bytes, &BTreeSet::new());
        for half in (0..bytes.len()).step_by(bytes.len() / 5 + 1).skip(1) {
            let mut first = Reading::new(Codex.agent(), "x");
            let read = Codex.read(&mut first, &bytes[..half], false);
            let state = serde_json::to_string(&first.state).unwrap();
            let mut second = Reading::resume(Resume {
                state: serde_json::from_str(&state).unwrap(),
                meta: first.session.meta.clone(),
            });
            Codex.read(&mut second, &bytes[read..], true);
            assert_eq!(whole.session.meta, second.session.meta);
            let count = first.session.entries.len();
            let usage = |entries: &[Entry]| -> u64 {
                let used = entries.iter().filter_map(|entry| entry.usage);
                used.map(|usage| usage.total).sum()
            };
            let resumed = usage(&first.session.entries) + usage(&second.session.entries);
            assert_eq!(resumed, usage(&whole.session.entries), "{}", path.display());
            let joint = second.session.entries.first();
            let after = whole.session.entries.get(count);
            let parent = after.and_then(|entry| entry.parent);
            assert_eq!(
                joint.and_then(|entry| entry.missing_parent.as_ref()),
                parent
                    .map(|ix| &whole.session.entry(ix).id)
                    .filter(|_| joint.is_some()),
                "{} at {half}",
                path.display()
            );
        }
    }
}

#[test]
fn a_line_of_three_megabytes_is_one_entry() {
    let text = "0123456789abcdef".repeat(3 * 1024 * 1024 / 16);
    let bytes = format!(
        "{{\"type\":\"session_meta\",\"payload\":{{\"id\":\"big\"}}}}\n\
         {{\"type\":\"response_item\",\"payload\":{{\"type\":\"function_call_output\",\
         \"id\":\"a\",\"call_id\":\"c\",\"output\":\"{text}\"}}}}\n"
    );
    let ours = InMemory::read(&Codex, "x", bytes.into_bytes());
    let entry = &ours.session.entries[1];
    assert_eq!(entry.estimate(), 3 * 1024 * 1024 / 4);
    assert!(entry.preview.len() <= 160);
    assert_eq!(
        ours.body(EntryIx::new(1)).unwrap().messages[0].text(""),
        text
    );
}
