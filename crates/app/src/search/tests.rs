//! Searching an index over real files.

use super::*;
use crate::index::{Control, run};
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
    let page = search(db, None, query, 0, 50).unwrap();
    page.hits
        .iter()
        .map(|hit| format!("{} {}", hit.project, hit.entry_id))
        .collect()
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
    let page = search(&db, None, "parse_date.rs", 0, 10).unwrap();
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
            let page = search(&db, None, query, offset, 4).unwrap();
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
        search(&db, None, query, 0, 10).unwrap();
        sessions(&db, None, query, SessionSort::Updated, 0, None).unwrap();
    }
    assert_eq!(
        search(&db, None, "has:error", 0, 10).unwrap().ignored.len(),
        1
    );
    assert!(search(&db, None, "", 0, 10).unwrap().ignored.is_empty());
}

#[test]
fn a_source_that_is_gone_is_still_listed() {
    let (dir, db) = indexed(&[("alpha", &[("user", "words here")])]);
    fs::remove_file(dir.path().join("alpha.jsonl")).unwrap();
    let page = search(&db, None, "words", 0, 10).unwrap();
    assert_eq!((page.hits.len(), page.hits[0].snippet.as_str()), (1, ""));
}

#[test]
fn sessions_are_listed_by_words_of_their_row() {
    let (_dir, db) = indexed(&[
        ("alpha", &[("user", "please fix the date parser")]),
        ("beta", &[("user", "Parser of mails")]),
    ]);
    let titles = |query: &str| -> Vec<String> {
        let page = sessions(&db, None, query, SessionSort::Title, 0, None).unwrap();
        page.sessions.into_iter().map(|row| row.project).collect()
    };
    assert_eq!(titles(""), ["beta", "alpha"]);
    assert_eq!(titles("parser"), ["beta", "alpha"]);
    assert_eq!(titles("ALPHA"), ["alpha"]);
    assert_eq!(titles("title:mails"), ["beta"]);
    let page = sessions(&db, None, "parser -x", SessionSort::Updated, 1, Some(1)).unwrap();
    assert_eq!(
        (
            page.total,
            page.sessions.len(),
            page.groups.len(),
            page.ignored.len()
        ),
        (2, 1, 2, 1)
    );
}
