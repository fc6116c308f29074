//! Facts put into a summary, each under the section that fits its kind.

use crate::headings::Code;
use crate::introduced;
use palimpsest_core::ledger::{Fact, FactKind, FileRole, TaskState};
use std::ops::Range;

/// A summary with facts put in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inserted {
    /// The summary.
    pub text: String,
    /// Where the facts stand, in their order; byte ranges in the text.
    pub ranges: Vec<Range<usize>>,
}

/// Puts facts into a summary. A fact becomes a line at the end of the first section whose heading
/// fits its kind; without such a section it gets one. Of a changed fact the sentence of the source
/// takes the place of that of the summary, where this stands once.
pub fn insert(summary: &str, facts: &[&Fact]) -> Inserted {
    let mut text = summary.to_owned();
    let mut ranges: Vec<Range<usize>> = Vec::with_capacity(facts.len());
    for fact in facts {
        let (old, new, shown) = change(&text, fact);
        let grown = new.len() as isize - old.len() as isize;
        for range in ranges.iter_mut().filter(|range| range.start >= old.end) {
            range.start = range.start.saturating_add_signed(grown);
            range.end = range.end.saturating_add_signed(grown);
        }
        ranges.push(old.start + shown.start..old.start + shown.end);
        text.replace_range(old, &new);
    }
    Inserted { text, ranges }
}

/// Custom instructions that ask for facts, behind those there are. A fact that they already name
/// is left out.
pub fn instructions(existing: &str, facts: &[&Fact]) -> String {
    let mut text = existing.trim_end().to_owned();
    let mut lines: Vec<String> = facts.iter().map(|fact| asked(fact)).collect();
    lines.retain(|line| !text.lines().any(|own| own == line));
    if lines.is_empty() {
        return text;
    }
    if !text.lines().any(|line| line == KEEP) {
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        text.push_str(KEEP);
    }
    for line in lines {
        text.push('\n');
        text.push_str(&line);
    }
    text
}

/// The line above the facts that custom instructions ask for.
const KEEP: &str = "The summary must contain these facts:";

fn asked(fact: &Fact) -> String {
    format!("- {}: {}", fact.kind.in_words(), words_of(fact))
}

/// The words of a heading that fits a kind, best first, and the heading of a new section.
fn headings(kind: FactKind) -> (&'static [&'static str], &'static str) {
    match kind {
        FactKind::UserRequest => (
            &["goal", "request", "intent", "objective", "user message"],
            "Requests",
        ),
        FactKind::Constraint => (
            &[
                "constraint",
                "preference",
                "rule",
                "requirement",
                "instruction",
            ],
            "Constraints",
        ),
        FactKind::Decision => (&["decision", "approach", "design"], "Decisions"),
        FactKind::Finding => (
            &[
                "finding",
                "discover",
                "learn",
                "critical context",
                "problem",
                "context",
            ],
            "Findings",
        ),
        FactKind::Todo => (
            &["next step", "pending", "todo", "remaining", "in progress"],
            "Next steps",
        ),
        FactKind::Error => (
            &["error", "blocked", "issue", "problem", "critical context"],
            "Errors",
        ),
        FactKind::Path => (&["file", "artifact"], "Files"),
        FactKind::Command => (
            &["command", "verification", "critical context", "technical"],
            "Commands",
        ),
        FactKind::Symbol | FactKind::Number => (
            &["technical", "critical context", "concept", "context"],
            "Context",
        ),
    }
}

/// What is replaced by what, and where in the new text the fact stands.
fn change(text: &str, fact: &Fact) -> (Range<usize>, String, Range<usize>) {
    if let Some((source, summary)) = &fact.details.difference {
        let mut found = text.match_indices(summary.as_str());
        if let (Some((at, _)), None) = (found.next(), found.next())
            && !summary.is_empty()
        {
            return (at..at + summary.len(), source.clone(), 0..source.len());
        }
    }
    let line = words_of(fact);
    let sections = sections(text);
    let (fits, own) = headings(fact.kind);
    let fitting = fits.iter().find_map(|word| {
        let mut sections = sections.iter();
        sections.find(|section| section.title.to_lowercase().contains(word))
    });
    match fitting {
        Some(section) => in_section(text, section, &line),
        None => in_new_section(text, &sections, own, &line),
    }
}

/// The words of a fact in one line, so that the ledger finds them again.
fn words_of(fact: &Fact) -> String {
    let text = fact
        .own_words()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    match (fact.kind, &fact.details.answers) {
        (_, Some(question)) => {
            let question: Vec<&str> = question.split_whitespace().collect();
            format!("\"{text}\" (the answer to \"{}\")", question.join(" "))
        }
        (FactKind::Path, _) => match fact.details.file_role {
            Some(FileRole::Edited) => format!("{text} (edited)"),
            Some(FileRole::Read) => format!("{text} (read)"),
            _ => text,
        },
        (FactKind::Todo, _) => match fact.details.task {
            Some(TaskState::Closed) => format!("[x] {text}"),
            _ => format!("[ ] {text}"),
        },
        (FactKind::Command | FactKind::Symbol, _) if !text.contains('`') => format!("`{text}`"),
        _ => text,
    }
}

/// A heading with what stands under it, up to the next heading of any level.
#[derive(Debug)]
struct Section<'a> {
    title: &'a str,
    /// 1 to 6 for a heading with `#`; 0 for a line that looks like one.
    level: usize,
    body: Range<usize>,
}

fn sections(text: &str) -> Vec<Section<'_>> {
    let mut sections: Vec<Section<'_>> = Vec::new();
    let code = Code::of(text);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        if let Some((title, level)) = heading(line).filter(|_| !code.contains(at)) {
            if let Some(last) = sections.last_mut() {
                last.body.end = at;
            }
            sections.push(Section {
                title,
                level,
                body: end..text.len(),
            });
        }
        at = end;
    }
    sections
}

/// The title of a heading and its level: `## Goal`, `**Goal**`, `**Goal:**` or `1. Goal:`.
fn heading(line: &str) -> Option<(&str, usize)> {
    let text = line.trim_end();
    let level = text.bytes().take_while(|&byte| byte == b'#').count();
    if (1..=6).contains(&level) {
        // `#!/bin/sh` and `#42` are text.
        return text[level..]
            .strip_prefix(' ')
            .map(|own| (own.trim(), level));
    }
    let inner = text.strip_prefix("**").and_then(|own| {
        let own = own.strip_suffix(':').unwrap_or(own);
        own.strip_suffix("**")
    });
    if let Some(inner) = inner.filter(|inner| !inner.contains("**")) {
        return Some((inner.trim_end_matches(':'), 0));
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let own = text[digits..].strip_prefix(". ").filter(|_| digits > 0)?;
    let own = own.strip_suffix(':')?;
    (!own.contains(". ")).then_some((own.trim_matches('*'), 0))
}

fn in_section(
    text: &str,
    section: &Section<'_>,
    words: &str,
) -> (Range<usize>, String, Range<usize>) {
    let body = &text[section.body.clone()];
    let mut marker = "- ".to_owned();
    // Where the last line of the section ends that is not empty and not a block of tags.
    let mut end = section.body.start;
    let mut at = section.body.start;
    let mut empty = None;
    let closing = before_closing(text);
    for line in body.split_inclusive('\n') {
        // pi's lists of files stand in tags behind the last section, and there agents say how to go on.
        if line.starts_with('<') || at >= closing && introduced::is_fixed(line) {
            break;
        }
        let range = at..at + line.trim_end().len();
        if !line.trim().is_empty() {
            end = range.end;
            let bare = line.trim().trim_start_matches(['-', '*', ' ']);
            empty = (empty.is_none() && is_none(bare)).then_some(range);
        }
        if let Some(own) = list_marker(line) {
            marker = own;
        }
        at += line.len();
    }
    if let Some(old) = empty {
        let new = format!("{marker}{words}");
        let shown = marker.len()..new.len();
        return (old, new, shown);
    }
    // A body that begins behind a heading without a line end has none of its own.
    let start = &text[..end];
    let break_before = if start.is_empty() || (start.ends_with('\n') && end == section.body.start) {
        ""
    } else {
        "\n"
    };
    let break_behind = if break_before.is_empty() && !text[end..].is_empty() {
        "\n"
    } else {
        ""
    };
    let new = format!("{break_before}{marker}{words}{break_behind}");
    let from = break_before.len() + marker.len();
    (end..end, new, from..from + words.len())
}

/// What prompts ask for where a section has nothing to say.
fn is_none(text: &str) -> bool {
    let bare = text.trim_matches(['(', ')', '.', '_', '*']);
    bare.eq_ignore_ascii_case("none")
}

/// What begins an item like this line: its indent and sign, or the next number.
fn list_marker(line: &str) -> Option<String> {
    let text = line.trim_start();
    let indent = &line[..line.len() - text.len()];
    // The items of an item are further in than the item to add.
    if indent.len() > 3 {
        return None;
    }
    for sign in ["- ", "* ", "\u{2022} "] {
        if text.starts_with(sign) {
            return Some(format!("{indent}{sign}"));
        }
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let number: u32 = text[..digits].parse().ok()?;
    text[digits..]
        .starts_with(". ")
        .then(|| format!("{indent}{}. ", number.saturating_add(1)))
}

fn in_new_section(
    text: &str,
    sections: &[Section<'_>],
    title: &str,
    words: &str,
) -> (Range<usize>, String, Range<usize>) {
    let level = sections.iter().map(|section| section.level);
    let level = level.filter(|&level| level > 0).min().unwrap_or(2);
    let end = before_closing(text);
    let start = text[..end].trim_end().len();
    let before = if start == 0 { "" } else { "\n\n" };
    let head = format!("{before}{} {title}\n- ", "#".repeat(level));
    let behind = if end < text.len() { "\n\n" } else { "" };
    let new = format!("{head}{words}{behind}");
    (start..end, new, head.len()..head.len() + words.len())
}

/// Where the blocks of tags at the end begin, in which agents list files, or the lines in which they say how to go
/// on; else the end.
fn before_closing(text: &str) -> usize {
    let mut end = text.len();
    loop {
        let head = text[..end].trim_end();
        let last = head.rfind('\n').map_or(0, |at| at + 1);
        let line = &head[last..];
        if last > 0 && introduced::is_fixed(line) {
            end = last;
            continue;
        }
        let tag = line
            .strip_prefix("</")
            .and_then(|line| line.strip_suffix('>'));
        let open = tag.map(|tag| format!("<{tag}>"));
        match open.and_then(|open| head.rfind(&open)) {
            Some(at) if at == 0 || head[..at].ends_with('\n') => end = at,
            _ => return end,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use palimpsest_core::ledger::{FactDetails, FactStatus};

    fn fact(kind: FactKind, text: &str) -> Fact {
        Fact {
            id: "f1".into(),
            kind,
            text: text.into(),
            places: Vec::new(),
            count: 1,
            weight: 1.0,
            status: FactStatus::Dropped,
            evidence: Vec::new(),
            in_kept_tail: false,
            needed_later: Vec::new(),
            details: FactDetails::default(),
        }
    }

    fn inserted(summary: &str, fact: &Fact) -> String {
        let done = insert(summary, &[fact]);
        let shown = &done.text[done.ranges[0].clone()];
        assert!(shown.contains(fact.text.as_str()), "{shown}");
        done.text
    }

    #[test]
    fn a_fact_ends_the_list_of_the_section_that_fits_its_kind() {
        let summary = "## Goal\nBuild it.\n\n## Constraints & Preferences\n- Use tabs.\n\n## Next Steps\n1. Run.\n";
        let rule = fact(FactKind::Constraint, "Never rename the id column.");
        assert_eq!(
            inserted(summary, &rule),
            "## Goal\nBuild it.\n\n## Constraints & Preferences\n- Use tabs.\n- Never rename the id column.\n\n## Next Steps\n1. Run.\n"
        );
        let mut todo = fact(FactKind::Todo, "Cover the empty file");
        todo.details.task = Some(TaskState::Open);
        assert!(inserted(summary, &todo).ends_with("1. Run.\n2. [ ] Cover the empty file\n"));
        assert!(
            inserted(summary, &fact(FactKind::UserRequest, "Ship it"))
                .starts_with("## Goal\nBuild it.\n- Ship it\n\n## Con")
        );
    }

    #[test]
    fn a_section_that_says_none_has_the_fact_instead() {
        let summary = "## Constraints\n- (none)\n\n## Goal\nx";
        let rule = fact(FactKind::Constraint, "Use tabs.");
        assert_eq!(
            inserted(summary, &rule),
            "## Constraints\n- Use tabs.\n\n## Goal\nx"
        );
    }

    #[test]
    fn what_the_agent_says_at_the_end_stays_last() {
        let closing = "Details can be read in the full transcript at: /a/b.jsonl\nPlease continue the conversation from where it stopped.";
        let summary = format!(
            "1. Primary Request:\n   - Build it.\n\n9. Optional Next Step:\n   - Run.\n\n{closing}"
        );
        let rule = fact(FactKind::Constraint, "Use tabs.");
        assert!(
            inserted(&summary, &rule)
                .ends_with(&format!("# Constraints\n- Use tabs.\n\n{closing}"))
        );
        let todo = inserted(&summary, &fact(FactKind::Todo, "Ship it"));
        assert!(
            todo.ends_with(&format!("   - Run.\n   - [ ] Ship it\n\n{closing}")),
            "{todo}"
        );
    }

    #[test]
    fn numbered_headings_are_sections_and_lists_of_files_in_tags_stay_last() {
        let summary = "1. Primary Request and Intent:\n   - Build it.\n\n2. Errors and fixes:\n   - none yet\n\n<read-files>\na.rs\n</read-files>\n";
        let error = fact(FactKind::Error, "src/a.c:3:1: unused variable x");
        assert_eq!(
            inserted(summary, &error),
            "1. Primary Request and Intent:\n   - Build it.\n\n2. Errors and fixes:\n   - none yet\n   - src/a.c:3:1: unused variable x\n\n<read-files>\na.rs\n</read-files>\n"
        );
        let decision = fact(FactKind::Decision, "Use a queue");
        assert!(inserted(summary, &decision).ends_with(
            "none yet\n\n## Decisions\n- Use a queue\n\n<read-files>\na.rs\n</read-files>\n"
        ));
    }

    #[test]
    fn a_changed_sentence_gets_the_words_of_the_source_back() {
        let summary = "## Rules\nimports should be checked.";
        let mut rule = fact(FactKind::Constraint, "imports must be checked");
        rule.details.difference = Some((
            "imports must be checked".into(),
            "imports should be checked".into(),
        ));
        assert_eq!(
            inserted(summary, &rule),
            "## Rules\nimports must be checked."
        );
    }

    #[test]
    fn several_facts_keep_their_ranges() {
        let (one, two) = (
            fact(FactKind::Decision, "Use a queue"),
            fact(FactKind::Constraint, "Use tabs"),
        );
        let done = insert("# Constraints\n\n# Decisions\n- d", &[&one, &two]);
        let shown: Vec<&str> = done.ranges.iter().map(|r| &done.text[r.clone()]).collect();
        assert_eq!(shown, ["Use a queue", "Use tabs"]);
        assert_eq!(
            done.text,
            "# Constraints\n- Use tabs\n\n# Decisions\n- d\n- Use a queue"
        );
        assert_eq!(insert("", &[&one]).text, "## Decisions\n- Use a queue");
        assert_eq!(
            insert("## Decisions", &[&one]).text,
            "## Decisions\n- Use a queue"
        );
    }

    #[test]
    fn instructions_name_each_fact_once() {
        let rule = fact(FactKind::Constraint, "Use tabs");
        let once = instructions("Be short.", &[&rule]);
        assert_eq!(
            once,
            "Be short.\n\nThe summary must contain these facts:\n- constraint: Use tabs"
        );
        let todo = fact(FactKind::Todo, "Run");
        assert_eq!(
            instructions(&once, &[&rule, &todo]),
            format!("{once}\n- to do: [ ] Run")
        );
    }
}
