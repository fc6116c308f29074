//! Claude Code's sessions read in parts: what an index resumes and what a window refreshes is what
//! reading at once gives.

#![allow(
    clippy::unwrap_used,
    reason = "a fixture that cannot be read fails its test"
)]

use palimpsest_core::{EntryIx, EntryKind, Role, Session};
use palimpsest_formats::claude_code::{AGENT, ClaudeCode};
use palimpsest_formats::{InMemory, Reading, Resume, SessionFormat};
use serde_json::{Value, json};
use std::path::Path;

fn fixtures() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/claude-code/valid");
    let files = std::fs::read_dir(folder).unwrap();
    files
        .map(|item| {
            let path = item.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read(path).unwrap())
        })
        .collect()
}

fn read(name: &str, bytes: &[u8]) -> Reading {
    let mut reading = Reading::new(AGENT, name);
    assert_eq!(ClaudeCode.read(&mut reading, bytes, true), bytes.len());
    reading
}

/// The offsets behind the lines of `bytes`.
fn line_ends(bytes: &[u8]) -> Vec<usize> {
    let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    ends.map(|(at, _)| at + 1).collect()
}

fn parent_of(session: &Session, ix: EntryIx) -> Option<&str> {
    let entry = session.entry(ix);
    let parent = entry.parent.map(|parent| session.entry(parent).id.as_str());
    parent.or(entry.missing_parent.as_ref().map(|id| id.as_str()))
}

#[test]
fn a_refreshed_session_is_the_whole_one() {
    for (name, bytes) in fixtures() {
        let whole = read(&name, &bytes);
        for cut in line_ends(&bytes) {
            let first = read(&name, &bytes[..cut]);
            let mut second = Reading::new(AGENT, &name);
            second.session = first.session;
            second.state = first.state;
            ClaudeCode.read(&mut second, &bytes[cut..], true);
            let told = format!("{:#?}", second.session);
            assert_eq!(told, format!("{:#?}", whole.session), "{name} cut at {cut}");
            assert_eq!(second.state, whole.state, "{name} cut at {cut}");
        }
    }
}

#[test]
fn a_resumed_reading_links_to_what_was_read_before() {
    for (name, bytes) in fixtures() {
        let whole = read(&name, &bytes);
        for cut in line_ends(&bytes) {
            let first = read(&name, &bytes[..cut]);
            let before = first.session.entries.len();
            let mut second = Reading::resume(Resume {
                state: first.state,
                meta: first.session.meta,
            });
            ClaudeCode.read(&mut second, &bytes[cut..], true);
            let at = format!("{name} cut at {cut}");
            assert_eq!(second.session.meta, whole.session.meta, "{at}");
            // Where somebody went back further than the newest turn, the stored parent stands.
            let goes_back = ["rewound.jsonl", "sidechains-inside.jsonl", "repeated.jsonl"];
            if goes_back.contains(&name.as_str()) {
                continue;
            }
            for ix in second.session.indices() {
                let same = EntryIx::new(before + ix.get());
                assert_eq!(
                    parent_of(&second.session, ix),
                    parent_of(&whole.session, same),
                    "{at}, {}",
                    second.session.entry(ix).id
                );
                let (ours, theirs) = (second.session.entry(ix), whole.session.entry(same));
                assert_eq!((&ours.id, ours.usage), (&theirs.id, theirs.usage), "{at}");
                let tools = |session: &Session, ix| -> Vec<_> {
                    let sizes = session.entry(ix).messages.iter();
                    sizes.map(|size| size.tool_name.clone()).collect()
                };
                assert_eq!(
                    tools(&second.session, ix),
                    tools(&whole.session, same),
                    "{at}"
                );
            }
        }
    }
}

/// The record of a subagent below the newest one does not become its end, wherever a reading began.
#[test]
fn what_a_subagent_wrote_is_not_the_end_of_a_turn_read_before() {
    let record = |kind: &str, id: &str, parent: Option<&str>, sidechain: bool, content: Value| {
        // The blocks of one reply are records with the same id of the message.
        let message = json!({
            "id": "msg_1", "role": kind, "content": content, "model": "claude-opus-4-5",
            "usage": {"input_tokens": 9, "output_tokens": 4},
        });
        let told = json!({
            "type": kind, "uuid": id, "requestId": "req_1", "parentUuid": parent,
            "isSidechain": sidechain, "sessionId": "s", "version": "1.0.72",
            "timestamp": "2026-03-01T10:00:01.000Z", "message": message,
        });
        format!("{told}\n")
    };
    let call = |id: &str| {
        let input = json!({"file_path": "/a"});
        json!([{"type": "tool_use", "id": id, "name": "Read", "input": input}])
    };
    let result = json!([{"type": "tool_result", "tool_use_id": "k1", "content": "Four."}]);
    let before = record("user", "u1", None, false, json!("Read both."))
        + &record("assistant", "r1", Some("u1"), false, call("k1"));
    let after = record("assistant", "x1", Some("r1"), true, call("k2"))
        + &record("user", "t1", Some("r1"), false, result);
    let whole = read("s.jsonl", (before.clone() + &after).as_bytes());
    let first = read("s.jsonl", before.as_bytes());
    let mut second = Reading::resume(Resume {
        state: first.state,
        meta: first.session.meta,
    });
    ClaudeCode.read(&mut second, after.as_bytes(), true);
    let parents = |session: &Session, from: usize| -> Vec<String> {
        let all = session.indices().skip(from);
        let parents = all.map(|ix| parent_of(session, ix).unwrap_or_default().to_owned());
        parents.collect()
    };
    assert_eq!(parents(&whole.session, 2), ["r1", "r1"]);
    assert_eq!(parents(&second.session, 0), parents(&whole.session, 2));
}

/// An invalid fixture, whole, and at every line end refreshed to the whole.
fn invalid(name: &str) -> InMemory {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/claude-code/invalid");
    let bytes = std::fs::read(folder.join(name)).unwrap();
    let whole = read(name, &bytes);
    for cut in line_ends(&bytes) {
        let first = read(name, &bytes[..cut]);
        let mut second = Reading::new(AGENT, name);
        second.session = first.session;
        second.state = first.state;
        ClaudeCode.read(&mut second, &bytes[cut..], true);
        let (one, two) = (&second.session, &whole.session);
        assert_eq!(format!("{one:#?}"), format!("{two:#?}"), "{name} at {cut}");
    }
    InMemory::read(&ClaudeCode, name, bytes)
}

/// The ids of the entries a context is made of.
fn sent(ours: &InMemory, at: &str) -> Vec<String> {
    let ids = ours.session.by_id();
    let items = ours.context(Some(ids[at])).items;
    let entries = items.iter().flat_map(|item| &item.entries);
    let ids = entries.map(|&ix| ours.session.entry(ix).id.to_string());
    ids.collect()
}

#[test]
fn a_missing_parent_is_guessed_while_the_process_goes_on() {
    let ours = invalid("missing-parents.jsonl");
    let (forks, roots) = (ours.tree.leaves().len(), ours.tree.roots().len());
    assert_eq!((forks, roots), (1, 1));
    let guessed = ours.session.entries.iter();
    let guessed = guessed.filter(|entry| entry.has_guessed_parent());
    let guessed: Vec<&str> = guessed.map(|entry| entry.id.as_str()).collect();
    assert_eq!(guessed, ["p1", "p2", "p3"]);
    assert_eq!(ours.session.warnings.len(), 3);
    // What the summary stands for, and what the process goes on with.
    assert_eq!(sent(&ours, "p2"), ["u1", "r1", "t1", "r2"]);
    assert_eq!(sent(&ours, "r4"), ["s1", "r3", "u2", "r4"]);
}

#[test]
fn a_missing_parent_cuts_the_conversation_for_the_next_process() {
    let ours = invalid("missing-parents.jsonl");
    let last = sent(&ours, "r5");
    assert_eq!(last, ["u2", "r4", "m1", "k1", "o1", "u3", "r5"]);
    let restarts: Vec<&str> = ours
        .session
        .restarts
        .iter()
        .map(|&ix| ours.session.entry(ix).id.as_str())
        .collect();
    assert_eq!(restarts, ["u3"]);
}

#[test]
fn a_session_opens_on_a_conversation_whatever_its_last_record_names() {
    let ours = invalid("ends-without-parent.jsonl");
    let items = ours.context(ours.session.active_leaf).items;
    assert_eq!(items.len(), 2);
    let ours = invalid("taken-up-without-parent.jsonl");
    assert_eq!(ours.tree.roots().len(), 2);
    let items = ours.context(ours.session.active_leaf).items;
    assert_eq!(items.len(), 2);
    let reasons: Vec<&str> = ours
        .session
        .warnings
        .iter()
        .map(|warning| warning.reason.as_str())
        .collect();
    assert_eq!(reasons.len(), 1);
    assert!(reasons[0].contains("started again"), "{reasons:?}");
}

#[test]
fn a_compaction_without_a_span_says_so() {
    let ours = invalid("begins-compacted.jsonl");
    let reason = &ours.session.warnings[0].reason;
    assert!(reason.contains("summarizes is not in the file"), "{reason}");
    assert_eq!(ours.session.warnings.len(), 1);
}

#[test]
fn the_threshold_is_that_of_the_agent() {
    // 2.0.53 to 2.1.197, for windows of 200,000 and 1,000,000 tokens.
    assert_eq!(ClaudeCode.policy(200_000).threshold, 167_000);
    assert_eq!(ClaudeCode.policy(1_000_000).threshold, 967_000);
}

/// A session of `version` with an automatic compaction at each of `sizes`, each behind a reply that
/// reported `passed` tokens and one that reported fewer.
fn compacted_at(version: &str, passed: u64, sizes: &[u64]) -> InMemory {
    let mut lines = Vec::new();
    let mut above = "null".to_owned();
    let mut add = |kind: &str, id: String, more: String| {
        lines.push(format!(
            r#"{{"parentUuid":{above},"type":"{kind}","uuid":"{id}","version":"{version}","sessionId":"s",{more}}}"#
        ));
        above = format!("{id:?}");
    };
    let reply = |id: &str, tokens: u64| {
        format!(
            r#""requestId":"{id}","message":{{"id":"{id}","role":"assistant","model":"claude-opus-4-5","content":[{{"type":"text","text":"On."}}],"usage":{{"input_tokens":{tokens},"output_tokens":1}}}}"#
        )
    };
    for (at, size) in sizes.iter().enumerate() {
        let prompt = r#""message":{"role":"user","content":"Go on."}"#.to_owned();
        add("user", format!("u{at}"), prompt);
        add(
            "assistant",
            format!("r{at}"),
            reply(&format!("q{at}"), passed),
        );
        add(
            "assistant",
            format!("s{at}"),
            reply(&format!("p{at}"), 1_000),
        );
        add(
            "system",
            format!("b{at}"),
            format!(
                r#""subtype":"compact_boundary","compactMetadata":{{"trigger":"auto","preTokens":{size}}}"#
            ),
        );
        let summary = r#""isCompactSummary":true,"message":{"role":"user","content":"All of it."}"#;
        add("user", format!("c{at}"), summary.to_owned());
    }
    InMemory::read(&ClaudeCode, "s.jsonl", lines.join("\n").into_bytes())
}

/// Threshold at the leaf of a window of 200,000 tokens, and how many compactions taught it.
fn threshold_of(ours: &InMemory) -> (u64, u32) {
    let (session, tree) = (&ours.session, &ours.tree);
    let policy = ClaudeCode.policy_at(session, tree, session.active_leaf, 200_000);
    (policy.threshold, policy.learned_from)
}

#[test]
fn the_threshold_is_that_of_the_version() {
    for (version, threshold) in [
        ("2.0.53", 167_000),
        ("2.0.76", 155_000),
        ("2.1.20", 155_000),
        ("2.1.25", 167_000),
        ("2.1.329", 167_000),
        ("none", 167_000),
    ] {
        let ours = compacted_at(version, 2_000, &[threshold + 300]);
        assert_eq!(threshold_of(&ours), (threshold, 0), "{version}");
    }
}

#[test]
fn the_threshold_is_learned_where_the_session_tells_another() {
    // A setting lowers it: it fired below the rule.
    let ours = compacted_at("2.1.42", 2_000, &[120_500, 121_700]);
    assert_eq!(threshold_of(&ours), (120_500, 2));
    // A request above the rule went out before it fired.
    let ours = compacted_at("2.1.20", 160_000, &[168_000]);
    assert_eq!(threshold_of(&ours), (168_000, 1));
    // Before the first compaction only the rule is known.
    let ours = compacted_at("2.1.42", 2_000, &[120_500]);
    let at = ours.session.by_id()["s0"];
    let policy = ClaudeCode.policy_at(&ours.session, &ours.tree, Some(at), 200_000);
    assert_eq!((policy.threshold, policy.learned_from), (167_000, 0));
}

#[test]
fn an_id_that_is_used_for_another_text_is_said() {
    let record = |parent: &str, text: &str| {
        format!(
            r#"{{"type":"user","uuid":"u","parentUuid":{parent},"sessionId":"s","cwd":"/t","message":{{"role":"user","content":"{text}"}}}}"#
        )
    };
    let same = [record("null", "one"), record("null", "one")].join("\n");
    let other = [record("null", "one"), record("null", "two")].join("\n");
    let warnings = |text: String| {
        let session = InMemory::read(&ClaudeCode, "s.jsonl", text.into_bytes()).session;
        assert_eq!((session.entries.len(), session.merged.len()), (1, 1));
        session.warnings.clone()
    };
    assert_eq!(warnings(same), []);
    let said = warnings(other);
    assert_eq!(said.len(), 1);
    assert!(
        said[0].reason.contains("line 1 for another text"),
        "{said:?}"
    );
}

#[test]
fn a_prompt_behind_what_the_editor_shows_is_the_users() {
    let opened =
        "<ide_opened_file>The user opened the file /src/a.rs in the IDE.</ide_opened_file>";
    let reminder = "<system-reminder>Be brief.</system-reminder>";
    let text = |text: String| json!({ "type": "text", "text": text });
    let kind_of = |content: Value| {
        let line = json!({
            "type": "user", "uuid": "u1", "parentUuid": null, "sessionId": "s1", "version": "2.1.0",
            "timestamp": "2026-01-01T00:00:00.000Z", "message": { "role": "user", "content": content },
        });
        let bytes = format!("{line}\n").into_bytes();
        let session = read("s1.jsonl", &bytes).session;
        let entry = session.entry(EntryIx::new(0));
        let body = ClaudeCode.body(&session.meta, entry, line.to_string().as_bytes());
        (
            entry.kind.clone(),
            entry.preview.to_string(),
            body.messages[0].native_role,
        )
    };
    let prompt = EntryKind::Message(Role::User);
    for content in [
        json!(format!("{opened}\nyes, adjust")),
        json!([text(opened.to_owned()), text("yes, adjust".to_owned())]),
        json!([
            text(format!("{reminder}\n{opened}")),
            text("yes, adjust".to_owned())
        ]),
        json!([
            text(opened.to_owned()),
            text(format!("{reminder} yes, adjust"))
        ]),
    ] {
        let found = kind_of(content.clone());
        assert_eq!(
            found,
            (prompt.clone(), "yes, adjust".to_owned(), "user"),
            "{content}"
        );
    }
    let selected = "<ide_selection>let a = 1;</ide_selection>";
    assert_eq!(kind_of(json!(selected)).2, "meta");
    let source = json!({ "type": "base64", "media_type": "image/png", "data": "AA==" });
    let image = json!({ "type": "image", "source": source });
    assert_eq!(kind_of(json!([text(opened.to_owned()), image])).2, "user");
    // Alone it is a note of the agent, and so is a command a command.
    let (kind, _, native_role) = kind_of(json!(opened));
    assert!(matches!(kind, EntryKind::CustomMessage { .. }) && native_role == "meta");
    let command = "<command-name>/review</command-name>\n<command-args>rows</command-args>";
    let (kind, preview, native_role) =
        kind_of(json!([text(opened.to_owned()), text(command.to_owned())]));
    assert!(matches!(kind, EntryKind::CustomMessage { .. }) && native_role == "command");
    assert_eq!(preview, "/review rows");
}
