//! Bulk text that scripts ask for by `{{kind key=value...}}`: the long listings, logs and build
//! outputs that fill a real session. Each is made from its arguments alone.

mod adapter;
mod console;
mod data;
mod wanted;

use super::files::Project;
use serde_json::{Value, json};
use wanted::Wanted;

/// Replaces every line of the form `{{...}}` by what it asks for.
pub(super) fn expand(text: &str, project: &Project) -> Result<String, String> {
    if !text.contains("{{") {
        return Ok(text.to_owned());
    }
    let mut lines = Vec::new();
    for line in text.lines() {
        match line
            .strip_prefix("{{")
            .and_then(|rest| rest.strip_suffix("}}"))
        {
            Some(spec) => lines.push(make(spec, project)?.trim_end_matches('\n').to_owned()),
            None => lines.push(line.to_owned()),
        }
    }
    Ok(lines.join("\n"))
}

/// Makes one piece of bulk text.
pub(super) fn make(spec: &str, project: &Project) -> Result<String, String> {
    let mut words = spec.split_whitespace();
    let kind = words.next().unwrap_or_default();
    let wanted = Wanted {
        words: words.collect(),
    };
    match kind {
        "tests" => console::tests(&wanted, project),
        "failed" => console::failed(&wanted, project),
        "vitest" => console::vitest(&wanted, project),
        "compiling" => console::compiling(&wanted),
        "tree" => console::dependency_tree(&wanted),
        "deliveries" => data::deliveries(&wanted),
        "statement" => data::statement(&wanted),
        "postings" => data::postings(&wanted),
        "metrics" => data::metrics(&wanted),
        "compose" => data::compose_log(&wanted),
        "adapter" => adapter::adapter(&wanted),
        _ => Err(format!("there is no bulk text of the kind '{kind}'")),
    }
}

/// The tools of a coding agent, declared as a system message declares them.
pub(super) fn tool_declarations() -> Value {
    let string = |what: &str| json!({ "type": "string", "description": what });
    let tool = |name: &str, what: &str, properties: Value, required: &[&str]| {
        json!({
            "name": name,
            "description": what,
            "parameters": { "type": "object", "required": required, "properties": properties },
        })
    };
    json!([
        tool(
            "read",
            "Shows a file, or some of its lines.",
            json!({ "path": string("The file"), "offset": { "type": "number" }, "limit": { "type": "number" } }),
            &["path"],
        ),
        tool(
            "bash",
            "Runs a shell command and shows what it prints.",
            json!({ "command": string("The command") }),
            &["command"]
        ),
        tool(
            "edit",
            "Replaces exact pieces of a file; each must occur once.",
            json!({ "path": string("The file"), "edits": { "type": "array" } }),
            &["path", "edits"],
        ),
        tool(
            "write",
            "Creates a file or replaces it whole.",
            json!({ "path": string("The file"), "content": string("All of its text") }),
            &["path", "content"],
        ),
    ])
}
