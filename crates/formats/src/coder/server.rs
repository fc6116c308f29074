//! The requests that give the chats of a server, and what their answers say: paths, pages, and the
//! file in which a chat is kept. Whoever has the network makes the requests.
//!
//! The API is that of `codersdk/chats.go` (2026): lists are pages by offset, messages are pages from
//! the newest back, each from before the oldest message of the one before it.

use crate::json::{field, flag, items, text};
use serde_json::{Value, json};

/// The header that carries the user's token.
pub const TOKEN_HEADER: &str = "coder-session-token";
/// The variable in which the server's own command line has the token.
pub const TOKEN_VARIABLE: &str = "CODER_SESSION_TOKEN";
/// The variable with the address of the server that the token is for.
pub const URL_VARIABLE: &str = "CODER_URL";
/// Chats and messages of one page; the server gives 200 at most.
pub const PAGE: usize = 200;
/// The path of all chats below the server's address.
const CHATS: &str = "api/experimental/chats";

/// Path and query of the page of chats that begins at `offset`.
pub fn chats_request(offset: usize) -> String {
    format!("{CHATS}?limit={PAGE}&offset={offset}")
}

/// Path and query of a page of a chat's messages: the newest, or those before a message.
pub fn messages_request(chat: &str, before: Option<i64>) -> String {
    let before = before.map_or_else(String::new, |id| format!("&before_id={id}"));
    format!("{CHATS}/{chat}/messages?limit={PAGE}{before}")
}

/// The chats of a page; `None` for an answer that is no list of chats.
pub fn chats_of(page: &Value) -> Option<&[Value]> {
    let list = page.as_array().or_else(|| field(page, "chats").as_array());
    list.map(Vec::as_slice)
}

/// A chat's subagents, whose chats are inside it.
pub fn children_of(chat: &Value) -> &[Value] {
    items(chat, "children")
}

/// The id of a chat, where it can be the name of a file.
pub fn id_of(chat: &Value) -> Option<&str> {
    let id = text(chat, "id");
    let is_name = !id.is_empty()
        && id
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    is_name.then_some(id)
}

/// The name of the file for the chat with this id.
pub fn file_name(id: &str) -> String {
    format!("{id}.coder.json")
}

/// The message before which the next page ends; `None` where `page` is the last one.
pub fn earlier(page: &Value) -> Option<i64> {
    let numbers = items(page, "messages").iter();
    let oldest = numbers
        .filter_map(|message| field(message, "id").as_i64())
        .min();
    oldest.filter(|_| flag(page, "has_more"))
}

/// A chat with the pages of its messages, as it is kept and read again.
pub fn saved(chat: &Value, pages: &[Value]) -> Value {
    let all = |key: &str| -> Vec<Value> {
        let mut all: Vec<Value> = Vec::new();
        for item in pages.iter().flat_map(|page| items(page, key)) {
            // A message that is sent meanwhile moves the others to the next page.
            if !all.contains(item) {
                all.push(item.clone());
            }
        }
        all
    };
    json!({"chat": chat, "messages": all("messages"), "queued_messages": all("queued_messages")})
}

/// The chat in a file that [`saved`] made.
pub fn chat_in(saved: &Value) -> &Value {
    field(saved, "chat")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_lead_back_to_the_first_message() {
        let page = json!({"messages": [{"id": 9}, {"id": 7}], "has_more": true});
        assert_eq!(earlier(&page), Some(7));
        assert_eq!(
            messages_request("c-1", earlier(&page)),
            "api/experimental/chats/c-1/messages?limit=200&before_id=7"
        );
        let last = json!({"messages": [{"id": 7}, {"id": 2}], "has_more": false});
        assert_eq!(earlier(&last), None);
        let saved = saved(&json!({"id": "c-1"}), &[page, last]);
        assert_eq!(saved["messages"], json!([{"id": 9}, {"id": 7}, {"id": 2}]));
        assert_eq!(chat_in(&saved), &json!({"id": "c-1"}));
        // A page without messages ends a list, whatever it says.
        assert_eq!(earlier(&json!({"messages": [], "has_more": true})), None);
    }

    #[test]
    fn only_ids_become_names_of_files() {
        assert_eq!(id_of(&json!({"id": "3f6c-1"})), Some("3f6c-1"));
        for id in ["", "../x", "a/b", "a.b"] {
            assert_eq!(id_of(&json!({"id": id})), None, "{id}");
        }
        let list = json!([{"id": "a", "children": [{"id": "b"}]}]);
        let chats = chats_of(&list).unwrap();
        assert_eq!(children_of(&chats[0]), [json!({"id": "b"})]);
        assert_eq!(chats_of(&json!({"message": "no"})), None);
    }
}
