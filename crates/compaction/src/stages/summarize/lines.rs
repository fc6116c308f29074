//! Which lines calls read and edited, as their arguments say.

use serde_json::Value;

/// The lines that an edit changes: those it names, and those of its patch. None where the
/// arguments do not tell.
pub(super) fn edited(arguments: &Value) -> Vec<String> {
    let edits = match &arguments["edits"] {
        Value::Array(edits) => edits.iter().collect(),
        _ => vec![arguments],
    };
    let named = edits.into_iter().filter_map(named);
    let mut ranges: Vec<String> = named.map(|(first, last)| range(first, last)).collect();
    let patch = ["patch", "diff", "input"]
        .iter()
        .find_map(|key| arguments[*key].as_str());
    ranges.extend(patch.into_iter().flat_map(hunks));
    ranges
}

/// The lines that a read was limited to, by its `offset` and `limit`.
pub(super) fn read(arguments: &Value) -> Option<String> {
    let offset = arguments["offset"].as_u64();
    let limit = arguments["limit"].as_u64();
    // Tools count lines from 1.
    let first = offset.unwrap_or(1);
    match (offset, limit) {
        (None, None) => None,
        (_, Some(limit)) => Some(format!("{first}-{}", (first + limit).saturating_sub(1))),
        (Some(_), None) => Some(format!("{first}-")),
    }
}

/// Lines that an edit names itself.
fn named(edit: &Value) -> Option<(u64, u64)> {
    let at = |keys: [&str; 2]| keys.iter().find_map(|key| edit[*key].as_u64());
    let first = at(["start_line", "startLine"])?;
    Some((first, at(["end_line", "endLine"]).unwrap_or(first)))
}

/// The lines of the old file that the hunks of a patch are about.
fn hunks(patch: &str) -> impl Iterator<Item = String> {
    patch.lines().filter_map(|line| {
        let old = line.strip_prefix("@@ -")?.split(' ').next()?;
        // A hunk without a count is one line.
        let (first, count) = old.split_once(',').unwrap_or((old, "1"));
        let (first, count): (u64, u64) = (first.parse().ok()?, count.parse().ok()?);
        Some(range(first, first + count.saturating_sub(1)))
    })
}

fn range(first: u64, last: u64) -> String {
    if last > first {
        format!("{first}-{last}")
    } else {
        first.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_edit_says_its_lines() {
        assert_eq!(edited(&json!({"start_line": 3, "end_line": 5})), ["3-5"]);
        assert_eq!(edited(&json!({"edits": [{"startLine": 3}, {}]})), ["3"]);
        let patch = "--- a\n+++ a\n@@ -4,2 +4,3 @@ fn\n x\n@@ -9 +10 @@\n";
        assert_eq!(edited(&json!({"patch": patch})), ["4-5", "9"]);
        assert!(edited(&json!({"oldText": "two", "content": "new"})).is_empty());
    }
}
