//! Searching an index over real files.

use super::*;
use crate::index::{Control, run};
use palimpsest_core::{RecordKind, Role};
use std::fs;

fn line(id: u32, parent: u32, role: &str, text: &str) -> String {
    let content = serde_json::json!([{"type": "text", "text": text}]);
    let parent = (parent > 0).then(|| format!("e{parent}"));
    let mut message = serde_json::json!({"role": role, "content": content, "timestamp": 1});
    if role == "toolResult" {
        message["isError"] = true.into();
        message["toolCallId"] = "c".into();
        message["toolName"] = "bash".into();
    }
    let entry = serde_json::json!({
        "type": "message", "id": format!("e{id}"), "parentId": parent,
        "timestamp": "2026-10-05T10:00:00.000Z", "message": message,
    });
    format!("{entry}\n")
}

/// Sessions `(name, texts)`, the last one read last.
fn indexed(sessions: &[(&str, &[(&str, &str)])]) -> (tempfile::TempDir, IndexDb) {
    let dir = tempfile::tempdir().unwrap();
    let db = IndexDb::init_in_memory().unwrap();
    for (name, texts) in sessions {
        let mut all = format!(
            "{{\"type\":\"session\",\"version\":3,\"id\":\"{name}\",\
             \"timestamp\":\"2026-10-05T10:00:00.000Z\",\"cwd\":\"/home/dev/{name}\"}}\n"
        );
        for (ix, (role, text)) in texts.iter().enumerate() {
            let ix = u32::try_from(ix).unwrap();
            all += &line(ix + 1, ix, role, text);
        }
        let path = dir.path().join(format!("{name}.jsonl"));
        fs::write(&path, all).unwrap();
        run(&db, &[path], &Control::QUIET).unwrap();
    }
    (dir, db)
}

fn hits(db: &IndexDb, query: &str) -> Vec<String> {
    let page = search(db, None, query, HitSort::Newest, 0, 50).unwrap();
    page.hits
        .iter()
        .map(|hit| format!("{} {}", hit.project, hit.entry_id))
        .collect()
}

fn by(sort: SessionSort) -> ListOptions {
    ListOptions {
        sort: ListSort::By(sort),
        offset: 0,
        limit: None,
        hide_subagents: false,
    }
}

fn listed(db: &IndexDb, query: &str, sort: SessionSort) -> SessionPage {
    sessions(db, None, query, by(sort)).unwrap()
}

#[test]
fn entries_are_found_with_the_text_around_the_match() {
    let (_dir, db) = indexed(&[
        (
            "alpha",
            &[
                ("user", "please fix the date parser"),
                ("assistant", "The parser is in src/parse_date.rs."),
            ],
        ),
        (
            "beta",
            &[
                ("user", "Parser of mails"),
                ("toolResult", "error: parse date failed"),
            ],
        ),
    ]);
    assert_eq!(hits(&db, "parser"), ["beta e1", "alpha e2", "alpha e1"]);
    assert_eq!(hits(&db, "parser -mails"), ["alpha e2", "alpha e1"]);
    assert_eq!(hits(&db, "\"date parser\""), ["alpha e1"]);
    assert_eq!(hits(&db, "parse_date"), ["beta e2", "alpha e2"]);
    assert_eq!(hits(&db, "date -\"parse date\""), ["alpha e1"]);
    assert_eq!(hits(&db, "pars* has:error"), ["beta e2", "beta e1"]);
    assert_eq!(
        hits(&db, "parser project:ALPHA after:2026-10 before:2026-11"),
        ["alpha e2", "alpha e1"]
    );
    assert!(hits(&db, "parser after:2026-11").is_empty());
    let page = search(&db, None, "parse_date.rs", HitSort::Newest, 0, 10).unwrap();
    let hit = &page.hits[0];
    assert_eq!(hit.snippet, "The parser is in src/parse_date.rs.");
    assert_eq!(hit.snippet[hit.ranges[0].clone()], *"parse_date.rs");
    assert_eq!(
        (hit.line, hit.role, hit.kind),
        (2, Some(Role::Assistant), RecordKind::Message)
    );
}

#[test]
fn pages_follow_each_other() {
    let texts: Vec<(&str, String)> = (0..30)
        .map(|n| {
            (
                "user",
                format!("same words {}", if n % 2 == 0 { "here" } else { "not" }),
            )
        })
        .collect();
    let texts: Vec<(&str, &str)> = texts
        .iter()
        .map(|(role, text)| (*role, text.as_str()))
        .collect();
    let (_dir, db) = indexed(&[("alpha", &texts)]);
    for query in ["here", "\"words here\""] {
        let mut seen = Vec::new();
        for offset in (0..20).step_by(4) {
            let page = search(&db, None, query, HitSort::Newest, offset, 4).unwrap();
            assert_eq!(page.more, offset + 4 < 15, "{query} at {offset}");
            seen.extend(page.hits.into_iter().map(|hit| hit.ix));
        }
        assert_eq!(
            seen,
            (0..30).rev().filter(|n| n % 2 == 0).collect::<Vec<_>>(),
            "{query}"
        );
    }
}

#[test]
fn a_query_never_fails() {
    let (_dir, db) = indexed(&[("alpha", &[("user", "words")])]);
    for query in [
        "",
        "   ",
        "\"",
        "-",
        "has:",
        "agent:x",
        "*",
        "-words",
        "AND OR NOT",
        "a:b:c",
        "(x",
        "'",
    ] {
        search(&db, None, query, HitSort::Newest, 0, 10).unwrap();
        listed(&db, query, SessionSort::Updated);
    }
    assert_eq!(
        search(&db, None, "has:error", HitSort::Newest, 0, 10)
            .unwrap()
            .ignored
            .len(),
        1
    );
    assert!(
        search(&db, None, "", HitSort::Newest, 0, 10)
            .unwrap()
            .ignored
            .is_empty()
    );
}

#[test]
fn a_filter_without_a_value_is_told_once() {
    let (_dir, db) = indexed(&[("alpha", &[("user", "words here")])]);
    let ignored = |query: &str| {
        let page = search(&db, None, query, HitSort::Newest, 0, 10).unwrap();
        page.ignored
    };
    assert_eq!(ignored("tool:"), ["tool: has no value and was ignored"]);
    let both = ignored("tool: has:error");
    assert_eq!(both.len(), 2, "{both:?}");
    assert!(both[1].starts_with("these filters"), "{both:?}");
}

#[test]
fn a_source_that_is_gone_is_still_listed() {
    let (dir, db) = indexed(&[("alpha", &[("user", "words here")])]);
    fs::remove_file(dir.path().join("alpha.jsonl")).unwrap();
    let page = search(&db, None, "words", HitSort::Newest, 0, 10).unwrap();
    assert_eq!((page.hits.len(), page.hits[0].snippet.as_str()), (1, ""));
}

#[test]
fn sessions_are_listed_by_words_of_their_row() {
    let (_dir, db) = indexed(&[
        ("alpha", &[("user", "please fix the date parser")]),
        ("beta", &[("user", "Parser of mails")]),
    ]);
    let titles = |query: &str| -> Vec<String> {
        let page = listed(&db, query, SessionSort::Title);
        page.sessions.into_iter().map(|row| row.project).collect()
    };
    assert_eq!(titles(""), ["beta", "alpha"]);
    assert_eq!(titles("parser"), ["beta", "alpha"]);
    assert_eq!(titles("ALPHA"), ["alpha"]);
    assert_eq!(titles("title:mails"), ["beta"]);
    let options = ListOptions {
        offset: 1,
        limit: Some(1),
        ..by(SessionSort::Updated)
    };
    let page = sessions(&db, None, "parser -mail -x", options).unwrap();
    assert_eq!(
        (
            page.total,
            page.sessions.len(),
            page.groups.len(),
            page.ignored.len()
        ),
        (2, 1, 2, 0)
    );
}

/// A session whose model calls a tool, and the tool's result.
fn with_calls() -> (tempfile::TempDir, IndexDb) {
    let dir = tempfile::tempdir().unwrap();
    let db = IndexDb::init_in_memory().unwrap();
    let call = |id: u32, tool: &str, arguments: serde_json::Value| {
        serde_json::json!({
            "type": "message", "id": format!("e{id}"), "parentId": format!("e{}", id - 1),
            "timestamp": format!("2026-10-0{id}T10:00:00.000Z"),
            "message": {"role": "assistant", "provider": "anthropic", "model": "claude-opus-4-5",
                "timestamp": 1, "content": [{"type": "toolCall", "id": format!("c{id}"),
                "name": tool, "arguments": arguments}]},
        })
    };
    let mut all = concat!(
        r#"{"type":"session","version":3,"id":"calls","timestamp":"2026-10-01T10:00:00.000Z","#,
        r#""cwd":"/home/dev/calls"}"#,
        "\n"
    )
    .to_owned();
    all += &line(1, 0, "user", "please run the tests");
    let bash = call(
        2,
        "bash",
        serde_json::json!({"command": "cd /tmp && pytest -q"}),
    );
    let edit = call(
        3,
        "edit",
        serde_json::json!({"path": "src/parse/date.rs", "oldText": "a"}),
    );
    all += &format!("{bash}\n{edit}\n");
    all += &line(4, 3, "toolResult", "2 passed");
    let path = dir.path().join("calls.jsonl");
    fs::write(&path, all).unwrap();
    run(&db, &[path], &Control::QUIET).unwrap();
    (dir, db)
}

#[test]
fn entries_are_found_by_tool_command_file_and_kind() {
    let (_dir, db) = with_calls();
    for (query, expected) in [
        ("tool:bash", &["calls e4", "calls e2"][..]),
        ("tool:bash kind:call", &["calls e2"]),
        ("tool:edit tool:bash kind:call", &["calls e3", "calls e2"]),
        ("cmd:pytest", &["calls e2"]),
        ("cmd:\"pytest -q\" -tool:edit", &["calls e2"]),
        ("cmd:passed", &[]),
        ("cmd:\"pytest cd\"", &[]),
        ("file:date.rs", &["calls e3"]),
        ("file:src/parse", &["calls e3"]),
        ("kind:user", &["calls e1"]),
        ("kind:error passed", &["calls e4"]),
        ("kind:assistant after:2026-10-03", &["calls e3"]),
        ("kind:assistant before:2026-10-03", &["calls e2"]),
        ("file:date.rs tool:edit", &["calls e3"]),
        ("file:date.rs tool:bash", &[]),
        ("tests -kind:user", &[]),
        ("please model:opus", &["calls e1"]),
        ("please model:gpt", &[]),
    ] {
        assert_eq!(hits(&db, query), expected, "{query}");
    }
    for (query, total) in [
        ("tool:bash", 1),
        ("tool:ba*", 1),
        ("tool:write", 0),
        ("-tool:write", 1),
        ("-tool:bash", 0),
        ("cmd:pytest", 1),
        ("-cmd:pytest", 0),
        ("file:date.rs", 1),
        ("file:date.rs tool:edit", 1),
        // The session has both, and no one entry has.
        ("file:date.rs tool:bash", 0),
        ("rejected:0", 1),
        ("rejected:>0", 0),
        ("kind:call", 1),
        ("kind:compaction", 0),
        ("model:opus", 1),
        ("model:gpt model:opus", 1),
        ("-model:opus", 0),
        ("project:/home/dev", 1),
        ("project:/home/de", 0),
        ("entries:4", 1),
        ("entries:>4", 0),
        ("compactions:0", 1),
        ("cost:>1", 0),
        ("-title:please", 0),
        ("-title:mails", 1),
    ] {
        let page = listed(&db, query, SessionSort::Updated);
        assert!(page.ignored.is_empty(), "{query}: {:?}", page.ignored);
        assert_eq!(page.total, total, "{query}");
    }
}

#[test]
fn what_people_say_is_ranked_before_output() {
    let output = "parser ".repeat(3) + &"lines of a log ".repeat(200);
    let (_dir, db) = indexed(&[
        ("alpha", &[("user", "why does the date parser fail?")]),
        ("beta", &[("user", "other things"), ("toolResult", &output)]),
    ]);
    assert_eq!(hits(&db, "parser"), ["beta e2", "alpha e1"]);
    let page = search(&db, None, "parser", HitSort::Relevance, 0, 1).unwrap();
    assert_eq!((page.hits[0].project.as_str(), page.more), ("alpha", true));
    let page = search(&db, None, "parser", HitSort::Relevance, 1, 5).unwrap();
    assert_eq!((page.hits[0].project.as_str(), page.more), ("beta", false));
    let options = ListOptions {
        sort: ListSort::Relevance,
        ..by(SessionSort::Updated)
    };
    let page = sessions(&db, None, "parser", options).unwrap();
    let projects: Vec<&str> = page.sessions.iter().map(|row| &*row.project).collect();
    assert_eq!(projects, ["alpha", "beta"], "a title goes before a text");
}

#[test]
fn hits_are_ordered_by_their_age() {
    let of = |name| {
        (
            name,
            &[("user", "a log"), ("assistant", "the log of a")][..],
        )
    };
    let (_dir, db) = indexed(&[of("alpha"), of("beta")]);
    let ids = |query: &str, offset| {
        let page = search(&db, None, query, HitSort::Oldest, offset, 3).unwrap();
        let named = |hit: &EntryHit| format!("{} {}", hit.project, hit.entry_id);
        page.hits.iter().map(named).collect::<Vec<_>>()
    };
    assert_eq!(ids("log", 0), ["alpha e1", "alpha e2", "beta e1"]);
    assert_eq!(ids("log", 3), ["beta e2"]);
    assert_eq!(ids("\"of a\"", 0), ["alpha e2", "beta e2"]);
}

#[test]
fn hits_are_ordered_by_their_size() {
    let output = "lines of a log ".repeat(40);
    let (_dir, db) = indexed(&[
        ("alpha", &[("user", "a log?"), ("toolResult", &output)]),
        ("beta", &[("toolResult", "a short log of dates")]),
    ]);
    let page = |query: &str, offset, limit| {
        let page = search(&db, None, query, HitSort::Size, offset, limit).unwrap();
        let named = page.hits.iter();
        let named = named.map(|hit| format!("{} {}", hit.project, hit.entry_id));
        (named.collect::<Vec<_>>(), page.more)
    };
    assert_eq!(
        page("log", 0, 2),
        (vec!["alpha e2".into(), "beta e1".into()], true)
    );
    assert_eq!(page("log", 2, 2), (vec!["alpha e1".into()], false));
    assert_eq!(page("\"of a log\"", 0, 5).0, ["alpha e2"]);
    let page = search(&db, None, "kind:result", HitSort::Size, 0, 9).unwrap();
    let sizes: Vec<Option<u64>> = page.hits.iter().map(|hit| hit.tokens).collect();
    assert_eq!(sizes, [Some(150), Some(5)]);
}

#[test]
fn titles_of_the_user_are_shown_found_and_sorted() {
    let (_dir, db) = indexed(&[
        ("alpha", &[("user", "please fix the date parser")]),
        ("beta", &[("user", "Parser of mails")]),
    ]);
    let user = UserDb::init_in_memory().unwrap();
    let all = |query: &str, sort| sessions(&db, Some(&user), query, by(sort)).unwrap();
    let alpha = all("alpha", SessionSort::Updated).sessions[0].id.clone();
    user.set_title(&alpha, Some("A dates story"), 1).unwrap();
    let titles = |query: &str| -> Vec<String> {
        let rows = all(query, SessionSort::Title).sessions.into_iter();
        rows.filter_map(|row| row.title).collect()
    };
    assert_eq!(titles(""), ["A dates story", "Parser of mails"]);
    assert_eq!(titles("story"), ["A dates story"]);
    assert_eq!(titles("title:story"), ["A dates story"]);
    let page = search(&db, Some(&user), "please", HitSort::Newest, 0, 5).unwrap();
    assert_eq!(page.hits[0].title, "A dates story");
    user.set_title(&alpha, None, 2).unwrap();
    assert_eq!(titles("story"), Vec::<String>::new());
}

#[test]
fn a_filter_with_a_wrong_value_finds_nothing_and_says_so() {
    let (_dir, db) = indexed(&[("alpha", &[("user", "words here")])]);
    let page = search(&db, None, "words kind:nonsense", HitSort::Newest, 0, 10).unwrap();
    assert_eq!((page.hits.len(), page.not_understood.len()), (0, 1));
    let page = listed(&db, "kind:nonsense", SessionSort::Updated);
    assert_eq!((page.total, page.not_understood.len()), (0, 1));
    // What is no filter is text, which no session has in its title.
    let page = listed(&db, "colour:red", SessionSort::Updated);
    assert_eq!((page.total, page.ignored.len()), (0, 1));
}

/// A session of pi whose entries are written as given: role, time and text.
fn written(
    dir: &std::path::Path,
    name: &str,
    entries: &[(&str, &str, &str)],
) -> std::path::PathBuf {
    let mut all = format!(
        "{{\"type\":\"session\",\"version\":3,\"id\":\"{name}\",\
         \"timestamp\":\"{}\",\"cwd\":\"/home/dev/tides\"}}\n",
        entries[0].1
    );
    for (ix, (role, at, text)) in entries.iter().enumerate() {
        let parent = ix.checked_sub(1).map(|parent| format!("e{parent}"));
        let entry = serde_json::json!({
            "type": "message", "id": format!("e{ix}"), "parentId": parent, "timestamp": at,
            "message": {"role": role, "content": [{"type": "text", "text": text}], "timestamp": 1},
        });
        all += &format!("{entry}\n");
    }
    let path = dir.join(format!("{name}.jsonl"));
    fs::write(&path, all).unwrap();
    path
}

#[test]
fn a_time_means_the_entries_written_in_it() {
    let dir = tempfile::tempdir().unwrap();
    let db = IndexDb::init_in_memory().unwrap();
    let path = written(
        dir.path(),
        "tides",
        &[
            ("user", "2026-10-01T10:00:00.000Z", "first words"),
            ("assistant", "2026-10-20T10:00:00.000Z", "last words"),
        ],
    );
    run(&db, &[path], &Control::QUIET).unwrap();
    for (query, entries) in [
        ("before:2026-10-10", 1),
        ("after:2026-10-10", 1),
        ("after:2026-10-01 before:2026-10-21", 2),
        // The session was begun before and went on after, and rested in between.
        ("after:2026-10-05 before:2026-10-10", 0),
        ("before:2026-10-01", 0),
        ("after:2026-10-21", 0),
    ] {
        assert_eq!(
            hits(&db, &format!("words {query}")).len(),
            entries,
            "{query}"
        );
        let listed = listed(&db, query, SessionSort::Updated);
        assert_eq!(listed.total, u64::from(entries > 0), "{query}");
    }
}

#[test]
fn a_copy_of_a_beginning_is_a_fork_and_says_where_it_differs() {
    let dir = tempfile::tempdir().unwrap();
    let first = ("user", "2026-10-01T10:00:00.120Z", "read the tides");
    let reply = ("assistant", "2026-10-01T10:00:05.500Z", "They are read.");
    let source = [
        first,
        reply,
        ("user", "2026-10-01T10:01:00.250Z", "now plot them"),
    ];
    let fork = [
        first,
        reply,
        ("user", "2026-10-01T11:00:00.330Z", "now count them"),
    ];
    let whole = [
        first,
        reply,
        source[2],
        ("user", "2026-10-02T09:00:00.410Z", "and print"),
    ];
    let files = [("b", &source[..]), ("a", &fork[..]), ("c", &whole[..])];
    let paths = files.map(|(name, entries)| written(dir.path(), name, entries));
    // The same whatever is read first.
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        let db = IndexDb::init_in_memory().unwrap();
        for at in order {
            run(&db, &[paths[at].clone()], &Control::QUIET).unwrap();
        }
        let page = listed(&db, "is:fork", SessionSort::Created);
        let mut forks: Vec<(&str, &str)> = page
            .sessions
            .iter()
            .map(|row| (&*row.native_id, &*page.differs[&row.num]))
            .collect();
        forks.sort_unstable();
        assert_eq!(
            forks,
            [("a", "now count them"), ("c", "and print")],
            "{order:?}"
        );
    }
}

#[test]
fn labels_of_the_agent_are_found_with_those_of_the_user() {
    let dir = tempfile::tempdir().unwrap();
    let db = IndexDb::init_in_memory().unwrap();
    let path = written(
        dir.path(),
        "tides",
        &[("user", "2026-10-01T10:00:00.000Z", "words")],
    );
    let label = serde_json::json!({
        "type": "label", "id": "l1", "parentId": "e0", "timestamp": "2026-10-01T10:01:00.000Z",
        "targetId": "e0", "label": "good place",
    });
    let mut text = fs::read_to_string(&path).unwrap();
    text += &format!("{label}\n");
    fs::write(&path, text).unwrap();
    run(&db, &[path], &Control::QUIET).unwrap();
    let user = UserDb::init_in_memory().unwrap();
    let total = |query: &str| {
        let page = sessions(&db, Some(&user), query, by(SessionSort::Updated)).unwrap();
        assert!(page.not_understood.is_empty(), "{query}");
        page.total
    };
    assert_eq!((total("label:good"), total("label:bad")), (1, 0));
    assert_eq!((total("has:label"), total("-has:label")), (1, 0));
    let page = search(&db, Some(&user), "label:place", HitSort::Newest, 0, 5).unwrap();
    let hit = &page.marks.shown[0];
    assert!(hit.by_agent);
    assert_eq!(hit.target.entry_id.as_deref(), Some("e0"));
    assert_eq!(hit.snippet, "good place");
}

#[test]
fn plans_other_models_and_records_by_the_agents_own_name_are_found() {
    let dir = tempfile::tempdir().unwrap();
    let db = IndexDb::init_in_memory().unwrap();
    let reply = |id: u32, model: &str, tool: &str| {
        serde_json::json!({
            "type": "message", "id": format!("reply-{id}"), "timestamp": "2026-10-05T10:00:00.000Z",
            "message": {"role": "assistant", "provider": "anthropic", "model": model, "timestamp": 1,
                "content": [{"type": "toolCall", "id": format!("c{id}"), "name": tool,
                    "arguments": {"plan": "Build it."}}]},
        })
    };
    let custom = serde_json::json!({
        "type": "custom", "id": "own-1", "timestamp": "2026-10-05T10:00:00.000Z",
        "customType": "session.context_cleared", "data": {},
    });
    let records = [
        serde_json::json!({"type": "session", "version": 3, "id": "models", "cwd": "/home/dev/models",
            "timestamp": "2026-10-05T10:00:00.000Z"}),
        reply(1, "claude-opus-4-5", "read"),
        reply(2, "claude-opus-4-5", "ExitPlanMode"),
        serde_json::json!({"type": "model_change", "id": "chosen-1", "provider": "openai",
            "modelId": "gpt-5", "timestamp": "2026-10-05T10:00:00.000Z"}),
        reply(3, "claude-haiku-4-5", "read"),
        reply(4, "claude-haiku-4-5", "read"),
        custom,
    ];
    let path = dir.path().join("models.jsonl");
    // Written and read in two parts: the model before is known from the first.
    for count in [4, records.len()] {
        let lines: Vec<String> = records[..count].iter().map(ToString::to_string).collect();
        fs::write(&path, lines.join("\n") + "\n").unwrap();
        run(&db, std::slice::from_ref(&path), &Control::QUIET).unwrap();
    }
    for (query, expected) in [
        ("kind:plan", &["models reply-2"][..]),
        // The record of a choice, and the reply for which there is none.
        ("kind:model-change", &["models reply-3", "models chosen-1"]),
        ("kind:context_cleared", &["models own-1"]),
        ("kind:session.context-cleared", &["models own-1"]),
        ("kind:no_such_record", &[]),
        // Copied from a list.
        ("reply-4", &["models reply-4"]),
        ("own-1", &["models own-1"]),
    ] {
        assert_eq!(hits(&db, query), expected, "{query}");
    }
    for (query, total) in [
        ("model:haiku", 1),
        ("model:gpt", 0),
        ("kind:model-change", 1),
    ] {
        assert_eq!(
            listed(&db, query, SessionSort::Updated).total,
            total,
            "{query}"
        );
    }
    let page = search(&db, None, "kind:call", HitSort::Newest, 0, 2).unwrap();
    assert_eq!((page.hits.len(), page.more, page.total), (2, true, Some(4)));
    let page = search(&db, None, "kind:call", HitSort::Newest, 2, 2).unwrap();
    assert_eq!(
        (page.hits.len(), page.more, page.total),
        (2, false, Some(4))
    );
}

#[test]
fn a_failed_command_is_found_by_its_result() {
    let dir = tempfile::tempdir().unwrap();
    let db = IndexDb::init_in_memory().unwrap();
    let at = "2026-10-05T10:00:00.000Z";
    let call = |id: &str, command: &str| {
        serde_json::json!({"type": "message", "id": id, "timestamp": at, "message": {
            "role": "assistant", "provider": "anthropic", "model": "claude-opus-4-5", "timestamp": 1,
            "content": [{"type": "toolCall", "id": format!("call-{id}"), "name": "bash",
                "arguments": {"command": command}}]}})
    };
    let result = |id: &str, of: &str, failed: bool| {
        serde_json::json!({"type": "message", "id": id, "timestamp": at, "message": {
            "role": "toolResult", "timestamp": 1, "toolCallId": format!("call-{of}"),
            "toolName": "bash", "isError": failed,
            "content": [{"type": "text", "text": "exit code of it"}]}})
    };
    let records = [
        serde_json::json!({"type": "session", "version": 3, "id": "lints", "cwd": "/home/dev/lints",
            "timestamp": at}),
        call("one", "mise run lint"),
        call("two", "cargo test"),
        result("failed", "one", true),
        result("passed", "two", false),
        serde_json::json!({"type": "compaction", "id": "sum", "timestamp": at, "tokensBefore": 9,
            "summary": "The exit code of lint was fixed.", "firstKeptEntryId": "passed"}),
        serde_json::json!({"type": "message", "id": "asked", "timestamp": at, "message":
            {"role": "user", "timestamp": 1, "content": "which exit code?"}}),
    ];
    let path = dir.path().join("lints.jsonl");
    // In two parts: the results come after what was read of their calls.
    for count in [3, records.len()] {
        let lines: Vec<String> = records[..count].iter().map(ToString::to_string).collect();
        fs::write(&path, lines.join("\n") + "\n").unwrap();
        run(&db, std::slice::from_ref(&path), &Control::QUIET).unwrap();
    }
    for (query, expected) in [
        ("cmd:\"mise run lint\"", &["lints failed", "lints one"][..]),
        ("cmd:\"mise run lint\" kind:error", &["lints failed"]),
        ("cmd:lint kind:result", &["lints failed"]),
        ("cmd:lint kind:call", &["lints one"]),
        ("cmd:cargo kind:error", &[]),
        ("cmd:cargo kind:result code", &["lints passed"]),
        // A summary is no prompt, although agents store it as one.
        ("exit kind:user", &["lints asked"]),
        ("exit kind:summary", &["lints sum"]),
    ] {
        assert_eq!(hits(&db, query), expected, "{query}");
    }
    for (query, total) in [("cmd:lint kind:error", 1), ("cmd:cargo kind:error", 0)] {
        let page = listed(&db, query, SessionSort::Updated);
        assert_eq!(page.total, total, "{query}");
    }
}

#[test]
fn what_the_user_queued_or_stopped_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let db = IndexDb::init_in_memory().unwrap();
    let said = |uuid: &str, parent: Option<&str>, text: &str| {
        serde_json::json!({"type": "user", "uuid": uuid, "parentUuid": parent, "sessionId": "q",
            "cwd": "/home/dev/queue", "version": "2.1.20", "timestamp": "2026-10-05T10:00:00.000Z",
            "message": {"role": "user", "content": text}})
    };
    let records = [
        said("u1", None, "Write the page."),
        serde_json::json!({"type": "queue-operation", "operation": "enqueue", "sessionId": "q",
            "timestamp": "2026-10-05T10:00:01.000Z", "content": "use british spelling"}),
        said("u2", Some("u1"), "[Request interrupted by user]"),
    ];
    let path = dir.path().join("queue.jsonl");
    let lines: Vec<String> = records.iter().map(ToString::to_string).collect();
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    run(&db, &[path], &Control::QUIET).unwrap();
    let queued = hits(&db, "british spelling");
    assert_eq!(queued.len(), 1);
    for query in ["kind:queued", "kind:queue", "kind:queue-operation"] {
        assert_eq!(hits(&db, query), queued, "{query}");
    }
    for query in ["kind:aborted", "kind:interrupted"] {
        assert_eq!(hits(&db, query), ["queue u2"], "{query}");
    }
    let page = listed(&db, "kind:queued kind:aborted", SessionSort::Updated);
    assert_eq!(page.total, 1);
}
