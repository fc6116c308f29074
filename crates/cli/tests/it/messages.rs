//! What the strings of the sources keep to: a message says what happened, and the next step is a
//! value beside it. Only the command line words options and commands.

use std::path::{Path, PathBuf};

/// Words that begin an instruction.
const INSTRUCTIONS: &str = "add allow ask change check choose compare copy correct delete do free \
                            give keep leave load look make move name open put remove rename \
                            report run see select set start summarize try update use wait write";

/// Strings that are no messages: text that agents send to models.
const SENT_TO_MODELS: &[&str] = &["reduce/drop_repeated_reads.rs"];

/// Files whose words are those of a command line.
const COMMAND_LINES: &[&str] = &[
    "crates/cli/",
    "src-tauri/src/args.rs",
    "src-tauri/src/main.rs",
];

struct Literal {
    file: String,
    text: String,
}

fn rust_files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            // Samples hold sources of made-up projects, `testkit` and tests hold no messages.
            let name = entry.file_name();
            if !["samples", "testkit", "tests"]
                .iter()
                .any(|own| name == *own)
            {
                rust_files(&path, into);
            }
        } else if path.extension().is_some_and(|ending| ending == "rs")
            && path.file_name().is_some_and(|name| name != "tests.rs")
        {
            into.push(path);
        }
    }
}

/// The string literals of the shipped sources, continued lines joined.
fn literals() -> Vec<Literal> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = root.canonicalize().unwrap();
    let mut files = Vec::new();
    for krate in std::fs::read_dir(root.join("crates")).unwrap().flatten() {
        let sources = krate.path().join("src");
        if sources.is_dir() && krate.file_name() != "testkit" {
            rust_files(&sources, &mut files);
        }
    }
    rust_files(&root.join("src-tauri/src"), &mut files);
    let mut all = Vec::new();
    for path in files {
        let source = std::fs::read_to_string(&path).unwrap();
        let shipped = source.split("#[cfg(test)]\nmod ").next().unwrap();
        let file = path.strip_prefix(&root).unwrap().display().to_string();
        all.extend(strings(shipped).into_iter().map(|text| Literal {
            file: file.clone(),
            text,
        }));
    }
    assert!(all.len() > 3_000, "only {} strings found", all.len());
    all
}

/// The string literals of one source.
fn strings(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let raw = rest.strip_prefix('r').and_then(|after| {
            let hashes = after.len() - after.trim_start_matches('#').len();
            after[hashes..].strip_prefix('"').map(|text| (hashes, text))
        });
        if rest.starts_with("//") {
            rest = rest.split_once('\n').map_or("", |(_, after)| after);
        } else if let Some((hashes, text)) = raw {
            let end = format!("\"{}", "#".repeat(hashes));
            let (text, after) = text.split_once(&end).unwrap_or((text, ""));
            found.push(text.to_owned());
            rest = after;
        } else if first == '\'' {
            rest = after_char(rest);
        } else if first == '"' {
            let (text, after) = quoted(&rest[1..]);
            found.push(text);
            rest = after;
        } else {
            rest = &rest[first.len_utf8()..];
        }
    }
    found
}

/// What follows a character literal, or the quote of a lifetime.
fn after_char(rest: &str) -> &str {
    let mut inside = rest[1..].char_indices();
    let skipped = match inside.next() {
        Some((_, '\\')) => rest[3..].find('\'').map(|at| at + 4),
        Some((_, one)) if rest[1 + one.len_utf8()..].starts_with('\'') => Some(2 + one.len_utf8()),
        _ => None,
    };
    &rest[skipped.unwrap_or(1)..]
}

/// The text up to the closing quote, and what follows.
fn quoted(rest: &str) -> (String, &str) {
    let mut text = String::new();
    let mut chars = rest.char_indices();
    while let Some((at, one)) = chars.next() {
        match one {
            '"' => return (text, &rest[at + 1..]),
            '\\' => match chars.next() {
                Some((at, '\n')) => {
                    let line = &rest[at + 1..];
                    let blanks = line.len() - line.trim_start().len();
                    for _ in 0..line[..blanks].chars().count() {
                        chars.next();
                    }
                }
                Some((_, escaped)) => text.push(escaped),
                None => {}
            },
            one => text.push(one),
        }
    }
    (text, "")
}

#[test]
fn strings_are_found() {
    let source = "let a = \"one \\\n    two\"; // \"no\"\nlet b = ['\"', '\\'']; f(r#\"th\"ree\"#)";
    assert_eq!(strings(source), ["one two", "th\"ree"]);
}

#[test]
fn no_message_ends_in_its_next_step() {
    let instructions: Vec<&str> = INSTRUCTIONS.split(' ').collect();
    let mut wrong = Vec::new();
    for Literal { file, text } in literals() {
        if SENT_TO_MODELS.iter().any(|own| file.ends_with(own)) {
            continue;
        }
        for after in text.split("; ").skip(1) {
            let word = after.split(|one: char| !one.is_alphabetic()).next();
            if word.is_some_and(|word| instructions.contains(&word)) {
                wrong.push(format!("{file}: {text}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn only_the_command_line_words_options_and_commands() {
    let mut wrong = Vec::new();
    for Literal { file, text } in literals() {
        let is_sentence = text.contains(' ');
        let mut words = text.split([' ', '`', '(']);
        let names_option = words.any(|word| {
            let option = word.strip_prefix("--").unwrap_or_default();
            option.starts_with(|first: char| first.is_ascii_lowercase())
        });
        let names_command = text.contains("`palimpsest ");
        let allowed = COMMAND_LINES.iter().any(|own| file.starts_with(own))
            // Facts of a session are about its own programs.
            || file.starts_with("crates/ledger/");
        if is_sentence && !allowed && (names_option || names_command) {
            wrong.push(format!("{file}: {text}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
