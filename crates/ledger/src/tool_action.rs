//! What a tool does, by its name.

/// What a tool does, as far as its name tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ToolAction {
    /// Runs a shell command.
    Shell,
    /// Reads a file.
    Read,
    /// Changes part of a file.
    Edit,
    /// Writes a whole file.
    Write,
    /// Searches or lists.
    Search,
    /// Keeps a list of things to do.
    Todo,
    /// Anything else.
    Other,
}

/// Names without separators in lower case: Claude Code, pi, Codex, Gemini, Qwen, OpenCode, Kilo, Cline,
/// Copilot, Cursor, Continue, Droid, Goose, Kimi, Mux, OpenHands, Roo and Zed.
const SHELL: &[&str] = &[
    "bash",
    "shell",
    "exec",
    "sh",
    "terminal",
    "runcommand",
    "runcommands",
    "execute",
    "executebash",
    "executecommand",
    "execcommand",
    "shellcommand",
    "localshell",
    "runshellcommand",
    "runinterminal",
    "runterminalcmd",
    "runterminalcommand",
    "powershell",
];

const READ: &[&str] = &[
    "read",
    "readfile",
    "readfiles",
    "readmanyfiles",
    "view",
    "viewfile",
    "cat",
    "openfile",
    "fileread",
    "notebookread",
];

const EDIT: &[&str] = &[
    "edit",
    "multiedit",
    "strreplace",
    "strreplacefile",
    "strreplaceeditor",
    "strreplacebasededittool",
    "applypatch",
    "applydiff",
    "editfile",
    "editexistingfile",
    "editor",
    "fileeditor",
    "texteditor",
    "replace",
    "replaceinfile",
    "replacestringinfile",
    "multireplacestringinfile",
    "searchreplace",
    "searchandreplace",
    "singlefindandreplace",
    "inserteditintofile",
    "insertcontent",
    "fileeditreplacestring",
    "fileeditreplacelines",
    "fileeditinsert",
    "patch",
    "notebookedit",
];

const WRITE: &[&str] = &[
    "write",
    "writefile",
    "writetofile",
    "filewrite",
    "create",
    "createfile",
    "createnewfile",
];

const SEARCH: &[&str] = &[
    "grep",
    "grepsearch",
    "find",
    "findpath",
    "ls",
    "glob",
    "globfilesearch",
    "search",
    "searchfiles",
    "searchfilecontent",
    "filesearch",
    "list",
    "listdir",
    "listfiles",
    "listdirectory",
    "rg",
    "codebasesearch",
];

const TODO: &[&str] = &[
    "updateplan",
    "taskcreate",
    "taskget",
    "tasklist",
    "taskupdate",
    "tasktracker",
    "checklist",
    "updatechecklist",
];

/// Tools that show what a command printed that runs in the background.
const OUTPUT: &[&str] = &[
    "bashoutput",
    "taskoutput",
    "joboutput",
    "shelloutput",
    "commandstatus",
    "getcommandoutput",
    "getterminaloutput",
    "terminallastcommand",
    "readterminal",
    "readprocessoutput",
    "readprocess",
    "writestdin",
    "runtask",
    "killshell",
];

/// True for a tool that shows what a command printed that runs in the background.
pub(crate) fn shows_output(name: &str) -> bool {
    OUTPUT.contains(&bare(name).as_str())
}

/// True for a tool that shows what went wrong elsewhere: in a page of a browser, in an editor.
pub(crate) fn shows_problems(name: &str) -> bool {
    let bare = bare(name);
    [
        "console",
        "diagnostic",
        "problems",
        "geterrors",
        "readlints",
    ]
    .iter()
    .any(|word| bare.contains(word))
}

/// A name without separators and without what stands in front of the last `__` or `.`, in lower case.
fn bare(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    let last = lower.rsplit("__").next().unwrap_or(&lower);
    let last = last.rsplit('.').next().unwrap_or(last);
    last.chars().filter(|c| !matches!(c, '_' | '-')).collect()
}

impl ToolAction {
    /// The action of the tool called `name`, by the names the known agents use; what stands in
    /// front of the last `__` or `.` names a server or an extension (`developer__shell`).
    pub fn of(name: &str) -> ToolAction {
        let bare = bare(name);
        // A server whose only matter are tasks names its tools `write` and `read`.
        let keeps_tasks = name.to_ascii_lowercase().starts_with("todo__");
        let is = |list: &[&str]| list.contains(&bare.as_str());
        if keeps_tasks {
            ToolAction::Todo
        } else if is(SHELL) {
            ToolAction::Shell
        } else if is(READ) {
            ToolAction::Read
        } else if is(EDIT) {
            ToolAction::Edit
        } else if is(WRITE) {
            ToolAction::Write
        } else if is(SEARCH) {
            ToolAction::Search
        } else if is(TODO) || bare.contains("todo") {
            ToolAction::Todo
        } else {
            ToolAction::Other
        }
    }

    /// The action of a call: an editor with several commands only reads with `view`.
    pub(crate) fn of_call(name: &str, command: Option<&str>) -> ToolAction {
        match (ToolAction::of(name), command) {
            (ToolAction::Edit, Some("view")) => ToolAction::Read,
            (ToolAction::Edit, Some("create" | "write")) => ToolAction::Write,
            (action, _) => action,
        }
    }

    /// True for tools that change files.
    pub fn changes_files(self) -> bool {
        matches!(self, ToolAction::Edit | ToolAction::Write)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_of_many_agents_are_known() {
        for (name, action) in [
            ("Bash", ToolAction::Shell),
            ("Execute", ToolAction::Shell),
            ("run_terminal_cmd", ToolAction::Shell),
            ("developer__shell", ToolAction::Shell),
            ("functions.exec_command", ToolAction::Shell),
            ("file_read", ToolAction::Read),
            ("ReadFile", ToolAction::Read),
            ("StrReplaceFile", ToolAction::Edit),
            ("file_edit_insert", ToolAction::Edit),
            ("write_to_file", ToolAction::Write),
            ("search_files", ToolAction::Search),
            ("TodoWrite", ToolAction::Todo),
            ("manage_todo_list", ToolAction::Todo),
            ("task_tracker", ToolAction::Todo),
            ("mcp__tracker__create_issue", ToolAction::Other),
            ("task", ToolAction::Other),
        ] {
            assert_eq!(ToolAction::of(name), action, "for {name}");
        }
        assert_eq!(
            ToolAction::of_call("str_replace_editor", Some("view")),
            ToolAction::Read
        );
    }
}
