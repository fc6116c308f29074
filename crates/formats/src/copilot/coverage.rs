//! What is read of Copilot CLI.

use crate::coverage::{Coverage, records};

pub(super) const COVERAGE: Coverage = Coverage {
    title: "GitHub Copilot CLI",
    versions: "1.0.102 (events of the SDK 1.0.14), and the single files before",
    storage: "One folder per session with a file of events, as JSON lines, and a file with the session's name. \
              A subagent's conversation begins at its call; a fork is a session of its own that names its \
              parent.",
    places: &["~/.copilot/{session-state,history-session-state}"],
    variables: &[
        "COPILOT_HOME",
        "XDG_STATE_HOME",
        "XDG_CONFIG_HOME",
        "USERPROFILE",
    ],
    records: &[
        records(
            "messages and tool results",
            &[
                "user.message",
                "assistant.message",
                "tool.execution_complete",
            ],
        ),
        records(
            "system prompts and notices",
            &["system.message", "system.notification"],
        ),
        records(
            "compactions and truncations",
            &[
                "session.compaction_start",
                "session.compaction_complete",
                "session.truncation",
            ],
        ),
        records("rewinds", &["session.snapshot_rewind"]),
        records("usage", &["session.usage_record", "session.shutdown"]),
        records(
            "subagents",
            &["subagent.started", "subagent.completed", "subagent.failed"],
        ),
        records("refused calls", &["permission.completed"]),
        records(
            "the session, its title and its model",
            &[
                "session.start",
                "session.resume",
                "session.title_changed",
                "session.model_change",
            ],
        ),
        records("the end of a turn", &["assistant.turn_end", "abort"]),
    ],
    limits: &[
        "Some eighty other types of events are listed by name.",
        "Tools are in no file.",
        "The snapshots of files are not read.",
    ],
    compared: "requests recorded from 1.0.102",
};
