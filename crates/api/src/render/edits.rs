//! Changes of files as lines to show.

use super::code::{Language, language_of, line_spans};
use super::offsets::Utf16Offsets;
use crate::wire::{DiffHunk, FileChangeKind, FileDiff, HunkLine, LineChange, TextRange};
use palimpsest_app::diff;
use palimpsest_app::edits::{FileChange, FileEdit, edits_of};
use palimpsest_core::entry::ToolCallBrief;

/// Most lines shown of one file; a longer one is mostly a generated file written whole.
const MOST_LINES: usize = 1_500;

/// The changes that a call asks for; none where it changes no file.
pub fn file_diffs(arguments: &str, briefs: &[&ToolCallBrief]) -> Vec<FileDiff> {
    let edits = edits_of(arguments, briefs);
    edits
        .iter()
        .filter(|edit| says_something(edit))
        .map(file_diff)
        .collect()
}

/// An edit whose texts are missing is better shown by its arguments.
fn says_something(edit: &FileEdit) -> bool {
    !matches!(&edit.change, FileChange::Hunks(hunks) if hunks.is_empty())
}

fn file_diff(edit: &FileEdit) -> FileDiff {
    let language = language_of(&edit.path);
    let (change, hunks) = match &edit.change {
        FileChange::Whole(text) => (FileChangeKind::Written, vec![whole(text, language)]),
        FileChange::Hunks(hunks) => {
            let sides = hunks.iter().map(|hunk| hunk.sides());
            let hunks = sides.map(|(old, new)| hunk(&old, &new, language)).collect();
            (FileChangeKind::Edited, hunks)
        }
        FileChange::Deleted => (FileChangeKind::Deleted, Vec::new()),
    };
    let count = |change: LineChange| {
        let lines = hunks.iter().flat_map(|hunk: &Vec<HunkLine>| hunk);
        lines.filter(|line| line.change == change).count() as u64
    };
    let (added, removed) = (count(LineChange::Added), count(LineChange::Removed));
    let mut left = MOST_LINES;
    let mut cut = false;
    let mut shown = Vec::new();
    for mut lines in hunks {
        cut |= lines.len() > left;
        lines.truncate(left);
        left -= lines.len();
        if !lines.is_empty() {
            shown.push(DiffHunk { lines });
        }
    }
    FileDiff {
        path: edit.path.clone(),
        change,
        added,
        removed,
        hunks: shown,
        cut,
    }
}

fn whole(text: &str, language: Option<&Language>) -> Vec<HunkLine> {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let spans = line_spans(text, language);
    text.split('\n')
        .zip(spans)
        .map(|(line, spans)| HunkLine {
            change: LineChange::Added,
            text: line.to_owned(),
            spans,
            changed: Vec::new(),
        })
        .collect()
}

/// Removed lines stand before the added ones that come in their place.
fn hunk(old: &str, new: &str, language: Option<&Language>) -> Vec<HunkLine> {
    let (old_spans, new_spans) = (line_spans(old, language), line_spans(new, language));
    let line = |line: &diff::Line, change: LineChange| {
        let spans = match change {
            LineChange::Removed => &old_spans,
            LineChange::Same | LineChange::Added => &new_spans,
        };
        let offsets = Utf16Offsets::new(&line.text);
        // Marks all over a line say no more than its sign does.
        let marked: usize = line.ranges.iter().map(|range| range.len()).sum();
        let ranges = line.ranges.iter();
        let changed: Vec<TextRange> = ranges
            .filter(|_| marked * 2 <= line.text.trim().len())
            .map(|range| offsets.range(range))
            .collect();
        HunkLine {
            change,
            text: line.text.clone(),
            spans: spans.get(line.no - 1).cloned().unwrap_or_default(),
            changed,
        }
    };
    let mut lines = Vec::new();
    let mut added = Vec::new();
    for row in diff::rows(old, new) {
        if row.kind == diff::RowKind::Equal {
            lines.append(&mut added);
            lines.extend(row.right.as_ref().map(|own| line(own, LineChange::Same)));
            continue;
        }
        lines.extend(row.left.as_ref().map(|own| line(own, LineChange::Removed)));
        added.extend(row.right.as_ref().map(|own| line(own, LineChange::Added)));
    }
    lines.append(&mut added);
    // Nothing in the place of nothing is no line.
    let empty = |own: &HunkLine, change| own.change == change && own.text.is_empty();
    if old.is_empty() {
        lines.retain(|own| !empty(own, LineChange::Removed));
    }
    if new.is_empty() {
        lines.retain(|own| !empty(own, LineChange::Added));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::CodeKind;
    use palimpsest_core::entry::FileAccess;

    fn brief(access: FileAccess) -> ToolCallBrief {
        ToolCallBrief {
            name: "Edit".into(),
            call_id: "c".into(),
            path: Some("src/lib.rs".into()),
            access: Some(access),
        }
    }

    fn shown(files: &[FileDiff]) -> Vec<String> {
        let lines = files
            .iter()
            .flat_map(|file| &file.hunks)
            .flat_map(|hunk| &hunk.lines);
        lines
            .map(|line| {
                let sign = match line.change {
                    LineChange::Same => ' ',
                    LineChange::Removed => '-',
                    LineChange::Added => '+',
                };
                format!("{sign}{}", line.text)
            })
            .collect()
    }

    #[test]
    fn an_edit_is_a_diff_with_its_words() {
        let arguments = r#"{"file_path":"src/lib.rs","old_string":"fn a() {\n    one();\n}","new_string":"fn a() {\n    two();\n    three();\n}"}"#;
        let files = file_diffs(arguments, &[&brief(FileAccess::Edit)]);
        assert_eq!(
            shown(&files),
            [
                " fn a() {",
                "-    one();",
                "+    two();",
                "+    three();",
                " }"
            ]
        );
        assert_eq!(
            (files[0].added, files[0].removed, files[0].cut),
            (2, 1, false)
        );
        let first = &files[0].hunks[0].lines[0];
        assert_eq!(
            (first.spans[0].end, first.spans[0].kind),
            (2, CodeKind::Keyword)
        );
    }

    #[test]
    fn a_file_written_whole_is_added_line_by_line_up_to_a_limit() {
        let text = "let x = 1;\\n".repeat(2_000);
        let arguments = format!(r#"{{"file_path":"src/lib.rs","content":"{text}"}}"#);
        let files = file_diffs(&arguments, &[&brief(FileAccess::Write)]);
        assert_eq!(
            (files[0].added, files[0].removed, files[0].cut),
            (2_000, 0, true)
        );
        assert_eq!(shown(&files).len(), MOST_LINES);
    }

    #[test]
    fn a_patch_has_its_files_and_a_pure_insertion_removes_nothing() {
        let patch = "*** Begin Patch\\n*** Add File: a.py\\n+x = 1\\n*** Update File: b.py\\n@@\\n-y\\n+z\\n*** Delete File: c.py\\n*** End Patch";
        let files = file_diffs(&format!(r#"{{"input":"{patch}"}}"#), &[]);
        let kinds: Vec<_> = files
            .iter()
            .map(|file| (file.path.as_str(), file.change))
            .collect();
        assert_eq!(
            kinds,
            [
                ("a.py", FileChangeKind::Written),
                ("b.py", FileChangeKind::Edited),
                ("c.py", FileChangeKind::Deleted)
            ]
        );
        let inserted = file_diffs(
            r#"{"file_path":"src/lib.rs","old_string":"","new_string":"a\nb"}"#,
            &[&brief(FileAccess::Edit)],
        );
        assert_eq!(shown(&inserted), ["+a", "+b"]);
    }
}
