//! What the user says counts wherever an agent stores it.

use crate::conversation::{Conversation, ledger};
use palimpsest_core::Block;
use palimpsest_core::ledger::{Concern, Fact, FactKind, FactStatus, FileRole, Ledger, TaskState};
use serde_json::json;

/// The tasks with their states.
fn states(ledger: &Ledger) -> Vec<(&str, Option<TaskState>)> {
    let tasks = of(ledger, FactKind::Todo).into_iter();
    tasks
        .map(|fact| (fact.text.as_str(), fact.details.task))
        .collect()
}

fn of(ledger: &Ledger, kind: FactKind) -> Vec<&Fact> {
    ledger
        .facts
        .iter()
        .filter(|fact| fact.kind == kind)
        .collect()
}

fn texts(ledger: &Ledger, kind: FactKind) -> Vec<&str> {
    of(ledger, kind)
        .into_iter()
        .map(|fact| fact.text.as_str())
        .collect()
}

#[test]
fn a_short_prompt_has_the_question_it_answers() {
    let span = Conversation::default()
        .assistant("The importer is done. Shall I push the branch now?")
        .user("yes")
        .assistant("Pushed. Shall I delete the old table?")
        .user("yes");
    let found = ledger(&span, "- \"yes\"");
    let answers: Vec<_> = of(&found, FactKind::UserRequest)
        .iter()
        .map(|fact| fact.details.answers.as_deref().unwrap_or_default())
        .collect();
    assert_eq!(
        answers,
        [
            "Shall I push the branch now?",
            "Shall I delete the old table?"
        ]
    );
}

#[test]
fn a_pasted_document_asks_for_what_stands_before_it() {
    let plan = "# Plan\n\nYou must always write tests.\n\n## Steps\n\nAdd a parser.\n".repeat(30);
    let span = Conversation::default().user(&format!("Implement the following plan:\n\n{plan}"));
    let found = ledger(&span, "");
    assert_eq!(
        texts(&found, FactKind::UserRequest),
        ["Implement the following plan: Plan"]
    );
    // The limits of a plan to be carried out are the user's, and weigh less than what the user says.
    assert_eq!(
        texts(&found, FactKind::Constraint),
        ["You must always write tests."]
    );
    assert!(
        of(&found, FactKind::UserRequest)[0].weight > of(&found, FactKind::Constraint)[0].weight
    );
    let span = Conversation::default().user(&format!("What is wrong with this text?\n\n{plan}"));
    assert_eq!(
        texts(&ledger(&span, ""), FactKind::Constraint),
        Vec::<&str>::new()
    );
}

#[test]
fn agents_own_texts_ask_for_nothing() {
    let mut span = Conversation::default()
        .user("You must always ask before you write. Run the linter first.")
        .user("<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>only the parser</command-args>");
    span.messages[0].native_role = "meta";
    span.messages[1].native_role = "command";
    let found = ledger(&span, "");
    assert_eq!(
        texts(&found, FactKind::Constraint).len() + texts(&found, FactKind::UserRequest).len(),
        1
    );
    let said: Vec<_> = found
        .facts
        .iter()
        .filter(|fact| fact.text == "only the parser")
        .collect();
    assert_eq!(said.len(), 1, "{:?}", found.facts);
}

#[test]
fn items_the_user_picks_from_a_list_are_facts_one_by_one() {
    let list =
        "Found so far:\n1. rename the reader\n2. close the iterator\n3. drop the wrapper function";
    let picked = Conversation::default()
        .assistant(list)
        .user("skip 2 and do the rest");
    assert_eq!(
        texts(&ledger(&picked, ""), FactKind::Finding),
        [
            "1. rename the reader (under: Found so far)",
            "2. close the iterator (under: Found so far)",
            "3. drop the wrapper function (under: Found so far)"
        ]
    );
    let other = Conversation::default()
        .assistant(list)
        .user("Where is the log file?");
    // What the user does not take up is told at the end.
    let weight = |span: &Conversation| of(&ledger(span, ""), FactKind::Finding)[0].weight;
    assert!(weight(&picked) > 4.0 * weight(&other));
    let options = Conversation::default()
        .assistant("Which one?\n\nA) keep the old cache\nB) write a new cache")
        .user("B) please");
    assert_eq!(
        texts(&ledger(&options, ""), FactKind::Decision),
        ["b. write a new cache (under: Which one?)"]
    );
}

#[test]
fn a_request_that_goes_on_over_lines_is_one() {
    let span = Conversation::default()
        .user("debug: it stops with\n`no such row`\nwhen running `tool --all`");
    assert_eq!(
        texts(&ledger(&span, ""), FactKind::UserRequest),
        ["debug: it stops with `no such row` when running `tool --all`"]
    );
}

#[test]
fn each_item_of_the_users_list_is_a_wish() {
    let span =
        Conversation::default().user("1. linter failing\n2. update from main\n3. new comments");
    assert_eq!(
        texts(&ledger(&span, ""), FactKind::UserRequest),
        ["linter failing", "update from main", "new comments"]
    );
}

#[test]
fn what_the_model_lists_as_left_is_to_do() {
    let span = Conversation::default().assistant(
        "The reader is fast now.\n\n**Remaining work:**\n- cover the empty file\n- ✅ rename the reader\n\nThe cache is small.\n- one entry per file",
    );
    assert_eq!(
        texts(&ledger(&span, ""), FactKind::Todo),
        ["cover the empty file"]
    );
}

#[test]
fn a_task_is_one_fact_in_its_last_state() {
    let list = |state: &str| json!({ "todos": [{ "content": "Cover the empty file", "status": state }, { "content": "Rename the reader", "status": "pending" }] });
    let span = Conversation::default()
        .tool("TodoWrite", list("pending"), "ok", false)
        .tool("TodoWrite", list("completed"), "ok", false)
        .tool(
            "TaskCreate",
            json!({ "subject": "Write the manual", "description": "All of it" }),
            "Task #4 created successfully: Write the manual",
            false,
        )
        .tool(
            "TaskUpdate",
            json!({ "taskId": "4", "status": "completed" }),
            "Updated task #4 status",
            false,
        );
    let found = ledger(&span, "");
    assert_eq!(
        states(&found),
        [
            ("Cover the empty file", Some(TaskState::Closed)),
            ("Rename the reader", Some(TaskState::Open)),
            ("Write the manual", Some(TaskState::Closed)),
        ]
    );
    let weights: Vec<f64> = of(&found, FactKind::Todo)
        .iter()
        .map(|fact| fact.weight)
        .collect();
    assert!(weights[1] > 4.0 * weights[0], "{weights:?}");
}

#[test]
fn an_earlier_summary_is_part_of_what_is_summarized() {
    let mut span = Conversation::default()
        .user("## All user messages\n- \"add a retry to the client\"\n## Pending Tasks\n- cover the empty payload\n## Files\n- `src/client.rs` has `send_again`")
        .user("Now make it faster please");
    let Block::Text(text) = &mut span.messages[0].blocks[0] else {
        unreachable!("a message of text")
    };
    text.push_str("\nIf you need details, read the full transcript at: /home/me/s.jsonl\n");
    span.messages[0].native_role = "compactionSummary";
    let found = ledger(&span, "- add a retry to the client");
    let generation = |text: &str| {
        let fact = found.facts.iter().find(|fact| fact.text == text);
        fact.map(|fact| (fact.kind, fact.details.generation, fact.status))
    };
    assert_eq!(
        generation("add a retry to the client"),
        Some((FactKind::UserRequest, 1, FactStatus::Verbatim))
    );
    // What the agent adds behind every summary is no part of it.
    assert_eq!(generation("/home/me/s.jsonl"), None);
    assert_eq!(
        generation("cover the empty payload"),
        Some((FactKind::Todo, 1, FactStatus::Dropped))
    );
    assert_eq!(
        generation("src/client.rs"),
        Some((FactKind::Path, 1, FactStatus::Dropped))
    );
    assert_eq!(
        generation("send_again"),
        Some((FactKind::Symbol, 1, FactStatus::Dropped))
    );
    assert_eq!(
        generation("Now make it faster please"),
        Some((FactKind::UserRequest, 0, FactStatus::Dropped))
    );
}

#[test]
fn a_next_step_of_an_earlier_summary_is_closed_once_it_was_taken() {
    let next = "## Next steps\n- Commit the rows of the importer\n- Push the branch and create a draft PR\n\
                - Stage the readers and commit them";
    let mut span = Conversation::default()
        .user(next)
        .bash(
            "git commit -m \"importer: keep the rows\"",
            "1 file changed",
        )
        .bash("git push", "To github.com:me/shop");
    span.messages[0].native_role = "compactionSummary";
    let found = ledger(&span, "");
    assert_eq!(
        states(&found),
        [
            ("Commit the rows of the importer", Some(TaskState::Closed)),
            // No pull request was made.
            ("Push the branch and create a draft PR", None),
            ("Stage the readers and commit them", Some(TaskState::Closed)),
        ]
    );
}

#[test]
fn a_next_step_stays_open_where_its_command_failed() {
    let mut span = Conversation::default()
        .user("## Next steps\n- Commit the rows of the importer")
        .tool(
            "Bash",
            json!({ "command": "git commit -m \"importer: keep the rows\"" }),
            "Exit code 1\nnothing to commit, working tree clean",
            true,
        );
    span.messages[0].native_role = "compactionSummary";
    let found = ledger(&span, "");
    assert_eq!(states(&found), [("Commit the rows of the importer", None)]);
}

#[test]
fn a_file_has_one_fact_with_what_was_done_with_it() {
    let span = Conversation::default()
        .read("/home/me/app/src/a.rs", "x")
        .edit("src/a.rs", "x", "y")
        .read("src/b.rs", "x")
        .tool(
            "Grep",
            json!({ "pattern": "x", "path": "src" }),
            "src/c.rs:1:x",
            false,
        )
        .bash("cargo test --test it ./src/...", "ok")
        .assistant("See src/d.rs in the folder src/parts.");
    let found = ledger(&span, "");
    let roles: Vec<_> = of(&found, FactKind::Path)
        .iter()
        .map(|fact| (fact.text.as_str(), fact.details.file_role))
        .collect();
    assert_eq!(
        roles,
        [
            ("src/a.rs", Some(FileRole::Edited)),
            ("src/b.rs", Some(FileRole::Read)),
            ("src/c.rs", Some(FileRole::Searched)),
            ("src/d.rs", Some(FileRole::Named)),
        ]
    );
}

#[test]
fn a_limit_that_binds_less_is_changed_with_both_sentences() {
    let span = Conversation::default().user("Every import must be checked by the parser.");
    let found = ledger(
        &span,
        "## Notes\n- imports should be checked by the parser where possible",
    );
    let fact = of(&found, FactKind::Constraint)[0];
    assert_eq!(fact.status, FactStatus::Changed);
    let (source, summary) = fact.details.difference.as_ref().unwrap();
    assert_eq!(source, "Every import must be checked by the parser.");
    assert_eq!(
        summary,
        "imports should be checked by the parser where possible"
    );
    assert_eq!(found.totals.changed, [(FactKind::Constraint, 1)]);
    let same = ledger(&span, "- the parser must check every import");
    assert_eq!(
        of(&same, FactKind::Constraint)[0].status,
        FactStatus::Mentioned
    );
}

#[test]
fn a_partly_kept_sentence_names_what_is_missing() {
    let span = Conversation::default()
        .user("Add retry and backoff and a circuit breaker to src/client.rs.");
    let found = ledger(&span, "- retry and backoff were added");
    let fact = of(&found, FactKind::UserRequest)[0];
    assert_eq!(fact.status, FactStatus::Partial);
    assert!(
        fact.details.missing.contains(&"client.rs".to_owned()),
        "{:?}",
        fact.details.missing
    );
}

#[test]
fn an_error_that_went_away_weighs_less() {
    let span = Conversation::default()
        .bash("make lint", "src/a.c:3:1: unused variable x")
        .bash("make lint", "all fine")
        .bash("make test", "error: out of memory");
    let found = ledger(&span, "");
    let weights: Vec<f64> = of(&found, FactKind::Error)
        .iter()
        .map(|fact| fact.weight)
        .collect();
    assert_eq!(weights.len(), 2);
    assert!(weights[1] > 1.5 * weights[0], "{weights:?}");
}

#[test]
fn a_compiler_error_went_away_when_another_check_passes_after_a_change() {
    let error = "src/a.ts(3,1): error TS2304: Cannot find name 'rows'.";
    let weight = |span: &Conversation| of(&ledger(span, ""), FactKind::Error)[0].weight;
    let failed = || Conversation::default().bash("npx tsgo --noEmit", error);
    let edited = || failed().tool("Edit", json!({ "file_path": "src/a.ts" }), "done", false);
    let open = weight(&edited().bash("npx eslint src", "all fine"));
    let gone = weight(&edited().bash("npm run check", "Checked 3 files. No fixes applied."));
    assert!(open > 1.5 * gone, "{open} {gone}");
    // Without a change the other check does not look at it.
    let unchanged = weight(&failed().bash("npm run check", "Checked 3 files."));
    assert!(unchanged > 1.5 * gone, "{unchanged} {gone}");
}

#[test]
fn the_class_of_an_error_near_its_file_may_tell_it() {
    let error = "pkg/rows.go:40:1: syntax error: unexpected keyword type, expected field name";
    let span = Conversation::default().bash("go build ./...", error);
    let is_told = |summary: &str| {
        let found = ledger(&span, summary);
        of(&found, FactKind::Error)[0]
            .details
            .told_otherwise
            .is_some()
    };
    let told = "Current work:\n- pkg/rows.go\n- the merge left a syntax error: a brace is missing";
    assert!(is_told(told));
    assert!(!is_told(
        "Current work:\n- pkg/rows.go\n- the merge is done"
    ));
    for other in [
        "Current work:\n- pkg/cols.go\n- the merge left a syntax error",
        "- pkg/rows.go: reads rows\n- pkg/cols.go: syntax error fixed",
        "- pkg/rows.go is read\n- no syntax error is left",
    ] {
        assert!(!is_told(other), "{other}");
    }
}

#[test]
fn a_reply_that_was_asked_for_and_sent_is_settled() {
    let asked = || {
        Conversation::default()
            .user("please reply to https://example.com/pull/7#discussion_r4455667")
            .assistant("I will.")
    };
    let sent = |id: &str| {
        let command = format!("gh api repos/a/b/pulls/7/comments/{id}/replies -f body='Done.'");
        asked().bash(&command, "{}").user("now the rows")
    };
    let concern = |span: &Conversation| {
        let found = ledger(span, "");
        let request = |fact: &&Fact| fact.text.contains("reply to");
        let concerns = found.facts.iter().filter(request);
        concerns.map(palimpsest_ledger::concern::concern).next()
    };
    assert_eq!(concern(&sent("4455667")), Some(Concern::Rest));
    assert_eq!(concern(&sent("4455668")), Some(Concern::Own));
    // Neither reading it nor a command that has its number is a reply.
    for other in [
        "gh api repos/a/b/pulls/comments/4455667 > c.json",
        "git commit -m 'walk through 4455667'",
    ] {
        let span = asked().bash(other, "{}");
        assert_eq!(concern(&span), Some(Concern::Own), "{other}");
    }
}

#[test]
fn a_command_that_was_stopped_left_no_open_error() {
    let stopped = Conversation::default().tool(
        "Bash",
        json!({ "command": "npm run check" }),
        "Command aborted",
        true,
    );
    let found = ledger(&stopped, "");
    let errors = of(&found, FactKind::Error);
    assert_eq!(errors.len(), 1);
    assert!(errors[0].weight < 1.0, "{errors:?}");
}

#[test]
fn the_first_errors_of_an_output_weigh_most() {
    let lines: Vec<String> = (1..=6)
        .map(|row| format!("src/a.c:{row}:1: unknown name part_{}", "x".repeat(row)))
        .collect();
    let span = Conversation::default().bash("make", &lines.join("\n"));
    let found = ledger(&span, "");
    let weights: Vec<f64> = of(&found, FactKind::Error)
        .iter()
        .map(|fact| fact.weight)
        .collect();
    assert_eq!(weights.len(), 6);
    assert!(
        weights[..3].iter().all(|first| *first > 1.5 * weights[3]),
        "{weights:?}"
    );
}

#[test]
fn what_other_tools_return_is_material() {
    let span = Conversation::default()
        .tool("Task", json!({ "prompt": "review" }), "Error handling is good. error: none seen in the parser", false)
        .tool("Edit", json!({ "file_path": "src/a.rs" }), "<tool_use_error>String to replace not found in file.\nString: err := x</tool_use_error>", true)
        .bash("gh api repos/a/b/comments", "ID: 3 | Line: 4 | drops the error");
    let found = ledger(&span, "");
    // What a tool refused is asked again at once: it weighs next to nothing.
    assert_eq!(
        texts(&found, FactKind::Error),
        ["String to replace not found in file."]
    );
    assert!(of(&found, FactKind::Error)[0].weight < 2.5);
}

#[test]
fn what_leads_up_to_a_list_belongs_to_it() {
    let session = Conversation::default()
        .user("I'd like to do two things:\n- add a box for rows\n- rename the old index")
        .user("I am thinking of three groups:\n- rows of one day\n- rows of one table\n- whatever other rows remain");
    let ledger = ledger(&session, "");
    let asked: Vec<&str> = ledger
        .facts
        .iter()
        .filter(|fact| fact.kind == FactKind::UserRequest)
        .map(|fact| fact.text.as_str())
        .collect();
    assert_eq!(
        asked,
        [
            "add a box for rows",
            "rename the old index",
            "I am thinking of three groups: - rows of one day - rows of one table - whatever other rows remain"
        ]
    );
}

#[test]
fn a_quoted_message_tells_what_was_asked_and_not_what_was_done() {
    let session = Conversation::default()
        .user("push the branch, then sort the rows of the index")
        .tool("Bash", json!({ "command": "git push" }), "ok", false)
        .assistant("I decided to sort the rows of the index by name.");
    let ledger = ledger(
        &session,
        "6. All user messages:\n   - \"push the branch, then sort the rows of the index\"\n",
    );
    let status = |kind| {
        let mut facts = ledger.facts.iter();
        facts.find(|fact| fact.kind == kind).map(|fact| fact.status)
    };
    assert_eq!(status(FactKind::UserRequest), Some(FactStatus::Verbatim));
    assert_eq!(status(FactKind::Command), Some(FactStatus::Dropped));
    assert_eq!(status(FactKind::Decision), Some(FactStatus::Dropped));
}

#[test]
fn a_review_that_is_passed_on_is_not_the_users() {
    let span = Conversation::default().user(
        "The reader of rows and its old index also lack unit tests. They contain fixed limits that could have edge \
         cases in other languages, and the index is read twice.\n\nConsider testing:\n\nDifferent row lengths round \
         the limit of ten\nRows that must never be read twice\n\nI think this is good feedback, but unit tests must \
         not be the answer here. Any other ideas?",
    );
    let found = ledger(&span, "");
    let own: Vec<&str> = found
        .facts
        .iter()
        .filter(|fact| matches!(fact.kind, FactKind::UserRequest | FactKind::Constraint))
        .map(|fact| fact.text.as_str())
        .collect();
    assert_eq!(own.len(), 1, "{own:?}");
    assert!(
        own[0].starts_with("I think this is good feedback"),
        "{own:?}"
    );
}

#[test]
fn a_question_that_was_answered_and_a_word_that_drives_on_are_no_loss() {
    let span = Conversation::default()
        .user("where is the filter for short rows?")
        .assistant("In `rows.rs`.")
        .user("ok let's keep going")
        .assistant("Done.")
        .user("Please rename the reader of rows.");
    let found = ledger(&span, "");
    let lost: Vec<&str> = found
        .facts
        .iter()
        .filter(|fact| palimpsest_ledger::concern::concern(fact) == Concern::Own)
        .map(|fact| fact.text.as_str())
        .collect();
    assert_eq!(lost, ["Please rename the reader of rows."]);
}

#[test]
fn an_arrow_beside_other_sentences_assigns_nothing() {
    let span = Conversation::default().user(
        "Now rules. I have about 60 payees. I want rules in a text file, one per line, `pattern -> account`, first match wins.",
    );
    let found = ledger(&span, "");
    assert_eq!(texts(&found, FactKind::Decision), Vec::<&str>::new());
    let span = Conversation::default().user("Move them:\nhelpers -> src/common\nrows -> src/rows");
    assert_eq!(texts(&ledger(&span, ""), FactKind::Decision).len(), 2);
}

#[test]
fn a_report_of_what_goes_wrong_counts_sentence_by_sentence() {
    let span = Conversation::default().user(
        "Sometimes the sync of rows works, and on other days nothing at all happens to them. \
         After a while the icon of the list spins and its label says that rows are queued. \
         The list of events has the opening and the closing of one sync at the very same second. \
         Behind it one job of the nightly queue stays pending for hours.",
    );
    assert_eq!(of(&ledger(&span, ""), FactKind::UserRequest).len(), 4);
}

/// The texts of the facts that the user said, as they are shown.
fn wished(span: Conversation) -> Vec<String> {
    let is_wish = |fact: &&Fact| matches!(fact.kind, FactKind::UserRequest | FactKind::Constraint);
    let found = ledger(&span, "");
    let wishes = found.facts.iter().filter(is_wish);
    wishes.map(|fact| fact.text.clone()).collect()
}

#[test]
fn a_prompt_that_means_its_own_sentence_is_shown_with_that_and_not_with_a_report() {
    let span = Conversation::default()
        .assistant("The slider sets the size of the rows.")
        .user("We lost the wrapping of rows.  Can you add a test for this?");
    assert!(
        wished(span).contains(
            &"Can you add a test for this? (after: We lost the wrapping of rows.)".into()
        )
    );
    let span = Conversation::default()
        .assistant("The slider sets the size of the rows.")
        .user("Please open the table of rows.");
    assert_eq!(wished(span), ["Please open the table of rows."]);
}

#[test]
fn a_sentence_that_only_opens_a_message_is_no_request() {
    let span = Conversation::default()
        .user("Let's make a change. Please show the rows in two columns. Any questions?");
    assert_eq!(wished(span), ["Please show the rows in two columns."]);
    let span = Conversation::default().user("Let's make a change to the rows.");
    assert_eq!(wished(span).len(), 1);
}

#[test]
fn a_list_without_wishes_is_one_fact_with_its_lead() {
    let brief = format!(
        "{}\n\nThe report must contain:\n- name of the table\n- rows that were dropped\n- open risks\n",
        "The rows come from a table of the shop. ".repeat(60)
    );
    let found = wished(Conversation::default().user(&brief));
    assert!(
        found
            .iter()
            .any(|text| text.starts_with("The report must contain:")
                && text.contains("rows that were dropped")),
        "{found:?}"
    );
    let flow = "Here is the new order of the dialog\n\nList → Row → Button\nNumber of rows\nSelect a table\n\
                Rows of the table\nResult";
    let found = wished(Conversation::default().user(flow));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("Number of rows"), "{found:?}");
}

#[test]
fn what_could_be_done_and_what_happens_is_no_limit() {
    let span = Conversation::default()
        .user("Old tables have other rows. we could move them over or keep them as they are")
        .user("It reads the first two tables and never reaches the third one.");
    let found = ledger(&span, "");
    assert!(
        found
            .facts
            .iter()
            .all(|fact| fact.kind != FactKind::Constraint),
        "{found:?}"
    );
}

#[test]
fn the_parts_of_something_are_one_fact_with_what_it_is() {
    let plan = "Your plan should include:\n- what has to be built for each table\n- names of the tables\n- risks that are known";
    let found = wished(Conversation::default().user(plan));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("names of the tables"), "{found:?}");
}

#[test]
fn orders_below_each_other_stay_apart() {
    let orders = "Rename the reader of rows\nAdd a test for the old index\nRemove the second table\nFix the export \
                  button\nUpdate the changelog";
    let found = wished(Conversation::default().user(orders));
    assert_eq!(found.len(), 5, "{found:?}");
    let limits = "Please change the reader:\n- rows sorted by date\n- don't touch the users table\n- a header on top";
    let found = ledger(&Conversation::default().user(limits), "");
    let limit = |fact: &&Fact| fact.kind == FactKind::Constraint;
    let limits: Vec<&str> = found
        .facts
        .iter()
        .filter(limit)
        .map(|fact| &*fact.text)
        .collect();
    assert_eq!(limits, ["don't touch the users table"]);
}

#[test]
fn limits_stay_limits_beside_what_may_be_done() {
    for limit in [
        "Never emojis in commit messages.",
        "This could break the export, so move the reader and don't touch the table.",
        "Hey, could you fix the reader and leave the table alone",
    ] {
        let found = ledger(&Conversation::default().user(limit), "");
        let is = found
            .facts
            .iter()
            .any(|fact| fact.kind == FactKind::Constraint);
        assert!(is, "{limit}: {:?}", found.facts);
    }
}
