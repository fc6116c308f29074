//! What is read of Codex.

use crate::coverage::{Coverage, records};

pub(super) const COVERAGE: Coverage = Coverage {
    title: "Codex",
    versions: "0.2 to 0.169",
    storage: "One file of JSON lines per session, compressed or not; an edited session has further \
              files for its later segments.",
    places: &["~/.codex/{sessions,archived_sessions}"],
    variables: &["CODEX_HOME"],
    records: &[
        records("messages, reasoning, calls and results", &["response_item"]),
        records(
            "events: usage, turns taken back, titles, subagents, errors",
            &["event_msg"],
        ),
        records("compactions", &["compacted"]),
        records("the model and settings of a turn", &["turn_context"]),
        records("usage", &["token_usage_record"]),
        records(
            "other records of the run",
            &[
                "world_state",
                "inter_agent_communication",
                "retained_context",
                "realtime_item",
            ],
        ),
    ],
    limits: &[
        "A summary that the server made is stored encrypted: its size is known, its text is not.",
    ],
    compared: "requests recorded from 0.169.0",
};
