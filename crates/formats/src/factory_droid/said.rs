//! Who speaks in a message row, which its role alone does not tell: reminders, notices and results
//! of tools are stored as the user's.

/// What begins the id of the row with what the agent tells the model before a prompt.
const CONTEXT: &str = "context-";
/// What begins the id of a row that reminds the model of its list of todos.
const TODO: &str = "todo-suggest-";

/// The custom type of a row that begins a prompt.
pub(super) const CONTEXT_TYPE: &str = "context";
/// The custom type of a reminder of the todo list.
pub(super) const TODO_TYPE: &str = "todo_suggest";

/// The word for the role of what the agent tells the model; each block is a message, because some
/// of them are sent again after a compaction and others are not.
pub(super) const REMINDER: &str = "reminder";
/// The word for the role of a result.
pub(super) const RESULT: &str = "tool_result";
/// The word for the role of a summary.
pub(super) const SUMMARY: &str = "summary";
/// The word for the role of what stands behind a summary about the machine.
pub(super) const SYSTEM_INFO: &str = "system_info";

/// What a row says about its speaker.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Facts<'a> {
    /// The message's role.
    pub role: &'a str,
    /// Who sees it, where that is not everybody.
    pub visibility: &'a str,
    /// The event that a hook ran at.
    pub hook: &'a str,
    /// True where it holds results of tools.
    pub has_results: bool,
    /// True where it holds anything.
    pub has_content: bool,
}

/// Who speaks in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    /// The user.
    Prompt,
    /// The tools, whatever stands beside their results.
    Results,
    /// The model.
    Reply,
    /// The agent, to the model.
    Reminder,
    /// The agent, to the user.
    Notice,
    /// A hook, to nobody.
    Hook,
    /// Instructions that are not the user's.
    System,
    /// Somebody of a later version.
    Unknown,
}

/// Who speaks in a row.
pub(super) fn said(facts: &Facts<'_>) -> Said {
    match (facts.role, facts.visibility) {
        _ if !facts.hook.is_empty() && !facts.has_content => Said::Hook,
        ("assistant", _) => Said::Reply,
        ("user", _) if facts.has_results => Said::Results,
        ("user", "llm_only") => Said::Reminder,
        ("user", "user_only") => Said::Notice,
        ("user", _) => Said::Prompt,
        ("system", _) => Said::System,
        _ => Said::Unknown,
    }
}

impl Said {
    /// The word for the role; of results that of what stands beside them.
    pub fn native_role(self) -> &'static str {
        match self {
            Said::Prompt | Said::Results => "user",
            Said::Reply => "assistant",
            Said::Reminder => REMINDER,
            Said::Notice => "notice",
            Said::Hook => "hook",
            Said::System => "system",
            Said::Unknown => "unknown",
        }
    }

    /// True for what the model gets, given who may see the row.
    pub fn is_sent(self, visibility: &str) -> bool {
        !matches!(self, Said::Notice | Said::Hook | Said::Unknown) && visibility != "user_only"
    }
}

/// What kind of reminder a row is, by its id.
pub(super) fn reminder_type(id: &str) -> &'static str {
    if id.starts_with(CONTEXT) {
        CONTEXT_TYPE
    } else if id.starts_with(TODO) {
        TODO_TYPE
    } else {
        "llm_only"
    }
}

/// What the model got as the result of a change to a file, which is stored as what the user is
/// shown: `{"success": true, "file_path": ..., "diffLines": [...]}` (0.225.2).
pub(super) fn told_of_change(stored: &str) -> Option<String> {
    // Results can have megabytes, and only this one begins so.
    if !stored.trim_start().starts_with("{\"success\":true,") {
        return None;
    }
    let shown: serde_json::Value = serde_json::from_str(stored).ok()?;
    let path = shown.get("file_path")?.as_str()?;
    // A new file is shown without differences.
    let done = match shown.get("diffLines") {
        Some(_) => "updated",
        None => "created",
    };
    Some(format!("The file {path} has been {done} successfully."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_told_in_one_sentence() {
        let told = |stored: &str| told_of_change(stored);
        assert_eq!(
            told(r#"{"success":true,"file_path":"/w/a","diffLines":[]}"#).as_deref(),
            Some("The file /w/a has been updated successfully.")
        );
        assert_eq!(
            told(r#"{"success":true,"file_path":"/w/a"}"#).as_deref(),
            Some("The file /w/a has been created successfully.")
        );
        assert_eq!(told(r#"{"success":true,"count":1}"#), None);
        assert_eq!(told(r#"{"success":true,"file_path":"/w"#), None);
        assert_eq!(told("done"), None);
    }
}
