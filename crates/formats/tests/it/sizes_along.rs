//! The sizes along a path are those of the contexts at its entries, in every sample that is beside
//! the project.

#![allow(
    clippy::unwrap_used,
    reason = "a file that cannot be read fails its test"
)]

use palimpsest_core::EntryKind;
use palimpsest_formats::{InMemory, MeasuredContext, along, sniff};
use palimpsest_testkit::beside::sample_files;
use std::fs;

/// Contexts looked at in each session: a context takes as long as its path.
const MOST_CONTEXTS: usize = 120;
/// Bytes of a file that tell its format.
const HEAD: usize = 65_536;
/// Between two reports the curve follows the estimates of entries, and the context those of items:
/// an agent stores some entries that it does not send, or joins the parts of a reply. Largest
/// difference in tokens, and as a share of the context.
const CLOSE_TOKENS: u64 = 200;
const CLOSE_SHARE: f64 = 0.2;

#[test]
fn the_curve_is_the_size_of_the_context() {
    for path in sample_files("") {
        let bytes = fs::read(&path).unwrap();
        let head = &bytes[..bytes.len().min(HEAD)];
        let Some(format) = sniff(&path, head) else {
            continue;
        };
        let address = path.to_string_lossy();
        // A session of several files needs a disk; the rules of sizes are the same.
        if format.assembly(&path, head).is_some() {
            continue;
        }
        let ours = InMemory::read(format, &address, bytes);
        let Some(leaf) = ours.session.active_leaf else {
            continue;
        };
        let way = ours.tree.path(leaf);
        let sizes = along(format, &ours.session, &ours.tree, &way).sizes;
        assert_eq!(sizes.len(), way.len());
        let step = way.len().div_ceil(MOST_CONTEXTS).max(1);
        for (at, (&ix, size)) in way.iter().zip(&sizes).enumerate() {
            let entry = ours.session.entry(ix);
            let is_compaction = matches!(entry.kind, EntryKind::Compaction(_));
            if at % step > 0 && !is_compaction {
                continue;
            }
            let context =
                MeasuredContext::with_next_report(format, &ours.session, &ours.tree, Some(ix));
            let off = size.tokens.abs_diff(context.tokens);
            let is_close = off <= CLOSE_TOKENS || off as f64 <= CLOSE_SHARE * context.tokens as f64;
            assert!(
                if is_compaction { off == 0 } else { is_close },
                "{address}, entry {at} of the path: {} on the curve, {} in the context",
                size.tokens,
                context.tokens
            );
            let parts: u64 =
                context.items.iter().sum::<u64>() + context.prefix + context.given_again.tokens;
            assert!(
                parts.abs_diff(context.tokens) <= context.items.len() as u64,
                "{address}, entry {at}: parts {parts}, whole {}",
                context.tokens
            );
        }
    }
}

/// The largest numbers in every place of a usage, before and after a compaction with the largest size.
#[test]
fn the_largest_numbers_of_a_damaged_file_are_added_up() {
    let most = u64::MAX;
    let usage = format!(
        r#"{{"input":1,"output":{most},"cacheRead":0,"cacheWrite":0,"totalTokens":{most},"cost":{{"total":0}}}}"#
    );
    let reply = |id: &str, parent: &str| {
        format!(
            r#"{{"type":"message","id":"{id}","parentId":"{parent}","timestamp":"2026-10-05T10:00:00.000Z","message":{{"role":"assistant","content":[{{"type":"text","text":"yes"}}],"api":"a","provider":"p","model":"m","usage":{usage},"stopReason":"stop","timestamp":1}}}}"#
        )
    };
    let user = |id: &str, parent: &str| {
        format!(
            r#"{{"type":"message","id":"{id}","parentId":"{parent}","timestamp":"2026-10-05T10:00:00.000Z","message":{{"role":"user","content":"go on with it","timestamp":1}}}}"#
        )
    };
    let compaction = format!(
        r#"{{"type":"compaction","id":"c1","parentId":"a2","timestamp":"2026-10-05T10:00:00.000Z","summary":"all","firstKeptEntryId":"u2","tokensBefore":{most}}}"#
    );
    let lines = [
        r#"{"type":"session","version":3,"id":"s","timestamp":"2026-10-05T10:00:00.000Z","cwd":"/w"}"#
            .to_owned(),
        user("u1", ""),
        reply("a1", "u1"),
        user("u2", "a1"),
        reply("a2", "u2"),
        compaction,
        user("u3", "c1"),
        reply("a3", "u3"),
        user("u4", "a3"),
    ];
    let bytes = lines.join("\n").into_bytes();
    let path = std::path::Path::new("/w/s.jsonl");
    let format = sniff(path, &bytes).unwrap();
    let ours = InMemory::read(format, "/w/s.jsonl", bytes);
    let way = ours.tree.path(ours.session.active_leaf.unwrap());
    let sizes = along(format, &ours.session, &ours.tree, &way).sizes;
    assert_eq!(sizes.len(), way.len());
    for &ix in &way {
        MeasuredContext::with_next_report(format, &ours.session, &ours.tree, Some(ix));
    }
}
