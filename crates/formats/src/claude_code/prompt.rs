//! What a user record without tool results is: a prompt, or one of the texts that Claude Code
//! writes in the user's place.

use super::trail::INTERRUPT;
use crate::measure::head;
use palimpsest_core::context_tags;

/// What a user's text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    /// The user's own words.
    Prompt,
    /// A slash command the user gave.
    Command,
    /// What a slash command printed.
    CommandOutput,
    /// A shell command the user ran beside the model (`!`).
    Shell,
    /// What it printed.
    ShellOutput,
    /// A background task has finished.
    TaskNotification,
    /// The user stopped the model.
    Interrupt,
    /// A note of the agent, hidden in its window (`isMeta`).
    Meta,
    /// The summary of a compaction.
    Summary,
}

impl Said {
    /// The name of the entry's type; `None` for what has a kind of its own.
    pub fn custom_type(self) -> Option<&'static str> {
        Some(match self {
            Said::Prompt | Said::Shell | Said::Summary => return None,
            Said::Command => "command",
            Said::CommandOutput => "command_output",
            Said::ShellOutput => "shell_output",
            Said::TaskNotification => "task_notification",
            Said::Interrupt => INTERRUPT,
            Said::Meta => "meta",
        })
    }

    /// The word for the message's role.
    pub fn native_role(self) -> &'static str {
        match self {
            Said::Prompt => "user",
            Said::Shell => "shell",
            Said::Summary => "summary",
            other => other.custom_type().unwrap_or("user"),
        }
    }

    /// True for what the user did.
    pub fn is_users(self) -> bool {
        matches!(self, Said::Prompt | Said::Command | Said::Shell)
    }
}

/// What a text says it is, by how it begins.
pub(super) fn said(first_words: &str) -> Said {
    const STARTS: [(&str, Said); 11] = [
        ("<command-name>", Said::Command),
        ("<command-message>", Said::Command),
        ("<local-command-stdout>", Said::CommandOutput),
        ("<local-command-stderr>", Said::CommandOutput),
        ("<local-command-caveat>", Said::Meta),
        ("<bash-input>", Said::Shell),
        ("<bash-stdout>", Said::ShellOutput),
        ("<bash-stderr>", Said::ShellOutput),
        ("<task-notification>", Said::TaskNotification),
        // The same of a command in the background, before 2.1.
        ("<bash-notification>", Said::TaskNotification),
        ("[Request interrupted by user", Said::Interrupt),
    ];
    let start = STARTS
        .iter()
        .find(|(start, _)| first_words.starts_with(start));
    match start {
        Some((_, said)) => *said,
        None if context_tags::opens(first_words) => Said::Meta,
        None => Said::Prompt,
    }
}

/// A text as a row of a list shows it: tags round commands and their output are left out.
pub(super) fn preview(text: &str) -> Box<str> {
    let inside = |tag: &str| {
        let (_, rest) = text.split_once(&format!("<{tag}>"))?;
        rest.split_once(&format!("</{tag}>"))
            .map(|(inside, _)| inside.trim())
    };
    if let Some(name) = inside("command-name") {
        return head(&format!(
            "{name} {}",
            inside("command-args").unwrap_or_default()
        ));
    }
    if let Some(command) = inside("bash-input") {
        return head(&format!("$ {command}"));
    }
    let tags = [
        "local-command-stdout",
        "bash-stdout",
        "bash-stderr",
        "local-command-stderr",
        "summary",
    ];
    let mut found = tags.into_iter().filter_map(inside).peekable();
    // A prompt may quote such a tag.
    if said(text) != Said::Prompt && found.peek().is_some() {
        let printed = found.find(|text| !text.is_empty());
        return head(printed.unwrap_or("(no output)"));
    }
    head(text)
}

/// The words after a `/compact` command.
pub(super) fn compact_instructions(text: &str) -> Option<Box<str>> {
    let (_, rest) = text.split_once("<command-name>/compact</command-name>")?;
    let (_, rest) = rest.split_once("<command-args>")?;
    let (words, _) = rest.split_once("</command-args>")?;
    let words = words.trim();
    (!words.is_empty()).then(|| words.into())
}
