//! Calls that change something elsewhere than in files and by commands, such as an issue.

use palimpsest_ledger::words;

/// A call that changed something elsewhere than in files and by commands, such as an issue.
#[derive(Debug)]
pub struct Deed {
    /// The tool, and what it made where its arguments name that.
    pub text: String,
    /// Index of its result in the span.
    pub item: usize,
}

/// Verbs in names of tools that change something outside of the working folder.
const DOING: [&str; 17] = [
    "create", "update", "add", "send", "post", "delete", "remove", "save", "submit", "publish",
    "comment", "reply", "merge", "close", "assign", "move", "upload",
];

/// First words in names of tools that only read.
const READING: [&str; 11] = [
    "get", "list", "search", "read", "find", "fetch", "show", "view", "query", "check", "describe",
];

/// Beginnings of words in names of tools that keep the agent's own lists.
const OWN_LISTS: [&str; 4] = ["todo", "task", "plan", "memory"];

/// Arguments that name what such a tool makes.
const NAMING: [&str; 5] = ["title", "name", "subject", "summary", "body"];

/// What a tool changed elsewhere (`create_issue "Sort the rows"`); `None` for other tools.
pub fn deed(tool: &str, arguments: &str) -> Option<String> {
    let name = tool.rsplit("__").next().unwrap_or(tool);
    let parts = parts_of(name);
    // `list_comments` and `get_updates` read.
    let reads = parts
        .first()
        .is_none_or(|first| READING.contains(&first.as_str()));
    let does = parts.iter().any(|part| DOING.contains(&part.as_str()));
    let own_list = |part: &String| OWN_LISTS.iter().any(|own| part.starts_with(own));
    if reads || !does || parts.iter().any(own_list) {
        return None;
    }
    let given: Option<serde_json::Value> = serde_json::from_str(arguments).ok();
    let named = NAMING
        .iter()
        .find_map(|key| given.as_ref()?.get(*key)?.as_str());
    Some(match named {
        Some(named) => format!("`{name}` \"{}\"", words::one_line(named, 90)),
        None => format!("`{name}`"),
    })
}

/// The words of a tool's name in lower case (`create_issue`, `createIssue`).
fn parts_of(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    for c in name.chars() {
        if !c.is_alphanumeric() || c.is_uppercase() {
            parts.push(String::new());
        }
        if let (true, Some(last)) = (c.is_alphanumeric(), parts.last_mut()) {
            last.extend(c.to_lowercase());
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::deed;

    #[test]
    fn tools_that_read_do_nothing() {
        for tool in [
            "mcp__tracker__create_issue",
            "createIssue",
            "issue_update",
            "mcp__hub__add-comment",
        ] {
            assert!(deed(tool, "{}").is_some(), "{tool}");
        }
        for tool in [
            "mcp__hub__list_comments",
            "getUpdates",
            "lookup_address",
            "list_merge_requests",
            "TodoWrite",
            "task_update",
            "update_plan",
            "",
        ] {
            assert_eq!(deed(tool, "{}"), None, "{tool}");
        }
    }
}
