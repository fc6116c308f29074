//! A made-up conversation: requests, thoughts, calls, results.

use palimpsest_core::{Block, EntryIx, Message, Role, ToolRef};
use palimpsest_ledger::SpanItem;
use serde_json::json;
use std::fmt::Write as _;

const VERBS: [&str; 8] = [
    "reads", "writes", "sorts", "drops", "checks", "merges", "splits", "keeps",
];
const THINGS: [&str; 12] = [
    "row", "table", "index", "header", "cursor", "page", "lock", "cache", "query", "batch",
    "shard", "buffer",
];

fn message(role: Role, native_role: &'static str, block: Block, tool: Option<ToolRef>) -> Message {
    Message {
        role,
        native_role,
        blocks: vec![block],
        tool,
        sent: true,
    }
}

/// Turns of a request, then thoughts, calls and results, until `bytes` are reached; turns are numbered
/// behind `from`.
pub fn conversation(bytes: usize, from: usize) -> Vec<Message> {
    let mut out = Vec::new();
    let mut size = 0;
    let mut turn = from;
    while size < bytes {
        turn += 1;
        let thing = THINGS[turn % THINGS.len()];
        let verb = VERBS[turn % VERBS.len()];
        let file = format!("src/{thing}/part_{}.rs", turn % 150);
        let name = format!("{verb}_{thing}_{}", turn % 300);
        let id = format!("call-{turn}");
        let mut push = |message: Message| {
            for block in &message.blocks {
                size += match block {
                    Block::Text(text) | Block::Thinking { text, .. } => text.len(),
                    Block::ToolCall { arguments, .. } => arguments.len(),
                    _ => 0,
                };
            }
            out.push(message);
        };
        if turn.is_multiple_of(12) {
            let text = format!(
                "Please make `{name}` in {file} return the {thing} within {} ms. Never touch the {verb} path.",
                turn % 90 + 10
            );
            push(message(Role::User, "user", Block::Text(text), None));
        }
        let thought = format!(
            "The `{name}` function {verb} the {thing} twice because the cache of {file} is not \
             locked. Let me look at how it {verb} a {thing} there."
        );
        let thought = Block::Thinking {
            text: thought,
            redacted: false,
        };
        push(message(Role::Assistant, "assistant", thought, None));
        let (tool, arguments) = match turn % 4 {
            0 => (
                "Read",
                json!({"file_path": format!("/home/dev/app/{file}"), "offset": turn % 400}),
            ),
            1 => (
                "Edit",
                json!({"file_path": format!("/home/dev/app/{file}"), "old_string": format!("fn {name}()"),
                    "new_string": format!("fn {name}_{turn}() {{\n    let {thing} = load();\n}}\n").repeat(12)}),
            ),
            2 => (
                "Bash",
                json!({"command": format!("cargo test -p app {name} 2>&1 | tail -40")}),
            ),
            _ => ("Grep", json!({"pattern": name, "path": "src"})),
        };
        let call = Block::ToolCall {
            id: id.clone(),
            name: tool.to_owned(),
            arguments: arguments.to_string(),
        };
        push(message(Role::Assistant, "assistant", call, None));
        let mut output = String::new();
        for line in 0..90 {
            let _ = match tool {
                "Bash" if line == 80 => writeln!(
                    output,
                    "error[E0308]: {file}:{turn}:9: mismatched types in {name}"
                ),
                "Bash" => writeln!(output, "test {thing}::{verb}_{line}_{turn} ... ok"),
                "Grep" => writeln!(
                    output,
                    "src/{thing}/part_{line}.rs:{turn}:    let {thing} = {name}({line});"
                ),
                _ => writeln!(
                    output,
                    "{line:>5}\u{2192}    let {thing}_{line} = {verb}({}, \"{name}\");",
                    turn * line
                ),
            };
        }
        let tool = ToolRef {
            call_id: id,
            name: tool.to_owned(),
            is_error: false,
        };
        push(message(
            Role::Tool,
            "tool_result",
            Block::Text(output),
            Some(tool),
        ));
        let said =
            format!("Fixed: `{name}` now {verb} the {thing} once. The tests of {file} pass.");
        push(message(
            Role::Assistant,
            "assistant",
            Block::Text(said),
            None,
        ));
    }
    out
}

/// The messages as a span whose entries are numbered from `from`.
pub fn items(messages: &[Message], from: usize) -> Vec<SpanItem<'_>> {
    let numbered = messages.iter().enumerate();
    numbered
        .map(|(at, message)| SpanItem {
            entry: EntryIx::new(from + at),
            message_index: 0,
            message,
            at_ms: None,
        })
        .collect()
}

/// A summary that names some of what the turns behind `from` were about.
pub fn summary(from: usize) -> String {
    let mut summary = String::from("## Goal\nMake the readers faster.\n\n## Done\n");
    for turn in from..from + 120 {
        let thing = THINGS[turn % THINGS.len()];
        let verb = VERBS[turn % VERBS.len()];
        let _ = writeln!(
            summary,
            "- `{verb}_{thing}_{turn}` in src/{thing}/part_{turn}.rs {verb} the {thing} once"
        );
    }
    summary
}
