//! Reading the summary that is to be updated.

use palimpsest_ledger::words;

/// Where an item stands, in the vocabulary of all the headings pi has used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Slot {
    /// What is wanted.
    Goal,
    /// Limits and wishes.
    Constraints,
    /// What is done.
    Done,
    /// What is being done.
    InProgress,
    /// What is in the way.
    Blocked,
    /// What was chosen.
    Decisions,
    /// What comes next.
    Next,
    /// What else must be known.
    Critical,
}

/// The items of a summary by heading.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Previous {
    /// Items in order, without list markers.
    pub items: Vec<(Slot, String)>,
}

impl Previous {
    /// The items under one heading.
    pub fn under(&self, slot: Slot) -> impl Iterator<Item = &str> {
        self.items
            .iter()
            .filter(move |(known, _)| *known == slot)
            .map(|(_, text)| text.as_str())
    }
}

/// Reads a summary with pi's headings; text under unknown headings, or before any, is taken as
/// context, the file lists in tags are left out, as the agent keeps those itself.
pub fn parse(summary: &str) -> Previous {
    let mut out = Previous::default();
    let mut slot = Slot::Critical;
    let mut in_tag = false;
    let mut in_focus = false;
    for line in summary.lines() {
        let trimmed = line.trim();
        if in_tag || trimmed.starts_with("<read-files>") || trimmed.starts_with("<modified-files>")
        {
            in_tag = !trimmed.starts_with("</") && !trimmed.contains("</");
            continue;
        }
        if trimmed.starts_with('#') {
            slot = slot_of(trimmed.trim_start_matches('#').trim());
            in_focus = false;
            continue;
        }
        // The rule and the label stand between the two parts of pi's summary of a split turn.
        if trimmed.is_empty() || trimmed == "---" || trimmed.starts_with("**Turn Context") {
            continue;
        }
        // Sentences quoted for earlier instructions: these may be others.
        if trimmed.starts_with("- Focus") {
            in_focus = true;
            continue;
        }
        if in_focus && line.starts_with("  ") {
            continue;
        }
        in_focus = false;
        if trimmed.starts_with("```") {
            continue;
        }
        // Of a drawn tree of files only the names are items.
        let drawn = |c: char| c.is_whitespace() || matches!(c, '\u{2500}'..='\u{257f}');
        let trimmed = trimmed.trim_start_matches(drawn);
        let text = &trimmed[words::trim(trimmed, 0..trimmed.len())];
        if !text.is_empty() && !text.eq_ignore_ascii_case("(none)") {
            // A ticked item is done, whatever heading it stands under.
            let slot = if trimmed.starts_with("- [x]") {
                Slot::Done
            } else {
                slot
            };
            out.items.push((slot, text.to_owned()));
        }
    }
    out
}

fn slot_of(title: &str) -> Slot {
    match title.trim_end_matches(':').to_lowercase().as_str() {
        "goal" | "original request" | "goals" => Slot::Goal,
        "constraints & preferences" | "constraints" => Slot::Constraints,
        "done" | "progress" | "progress so far" | "early progress" => Slot::Done,
        "in progress" => Slot::InProgress,
        "blocked" => Slot::Blocked,
        "key decisions" | "decisions" => Slot::Decisions,
        "next steps" => Slot::Next,
        _ => Slot::Critical,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_and_drawn_lines_are_no_items() {
        let text = "## Critical Context\n```\n│   ├── a.ts  # here\n│\n```\n- last";
        let items: Vec<String> = parse(text)
            .items
            .into_iter()
            .map(|(_, item)| item)
            .collect();
        assert_eq!(items, ["a.ts  # here", "last"]);
    }

    #[test]
    fn items_are_read_by_heading_without_markers() {
        let text = "## Goal\nShip it\n## Progress\n### Done\n- [x] one\n### In Progress\n- [ ] two\n\
                    ## Next Steps\n1. three\n## Critical Context\n- (none)\n- Focus:\n  - x\n\n\
                    <read-files>\na.rs\n</read-files>";
        assert_eq!(
            parse(text).items,
            [
                (Slot::Goal, "Ship it".to_owned()),
                (Slot::Done, "one".to_owned()),
                (Slot::InProgress, "two".to_owned()),
                (Slot::Next, "three".to_owned()),
            ]
        );
    }
}
