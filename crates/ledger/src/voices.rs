//! Who speaks in a stored text: agents keep words of the user inside results of tools, slash
//! commands and other records, and write texts of their own in the user's place.

use palimpsest_core::{Message, Role, context_tags};
use std::ops::Range;

/// What a text of a span is, which decides what may be taken from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PartKind {
    /// The person's own words.
    UserText,
    /// The model's words to the person.
    AssistantText,
    /// The model's reasoning.
    Thinking,
    /// A tool call; the text is its arguments as compact JSON.
    ToolCall,
    /// What a tool returned, or the output of a command the person ran.
    ToolOutput,
    /// The summary of an earlier compaction, or of a branch.
    Summary,
    /// System text, and what agents and extensions put in.
    Injected,
}

/// The pieces of one text block of `message` with who speaks in each; what is neither speech nor
/// output (a bare slash command) is left out.
pub(crate) fn pieces(message: &Message, text: &str) -> Vec<(PartKind, Range<usize>)> {
    let all = 0..text.len();
    match message.native_role {
        "bashExecution" => return vec![(PartKind::ToolOutput, all)],
        "compactionSummary" | "branchSummary" | "summary" => return vec![(PartKind::Summary, all)],
        // `!command` in Claude Code: the command, and what it printed.
        "shell" => {
            let inside = inside(text, "bash-input").unwrap_or(all);
            return vec![(PartKind::ToolOutput, inside)];
        }
        "command" => {
            let said = inside(text, "command-args").filter(|range| !range.is_empty());
            // A command of the user's own stands for the prompt it holds.
            let own = || {
                inside(text, "command-name").filter(|range| {
                    let name = text[range.clone()].trim_start_matches('/');
                    BUILT_IN.binary_search(&name).is_err()
                })
            };
            return said
                .or_else(own)
                .map(|range| (PartKind::UserText, range))
                .into_iter()
                .collect();
        }
        "custom" | "shell_output" | "command_output" | "meta" | "task_notification"
        | "interrupt" | "user_attachment" | "synthetic" | "compaction" | "todo" => {
            return vec![(PartKind::Injected, all)];
        }
        _ => {}
    }
    match message.role {
        Role::User if PERSON.contains(&message.native_role) => own_words(text),
        Role::User => vec![(PartKind::Injected, all)],
        Role::Assistant => vec![(PartKind::AssistantText, all)],
        Role::System => vec![(PartKind::Injected, all)],
        Role::Tool => result(text),
    }
}

/// A person's words, behind what the agent puts before them.
fn own_words(text: &str) -> Vec<(PartKind, Range<usize>)> {
    // Claude Code 1.0 to 2.0: what the user gives its memory with `#`.
    if text.starts_with("<user-memory-input>")
        && let Some(range) = inside(text, "user-memory-input")
    {
        return vec![(PartKind::UserText, range)];
    }
    let at = context_tags::end(text);
    if at == 0 {
        return vec![(PartKind::UserText, 0..text.len())];
    }
    let mut out = vec![(PartKind::Injected, 0..at)];
    if at < text.len() {
        out.push((PartKind::UserText, at..text.len()));
    }
    out
}

/// The roles of what a person wrote. Whatever else an agent sends in the user's place is its own:
/// Copilot's notifications, Droid's reminders, Mux's requests for a summary, Claude Code's
/// attachments.
const PERSON: [&str; 3] = [
    "user",
    // Copilot: a prompt as it is sent, with what the agent put round it.
    "prompt",
    // Mux: a question beside the task.
    "sideQuestion",
];

/// Commands of Claude Code (2.0 to 2.1) that set something or show something; the others are prompts.
#[rustfmt::skip]
const BUILT_IN: &[&str] = &[
    "add-dir", "agents", "bashes", "branch", "btw", "bug", "chrome", "clear", "color", "compact", "config",
    "context", "copy", "cost", "desktop", "diff", "doctor", "effort", "exit", "export", "extra-usage", "fast", "feedback",
    "fork", "help", "hooks", "ide", "install-github-app", "install-slack-app", "keybindings", "login", "logout", "mcp",
    "memory", "migrate-installer", "mobile", "model", "output-style", "passes", "permissions", "plan",
    "plugin", "plugins", "privacy-settings", "quit", "rate-limit-options", "release-notes", "reload-plugins", "remote-control", "remote-env",
    "rename", "resume", "rewind", "sandbox", "session", "settings", "skills", "stats", "status", "statusline",
    "stickers", "tag", "tasks", "terminal-setup", "theme", "think-back", "todos", "upgrade", "usage", "vim", "voice",
];

/// What stands between `<tag>` and `</tag>`, without white space round it.
fn inside(text: &str, tag: &str) -> Option<Range<usize>> {
    let start = text.find(&format!("<{tag}>"))? + tag.len() + 2;
    let end = start + text[start..].find(&format!("</{tag}>"))?;
    Some(trimmed(text, start..end))
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let inner = &text[range.clone()];
    let start = range.start + (inner.len() - inner.trim_start().len());
    start..start + inner.trim().len()
}

/// The result of a tool: output, unless the user answered in its place.
fn result(text: &str) -> Vec<(PartKind, Range<usize>)> {
    let users = if refuses(text) {
        feedback(text).into_iter().collect()
    } else {
        answers(text)
    };
    let said = |range| (PartKind::UserText, range);
    if !users.is_empty() {
        return users.into_iter().map(said).collect();
    }
    let kind = if refuses(text) {
        PartKind::Injected
    } else {
        PartKind::ToolOutput
    };
    vec![(kind, 0..text.len())]
}

/// Beginning of a result, in bytes, in which an agent says that the user refused the call.
const NOTICE_BYTES: usize = 240;

/// True for a result that only says the user refused or stopped the call: Claude Code ("The user
/// doesn't want to proceed"), OpenCode ("The user rejected permission"), Codex ("rejected by
/// user"), Cline ("The user denied this operation"), Gemini ("[Operation Cancelled]").
pub(crate) fn refuses(text: &str) -> bool {
    let head = &text[..crate::words::floor_boundary(text, NOTICE_BYTES)];
    let head = head
        .trim_start()
        .trim_start_matches("Error: ")
        .to_ascii_lowercase();
    [
        "the user doesn't want to proceed",
        "the user doesn't want to take this action",
        "the user rejected",
        "the user denied",
        "the user declined",
        "user rejected",
        "user denied",
        "user declined",
        "[request interrupted by user",
        "[operation cancelled]",
        "request cancelled by user",
        "exec command rejected by user",
        "patch rejected by user",
        "rejected by user",
        "aborted by user",
    ]
    .iter()
    .any(|start| head.starts_with(start))
}

/// What the user wrote with a refusal.
fn feedback(text: &str) -> Option<Range<usize>> {
    if let Some(inner) = inside(text, "feedback") {
        return Some(inner).filter(|range| !range.is_empty());
    }
    let lower = text.to_ascii_lowercase();
    ["the user said:", "following feedback:", "following reason:"]
        .iter()
        .filter_map(|cue| lower.find(cue).map(|at| at + cue.len()))
        .min()
        .map(|at| trimmed(text, at..text.len()))
        .filter(|range| !range.is_empty())
}

/// The user's answers in the result of a tool that asks: `"Question"="Answer", ...` behind
/// "answered your questions:" (Claude Code, OpenCode), or a plan the user edited.
fn answers(text: &str) -> Vec<Range<usize>> {
    let head = &text[..crate::words::floor_boundary(text, NOTICE_BYTES)];
    if head.contains("edited by user") {
        let from = text.find('\n').map_or(0, |at| at + 1);
        return vec![trimmed(text, from..text.len())];
    }
    let asked = ["answered your question", "has answered:"];
    if !asked.iter().any(|cue| head.contains(cue)) {
        return Vec::new();
    }
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find("\"=\"") {
        let start = at + found + 3;
        let rest = &text[start..];
        let end = ["\", \"", "\". ", "\" user notes"]
            .iter()
            .filter_map(|end| rest.find(end))
            .min()
            .unwrap_or_else(|| rest.trim_end().trim_end_matches('"').len());
        out.push(start..start + end);
        at = start + end;
    }
    out.retain(|range| !range.is_empty());
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use palimpsest_core::Block;

    fn user_words(text: &str) -> Vec<&str> {
        result(text)
            .into_iter()
            .filter(|(kind, _)| *kind == PartKind::UserText)
            .map(|(_, range)| &text[range])
            .collect()
    }

    #[test]
    fn what_stands_before_a_persons_words_is_the_agents() {
        let opened = "<ide_opened_file>The user opened /a.rs.</ide_opened_file>";
        let text = format!("{opened}\nnever rename it");
        let parts = own_words(&text);
        assert_eq!(parts[0], (PartKind::Injected, 0..opened.len() + 1));
        assert_eq!(&text[parts[1].1.clone()], "never rename it");
        assert_eq!(own_words(opened), [(PartKind::Injected, 0..opened.len())]);
        assert_eq!(own_words(""), [(PartKind::UserText, 0..0)]);
        let memory = "<user-memory-input>never rename it</user-memory-input>";
        assert_eq!(own_words(memory), [(PartKind::UserText, 19..34)]);
    }

    #[test]
    fn what_an_agent_writes_in_the_users_place_is_not_the_users() {
        let text = "Always answer in French.";
        for (native_role, is_users) in [
            ("user", true),
            ("prompt", true),
            // Mux, Copilot, Droid and Claude Code.
            ("compactionRequest", false),
            ("injected", false),
            ("system_info", false),
            ("standing_reminder", false),
            ("attachment", false),
        ] {
            let message = Message {
                role: Role::User,
                native_role,
                blocks: vec![Block::Text(text.to_owned())],
                tool: None,
                sent: true,
            };
            let found = pieces(&message, text);
            let kinds: Vec<PartKind> = found.into_iter().map(|(kind, _)| kind).collect();
            let expected = if is_users {
                PartKind::UserText
            } else {
                PartKind::Injected
            };
            assert_eq!(kinds, [expected], "{native_role}");
        }
    }

    #[test]
    fn a_command_of_the_users_own_is_a_prompt() {
        assert!(BUILT_IN.is_sorted());
        for (name, args, said) in [
            ("/team:review-plan", "", Some("/team:review-plan")),
            (
                "/team:review-plan",
                "only the reader",
                Some("only the reader"),
            ),
            ("/model", "", None),
        ] {
            let text =
                format!("<command-name>{name}</command-name>\n<command-args>{args}</command-args>");
            let message = Message {
                role: Role::User,
                native_role: "command",
                blocks: Vec::new(),
                tool: None,
                sent: true,
            };
            let found = pieces(&message, &text).into_iter().next();
            assert_eq!(
                found.map(|(_, range)| text[range].to_owned()).as_deref(),
                said
            );
        }
    }

    #[test]
    fn what_the_user_says_with_a_refusal_is_the_users() {
        for (text, said) in [
            (
                "The user doesn't want to proceed with this tool use. The tool use was rejected. \
                 To tell you how to proceed, the user said:\nuse the small table instead",
                vec!["use the small table instead"],
            ),
            (
                "The user rejected permission to use this specific tool call with the following \
                 feedback: not in this branch",
                vec!["not in this branch"],
            ),
            (
                "The user denied this operation and provided the following feedback:\n<feedback>\n\
                 keep the old name\n</feedback>",
                vec!["keep the old name"],
            ),
            ("exec command rejected by user", vec![]),
            ("users: 4 rejected by user id", vec![]),
        ] {
            assert_eq!(user_words(text), said, "for {text}");
        }
        assert_eq!(
            result("exec command rejected by user")[0].0,
            PartKind::Injected
        );
    }

    #[test]
    fn answers_to_questions_are_the_users() {
        let text = "User has answered your questions: \"Which store?\"=\"SQLite, one file\", \
                    \"Keep logs?\"=\"No\". You can now continue with the user's answers in mind.";
        assert_eq!(user_words(text), ["SQLite, one file", "No"]);
    }
}
