//! The files that a patch in the form of OpenAI's `apply_patch` names.

use palimpsest_core::entry::FileAccess;

/// What the lines begin with that name a file (Codex 0.2 to 0.169, Copilot CLI 1.0.102).
const HEADERS: [(&str, FileAccess); 4] = [
    ("*** Add File: ", FileAccess::Write),
    ("*** Update File: ", FileAccess::Edit),
    ("*** Delete File: ", FileAccess::Edit),
    ("*** Move to: ", FileAccess::Write),
];

/// The files that `text` names, in its order; none where it is no patch.
pub(crate) fn files(text: &str) -> Vec<(String, FileAccess)> {
    if !text.contains("*** Begin Patch") {
        return Vec::new();
    }
    let named = text.lines().filter_map(|line| {
        HEADERS
            .iter()
            .find_map(|(header, access)| Some((line.strip_prefix(header)?.trim(), *access)))
    });
    named
        .filter(|(path, _)| !path.is_empty())
        .map(|(path, access)| (path.to_owned(), access))
        .collect()
}
