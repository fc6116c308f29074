//! Two texts side by side, section by section: what stands under the same heading is compared,
//! wherever it stands.

use super::{Row, RowKind, moved, rows};
use crate::headings::Code;

/// A heading with what stands under it.
struct Section<'a> {
    /// What headings are matched by; empty before the first heading.
    title: String,
    lines: Vec<&'a str>,
    /// Number of lines before it.
    before: usize,
}

/// The rows that turn `left` into `right`, in the order of `right`: sections with the same heading
/// are compared line by line; a section that only one side has is inserted or deleted as a whole.
/// Lines keep their numbers. Lines that stand elsewhere are marked as moved. Texts without a heading in common are compared as a whole.
pub fn by_section(left: &str, right: &str) -> Vec<Row> {
    let lefts = sections(left);
    let rights = sections(right);
    let mut partners: Vec<Option<usize>> = vec![None; rights.len()];
    let mut taken = vec![false; lefts.len()];
    for (at, own) in rights.iter().enumerate() {
        let same = (0..lefts.len()).find(|&other| !taken[other] && lefts[other].title == own.title);
        if let Some(other) = same {
            taken[other] = true;
            partners[at] = Some(other);
        }
    }
    let headed = |at: usize, other: &Option<usize>| other.is_some() && !rights[at].title.is_empty();
    if !partners
        .iter()
        .enumerate()
        .any(|(at, other)| headed(at, other))
    {
        return moved::mark(rows(left, right));
    }
    let mut out = Vec::new();
    let mut shown = vec![false; lefts.len()];
    for (own, partner) in rights.iter().zip(&partners) {
        match partner {
            Some(other) => {
                // What only the left side has stays before the section it stood before.
                for (at, gone) in lefts.iter().enumerate().take(*other) {
                    if !taken[at] && !std::mem::replace(&mut shown[at], true) {
                        out.extend(alone(gone, RowKind::Delete));
                    }
                }
                out.extend(compared(&lefts[*other], own));
            }
            None => out.extend(alone(own, RowKind::Insert)),
        }
    }
    for (at, gone) in lefts.iter().enumerate() {
        if !taken[at] && !shown[at] {
            out.extend(alone(gone, RowKind::Delete));
        }
    }
    moved::mark(out)
}

fn compared(left: &Section<'_>, right: &Section<'_>) -> Vec<Row> {
    let mut own = rows(&left.lines.join("\n"), &right.lines.join("\n"));
    for row in &mut own {
        if let Some(line) = &mut row.left {
            line.no += left.before;
        }
        if let Some(line) = &mut row.right {
            line.no += right.before;
        }
    }
    own
}

fn alone(section: &Section<'_>, kind: RowKind) -> Vec<Row> {
    let lines = section.lines.iter().enumerate();
    lines
        .map(|(at, text)| {
            let line = Some(super::Line {
                no: section.before + at + 1,
                text: (*text).to_owned(),
                ranges: Vec::new(),
                moved: None,
            });
            match kind {
                RowKind::Insert => Row {
                    kind,
                    left: None,
                    right: line,
                },
                _ => Row {
                    kind,
                    left: line,
                    right: None,
                },
            }
        })
        .collect()
}

fn sections(text: &str) -> Vec<Section<'_>> {
    let code = Code::of(text);
    let mut start = 0;
    let mut all: Vec<Section<'_>> = Vec::new();
    for (at, line) in text.split('\n').enumerate() {
        let title = heading(line).filter(|_| !code.contains(start));
        start += line.len() + 1;
        if all.is_empty() || title.is_some() {
            all.push(Section {
                title: title.unwrap_or_default(),
                lines: Vec::new(),
                before: at,
            });
        }
        if let Some(last) = all.last_mut() {
            last.lines.push(line);
        }
    }
    all
}

/// What a heading is matched by: its letters. Claude Code numbers its headings (`1. Primary Request
/// and Intent:`), other agents mark them with `#` or stars; models drop and change the marks.
fn heading(line: &str) -> Option<String> {
    /// Longer lines that end in a colon are sentences.
    const LONGEST: usize = 60;
    let bare = line.trim_end();
    let level = bare.bytes().take_while(|&byte| byte == b'#').count();
    let is_marked = (1..=6).contains(&level) && bare[level..].starts_with(' ');
    let is_bold =
        bare.len() > 4 && bare.starts_with("**") && bare.trim_end_matches(':').ends_with("**");
    let number = bare.bytes().take_while(u8::is_ascii_digit).count();
    let is_numbered = number > 0 && bare[number..].starts_with(". ") && bare.ends_with(':');
    if !(is_marked || is_bold || is_numbered) || bare.len() > LONGEST + level {
        return None;
    }
    let letters = bare.chars().filter(|letter| letter.is_alphabetic());
    let title: String = letters.flat_map(char::to_lowercase).collect();
    (!title.is_empty()).then_some(title)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LEFT: &str = "Intro\n## Goal\nFix the queue.\n## Files\n- a.rs\n- b.rs\n## Only left\nx";
    const RIGHT: &str = "Intro\n## Files\n- a.rs\n- c.rs\n## New\ny\n## Goal\nFix the queue soon.";

    fn shown(rows: &[Row]) -> Vec<String> {
        let text = |line: &Option<super::super::Line>| {
            line.as_ref()
                .map_or(String::new(), |line| format!("{} {}", line.no, line.text))
        };
        rows.iter()
            .map(|row| format!("{:?}: {} | {}", row.kind, text(&row.left), text(&row.right)))
            .collect()
    }

    #[test]
    fn a_section_that_moved_is_compared_with_itself() {
        assert_eq!(
            shown(&by_section(LEFT, RIGHT)),
            [
                "Equal: 1 Intro | 1 Intro",
                "Equal: 4 ## Files | 2 ## Files",
                "Equal: 5 - a.rs | 3 - a.rs",
                "Replace: 6 - b.rs | 4 - c.rs",
                "Insert:  | 5 ## New",
                "Insert:  | 6 y",
                "Equal: 2 ## Goal | 7 ## Goal",
                "Replace: 3 Fix the queue. | 8 Fix the queue soon.",
                "Delete: 7 ## Only left | ",
                "Delete: 8 x | ",
            ]
        );
    }

    #[test]
    fn headings_match_whatever_marks_they_have() {
        for (left, right) in [
            ("## Key Concepts\na", "2. Key Concepts:\na"),
            ("**Goal:**\na", "# goal\na"),
        ] {
            let rows = by_section(left, right);
            assert_eq!(rows.len(), 2, "{left} and {right}");
            assert_eq!(rows[1].kind, RowKind::Equal);
        }
    }

    #[test]
    fn texts_without_a_common_heading_are_compared_as_a_whole() {
        assert_eq!(by_section("a\nb", "a\nc"), rows("a\nb", "a\nc"));
        assert_eq!(by_section("# A\nb", "# C\nb"), rows("# A\nb", "# C\nb"));
    }

    proptest! {
        #[test]
        fn no_line_is_lost(left in "([#ab ]{0,4}\n){0,8}", right in "([#ab ]{0,4}\n){0,8}") {
            let all = by_section(&left, &right);
            let mut numbers: Vec<usize> = all.iter().filter_map(|row| Some(row.left.as_ref()?.no)).collect();
            numbers.sort_unstable();
            prop_assert_eq!(numbers, (1..=left.split('\n').count()).collect::<Vec<_>>());
            let right_again: Vec<String> =
                all.iter().filter_map(|row| Some(row.right.as_ref()?.text.clone())).collect();
            prop_assert_eq!(right_again.join("\n"), right);
        }
    }
}
