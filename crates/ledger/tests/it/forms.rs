//! The forms in which agents, tools and people tell a fact: each class with a conversation of its own.

use crate::conversation::Conversation;
use palimpsest_core::ledger::{FactKind, TaskState};
use palimpsest_ledger::Span;
use palimpsest_ledger::extract::{Candidate, Standing, extract};
use serde_json::json;

fn facts(talk: &Conversation, kind: FactKind) -> Vec<Candidate> {
    let items = talk.items();
    let all = extract(&Span::new(&items)).into_iter();
    all.filter(|fact| fact.kind == kind && fact.standing >= Standing::Noticed)
        .collect()
}

fn texts(talk: &Conversation, kind: FactKind) -> Vec<String> {
    facts(talk, kind)
        .into_iter()
        .map(|fact| fact.text)
        .collect()
}

fn open_tasks(talk: &Conversation) -> Vec<String> {
    let tasks = facts(talk, FactKind::Todo).into_iter();
    tasks
        .filter(|task| task.details.task != Some(TaskState::Closed))
        .map(|task| task.text)
        .collect()
}

#[test]
fn tasks_that_were_made_before_the_span_are_found_in_a_printed_list() {
    let talk = Conversation::default()
        .tool(
            "TaskUpdate",
            json!({"taskId": "2", "status": "completed"}),
            "Updated task #2 status",
            false,
        )
        .tool(
            "TaskList",
            json!({}),
            "#2 [completed] Sort the rows\n#3 [pending] Drop the old table [blocked by #2]",
            false,
        );
    let all = facts(&talk, FactKind::Todo);
    let told: Vec<_> = all
        .iter()
        .map(|task| (task.text.as_str(), task.details.task))
        .collect();
    assert_eq!(
        told,
        [
            ("Sort the rows", Some(TaskState::Closed)),
            ("Drop the old table", Some(TaskState::Open)),
        ]
    );
    let unnamed = Conversation::default().tool(
        "TaskUpdate",
        json!({"taskId": "8", "status": "in_progress"}),
        "Updated task #8 status",
        false,
    );
    assert_eq!(open_tasks(&unnamed), ["Task #8"]);
}

#[test]
fn lists_that_a_tool_only_reads_are_tasks() {
    for (tool, output) in [
        (
            "todoread",
            r#"[{"content": "Drop the old table", "status": "pending"}]"#,
        ),
        (
            "manage_todo_list",
            "- [x] Sort the rows\n- [ ] Drop the old table",
        ),
        (
            "task_tracker",
            "1. ✅ Sort the rows\n2. ⏳ Drop the old table",
        ),
        ("todo__read", "- [ ] Drop the old table"),
    ] {
        let talk = Conversation::default().tool(tool, json!({}), output, false);
        assert_eq!(open_tasks(&talk), ["Drop the old table"], "{tool}");
    }
}

#[test]
fn plans_say_what_is_to_do() {
    let plan = "# Rows\n\n## Design\n- One table for all rows\n\n## Steps\n1. Build the index of rows\n2. Drop the old table\n";
    let talk =
        Conversation::default().tool("ExitPlanMode", json!({"plan": plan}), "approved", false);
    assert_eq!(
        open_tasks(&talk),
        ["Build the index of rows", "Drop the old table"]
    );
    assert_eq!(texts(&talk, FactKind::Decision), ["One table for all rows"]);

    let page =
        "# Handoff\n\n## Done\n- Reader of both forms\n\n## Remaining\n- Writer of the old form\n";
    let written = Conversation::default().tool(
        "write",
        json!({"path": "HANDOFF.md", "content": page}),
        "ok",
        false,
    );
    assert_eq!(open_tasks(&written), ["Writer of the old form"]);
    let shown = Conversation::default().bash(
        "cat PLAN.md",
        "- [x] Sort the rows\n- [ ] Drop the old table",
    );
    assert_eq!(open_tasks(&shown), ["Drop the old table"]);
}

#[test]
fn signs_and_cells_say_how_far_a_task_is() {
    let signs = "Status:\n✅ Rows are sorted now\n⏳ Index of the dates\n❌ Reader of unions";
    assert_eq!(
        open_tasks(&Conversation::default().assistant(signs)),
        ["Index of the dates", "Reader of unions"]
    );
    let table =
        "| Part | Status |\n|---|---|\n| Reader of rows | ✅ Done |\n| Writer of rows | Pending |";
    assert_eq!(
        open_tasks(&Conversation::default().assistant(table)),
        ["Writer of rows"]
    );
    let done = "✅ Rows are sorted now\n✅ Index of the dates";
    assert!(open_tasks(&Conversation::default().assistant(done)).is_empty());
}

#[test]
fn failures_are_found_in_the_forms_of_many_tools() {
    for (command, output, message) in [
        (
            "python run.py",
            "Traceback (most recent call last):\n  File \"run.py\", line 9\n    go()\nlib.GaveUp: five attempts at the feed",
            "lib.GaveUp: five attempts at the feed",
        ),
        (
            "npx jest",
            " FAIL  src/a.test.ts\n  ● rows › sorts the newest first\n\n    Expected: 3",
            "● rows › sorts the newest first",
        ),
        (
            "terraform plan",
            "╷\n│ Error: Reference to an undeclared row\n│ \n│   on main.tf line 3",
            "Error: Reference to an undeclared row",
        ),
        (
            "npm run build",
            "error during build:\nsrc/a.ts (3:9): \"b\" is no export of \"src/b.ts\"",
            "src/a.ts (3:9): \"b\" is no export of \"src/b.ts\"",
        ),
        (
            "ruff check",
            "F841 Local variable `n` is never used\n  --> a.py:3:5\n",
            "F841 Local variable `n` is never used",
        ),
        (
            "curl -s localhost:3000/rows",
            r#"{"statusCode":400,"message":"no name was given"}"#,
            r#"{"statusCode":400,"message":"no name was given"}"#,
        ),
        (
            "docker logs app",
            "2026-01-02 10:11:12 ERROR jobs: row 14 was lost\nINFO error reporter is on",
            "2026-01-02 10:11:12 ERROR jobs: row 14 was lost",
        ),
        (
            "tail -5 /tmp/build.log",
            "error: linker not found",
            "error: linker not found",
        ),
    ] {
        let talk = Conversation::default().bash(command, output);
        assert_eq!(texts(&talk, FactKind::Error), [message], "for {command}");
    }
    for output in [
        "3 examples, 1 failure",
        "compiled with 1 error in 90 ms",
        "BUILD FAILED in 4s",
    ] {
        let talk = Conversation::default().bash("make check", output);
        assert!(texts(&talk, FactKind::Error).is_empty(), "for {output}");
    }
}

#[test]
fn failures_that_no_command_printed_are_found() {
    let page = Conversation::default().tool(
        "mcp__browser__open",
        json!({"url": "http://a"}),
        "Error: net::ERR_CONNECTION_REFUSED at http://a\nCall log:",
        false,
    );
    assert_eq!(texts(&page, FactKind::Error).len(), 1);
    let background = Conversation::default().tool(
        "BashOutput",
        json!({"id": "1"}),
        "error: no such row",
        false,
    );
    assert_eq!(texts(&background, FactKind::Error), ["error: no such row"]);
    let user = Conversation::default()
        .user("it dies with \"db: duplicate key violates the index\" each night");
    assert_eq!(
        texts(&user, FactKind::Error),
        ["db: duplicate key violates the index"]
    );
}

#[test]
fn limits_are_found_in_the_words_of_many() {
    for text in [
        "leave the old table as is",
        "stop adding rows to the index",
        "You can't use threads here, the host has one.",
        "Write the reader by hand, no helpers.",
        "from now on sort the rows first",
        "ask me before you drop a table",
        "Rows stay under 300 bytes.",
        "it has to work without a network",
    ] {
        let talk = Conversation::default().user(text);
        assert_eq!(facts(&talk, FactKind::Constraint).len(), 1, "for {text}");
    }
    for text in [
        "it must be the cache, look there",
        "no problem, go on",
        "there must be a bug in the index",
        "the page says \"you must sign in\" although I did",
        "never mind",
    ] {
        let talk = Conversation::default().user(text);
        assert!(facts(&talk, FactKind::Constraint).is_empty(), "for {text}");
    }
}

#[test]
fn comments_items_and_rows_tell_what_was_chosen() {
    let edit = json!({"path": "a.rs", "oldText": "x()", "newText": "// Rows are read once, the index holds the rest.\nx()"});
    let talk = Conversation::default()
        .tool("edit", edit, "ok", false)
        .assistant("What changed:\n\n- Readers hold one buffer each\n\n| File | Change |\n|---|---|\n| `a.rs` | Bounded to a thousand rows |");
    let all: Vec<String> = [FactKind::Decision, FactKind::Finding]
        .into_iter()
        .flat_map(|kind| texts(&talk, kind))
        .collect();
    for told in [
        "Rows are read once, the index holds the rest.",
        "Readers hold one buffer each",
        "Bounded to a thousand rows",
    ] {
        assert!(all.iter().any(|text| text == told), "{told}: {all:?}");
    }
}
