//! What records say of failures: of a request that the provider refused, of a reply that broke off.

use crate::measure::head;
use palimpsest_core::Message;

/// The message that stands beside the conversation, where anything is said.
pub(crate) fn told(text: &str) -> Vec<Message> {
    let text = text.trim();
    if text.is_empty() {
        return Vec::new();
    }
    vec![Message::failure(text.to_owned())]
}

/// The first words of a failed reply: why it failed, then what it had said.
pub(crate) fn preview(failure: &str, said: &str) -> Box<str> {
    match (failure.trim(), said.trim()) {
        ("", said) => head(said),
        (failure, "") => head(failure),
        (failure, said) => head(&format!("{failure} \u{2014} {said}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_stands_before_what_was_said() {
        assert_eq!(&*preview("429 busy", ""), "429 busy");
        assert_eq!(&*preview("429 busy", "I look"), "429 busy \u{2014} I look");
        assert_eq!(&*preview("", "I look"), "I look");
        assert!(told(" \n").is_empty());
        assert!(told("429 busy").iter().all(|message| !message.sent));
    }
}
