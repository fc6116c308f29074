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

/// Parts of names of tools that keep the agent's own lists.
const OWN_LISTS: [&str; 4] = ["todo", "task", "plan", "memory"];

/// Arguments that name what such a tool makes.
const NAMING: [&str; 5] = ["title", "name", "subject", "summary", "body"];

/// What a tool changed elsewhere (`create_issue "Sort the rows"`); `None` for other tools.
pub fn deed(tool: &str, arguments: &str) -> Option<String> {
    let name = tool.rsplit("__").next().unwrap_or(tool);
    let lower = name.to_lowercase();
    let does = |verb: &&str| {
        lower
            .split(['_', '-', '.'])
            .any(|part| part.starts_with(*verb))
    };
    if !DOING.iter().any(does) || OWN_LISTS.iter().any(|own| lower.contains(own)) {
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
