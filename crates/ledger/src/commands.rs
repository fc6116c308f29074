//! Shell commands: the line that identifies a command, and what kind of command it is.

use serde_json::Value;

/// The identifying line of a command argument: a string, or an array of words as Codex stores it.
pub fn from_json(argument: &Value) -> Option<String> {
    match argument {
        Value::String(text) => first_line(text).map(str::to_owned),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            // `bash -lc SCRIPT` runs the script; the shell in front tells nothing.
            match words.as_slice() {
                [_, "-lc" | "-c", script] => first_line(script).map(str::to_owned),
                [] => None,
                words => Some(words.join(" ")),
            }
        }
        _ => None,
    }
}

/// The first line of `script` that does something: blank lines, comments and `set -e` are passed
/// over, and a leading `cd DIR &&` is taken off.
pub fn first_line(script: &str) -> Option<&str> {
    let line = script
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty() && !line.starts_with('#') && !line.starts_with("set -"))?;
    let rest = match (line.starts_with("cd "), line.split_once("&&")) {
        (true, Some((_, rest))) if !rest.trim().is_empty() => rest.trim(),
        _ => line,
    };
    Some(rest)
}

/// A command with its white space collapsed, which is what makes two commands the same.
pub fn key(command: &str) -> String {
    command.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The program and, where it has one, the subcommand: `cargo test`, `git commit`, `make`.
pub fn head(command: &str) -> String {
    let mut words = command
        .split_whitespace()
        .filter(|word| !word.contains('=') && !matches!(*word, "sudo" | "time" | "env" | "npx"));
    let Some(program) = words.next() else {
        return String::new();
    };
    match words.next() {
        Some(sub)
            if sub
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || c == '-' || c == ':') =>
        {
            format!("{program} {sub}")
        }
        _ => program.to_owned(),
    }
}

/// True when every stage of the command only looks (`ls`, `cat`, `grep`, `git log`...), so that
/// its output is a listing of something that is still there.
pub fn only_looks(command: &str) -> bool {
    command
        .split(['|', ';', '&'])
        .map(str::trim)
        .filter(|stage| !stage.is_empty())
        .all(|stage| {
            let mut words = stage.split_whitespace();
            let program = words.next().unwrap_or_default();
            match program.rsplit('/').next().unwrap_or_default() {
                "git" => matches!(
                    words.next(),
                    Some(
                        "log"
                            | "show"
                            | "diff"
                            | "status"
                            | "blame"
                            | "grep"
                            | "ls-files"
                            | "branch"
                    )
                ),
                // `sed -i` changes; plain sed prints.
                "sed" => !words.any(|word| word.starts_with("-i")),
                "find" => !words.any(|word| word == "-delete" || word == "-exec"),
                "ls" | "cat" | "head" | "tail" | "grep" | "rg" | "wc" | "pwd" | "cd" | "echo"
                | "tree" | "file" | "stat" | "which" | "less" | "more" | "sort" | "uniq"
                | "cut" | "awk" | "nl" | "du" | "ag" | "fd" | "jq" | "xxd" | "printf" | "true" => {
                    true
                }
                _ => false,
            }
        })
}

/// The command of a shell run by the person, from its message text: agents write it as the first
/// line, bare, after a `$`, or in backticks after a verb.
pub fn from_user_shell(text: &str) -> Option<&str> {
    let line = first_line(text)?;
    let line = line.strip_prefix("$ ").unwrap_or(line);
    match line.find('`') {
        Some(open) if line[..open].split_whitespace().count() <= 2 => {
            let inner = &line[open + 1..];
            Some(&inner[..inner.find('`').unwrap_or(inner.len())])
        }
        _ => Some(line),
    }
    .filter(|line| !line.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_does_something_identifies_a_command() {
        assert_eq!(
            first_line("set -e\n# build\ncargo build\nls"),
            Some("cargo build")
        );
        assert_eq!(
            first_line("cd /srv/app && npm test -- --run"),
            Some("npm test -- --run")
        );
        assert_eq!(first_line("  \n"), None);
        assert_eq!(
            from_json(&serde_json::json!(["bash", "-lc", "make check"])).as_deref(),
            Some("make check")
        );
    }

    #[test]
    fn heads_name_program_and_subcommand() {
        assert_eq!(head("RUST_LOG=debug cargo test -p core"), "cargo test");
        assert_eq!(head("./run.sh --fast"), "./run.sh --fast");
        assert_eq!(head("make"), "make");
    }

    #[test]
    fn looking_is_told_from_doing() {
        assert!(only_looks("grep -rn foo src | head -20"));
        assert!(only_looks("git log --oneline"));
        assert!(!only_looks("sed -i s/a/b/ x"));
        assert!(!only_looks("cat x && cargo test"));
    }

    #[test]
    fn commands_of_the_person_are_found_in_each_spelling() {
        assert_eq!(
            from_user_shell("Ran `npm test`\n```\nok\n```"),
            Some("npm test")
        );
        assert_eq!(from_user_shell("$ npm test\nok"), Some("npm test"));
        assert_eq!(from_user_shell("npm test\nok"), Some("npm test"));
    }
}
