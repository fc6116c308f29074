//! Dropped facts that were needed after the compaction.

use crate::conversation::Conversation;
use palimpsest_core::EntryIx;
use palimpsest_core::ledger::{FactKind, Ledger};
use palimpsest_ledger::{LedgerInput, Span, build, regret};

const LATER: usize = 100;

fn ledger(span: &Conversation, later: &Conversation) -> Ledger {
    let (items, later) = (span.items(), later.items());
    build(&LedgerInput {
        span: Span::new(&items),
        later: Span::new(&later),
        ..LedgerInput::default()
    })
}

fn needed(ledger: &Ledger, kind: FactKind) -> Vec<EntryIx> {
    ledger
        .facts
        .iter()
        .filter(|fact| fact.kind == kind)
        .flat_map(|fact| fact.needed_later.clone())
        .collect()
}

#[test]
fn a_file_read_again_was_needed_unless_it_changed_in_between() {
    let read = || Conversation::default().read("src/a.rs", "x");
    let again = || Conversation::starting_at(LATER).read("/app/src/a.rs", "x");
    assert_eq!(
        needed(&ledger(&read(), &again()), FactKind::Path),
        [EntryIx::new(LATER)]
    );
    let edited = read().edit("src/a.rs", "x", "y");
    assert_eq!(needed(&ledger(&edited, &again()), FactKind::Path), []);
    let other_part = Conversation::starting_at(LATER).tool(
        "read",
        serde_json::json!({ "path": "src/a.rs", "offset": 200 }),
        "z",
        false,
    );
    let first_part = Conversation::default().tool(
        "read",
        serde_json::json!({ "path": "src/a.rs", "offset": 1 }),
        "z",
        false,
    );
    assert_eq!(
        needed(&ledger(&first_part, &other_part), FactKind::Path),
        []
    );
}

#[test]
fn a_file_that_the_summary_names_and_that_is_read_again_is_counted_apart() {
    let cost = |summary: &str| {
        let span = Conversation::default().read("src/a.rs", "x");
        let later = Conversation::starting_at(LATER).read("src/a.rs", "x and more");
        let (items, later) = (span.items(), later.items());
        let ledger = build(&LedgerInput {
            span: Span::new(&items),
            later: Span::new(&later),
            summary,
            ..LedgerInput::default()
        });
        let later = Span::new(&later);
        (
            regret::costs(&ledger, &later).len(),
            regret::named_and_read_again(&ledger, &later),
        )
    };
    let (lost, named) = cost("Read src/a.rs.");
    let named = named.expect("a file read again");
    assert_eq!((lost, named.facts.len(), named.calls), (0, 1, 1));
    assert!(named.tokens > 0);
    assert_eq!(cost("Nothing of it."), (1, None));
}

#[test]
fn a_command_run_again_was_needed_unless_a_file_changed_in_between() {
    let run = || Conversation::default().bash("make check", "ok");
    let again = || Conversation::starting_at(LATER).bash("make  check", "ok");
    assert_eq!(
        needed(&ledger(&run(), &again()), FactKind::Command),
        [EntryIx::new(LATER)]
    );
    let edited = run().edit("a.rs", "x", "y");
    assert_eq!(needed(&ledger(&edited, &again()), FactKind::Command), []);
}

#[test]
fn the_same_error_a_repeated_wish_and_a_used_name_count() {
    let span = Conversation::default()
        .user("Always format the code with two spaces.")
        .assistant("`parse_header` is broken.")
        .bash("make", "error: stack overflow at 0x12ab in line 7");
    let later = Conversation::starting_at(LATER)
        .bash("make -k", "error: stack overflow at 0xff in line 9")
        .user("I said: format the code with two spaces, always!")
        .assistant("Back to parse_header.")
        .bash("grep -rn parse_header src", "src/a.rs:3:fn parse_header");
    let ledger = ledger(&span, &later);
    assert_eq!(needed(&ledger, FactKind::Error), [EntryIx::new(LATER + 1)]);
    assert_eq!(
        needed(&ledger, FactKind::Constraint),
        [EntryIx::new(LATER + 2)]
    );
    // To name it again shows that it was not missed; to look it up does.
    assert_eq!(needed(&ledger, FactKind::Symbol), [EntryIx::new(LATER + 4)]);
    // A symbol of one mention is lighter than the least kind and is in no sum.
    assert_eq!(ledger.totals.needed_later, 2);
    assert!(!ledger.totals.nothing_after);
}

#[test]
fn where_nothing_follows_nothing_was_measured() {
    let span = Conversation::default().bash("make", "error: stack overflow at 0x12ab in line 7");
    let ledger = ledger(&span, &Conversation::starting_at(LATER));
    assert_eq!(ledger.totals.needed_later, 0);
    assert!(ledger.totals.nothing_after);
}

#[test]
fn what_the_kept_tail_shows_was_not_lost() {
    let span = Conversation::default().assistant("`parse_header` is broken.");
    let tail = Conversation::starting_at(50).assistant("Still at parse_header.");
    let later = Conversation::starting_at(LATER).user("Is parse_header fixed?");
    let (items, tail, later) = (span.items(), tail.items(), later.items());
    let ledger = build(&LedgerInput {
        span: Span::new(&items),
        kept_tail: Span::new(&tail),
        later: Span::new(&later),
        ..LedgerInput::default()
    });
    assert!(ledger.facts[0].in_kept_tail);
    assert_eq!(ledger.facts[0].needed_later, [EntryIx::new(LATER)]);
    assert_eq!(ledger.totals.needed_later, 0);
}

#[test]
fn a_reminder_needs_fewer_words_than_a_repetition() {
    let span = Conversation::default().user("Never rename the columns of the old index.");
    let after = |text: &str| {
        let later = Conversation::starting_at(LATER).user(text);
        needed(&ledger(&span, &later), FactKind::Constraint)
    };
    assert_eq!(
        after("I told you to leave the columns of that index"),
        [EntryIx::new(LATER)]
    );
    assert_eq!(after("now print the columns of that index"), []);
}

#[test]
fn a_name_that_was_looked_for_is_needed_when_it_is_looked_for_again() {
    let look = |from: usize| {
        Conversation::starting_at(from).bash("grep -rn load_rows src", "src/a.rs:3:fn load_rows")
    };
    assert_eq!(
        needed(&ledger(&look(0), &look(LATER)), FactKind::Symbol),
        [EntryIx::new(LATER)]
    );
}

#[test]
fn an_answer_is_needed_when_its_question_is_asked_again() {
    let span = Conversation::default()
        .assistant("Which folder should the exported rows go to?")
        .user("build/out");
    let question = "Which folder should the exported rows go to?";
    for later in [
        Conversation::starting_at(LATER).assistant(question),
        Conversation::starting_at(LATER).tool(
            "AskUserQuestion",
            serde_json::json!({ "questions": [{ "question": question, "header": "Folder" }] }),
            "no answer",
            false,
        ),
    ] {
        assert_eq!(
            needed(&ledger(&span, &later), FactKind::UserRequest),
            [EntryIx::new(LATER)]
        );
    }
    let other = Conversation::starting_at(LATER).assistant("Which name should the table have?");
    assert_eq!(needed(&ledger(&span, &other), FactKind::UserRequest), []);
}

#[test]
fn a_name_in_written_code_is_needed_when_it_is_looked_for() {
    let write = |path: &str| {
        Conversation::default().tool(
            "Write",
            serde_json::json!({ "file_path": path, "content": "class A {\n  private readRows() {}\n}\n" }),
            "ok",
            false,
        )
    };
    let look = || {
        Conversation::starting_at(LATER)
            .bash("grep -n \"readRows\\|other\" src/a.ts", "2: readRows")
    };
    let found = |span: &Conversation| needed(&ledger(span, &look()), FactKind::Symbol);
    assert_eq!(found(&write("src/a.ts")), [EntryIx::new(LATER)]);
    assert_eq!(found(&write("src/a.test.ts")), []);
    let shown = Conversation::default().read("src/a.ts", "private readRows() {}");
    assert_eq!(found(&shown), []);
    let used = Conversation::default().edit("src/a.ts", "x", "this.readRows();");
    assert_eq!(found(&used), []);
}

#[test]
fn a_branch_that_git_told_of_is_needed_when_git_is_given_it() {
    let span =
        Conversation::default().bash("git status", "On branch topic/rows\nnothing to commit");
    let later = Conversation::starting_at(LATER).bash("git log origin/topic/rows..HEAD", "");
    assert_eq!(
        needed(&ledger(&span, &later), FactKind::Symbol),
        [EntryIx::new(LATER)]
    );
}

#[test]
fn after_other_versions_of_files_a_command_is_not_run_again() {
    let run = |from: usize| Conversation::starting_at(from).bash("cargo test", "ok");
    for (name, arguments) in [
        (
            "Task",
            serde_json::json!({ "prompt": "Move the rows.", "subagent_type": "dev" }),
        ),
        (
            "Bash",
            serde_json::json!({ "command": "git merge origin/main" }),
        ),
    ] {
        let later = Conversation::starting_at(LATER)
            .tool(name, arguments, "done", false)
            .bash("cargo test", "ok");
        assert_eq!(needed(&ledger(&run(0), &later), FactKind::Command), []);
    }
    let explored = Conversation::starting_at(LATER)
        .tool(
            "Task",
            serde_json::json!({ "prompt": "Look.", "subagent_type": "Explore" }),
            "seen",
            false,
        )
        .bash("cargo test", "ok");
    assert_eq!(
        needed(&ledger(&run(0), &explored), FactKind::Command),
        [EntryIx::new(LATER + 2)]
    );
}

#[test]
fn the_help_of_a_program_is_the_same_after_edits() {
    let span = Conversation::default()
        .bash("rows --help", "--sort")
        .edit("a.rs", "x", "y");
    let later = Conversation::starting_at(LATER).bash("rows --help | grep sort", "--sort");
    assert_eq!(
        needed(&ledger(&span, &later), FactKind::Command),
        [EntryIx::new(LATER)]
    );
}

#[test]
fn a_message_that_names_nothing_comes_again_for_another_reason() {
    let run = |from: usize, message: &str| {
        Conversation::starting_at(from).tool(
            "Bash",
            serde_json::json!({ "command": "rows check" }),
            message,
            true,
        )
    };
    let again = |message: &str| {
        needed(
            &ledger(&run(0, message), &run(LATER, message)),
            FactKind::Error,
        )
    };
    assert_eq!(again("Command aborted"), []);
    assert_eq!(
        again("rows: Not Found (HTTP 404)"),
        [EntryIx::new(LATER + 1)]
    );
}

#[test]
fn a_name_in_a_statement_of_the_user_is_no_question() {
    let span = Conversation::default().assistant("`parse_header` is slow.");
    let after = |text: &str| {
        let later = Conversation::starting_at(LATER).user(text);
        needed(&ledger(&span, &later), FactKind::Symbol)
    };
    assert_eq!(after("When parse_header fails, the row is lost."), []);
    assert_eq!(after("Why does parse_header fail?"), [EntryIx::new(LATER)]);
}
