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

/// Reads a summary with the headings of pi, Claude Code and others; text under unknown headings, or
/// before any, is taken as context. The file lists in tags are left out, as the agent keeps those
/// itself, and so are an agent's frame round the summary, what was written before it ("Analysis:"),
/// and code.
pub fn parse(summary: &str) -> Previous {
    let mut out = Previous::default();
    let mut slot = Slot::Critical;
    let mut level = 0;
    let mut in_tag = None;
    let mut in_focus = false;
    let mut fenced = false;
    let mut outdated = false;
    for line in behind_analysis(summary).lines() {
        let trimmed = line.trim();
        if let Some(close) = in_tag {
            if trimmed.contains(close) {
                in_tag = None;
            }
            continue;
        }
        if let Some((open, close)) = TAGS.iter().find(|(open, _)| trimmed.starts_with(open)) {
            in_tag = (!trimmed[open.len()..].contains(close)).then_some(*close);
            continue;
        }
        if trimmed.starts_with("```") {
            fenced = !fenced;
            continue;
        }
        // Of a drawn tree of files only the names are items; other code is none.
        let drawn = |c: char| c.is_whitespace() || matches!(c, '\u{2500}'..='\u{257f}');
        if fenced && !trimmed.starts_with(|c: char| !c.is_whitespace() && drawn(c)) {
            continue;
        }
        if let Some((depth, title)) = heading(line) {
            in_focus = false;
            // Its next step is out of date, and the messages of the user come from the entries themselves.
            let lower = title.to_lowercase();
            outdated = lower.contains("optional next step") || lower.contains("user messages");
            match slot_of(title) {
                Some(known) => (slot, level) = (known, depth),
                // A heading below one of those parts its items.
                None if depth > level && level > 0 => {
                    if slot == Slot::Next {
                        out.items.push((slot, title.to_owned()));
                    }
                }
                None => (slot, level) = (Slot::Critical, depth),
            }
            continue;
        }
        if outdated {
            continue;
        }
        // The rule and the label stand between the two parts of pi's summary of a split turn.
        if trimmed.is_empty() || trimmed == "---" || trimmed.starts_with("**Turn Context") {
            continue;
        }
        if FRAMES.iter().any(|frame| trimmed.starts_with(frame)) {
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
        let trimmed = trimmed.trim_start_matches(drawn);
        let text = &trimmed[words::trim(trimmed, 0..trimmed.len())];
        if !text.is_empty() && !says_none(text) {
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

/// Tags whose content is no part of the summary.
const TAGS: [(&str, &str); 4] = [
    ("<read-files>", "</read-files>"),
    ("<modified-files>", "</modified-files>"),
    ("<analysis>", "</analysis>"),
    ("<system-reminder>", "</system-reminder>"),
];

/// Beginnings of lines that an agent puts round a summary.
const FRAMES: [&str; 5] = [
    "This session is being continued from a previous conversation",
    "Please continue the conversation from where",
    "If you need specific details from before compaction",
    "Continue the conversation from where it left off",
    "Recent messages are preserved",
];

/// The summary without the analysis that some models write in front of it.
fn behind_analysis(summary: &str) -> &str {
    let begins = |line: &str| summary.find(line).map(|at| at + line.len());
    match (begins("\nAnalysis:\n"), begins("\nSummary:\n")) {
        (Some(analysis), Some(at)) if analysis < at => &summary[at..],
        _ => summary,
    }
}

fn says_none(text: &str) -> bool {
    let lower = text.trim_matches(['(', ')', '.']).to_lowercase();
    lower == "none" || lower == "n/a" || lower.starts_with("none explicitly")
}

/// A heading: `## Title` with its depth, and `3. Title:` or `**Title:**` where the title is known.
fn heading(line: &str) -> Option<(usize, &str)> {
    let trimmed = line.trim();
    let hashes = trimmed.bytes().take_while(|byte| *byte == b'#').count();
    if hashes > 0 {
        return Some((hashes, trimmed[hashes..].trim()));
    }
    let bare = trimmed
        .trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ')' | ' '))
        .trim_matches('*');
    let numbered = !line.starts_with(' ') && trimmed.ends_with(':') && bare.len() < trimmed.len();
    let bold = trimmed.starts_with("**") && trimmed.trim_end_matches(':').ends_with("**");
    let title = bare.trim_end_matches([':', '*']);
    ((numbered || bold) && title.len() <= 60 && slot_of(title).is_some()).then_some((2, title))
}

/// Where the items under a heading belong; `None` for an unknown one.
fn slot_of(title: &str) -> Option<Slot> {
    let title = title.trim_matches([':', '*', ' ']).to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| title.contains(word));
    let is = |words: &[&str]| words.contains(&title.as_str());
    Some(
        if is(&["goal", "goals", "original request"]) || has(&["primary request"]) {
            Slot::Goal
        } else if has(&["constraint", "preference"]) {
            Slot::Constraints
        } else if has(&["decision"]) {
            Slot::Decisions
        } else if has(&["next step", "pending", "remaining", "to do", "todo"]) {
            Slot::Next
        } else if has(&["in progress"]) {
            Slot::InProgress
        } else if has(&["blocked"]) {
            Slot::Blocked
        // What was being done then is behind.
        } else if is(&[
            "done",
            "progress",
            "progress so far",
            "early progress",
            "current work",
            "current state",
        ]) || has(&["completed", "accomplished"])
        {
            Slot::Done
        } else if has(&[
            "context",
            "technical concepts",
            "files",
            "errors",
            "problem solving",
            "user messages",
        ]) {
            Slot::Critical
        } else {
            return None;
        },
    )
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
    fn numbered_titles_are_headings_and_code_and_frames_are_left_out() {
        let text = "This session is being continued from a previous conversation that ran out.\n\
                    Analysis:\n1. The user asked for rows.\n\nSummary:\n\
                    1. Primary Request and Intent:\n   Sort the rows by date.\n\n\
                    3. Files and Code Sections:\n   - `src/rows.rs`\n     ```rust\n     fn sort() {}\n     ```\n\
                    7. Pending Tasks:\n   - Write the tests\n\n8. Current Work:\n   The sort is written.";
        assert_eq!(
            parse(text).items,
            [
                (Slot::Goal, "Sort the rows by date.".to_owned()),
                (Slot::Critical, "`src/rows.rs`".to_owned()),
                (Slot::Next, "Write the tests".to_owned()),
                (Slot::Done, "The sort is written.".to_owned()),
            ]
        );
    }

    #[test]
    fn a_heading_below_next_steps_is_a_step() {
        let text = "## Next Steps (3 left)\n### Step 4: write the reader\n- use the old one\n## Commands\n- make";
        assert_eq!(
            parse(text).items,
            [
                (Slot::Next, "Step 4: write the reader".to_owned()),
                (Slot::Next, "use the old one".to_owned()),
                (Slot::Critical, "make".to_owned()),
            ]
        );
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
