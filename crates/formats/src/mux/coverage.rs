//! What is read of Mux.

use crate::coverage::{Coverage, records};

pub(super) const COVERAGE: Coverage = Coverage {
    title: "Mux",
    versions: "0.28.3, and the folders of earlier versions",
    storage: "One folder per workspace: the rows since the newest compaction, an archive of earlier \
              rows, the reply that is being written, a journal of requests, and blobs. Together they \
              are one session. \
              A subagent's workspace is a session of its own, linked with its call; a fork is known by its shared rows.",
    places: &["~/{.xum,.mux,.cmux,.xum-dev,.mux-dev,.cmux-dev}/sessions"],
    variables: &["XUM_ROOT", "MUX_ROOT"],
    records: &[
        records(
            "messages with their steps",
            &["user", "assistant", "system"],
        ),
        records(
            "parts of messages",
            &["text", "reasoning", "file", "dynamic-tool"],
        ),
        records("the request for a summary", &["compaction-request"]),
        records("compactions", &["compacted"]),
        records(
            "the end of what is sent, set by the user",
            &["contextBoundaryKind"],
        ),
        records(
            "questions asked beside the conversation",
            &["side-question", "side-question-answer"],
        ),
        records("the system prompts of requests", &["turn-envelope"]),
    ],
    limits: &[
        "Tools are in no file.",
        "Rows that Mux deletes later, and reports of subagents that it rewrites, are in no file.",
        "The state of terminals is not read.",
    ],
    compared: "requests recorded from 0.28.3",
};
