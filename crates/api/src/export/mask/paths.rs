//! Which words of a text are paths, and their parts.

use super::plain::{is_common, is_plain_compound};

/// Folders and files whose names say nothing of a user or a project.
const COMMON: [&str; 68] = [
    "home",
    "Users",
    "users",
    "root",
    "tmp",
    "var",
    "usr",
    "etc",
    "opt",
    "mnt",
    "src",
    "lib",
    "bin",
    "test",
    "tests",
    "docs",
    "target",
    "build",
    "dist",
    "work",
    "code",
    "projects",
    "crates",
    "packages",
    "proc",
    "sys",
    "dev",
    "share",
    "include",
    "local",
    "sbin",
    "private",
    "null",
    "env",
    "node_modules",
    "site-packages",
    "workspace",
    "workspaces",
    "repos",
    "Documents",
    "Desktop",
    "Downloads",
    "Library",
    "Applications",
    "Volumes",
    "main",
    "mod",
    "index",
    "README",
    "package",
    "package-lock",
    "Cargo",
    "tsconfig",
    "pyproject",
    "CHANGELOG",
    "CONTRIBUTING",
    "AGENTS",
    "CLAUDE",
    "LICENSE",
    "Makefile",
    "Dockerfile",
    "__init__",
    "setup",
    "conftest",
    "settings",
    "config",
    "origin",
    "refs",
];

/// Folders that a path of a project begins with.
const FIRST: [&str; 6] = ["src", "lib", "crates", "packages", "tests", "dist"];

/// Endings that make a word a file. Others are words with a dot (`e.g`, `foo.bar()`).
const ENDINGS: [&str; 46] = [
    "rs", "ts", "tsx", "js", "jsx", "mjs", "cjs", "py", "go", "c", "h", "cc", "cpp", "hpp", "java",
    "kt", "rb", "php", "cs", "swift", "sh", "bash", "zsh", "sql", "md", "txt", "json", "jsonl",
    "toml", "yaml", "yml", "xml", "html", "css", "svelte", "vue", "lock", "log", "csv", "env",
    "ini", "cfg", "conf", "patch", "diff", "proto",
];

/// Endings that fields of programs have as names: `process.env`, `console.log`.
const FIELDS: [&str; 14] = [
    "c", "h", "lock", "log", "env", "conf", "cfg", "patch", "diff", "json", "html", "css", "sql",
    "js",
];

/// Letters that make an escape with a backslash before them.
pub(super) const ESCAPES: &str = "ntrbfv0eux\"'";

/// Whether a part of a path is one that everybody has.
pub(super) fn is_everybodys(name: &str) -> bool {
    COMMON.contains(&name)
        || name.chars().filter(|c| c.is_alphanumeric()).count() < 2
        || !name.chars().any(char::is_alphabetic)
        // Folders and files of tools.
        || name
            .strip_prefix('.')
            .is_some_and(|rest| !rest.starts_with('.') && rest.split('.').all(is_plain_compound))
}

/// Whether a word with a drive, a share or a home in front has backslashes between its parts.
pub(super) fn is_windows(word: &str) -> bool {
    let mut chars = word.chars();
    let drive =
        chars.next().is_some_and(|c| c.is_ascii_alphabetic()) && chars.as_str().starts_with(":\\");
    let here = ["~\\", ".\\", "..\\"].iter().any(|own| {
        // `done.\n` is the end of a sentence.
        let rest = word.strip_prefix(own);
        rest.is_some_and(|rest| !rest.starts_with(|c| ESCAPES.contains(c) || c == '\\'))
    });
    drive || here
}

/// Whether a word without a scheme is a path. `tagged` tells that a `<` stands before it.
pub(super) fn is_path(word: &str, tagged: bool) -> bool {
    if is_windows(word) {
        return true;
    }
    let parts: Vec<&str> = word
        .split(['/', '\\'])
        .filter(|part| !part.is_empty())
        .collect();
    // Only figures and signs: a date, a ratio.
    if parts.is_empty() || !word.chars().any(char::is_alphabetic) {
        return false;
    }
    if !word.contains(['/', '\\']) {
        return is_file(word);
    }
    if ["~/", "./", "../"].iter().any(|own| word.starts_with(own)) {
        return true;
    }
    // `</section>`, `<br/>`, `//comment`
    if tagged && parts.len() == 1 || word.starts_with("//") && parts.len() == 1 {
        return false;
    }
    if word.starts_with('/') && (parts.len() > 1 || is_file(parts[0])) {
        return true;
    }
    // A case of a test in Go.
    let case = parts[0].strip_prefix("Test");
    if case.is_some_and(|rest| rest.starts_with(char::is_uppercase)) && parts.len() == 2 {
        return false;
    }
    let ends_as_file = parts.last().is_some_and(|last| has_ending(last));
    ends_as_file
        || parts.len() > 1 && FIRST.contains(&parts[0])
        || !parts.iter().all(|part| is_plain_compound(part))
}

fn has_ending(name: &str) -> bool {
    let name = name.split(':').next().unwrap_or_default();
    name.rsplit_once('.').is_some_and(|(stem, ending)| {
        stem.chars().any(char::is_alphabetic) && ENDINGS.contains(&ending)
    })
}

/// Whether a word without a separator is the name of a file.
fn is_file(word: &str) -> bool {
    let name = word.split(':').next().unwrap_or_default();
    let Some((stem, ending)) = name.rsplit_once('.') else {
        return false;
    };
    let is_field = FIELDS.contains(&ending) && (is_common(stem) || stem.contains('.'));
    has_ending(name) && !is_field
}

#[cfg(test)]
mod tests {
    use super::is_path;

    #[test]
    fn paths_are_told_from_words_with_slashes() {
        for path in [
            "/home/anna/x",
            "~/notes",
            "./run",
            "src/queue",
            "crates/holm/a",
            "holm/website",
            "queue.rs",
            "a/queue.rs:12",
            "C:\\Users\\anna",
            "/holm.txt",
            "zorb/",
        ] {
            assert!(is_path(path, false), "{path}");
        }
        for word in [
            "and/or",
            "N/A",
            "I/O",
            "read/write",
            "client/server",
            "3/4",
            "text/markdown",
            "yes/no",
            "process.env",
            "console.log",
            "e.g",
            "openai/gpt-4",
            "TestQueue/holds_two",
            "//",
            "/",
            "/help",
        ] {
            assert!(!is_path(word, false), "{word}");
        }
        assert!(!is_path("/thingummy", true));
    }
}
