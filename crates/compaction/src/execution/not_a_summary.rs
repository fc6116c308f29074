//! Replies that are no summary: a refusal, a question, a tool call written as text, an echo of the
//! conversation, a single line. The rules look at structure, at the person a sentence speaks in and at
//! what a reply shares with the conversation, and at no fixed phrase. Every summary in the session
//! files we have passes (`tests/it/real_replies.rs`).

use std::collections::HashSet;
use std::fmt;

/// A conversation of at least so many characters (8,000 tokens) has more to tell than a line.
const LONG_CONVERSATION: usize = 32_000;
/// Most words of a line that stands for a long conversation. Real summaries of one are longer.
const LINE_WORDS: usize = 25;
/// Most words of a question: a summary that ends with an open question has more.
const QUESTION_WORDS: usize = 80;
/// Most words of a refusal.
const REFUSAL_WORDS: usize = 150;
/// Most words of a reply that says nothing of the conversation.
const UNRELATED_WORDS: usize = 60;
/// Words around a tool call written as text up to which the call is the reply.
const AROUND_CALL: usize = 30;
/// Characters that a repeated passage has at least.
const ECHO_CHARS: usize = 200;
/// Share of a reply's characters in lines of the conversation, verbatim, that makes an echo.
const ECHO_SHARE: f64 = 0.8;
/// Characters from which a line counts as repeated: shorter ones are met by chance.
const TELLING_LINE: usize = 20;
/// Tokens that name something of the conversation, from which a reply speaks of the work.
const NAMED: usize = 2;

/// What a reply is in place of a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotASummary {
    /// The model says that it will not or cannot write it.
    Refusal,
    /// The model asks the user something.
    Question,
    /// A tool call written as text.
    ToolCall,
    /// The conversation again, verbatim.
    Echo,
    /// A single line that stands for thousands of tokens.
    Line,
    /// A few words that name nothing of the conversation.
    Unrelated,
}

impl fmt::Display for NotASummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NotASummary::Refusal => "the model refused to write it",
            NotASummary::Question => "the reply is a question to the user",
            NotASummary::ToolCall => "the reply is a tool call written as text",
            NotASummary::Echo => "the reply repeats the conversation verbatim",
            NotASummary::Line => "the reply is a single line for a long conversation",
            NotASummary::Unrelated => "the reply names nothing of the conversation",
        })
    }
}

/// What `reply` is in place of a summary of `conversation`; `None` for what may be one. What
/// `previous`, the summary it builds on, says as well is no echo.
pub fn not_a_summary(
    reply: &str,
    conversation: &str,
    previous: Option<&str>,
) -> Option<NotASummary> {
    let reply = reply.trim();
    if reply.is_empty() {
        return None;
    }
    if is_tool_call(reply) {
        return Some(NotASummary::ToolCall);
    }
    if is_echo(reply, conversation, previous.unwrap_or_default()) {
        return Some(NotASummary::Echo);
    }
    // Sections and lists are what summaries are made of.
    if is_structured(reply) {
        return None;
    }
    let words = reply.split_whitespace().count();
    let named = named_in(reply, conversation);
    if words <= QUESTION_WORDS && asks(reply) {
        return Some(NotASummary::Question);
    }
    if words <= REFUSAL_WORDS && named < NAMED && declines(reply) {
        return Some(NotASummary::Refusal);
    }
    if conversation.len() < LONG_CONVERSATION {
        return None;
    }
    // Scripts without spaces have few words in a long text.
    let is_short = |most: usize| words <= most && reply.chars().count() <= most * 8;
    if is_short(LINE_WORDS) && reply.lines().count() == 1 {
        return Some(NotASummary::Line);
    }
    (is_short(UNRELATED_WORDS) && named == 0).then_some(NotASummary::Unrelated)
}

fn is_structured(reply: &str) -> bool {
    let is_item = |line: &&str| {
        let line = line.trim_start();
        let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_numbered = numbered.len() < line.len() && numbered.starts_with(['.', ')']);
        line.starts_with(['-', '*', '\u{2022}', '|']) || is_numbered
    };
    let has_heading = reply.lines().any(|line| line.starts_with('#'));
    has_heading || reply.lines().filter(is_item).count() >= 2
}

/// The reply without a fence of code around it.
fn unfenced(reply: &str) -> &str {
    let Some(inner) = reply
        .strip_prefix("```")
        .and_then(|inner| inner.strip_suffix("```"))
    else {
        return reply;
    };
    inner
        .split_once('\n')
        .map_or(inner, |(_, body)| body)
        .trim()
}

fn is_tool_call(reply: &str) -> bool {
    let reply = unfenced(reply);
    if let Ok(value) = serde_json::from_str::<serde_json::Value>(reply) {
        let calls = match &value {
            serde_json::Value::Array(all) => all.as_slice(),
            other => std::slice::from_ref(other),
        };
        let is_call = |call: &serde_json::Value| {
            let call = call.get("function").unwrap_or(call);
            let has = |names: &[&str]| names.iter().any(|name| call.get(name).is_some());
            has(&["name", "tool", "tool_name", "recipient_name"])
                && has(&["arguments", "parameters", "input", "args", "tool_input"])
        };
        return !calls.is_empty() && calls.iter().all(is_call);
    }
    // An element whose name says call, with few words before and behind it.
    let Some((before, element)) = call_element(reply) else {
        return false;
    };
    let behind = element.rfind('>').map_or("", |end| &element[end + 1..]);
    before.split_whitespace().count() + behind.split_whitespace().count() <= AROUND_CALL
}

/// The text before the first line that begins with an element for a call, and the rest.
fn call_element(reply: &str) -> Option<(&str, &str)> {
    let mut at = 0;
    for line in reply.split_inclusive('\n') {
        let tag = line.trim_start();
        let name = tag.strip_prefix('<').map(|rest| {
            let end = rest.find(|c: char| c.is_whitespace() || c == '>');
            rest[..end.unwrap_or(rest.len())].to_ascii_lowercase()
        });
        let is_call = |name: &String| {
            let parts = name.split(|c: char| !c.is_ascii_alphanumeric());
            let mut parts = parts.filter(|part| !part.is_empty());
            let known = |part: &str| {
                matches!(
                    part,
                    "tool" | "function" | "invoke" | "toolcall" | "functioncalls"
                )
            };
            !name.starts_with('/') && parts.any(known)
        };
        if name.as_ref().is_some_and(is_call) {
            return Some((&reply[..at], &reply[at..]));
        }
        at += line.len();
    }
    None
}

fn is_echo(reply: &str, conversation: &str, previous: &str) -> bool {
    if reply.len() >= ECHO_CHARS && conversation.contains(reply) && !previous.contains(reply) {
        return true;
    }
    let known: HashSet<&str> = conversation.lines().map(str::trim).collect();
    let carried: HashSet<&str> = previous.lines().map(str::trim).collect();
    let (mut all, mut same) = (0, 0);
    for line in reply.lines().map(str::trim) {
        let characters = line.chars().count();
        all += characters;
        if characters >= TELLING_LINE && known.contains(line) && !carried.contains(line) {
            same += characters;
        }
    }
    same >= ECHO_CHARS && same as f64 >= ECHO_SHARE * all as f64
}

/// Words of the reply that name something (paths, names of code, figures) and stand in the
/// conversation.
fn named_in(reply: &str, conversation: &str) -> usize {
    let tokens = reply.split_whitespace().map(|word| {
        word.trim_matches(|c: char| !c.is_alphanumeric())
            .trim_end_matches("'s")
    });
    let names = |word: &&str| {
        let inner = word.char_indices().skip(1);
        let camel = inner.clone().any(|(_, c)| c.is_uppercase());
        let joined = word.contains(['/', '_', '.', ':', '(']);
        let figure = word.chars().any(|c| c.is_ascii_digit());
        word.len() >= 3 && (camel || joined || figure)
    };
    let found: HashSet<&str> = tokens.filter(names).collect();
    found
        .into_iter()
        .filter(|name| conversation.contains(*name))
        .count()
}

/// True where the reply ends with a question, or asks the user to give something.
fn asks(reply: &str) -> bool {
    let end = reply.trim_end_matches(['"', '\'', ')', '*', '_', '`', ' ']);
    if end.ends_with(['?', '\u{ff1f}', '\u{61f}']) {
        return true;
    }
    let words = plain_words(reply);
    let pleads = words.iter().position(|word| word == "please");
    let gives = |word: &String| {
        matches!(
            word.as_str(),
            "provide" | "share" | "paste" | "send" | "give" | "supply" | "attach" | "upload"
        )
    };
    pleads.is_some_and(|at| words[at + 1..].iter().take(3).any(gives))
}

/// True where one of the first sentences says in the first person that the writer will not or cannot.
fn declines(reply: &str) -> bool {
    let words = plain_words(reply);
    let opening = &words[..words.len().min(40)];
    opening.iter().enumerate().any(|(at, word)| {
        let near = &opening[at + 1..opening.len().min(at + 5)];
        let negated = |word: &String| {
            matches!(
                word.as_str(),
                "can't"
                    | "cannot"
                    | "won't"
                    | "unable"
                    | "decline"
                    | "refuse"
                    | "couldn't"
                    | "don't"
                    | "shouldn't"
                    | "not"
            )
        };
        match word.as_str() {
            "i" | "we" => near.iter().any(negated),
            "i'm" | "we're" | "am" => near
                .iter()
                .any(|word| matches!(word.as_str(), "unable" | "not" | "sorry" | "afraid")),
            _ => false,
        }
    })
}

/// The words in lower case with straight apostrophes, without other marks at their ends.
fn plain_words(text: &str) -> Vec<String> {
    let words = text.split_whitespace().map(|word| {
        let word = word.to_lowercase().replace('\u{2019}', "'");
        word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned()
    });
    words.filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::NotASummary::{Echo, Line, Question, Refusal, ToolCall, Unrelated};
    use super::*;

    fn conversation() -> String {
        let turn = "[User]: Please fix the retry loop in src/queue/retry.rs, it loses batches.\n\
                    [Assistant]: I changed RetryEnvelope and cargo test passed with 14 tests.\n";
        (0..300).map(|n| format!("{n} {turn}")).collect()
    }

    #[test]
    fn what_is_no_summary_is_told_by_its_class() {
        let conversation = conversation();
        let passage: String = conversation
            .lines()
            .skip(2)
            .take(8)
            .collect::<Vec<_>>()
            .join("\n");
        let cases = [
            ("I'm sorry, but I can't help with that request.", Refusal),
            (
                "I won\u{2019}t be producing this document. It conflicts with my guidelines.",
                Refusal,
            ),
            (
                "Unfortunately, as an assistant I am not able to continue with this text.",
                Refusal,
            ),
            (
                "Would you like me to look at the tests first, or shall I go on?",
                Question,
            ),
            (
                "It seems that the text is missing. Please share the conversation with me.",
                Question,
            ),
            (
                "{\"name\": \"read\", \"arguments\": {\"path\": \"src/queue/retry.rs\"}}",
                ToolCall,
            ),
            (
                "```json\n[{\"tool\": \"bash\", \"input\": {\"command\": \"ls\"}}]\n```",
                ToolCall,
            ),
            (
                "Let me look.\n<tool_call>\n{\"name\": \"ls\"}\n</tool_call>",
                ToolCall,
            ),
            (
                "<function_calls>\n<invoke name=\"read\">\n</invoke>\n</function_calls>",
                ToolCall,
            ),
            (passage.as_str(), Echo),
            ("The user worked on some code and it is fine now.", Line),
            (
                "Lo siento, no hay nada\nque pueda contar de esto.",
                Unrelated,
            ),
        ];
        for (reply, kind) in cases {
            assert_eq!(
                not_a_summary(reply, &conversation, None),
                Some(kind),
                "{reply}"
            );
        }
    }

    #[test]
    fn summaries_pass() {
        let conversation = conversation();
        let previous: String = conversation.lines().take(6).collect::<Vec<_>>().join("\n");
        let cases = [
            "## Goal\nFix the retry loop.\n\n## Next Steps\n1. Would the user want a test?",
            "The user wants src/queue/retry.rs fixed. I could not reproduce the loss at first, then \
             changed RetryEnvelope; all 14 tests pass. The batches are kept after a restart now, and \
             nothing else was asked for so far in this session.",
            "# Notes\n- The model wrote `<tool_call>` as text in one reply.\n- It was repaired.",
        ];
        for reply in cases {
            assert_eq!(not_a_summary(reply, &conversation, None), None, "{reply}");
        }
        assert_eq!(
            not_a_summary(&previous, &conversation, Some(&previous)),
            None,
            "a previous summary that is carried on"
        );
        assert_eq!(
            not_a_summary("A part was fixed.", "[User]: Fix the part.", None),
            None,
            "a line for a few lines"
        );
    }
}
