//! Errors in outputs of the programs that coding agents run; the outputs stand in `outputs/`.
//!
//! `=== NAME ok` or `=== NAME failed` begins a case; `failed` is a call that the agent marked as failed.
//! `$` lines are the command, an `@` line the arguments of another `tool=`. `E»` marks a line that has to be
//! an error, a digit lines of which one has to be (the others may be), `?»` a line that may be one. No other
//! line may be. `o»` marks what is still open: a line that should be an error and is not found, or a line that is
//! found and is none.

use crate::conversation::Conversation;
use palimpsest_core::ledger::FactKind;
use palimpsest_ledger::{LedgerInput, Span, build};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// A call with its output, and what of it is an error.
struct Case {
    name: String,
    tool: String,
    failed: bool,
    arguments: serde_json::Value,
    output: String,
    /// Lines of which one has to be an error.
    wanted: Vec<Vec<String>>,
    /// Lines that may be an error.
    allowed: Vec<String>,
}

/// A text without marks of its spacing.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_head(line: &str) -> bool {
    let mut words = line.split(' ');
    words.next() == Some("===")
        && words.next().is_some()
        && matches!(words.next(), Some("ok" | "failed"))
        && words.next().is_none_or(|tool| tool.starts_with("tool="))
}

fn case(lines: &[&str]) -> Case {
    let head: Vec<&str> = lines[0].split(' ').collect();
    let mut command: Vec<&str> = Vec::new();
    let mut arguments = None;
    let mut output = Vec::new();
    let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut allowed = Vec::new();
    for (index, line) in lines[1..].iter().enumerate() {
        if output.is_empty() {
            if let Some(first) = line.strip_prefix("$ ") {
                command.push(first);
                continue;
            }
            if let Some(more) = line.strip_prefix("> ").filter(|_| command.len() == index) {
                command.push(more);
                continue;
            }
            if let Some(json) = line.strip_prefix("@ ") {
                arguments = Some(serde_json::from_str(json).expect("arguments are JSON"));
                continue;
            }
        }
        let Some((mark, shown)) = line
            .split_once('»')
            .filter(|(mark, _)| mark.chars().count() == 1)
        else {
            output.push(*line);
            continue;
        };
        output.push(shown);
        match mark {
            "E" => groups.entry(format!("E{index}")).or_default(),
            "?" | "o" => &mut allowed,
            group => groups.entry(group.to_owned()).or_default(),
        }
        .push(plain(shown));
    }
    let wanted: Vec<Vec<String>> = groups.into_values().collect();
    Case {
        name: head[1].to_owned(),
        tool: head
            .get(3)
            .map_or("bash", |tool| &tool["tool=".len()..])
            .to_owned(),
        failed: head[2] == "failed",
        arguments: arguments
            .unwrap_or_else(|| serde_json::json!({ "command": command.join("\n") })),
        output: output.join("\n"),
        allowed: allowed
            .into_iter()
            .chain(wanted.iter().flatten().cloned())
            .collect(),
        wanted,
    }
}

fn cases(folder: &Path) -> Vec<Case> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder of outputs")
        .map(|entry| entry.expect("a file").path())
        .collect();
    files.sort();
    let mut out = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("outputs are text");
        let lines: Vec<&str> = text.lines().collect();
        let mut heads: Vec<usize> = (0..lines.len()).filter(|at| is_head(lines[*at])).collect();
        heads.push(lines.len());
        out.extend(heads.windows(2).map(|pair| case(&lines[pair[0]..pair[1]])));
    }
    out
}

/// The errors of the ledger of a conversation with the one call.
fn errors(case: &Case) -> Vec<String> {
    let span = Conversation::default()
        .user("Please make it work.")
        .tool(
            &case.tool,
            case.arguments.clone(),
            &case.output,
            case.failed,
        )
        .assistant("I look at it.");
    let items = span.items();
    let ledger = build(&LedgerInput {
        span: Span::new(&items),
        ..LedgerInput::default()
    });
    let errors = ledger
        .facts
        .iter()
        .filter(|fact| fact.kind == FactKind::Error);
    errors
        .map(|fact| plain(fact.text.trim_end_matches('…')))
        .collect()
}

/// True where an error is a line or a part of it, or has the line in it.
fn shows(error: &str, line: &str) -> bool {
    error.contains(line) || error.len() > 2 && line.contains(error)
}

#[test]
fn errors_of_outputs_are_found_and_nothing_else() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/outputs");
    let (mut wanted, mut found, mut listed, mut wrong) = (0, 0, 0, 0);
    let mut report = String::new();
    for case in cases(&folder) {
        let errors = errors(&case);
        listed += errors.len();
        wanted += case.wanted.len();
        for group in &case.wanted {
            if group
                .iter()
                .any(|line| errors.iter().any(|error| shows(error, line)))
            {
                found += 1;
            } else {
                let _ = writeln!(report, "{} MISSED {group:?}", case.name);
            }
        }
        for error in &errors {
            if !case.allowed.iter().any(|line| shows(error, line)) {
                wrong += 1;
                let _ = writeln!(report, "{} WRONG {error:?}", case.name);
            }
        }
    }
    println!("{report}{found} of {wanted} errors found, {wrong} of {listed} listed are none");
    assert_eq!((found, wrong), (wanted, 0), "\n{report}");
}
