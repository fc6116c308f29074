//! Tool calls as lists and file tracking need them: names, paths, what is done to a file.

use crate::json::{field, items, some_text, text};
use crate::measure::head;
use crate::patch;
use palimpsest_core::entry::{FileAccess, ToolCallBrief};
use palimpsest_core::json::stringify;
use serde_json::Value;

/// What the ids of custom tools begin with in the file; the provider gets them without the first
/// word (Responses API, 1.0.102).
const CUSTOM: &str = "custom_";

/// The calls of a reply: one for each request, or one for each file of a patch.
pub(super) fn briefs(data: &Value) -> Vec<ToolCallBrief> {
    items(data, "toolRequests")
        .iter()
        .flat_map(of_request)
        .collect()
}

fn of_request(request: &Value) -> Vec<ToolCallBrief> {
    let name = text(request, "name");
    let arguments = field(request, "arguments");
    let brief = |path: Option<&str>, access| ToolCallBrief {
        name: name.into(),
        call_id: text(request, "toolCallId").into(),
        path: path.map(Into::into),
        access,
    };
    let patch = arguments
        .as_str()
        .or_else(|| some_text(arguments, "input"))
        .unwrap_or_default();
    let patched = patch::files(patch);
    if !patched.is_empty() {
        let files = patched.into_iter();
        return files
            .map(|(path, access)| brief(Some(&path), Some(access)))
            .collect();
    }
    let path = ["path", "filePath", "file_path"]
        .iter()
        .find_map(|key| some_text(arguments, key));
    let access = path.and(match name {
        "view" | "show_file" => Some(FileAccess::Read),
        "edit" | "str_replace_editor" => Some(FileAccess::Edit),
        "create" => Some(FileAccess::Write),
        _ => None,
    });
    vec![brief(path, access)]
}

/// A call in a few words: the tool with its command, its files, or its first telling argument.
pub(super) fn preview(name: &str, arguments: &Value, paths: &[&str]) -> Box<str> {
    const TELLING: [&str; 7] = [
        "command",
        "pattern",
        "query",
        "url",
        "description",
        "prompt",
        "path",
    ];
    let gist = match arguments {
        _ if !paths.is_empty() => paths.join(", "),
        Value::String(text) => text.clone(),
        Value::Object(all) if all.is_empty() => String::new(),
        Value::Null => String::new(),
        _ => match TELLING.iter().find_map(|key| some_text(arguments, key)) {
            Some(text) => text.to_owned(),
            None => stringify(arguments),
        },
    };
    if gist.trim().is_empty() {
        head(name)
    } else {
        head(&format!("{name}: {gist}"))
    }
}

/// True where a tool failed: by its own word, or by the exit status of a command, which counts as
/// success (1.0.102).
pub(super) fn is_failure(data: &Value) -> bool {
    let status = field(field(data, "shellExecution"), "exitCode")
        .as_i64()
        .or_else(|| {
            let metrics = field(field(data, "toolTelemetry"), "metrics");
            metrics.get("exit_code")?.as_f64().map(|code| code as i64)
        });
    data.get("success").and_then(Value::as_bool) == Some(false)
        || status.is_some_and(|status| status != 0)
}

/// The id of a call as the provider gets it.
pub(super) fn sent_id(id: &str) -> &str {
    id.strip_prefix(CUSTOM)
        .filter(|rest| rest.starts_with("call_"))
        .unwrap_or(id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn calls_name_what_they_do_to_a_file() {
        let patch = "*** Begin Patch\n*** Update File: a.rs\n@@\n-x\n+y\n*** Add File: b.md\n+z\n";
        for (name, arguments, files) in [
            (
                "view",
                json!({"path": "/w/a"}),
                vec![("/w/a", Some(FileAccess::Read))],
            ),
            (
                "edit",
                json!({"path": "/w/a"}),
                vec![("/w/a", Some(FileAccess::Edit))],
            ),
            (
                "create",
                json!({"path": "/w/a"}),
                vec![("/w/a", Some(FileAccess::Write))],
            ),
            ("glob", json!({"path": "/w"}), vec![("/w", None)]),
            (
                "apply_patch",
                json!(patch),
                vec![
                    ("a.rs", Some(FileAccess::Edit)),
                    ("b.md", Some(FileAccess::Write)),
                ],
            ),
        ] {
            let data = json!({"toolRequests": [{"toolCallId": "c", "name": name, "arguments": arguments}]});
            let found = briefs(&data);
            let found: Vec<_> = found
                .iter()
                .map(|brief| (brief.path.as_deref().unwrap_or_default(), brief.access))
                .collect();
            assert_eq!(found, files, "{name}");
        }
    }

    #[test]
    fn a_command_that_fails_is_a_failure() {
        for (data, failed) in [
            (
                json!({"success": true, "shellExecution": {"exitCode": 0}}),
                false,
            ),
            (
                json!({"success": true, "shellExecution": {"exitCode": 2}}),
                true,
            ),
            (
                json!({"success": true, "toolTelemetry": {"metrics": {"exit_code": 1.0}}}),
                true,
            ),
            (json!({"success": false}), true),
            (json!({}), false),
        ] {
            assert_eq!(is_failure(&data), failed, "{data}");
        }
    }

    #[test]
    fn ids_of_custom_tools_are_sent_without_their_first_word() {
        assert_eq!(sent_id("custom_call_1f"), "call_1f");
        assert_eq!(sent_id("custom_1f"), "custom_1f");
        assert_eq!(sent_id("toolu_1"), "toolu_1");
    }
}
