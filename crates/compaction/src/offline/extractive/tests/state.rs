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
        text.contains("Worked on, not reported: Rename the exporter to writer."),
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

#[test]
fn a_request_that_was_worked_on_tells_how_far_it_came() {
    let talk = Talk::default()
        .user("Sort the rows.")
        .says("Sorted.")
        .user("Skip the second one and do the rest.")
        .edit("src/rows.rs", "fn a", "fn rest()")
        .bash(
            "git commit -am 'Do the rest'",
            "[main 9f8e7d6] Do the rest\n 1 file changed",
            false,
        );
    let text = plain(&talk);
    let next = under(&text, "## Next Steps").join("\n");
    assert!(
        next.contains(
            "See what is left of: Skip the second one and do the rest. (so far: committed `9f8e7d6`)"
        ),
        "{text}"
    );
    assert!(!next.contains("Go on with"), "{text}");
}

#[test]
fn what_a_tool_made_elsewhere_is_done() {
    let issue = serde_json::json!({ "title": "Sort by date", "team": "Rows" });
    let talk = Talk::default()
        .user("Why are the rows unsorted?")
        .says("The key is missing.")
        .user("Log an issue and let us move on.")
        .tool("mcp__tracker__create_issue", issue, "ROW-12", false)
        .user("It belongs to the milestone R1 as well.");
    let text = plain(&talk);
    assert!(
        text.contains("Called `create_issue` \"Sort by date\""),
        "{text}"
    );
    assert!(
        text.contains("Worked on, not reported: Log an issue and let us move on."),
        "{text}"
    );
    assert!(!text.contains("Not answered yet: Log an issue"), "{text}");
}

#[test]
fn a_check_that_was_stopped_or_whose_changes_were_thrown_away_fails_nothing() {
    let stopped = Talk::default()
        .user("Move the parts.")
        .bash("npm run check", "checking\nCommand aborted", true)
        .says("Stopped.");
    let text = plain(&stopped);
    assert_eq!(under(&text, "### Blocked"), ["(none)"], "{text}");
    assert!(!text.contains("Make `npm run check` pass"), "{text}");
    let thrown = Talk::default()
        .user("Move the parts.")
        .bash(
            "npm run check",
            "src/a.ts(1,2): error TS2304: no name",
            true,
        )
        .user("Take that back.")
        .bash("git checkout -- . && rm -rf parts", "", false)
        .says("It is as before.");
    let text = plain(&thrown);
    assert_eq!(under(&text, "### Blocked"), ["(none)"], "{text}");
    assert!(!text.contains("`npm run check` fails"), "{text}");
}

#[test]
fn next_steps_of_an_earlier_summary_that_were_worked_on_are_left_to_the_reports() {
    let previous = "## Goal\nSplit the modes\n\n## Next Steps\n1. Create `src/new-main.ts` from the old one\n\
                    2. Rename class `Renderer` to `Mode`\n3. Measure the start time on Windows";
    let ask = Ask {
        previous: Some(previous),
        ..Ask::default()
    };
    let talk = Talk::default()
        .user("go on")
        .edit("src/new-main.ts", "a", "const mode = new Mode();")
        .says("`src/new-main.ts` starts the mode.")
        .user("and the class")
        .edit("src/mode.ts", "class Renderer", "class Mode")
        .says("`Renderer` is called `Mode` now.")
        .user("Where do the themes go?")
        .says("Below the folder of the mode.");
    let text = summary(&talk, &ask);
    let next = under(&text, "## Next Steps").join("\n");
    assert!(next.contains("Measure the start time on Windows"), "{text}");
    assert!(!next.contains("new-main.ts"), "{text}");
    assert!(!next.contains("Rename class"), "{text}");
}

#[test]
fn a_next_step_that_was_committed_is_done() {
    let previous = "## Next Steps\n1. WP3: Draw the rows with the new painter (NEXT)\n2. WP4: Measure the start";
    let ask = Ask {
        previous: Some(previous),
        ..Ask::default()
    };
    let talk = Talk::default().user("go on").bash(
        "git commit -am 'WP3: New painter'",
        "[main 1a2b3c4] WP3: New painter\n 1 file changed",
        false,
    );
    let text = summary(&talk, &ask);
    let next = under(&text, "## Next Steps").join("\n");
    assert!(next.contains("WP4: Measure the start"), "{text}");
    assert!(!next.contains("WP3"), "{text}");
    assert!(!text.contains("(NEXT)"), "{text}");
}

#[test]
fn of_a_failure_that_was_pasted_the_errors_are_told() {
    let log = "--- FAIL: TestRows (3.40s)\n    rows_test.go:41: starting\n    rows_test.go:57: error: expected 3 rows, got 2\nFAIL";
    let text = plain(
        &Talk::default()
            .user("Run the tests.")
            .says("They pass.")
            .user(log),
    );
    let goal = under(&text, "## Goal").join("\n");
    assert!(goal.contains("TestRows"), "{text}");
    assert!(goal.contains("expected 3 rows, got 2"), "{text}");
}
