//! What weighs more and what less than its kind.

use crate::conversation::{Conversation, ledger};
use palimpsest_core::ledger::{FactKind, Ledger};
use serde_json::json;

fn weight(ledger: &Ledger, begin: &str) -> f64 {
    let fact = ledger
        .facts
        .iter()
        .find(|fact| fact.own_words().starts_with(begin));
    fact.unwrap_or_else(|| panic!("no {begin} in {:?}", ledger.facts))
        .weight
}

#[test]
fn an_edited_file_weighs_as_a_request_and_a_read_one_less_than_a_task() {
    let span = Conversation::default()
        .user("Please keep the rows of the import in order.")
        .assistant("I decided to use one queue for all rows because it is bounded.")
        .read("src/old.rs", "x")
        .edit("src/rows.rs", "x", "y");
    let found = ledger(&span, "");
    let decision = weight(&found, "I decided to use");
    let edited = weight(&found, "src/rows.rs");
    assert!(edited > decision && edited > 3.0 * weight(&found, "src/old.rs"));
    assert!(edited > weight(&found, "Please keep the rows") / 1.6);
}

#[test]
fn a_prompt_that_only_asks_for_a_step_weighs_less_once_it_was_taken() {
    let asked = |failed| {
        let output = if failed {
            "Exit code 1\nnothing to commit"
        } else {
            "1 file changed"
        };
        let span = Conversation::default()
            .user("please commit this now")
            .tool(
                "Bash",
                json!({ "command": "git commit -m rows" }),
                output,
                failed,
            )
            .assistant("Done.");
        weight(&ledger(&span, ""), "please commit this now")
    };
    assert!(asked(true) > 3.0 * asked(false));
    // Whoever asks for more has asked for it.
    let span = Conversation::default()
        .user("please commit this now without the index of rows")
        .bash("git commit -m rows", "1 file changed");
    let more = weight(&ledger(&span, ""), "please commit this now without");
    assert!(more > 3.0 * asked(false));
}

#[test]
fn what_a_user_names_of_a_list_weighs_more_than_the_rest_of_it() {
    let list =
        "Tests to add:\n1. rename the reader\n2. close the iterator\n3. drop the wrapper function";
    let span = Conversation::default().assistant(list).user("yes, do 2");
    let found = ledger(&span, "");
    let (named, other) = (weight(&found, "2. close"), weight(&found, "1. rename"));
    assert!(named > 2.0 * other, "{named} and {other}");
}

#[test]
fn a_recommendation_weighs_less_than_a_choice() {
    let of = |sentence: &str| {
        let span = Conversation::default().assistant(sentence);
        weight(&ledger(&span, ""), sentence)
    };
    let chosen = of("I decided to keep `read_rows` in one module for all tables.");
    let recommended = of("I'd recommend to keep `read_rows` in one module for all tables.");
    assert!(chosen > 2.0 * recommended);
}

#[test]
fn what_only_an_earlier_summary_leaves_to_do_weighs_less_than_a_new_task() {
    let carried = {
        let mut span = Conversation::default()
            .user("## Next steps\n- Cover the empty rows of `read_rows` with a test");
        span.messages[0].native_role = "compactionSummary";
        weight(&ledger(&span, ""), "Cover the empty rows")
    };
    let span = Conversation::default()
        .assistant("Next steps:\n- Cover the empty rows of `read_rows` with a test");
    assert!(weight(&ledger(&span, ""), "Cover the empty rows") > 2.0 * carried);
}

#[test]
fn a_reply_that_names_its_commit_weighs_less_than_one_that_gives_a_reason() {
    let reply = |body: &str| {
        let command = format!("gh api repos/a/b/pulls/1/comments/2/replies -f body=\"{body}\"");
        let span = Conversation::default().bash(&command, "{}");
        weight(&ledger(&span, ""), body)
    };
    let told =
        reply("Fixed in 1a2b3c4d, the reader closes its `iterator` at the end of each table.");
    let reasoned = reply("Won't fix, the reader closes its `iterator` at the end of each table.");
    assert!(reasoned > 2.0 * told, "{reasoned} and {told}");
}

#[test]
fn a_step_that_a_subagent_was_asked_to_take_weighs_less_than_a_step_of_a_commit() {
    let step = "Add a test for the empty rows of `read_rows`";
    let asked = Conversation::default().tool(
        "Task",
        json!({ "description": "rows", "prompt": format!("Please do:\n1. {step}\n2. Remove the old reader of rows") }),
        "done",
        false,
    );
    let committed = Conversation::default().bash(
        &format!("git commit -m \"rows\n\n- {step}\""),
        "1 file changed",
    );
    let (asked, committed) = (
        weight(&ledger(&asked, ""), step),
        weight(&ledger(&committed, ""), step),
    );
    assert!(committed > 2.0 * asked, "{committed} and {asked}");
}

#[test]
fn questions_and_reasons_set_no_limits() {
    use palimpsest_core::ledger::FactKind;
    for request in [
        "This is still slow, don't we have an index for that table? Can you check the reader?",
        "Can we make this a test of the reader? that tests it too and we can just keep them",
        "let's set the count to 1 since each table has exactly one row",
        "ok, let's rename the reader to rows instead.",
    ] {
        let span = Conversation::default().user(request);
        let found = ledger(&span, "");
        assert!(
            found
                .facts
                .iter()
                .all(|fact| fact.kind != FactKind::Constraint),
            "{request}"
        );
    }
    for limit in [
        "Use tabs instead.",
        "don't touch the index",
        "let's use rows instead of tables, exactly 2 per page",
    ] {
        let span = Conversation::default().user(limit);
        let found = ledger(&span, "");
        assert!(
            found
                .facts
                .iter()
                .any(|fact| fact.kind == FactKind::Constraint),
            "{limit}"
        );
    }
}

#[test]
fn a_figure_that_is_guessed_does_not_end_a_sentence() {
    let span = Conversation::default()
        .user("if it is not in the newest.. 20? rows of the table, we should not show it");
    let found = ledger(&span, "");
    assert_eq!(
        found
            .facts
            .iter()
            .filter(|fact| fact.text.contains("20?"))
            .count(),
        1
    );
    assert!(
        found
            .facts
            .iter()
            .any(|fact| fact.text.starts_with("if it is not") && fact.text.ends_with("show it"))
    );
}

#[test]
fn of_several_runs_of_a_check_one_weighs_more_than_a_file_that_was_read() {
    let span = Conversation::default()
        .read("src/rows.rs", "x")
        .bash("cargo test -p rows", "ok")
        .bash("cargo test", "ok")
        .bash(
            "git -C ../rows commit -m 'close the reader'",
            "1 file changed",
        )
        .bash("git checkout main", "Switched")
        .bash("cargo test", "ok");
    let found = ledger(&span, "");
    let read = weight(&found, "src/rows.rs");
    let often = found.facts.iter().find(|fact| fact.text == "cargo test");
    let often = often.unwrap().weight;
    let committed = weight(&found, "git commit: close the reader");
    assert!(often > committed && committed > read);
    assert!(weight(&found, "cargo test -p rows") < committed / 2.0);
    assert!(weight(&found, "git checkout main") < committed / 2.0);
}

#[test]
fn a_prompt_that_means_what_stands_above_is_shown_with_the_question() {
    let span = Conversation::default()
        .assistant("The reader closes twice. Shall I implement the second option?")
        .user("hm, but then why does this work for the other ones, or does it not?");
    let found = ledger(&span, "");
    let asked = found
        .facts
        .iter()
        .find(|fact| fact.own_words().starts_with("hm"));
    let shown = &asked.unwrap().text;
    assert!(
        shown.ends_with("(reply to: Shall I implement the second option?)"),
        "{shown}"
    );
}

#[test]
fn a_message_that_is_pasted_as_a_whole_weighs_less_than_a_wish() {
    let commit = "commit 1a2b3c4d5e6f7a8b9c0d (HEAD -> main)\nAuthor: Dev <dev@example.org>\nDate: 2026-11-01\n";
    let span = Conversation::default()
        .user("add a count of the rows")
        .user(commit);
    let found = ledger(&span, "");
    assert!(weight(&found, "add a count") > 3.0 * weight(&found, "commit 1a2b3c4d"));
}

#[test]
fn a_rule_of_the_user_stays_one_where_the_model_writes_it_down() {
    let rule = "Never sort the rows of an import.";
    let said = Conversation::default().user(rule);
    let written = Conversation::default()
        .user(rule)
        .edit("/app/CLAUDE.md", "x", rule);
    let alone = Conversation::default().edit("/app/CLAUDE.md", "x", rule);
    let of = |span: &Conversation| weight(&ledger(span, ""), "Never sort the rows");
    assert!(of(&said) > 3.0 * of(&alone));
    assert!(of(&written) >= of(&said) * 0.9);
}

#[test]
fn a_bare_name_means_the_file_that_is_nearly_always_meant() {
    let span = |seldom: usize| {
        let mut span = Conversation::default().user("Please mend rows.rs first.");
        for _ in 0..6 {
            span = span.edit("/app/src/rows.rs", "x", "y");
        }
        for _ in 0..seldom {
            span = span.edit("/app/old/rows.rs", "x", "y");
        }
        ledger(&span, "")
    };
    let bare = |ledger: &Ledger| {
        ledger
            .facts
            .iter()
            .any(|fact| fact.own_words() == "rows.rs")
    };
    assert!(!bare(&span(1)));
    assert!(bare(&span(5)));
}

#[test]
fn a_label_without_an_error_and_a_bare_code_are_no_errors() {
    let span = Conversation::default()
        .bash("make rows", "Output: done\nError: (none)\nExit Code: 0")
        .tool("Bash", json!({ "command": "kill 3" }), "Error: Exit code 144", true)
        .tool(
            "Bash",
            json!({ "command": "git pull --rebase" }),
            "error: cannot pull with rebase: You have unstaged changes.\nerror: Please commit or stash them.",
            true,
        );
    let found = ledger(&span, "");
    let errors: Vec<&str> = found
        .facts
        .iter()
        .filter(|fact| fact.kind == FactKind::Error)
        .map(|fact| &*fact.text)
        .collect();
    assert_eq!(
        errors,
        ["error: cannot pull with rebase: You have unstaged changes."]
    );
}

#[test]
fn cmdlets_that_look_are_kept_apart_from_those_that_act() {
    let span = Conversation::default().bash(
        "Get-ChildItem -Filter \"*.md\" | Select-Object -ExpandProperty Name | Sort-Object",
        "",
    );
    let weight = |span: &Conversation| {
        let found = ledger(span, "");
        let commands = found
            .facts
            .iter()
            .filter(|fact| fact.kind == FactKind::Command);
        commands.map(|fact| fact.weight).fold(0.0, f64::max)
    };
    let acting = Conversation::default().bash("Remove-Item \"rows.md\" -Force", "");
    assert!(weight(&acting) > 2.0 * weight(&span));
}

#[test]
fn a_command_that_never_ran_well_weighs_less_than_one_that_did() {
    let refused = Conversation::default().tool(
        "Bash",
        json!({ "command": "deployctl push --mode=rows" }),
        "Error: Exit code 1\nunknown mode 'rows'",
        true,
    );
    let ran = Conversation::default().bash("deployctl push --mode=rows", "3 rows");
    let of = |span: &Conversation| weight(&ledger(span, ""), "deployctl");
    assert!(of(&ran) > 2.0 * of(&refused));
    // That a check fails is what it was run for.
    let failed = Conversation::default().tool(
        "Bash",
        json!({ "command": "cargo test" }),
        "Exit code 101\ntest rows ... FAILED",
        true,
    );
    assert!(weight(&ledger(&failed, ""), "cargo test") > 1.5 * of(&refused));
}

#[test]
fn a_path_or_a_command_of_the_agent_alone_weighs_less_than_a_wish() {
    let span = Conversation::default()
        .user("/usage")
        .user("/home/ada/notes/rows.md")
        .user("Please count the rows.");
    let found = ledger(&span, "");
    let wish = weight(&found, "Please count");
    let request = |begin: &str| {
        let fact = found
            .facts
            .iter()
            .find(|fact| fact.kind == FactKind::UserRequest && fact.own_words().starts_with(begin));
        fact.unwrap().weight
    };
    assert!(wish > 3.0 * request("/usage") && wish > 3.0 * request("/home/ada"));
}
