//! The chats of a Coder server, in pages as its API gives them.

use super::script::Reply;
use serde_json::{Value, json};

/// The path of all chats.
pub(super) const ROOT: &str = "/api/experimental/chats";

/// Chats with their messages, oldest first.
#[derive(Default)]
pub(super) struct Chats {
    chats: Vec<(Value, Vec<Value>)>,
    page: usize,
}

impl Chats {
    pub(super) fn new(chats: Vec<(Value, Vec<Value>)>, page: usize) -> Chats {
        Chats { chats, page }
    }

    /// The answer to a request of this path with its query.
    pub(super) fn answer(&self, path: &str) -> Reply {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let number = |key: &str| {
            let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            let mut values = pairs.filter(|(name, _)| *name == key);
            values.next()?.1.parse::<i64>().ok()
        };
        let document = match path.strip_prefix(ROOT).unwrap_or_default() {
            "" => {
                let offset = number("offset").map_or(0, |offset| offset as usize);
                let chats = self.chats.iter().map(|(chat, _)| chat);
                json!(chats.skip(offset).take(self.page).collect::<Vec<_>>())
            }
            rest => {
                let id = rest.trim_start_matches('/').strip_suffix("/messages");
                let mut chats = self.chats.iter();
                let Some((_, messages)) = chats.find(|(chat, _)| chat["id"].as_str() == id) else {
                    return Reply::error(404, "not_found", "Resource not found.");
                };
                let before = number("before_id").unwrap_or(i64::MAX);
                let earlier = messages.iter().rev();
                let mut earlier = earlier.filter(|own| own["id"].as_i64() < Some(before));
                let page: Vec<&Value> = earlier.by_ref().take(self.page).collect();
                let has_more = earlier.next().is_some();
                json!({"messages": page, "queued_messages": [], "has_more": has_more})
            }
        };
        Reply::raw(200, "application/json", document.to_string())
    }
}
