//! What is read of OpenCode.

use crate::coverage::{Coverage, records};

pub(super) const COVERAGE: Coverage = Coverage {
    title: "OpenCode",
    versions: "0.5 to 1.18.33",
    storage: "Rows of a database (since 1.2), small JSON files (before), or an export.",
    places: &["~/.local/share/opencode"],
    variables: &["OPENCODE_DB", "XDG_DATA_HOME", "USERPROFILE"],
    records: &[
        records("messages with their parts", &["user", "assistant"]),
        records(
            "parts of messages",
            &[
                "text",
                "reasoning",
                "tool",
                "file",
                "step-start",
                "step-finish",
                "patch",
            ],
        ),
        records("the request for a summary", &["compaction"]),
        records("subagents", &["subtask"]),
        records("compactions", &["summary"]),
        records("the list of tasks", &["todo"]),
    ],
    limits: &[
        "The system prompt and the tools are in no file.",
        "Sessions of Kilo 7.7, which keeps the same store, are listed with its name before the version; \
         their contexts are not compared with requests.",
    ],
    compared: "requests recorded from 1.18.33",
};
