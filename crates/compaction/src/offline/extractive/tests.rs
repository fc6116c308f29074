use crate::offline::extractive::input::ExtractiveInput;
use crate::offline::extractive::summarize;
use crate::vocabulary::call::Purpose;
use palimpsest_core::json::utf16_len;
use palimpsest_core::{Block, EntryIx, Message, Role, ToolRef};
use palimpsest_ledger::{Span, SpanItem};
use proptest::prelude::*;

mod state;

#[derive(Default)]
struct Talk {
    messages: Vec<Message>,
}

impl Talk {
    fn push(mut self, role: Role, native_role: &'static str, block: Block) -> Talk {
        let message = Message {
            role,
            native_role,
            blocks: vec![block],
            tool: None,
            sent: true,
        };
        self.messages.push(message);
        self
    }

    fn user(self, text: &str) -> Talk {
        self.push(Role::User, "user", Block::Text(text.to_owned()))
    }

    fn says(self, text: &str) -> Talk {
        self.push(Role::Assistant, "assistant", Block::Text(text.to_owned()))
    }

    fn tool(self, name: &str, arguments: serde_json::Value, output: &str, is_error: bool) -> Talk {
        let id = format!("c{}", self.messages.len());
        let arguments = arguments.to_string();
        let call = Block::ToolCall {
            id: id.clone(),
            name: name.to_owned(),
            arguments,
        };
        let mut talk = self.push(Role::Assistant, "assistant", call).push(
            Role::Tool,
            "toolResult",
            Block::Text(output.to_owned()),
        );
        let last = talk.messages.len() - 1;
        talk.messages[last].tool = Some(ToolRef {
            call_id: id,
            name: name.to_owned(),
            is_error,
        });
        talk
    }

    fn bash(self, command: &str, output: &str, is_error: bool) -> Talk {
        self.tool(
            "bash",
            serde_json::json!({ "command": command }),
            output,
            is_error,
        )
    }

    fn edit(self, path: &str, old: &str, new: &str) -> Talk {
        let arguments = serde_json::json!({ "path": path, "oldText": old, "newText": new });
        self.tool("edit", arguments, "edited", false)
    }

    fn items(&self) -> Vec<SpanItem<'_>> {
        let item = |(index, message)| SpanItem {
            entry: EntryIx::new(index),
            message_index: 0,
            message,
            at_ms: None,
        };
        self.messages.iter().enumerate().map(item).collect()
    }
}

fn talk() -> Talk {
    Talk::default()
        .user(
            "Our CSV importer drops rows with quoted commas. Please fix the parser in \
             src/import/csv.rs. Never change the public signature of parse_rows, and don't add \
             new dependencies.",
        )
        .says("I'll look at the parser first.")
        .tool("read", serde_json::json!({"path": "src/import/csv.rs"}), "pub fn parse_rows()", false)
        .bash(
            "cargo test -p importer",
            "test quoted_commas ... FAILED\nassertion `left == right` failed\n\nCommand exited with code 101",
            true,
        )
        .says("I'll use a small state machine instead of split(',') because quotes nest delimiters.")
        .edit("src/import/csv.rs", "line.split(',')", "let mut state = QuoteState::Outside;")
        .edit("src/import/csv.rs", "fn x", "fn next_field(state: &mut QuoteState)")
        .bash("cargo test -p importer", "test result: ok. 14 passed; 0 failed", false)
        .says("Quoted commas are parsed now; all 14 importer tests pass.")
        .user("Good. Next: the database migration 0042 times out after 30 seconds, look into it. \
               The importer must stay below 200 MB of memory.")
        .says("The migration rebuilds the `orders_by_day` index row by row.")
        .tool("write", serde_json::json!({"path": "migrations/0042_orders.sql", "content": "x"}), "ok", false)
        .bash(
            "sqlx migrate run",
            "error: while executing migration 42: statement timeout\n\nCommand exited with code 1",
            true,
        )
        .says("TODO: batch the backfill in chunks of 5,000 rows.\nNext I will try CREATE INDEX CONCURRENTLY.")
        .bash("sqlx migrate info", "42 pending", false)
}

struct Ask<'a> {
    purpose: Purpose,
    previous: Option<&'a str>,
    instructions: Option<&'a str>,
    budget: u64,
}

impl Default for Ask<'_> {
    fn default() -> Self {
        Ask {
            purpose: Purpose::History,
            previous: None,
            instructions: None,
            budget: 2000,
        }
    }
}

fn summary(talk: &Talk, ask: &Ask<'_>) -> String {
    let items = talk.items();
    summarize(&ExtractiveInput {
        purpose: ask.purpose,
        span: Span::new(&items),
        previous_summary: ask.previous,
        instructions: ask.instructions,
        files_read: &["docs/format.md".to_owned()],
        files_modified: &["src/import/csv.rs".to_owned()],
        budget_tokens: ask.budget,
    })
}

fn tokens(text: &str) -> u64 {
    utf16_len(text).div_ceil(4)
}

#[test]
fn a_line_of_commands_that_passed_makes_up_for_each_of_them() {
    let talk = Talk::default()
        .user("Please prepare the query cache.")
        .bash("cargo sqlx prepare", "error: DATABASE_URL is not set", true)
        .bash(
            "git push",
            "(no output)\n\nCommand exited with code 1",
            true,
        )
        .bash(
            "export DATABASE_URL=x && cargo sqlx prepare && A=b cargo test",
            "test result: ok. 3 passed; 0 failed",
            false,
        );
    let text = summary(&talk, &Ask::default());
    assert!(
        text.contains("Fixed \"error: DATABASE_URL is not set\""),
        "{text}"
    );
    assert!(
        text.contains("`git push` fails: without a message"),
        "{text}"
    );
    assert!(!text.contains("`cargo sqlx prepare` fails"), "{text}");
}

#[test]
fn pasted_material_is_not_quoted_as_the_persons_wish() {
    let talk = Talk::default()
        .user(
            "The server dies at night, find out why. Never restart it yourself.\n\n\
             2026-01-02T03:04:05Z ERROR you must always set POOL_SIZE, don't leave it empty\n\
             2026-01-02T03:04:06Z INFO please only retry once\n    at run (/srv/app/main.js:3:1)\n",
        )
        .says("Looking.")
        .user("thread 'main' panicked at src/main.rs:3:5:\nyou must never do this\n")
        .says("The pool is empty.")
        .user("sounds good, do it");
    let text = summary(&talk, &Ask::default());
    assert!(text.contains("Never restart it yourself."), "{text}");
    for pasted in ["POOL_SIZE", "retry once", "never do this", "sounds good"] {
        assert!(!text.contains(pasted), "{pasted} in {text}");
    }
    assert!(
        text.contains("Latest request: (pasted) thread 'main' panicked"),
        "{text}"
    );
}

#[test]
fn a_history_summary_is_one_to_continue_from() {
    insta::assert_snapshot!(summary(&talk(), &Ask::default()));
}

#[test]
fn a_turn_prefix_has_its_own_headings() {
    let ask = Ask {
        purpose: Purpose::TurnPrefix,
        ..Ask::default()
    };
    insta::assert_snapshot!(summary(&talk(), &ask));
}

#[test]
fn a_branch_has_no_critical_context() {
    let ask = Ask {
        purpose: Purpose::Branch,
        instructions: Some("focus on the database migration"),
        ..Ask::default()
    };
    let text = summary(&talk(), &ask);
    assert!(!text.contains("Critical Context"), "{text}");
    assert!(
        text.contains("- Focus (focus on the database migration):"),
        "{text}"
    );
}

#[test]
fn an_empty_span_has_empty_sections() {
    let text = summarize(&ExtractiveInput {
        purpose: Purpose::History,
        span: Span::default(),
        previous_summary: None,
        instructions: None,
        files_read: &[],
        files_modified: &[],
        budget_tokens: 64,
    });
    assert_eq!(text.matches("(none)").count(), 8, "{text}");
}

#[test]
fn instructions_steer() {
    let instructions = Some("focus on the database migration");
    let plain = summary(
        &talk(),
        &Ask {
            budget: 260,
            ..Ask::default()
        },
    );
    let steered = summary(
        &talk(),
        &Ask {
            budget: 260,
            instructions,
            ..Ask::default()
        },
    );
    assert_ne!(plain, steered);
    assert!(!plain.contains("Focus"));
    assert!(
        steered.contains("- Focus (focus on the database migration):\n  - "),
        "{steered}"
    );
    let about = |text: &str| text.matches("igrat").count();
    assert!(about(&steered) > about(&plain), "{plain}\n---\n{steered}");
}

const PREVIOUS: &str = "## Goal\nMake the importer reliable\nLatest request: stale words\n\n\
    ## Constraints & Preferences\n- Keep Rust 1.80 compatible\n\n\
    ## Progress\n### Done\n- [x] Read the file format notes\n\n\
    ### In Progress\n- [ ] Fix quoted commas in the importer tests\n- [ ] Write a changelog entry\n\n\
    ### Blocked\n- `cargo test -p importer` fails: linker missing\n\n\
    ## Key Decisions\n- **Stay on sqlx**: the team knows it\n\n\
    ## Next Steps\n1. Benchmark the importer\n\n\
    ## Critical Context\n- Staging runs on port 6543\n\n<read-files>\nold.rs\n</read-files>";

#[test]
fn the_previous_summary_is_carried_on() {
    let text = summary(
        &talk(),
        &Ask {
            previous: Some(PREVIOUS),
            ..Ask::default()
        },
    );
    for kept in [
        "## Goal\nMake the importer reliable\n",
        "- Keep Rust 1.80 compatible\n",
        "- [x] Read the file format notes\n",
        "- [ ] Write a changelog entry\n",
        "- **Stay on sqlx**: the team knows it\n",
        "Benchmark the importer\n",
        "- Staging runs on port 6543\n",
        "Never change the public signature of parse_rows",
    ] {
        assert!(text.contains(kept), "{kept:?} is not in:\n{text}");
    }
    // What the span finished is done, what passes is no longer in the way.
    assert!(
        text.contains("- [x] Fix quoted commas in the importer tests\n"),
        "{text}"
    );
    assert!(
        text.contains("- [x] `cargo test -p importer` fails: linker missing\n"),
        "{text}"
    );
    assert!(
        !text.contains("stale words") && !text.contains("old.rs"),
        "{text}"
    );
    assert!(
        text.contains("Latest request: Good. Next: the database migration"),
        "{text}"
    );
}

#[test]
fn over_budget_the_oldest_go_first() {
    let old: String = (0..60)
        .map(|n| format!("- [x] Finished milestone {n} of subsystem{n}\n"))
        .collect();
    let previous = format!("## Progress\n### Done\n{old}");
    let text = summary(
        &talk(),
        &Ask {
            previous: Some(&previous),
            budget: 700,
            ..Ask::default()
        },
    );
    assert!(text.contains("milestone 59 "), "{text}");
    assert!(!text.contains("milestone 0 "), "{text}");
    assert!(text.contains("Edited `src/import/csv.rs` twice"), "{text}");
}

#[test]
fn a_summary_of_its_own_summary_keeps_its_headings() {
    let first = summary(&talk(), &Ask::default());
    let second = summary(
        &talk(),
        &Ask {
            previous: Some(&first),
            ..Ask::default()
        },
    );
    for line in first.lines().filter(|line| line.starts_with('#')) {
        assert_eq!(
            second.matches(line).count(),
            first.matches(line).count(),
            "{line}\n{second}"
        );
    }
    assert_eq!(second.matches("Last actions:").count(), 1, "{second}");
}

proptest! {
    #[test]
    fn any_budget_from_64_is_kept_with_all_headings(
        budget in 64u64..1500,
        purpose in prop::sample::select(vec![Purpose::History, Purpose::TurnPrefix, Purpose::Branch]),
        focus in prop::option::of("[a-z ]{0,30}"),
        chained in any::<bool>(),
    ) {
        let ask = Ask {
            purpose,
            budget,
            instructions: focus.as_deref(),
            previous: chained.then_some(PREVIOUS),
        };
        let text = summary(&talk(), &ask);
        prop_assert!(tokens(&text) <= budget, "{} > {budget}:\n{text}", tokens(&text));
        let headings = match purpose {
            Purpose::History => 9,
            Purpose::Branch => 8,
            Purpose::TurnPrefix => 3,
        };
        let found = text.lines().filter(|line| line.starts_with("## ") || line.starts_with("### "));
        prop_assert_eq!(found.count(), headings, "{}", text);
        prop_assert_eq!(&text, &summary(&talk(), &ask));
    }

    #[test]
    fn any_text_and_any_budget_hold(
        user in any::<String>(), says in "[a-zé日😀 .\n`*#-]{0,80}", output in any::<String>(),
        previous in any::<String>(), budget in 0u64..300,
    ) {
        let talk = Talk::default()
            .user(&user)
            .says(&says)
            .bash(&says, &output, true)
            .edit(&says, &output, &user)
            .user(&says)
            .bash(&says, "ok", false);
        let ask = Ask {
            budget,
            instructions: Some(&says),
            previous: Some(&previous),
            ..Ask::default()
        };
        let text = summary(&talk, &ask);
        prop_assert!(tokens(&text) <= budget, "{} > {budget}:\n{text}", tokens(&text));
    }
}
