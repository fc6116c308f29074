//! The questions, with the answers that rules know.

use palimpsest_core::ledger::{FactKind, FileRole};
use palimpsest_ledger::candidate::Candidate;
use palimpsest_ledger::span::{Call, PartKind};
use palimpsest_ledger::{Span, commands, outcome};
use serde::{Deserialize, Serialize};

/// What a probe asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProbeKind {
    /// Which files were changed.
    FilesEdited,
    /// Which command tested, built or checked last.
    LastCheck,
    /// Which of these commands failed last.
    LastFailed,
}

impl ProbeKind {
    /// The question, as the model gets it.
    pub fn question(self) -> &'static str {
        match self {
            ProbeKind::FilesEdited => {
                "Which files were changed, written or removed so far? Give each as its path."
            }
            ProbeKind::LastCheck => {
                "Which command was the last one that tested, built or checked the project? Give the command \
                 line."
            }
            ProbeKind::LastFailed => {
                "Which command that tests, builds or checks was the last one that failed? Give the command \
                 line."
            }
        }
    }
}

/// A thing that a right answer names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expected {
    /// What kind of thing it is.
    pub kind: FactKind,
    /// The form under which two spellings are the same.
    pub key: String,
    /// The thing for display.
    pub text: String,
    /// Its spellings in the span.
    pub spelled: Vec<String>,
}

/// A question with its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Probe {
    /// What it asks.
    pub kind: ProbeKind,
    /// The things that the answer has to name.
    pub expected: Vec<Expected>,
}

/// Most files that an answer has to name: a longer list is no question about memory.
const MOST_FILES: usize = 40;

/// The probes of a span whose facts are `facts`; those that the span has no answer to are left out.
pub fn probes(span: &Span<'_>, facts: &[Candidate]) -> Vec<Probe> {
    let (last, failed) = checks(span);
    let command = |line: &String| {
        let key = commands::key(line);
        let known = facts
            .iter()
            .find(|fact| fact.kind == FactKind::Command && fact.key == key);
        vec![Expected {
            kind: FactKind::Command,
            text: line.clone(),
            spelled: known.map_or_else(|| vec![line.clone()], |fact| fact.surfaces.clone()),
            key,
        }]
    };
    let all = [
        (ProbeKind::FilesEdited, edited(facts)),
        (
            ProbeKind::LastCheck,
            last.iter().flat_map(command).collect(),
        ),
        (
            ProbeKind::LastFailed,
            failed.iter().flat_map(command).collect(),
        ),
    ];
    let asked = all.into_iter().filter(|(_, expected)| !expected.is_empty());
    asked
        .map(|(kind, expected)| Probe { kind, expected })
        .collect()
}

fn edited(facts: &[Candidate]) -> Vec<Expected> {
    let is_edited = |fact: &&Candidate| {
        fact.kind == FactKind::Path && fact.details.file_role == Some(FileRole::Edited)
    };
    let mut files: Vec<&Candidate> = facts.iter().filter(is_edited).collect();
    files.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    let files = files.into_iter().take(MOST_FILES);
    let files = files.map(|fact| Expected {
        kind: fact.kind,
        key: fact.key.clone(),
        text: fact.text.clone(),
        spelled: fact.surfaces.clone(),
    });
    files.collect()
}

/// The last command that tests, builds or checks, and the last of them that failed.
fn checks(span: &Span<'_>) -> (Option<String>, Option<String>) {
    let (mut last, mut failed) = (None, None);
    let mut asked: Vec<(&str, String, String)> = Vec::new();
    for part in span.parts() {
        let Some(id) = part.call_id else {
            continue;
        };
        if part.kind == PartKind::ToolCall {
            let call = Call::read(&part);
            let script = call.script.filter(|script| outcome::is_check(script));
            if let (Some(script), Some(line)) = (script, call.command) {
                asked.push((id, script, line));
            }
        } else if part.kind == PartKind::ToolOutput
            && let Some((_, script, line)) = asked.iter().rfind(|(call, ..)| *call == id)
        {
            if outcome::went_well(script, part.text, part.is_error) == Some(false) {
                failed = Some(line.clone());
            }
            last = Some(line.clone());
        }
    }
    (last, failed)
}
