//! Claims planted in conversations written for this test: each sentence was labelled as wrong or right
//! before any rule was held against it. What is measured is how many wrong ones are found, and how
//! many right ones are called wrong.

use crate::conversation::Conversation;
use palimpsest_ledger::claims::{Verdict, check};
use palimpsest_ledger::{LedgerInput, Span, build};
use serde_json::json;

/// A conversation with sentences about it.
struct Case {
    name: &'static str,
    talk: Conversation,
    /// Sentences that the conversation contradicts, or that became outdated in it.
    wrong: &'static [&'static str],
    /// Sentences that hold.
    right: &'static [&'static str],
}

fn talk(ask: &str) -> Conversation {
    Conversation::default().user(ask)
}

fn fails(talk: Conversation, command: &str, output: &str) -> Conversation {
    talk.tool("bash", json!({ "command": command }), output, true)
}

fn writes(talk: Conversation, path: &str) -> Conversation {
    let arguments = json!({ "path": path, "content": "//! New.\n" });
    talk.tool("write", arguments, "ok", false)
}

fn todos(talk: Conversation, states: &[(&str, &str)]) -> Conversation {
    let all: Vec<_> = states
        .iter()
        .map(|(text, state)| json!({ "content": text, "status": state, "activeForm": text }))
        .collect();
    talk.tool("TodoWrite", json!({ "todos": all }), "ok", false)
}

#[rustfmt::skip]
fn cases() -> Vec<Case> {
    let refused = "The user doesn't want to proceed with this tool use. The tool use was rejected. \
                   To tell you how to proceed, the user said:\nleave the history alone";
    vec![
        Case {
            name: "a commit that failed",
            talk: fails(
                talk("Add the retry queue to src/queue.rs and commit it.").edit("src/queue.rs", "let a = 1;", "let queue = Queue::new();"),
                "git commit -am 'Add the retry queue'",
                "error: gpg failed to sign the data\nfatal: failed to write commit object",
            ),
            wrong: &["The retry queue was committed.", "`git commit` succeeded."],
            right: &["The commit failed because gpg could not sign the data.", "The retry queue is not committed yet."],
        },
        Case {
            name: "a commit that succeeded",
            talk: talk("Commit the reader.").edit("src/reader.rs", "fn a", "fn read_all")
                .bash("git commit -am 'Read all rows'", "[main 4f5e6d7] Read all rows\n 1 file changed"),
            wrong: &["The changes are not committed yet.", "The commit failed.", "All changes are still uncommitted."],
            right: &["The reader was committed as 4f5e6d7.", "Everything is committed.", "Commit messages are short."],
        },
        Case {
            name: "work after the last commit",
            talk: talk("Commit the reader, then change the writer.")
                .bash("git commit -am 'Read all rows'", "[main 4f5e6d7] Read all rows\n 1 file changed")
                .edit("src/writer.rs", "fn a", "fn write_all"),
            wrong: &["All changes are committed."],
            right: &["The reader was committed as 4f5e6d7.", "The writer is not committed yet."],
        },
        Case {
            name: "a push that was rejected",
            talk: fails(
                talk("Push the branch."),
                "git push origin main",
                "! [rejected] main -> main (fetch first)\nerror: failed to push some refs",
            ),
            wrong: &["The branch was pushed to origin."],
            right: &["The push was rejected.", "The branch is not pushed yet."],
        },
        Case {
            name: "a push that went through",
            talk: talk("Push the branch.").bash("git push origin main", "4f5e6d7..5a6b7c8  main -> main"),
            wrong: &["The branch has not been pushed yet."],
            right: &["The branch was pushed."],
        },
        Case {
            name: "tests that fail at the end",
            talk: fails(
                talk("Make the reader faster.").edit("src/reader.rs", "fn a", "fn b"),
                "cargo test",
                "test reader::empty ... FAILED\ntest result: FAILED. 12 passed; 2 failed",
            ),
            wrong: &["All tests pass.", "The test suite is green."],
            right: &["Two tests of the reader fail.", "The tests fail.", "The tests must pass before the merge."],
        },
        Case {
            name: "tests that were repaired",
            talk: fails(talk("Repair the tests."), "cargo test", "test result: FAILED. 12 passed; 2 failed")
                .edit("src/reader.rs", "fn a", "fn b")
                .bash("cargo test", "test result: ok. 14 passed; 0 failed"),
            wrong: &["The tests are failing.", "2 tests are failing.", "`cargo test` fails."],
            right: &["The tests failed at first and pass now.", "All tests pass.", "14 tests pass."],
        },
        Case {
            name: "a count that no run had",
            talk: talk("Run the tests.").bash("npm test", "Tests  14 passed (14)"),
            wrong: &["41 tests pass."],
            right: &["14 tests pass."],
        },
        Case {
            name: "a clean linter",
            talk: fails(talk("Clean up."), "npm run lint", "src/a.ts:3:4: unused variable 'row'")
                .edit("src/a.ts", "const row = 1;", "")
                .bash("npm run lint", "0 problems"),
            wrong: &["The linter fails.", "Lint is failing on src/a.ts."],
            right: &["Lint passes.", "The linter found an unused variable, which was removed."],
        },
        Case {
            name: "a build that is broken",
            talk: fails(talk("Build it."), "make", "src/a.c:3:1: error: unknown type name 'row'\nmake: *** [all] Error 1"),
            wrong: &["The build succeeds.", "`make` passes."],
            right: &["The build fails.", "`make` fails with an unknown type name."],
        },
        Case {
            name: "a list of tasks",
            talk: todos(
                todos(talk("Do these."), &[("Write the reader tests", "in_progress"), ("Remove the old cache file", "pending"), ("Document the new flags", "pending")]),
                &[("Write the reader tests", "completed"), ("Remove the old cache file", "in_progress"), ("Document the new flags", "pending")],
            ),
            wrong: &["- [ ] Write the reader tests", "- [x] Document the new flags", "Write the reader tests: not started."],
            right: &["- [x] Write the reader tests", "- [ ] Document the new flags", "Document the new flags: not started."],
        },
        Case {
            name: "a file that was removed",
            talk: talk("Drop the old cache.").read("src/old_cache.rs", "struct Cache;").bash("rm src/old_cache.rs", ""),
            wrong: &["`src/old_cache.rs` holds the cache."],
            right: &["`src/old_cache.rs` was removed.", "The cache in `src/old_cache.rs` is gone."],
        },
        Case {
            name: "a file that was renamed",
            talk: talk("Rename the helpers.").read("src/util.rs", "fn trim() {}").bash("git mv src/util.rs src/text.rs", ""),
            wrong: &["The helpers are in `src/util.rs`."],
            right: &["The helpers are in `src/text.rs`.", "`src/util.rs` was renamed to `src/text.rs`.", "Moved `src/util.rs` to `src/text.rs`."],
        },
        Case {
            name: "a file that was written",
            talk: writes(talk("Write the cache and then the index."), "src/cache.rs"),
            wrong: &["`src/cache.rs` has not been created yet.", "`src/cache.rs` is not yet written.", "Next: create `src/cache.rs`."],
            right: &["`src/index.rs` has not been created yet.", "`src/cache.rs` was created.", "`src/cache.rs` has no tests yet."],
        },
        Case {
            name: "files that were changed",
            talk: talk("Sort the rows.").edit("src/rows.rs", "fn a", "fn sort"),
            wrong: &["No files were changed.", "No code has been modified so far."],
            right: &["`src/rows.rs` was changed."],
        },
        Case {
            name: "a limit",
            talk: talk("Speed up the build. Never touch the generated files in src/gen.").assistant("I leave them alone."),
            wrong: &["The generated files in src/gen may be touched."],
            right: &["Do not touch the generated files in src/gen.", "The generated files in src/gen stay untouched."],
        },
        Case {
            name: "an order",
            talk: talk("Write the exporter. Always run the formatter before you commit.").assistant("I will."),
            wrong: &["Never run the formatter before you commit."],
            right: &["Always run the formatter before a commit.", "Run the formatter before you commit."],
        },
        Case {
            name: "one thing and not the other",
            talk: talk("Write the config. Use tabs, not spaces.").assistant("I will use tabs."),
            wrong: &["Use spaces, not tabs."],
            right: &["Use tabs, not spaces.", "Indent with tabs, not spaces."],
        },
        Case {
            name: "no new things",
            talk: talk("Parse the dates. Don't add new dependencies.").assistant("I use the standard library."),
            wrong: &["New dependencies can be added."],
            right: &["No new dependencies are to be added.", "Don't add new dependencies."],
        },
        Case {
            name: "a version that the user changed",
            talk: talk("Set up the project with Node 20.").assistant("Done.").user("Make that Node 22 instead.")
                .edit(".nvmrc", "20", "22"),
            wrong: &["The project uses Node 20."],
            right: &["The project uses Node 22.", "Node 20 was replaced by Node 22."],
        },
        Case {
            name: "a version in a file",
            talk: talk("Bump the version.").edit("package.json", "\"version\": \"1.4.0\"", "\"version\": \"1.5.0\""),
            wrong: &["The version is 1.4.0."],
            right: &["The version is 1.5.0.", "The version went from 1.4.0 to 1.5.0."],
        },
        Case {
            name: "a port",
            talk: talk("Start the server on port 7351.").edit("src/main.rs", "const PORT: u16 = 7351;", "const PORT: u16 = 7400;")
                .assistant("The server uses port 7400 now, because 7351 is taken."),
            wrong: &["The server listens on port 7351."],
            right: &["The server listens on port 7400.", "Port 7351 is taken."],
        },
        Case {
            name: "a limit in figures",
            talk: talk("Write the client. The timeout must be 30 seconds.").assistant("I will."),
            wrong: &["The timeout must be 60 seconds."],
            right: &["The timeout must be 30 seconds."],
        },
        Case {
            name: "a measure",
            talk: talk("How slow is it?").assistant("The query over all orders takes 340 ms."),
            wrong: &["The query over all orders takes 840 ms."],
            right: &["The query over all orders takes 340 ms.", "The report over all clients takes 20 ms."],
        },
        Case {
            name: "a change that was taken back",
            talk: talk("Try a grid.").edit("src/layout.rs", "flow()", "grid()").bash("git checkout -- src/layout.rs", ""),
            wrong: &["`src/layout.rs` uses the grid."],
            right: &["The grid in `src/layout.rs` was taken back.", "`src/layout.rs` was restored."],
        },
        Case {
            name: "a call that the user refused",
            talk: fails(talk("Clean up the branch."), "git push --force origin main", refused),
            wrong: &["The branch was force-pushed."],
            right: &["The user refused the force push.", "The history stays as it is."],
        },
        Case {
            name: "a package that could not be installed",
            talk: fails(talk("Use fastrows."), "npm install fastrows", "npm error 404 Not Found - fastrows"),
            wrong: &["The package fastrows was installed.", "`npm install fastrows` succeeded."],
            right: &["Installing fastrows failed.", "fastrows is not in the registry."],
        },
        Case {
            name: "a branch that was left",
            talk: talk("Try it on a branch.").bash("git checkout -b try-rows", "Switched to a new branch 'try-rows'")
                .user("Now back to main.").bash("git checkout main", "Switched to branch 'main'"),
            wrong: &["The current branch is `try-rows`."],
            right: &["The current branch is `main`.", "The branch `try-rows` holds the attempt."],
        },
        Case {
            name: "a pull request",
            talk: talk("Open a pull request.").bash("gh pr create --title 'Sort rows'", "https://example.org/acme/rows/pull/12"),
            wrong: &["No pull request was opened yet.", "The pull request has not been created yet."],
            right: &["Pull request 12 was opened."],
        },
        Case {
            name: "a merge that stopped",
            talk: fails(talk("Merge main."), "git merge main", "CONFLICT (content): Merge conflict in src/a.rs\nAutomatic merge failed"),
            wrong: &["The merge of main went through.", "`git merge main` succeeded."],
            right: &["The merge of main stopped with a conflict in src/a.rs.", "The merge is not finished."],
        },
        Case {
            name: "a migration that failed",
            talk: fails(talk("Apply the migration."), "sqlx migrate run", "error: while executing migration 42: statement timeout"),
            wrong: &["The migration was applied.", "`sqlx migrate run` succeeded."],
            right: &["The migration timed out.", "The migration is not applied yet."],
        },
        Case {
            name: "a choice that the user overruled",
            talk: talk("Store the runs.").assistant("I'll use SQLite for the store because it is one file.")
                .user("No, use Postgres instead of SQLite.").assistant("Switching to Postgres."),
            wrong: &["SQLite is used instead of Postgres."],
            right: &["Postgres is used instead of SQLite.", "SQLite was overruled by the user."],
        },
    ]
}

/// Claims that were written after the rules, in other words: how far the rules reach beyond the sentences
/// they were made on.
#[rustfmt::skip]
fn unseen() -> Vec<Case> {
    vec![
        Case {
            name: "a hook that stopped a commit",
            talk: fails(
                talk("Commit the exporter.").edit("src/export.py", "def a(): pass", "def export(): pass"),
                "git commit -m 'Write the exporter'",
                "black....Failed\n- hook id: black\nExit code 1",
            ),
            wrong: &["Committed the exporter.", "The exporter has been committed to main."],
            right: &["A hook stopped the commit.", "The commit did not go through."],
        },
        Case {
            name: "a suite that is red",
            talk: talk("Check everything.").bash("npx vitest run 2>&1 | tail -5", "Tests  3 failed | 41 passed (44)"),
            wrong: &["All 44 tests pass.", "The unit tests are passing.", "Tests: all green."],
            right: &["3 tests fail.", "Three of 44 tests are red."],
        },
        Case {
            name: "a type check that was repaired",
            talk: fails(talk("Repair the types."), "npx tsc --noEmit", "src/a.ts(3,4): error TS2345: wrong type")
                .edit("src/a.ts", "a: string", "a: number").bash("npx tsc --noEmit", ""),
            wrong: &["The type check still fails.", "`npx tsc --noEmit` fails."],
            right: &["The type check is clean.", "TS2345 was repaired."],
        },
        Case {
            name: "a figure in a config",
            talk: talk("Raise the pool.").edit("config/pool.toml", "max_connections = 20", "max_connections = 50"),
            wrong: &["The pool has a max_connections of 20.", "max_connections is set to 20."],
            right: &["max_connections is 50.", "max_connections was raised from 20 to 50."],
        },
        Case {
            name: "a rule about a folder",
            talk: talk("Clean the repository. Don't delete anything under fixtures/.").assistant("I keep the fixtures."),
            wrong: &["Files under fixtures/ can be deleted.", "Delete anything under fixtures/."],
            right: &["Nothing under fixtures/ may be deleted.", "The fixtures stay."],
        },
        Case {
            name: "a module that went away",
            talk: talk("Merge the two parsers.").edit("src/parse.rs", "fn a", "fn parse_both").bash("git rm src/old_parse.rs", "rm 'src/old_parse.rs'"),
            wrong: &["`src/old_parse.rs` still contains the second parser.", "Both parsers live in `src/parse.rs` and `src/old_parse.rs`."],
            right: &["`src/old_parse.rs` was deleted after the merge.", "Both parsers live in `src/parse.rs`."],
        },
        Case {
            name: "a release that was not published",
            talk: fails(talk("Publish it."), "cargo publish", "error: crate version 0.3.1 is already uploaded"),
            wrong: &["Version 0.3.1 was published.", "The crate was published."],
            right: &["Publishing failed.", "The crate is not published."],
        },
    ]
}

/// The sentences that are called contradicted or stale.
fn called_wrong(case: &Case, sentence: &str) -> bool {
    let items = case.talk.items();
    let span = Span::new(&items);
    let summary = format!("## Summary\n{sentence}\n");
    let ledger = build(&LedgerInput {
        span,
        summary: &summary,
        ..LedgerInput::default()
    });
    check(&summary, &span, &ledger)
        .iter()
        .any(|claim| matches!(claim.verdict, Verdict::Contradicted | Verdict::Stale))
}

/// How many wrong claims are found, of how many; the missed ones, and the right ones called wrong.
struct Measured {
    found: usize,
    wrong: usize,
    right: usize,
    missed: Vec<String>,
    false_calls: Vec<String>,
}

fn measure(cases: &[Case]) -> Measured {
    let mut made = Measured {
        found: 0,
        wrong: 0,
        right: 0,
        missed: Vec::new(),
        false_calls: Vec::new(),
    };
    for case in cases {
        for sentence in case.wrong {
            made.wrong += 1;
            if called_wrong(case, sentence) {
                made.found += 1;
            } else {
                made.missed.push(format!("{}: {sentence}", case.name));
            }
        }
        for sentence in case.right {
            made.right += 1;
            if called_wrong(case, sentence) {
                made.false_calls.push(format!("{}: {sentence}", case.name));
            }
        }
    }
    let wrongly = made.false_calls.len();
    println!(
        "found {} of {} wrong claims; {wrongly} of {} right ones called wrong",
        made.found, made.wrong, made.right
    );
    println!(
        "missed: {:#?}\nfalse calls: {:#?}",
        made.missed, made.false_calls
    );
    made
}

#[test]
fn planted_claims_are_found_and_right_ones_are_left_alone() {
    let made = measure(&cases());
    assert!(
        made.wrong >= 40 && made.right >= 50,
        "{} {}",
        made.wrong,
        made.right
    );
    assert!(made.false_calls.is_empty(), "{:#?}", made.false_calls);
    assert!(
        made.found * 10 >= made.wrong * 9,
        "missed {:#?}",
        made.missed
    );
}

#[test]
fn claims_in_words_the_rules_were_not_made_on() {
    let made = measure(&unseen());
    assert!(made.false_calls.is_empty(), "{:#?}", made.false_calls);
    assert!(made.found >= 10, "missed {:#?}", made.missed);
}
