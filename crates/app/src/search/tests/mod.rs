//! Searching an index over real files.

mod beside;
mod kinds;
mod lists;
mod relations;
mod told;

use super::*;
use crate::index::{Control, run};
use palimpsest_core::{RecordKind, Role};
use palimpsest_store::index::SessionSort;
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
    // A closed list of values is offered.
    for (query, value) in [
        ("flag:", "any"),
        ("-flag:", "incomplete"),
        ("is:", "subagent"),
        ("has:", "error"),
        ("kind:", "failed-test"),
    ] {
        let told = ignored(query);
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].starts_with(query), "{told:?}");
        assert!(told[0].contains(value), "{told:?}");
    }
}

#[test]
fn only_filters_that_are_left_choose_sessions() {
    let (_dir, db) = indexed(&[("alpha", &[("user", "words here")])]);
    let chosen = |query: &str| {
        let page = search(&db, None, query, HitSort::Newest, 0, 10).unwrap();
        (page.nothing_asked, page.only_filters)
    };
    assert_eq!(chosen("flag:"), (true, false));
    assert_eq!(chosen(""), (true, false));
    assert_eq!(chosen("flag: has:error"), (true, true));
    assert_eq!(chosen("words"), (false, false));
}

#[test]
fn a_source_that_is_gone_is_still_listed() {
    let (dir, db) = indexed(&[("alpha", &[("user", "words here")])]);
    fs::remove_file(dir.path().join("alpha.jsonl")).unwrap();
    let page = search(&db, None, "words", HitSort::Newest, 0, 10).unwrap();
    assert_eq!((page.hits.len(), page.hits[0].snippet.as_str()), (1, ""));
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

#[test]
fn several_filters_of_one_kind_say_that_they_mean_either() {
    for (query, told) in [
        ("kind:user kind:error", Some("kind:")),
        ("tool:bash tool:edit", Some("tool:")),
        ("model:opus model:sonnet", Some("model:")),
        ("branch:main branch:fix", Some("branch:")),
        ("agent:pi agent:codex", None),
        ("kind:user tool:bash", None),
        ("cmd:git cmd:push", None),
        ("kind:user -kind:error", None),
    ] {
        let said = query::Query::parse(query).ignored;
        let expected =
            told.map(|name| format!("several {name} filters find what has any of them, not all"));
        assert_eq!(said, Vec::from_iter(expected), "{query}");
    }
}

#[test]
fn a_search_that_finds_nothing_says_what_to_change() {
    let (_dir, db) = indexed(&[
        (
            "alpha",
            &[("user", "fix the date parser"), ("assistant", "done")],
        ),
        ("beta", &[("user", "fix the mail reader")]),
    ]);
    let changes = |query: &str| changes_of(&db, query);
    assert_eq!(changes("date parser project:beta"), ["date parser Some(1)"]);
    assert_eq!(changes("parsing"), ["pars* Some(1)"]);
    assert_eq!(changes("\"parser date\""), ["parser date Some(1)"]);
    assert_eq!(changes("zebra"), Vec::<String>::new());
    let page = search(&db, None, "zebra date gnu", HitSort::Newest, 0, 10).unwrap();
    assert_eq!(page.wider.absent, ["zebra", "gnu"]);
    let page = search(&db, None, "date", HitSort::Newest, 0, 10).unwrap();
    assert_eq!(page.wider, Wider::default());
    let page = listed(&db, "alpha has:compaction", SessionSort::Updated);
    assert_eq!((page.total, page.wider.changes.len()), (0, 1));
    assert_eq!(page.wider.changes[0].query, "alpha");
}

/// The changes of a search that finds nothing, each with what it finds.
fn changes_of(db: &IndexDb, query: &str) -> Vec<String> {
    let page = search(db, None, query, HitSort::Newest, 0, 10).unwrap();
    assert!(page.hits.is_empty(), "{query}");
    let changes = page.wider.changes.iter();
    changes
        .map(|own| format!("{} {:?}", own.query, own.total))
        .collect()
}

#[test]
fn misspelled_words_and_parts_of_names_lead_to_words_of_the_index() {
    let (_dir, db) = indexed(&[
        (
            "alpha",
            &[
                ("user", "I lobotimized the agent with /compact"),
                ("user", "the migration script"),
                ("toolResult", "--- FAIL: TestSearchAll_FindsMergedBranches"),
            ],
        ),
        ("beta", &[("user", "receive the mail")]),
    ]);
    let changes = |query: &str| changes_of(&db, query);
    assert_eq!(changes("lobotomized"), ["lobotimized Some(1)"]);
    assert_eq!(changes("Recieve kind:user")[0], "receive kind:user Some(1)");
    assert_eq!(
        changes("kind:user migrate script")[0],
        "kind:user migrat* script Some(1)"
    );
    assert_eq!(
        changes("FindsMerged kind:error")[0],
        "FindsMerged* kind:error Some(1)"
    );
    assert_eq!(
        changes("MergedBranches kind:error")[0],
        "findsmergedbranches kind:error Some(1)"
    );
    assert_eq!(changes("TestSearchAll_FindsMrgedBranches").len(), 1);
    let page = inside(&db, "lobotomized");
    assert_eq!(page, Wider::default(), "short answers of lists stay short");
}

/// What is said of a list of sessions that has nothing.
fn inside(db: &IndexDb, query: &str) -> Wider {
    listed(db, query, SessionSort::Updated).wider
}

#[test]
fn words_next_to_each_other_come_first() {
    let (_dir, db) = indexed(&[
        (
            "alpha",
            &[
                ("user", "another thing"),
                ("assistant", "Another git process seems to be running"),
            ],
        ),
        (
            "beta",
            &[
                ("user", "a process of git, and another"),
                ("assistant", "process: git. And another one"),
            ],
        ),
    ]);
    let page = |offset, limit| {
        let page = search(
            &db,
            None,
            "another git process",
            HitSort::Newest,
            offset,
            limit,
        )
        .unwrap();
        let named = page.hits.iter();
        let named = named.map(|hit| format!("{} {}", hit.project, hit.entry_id));
        (
            named.collect::<Vec<_>>(),
            page.together,
            page.more,
            page.total,
        )
    };
    let all = ["alpha e2", "beta e2", "beta e1"].map(str::to_owned);
    assert_eq!(page(0, 9), (all.to_vec(), 1, false, Some(3)));
    assert_eq!(page(0, 2), (all[..2].to_vec(), 1, true, Some(3)));
    assert_eq!(page(2, 2), (all[2..].to_vec(), 0, false, Some(3)));
    let best = search(&db, None, "another git process", HitSort::Relevance, 0, 9).unwrap();
    assert_eq!(best.hits[0].project, "alpha");
}

#[test]
fn a_search_that_finds_little_says_which_word_to_leave_out() {
    let (_dir, db) = indexed(&[(
        "alpha",
        &[
            ("user", "rename to steps, not checkpoing"),
            ("assistant", "steps and checkpoints: rename"),
            ("assistant", "rename more"),
        ],
    )]);
    let page = search(
        &db,
        None,
        "steps checkpoints rename",
        HitSort::Newest,
        0,
        10,
    )
    .unwrap();
    assert_eq!((page.hits.len(), page.wider.changes.len()), (1, 1));
    let change = &page.wider.changes[0];
    assert_eq!((&*change.query, change.total), ("steps rename", Some(2)));
}
