//! How a command ended: by its exit status where that is told, by its own verdict where a pipe or an
//! agent hides the status.

use crate::{commands, errors, located, scripts, test_counts, words};

/// Words that name a command which tests, builds or checks.
const CHECKING: &[&str] = &[
    "test",
    "tests",
    "build",
    "check",
    "lint",
    "clippy",
    "vet",
    "verify",
    "typecheck",
    "compile",
    "pytest",
    "jest",
    "vitest",
    "mocha",
    "tsc",
    "tsgo",
    "mypy",
    "ruff",
    "eslint",
    "biome",
    "golangci-lint",
    "tox",
    "ctest",
    "gradle",
    "gradlew",
    "mvn",
    "make",
    "rspec",
    "phpunit",
    "staticcheck",
    "pyright",
    "flake8",
    "ci",
    "nextest",
];

/// Programs whose arguments name things and not what is done.
const MANAGING: &[&str] = &[
    "git", "gh", "mkdir", "rm", "mv", "cp", "touch", "ln", "chmod",
];

/// Words with which agents end the output of a command that was stopped before its end.
const STOPPED: &[&str] = &[
    "command aborted",
    "[request interrupted by user",
    "interrupted by user",
    "aborted by user",
    "cancelled by user",
    "canceled by user",
    "(aborted)",
];

/// True for the output of a command that somebody stopped: how it would have ended is unknown.
pub fn was_interrupted(output: &str) -> bool {
    let Some(last) = output.lines().rev().find(|line| !line.trim().is_empty()) else {
        return false;
    };
    tells_of_stop(last)
}

/// True for a line with which an agent ends the output of a command that was stopped.
pub(crate) fn tells_of_stop(line: &str) -> bool {
    let line = line.trim().to_ascii_lowercase();
    STOPPED.iter().any(|words| line.starts_with(words))
}

/// True for a script that throws all changes away that are not committed.
pub fn throws_changes_away(script: &str) -> bool {
    scripts::steps(script).iter().any(|step| {
        match commands::words_of(step.text(script)).as_slice() {
            ["git", "checkout", rest @ ..] => matches!(rest, ["."] | ["--", "."]),
            ["git", "restore", rest @ ..] => rest.last() == Some(&"."),
            ["git", "reset", rest @ ..] => rest.contains(&"--hard"),
            _ => false,
        }
    })
}

/// True for a command that tests, builds or checks something: its verdict can change with the files.
pub fn is_check(command: &str) -> bool {
    scripts::steps(command).iter().any(|step| {
        if scripts::looks(step, command) {
            return false;
        }
        let all = commands::words_of(step.text(command));
        let Some(plain_first) = all.first() else {
            return false;
        };
        let plain = all.iter().filter(|word| !word.starts_with('-')).take(3);
        plain
            .flat_map(|word| word.split([':', '/']))
            .any(|word| CHECKING.contains(&word))
            && !MANAGING.contains(plain_first)
    })
}

/// Whether `output` is of a command that went well. `reported` is true where the agent marked the
/// result as failed. `None` where neither the status nor a verdict is told and the output complains.
pub fn went_well(command: &str, output: &str, reported: bool) -> Option<bool> {
    let code = exit_code(output);
    if reported || code.is_some_and(|code| code != 0) {
        return Some(false);
    }
    // A pipe has the status of its last program, so a runner's own verdict counts more.
    if is_check(command) {
        return Some(!says_failed(output));
    }
    if code.is_some() {
        return Some(true);
    }
    let failed = test_counts::counts(output)
        .iter()
        .any(|(_, key)| key.ends_with("failed"));
    let complains = failed || !errors::error_lines(output, false).is_empty();
    (!complains).then_some(true)
}

/// Beginnings of lines in which runners, compilers and task tools say that they failed.
const VERDICTS: &[&str] = &[
    "FAIL",
    "FAILED",
    "--- FAIL",
    "error:",
    "error[",
    "Error:",
    "ERROR:",
    "ERROR in",
    "BUILD FAILED",
    "npm ERR!",
    "npm error",
    "make: ***",
    "panic:",
    "fatal:",
    "FAILURE:",
    "× Some errors",
];

/// True for the output of a check that says of itself that it failed.
fn says_failed(output: &str) -> bool {
    if test_counts::counts(output)
        .iter()
        .any(|(_, key)| key.ends_with("failed"))
    {
        return true;
    }
    words::lines(output).any(|line| {
        let line = output[line].trim();
        let said = VERDICTS.iter().any(|start| line.starts_with(start))
            || line.ends_with("ERROR task failed")
            || line.contains(" ... FAILED");
        let counted = ["0 error", "no error", "0 failed"];
        let lower = line.to_ascii_lowercase();
        (said && !counted.iter().any(|none| lower.contains(none)))
            || (located::is_diagnostic(line) && !lower.contains("warning"))
    })
}

/// The exit code that an output names in its first or last lines.
pub fn exit_code(text: &str) -> Option<i64> {
    let mut first = text.lines().take(4);
    let mut last = text.lines().rev().take(4);
    let read = |line: &str| {
        let lower = line.to_ascii_lowercase();
        // What a script prints itself: `EXIT 2`, `exit=2`.
        let echoed = lower.strip_prefix("exit");
        let code = echoed.map(|rest| rest.trim_matches([':', '=', ' ']));
        if let Some(code) = code.and_then(|code| code.parse().ok()) {
            return Some(code);
        }
        let marks = ["exit code", "exited with code", "exit status"];
        let rest = marks.iter().find_map(|mark| {
            let at = lower.find(mark)?;
            (at < 40).then(|| lower[at + mark.len()..].to_owned())
        })?;
        let rest = rest.trim_start_matches([':', ' ', '=']);
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    };
    first.find_map(read).or_else(|| last.find_map(read))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_decides_and_a_hidden_one_is_read_from_the_verdict() {
        for (command, output, reported, well) in [
            (
                "make deploy",
                "Exit code 2\nno such host",
                true,
                Some(false),
            ),
            (
                "git commit -m x",
                "[main 1a2b3c4] fix: error text\n 1 file changed",
                false,
                Some(true),
            ),
            (
                "go test ./... 2>&1 | tail -50",
                "--- FAIL: TestRows (0.1s)\nFAIL",
                false,
                Some(false),
            ),
            (
                "mise run test 2>&1 | tail",
                "[test] ERROR task failed",
                false,
                Some(false),
            ),
            (
                "cargo test",
                "test result: ok. 14 passed; 0 failed",
                false,
                Some(true),
            ),
            (
                "cargo test",
                "test errors::a_fatal_error_is_shown ... ok",
                false,
                Some(true),
            ),
            (
                "golangci-lint run ./... | head",
                "a/b.go:3:4: unused result",
                false,
                Some(false),
            ),
            ("npm run check", "0 errors, 0 warnings", false, Some(true)),
            ("git push", "Command exited with code 1", true, Some(false)),
            (
                "./rows; echo EXIT $?",
                "no row 3\nEXIT 2",
                false,
                Some(false),
            ),
            ("./rows; echo exit=$?", "row 3\nexit=0", false, Some(true)),
            ("./deploy.sh", "error: no such host", false, None),
        ] {
            assert_eq!(
                went_well(command, output, reported),
                well,
                "{command}: {output}"
            );
        }
    }

    #[test]
    fn checks_are_told_from_other_commands() {
        for (command, checks) in [
            ("cargo test -p core", true),
            ("mise run lint 2>&1", true),
            ("A=b npm run check | tail -3", true),
            ("mise run test:integration", true),
            ("git commit -m 'test the build'", false),
            ("gh pr checks 12", false),
            ("mkdir -p build", false),
            ("cat test.log", false),
            ("# the test\ngh api a/b", false),
        ] {
            assert_eq!(is_check(command), checks, "{command}");
        }
    }
}
