//! Tool calls as lists and file tracking need them: names, paths, what is done to a file.

use super::json::{field, some_text, text};
use crate::measure::head;
use crate::patch;
use palimpsest_core::entry::{FileAccess, ToolCallBrief};
use serde_json::Value;

/// How far into a result the exit status is looked for, in bytes.
// It begins by byte 43 in all 39 results of recorded sessions that have one (0.169).
const STATUS_WITHIN: usize = 400;

/// The id that ties a call to its result; calls that the provider runs have only their own.
pub(super) fn call_id(item: &Value) -> &str {
    some_text(item, "call_id").unwrap_or_else(|| text(item, "id"))
}

/// The calls of an item: one, or one for each file of a patch.
pub(super) fn briefs(item: &Value) -> Vec<ToolCallBrief> {
    let (name, arguments) = match text(item, "type") {
        "function_call" => {
            // Arguments are a JSON text inside the record, and a reply that was cut leaves half
            // of one.
            let arguments = serde_json::from_str(text(item, "arguments")).unwrap_or_default();
            (text(item, "name"), arguments)
        }
        "custom_tool_call" => (text(item, "name"), field(item, "input").clone()),
        "local_shell_call" => ("local_shell", field(item, "action").clone()),
        "web_search_call" => ("web_search", Value::Null),
        "tool_search_call" => ("tool_search", Value::Null),
        "image_generation_call" => ("image_generation", Value::Null),
        _ => return Vec::new(),
    };
    let brief = |path: Option<&str>, access| ToolCallBrief {
        name: name.into(),
        call_id: call_id(item).into(),
        path: path.map(Into::into),
        access,
    };
    let patched = patched_files(name, &arguments);
    if !patched.is_empty() {
        let files = patched.into_iter();
        return files
            .map(|(path, access)| brief(Some(&path), Some(access)))
            .collect();
    }
    let path = ["path", "file_path", "filename"]
        .iter()
        .find_map(|key| some_text(&arguments, key));
    let access = path.and(match name {
        "read_file" | "view_image" | "list_dir" | "grep_files" => Some(FileAccess::Read),
        "write_file" => Some(FileAccess::Write),
        _ => None,
    });
    vec![brief(path, access)]
}

/// The files a patch names, in its order, whether it comes as the tool's input, as an argument, or
/// inside a shell command.
fn patched_files(name: &str, arguments: &Value) -> Vec<(String, FileAccess)> {
    let mut texts: Vec<&str> = Vec::new();
    match arguments {
        Value::String(input) if name == "apply_patch" => texts.push(input),
        Value::Object(_) => {
            texts.extend(["input", "patch", "cmd", "command"].map(|key| text(arguments, key)));
            if let Value::Array(words) = field(arguments, "command") {
                texts.extend(words.iter().filter_map(Value::as_str));
            }
        }
        _ => {}
    }
    texts.into_iter().flat_map(patch::files).collect()
}

/// A call in a few words: the tool with its command, its files, or its arguments.
pub(super) fn preview(name: &str, arguments: &str, briefs: &[ToolCallBrief]) -> Box<str> {
    let paths: Vec<&str> = briefs.iter().filter_map(|b| b.path.as_deref()).collect();
    let parsed: Value = serde_json::from_str(arguments).unwrap_or_default();
    let gist = if !paths.is_empty() {
        paths.join(", ")
    } else if let Some(gist) = ["cmd", "command", "query", "q", "url", "message", "plan"]
        .iter()
        .find_map(|key| gist(&parsed, key))
    {
        gist
    } else if arguments == "{}" {
        String::new()
    } else {
        arguments.to_owned()
    };
    if gist.is_empty() {
        head(name)
    } else {
        head(&format!("{name}: {gist}"))
    }
}

fn gist(arguments: &Value, key: &str) -> Option<String> {
    match field(arguments, key) {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        // `["bash", "-lc", "make"]`: what is run is the last word.
        Value::Array(words) => Some(words.last()?.as_str()?.to_owned()),
        _ => None,
    }
}

/// The first words of a result, without the lines about how the tool ran (0.4x to 0.169) or the
/// JSON round it (2025).
pub(super) fn output_preview(text: &str) -> Box<str> {
    let has_report = ["Chunk ID:", "Wall time:", "Exit code:"]
        .iter()
        .any(|beginning| text.starts_with(beginning));
    let told = text.split_once("\nOutput:\n").filter(|_| has_report);
    if let Some((report, output)) = told {
        let status = report.lines().find(|line| line.contains("exit"));
        return if output.trim().is_empty() {
            head(status.unwrap_or(report))
        } else {
            head(output)
        };
    }
    if text.starts_with("{\"output\":")
        && let Ok(wrapped) = serde_json::from_str::<Value>(text)
        && let Some(output) = some_text(&wrapped, "output")
    {
        return head(output);
    }
    head(text)
}

/// True for a result that says its tool failed: by a flag (2025), by the exit status in its first
/// lines, or by the status in JSON that older versions wrap round the output.
pub(super) fn is_failure(item: &Value) -> bool {
    let output = field(item, "output");
    if output.get("success").and_then(Value::as_bool) == Some(false) {
        return true;
    }
    let Some(text) = output.as_str() else {
        return false;
    };
    let mut end = text.len().min(STATUS_WITHIN);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let beginning = &text[..end];
    for line in beginning.lines().take(6) {
        let status = ["Process exited with code ", "Exit code: "]
            .iter()
            .find_map(|words| line.strip_prefix(words));
        if let Some(status) = status {
            return status.trim() != "0";
        }
    }
    if beginning.starts_with("{\"output\":")
        // From the end, where the metadata is: the output before it may hold the same words.
        && let Some(at) = text.rfind("\"exit_code\":")
    {
        let status = text[at + "\"exit_code\":".len()..].trim_start();
        return !status.starts_with('0');
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_patch_names_its_files_wherever_it_stands() {
        let patch = "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-x\n+y\n*** Add File: b.md\n\
                     +new\n*** End Patch";
        for item in [
            json!({"type": "custom_tool_call", "name": "apply_patch", "call_id": "c", "input": patch}),
            json!({"type": "function_call", "name": "apply_patch", "call_id": "c",
                   "arguments": json!({"input": patch}).to_string()}),
            json!({"type": "function_call", "name": "shell", "call_id": "c",
                   "arguments": json!({"command": ["apply_patch", patch]}).to_string()}),
        ] {
            let files: Vec<_> = briefs(&item)
                .into_iter()
                .map(|brief| (brief.path.unwrap_or_default(), brief.access))
                .collect();
            let edit = ("src/a.rs".into(), Some(FileAccess::Edit));
            assert_eq!(files, [edit, ("b.md".into(), Some(FileAccess::Write))]);
        }
    }

    #[test]
    fn failures_are_told_by_status() {
        for (output, failed) in [
            (
                json!("Wall time: 1\nProcess exited with code 2\nOutput:\n"),
                true,
            ),
            (
                json!("Wall time: 1\nProcess exited with code 0\nOutput:\nExit code: 3"),
                false,
            ),
            (
                json!("{\"output\":\"x\",\"metadata\":{\"exit_code\":1}}"),
                true,
            ),
            (
                json!("{\"output\":\"x\",\"metadata\":{\"exit_code\":0}}"),
                false,
            ),
            (json!({"content": "no", "success": false}), true),
            (json!("plain"), false),
        ] {
            assert_eq!(is_failure(&json!({"output": output})), failed, "{output}");
        }
    }
}
