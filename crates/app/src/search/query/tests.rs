use super::*;
use palimpsest_core::Agent;
use proptest::prelude::*;

fn words(list: &[Word]) -> Vec<&str> {
    list.iter().map(|word| word.text.as_str()).collect()
}

#[test]
fn words_phrases_and_exclusions() {
    let query = Query::parse(r#"  parse "of dates" -slow -"too slow" read_file pre* x"y" "#);
    assert_eq!(
        words(&query.words),
        ["parse", "of dates", "read_file", "pre*", "x", "y"]
    );
    assert_eq!(words(&query.without), ["slow", "too slow"]);
    assert!(query.ignored.is_empty(), "{:?}", query.ignored);
    let phrases: Vec<bool> = query.words.iter().map(Word::is_phrase).collect();
    assert_eq!(phrases, [false, true, true, false, false, false]);
}

#[test]
fn filters() {
    let query = Query::parse(
        r#"agent:pi agent:PI project:"my app" title:fix path:src/ has:compaction
           -has:errors after:2026-10 before:2026-10-05 word"#,
    );
    assert!(query.ignored.is_empty(), "{:?}", query.ignored);
    assert_eq!(words(&query.words), ["word"]);
    let expected = SessionFilter {
        agents: vec![Agent::PI, Agent::PI],
        projects: vec!["my app".to_owned()],
        title: vec![SessionWord {
            text: "fix".to_owned(),
            also: Vec::new(),
        }],
        touched: vec!["src/".to_owned()],
        has_compaction: Some(true),
        has_error: Some(false),
        after_ms: Some(1_790_812_800_000),
        before_ms: Some(1_791_158_400_000),
        ..SessionFilter::default()
    };
    assert_eq!(query.filter, expected);
}

#[test]
fn filters_by_marks() {
    let query =
        Query::parse(r#"is:starred -has:notes has:label note:flaky note:"two words" label:todo"#);
    assert!(query.ignored.is_empty(), "{:?}", query.ignored);
    assert!(query.filter.is_empty(), "{:?}", query.filter);
    let marks = &query.marks;
    assert_eq!(
        (marks.starred, marks.has_note, marks.has_label),
        (Some(true), Some(false), Some(true))
    );
    assert_eq!(words(&marks.notes), ["flaky", "two words"]);
    assert_eq!(words(&marks.labels), ["todo"]);
    assert_eq!(Query::parse("-has:star").marks.starred, Some(false));
}

#[test]
fn what_makes_no_sense_is_named_and_the_rest_holds() {
    for (text, named) in [
        ("word agent:nobody", "agent:nobody"),
        ("word has:fun", "has:fun"),
        ("word after:someday", "after:someday"),
        ("word after:2026-13", "after:2026-13"),
        ("word before:2026-02-30", "before:2026-02-30"),
        ("word kind:nonsense", "kind:nonsense"),
        ("word tool:...", "tool:..."),
        ("word cost:much", "cost:much"),
        ("word since:soon", "since:soon"),
        ("word -agent:nobody", "-agent:nobody"),
        ("word note:...", "note:..."),
        ("word -label:x", "-label:x"),
        ("word is:old", "is:old"),
    ] {
        let query = Query::parse(text);
        assert_eq!(words(&query.words), ["word"], "{text}");
        assert_eq!(query.not_understood.len(), 1, "{text}");
        let told = &query.not_understood[0];
        let said = format!("'{named}' is not understood: ");
        assert!(told.starts_with(&said), "{told}");
        assert!(query.ignored.is_empty(), "{text}");
    }
    for (text, named) in [
        ("word title:", "title:"),
        ("word note:", "note:"),
        ("word ...", "..."),
        ("word -", "-"),
        ("word \"\"", "\"\""),
    ] {
        let query = Query::parse(text);
        assert_eq!(words(&query.words), ["word"], "{text}");
        assert_eq!(query.filter, SessionFilter::default(), "{text}");
        assert!(query.marks.is_empty(), "{text}");
        assert!(query.not_understood.is_empty(), "{text}");
        assert_eq!(query.ignored.len(), 1, "{text}");
        assert!(query.ignored[0].starts_with(named), "{:?}", query.ignored);
    }
    let open = Query::parse("word \"two words");
    assert_eq!(words(&open.words), ["word", "two words"]);
    assert_eq!(open.ignored.len(), 1);
}

#[test]
fn a_word_with_a_colon_that_is_no_filter_is_text() {
    let query = Query::parse(r#"agnet:pi -fn:main key:"two words""#);
    assert_eq!(words(&query.words), ["agnet:pi", "key:two words"]);
    assert_eq!(words(&query.without), ["fn:main"]);
    assert!(query.not_understood.is_empty());
    assert_eq!(query.ignored.len(), 3);
    assert!(query.ignored[0].ends_with("a similar one is agent:"));
    assert_eq!(Query::parse("Agent:pi").filter.agents, [Agent::PI]);
}

#[test]
fn times_are_written_alike_behind_every_filter() {
    let now = 1_791_201_600_000;
    let of = |text: &str| Query::parse_at(text, now).filter;
    let day = of("after:2026-10-05").after_ms;
    assert!(day.is_some());
    assert_eq!(of("since:today").after_ms, day);
    assert_eq!(of("after:today").after_ms, day);
    assert_eq!(of("before:today").before_ms, day);
    assert_eq!(of("before:7d").before_ms, of("since:7d").after_ms);
}

#[test]
fn every_example_of_the_menu_is_understood() {
    for filter in super::super::filters::FILTERS {
        let query = Query::parse(filter.example);
        assert!(query.ignored.is_empty(), "{:?}", query.ignored);
        assert!(
            query.not_understood.is_empty(),
            "{:?}",
            query.not_understood
        );
        assert_ne!(query, Query::default(), "{}", filter.example);
        assert!(filter.example.contains(filter.write), "{}", filter.example);
    }
    for name in NAMES {
        let text = format!("{name}:");
        assert_eq!(Query::parse(&text).ignored.len(), 1, "{text}");
    }
}

#[test]
fn filters_of_entries() {
    let query = Query::parse(
        r#"tool:bash tool:edit kind:results cmd:"git push" cmd:main file:/src/a.rs -tool:read"#,
    );
    assert_eq!(
        query.ignored,
        ["several tool: filters find what has any of them, not all"]
    );
    let told = |list: &[Sought]| -> Vec<String> {
        let one = |own: &Sought| format!("{:?} {}", own.field, own.text);
        list.iter().map(one).collect()
    };
    let lists: Vec<String> = query
        .fields
        .iter()
        .map(|list| told(list).join(", "))
        .collect();
    assert_eq!(
        lists,
        [
            "Tool bash, Tool edit",
            "Kind result",
            "Command git push",
            "Command main",
            "File /src/a.rs"
        ]
    );
    assert_eq!(told(&query.no_fields), ["Tool read"]);
    assert!(query.filter.is_empty() && query.asks_for_entries());
}

#[test]
fn filters_of_sessions_can_be_excluded() {
    let query = Query::parse("-agent:pi -project:courier -title:dates -compactions:>1");
    assert!(query.ignored.is_empty(), "{:?}", query.ignored);
    assert_eq!(query.filter.without.len(), 4);
    assert_eq!(query.filter.without[0].agents, [Agent::PI]);
    assert!(!query.asks_for_entries());
}

#[test]
fn colons_in_code_and_addresses_are_words() {
    let query = Query::parse(r"std::fs https://example.org/a C:\dev error: fails");
    assert!(query.ignored.is_empty(), "{:?}", query.ignored);
    assert_eq!(
        words(&query.words),
        [
            "std::fs",
            "https://example.org/a",
            r"C:\dev",
            "error:",
            "fails"
        ]
    );
}

proptest! {
    #[test]
    fn any_text_is_a_query(text in "[a-c:\"* é本-]{0,24}") {
        let query = Query::parse(&text);
        for word in query.words.iter().chain(&query.without) {
            prop_assert!(!terms(&word.text).is_empty());
        }
    }
}
