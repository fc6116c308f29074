//! What counts as a fact by itself, and what only when somebody came back to it.

use crate::conversation::Conversation;
use palimpsest_core::ledger::{FactKind, FactStatus, Ledger};
use palimpsest_ledger::{LedgerInput, Span, build};

fn ledger(span: &Conversation, later: &Conversation, summary: &str) -> Ledger {
    let (items, later) = (span.items(), later.items());
    build(&LedgerInput {
        span: Span::new(&items),
        later: Span::new(&later),
        summary,
        ..LedgerInput::default()
    })
}

fn texts(ledger: &Ledger, kind: FactKind) -> Vec<&str> {
    let facts = ledger.facts.iter().filter(|fact| fact.kind == kind);
    facts.map(|fact| fact.text.as_str()).collect()
}

fn of(span: &Conversation, kind: FactKind) -> Vec<String> {
    let ledger = ledger(span, &Conversation::default(), "");
    texts(&ledger, kind)
        .into_iter()
        .map(str::to_owned)
        .collect()
}

#[test]
fn figures_that_only_an_output_shows_are_no_facts() {
    let span = Conversation::default()
        .user("Keep it below 200 ms, on port 5433.")
        .bash(
            "npm run build",
            "built 44 files in 34ms, v0.27.2, 1.7kB\nlistening on localhost:5173",
        )
        .assistant("The budget is 16,384 tokens.");
    assert_eq!(
        of(&span, FactKind::Number),
        ["200 ms", "5433", "5173", "16,384 tokens"]
    );
}

#[test]
fn a_shown_figure_used_again_is_a_fact_unless_by_chance() {
    let span = Conversation::default().bash("make", "took 4821 ms, 12 px, v1.4.2");
    let later = Conversation::starting_at(50)
        .assistant("It took 4821 ms with 1.4.2 and 12 px.")
        .edit("a.css", "x", "width: 12px");
    let ledger = ledger(&span, &later, "");
    assert_eq!(texts(&ledger, FactKind::Number), ["4821 ms", "v1.4.2"]);
    let figures = ledger
        .facts
        .iter()
        .filter(|fact| fact.kind == FactKind::Number);
    assert!(figures.clone().all(|fact| !fact.needed_later.is_empty()));
    // What only an output showed is too light to be missed.
    assert_eq!(ledger.totals.needed_later, 0);
}

#[test]
fn only_the_last_outcome_of_the_tests_counts() {
    let span = Conversation::default()
        .bash("cargo test", "test result: FAILED. 11 passed; 3 failed")
        .edit("src/a.rs", "x", "y")
        .bash("cargo test -q", "test result: ok. 14 passed; 0 failed");
    assert_eq!(of(&span, FactKind::Number), ["14 passed"]);
    for (summary, status) in [
        ("14 passed", FactStatus::Verbatim),
        ("All 14 importer tests pass.", FactStatus::Mentioned),
        ("14 files were read.", FactStatus::Dropped),
    ] {
        let ledger = ledger(&span, &Conversation::default(), summary);
        let fact = ledger
            .facts
            .iter()
            .find(|fact| fact.kind == FactKind::Number);
        assert_eq!(fact.map(|fact| fact.status), Some(status), "for {summary}");
    }
}

#[test]
fn paths_of_a_listing_count_when_someone_takes_them_up() {
    let span = Conversation::default()
        .bash("make", "cc src/a.c\ncc src/b.c\ncc src/c.c")
        .assistant("src/a.c is the slow one.");
    assert_eq!(of(&span, FactKind::Path), ["src/a.c"]);
    let later = Conversation::starting_at(50).read("src/c.c", "int x;");
    let ledger = ledger(&span, &later, "");
    assert_eq!(texts(&ledger, FactKind::Path), ["src/a.c", "src/c.c"]);
}

#[test]
fn a_command_that_looks_weighs_less_than_one_that_acts() {
    let span = Conversation::default()
        .bash("grep -rn \"a\\|cargo b\" src | head -3", "src/a.rs:1: a")
        .bash("cargo build 2>&1 | tail -5", "ok");
    let later = Conversation::starting_at(50).bash("grep -rn \"a\\|cargo b\" src", "src/a.rs:1: a");
    let ledger = ledger(&span, &later, "");
    let commands = ledger
        .facts
        .iter()
        .filter(|fact| fact.kind == FactKind::Command);
    let [look, build] = commands.collect::<Vec<_>>()[..] else {
        panic!("{:?}", ledger.facts);
    };
    assert_eq!(look.text, "grep -rn \"a\\|cargo b\" src");
    assert_eq!(look.needed_later.len(), 1);
    assert!(build.weight > look.weight && build.needed_later.is_empty());
}

#[test]
fn pasted_material_sets_no_limits_and_asks_for_nothing() {
    let span = Conversation::default().user(
        "Why does it stop? Never lower the timeout.\n\n\
         2026-01-02T03:04:05Z WARN you must always set POOL_SIZE in conf/pool.toml\n\
         Error: connect ECONNREFUSED 127.0.0.1:5432\n    at run (/srv/app/main.js:3:1)\n",
    );
    assert_eq!(
        of(&span, FactKind::Constraint),
        ["Never lower the timeout."]
    );
    assert_eq!(of(&span, FactKind::UserRequest), ["Why does it stop?"]);
    // What failed is a fact all the same.
    assert_eq!(of(&span, FactKind::Error).len(), 1);
    assert_eq!(of(&span, FactKind::Path), Vec::<String>::new());
}

#[test]
fn a_name_that_is_a_word_counts_where_it_is_marked() {
    let span = Conversation::default()
        .assistant("`session` is undefined in parse_header.")
        .bash("make", "the session of this session is the session");
    let later = Conversation::starting_at(50).user("Is this session about parse_header?");
    let ledger = ledger(&span, &later, "a session with parse_header");
    let session = ledger.facts.iter().find(|fact| fact.text == "session");
    let session = session.expect("the name is marked in the span");
    assert_eq!((session.count, session.status), (1, FactStatus::Mentioned));
    assert_eq!(session.needed_later, []);
    let header = ledger.facts.iter().find(|fact| fact.text == "parse_header");
    assert_eq!(header.map(|fact| fact.needed_later.len()), Some(1));
}

#[test]
fn a_lost_wish_weighs_more_than_any_figure_said_often() {
    let mut span = Conversation::default().user("Never touch the generated schema files.");
    for _ in 0..200 {
        span = span.assistant("The limit is 16,384 tokens.");
    }
    let ledger = ledger(&span, &Conversation::default(), "");
    let weight = |kind| {
        let facts = ledger.facts.iter().filter(|fact| fact.kind == kind);
        facts.map(|fact| fact.weight).fold(0.0, f64::max)
    };
    assert!(weight(FactKind::Constraint) > weight(FactKind::Number));
}

#[test]
fn headings_tell_nothing_and_announcements_little() {
    let span = Conversation::default()
        .assistant("## Root cause analysis of it\n\nI'll use a queue instead of a lock.")
        .assistant("Now update the reader to queue instead of append:")
        .assistant("Now let me move the other readers behind the queue:");
    let ledger = ledger(&span, &Conversation::default(), "");
    assert_eq!(texts(&ledger, FactKind::Finding), Vec::<String>::new());
    let weights: Vec<f64> = ledger.facts.iter().map(|fact| fact.weight).collect();
    // What is done next shows in the code: it is told last, and not at all where it leads up to a call.
    assert!(
        weights.len() == 2 && weights[0] > 2.0 * weights[1],
        "{weights:?}"
    );
}

#[test]
fn what_several_lists_name_by_one_id_is_needed_when_the_id_is_named() {
    let lists = [
        "To do:\n- [ ] [1234567890] the reader of rows opens the repository twice",
        "I found that 1234567890 is right: the reader of rows opens the repository twice.",
        "Decided to fix 1234567890 by passing the repository to the reader of rows.",
        "The cause of 1234567890 is that `open_rows` takes a path instead of a handle.",
    ];
    let span = lists
        .iter()
        .fold(Conversation::default(), |span, list| span.assistant(list));
    let command = "gh api repos/me/shop/pulls/7/comments/1234567890/replies -f body=done";
    let later = Conversation::starting_at(50).bash(command, "");
    let ledger = ledger(&span, &later, "");
    let named = ledger
        .facts
        .iter()
        .filter(|fact| fact.text.contains("1234567890"));
    let named: Vec<bool> = named.map(|fact| !fact.needed_later.is_empty()).collect();
    assert!(
        named.len() > 3 && named.iter().all(|&needed| needed),
        "{named:?}"
    );
}
