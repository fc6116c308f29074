//! What is read of Factory Droid.

use crate::coverage::{Coverage, records};

pub(super) const COVERAGE: Coverage = Coverage {
    title: "Factory Droid",
    versions: "0.225.2",
    storage: "One file of JSON lines per session, and a file with its settings and totals. A manual \
              compaction begins another file; both are shown as one session. \
              A fork or a rewind is a session of its own that names its parent.",
    places: &["~/.factory/sessions"],
    variables: &["FACTORY_HOME_OVERRIDE"],
    records: &[
        records("messages and tool results", &["message"]),
        records("compactions", &["compaction_state"]),
        records("the outcome of a turn", &["agent_turn_outcome"]),
        records("the list of tasks", &["todo_state"]),
        records("the session", &["session_start", "session_end"]),
    ],
    limits: &[
        "Usage is stored for whole sessions only.",
        "The system prompt and the tools are in no file.",
        "The result of an edit is stored in a display form, from which the text that was sent is made.",
    ],
    compared: "requests recorded from 0.225.2",
};
