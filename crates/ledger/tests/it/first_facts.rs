//! What a ledger puts first: no saying twice, no slip of the agent, no option that nobody chose.

use crate::conversation::{Conversation, ledger};
use palimpsest_core::ledger::{Concern, Fact, FactKind, FactStatus, Ledger, ToldOtherwise};
use palimpsest_ledger::concern::concern;
use serde_json::json;

fn first(ledger: &Ledger) -> Vec<&Fact> {
    let first = |fact: &&Fact| concern(fact) < Concern::Rest;
    ledger.facts.iter().filter(first).collect()
}

#[test]
fn what_is_told_again_weighs_next_to_nothing() {
    let span = Conversation::default()
        .assistant(
            "The fix is to sort the rows by name in `load_rows`, because the index expects it.",
        )
        .assistant("I went with sorting the rows by name in `load_rows`.");
    let found = ledger(&span, "");
    let weights: Vec<f64> = found
        .facts
        .iter()
        .filter(|fact| matches!(fact.kind, FactKind::Decision | FactKind::Finding))
        .map(|fact| fact.weight)
        .collect();
    assert!(!weights.is_empty());
    assert_eq!(
        weights.iter().filter(|weight| **weight >= 1.0).count(),
        1,
        "{weights:?}"
    );
}

#[test]
fn a_prompt_that_is_sent_again_is_one() {
    let span = Conversation::default()
        .user("check all the open comments for fixes that were applied already")
        .user("check all the open comments for fixes that were applied already, and reply with their hashes");
    let found = ledger(&span, "");
    let own: Vec<&str> = first(&found)
        .into_iter()
        .map(|fact| fact.text.as_str())
        .collect();
    assert_eq!(own.len(), 1, "{own:?}");
    assert!(own[0].ends_with("hashes"));
}

#[test]
fn a_call_that_a_program_refused_is_no_loss() {
    let span = Conversation::default()
        .tool(
            "bash",
            json!({"command": "rows list --all"}),
            "Error: unknown flag: --all",
            true,
        )
        .tool(
            "bash",
            json!({"command": "cargo build"}),
            "error[E0425]: cannot find value `rows`",
            true,
        );
    let found = ledger(&span, "");
    let errors: Vec<&str> = first(&found)
        .into_iter()
        .filter(|fact| fact.kind == FactKind::Error)
        .map(|fact| fact.text.as_str())
        .collect();
    assert_eq!(errors, ["error[E0425]: cannot find value `rows`"]);
}

#[test]
fn an_option_that_nobody_chose_is_no_decision_that_was_lost() {
    let span = Conversation::default()
        .assistant("It is a constant.\n\n**Options:**\n1. Change the constant to `rows_v1`\n2. Make it a setting\n")
        .user("do we need to do a review of it?");
    let found = ledger(&span, "");
    let decisions = first(&found)
        .into_iter()
        .filter(|fact| fact.kind == FactKind::Decision);
    assert_eq!(decisions.count(), 0);
}

#[test]
fn what_the_summary_may_tell_in_other_words_is_not_among_the_first_losses() {
    let span = Conversation::default()
        .user("Please untangle the renderer from the agent session where possible.");
    let summary = "## Goal\n- Refactor the code base\n- The renderer gets its own module\n- Sessions stay readable\n\
                   - Untangle later what the agent owns\n- Tests are end to end\n- One binary\n- No new crates\n";
    let found = ledger(&span, summary);
    let request = found
        .facts
        .iter()
        .find(|fact| fact.kind == FactKind::UserRequest);
    let request = request.expect("a prompt is a fact");
    assert_eq!(request.status, FactStatus::Dropped);
    let told = request.details.told_otherwise.clone();
    assert_eq!(
        told,
        Some(ToldOtherwise::Words(summary_line(summary, "Untangle")))
    );
    assert_eq!(concern(request), Concern::Rest);
    let gone = ledger(&span, "## Goal\n- Ship the release notes\n- One binary\n");
    let request = gone
        .facts
        .iter()
        .find(|fact| fact.kind == FactKind::UserRequest);
    assert_eq!(request.map(concern), Some(Concern::Own));
}

#[test]
fn the_address_of_a_ticket_is_told_by_its_number() {
    let span = Conversation::default().user("https://example.org/rows/reader/issues/288");
    let found = ledger(&span, "Worked on issue #288 of the reader.");
    let request = found
        .facts
        .iter()
        .find(|fact| fact.kind == FactKind::UserRequest);
    assert_eq!(request.map(|fact| fact.status), Some(FactStatus::Mentioned));
    let other = ledger(&span, "Worked on issue #2880 of the reader.");
    let request = other
        .facts
        .iter()
        .find(|fact| fact.kind == FactKind::UserRequest);
    assert_eq!(request.map(|fact| fact.status), Some(FactStatus::Dropped));
}

#[test]
fn a_log_without_a_failure_and_the_commit_of_git_are_material() {
    let span = Conversation::default().user(
        "this one still fails to load: {\"time\":\"2026-01-02\",\"level\":\"DEBUG\",\"msg\":\"index failed over\"}",
    );
    let found = ledger(&span, "");
    let texts: Vec<&str> = found.facts.iter().map(|fact| fact.text.as_str()).collect();
    assert!(
        texts.contains(&"this one still fails to load:"),
        "{texts:?}"
    );
    assert!(
        found.facts.iter().all(|fact| fact.kind != FactKind::Error),
        "{texts:?}"
    );
}

#[test]
fn a_limit_is_not_told_by_a_request_for_the_contrary() {
    let span = Conversation::default()
        .user("Do not rewrite the config parser module.")
        .assistant("Fine.")
        .user("Now please rewrite the config parser module with tests.");
    let found = ledger(&span, "");
    assert_eq!(first(&found).len(), 2);
}

/// The weight of the fact that begins so.
fn weight(ledger: &Ledger, begins: &str) -> f64 {
    let found = ledger
        .facts
        .iter()
        .find(|fact| fact.text.starts_with(begins));
    found
        .unwrap_or_else(|| panic!("{begins}: {:?}", ledger.facts))
        .weight
}

#[test]
fn what_names_nothing_weighs_less_than_what_does() {
    let span = Conversation::default()
        .user("Rename the reader of rows and keep its tests.")
        .user("where are the rows sorted?")
        .user("new comments")
        .assistant("I decided to keep `load_rows` as it is. I decided to keep it simple.");
    let found = ledger(&span, "");
    let wish = weight(&found, "Rename");
    for little in ["where are", "new comments"] {
        assert!(2.0 * weight(&found, little) < wish, "{little}");
    }
    let named = weight(&found, "I decided to keep `load_rows`");
    assert!(2.0 * weight(&found, "I decided to keep it") < named);
}

/// The bytes of the line that begins so.
fn summary_line(summary: &str, begin: &str) -> std::ops::Range<usize> {
    let start = summary.find(begin).expect("the line is there");
    let length = summary[start..].lines().next().map_or(0, str::len);
    start..start + length
}

/// The only fact of a kind in a ledger.
fn only(ledger: &Ledger, kind: FactKind) -> &Fact {
    let mut found = ledger.facts.iter().filter(|fact| fact.kind == kind);
    let fact = found.next().expect("one fact of the kind");
    assert!(found.next().is_none());
    fact
}

#[test]
fn a_clause_that_a_long_request_has_nearly_whole_may_tell_it() {
    let span = Conversation::default().user(
        "I would like to talk to the reader while I am doing something else at my desk, without having to have a \
         trigger word or keyboard trigger before each row that it is to read to me, as long as it stays on this machine.",
    );
    let rest = "\n- Rows come from `rows.csv`\n- One binary\n- Tests are end to end\n- Sessions stay readable\n";
    let told = format!(
        "## Goal\n- Speech for the reader: constant listening, no trigger word or keyboard trigger{rest}"
    );
    assert!(first(&ledger(&span, &told)).is_empty());
    // Two words of it in a clause may tell anything.
    let other = format!("## Goal\n- Shortcuts of the keyboard trigger the search{rest}");
    assert_eq!(first(&ledger(&span, &other)).len(), 1);
}

#[test]
fn a_short_choice_may_be_told_by_its_name() {
    let span = Conversation::default()
        .assistant("Where should the sounds of the dice go: assets/sounds or public/sounds?")
        .user("Let's go with public/sounds");
    let told = ledger(
        &span,
        "Answers of the user: public/sounds; labels below the dice.",
    );
    let request = only(&told, FactKind::UserRequest);
    assert_ne!(concern(request), Concern::Own, "{request:?}");
    let gone = ledger(&span, "Answers of the user: labels below the dice.");
    assert_eq!(concern(only(&gone, FactKind::UserRequest)), Concern::Own);
}

#[test]
fn an_error_of_long_ago_that_never_came_again_is_no_risk() {
    let failed = |span: Conversation, text: &str| {
        span.tool("bash", json!({"command": "cargo build"}), text, true)
    };
    let mut span = failed(
        Conversation::default(),
        "error[E0425]: cannot find value `rows`",
    );
    for at in 0..20 {
        span = span.tool(
            "read",
            json!({"path": format!("src/part{at}.rs")}),
            "fn part() {}",
            false,
        );
    }
    let span = failed(span, "error[E0433]: cannot find `Table` in this scope");
    let found = ledger(&span, "");
    let errors: Vec<(Concern, &str)> = found
        .facts
        .iter()
        .filter(|fact| fact.kind == FactKind::Error)
        .map(|fact| (concern(fact), fact.text.as_str()))
        .collect();
    assert_eq!(
        errors,
        [
            (Concern::Rest, "error[E0425]: cannot find value `rows`"),
            (
                Concern::Risk,
                "error[E0433]: cannot find `Table` in this scope"
            ),
        ]
    );
}

#[test]
fn files_are_found_in_the_short_ways_of_a_summary() {
    let edit = |span: Conversation, path: &str| {
        span.tool(
            "edit",
            json!({"path": path, "oldText": "a", "newText": "b"}),
            "done",
            false,
        )
    };
    let paths = [
        "res/icon_round.xml",
        "README.md",
        "data/rows.json.example",
        "src/table.c",
        "src/other.c",
    ];
    let span = paths.into_iter().fold(Conversation::default(), edit);
    let summary = "- `icon_*.xml` redrawn, README updated\n- `data/rows.json`, `.example`: a new row\n- `src/table.h`/`.c`: sorted";
    let found = ledger(&span, summary);
    let status = |path: &str| {
        let fact = found
            .facts
            .iter()
            .find(|fact| fact.kind == FactKind::Path && fact.text.ends_with(path));
        fact.map(|fact| fact.status)
    };
    for path in &paths[..4] {
        assert_eq!(status(path), Some(FactStatus::Mentioned), "{path}");
    }
    assert_eq!(status("src/other.c"), Some(FactStatus::Dropped));
}

#[test]
fn an_order_about_a_file_is_not_told_by_what_else_is_said_of_it() {
    let summary = "- `schema.sql`: new table for rows\n- Fixed: cannot find function `load` in this scope\n- One binary\n";
    let asked = Conversation::default().user("Do not edit `schema.sql`");
    assert_eq!(first(&ledger(&asked, summary)).len(), 1);
    let asked = Conversation::default().user("Revert parser.rs");
    let found = ledger(&asked, "- parser.rs: reads rows\n");
    assert_eq!(first(&found).len(), 1, "{:?}", found.facts);
    // The words of messages are those of other failures.
    let failed = Conversation::default().tool(
        "bash",
        json!({"command": "cargo build"}),
        "error[E0425]: cannot find value `total` in this scope",
        true,
    );
    let found = ledger(&failed, summary);
    assert_eq!(concern(only(&found, FactKind::Error)), Concern::Risk);
}

#[test]
fn files_without_their_endings_are_found_beside_their_folder() {
    let edit = |span: Conversation, path: &str| {
        let input = json!({"path": path, "oldText": "a", "newText": "b"});
        span.tool("edit", input, "done", false)
    };
    let paths = [
        "app/parts/Head.tsx",
        "app/parts/RowTable.tsx",
        "app/other/Foot.tsx",
        "docs/TODO.md",
    ];
    let span = paths.into_iter().fold(Conversation::default(), edit);
    let summary = "# TODO\n- app/parts: Head, Foot\n- RowTable sorts by name\n- Reset the table";
    let found = ledger(&span, summary);
    let statuses: Vec<FactStatus> = paths
        .iter()
        .filter_map(|path| found.facts.iter().find(|fact| fact.text.ends_with(path)))
        .map(|fact| fact.status)
        .collect();
    let (there, gone) = (FactStatus::Mentioned, FactStatus::Dropped);
    assert_eq!(statuses, [there, there, gone, gone]);
}
