//! What Mux sends once behind a compaction: changes to files, the plan, loaded skills.

use crate::json::{field, filled, flag, items};
use palimpsest_core::json::stringify;
use serde_json::Value;

/// The attachments in our own words about each and with their texts as they are; the sentences that
/// Mux puts round them are its wording.
pub(super) fn told(attachments: &Value) -> String {
    let all = attachments.as_array().map_or(&[][..], Vec::as_slice);
    let parts: Vec<String> = all.iter().map(one).collect();
    parts.join("\n\n")
}

fn one(attachment: &Value) -> String {
    if let Some(plan) = filled(attachment, "planContent") {
        let path = filled(attachment, "planFilePath").unwrap_or_default();
        return format!("plan {path}\n{plan}");
    }
    if field(attachment, "files").is_array() {
        let files = items(attachment, "files").iter().map(|file| {
            let cut = if flag(file, "truncated") {
                " (cut)"
            } else {
                ""
            };
            let path = filled(file, "path").unwrap_or_default();
            let diff = filled(file, "diff").unwrap_or_default();
            format!("{path}{cut}\n{diff}")
        });
        return files.collect::<Vec<_>>().join("\n\n");
    }
    stringify(attachment)
}

/// What the attachments are, in a few words.
pub(super) fn preview(attachments: &Value) -> String {
    let all = attachments.as_array().map_or(&[][..], Vec::as_slice);
    let names = all.iter().flat_map(|attachment| {
        let files = items(attachment, "files").iter();
        let paths = files.filter_map(|file| filled(file, "path"));
        paths.chain(filled(attachment, "planFilePath"))
    });
    names.collect::<Vec<_>>().join(", ")
}
