//! What is read of Claude Code.

use crate::coverage::{Coverage, records};

pub(super) const COVERAGE: Coverage = Coverage {
    title: "Claude Code",
    versions: "1.x to 2.1.329",
    storage: "One file of JSON lines per session; subagents have files of their own.",
    places: &["~/{.claude,.config/claude}/projects"],
    variables: &["CLAUDE_CONFIG_DIR"],
    records: &[
        records(
            "messages, tool results, shell commands of the user",
            &["user", "assistant"],
        ),
        records("what is put into the context", &["attachment"]),
        records(
            "compactions and cleared tool results",
            &["compact_boundary", "microcompact_boundary"],
        ),
        records(
            "errors, durations and hooks",
            &[
                "api_error",
                "turn_duration",
                "stop_hook_summary",
                "local_command",
            ],
        ),
        records("reports of running tools", &["progress"]),
        records("prompts sent while the agent works", &["queue-operation"]),
        records("titles", &["summary", "custom-title", "ai-title"]),
        records("checkpoints of files", &["file-history-snapshot"]),
        records(
            "settings and links",
            &[
                "mode",
                "permission-mode",
                "agent-name",
                "last-prompt",
                "pr-link",
                "tag",
            ],
        ),
        records("costs and tools so far", &["cost-state", "tools-used"]),
    ],
    limits: &[
        "The system prompt and the tools are in a file only where the agent stored a snapshot of them.",
    ],
    compared: "requests recorded from 2.1.329, and the source of 2.1.63",
};
