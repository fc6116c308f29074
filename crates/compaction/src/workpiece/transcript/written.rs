//! A message written out.

use std::sync::Arc;

/// A message written out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Position in the context's items.
    pub item: usize,
    /// The text, with the speaker; empty where texts are only counted.
    pub text: Arc<String>,
    /// UTF-16 units of the text.
    pub units: u64,
    /// Its bytes.
    pub bytes: u64,
    /// Estimated tokens of what was said, without the speaker.
    pub tokens: u64,
    /// Messages of the same unit belong together: a call and its results.
    pub unit: usize,
    /// True for the result of a tool.
    pub is_tool_result: bool,
    /// True when a turn begins here.
    pub starts_turn: bool,
    /// True when the next text belongs to the same message.
    pub is_tight: bool,
}
