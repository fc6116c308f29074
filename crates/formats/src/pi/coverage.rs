//! What is read of pi.

use crate::coverage::{Coverage, records};

pub(super) const COVERAGE: Coverage = Coverage {
    title: "pi",
    versions: "0.12 to 1.5.2 (formats 1 to 4)",
    storage: "One file of JSON lines per session.",
    places: &["~/{.pi,.omp}/agent/sessions"],
    variables: &["PI_CODING_AGENT_SESSION_DIR", "PI_CODING_AGENT_DIR"],
    records: &[
        records(
            "messages, tool results, shell commands of the user",
            &["message"],
        ),
        records("messages of extensions", &["custom_message"]),
        records("compactions", &["compaction"]),
        records("branch summaries", &["branch_summary"]),
        records("changes of earlier messages", &["context_edit"]),
        records("labels", &["label"]),
        records(
            "changes of model, thinking level and title",
            &["model_change", "thinking_level_change", "session_info"],
        ),
        records("usage of other calls", &["usage"]),
        records("entries of extensions", &["custom"]),
    ],
    limits: &["The system prompt and the tools are in no file before format 4."],
    compared: "requests recorded from 0.73.1 and 0.87.1",
};
