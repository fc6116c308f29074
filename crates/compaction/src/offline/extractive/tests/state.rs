//! What somebody who goes on needs to read: what failed, what is open, who waits for whom.

use super::{Ask, Talk, summary};

fn plain(talk: &Talk) -> String {
    summary(talk, &Ask::default())
}

/// The lines under a heading.
fn under<'a>(text: &'a str, heading: &str) -> Vec<&'a str> {
    let lines = text.lines().skip_while(|line| *line != heading).skip(1);
    lines
        .take_while(|line| !line.starts_with('#'))
        .filter(|line| !line.is_empty())
        .collect()
}

#[test]
fn the_exit_status_decides_what_failed() {
    let talk = Talk::default()
        .user("Commit the reader and show me the newest log.")
        .bash(
            "git commit -m 'Report a fatal error'",
            "[main 1a2b3c4] Report a fatal error\n error: lines of a hook\n 1 file changed",
            false,
        )
        .bash(
            "./show-log.sh",
            "12:00 ERROR connection failed\n12:01 INFO up",
            false,
        )
        .bash("sed -n 1,9p src/a.rs", "     1\tpanic!(\"failed\");", false);
    let text = plain(&talk);
    assert_eq!(under(&text, "### Blocked"), ["(none)"], "{text}");
    assert!(!text.contains("Error seen"), "{text}");
    assert!(
        text.contains("Committed `1a2b3c4` Report a fatal error"),
        "{text}"
    );
}

#[test]
fn a_verdict_behind_a_pipe_is_read() {
    let talk = Talk::default()
        .user("Write the tests of the reader.")
        .says("Now let's run the tests:")
        .bash(
            "go test ./reader/... -v 2>&1 | tail -50",
            "--- FAIL: TestEmpty (0.0s)\n--- FAIL: TestQuoted (0.0s)\nFAIL",
            false,
        );
    let text = plain(&talk);
    let blocked = under(&text, "### Blocked").join("\n");
    assert!(
        blocked.contains("TestEmpty") && blocked.contains("TestQuoted"),
        "{text}"
    );
    let next = under(&text, "## Next Steps").join("\n");
    assert!(next.contains("Make `go test ./reader/..."), "{text}");
    assert!(
        text.contains("Last checks: `go test ./reader/... -v` fails"),
        "{text}"
    );
}

#[test]
fn what_was_given_up_blocks_nothing() {
    let talk = Talk::default()
        .user("Push the branch.")
        .bash(
            "git -C sub push",
            "fatal: no upstream\nCommand exited with code 128",
            true,
        )
        .says("I set the upstream in the other folder, it is pushed.")
        .user("Now sort the rows.")
        .edit("src/rows.rs", "fn a", "fn sort_rows()")
        .says("The rows are sorted.");
    let text = plain(&talk);
    assert_eq!(under(&text, "### Blocked"), ["(none)"], "{text}");
    assert!(!text.contains("Make `git -C` pass"), "{text}");
}

#[test]
fn another_run_of_the_program_that_passed_makes_up_for_one_that_was_no_check() {
    let talk = Talk::default()
        .user("Reply to the comment.")
        .bash(
            "gh api repos/a/b/comments/1/replies -f body=x",
            "Not Found\nCommand exited with code 1",
            true,
        )
        .bash(
            "gh api repos/a/b/comments/2/replies -f body=x",
            "{\"url\": \"x\"}",
            false,
        );
    let text = plain(&talk);
    assert_eq!(under(&text, "### Blocked"), ["(none)"], "{text}");
    assert!(!text.contains("{\"url\""), "{text}");
}

#[test]
fn finished_tasks_are_done_and_open_ones_come_next() {
    let todos = serde_json::json!({ "todos": [
        { "content": "Write the reader tests", "status": "completed", "activeForm": "x" },
        { "content": "Document the new flags", "status": "pending", "activeForm": "x" },
    ]});
    let talk = Talk::default()
        .user("Do these two things.")
        .tool("TodoWrite", todos, "ok", false);
    let text = plain(&talk);
    let next = under(&text, "## Next Steps").join("\n");
    assert!(next.contains("Document the new flags"), "{text}");
    assert!(!next.contains("Write the reader tests"), "{text}");
    assert!(
        under(&text, "### Done")
            .join("\n")
            .contains("Write the reader tests"),
        "{text}"
    );
}

#[test]
fn what_the_person_says_with_a_refusal_is_a_request() {
    let refused = "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell \
                   you how to proceed, the user said:\nreply in the thread of the review instead";
    let talk = Talk::default().user("Tell the reviewer.").bash(
        "gh pr comment 12 --body done",
        refused,
        true,
    );
    let text = plain(&talk);
    assert!(
        text.contains("Latest request: reply in the thread of the review instead"),
        "{text}"
    );
    assert!(!text.contains("gh pr comment"), "{text}");
    assert!(!text.contains("doesn't want to proceed"), "{text}");
}

#[test]
fn what_a_subagent_reports_is_no_error() {
    let task = serde_json::json!({ "description": "Look at errors", "prompt": "Find how errors are shown" });
    let talk = Talk::default()
        .user("How are errors shown?")
        .tool(
            "Task",
            task,
            "error: shown by `print_error`\nFAILED tests are listed by name",
            false,
        )
        .says("They are printed by `print_error`.");
    let text = plain(&talk);
    assert!(!text.contains("Error seen"), "{text}");
    assert_eq!(under(&text, "### Blocked"), ["(none)"], "{text}");
}

#[test]
fn files_are_told_once_below_their_common_folder() {
    let talk = Talk::default()
        .user("Sort the rows.")
        .edit("/home/ada/code/rows/src/rows.rs", "fn a", "fn sort_rows()")
        .edit("/home/ada/code/rows/src/main.rs", "fn b", "fn main_loop()");
    let text = plain(&talk);
    assert!(
        text.contains("Paths are below `/home/ada/code/rows/src/`"),
        "{text}"
    );
    assert_eq!(text.matches("Edited `rows.rs`").count(), 1, "{text}");
    assert_eq!(text.matches("/home/ada").count(), 1, "{text}");
    assert!(text.contains("Edited `main.rs` once"), "{text}");
}

#[test]
fn a_question_at_the_end_waits_and_an_answer_is_told_with_its_question() {
    let talk = Talk::default()
        .user("Plan the store.")
        .says("Two stores fit. Shall I take the one with a single file?")
        .user("yes")
        .says("Done, the store is one file. Should I write the migration now?");
    let text = plain(&talk);
    assert!(
        text.contains(
            "Latest request: yes (the answer to: Shall I take the one with a single file?)"
        ),
        "{text}"
    );
    let next = under(&text, "## Next Steps").join("\n");
    assert!(
        next.contains("Waiting for an answer to: Should I write the migration now?"),
        "{text}"
    );
}

#[test]
fn messages_nobody_answered_are_open() {
    let talk = Talk::default()
        .user("Sort the rows.")
        .says("Sorted.")
        .user("Rename the exporter to writer.")
        .edit("src/a.rs", "fn a", "fn writer()")
        .user("Also keep the old name as an alias.");
    let text = plain(&talk);
    assert!(
        text.contains("Not answered yet: Rename the exporter to writer."),
        "{text}"
    );
    let next = under(&text, "## Next Steps").join("\n");
    assert!(
        next.contains("Go on with: Also keep the old name as an alias."),
        "{text}"
    );
}

#[test]
fn no_line_stands_under_two_headings() {
    let talk = Talk::default()
        .user("Never rename the id column of the orders table.")
        .says("TODO: write the test of the id column.")
        .user("Never rename the id column of the orders table.");
    let text = plain(&talk);
    let mut lines: Vec<&str> = text
        .lines()
        .map(|line| line.trim_start_matches(['-', ' ', '1', '.', '[', ']']))
        .filter(|line| line.len() > 10 && !line.starts_with('#'))
        .collect();
    let all = lines.len();
    lines.sort_unstable();
    lines.dedup();
    assert_eq!(lines.len(), all, "{text}");
}
