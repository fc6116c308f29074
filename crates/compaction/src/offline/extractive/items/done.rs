//! What was done: files once, commits, what was repaired, what other commands did, and how each
//! request was answered.

use crate::offline::extractive::items::collector::{
    Collector, MAX_EACH, asked, first_sentences, is_asking, times,
};
use crate::offline::extractive::page;
use crate::offline::extractive::previous::Slot;
use crate::offline::extractive::story::{CommandWork, Story};
use palimpsest_ledger::commands;
use std::collections::HashMap;

/// Programs that only prepare what the next call does.
const PREPARING: [&str; 6] = ["mkdir", "touch", "chmod", "cd", "rmdir", "sleep"];

/// From so many commands of one program on, one line stands for all of them.
const CROWD: usize = 3;

/// Collects what was done.
pub fn done(made: &mut Collector<'_>, story: &Story, root: &str) {
    files(made, story, root);
    commits(made, story);
    fixes(made, story, root);
    ran(made, story);
    deeds(made, story);
    answered(made, story);
}

fn files(made: &mut Collector<'_>, story: &Story, root: &str) {
    for file in story.files.iter().rev().take(MAX_EACH) {
        let path = below(&file.path, root);
        let mut text = match (file.writes, file.edits) {
            (0, edits) => format!("Edited `{path}` {}", times(edits)),
            (1, 0) => format!("Wrote `{path}`"),
            (writes, 0) => format!("Wrote `{path}` {}", times(writes)),
            (_, edits) => format!("Wrote `{path}`, then edited it {}", times(edits)),
        };
        if let Some(line) = &file.last_line {
            text.push_str(&format!("; last change: `{line}`"));
        }
        let weight = 34.0 * made.recency(file.item);
        made.add(Slot::Done, text, weight, made.at(file.item), false);
    }
}

/// `path` without the folder that all changed files share.
pub fn below<'a>(path: &'a str, root: &str) -> &'a str {
    match path.strip_prefix(root) {
        Some(rest) if !root.is_empty() && !rest.is_empty() => rest,
        _ => path,
    }
}

fn commits(made: &mut Collector<'_>, story: &Story) {
    for commit in story.commits.iter().rev().take(MAX_EACH) {
        let text = format!("Committed `{}` {}", commit.hash, commit.subject);
        let weight = 32.0 * made.recency(commit.item);
        made.add(Slot::Done, text, weight, made.at(commit.item), true);
    }
}

fn fixes(made: &mut Collector<'_>, story: &Story, root: &str) {
    for fix in story.fixes.iter().rev().take(MAX_EACH) {
        let by = match fix.files.as_slice() {
            [] => String::new(),
            files => {
                let shown: Vec<_> = files
                    .iter()
                    .take(3)
                    .map(|file| format!("`{}`", below(file, root)))
                    .collect();
                let more = files.len().saturating_sub(3);
                let rest = if more > 0 {
                    format!(" and {more} more")
                } else {
                    String::new()
                };
                format!(" by changing {}{rest}", shown.join(", "))
            }
        };
        // Our choice, like the other lengths here.
        let error = page::cut(&fix.error, 120);
        let text = format!("Fixed \"{error}\"{by}; `{}` passes", fix.command);
        made.add(
            Slot::Done,
            text,
            22.0 * made.recency(fix.item),
            made.at(fix.item),
            false,
        );
    }
}

/// Commands that passed and did something: of many with one program the newest, and how many.
fn ran(made: &mut Collector<'_>, story: &Story) {
    let tells = |command: &&CommandWork| {
        let head = commands::head(commands::doing(&command.command));
        let program = head.split(' ').next().unwrap_or_default();
        // Checks stand under what is in progress, commits on their own.
        command.failure.is_none()
            && !command.checks
            && !PREPARING.contains(&program)
            && !head.starts_with("git add")
            && !head.starts_with("git commit")
    };
    let mut crowds: HashMap<String, usize> = HashMap::new();
    for command in story.commands.iter().filter(tells) {
        let head = commands::head(commands::doing(&command.command));
        *crowds.entry(head).or_default() += command.runs;
    }
    let mut told: Vec<String> = Vec::new();
    for command in story.commands.iter().rev().filter(tells).take(MAX_EACH) {
        let head = commands::head(commands::doing(&command.command));
        let runs = crowds.get(&head).copied().unwrap_or(1);
        let crowded = runs > CROWD && runs > command.runs;
        if crowded && told.contains(&head) {
            continue;
        }
        let text = if crowded {
            format!("Ran `{head}` {}, last `{}`", times(runs), command.command)
        } else if command.runs > 1 {
            format!(
                "Ran `{}` {}, last run passed",
                command.command,
                times(command.runs)
            )
        } else {
            format!("Ran `{}`, passed", command.command)
        };
        told.push(head);
        let weight = 16.0 * made.recency(command.item);
        made.add(Slot::Done, text, weight, made.at(command.item), false);
    }
}

fn deeds(made: &mut Collector<'_>, story: &Story) {
    for deed in story.deeds.iter().rev().take(MAX_EACH) {
        let text = format!("Called {}", deed.text);
        let weight = 24.0 * made.recency(deed.item);
        made.add(Slot::Done, text, weight, made.at(deed.item), true);
    }
}

/// A turn that ended with text is described by its request and the model's last words. The last
/// turn is still open: it stands under "In Progress".
fn answered(made: &mut Collector<'_>, story: &Story) {
    let closed = story
        .turns
        .iter()
        .rev()
        .skip(1)
        .filter_map(|turn| Some((turn, turn.closing.as_ref()?)));
    for (turn, closing) in closed.take(MAX_EACH) {
        let Some(said) = first_sentences(closing, 220) else {
            continue;
        };
        // "wow" and "ok" ask for nothing.
        let text = if is_asking(turn) {
            format!("\"{}\": {said}", asked(turn, 120))
        } else {
            said
        };
        made.add(
            Slot::Done,
            text,
            30.0 * made.recency(turn.item),
            made.at(turn.item),
            true,
        );
    }
}
