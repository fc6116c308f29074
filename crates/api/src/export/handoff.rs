//! What somebody else, or another agent, needs to go on: Markdown to paste.

use super::document::Document;
use super::markdown::fenced;
use super::mask::Mask;
use palimpsest_app::summary::ShelvedLedger;
use palimpsest_core::ledger::{Fact, FactKind, FactStatus, FileRole, TaskState};

/// Most files and tasks listed.
const MOST: usize = 60;

/// The hand-off of a summary: its text, the files that were edited, open tasks, and the user's
/// requests and constraints that the summary lost. The summary is Markdown already and stands as
/// it is.
pub(crate) fn handoff(shelved: &ShelvedLedger, mask: Option<&mut Mask>) -> String {
    let facts = &shelved.ledger.facts;
    let texts = |wanted: &dyn Fn(&Fact) -> bool| -> Vec<String> {
        let mut texts: Vec<String> = Vec::new();
        for fact in facts.iter().filter(|fact| wanted(fact)) {
            let text = fact.text.split_whitespace().collect::<Vec<_>>().join(" ");
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        texts
    };
    let is_lost = |fact: &Fact| {
        matches!(fact.status, FactStatus::Dropped | FactStatus::Changed) && !fact.in_kept_tail
    };
    let edited = texts(&|fact| fact.details.file_role == Some(FileRole::Edited));
    let open =
        texts(&|fact| fact.kind == FactKind::Todo && fact.details.task != Some(TaskState::Closed));
    // Half a constraint allows what the other half forbids.
    let in_part = |fact: &Fact| fact.status == FactStatus::Partial && !fact.in_kept_tail;
    let rules =
        texts(&|fact| fact.kind == FactKind::Constraint && (is_lost(fact) || in_part(fact)));
    let asked = texts(&|fact| fact.kind == FactKind::UserRequest && is_lost(fact));
    let mut out = format!(
        "# Hand-off\n\nThis is the state of a session that continues here.\n\n## Summary\n\n{}\n",
        shelved.material.summary.trim()
    );
    let lists = [
        ("Files that were edited", edited),
        ("Open tasks", open),
        ("Constraints of the user that the summary lacks", rules),
        ("Requests of the user that the summary lacks", asked),
    ];
    for (title, items) in lists {
        if items.is_empty() {
            continue;
        }
        out += &format!("\n## {title}\n\n");
        for item in items.iter().take(MOST) {
            // A text with a fence of its own would end the list.
            if item.contains("```") {
                out += &format!("- see below\n\n{}\n", fenced(item))
            } else {
                out += &format!("- {item}\n")
            }
        }
        if items.len() > MOST {
            out += &format!("- and {} more\n", items.len() - MOST);
        }
    }
    match mask {
        Some(mask) => {
            mask.read(&out);
            mask.text(&out)
        }
        None => out,
    }
}

/// The same as a document, for HTML.
pub(crate) fn document(markdown: &str) -> Document {
    let mut out = Document::new("Hand-off");
    out.parts
        .push(super::document::Part::Verbatim(markdown.to_owned()));
    out
}
