//! Calls after which what was read or run before may be another: a subagent works, or git takes
//! other versions of files.

use crate::span::{Call, Part, ToolAction};
use crate::{commands, reports, scripts};

/// True for a call that may change any file.
pub(crate) fn may_change_any(part: &Part<'_>, call: &Call<'_>) -> bool {
    match &call.script {
        Some(script) => scripts::steps(script)
            .iter()
            .any(|step| takes_versions(&commands::words_of(step.text(script)))),
        None => call.action == ToolAction::Other && is_working_subagent(part, call),
    }
}

/// True for a command of git that puts other versions of files into the working tree.
fn takes_versions(words: &[&str]) -> bool {
    let ["git", verb, rest @ ..] = words else {
        return false;
    };
    match *verb {
        "merge" | "pull" | "rebase" | "cherry-pick" | "revert" | "apply" | "am" => true,
        "checkout" | "switch" => !rest
            .iter()
            .any(|word| matches!(*word, "-b" | "-B" | "-c" | "-C")),
        "reset" => rest.contains(&"--hard"),
        _ => false,
    }
}

/// True for a subagent that does more than look.
fn is_working_subagent(part: &Part<'_>, call: &Call<'_>) -> bool {
    let looks = |kind: &str| part.text.contains(&format!("\"{kind}\""));
    reports::asks_subagent(&call.tool.to_ascii_lowercase())
        && !["Explore", "explore", "Plan", "plan"]
            .into_iter()
            .any(looks)
}

/// True for a command whose answer no change of a file of the project makes another: the help or
/// the version of a program.
pub(crate) fn asks_help(command: &str) -> bool {
    let mut words = command.split_whitespace();
    let first = words.next();
    first == Some("man") || words.any(|word| matches!(word, "--help" | "--version" | "-h"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_versions_come_by_some_commands_of_git() {
        let takes = |command: &str| takes_versions(&command.split(' ').collect::<Vec<_>>());
        assert!(takes("git merge origin/main") && takes("git checkout topic/rows"));
        assert!(!takes("git checkout -b topic/rows") && !takes("git status"));
        assert!(takes("git reset --hard") && !takes("git reset HEAD"));
    }

    #[test]
    fn help_stays_as_it_is() {
        assert!(asks_help("rows --help") && asks_help("rows sort -h") && asks_help("man rows"));
        assert!(!asks_help("rows --helper"));
    }
}
