use crate::sample::{add, entry, index, session};
use palimpsest_core::Agent;
use palimpsest_store::IndexDb;
use palimpsest_store::index::{
    CountedCalls, FailedCall, HitQuery, NewEntry, RankBy, SessionFilter, SessionSort, SessionWord,
    id_beginning,
};

pub fn words(all: &[&str], none: &[&str]) -> HitQuery {
    let list = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
    HitQuery {
        all: list(all),
        none: list(none),
        limit: 10,
        ..HitQuery::default()
    }
}

/// Positions of the hits, as `session number:position`.
pub fn found(db: &IndexDb, query: &HitQuery) -> Vec<String> {
    let hits = db.reader().unwrap().hits(query).unwrap().hits;
    hits.iter()
        .map(|hit| format!("{}:{}", hit.entry.session.0, hit.entry.ix))
        .collect()
}

#[test]
fn words_are_found_last_read_first() {
    let db = index(&[
        ("a", &["Parser fails", "fix the parser"]),
        ("b", &["a parser of dates"]),
    ]);
    assert_eq!(found(&db, &words(&["parser"], &[])), ["2:0", "1:1", "1:0"]);
    assert_eq!(found(&db, &words(&["PARSER", "fix"], &[])), ["1:1"]);
    assert_eq!(found(&db, &words(&["parser"], &["dates"])), ["1:1", "1:0"]);
    assert_eq!(found(&db, &words(&["pars*"], &["fix", "dates"])), ["1:0"]);
    assert!(found(&db, &words(&[], &["dates"])).is_empty());
    assert_eq!(
        found(&db, &words(&["of-dates"], &[])),
        ["2:0"],
        "several words in one"
    );
}

#[test]
fn nothing_in_a_word_is_taken_for_syntax() {
    let db = index(&[("a", &["plain text"])]);
    for (word, is_found) in [
        ("\"", true),
        ("text\" OR \"", false),
        ("AND", false),
        ("NEAR(a b)", false),
        ("(", true),
        ("*", true),
        ("text:plain", true),
        ("-", true),
        ("", true),
    ] {
        let hits = found(&db, &words(&[word, "plain"], &[]));
        assert_eq!(!hits.is_empty(), is_found, "{word}: {hits:?}");
    }
}

#[test]
fn words_of_all_scripts_are_found() {
    let db = index(&[("a", &["Die GRÖSSE ändern", "日本語のテスト"])]);
    assert_eq!(found(&db, &words(&["grösse", "Ändern"], &[])), ["1:0"]);
    assert_eq!(found(&db, &words(&["本語"], &[])), ["1:1"]);
}

#[test]
fn pages_of_hits_follow_each_other() {
    let texts = vec!["same word"; 25];
    let db = index(&[("a", &texts)]);
    let mut query = words(&["same"], &[]);
    let mut seen = Vec::new();
    loop {
        let hits = db.reader().unwrap().hits(&query).unwrap().hits;
        let Some(last) = hits.last() else { break };
        query.before = Some(last.place());
        seen.extend(hits.iter().map(|hit| hit.entry.ix));
    }
    assert_eq!(seen, (0..25).rev().collect::<Vec<u32>>());
}

#[test]
fn hits_come_in_the_order_of_their_times() {
    let db = IndexDb::init_in_memory().unwrap();
    let writer = db.writer().unwrap();
    for (name, times) in [("a", [5, 30]), ("b", [20, 10])] {
        add(&writer, &session(name), &[]);
        let num = writer.session_by_id(name).unwrap().unwrap().num;
        for (ix, at_ms) in (0..).zip(times) {
            let written = NewEntry {
                at_ms: Some(at_ms),
                ..entry(ix, "a needle")
            };
            writer.add_entry(num, &written).unwrap();
        }
    }
    let undated = NewEntry {
        at_ms: None,
        ..entry(2, "a needle")
    };
    let num = writer.session_by_id("b").unwrap().unwrap().num;
    writer.add_entry(num, &undated).unwrap();
    writer.commit().unwrap();
    let mut query = words(&["needle"], &[]);
    assert_eq!(found(&db, &query), ["1:1", "2:0", "2:1", "1:0", "2:2"]);
    // Page by page.
    query.limit = 2;
    let mut seen = Vec::new();
    loop {
        let hits = db.reader().unwrap().hits(&query).unwrap().hits;
        let Some(last) = hits.last() else { break };
        query.before = Some(last.place());
        seen.extend(hits.iter().map(|hit| (hit.entry.session.0, hit.entry.ix)));
    }
    assert_eq!(seen, [(1, 1), (2, 0), (2, 1), (1, 0), (2, 2)]);
}

#[test]
fn hits_are_the_same_whether_few_or_many_sessions_pass() {
    same_hits(0);
}

#[test]
fn hits_are_the_same_where_the_words_are_in_too_many_entries_to_sort() {
    same_hits(20_001);
}

/// `others`: entries with the word in a session that no filter lets pass.
fn same_hits(others: u32) {
    let db = IndexDb::init_in_memory().unwrap();
    let writer = db.writer().unwrap();
    for n in 0..200 {
        let mut row = session(&format!("s{n:03}"));
        row.agent = if n % 10 == 0 {
            Agent::named("codex")
        } else {
            Agent::PI
        };
        add(&writer, &row, &["Needle in a haystack"]);
    }
    // An older session goes on after newer ones were read.
    let old = writer.session_by_id("s000").unwrap().unwrap();
    writer
        .add_entry(old.num, &entry(1, "another needle"))
        .unwrap();
    let mut aside = session("aside");
    aside.agent = Agent::named("opencode");
    add(&writer, &aside, &[]);
    let aside = writer.session_by_id("aside").unwrap().unwrap().num;
    for ix in 0..others {
        writer
            .add_entry(aside, &entry(ix, "one needle more"))
            .unwrap();
    }
    writer.commit().unwrap();
    let agent = |agent| HitQuery {
        filter: SessionFilter {
            agents: vec![agent],
            ..SessionFilter::default()
        },
        limit: 500,
        ..words(&["needle"], &[])
    };
    let mut everything = found(
        &db,
        &HitQuery {
            limit: 50_000,
            ..words(&["needle"], &[])
        },
    );
    everything.retain(|hit| !hit.starts_with(&format!("{}:", aside.0)));
    let few = found(&db, &agent(Agent::named("codex")));
    let many = found(&db, &agent(Agent::PI));
    assert_eq!((few.len(), many.len(), everything.len()), (21, 180, 201));
    assert_eq!(few[0], format!("{}:1", old.num.0), "read last");
    let in_order = |part: &[String]| {
        let mut all = everything.iter();
        part.iter().all(|hit| all.any(|other| other == hit))
    };
    assert!(
        in_order(&few) && in_order(&many),
        "both ways keep the order of all hits"
    );
    let page = found(
        &db,
        &HitQuery {
            limit: 5,
            ..agent(Agent::named("codex"))
        },
    );
    assert_eq!(page, few[..5], "a page is the beginning of the whole");
}

#[test]
fn what_was_cleared_is_not_found() {
    let db = index(&[("a", &["needle"]), ("b", &["needle"])]);
    let writer = db.writer().unwrap();
    let a = writer.session_by_id("a").unwrap().unwrap();
    writer.remove_session(a.num).unwrap();
    writer.commit().unwrap();
    assert_eq!(found(&db, &words(&["needle"], &[])), ["2:0"]);
    assert_eq!(db.reader().unwrap().entry_count().unwrap(), 1);
}

#[test]
fn a_dropped_writer_leaves_nothing() {
    let db = index(&[("a", &["one"])]);
    let writer = db.writer().unwrap();
    add(&writer, &session("b"), &["two"]);
    drop(writer);
    assert!(db.reader().unwrap().session_by_id("b").unwrap().is_none());
    assert!(found(&db, &words(&["two"], &[])).is_empty());
}

/// Sessions whose entries all hold one word, newer ones indexed before older ones.
fn frequent(sessions: i64, entries: u32) -> IndexDb {
    // 7 and the number of sessions have no common factor, so every rank occurs once.
    frequent_in_steps(sessions, entries, 7)
}

/// The same, where a session is so many ranks newer than the one indexed before it.
fn frequent_in_steps(sessions: i64, entries: u32, step: i64) -> IndexDb {
    let db = IndexDb::init_in_memory().unwrap();
    let writer = db.writer().unwrap();
    for at in 0..sessions {
        let rank = (at * step) % sessions;
        let begun = rank * 1_000;
        let mut row = session(&format!("s{at}"));
        row.created_at_ms = Some(begun);
        row.updated_at_ms = Some(begun + i64::from(entries));
        let num = writer.put_session(&row).unwrap();
        for ix in 0..entries {
            let said = NewEntry {
                at_ms: Some(begun + i64::from(ix)),
                ..entry(ix, "frequent word")
            };
            writer.add_entry(num, &said).unwrap();
        }
    }
    writer.commit().unwrap();
    db
}

#[test]
fn hits_of_a_frequent_word_come_by_time_page_after_page() {
    // The second is spread over more sessions than are looked into. Of the last ones the entries of
    // sessions that follow each other in time lie side by side.
    for (sessions, entries, step) in [
        (25, 100, 7),
        (1_250, 2, 7),
        (25, 100, 1),
        (25, 100, 24),
        (260, 9, 1),
        (1_250, 2, 1),
    ] {
        let db = frequent_in_steps(sessions, entries, step);
        let reader = db.reader().unwrap();
        let mut query = words(&["frequent"], &[]);
        query.limit = 60;
        let mut times = Vec::new();
        loop {
            let page = reader.hits(&query).unwrap().hits;
            times.extend(page.iter().map(|hit| hit.entry.at_ms.unwrap()));
            query.before = page.last().map(|hit| hit.place());
            if (page.len() as u64) < query.limit {
                break;
            }
        }
        let mut expected: Vec<i64> = (0..sessions)
            .flat_map(|rank| (0..i64::from(entries)).map(move |ix| rank * 1_000 + ix))
            .collect();
        expected.reverse();
        assert_eq!(times, expected, "{sessions} sessions, steps of {step}");
    }
}

#[test]
fn places_of_the_first_hits_are_in_order_and_some_stand_behind_them() {
    // Of words in few entries all are known; of many sessions no more are looked into than hold the first ones.
    for (sessions, entries, behind) in [(25, 100, 92), (1_250, 2, 12), (3, 10, 30)] {
        let db = frequent(sessions, entries);
        let reader = db.reader().unwrap();
        let mut query = words(&["frequent"], &[]);
        query.limit = 12;
        let hits = reader.hits(&query).unwrap().hits;
        let found = reader.hit_places(&query, 80).unwrap();
        let places: Vec<_> = hits.iter().map(|hit| hit.place()).collect();
        assert_eq!(found.places[..12], places, "{sessions} sessions");
        assert_eq!(found.places.len(), behind, "{sessions} sessions");
        let stored = reader.stored_at(&found.places).unwrap();
        assert_eq!(stored.len(), behind);
        for (stored, hit) in stored.iter().zip(&hits) {
            let entry = &hit.entry;
            assert_eq!(
                (stored.session, stored.offset, stored.len),
                (entry.session, entry.offset, entry.len)
            );
            assert_eq!(stored.place, hit.place());
        }
    }
}

#[test]
fn hits_of_a_frequent_word_keep_to_the_sessions_asked_for() {
    let db = frequent(25, 100);
    let mut query = words(&["frequent"], &[]);
    query.limit = 150;
    query.filter.sets = vec![palimpsest_store::index::SessionSet {
        ids: vec!["s3".into(), "s4".into()],
        inside: true,
    }];
    let hits = db.reader().unwrap().hits(&query).unwrap().hits;
    let times: Vec<i64> = hits.iter().map(|hit| hit.entry.at_ms.unwrap()).collect();
    // Ranks 21 and 3.
    let expected: Vec<i64> = (21_000..21_100).rev().chain((3_050..3_100).rev()).collect();
    assert_eq!(times, expected);
    // One that is not asked for lies between them.
    let db = frequent_in_steps(25, 100, 1);
    query.filter.sets[0].ids = vec!["s3".into(), "s5".into()];
    let hits = db.reader().unwrap().hits(&query).unwrap().hits;
    let times: Vec<i64> = hits.iter().map(|hit| hit.entry.at_ms.unwrap()).collect();
    let expected: Vec<i64> = (5_000..5_100).rev().chain((3_050..3_100).rev()).collect();
    assert_eq!(times, expected);
}

#[test]
fn a_page_says_how_many_hits_there_are_in_all() {
    let db = index(&[("a", &["same word"; 25]), ("b", &["same other"; 5])]);
    let reader = db.reader().unwrap();
    let mut query = words(&["same"], &[]);
    query.offset = 20;
    let page = reader.hits(&query).unwrap();
    assert_eq!(page.total, Some(30));
    let places: Vec<u32> = page.hits.iter().map(|hit| hit.entry.ix).collect();
    // The newest 20 are left out: five of `b` and fifteen of `a`.
    assert_eq!(places, (0..10).rev().collect::<Vec<u32>>());
    query.all.push("other".to_owned());
    query.offset = 0;
    assert_eq!(reader.hits(&query).unwrap().total, Some(5));
    let many = frequent(25, 100);
    let page = many.reader().unwrap().hits(&words(&["frequent"], &[]));
    assert_eq!(page.unwrap().total, None, "too many to be counted");
}

#[test]
fn entries_and_sessions_are_found_by_the_beginning_of_their_id() {
    let db = IndexDb::init_in_memory().unwrap();
    let writer = db.writer().unwrap();
    let num = add(&writer, &session("4a9f2f94"), &[]);
    for (ix, entry_id) in (0..).zip(["cdc7a3b1-1", "cdc7a3b1-2", "else"]) {
        let written = NewEntry {
            entry_id,
            ..entry(ix, "")
        };
        writer.add_entry(num, &written).unwrap();
    }
    writer.commit().unwrap();
    let reader = db.reader().unwrap();
    let found = |id: &str| -> Vec<u32> {
        let rows = reader.entries_by_prefix(id, 10).unwrap();
        rows.iter().map(|row| row.ix).collect()
    };
    assert_eq!(found("cdc7"), [1, 0]);
    assert_eq!(found("cdc7a3b1-2"), [1]);
    assert_eq!(found("CDC7"), [0_u32; 0]);
    for (word, total) in [("4a9f", 1), ("4a9f2f9…", 1), ("a9f2", 0), ("4b9f", 0)] {
        let filter = SessionFilter {
            text: vec![SessionWord {
                text: word.to_owned(),
                also: Vec::new(),
            }],
            ..SessionFilter::default()
        };
        // Its path holds the id as well.
        let list = reader
            .sessions(&filter, SessionSort::Updated, 0, 10)
            .unwrap();
        let by_path = u64::from("/sessions/4a9f2f94.jsonl".contains(word));
        assert_eq!(list.total, total.max(by_path), "{word}");
    }
    assert_eq!(
        id_beginning("parser"),
        None,
        "a word without a digit is no id"
    );
    assert_eq!(id_beginning("a1"), None, "too short");
}

#[test]
fn failed_calls_are_counted_by_tool_and_by_command() {
    let db = IndexDb::init_in_memory().unwrap();
    let writer = db.writer().unwrap();
    let call = |tool: &str, command: Option<&str>, rejected: bool| FailedCall {
        tool: tool.to_owned(),
        command: command.map(str::to_owned),
        rejected,
    };
    for (name, calls) in [
        (
            "a",
            vec![
                vec![call("bash", Some("make"), false), call("edit", None, false)],
                vec![call("bash", Some("make"), false)],
                Vec::new(),
            ],
        ),
        (
            "b",
            vec![
                vec![call("Bash", Some("cargo test"), false)],
                vec![call("bash", Some("make"), true)],
            ],
        ),
    ] {
        let num = writer.put_session(&session(name)).unwrap();
        for (ix, calls) in (0..).zip(&calls) {
            let num = writer.add_entry(num, &entry(ix, "broken")).unwrap();
            writer.add_failed_calls(num, calls).unwrap();
        }
    }
    writer.commit().unwrap();
    let reader = db.reader().unwrap();
    let counted = |by: RankBy, failed: bool, rejected: bool| {
        let calls = CountedCalls { failed, rejected };
        let query = words(&["broken"], &[]);
        let ranking = reader.ranking(&query, by, calls, 10).unwrap();
        let rows = ranking.rows.iter();
        let rows: Vec<String> = rows
            .map(|row| format!("{} {} in {}", row.count, row.name, row.sessions))
            .collect();
        (rows, ranking.entries, ranking.without)
    };
    let told = |rows: &[&str]| rows.iter().map(|&row| row.to_owned()).collect::<Vec<_>>();
    assert_eq!(
        counted(RankBy::FailedTool, true, false),
        (told(&["3 bash in 2", "1 edit in 1"]), 5, 2)
    );
    assert_eq!(
        counted(RankBy::FailedCommand, true, false),
        (told(&["2 make in 1", "1 cargo test in 1"]), 5, 2)
    );
    assert_eq!(
        counted(RankBy::FailedCommand, false, true),
        (told(&["1 make in 1"]), 5, 4)
    );
    assert_eq!(
        counted(RankBy::FailedCommand, true, true),
        (told(&["3 make in 2", "1 cargo test in 1"]), 5, 1)
    );
    let all = counted(RankBy::Agent, false, false);
    assert_eq!((all.1, all.2), (5, 0), "{all:?}");
    // The newest is named, and what goes with its session is counted no longer.
    let query = words(&["broken"], &[]);
    let calls = CountedCalls {
        failed: true,
        rejected: false,
    };
    let ranking = reader
        .ranking(&query, RankBy::FailedCommand, calls, 1)
        .unwrap();
    assert_eq!((ranking.names, ranking.rows.len()), (2, 1));
    let newest = ranking.rows[0].newest.as_ref().unwrap();
    assert_eq!(newest.entry.ix, 1);
    drop(reader);
    let writer = db.writer().unwrap();
    let first = writer.session_by_id("a").unwrap().unwrap().num;
    writer.remove_session(first).unwrap();
    writer.commit().unwrap();
    let reader = db.reader().unwrap();
    let ranking = reader
        .ranking(&query, RankBy::FailedCommand, calls, 9)
        .unwrap();
    assert_eq!((ranking.names, ranking.entries), (1, 2));
}
