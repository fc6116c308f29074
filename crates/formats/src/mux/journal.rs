//! The journal of a workspace: which system prompt and which attachments went with each request.

use crate::json::{count, field, filled, parse};
use serde_json::Value;
use std::collections::BTreeMap;

/// The kind of a line about a request.
pub(super) const REQUEST: &str = "turn-envelope";

/// What was sent with a request beside the rows, by the names of blobs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Sent {
    /// The system prompt.
    pub prompt: Option<String>,
    /// What a compaction had removed from sight: changes to files, the plan.
    pub attachments: Option<String>,
}

/// What was sent with the newest request for each row, by the row's place in the history. A prompt
/// that was edited is asked again under the same place.
pub(super) fn requests(journal: &str) -> BTreeMap<u64, Sent> {
    let mut requests = BTreeMap::new();
    for line in journal.lines() {
        let Ok(event) = parse(line.trim()) else {
            continue;
        };
        let data = field(&event, "data");
        if filled(&event, "kind") == Some(REQUEST)
            && let Some(row) = count(data, "requestHistorySequence")
        {
            let sent = Sent {
                prompt: hash(data, "systemPromptHash"),
                attachments: hash(data, "postCompactionAttachmentsHash"),
            };
            requests.insert(row, sent);
        }
    }
    requests
}

/// The name of a blob: the hash without its method. What is no hash names no file.
fn hash(data: &Value, key: &str) -> Option<String> {
    let hash = filled(data, key)?;
    let hash = hash.strip_prefix("sha256:").unwrap_or(hash);
    let is_hash = hash.len() >= 8 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| hash.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_request_for_a_row_counts() {
        let journal = concat!(
            r#"{"kind":"turn-envelope","data":{"requestHistorySequence":2,"systemPromptHash":"sha256:00112233aa"}}"#,
            "\nbroken\n",
            r#"{"kind":"other","data":{"requestHistorySequence":4,"systemPromptHash":"sha256:0"}}"#,
            "\n",
            r#"{"kind":"turn-envelope","data":{"requestHistorySequence":2,"systemPromptHash":"sha256:44556677aa","postCompactionAttachmentsHash":"../../etc"}}"#,
        );
        let requests = requests(journal);
        assert_eq!(requests.len(), 1);
        assert_eq!(requests[&2].prompt.as_deref(), Some("44556677aa"));
        assert_eq!(requests[&2].attachments, None);
    }
}
