//! What is read of Continue.

use crate::coverage::{Coverage, records};

pub(super) const COVERAGE: Coverage = Coverage {
    title: "Continue",
    versions: "1.5 (editors and command line)",
    storage: "One JSON file per session, written again with every change.",
    places: &["~/.continue/sessions"],
    variables: &["CONTINUE_GLOBAL_DIR"],
    records: &[
        records(
            "messages",
            &["user", "assistant", "thinking", "tool", "system"],
        ),
        records("results of calls", &["toolCallStates"]),
        records("what is put into the context", &["contextItems"]),
        records("compactions", &["conversationSummary"]),
        records("usage of the whole session", &["usage"]),
    ],
    limits: &[
        "Items have no times.",
        "What a compaction of the command line summarized is in no file.",
        "What an edited prompt cut off is in no file.",
    ],
    compared: "its public source; no requests were recorded",
};
