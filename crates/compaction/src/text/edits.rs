//! What the edits of files say: which text came in the place of which.
//!
//! Agents write edits in few forms: a whole file, an old and a new text, a list of such pairs, or a
//! patch (Codex's `apply_patch`, unified diffs). All are read into the same hunks.

use palimpsest_core::entry::{FileAccess, ToolCallBrief};
use serde_json::{Map, Value};

/// Names under which agents give the text that is replaced (pi, Claude Code, OpenCode, others).
const OLD: [&str; 5] = ["oldText", "old_string", "oldString", "old_str", "old"];
/// Names under which they give the text that comes in its place.
const NEW: [&str; 6] = [
    "newText",
    "new_string",
    "newString",
    "new_str",
    "new",
    "new_source",
];
/// Names under which they give a whole file.
const WHOLE: [&str; 4] = ["content", "contents", "file_text", "text"];
/// What a patch of Codex begins with.
const PATCH: &str = "*** Begin Patch";

/// What became of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEdit {
    /// The file, as the agent named it.
    pub path: String,
    /// What was done.
    pub change: FileChange,
}

/// What was done to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileChange {
    /// It was written whole.
    Whole(String),
    /// Parts of it were replaced.
    Hunks(Vec<Hunk>),
    /// It was deleted.
    Deleted,
}

/// One place of a file that was changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hunk {
    lines: Vec<(Mark, String)>,
}

/// What became of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Same,
    Old,
    New,
}

impl Hunk {
    /// About how much memory it takes, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let lines = self.lines.iter();
        // 32 is the size of a mark with its `String`.
        lines.map(|(_, line)| 32 + line.len()).sum()
    }

    /// The place where `new` came for `old`. Lines that both begin or end with are unchanged.
    pub fn replacing(old: &str, new: &str) -> Hunk {
        let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
        let same = |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| {
            pairs.take_while(|(old, new)| old == new).count()
        };
        let head = same(&mut old.iter().zip(&new));
        // Behind the head, so that no line counts for both.
        let tail = same(&mut old[head..].iter().rev().zip(new[head..].iter().rev()));
        let marked = |mark: Mark, lines: &[&str]| -> Vec<(Mark, String)> {
            lines
                .iter()
                .map(|line| (mark, (*line).to_owned()))
                .collect()
        };
        let mut lines = marked(Mark::Same, &new[..head]);
        lines.extend(marked(Mark::Old, &old[head..old.len() - tail]));
        lines.extend(marked(Mark::New, &new[head..new.len() - tail]));
        lines.extend(marked(Mark::Same, &new[new.len() - tail..]));
        Hunk { lines }
    }

    /// True when it adds a line.
    pub fn adds(&self) -> bool {
        self.lines.iter().any(|(mark, _)| *mark == Mark::New)
    }

    /// True when it takes lines away and adds none.
    pub fn only_deletes(&self) -> bool {
        !self.adds() && self.lines.iter().any(|(mark, _)| *mark == Mark::Old)
    }

    /// The code as it is afterwards: unchanged and new lines.
    pub fn resulting(&self) -> String {
        let lines = self.lines.iter().filter(|(mark, _)| *mark != Mark::Old);
        let lines: Vec<&str> = lines.map(|(_, line)| line.as_str()).collect();
        lines.join("\n")
    }

    /// The place as it was before and as it is afterwards.
    pub fn sides(&self) -> (String, String) {
        let side = |without: Mark| {
            let lines = self.lines.iter().filter(|(mark, _)| *mark != without);
            let lines: Vec<&str> = lines.map(|(_, line)| line.as_str()).collect();
            lines.join("\n")
        };
        (side(Mark::New), side(Mark::Old))
    }

    /// All lines, each behind a space, a minus or a plus.
    pub fn diff(&self) -> String {
        let mut text = String::new();
        for (at, (mark, line)) in self.lines.iter().enumerate() {
            if at > 0 {
                text.push('\n');
            }
            text.push(match mark {
                Mark::Same => ' ',
                Mark::Old => '-',
                Mark::New => '+',
            });
            text.push_str(line);
        }
        text
    }
}

/// The edits that a call asks for. `arguments` is JSON, `briefs` is what the session says about
/// the call: one for each file.
pub fn edits_of(arguments: &str, briefs: &[&ToolCallBrief]) -> Vec<FileEdit> {
    let Ok(arguments) = serde_json::from_str::<Value>(arguments) else {
        return Vec::new();
    };
    // A patch names its files itself.
    if let Some(patch) = patch_within(&arguments) {
        return patch_edits(patch);
    }
    let Some(fields) = arguments.as_object() else {
        return Vec::new();
    };
    let edited = |brief: &&&ToolCallBrief| {
        matches!(brief.access, Some(FileAccess::Edit | FileAccess::Write))
    };
    let Some(brief) = briefs.iter().find(edited) else {
        return Vec::new();
    };
    let Some(path) = brief.path.as_deref() else {
        return Vec::new();
    };
    let change = if brief.access == Some(FileAccess::Write) {
        text_at(fields, &WHOLE).map(|text| FileChange::Whole(text.to_owned()))
    } else {
        let hunks = hunks(fields);
        (!hunks.is_empty()).then_some(FileChange::Hunks(hunks))
    };
    let path = path.to_owned();
    // An edit whose text is missing still says that the file was changed.
    let change = change.unwrap_or(FileChange::Hunks(Vec::new()));
    vec![FileEdit { path, change }]
}

/// The hunks of an edit that is no patch of several files.
fn hunks(fields: &Map<String, Value>) -> Vec<Hunk> {
    if let Some(diff) = text_at(fields, &["patch", "diff"]) {
        return diff_hunks(diff.lines());
    }
    let pair = |fields: &Map<String, Value>| {
        let (old, new) = (text_at(fields, &OLD), text_at(fields, &NEW));
        (old.is_some() || new.is_some())
            .then(|| Hunk::replacing(old.unwrap_or_default(), new.unwrap_or_default()))
    };
    let listed = fields.get("edits").and_then(Value::as_array);
    let listed = listed.into_iter().flatten().filter_map(Value::as_object);
    pair(fields)
        .into_iter()
        .chain(listed.filter_map(pair))
        .collect()
}

/// `arguments` without what was replaced: old texts, lines taken away, and edits that only take
/// away. `None` when there is nothing of the kind.
pub fn without_old(arguments: &str) -> Option<String> {
    let mut value: Value = serde_json::from_str(arguments).ok()?;
    let before = value.clone();
    strip(&mut value);
    (value != before).then(|| palimpsest_core::json::stringify(&value))
}

fn strip(value: &mut Value) {
    match value {
        Value::String(text) if text.contains(PATCH) => *text = patch_without_old(text),
        Value::Array(list) => {
            list.retain(|own| !own.as_object().is_some_and(only_deletes));
            list.iter_mut().for_each(strip);
        }
        Value::Object(fields) => {
            let takes_place = NEW.iter().any(|key| fields.contains_key(*key));
            if takes_place {
                for key in OLD {
                    fields.remove(key);
                }
            }
            fields.values_mut().for_each(strip);
        }
        _ => {}
    }
}

fn only_deletes(fields: &Map<String, Value>) -> bool {
    match (text_at(fields, &OLD), text_at(fields, &NEW)) {
        (Some(old), new) => Hunk::replacing(old, new.unwrap_or_default()).only_deletes(),
        (None, _) => false,
    }
}

fn text_at<'a>(fields: &'a Map<String, Value>, keys: &[&str]) -> Option<&'a str> {
    keys.iter().find_map(|key| fields.get(*key)?.as_str())
}

/// The first text in `value` that holds a patch.
fn patch_within(value: &Value) -> Option<&str> {
    match value {
        Value::String(text) => text.contains(PATCH).then_some(text),
        Value::Array(list) => list.iter().find_map(patch_within),
        Value::Object(fields) => fields.values().find_map(patch_within),
        _ => None,
    }
}

/// The edits of a patch, file by file.
fn patch_edits(patch: &str) -> Vec<FileEdit> {
    let mut edits: Vec<FileEdit> = Vec::new();
    let mut lines: Vec<&str> = Vec::new();
    let mut added = false;
    let close = |edits: &mut Vec<FileEdit>, lines: &mut Vec<&str>, added: bool| {
        let Some(FileEdit { change, .. }) = edits.last_mut() else {
            // What stands before the first file belongs to none.
            return lines.clear();
        };
        if added {
            let text: Vec<&str> = lines
                .iter()
                .filter_map(|line| line.strip_prefix('+'))
                .collect();
            *change = FileChange::Whole(text.join("\n"));
        } else if *change != FileChange::Deleted {
            *change = FileChange::Hunks(diff_hunks(lines.iter().copied()));
        }
        lines.clear();
    };
    for line in patch.lines() {
        let header = ["Add", "Update", "Delete"].into_iter().find_map(|verb| {
            let path = line.strip_prefix("*** ")?.strip_prefix(verb)?;
            Some((verb, path.strip_prefix(" File: ")?.trim()))
        });
        match header {
            Some((verb, path)) => {
                close(&mut edits, &mut lines, added);
                added = verb == "Add";
                edits.push(FileEdit {
                    path: path.to_owned(),
                    change: match verb {
                        "Delete" => FileChange::Deleted,
                        _ => FileChange::Hunks(Vec::new()),
                    },
                });
            }
            None if line.starts_with("*** Move to: ") => {
                if let Some(edit) = edits.last_mut() {
                    line["*** Move to: ".len()..]
                        .trim()
                        .clone_into(&mut edit.path);
                }
            }
            None if line.starts_with("*** ") => {}
            None => lines.push(line),
        }
    }
    close(&mut edits, &mut lines, added);
    edits
}

/// The hunks of a diff; a hunk begins with `@@`. File headers are skipped.
fn diff_hunks<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<Hunk> {
    let mut hunks: Vec<Hunk> = Vec::new();
    for line in lines {
        if line.starts_with("@@") {
            hunks.push(Hunk::default());
            continue;
        }
        let header = ["--- ", "+++ ", "diff ", "index "];
        // Inside a hunk `--- x` is a line that was taken away.
        if hunks.is_empty() && header.iter().any(|own| line.starts_with(own)) {
            continue;
        }
        let marked = match line.chars().next() {
            Some('-') => (Mark::Old, &line[1..]),
            Some('+') => (Mark::New, &line[1..]),
            Some(' ') => (Mark::Same, &line[1..]),
            _ => (Mark::Same, line),
        };
        if hunks.is_empty() {
            hunks.push(Hunk::default());
        }
        if let Some(hunk) = hunks.last_mut() {
            hunk.lines.push((marked.0, marked.1.to_owned()));
        }
    }
    hunks.retain(|hunk| !hunk.lines.is_empty());
    hunks
}

/// Puts a hunk's lines behind `out`, without those it takes away; a hunk that only takes away is left
/// out whole.
fn close_without_old<'a>(out: &mut Vec<&'a str>, hunk: &mut Vec<&'a str>) {
    let adds = hunk.iter().any(|line| line.starts_with('+'));
    let deletes = hunk.iter().any(|line| line.starts_with('-'));
    let lines = hunk.drain(..).filter(|line| !line.starts_with('-'));
    if adds || !deletes {
        out.extend(lines);
    }
}

/// A patch without the lines it takes away and without the places where it only takes away.
fn patch_without_old(patch: &str) -> String {
    let mut out: Vec<&str> = Vec::new();
    let mut hunk: Vec<&str> = Vec::new();
    for line in patch.lines() {
        if line.starts_with("*** ") {
            close_without_old(&mut out, &mut hunk);
            out.push(line);
            continue;
        }
        if line.starts_with("@@") {
            close_without_old(&mut out, &mut hunk);
        }
        hunk.push(line);
    }
    close_without_old(&mut out, &mut hunk);
    out.join("\n")
}

#[cfg(test)]
mod tests;
