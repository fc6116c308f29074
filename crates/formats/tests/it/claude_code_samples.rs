//! Claude Code's sample sessions: every line accounted for, usage equal to an independent count
//! over the raw JSON, trees without forks that nobody made. Skipped where the samples are absent.

#![allow(
    clippy::unwrap_used,
    reason = "a sample that cannot be read fails its test"
)]

use palimpsest_core::{EntryIx, EntryKind, LinkKind, Role, Usage};
use palimpsest_formats::account::account;
use palimpsest_formats::claude_code::{AGENT, ClaudeCode};
use palimpsest_formats::{InMemory, SessionFormat, formats, sniff};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

fn samples() -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples/claude-code");
    let mut files = Vec::new();
    for kind in ["generated-2.1.329", "real", "small"] {
        let Ok(listing) = std::fs::read_dir(folder.join(kind)) else {
            continue;
        };
        files.extend(listing.flatten().map(|item| item.path()));
    }
    files.retain(|path| ClaudeCode.is_candidate(path));
    files.sort();
    if files.is_empty() {
        eprintln!("SKIPPED: no sample sessions in {}", folder.display());
    }
    files
        .into_iter()
        .map(|path| {
            let bytes = std::fs::read(&path).unwrap();
            (path, bytes)
        })
        .collect()
}

/// Lines of records whose parent is in no record, the first of a file left out: a file may begin
/// in the middle of a session.
fn orphans(bytes: &[u8]) -> Vec<u32> {
    let lines = (0u32..).zip(bytes.split(|&byte| byte == b'\n'));
    let linked: Vec<(u32, Value)> = lines
        .filter_map(|(number, line)| Some((number, serde_json::from_slice(line).ok()?)))
        .filter(|(_, record): &(u32, Value)| record["uuid"].is_string())
        .collect();
    let is_there = |id: &str| linked.iter().any(|(_, record)| record["uuid"] == id);
    linked
        .iter()
        .skip(1)
        .filter(|(_, record)| {
            let parent = record["parentUuid"].as_str();
            parent.is_some_and(|id| !is_there(id)) && record["isSidechain"] != true
        })
        .map(|(number, _)| *number)
        .collect()
}

/// Lines whose uuid was used before for a message with another text.
fn other_texts(bytes: &[u8]) -> HashSet<u32> {
    let mut first: HashMap<String, String> = HashMap::new();
    let mut lines = HashSet::new();
    for (number, line) in (0u32..).zip(bytes.split(|&byte| byte == b'\n')) {
        let Ok(record) = serde_json::from_slice::<Value>(line) else {
            continue;
        };
        let Some(uuid) = record["uuid"].as_str().filter(|id| !id.is_empty()) else {
            continue;
        };
        let content = &record["message"]["content"];
        let text = content.as_str().or_else(|| content[0]["text"].as_str());
        let text = text.unwrap_or_default().to_owned();
        if *first.entry(uuid.to_owned()).or_insert_with(|| text.clone()) != text {
            lines.insert(number);
        }
    }
    lines
}

fn read(path: &Path, bytes: &[u8]) -> InMemory {
    InMemory::read(&ClaudeCode, &path.to_string_lossy(), bytes.to_vec())
}

#[test]
fn every_line_is_accounted_for() {
    for (path, bytes) in samples() {
        let ours = read(&path, &bytes);
        let told = account(&ours.session, &bytes);
        assert!(told.lost.is_empty(), "{}: {told:?}", path.display());
        let orphans = orphans(&bytes);
        let other_texts = other_texts(&bytes);
        for (number, line) in (0u32..).zip(bytes.split(|&byte| byte == b'\n')) {
            let is_record = serde_json::from_slice::<Value>(line).is_ok_and(|v| v.is_object());
            let is_blank = line.trim_ascii().is_empty();
            let warnings = &ours.session.warnings;
            let warned = warnings.iter().any(|warning| warning.line == Some(number));
            // A record without a type is one that is told.
            let is_odd = is_record && !line.windows(6).any(|part| part == b"\"type\"");
            let path = path.display();
            assert_eq!(
                warned,
                is_odd
                    || orphans.contains(&number)
                    || other_texts.contains(&number)
                    || !is_record && !is_blank,
                "{path}, line {number}"
            );
        }
    }
}

#[test]
fn files_are_told_from_those_of_other_agents() {
    for (path, bytes) in samples() {
        let head = &bytes[..bytes.len().min(65536)];
        let claimed: Vec<&str> = formats()
            .iter()
            .filter(|format| format.sniff(&path, head))
            .map(|format| format.agent().name())
            .collect();
        assert_eq!(claimed, [AGENT.name()], "{}", path.display());
    }
    let others = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples");
    let mut seen = 0;
    for agent in ["pi", "codex", "gemini"] {
        for path in files_below(&others.join(agent)) {
            let mut head = std::fs::read(&path).unwrap();
            head.truncate(65536);
            assert!(!ClaudeCode.sniff(&path, &head), "{}", path.display());
            let found = sniff(&path, &head);
            assert!(found.is_none_or(|format| format.agent() != AGENT));
            seen += 1;
        }
    }
    if seen == 0 {
        eprintln!(
            "SKIPPED: no samples of other agents in {}",
            others.display()
        );
    }
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let Ok(listing) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let paths = listing.flatten().map(|item| item.path());
    paths
        .flat_map(|path| {
            if path.is_dir() {
                files_below(&path)
            } else {
                vec![path]
            }
        })
        .filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"))
        .collect()
}

/// Usage as the raw lines have it: of each reply (message id and request id) the largest output
/// and the input of its first line; lines of a repeated uuid and made-up messages left out.
fn counted(bytes: &[u8]) -> [u64; 4] {
    let mut replies: BTreeMap<String, [u64; 4]> = BTreeMap::new();
    let mut uuids = Vec::new();
    for (number, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        let Ok(record) = serde_json::from_slice::<Value>(line) else {
            continue;
        };
        let message = &record["message"];
        let usage = &message["usage"];
        if record["type"] != "assistant" || !usage.is_object() || message["model"] == "<synthetic>"
        {
            continue;
        }
        if let Some(uuid) = record["uuid"].as_str() {
            if uuids.contains(&uuid.to_owned()) {
                continue;
            }
            uuids.push(uuid.to_owned());
        }
        let number_of = |key: &str| usage[key].as_u64().unwrap_or(0);
        let key = match message["id"].as_str() {
            Some(id) => format!("{id} {}", record["requestId"]),
            None => format!("line {number}"),
        };
        let output = number_of("output_tokens");
        let told = replies.entry(key).or_insert([
            number_of("input_tokens"),
            0,
            number_of("cache_read_input_tokens"),
            number_of("cache_creation_input_tokens"),
        ]);
        told[1] = told[1].max(output);
    }
    let mut sums = [0; 4];
    for told in replies.values() {
        for (sum, number) in sums.iter_mut().zip(told) {
            *sum += number;
        }
    }
    sums
}

#[test]
fn usage_equals_an_independent_count() {
    for (path, bytes) in samples() {
        let ours = read(&path, &bytes);
        let mut sum = Usage::default();
        for usage in ours.session.entries.iter().filter_map(|entry| entry.usage) {
            sum.add(&usage);
        }
        let ours = [sum.input, sum.output, sum.cache_read, sum.cache_write];
        assert_eq!(ours, counted(&bytes), "{}", path.display());
    }
}

/// The agent's own sums of a session it wrote from the start, from its last `cost-state`; its own
/// summary calls are in them and in no record, so such sessions are left out.
#[test]
fn usage_equals_the_agents_own_sum() {
    let mut compared = 0;
    for (path, bytes) in samples() {
        let ours = read(&path, &bytes);
        let is_whole = !path.ends_with("02-fork-session.jsonl")
            && !bytes.windows(16).any(|part| part == b"compact_boundary");
        let states = bytes.split(|&byte| byte == b'\n').rev();
        let mut states = states
            .filter_map(|line| serde_json::from_slice::<Value>(line).ok())
            .filter(|record| record["type"] == "cost-state");
        let Some(state) = states.next().filter(|_| is_whole) else {
            continue;
        };
        let model = state["modelUsage"]
            .as_object()
            .unwrap()
            .values()
            .next()
            .unwrap();
        let mut sum = Usage::default();
        for usage in ours.session.entries.iter().filter_map(|entry| entry.usage) {
            sum.add(&usage);
        }
        assert_eq!(model["inputTokens"], sum.input, "{}", path.display());
        assert_eq!(model["outputTokens"], sum.output, "{}", path.display());
        assert_eq!(model["cacheReadInputTokens"], sum.cache_read);
        assert_eq!(model["cacheCreationInputTokens"], sum.cache_write);
        compared += 1;
    }
    eprintln!("{compared} sessions compared with the agent's own sum");
}

/// Entries with several children and those without a parent, sidechains aside.
fn forks_and_roots(ours: &InMemory) -> (usize, usize) {
    let is_main = |ix: &palimpsest_core::EntryIx| !ours.session.entry(*ix).sidechain;
    let forks = ours
        .session
        .indices()
        .filter(|&ix| {
            ours.tree
                .children(ix)
                .iter()
                .filter(|ix| is_main(ix))
                .count()
                > 1
        })
        .count();
    let roots = ours.tree.roots().iter().filter(|ix| is_main(ix)).count();
    (forks, roots)
}

#[test]
fn what_nobody_forked_is_one_chain() {
    for (path, bytes) in samples() {
        // Nobody went back in these; the small ones are made by hand, some with roots only.
        if !path.parent().unwrap().ends_with("small") {
            let found = forks_and_roots(&read(&path, &bytes));
            assert_eq!(found, (0, 1), "{}", path.display());
        }
    }
}

#[test]
fn a_sidechain_hangs_at_the_call_that_started_it() {
    for (path, bytes) in samples() {
        if !path.to_string_lossy().contains("5c0375b4") {
            continue;
        }
        let ours = read(&path, &bytes);
        let mut starts = 0;
        for ix in ours.session.indices() {
            let entry = ours.session.entry(ix);
            let Some(parent) = entry.parent.filter(|_| entry.sidechain) else {
                assert!(!entry.sidechain, "{} hangs nowhere", entry.id);
                continue;
            };
            let above = ours.session.entry(parent);
            if !above.sidechain {
                assert_eq!(&*above.tool_calls[0].name, "Task");
                starts += 1;
            }
        }
        assert!(starts > 0);
        let leaf = ours.session.active_leaf.unwrap();
        assert!(!ours.session.entry(leaf).sidechain);
        let on_path = ours.tree.path(leaf);
        assert!(on_path.iter().all(|&ix| !ours.session.entry(ix).sidechain));
    }
}

#[test]
fn a_subagents_file_names_the_session_that_started_it() {
    for (path, bytes) in samples() {
        if !path.to_string_lossy().contains("agent-test-hash") {
            continue;
        }
        let ours = read(&path, &bytes);
        let meta = &ours.session.meta;
        assert_eq!(meta.native_id, "test-hash-123");
        assert_eq!(meta.parent_kind, Some(LinkKind::SubagentOf));
        let parent = meta.parent_session.as_deref();
        assert_eq!(parent, Some("5c0375b4-57a5-4f26-b12d-d022ee4e51b7"));
        assert_eq!(ours.session.active_leaf.map(|ix| ix.get()), Some(1));
    }
}

#[test]
fn compactions_have_what_their_boundaries_say() {
    for (path, bytes) in samples() {
        let ours = read(&path, &bytes);
        let boundaries = bytes
            .split(|&byte| byte == b'\n')
            .filter_map(|line| serde_json::from_slice::<Value>(line).ok())
            .filter(|record| record["subtype"] == "compact_boundary");
        let told: Vec<&palimpsest_core::entry::Compaction> = ours
            .session
            .entries
            .iter()
            .filter_map(|entry| match &entry.kind {
                EntryKind::Compaction(told) => Some(&**told),
                _ => None,
            })
            .collect();
        let boundaries: Vec<Value> = boundaries.collect();
        assert_eq!(told.len(), boundaries.len(), "{}", path.display());
        for (told, boundary) in told.iter().zip(&boundaries) {
            let metadata = &boundary["compactMetadata"];
            assert_eq!(told.tokens_before, metadata["preTokens"].as_u64());
            assert_eq!(told.tokens_after, metadata["postTokens"].as_u64());
            assert_eq!(told.duration_ms, metadata["durationMs"].as_u64());
            assert_eq!(told.trigger.unwrap().name(), metadata["trigger"]);
            let kept: Vec<&str> = told
                .kept
                .iter()
                .map(|&ix| ours.session.entry(ix).id.as_str())
                .collect();
            let named = metadata["preservedMessages"]["uuids"].as_array();
            let named: Vec<&str> = named
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect();
            assert_eq!(kept, named);
        }
    }
}

#[test]
fn cleared_results_are_found_and_leave_the_context() {
    for (path, bytes) in samples() {
        let ours = read(&path, &bytes);
        for ix in ours.session.indices() {
            let EntryKind::Clearing(told) = &ours.session.entry(ix).kind else {
                continue;
            };
            // A file may begin after the results.
            let text = String::from_utf8_lossy(&bytes);
            let stored = told
                .call_ids
                .iter()
                .filter(|id| text.contains(&format!("\"tool_use_id\":\"{id}\"")))
                .count();
            assert_eq!(told.results.len(), stored, "{}", path.display());
            let context = ours.context(Some(ix));
            for item in context.items.iter().filter(|item| item.role == Role::Tool) {
                let is_cleared = told.results.contains(&item.entries[0]);
                assert!(!is_cleared || item.edited_by.is_some());
            }
        }
    }
}

/// The entry that the boundary of a compaction hangs at.
fn before_boundary(ours: &InMemory, summary: EntryIx) -> Option<EntryIx> {
    let is_boundary = |ix: EntryIx| matches!(&ours.session.entry(ix).kind, EntryKind::Custom { custom_type } if &**custom_type == "compact_boundary");
    let mut at = summary;
    while !is_boundary(at) {
        at = ours
            .tree
            .parent(at)
            .expect("a boundary stands above a summary");
    }
    ours.tree.parent(at)
}

/// Every compaction stands for messages of the file, and no session opens without any.
#[test]
fn compactions_have_spans_and_sessions_open_on_a_conversation() {
    for (path, bytes) in samples() {
        let ours = read(&path, &bytes);
        let at = path.display();
        for ix in ours.session.indices() {
            let entry = ours.session.entry(ix);
            if matches!(entry.kind, EntryKind::Compaction(_)) {
                let items = ours.context(before_boundary(&ours, ix)).items;
                assert!(items.len() > 1, "{at}, line {}", entry.source.line);
                let after = ours.context(Some(ix));
                assert_eq!(after.compaction, Some(ix), "{at}");
            }
        }
        let items = ours.context(ours.session.active_leaf).items;
        assert!(!items.is_empty(), "{at} opens empty");
    }
}

/// Files leave out some of what was attached, so a few sizes can only be near.
#[test]
fn the_context_before_a_compaction_is_as_large_as_the_agent_says() {
    let (mut equal, mut all) = (0, 0);
    let mut others = Vec::new();
    for (path, bytes) in samples() {
        let ours = read(&path, &bytes);
        for ix in ours.session.indices() {
            let EntryKind::Compaction(told) = &ours.session.entry(ix).kind else {
                continue;
            };
            let context = ours.context(before_boundary(&ours, ix));
            let before = context.projected;
            let agents = told.tokens_before.unwrap();
            let near = agents.abs_diff(before) * 20 < agents;
            assert!(near, "{}: {before}, not {agents}", path.display());
            // Of texts that were cut out of a sample only the place is left.
            let since = context.reported.map(|reported| reported.entry);
            let items = context.items.iter();
            let mut newest = items.filter(|item| item.entries.first().copied() > since);
            let is_cut = newest.any(|item| {
                let message = ours
                    .format
                    .item_message(&ours.session, item, &ours)
                    .unwrap();
                message.text("\n").contains("<removed ")
            });
            // The agent counts what the newest reply put out (from 2.1.31 on), of which most files
            // hold only what had come when its first block was written.
            let output = |ix: EntryIx| ours.session.entry(ix).usage.map_or(0, |usage| usage.output);
            let mut items = context.items.iter();
            let reply = items.find(|item| item.entries.first().copied() == since);
            let is_partial = reply.is_some_and(|reply| {
                let stored: u64 = reply.entries.iter().map(|&ix| output(ix)).sum();
                stored < reply.estimate
            });
            let is_near = before != agents && (is_cut || is_partial);
            equal += u32::from(before == agents);
            all += u32::from(!is_near);
            if before != agents && !is_near {
                others.push(format!("{}: {before}, not {agents}", path.display()));
            }
        }
    }
    assert!(
        equal + 2 >= all,
        "only {equal} of {all} are equal: {others:#?}"
    );
}
