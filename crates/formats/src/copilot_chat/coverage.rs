//! What is read of Copilot in VS Code.

use crate::coverage::{Coverage, records};

pub(super) const COVERAGE: Coverage = Coverage {
    title: "GitHub Copilot in VS Code",
    versions: "2025 (JSON objects) and 2026 (journals)",
    storage: "One JSON object or one journal of its changes per chat. \
              What the user took back is a branch.",
    places: &[
        "~/{.config,Library/Application Support,AppData/Roaming}/\
         {Code,Code - Insiders,VSCodium,Code - OSS}/User/\
         {workspaceStorage,globalStorage/emptyWindowChatSessions,\
         globalStorage/transferredChatSessions}",
        "~/{.vscode-server,.vscode-server-insiders}/data/User/\
         {workspaceStorage,globalStorage/emptyWindowChatSessions,\
         globalStorage/transferredChatSessions}",
    ],
    variables: &["VSCODE_PORTABLE", "XDG_CONFIG_HOME", "APPDATA"],
    records: &[
        records("prompts", &["prompt"]),
        records("replies with their calls", &["toolCallRounds"]),
        records("tool results", &["toolCallResults"]),
        records("compactions", &["summary"]),
        records("errors", &["error"]),
    ],
    limits: &[
        "The system prompt and the tools are in no file.",
        "What the editor adds to a prompt is in no file, except for the attached files by name.",
        "The databases and the other files of extensions are not read.",
    ],
    compared: "the extension's public source; no requests were recorded",
};
