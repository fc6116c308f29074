//! What is done, tried or shown in passing weighs little and is not put first.

use crate::conversation::{Conversation, ledger};
use palimpsest_core::ledger::{Concern, Fact, FactKind, FactStatus, Ledger, ToldOtherwise};
use palimpsest_ledger::concern::concern;

fn fact<'a>(ledger: &'a Ledger, begin: &str) -> &'a Fact {
    let found = ledger
        .facts
        .iter()
        .find(|fact| fact.own_words().starts_with(begin));
    found.unwrap_or_else(|| panic!("no {begin} in {:?}", ledger.facts))
}

#[test]
fn of_fixes_that_name_one_thing_the_last_counts() {
    let span = Conversation::default()
        .user("The rows are gone after a reset, please fix that.")
        .assistant("The fix is to call `setRows()` before the reset is saved.")
        .edit("src/rows.rs", "a", "b")
        .user("it still does not show them")
        .assistant("The best fix is to skip `setRows()` and write the rows to the table directly.")
        .edit("src/rows.rs", "b", "c");
    let found = ledger(&span, "## Goal\nRows of a table.");
    let first = fact(&found, "The fix is to call");
    let last = fact(&found, "The best fix is to skip");
    assert!(last.weight > 2.0 * first.weight);
    assert!(first.details.minor && !last.details.minor);
    assert_eq!(concern(first), Concern::Rest);
    assert_eq!(concern(last), Concern::Risk);
}

#[test]
fn fixes_of_different_things_stay() {
    let span = Conversation::default()
        .user("Please fix both bugs.")
        .assistant("The fix is to call `setRows()` before the reset is saved.")
        .user("now the other one")
        .assistant("The fix is to close `TableReader` at the end of the import.");
    let found = ledger(&span, "");
    let one_turn = Conversation::default()
        .user("Please fix both bugs.")
        .assistant("The fix is to call `setRows()` before the save.")
        .edit("src/rows.rs", "a", "b")
        .assistant("For the import, the fix is to close `TableReader` at its end.");
    let both = ledger(&one_turn, "");
    assert!(!fact(&both, "The fix is to call").details.minor);
    assert!(!fact(&found, "The fix is to call").details.minor);
    assert!(!fact(&found, "The fix is to close").details.minor);
}

#[test]
fn a_file_that_was_made_and_removed_again_is_no_loss() {
    let span = Conversation::default()
        .user("Find out why the build is slow.")
        .bash("cp /tmp/rows.gch src/rows.gch && time make rows", "33 s")
        .bash("rm src/rows.gch && rm -f /tmp/rows.o", "")
        .edit("src/rows.rs", "a", "b");
    let found = ledger(&span, "## Goal\nBuild time.");
    assert!(fact(&found, "src/rows.rs").weight > 10.0 * fact(&found, "src/rows.gch").weight);
    assert_eq!(concern(fact(&found, "src/rows.gch")), Concern::Rest);
    let weight = |begin| fact(&found, begin).weight;
    assert!(weight("time make rows") > weight("rm -f /tmp/rows.o"));
}

#[test]
fn a_prompt_that_only_has_something_run_weighs_less_once_it_ran() {
    let asked = |prompt: &str, output: &str| {
        let span = Conversation::default()
            .user(prompt)
            .bash("make deploy", output)
            .assistant("That is what it printed.");
        fact(&ledger(&span, ""), prompt).weight
    };
    let failed = "make: *** [deploy] Error 1\nExit code 2";
    assert!(asked("please deploy", failed) > 3.0 * asked("please deploy", "done"));
    // What no command was named for was not done.
    assert!(asked("create a test suite", "done") > 3.0 * asked("please deploy", "done"));
    assert!(asked("rebuild", "done") > 3.0 * asked("please deploy", "done"));
    assert!(asked("now run it again", "done") < asked("run the tests of the old reader", "done"));
}

#[test]
fn a_package_file_that_is_written_once_is_no_loss() {
    let write = |span: Conversation| {
        let arguments = serde_json::json!({ "file_path": "src/rows/__init__.py", "content": "" });
        span.tool("Write", arguments, "ok", false)
    };
    let once = write(Conversation::default().user("Please make a package of the rows."));
    let found = ledger(&once, "## Goal\nPackages.");
    assert_eq!(concern(fact(&found, "src/rows/__init__.py")), Concern::Rest);
    let worked_on = once.edit("src/rows/__init__.py", "", "def rows(): ...");
    let found = ledger(&worked_on, "## Goal\nPackages.");
    assert_eq!(concern(fact(&found, "src/rows/__init__.py")), Concern::Risk);
}

#[test]
fn a_choice_that_names_nothing_is_not_put_first() {
    let span = Conversation::default()
        .user("Find out why the build is slow.")
        .assistant("I tried headers in advance. Not worth the effort.\nWe decided to build with `sccache` from now on.");
    let found = ledger(&span, "## Goal\nBuild time.");
    assert_eq!(concern(fact(&found, "Not worth")), Concern::Rest);
    assert_eq!(concern(fact(&found, "We decided to build")), Concern::Risk);
}

#[test]
fn of_a_list_far_up_all_items_are_picked_that_the_user_enumerates() {
    let list = "Four ways to a faster build:\n\n1. Install a cache for the compiler\n2. Use another compiler for it\n\
                3. Split the table into parts\n4. Strip the symbols of all parts";
    let span = Conversation::default()
        .user("Why is the build so slow?")
        .assistant(list)
        .user("what is the difference of both caches?")
        .assistant("The second one also keeps Rust.")
        .user("OK, I installed it. Do 1 (with the second), 2, and 4.");
    let found = ledger(&span, "");
    let weight = |text: &str| {
        let mut facts = found.facts.iter();
        facts
            .find(|fact| fact.text.contains(text))
            .map_or(0.0, |fact| fact.weight)
    };
    for picked in ["Install a cache", "another compiler", "Strip the symbols"] {
        assert!(weight(picked) > 2.0 * weight("Split the table"), "{picked}");
    }
}

#[test]
fn an_english_summary_of_another_language_is_compared_by_names_only() {
    let span = Conversation::default()
        .user("空の行は必ず残すようにしてください。")
        .assistant(
            "`QFileDialog`を`RowDialog`に置き換えます。\n\n列の幅は固定ではなく可変に変更します。",
        );
    let summary = "## Done\n- Replaced QFileDialog by RowDialog in all calls";
    let found = ledger(&span, summary);
    let limit = fact(&found, "空の行は必ず");
    assert_eq!(limit.kind, FactKind::Constraint);
    assert_eq!(limit.status, FactStatus::Dropped);
    assert_eq!(limit.details.told_otherwise, Some(ToldOtherwise::Language));
    assert_eq!(concern(limit), Concern::Rest);
    assert_eq!(
        fact(&found, "`QFileDialog`を").status,
        FactStatus::Mentioned
    );
    let width = fact(&found, "列の幅は");
    assert_eq!(width.kind, FactKind::Decision);
    assert_eq!(width.details.told_otherwise, Some(ToldOtherwise::Language));
    // In one language words are compared.
    let found = ledger(&span, "## 完了\n- 行の幅を確認した");
    assert_eq!(fact(&found, "空の行は必ず").details.told_otherwise, None);
}
