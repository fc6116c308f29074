//! Named behaviours, so that one running server can play every part.

use super::script::{Ending, Reply, SeenRequest, Stop, TextReply};
use std::time::Duration;

/// A behaviour chosen for the whole server, or per request by the model name `scripted-NAME`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scenario {
    /// Streams the answer.
    Ok,
    /// Streams a long answer, a word every 150 ms, to be cancelled.
    Slow,
    /// Streams the answer, a word every 120 ms: long enough to be watched or cancelled.
    Paced,
    /// Every odd request gets 429 with `Retry-After: 1`, every even one the answer.
    RateLimitThenOk,
    /// Every request gets 429 with `Retry-After: 1`.
    RateLimit,
    /// Closes the connection in the middle of the answer, every time.
    Broken,
    /// Closes the connection in the middle of every odd answer.
    BrokenThenOk,
    /// The model declines.
    Refuse,
    /// The key is not accepted.
    Unauthorized,
    /// 503, every time.
    Down,
    /// The prompt does not fit the model.
    Overflow,
    /// The model is not known.
    Missing,
    /// The answer is cut by the output limit.
    Length,
    /// The model calls a tool.
    ToolCall,
    /// An answer without text.
    Empty,
    /// Starts the answer and then says nothing more.
    Silent,
    /// A web page.
    Html,
    /// An event that is not JSON.
    Nonsense,
}

impl Scenario {
    /// Every scenario with its name, in the order `/v1/models` lists them.
    pub const ALL: [(&'static str, Scenario); 18] = [
        ("ok", Scenario::Ok),
        ("slow", Scenario::Slow),
        ("paced", Scenario::Paced),
        ("429", Scenario::RateLimitThenOk),
        ("429-always", Scenario::RateLimit),
        ("broken", Scenario::Broken),
        ("broken-then-ok", Scenario::BrokenThenOk),
        ("refuse", Scenario::Refuse),
        ("unauthorized", Scenario::Unauthorized),
        ("down", Scenario::Down),
        ("overflow", Scenario::Overflow),
        ("missing", Scenario::Missing),
        ("length", Scenario::Length),
        ("tool", Scenario::ToolCall),
        ("empty", Scenario::Empty),
        ("silent", Scenario::Silent),
        ("html", Scenario::Html),
        ("nonsense", Scenario::Nonsense),
    ];

    /// The scenario of this name; `429-then-ok` is another name of `429`.
    pub fn named(name: &str) -> Option<Self> {
        let name = if name == "429-then-ok" { "429" } else { name };
        Self::ALL
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, scenario)| *scenario)
    }

    /// The scenario a model name asks for, like `scripted-429`.
    pub fn of_model(model: &str) -> Option<Self> {
        Self::named(model.strip_prefix("scripted-")?)
    }

    /// The reply to the `nth` request (from 1) of this scenario, around an answer's text.
    pub(super) fn reply(self, nth: u64, answer: &str) -> Reply {
        let words = pieces(answer);
        let whole = TextReply::new(&words);
        let half = TextReply::new(&words[..words.len().div_ceil(2)]);
        match self {
            Scenario::Ok => whole.into(),
            Scenario::Slow => {
                let long: Vec<&str> = words.iter().copied().cycle().take(200).collect();
                TextReply::new(&long)
                    .delay(Duration::from_millis(150))
                    .into()
            }
            Scenario::Paced => whole.delay(Duration::from_millis(120)).into(),
            Scenario::RateLimitThenOk if nth % 2 == 1 => Reply::rate_limited("1"),
            Scenario::RateLimitThenOk => whole.into(),
            Scenario::RateLimit => Reply::rate_limited("1"),
            Scenario::BrokenThenOk if nth.is_multiple_of(2) => whole.into(),
            Scenario::Broken | Scenario::BrokenThenOk => half.ending(Ending::Closed).into(),
            Scenario::Refuse => TextReply::new(&[]).stop(Stop::Refusal).into(),
            Scenario::Unauthorized => {
                Reply::error(401, "authentication_error", "This key is not accepted.")
            }
            Scenario::Down => Reply::error(503, "overloaded_error", "No capacity."),
            Scenario::Overflow => Reply::error(
                400,
                "context_length_exceeded",
                "The maximum context length is 8192 tokens, the messages have 9001.",
            ),
            Scenario::Missing => {
                Reply::error(404, "model_not_found", "There is no model of this name.")
            }
            Scenario::Length => half.stop(Stop::Length).into(),
            Scenario::ToolCall => TextReply::new(&[]).stop(Stop::ToolCall).into(),
            Scenario::Empty => TextReply::new(&[]).into(),
            Scenario::Silent => half.ending(Ending::Stalled).into(),
            Scenario::Html => Reply::html(),
            Scenario::Nonsense => half.ending(Ending::Malformed).into(),
        }
    }
}

/// Cuts a text after every space, losing nothing.
fn pieces(text: &str) -> Vec<&str> {
    text.split_inclusive(' ').collect()
}

/// The answer given unless a test brings its own: a summary under pi's headings that names the
/// first user line and the first paths of the prompt, so that a ledger has something to find.
pub fn summary_of(request: &SeenRequest) -> String {
    let prompt = request.prompt();
    let goal = prompt
        .lines()
        .find_map(|line| line.strip_prefix("[User]: "))
        .unwrap_or("Not stated in the prompt.");
    let goal: String = goal.chars().take(200).collect();
    let mut paths: Vec<&str> = Vec::new();
    let breaks = |c: char| c.is_whitespace() || "\"'`(),;:<>[]{}=".contains(c);
    for word in prompt.split(breaks) {
        let inner = word.trim_matches('/');
        if inner.contains('/') && inner.contains('.') && !paths.contains(&word) {
            paths.push(word);
        }
        if paths.len() == 6 {
            break;
        }
    }
    let mut text = format!(
        "## Goal\n{goal}\n\n## Constraints & Preferences\n- (none)\n\n## Progress\n### Done\n"
    );
    for path in &paths {
        text.push_str(&format!("- [x] Worked on `{path}`\n"));
    }
    text.push_str("\n## Key Decisions\n- **Scripted**: this text comes from the test server\n");
    text.push_str("\n## Next Steps\n1. Carry on\n\n## Critical Context\n- (none)\n");
    text
}
