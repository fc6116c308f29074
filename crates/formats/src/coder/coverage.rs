//! What is read of Coder.

use crate::coverage::{Coverage, records};

pub(super) const COVERAGE: Coverage = Coverage {
    title: "Coder",
    versions: "2026 (the chats API of its server)",
    storage: "Chats of a server, read with a token of the user, or saved as a JSON file with the answers of \
              its API. \
              A subagent is a chat of its own, linked with its parent.",
    places: &[],
    variables: &[],
    records: &[
        records("messages", &["user", "assistant", "tool", "system"]),
        records(
            "parts of messages",
            &[
                "text",
                "reasoning",
                "tool-call",
                "tool-result",
                "file",
                "file-reference",
            ],
        ),
        records("compactions", &["chat_summarized"]),
        records(
            "the end of what is sent, set by the user",
            &["chat_cleared"],
        ),
        records("subagents", &["children"]),
    ],
    limits: &[
        "Saved files have no default folder: add their folder under Settings.",
        "The API does not show the message with which the server sends a summary.",
    ],
    compared: "the documentation of the API; no requests were recorded",
};
