//! A prompt that was found.

/// A prompt of an agent, ready to stand in a place of a strategy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wording {
    /// The strategy.
    pub strategy: String,
    /// Which of its prompts.
    pub place: &'static str,
    /// What the agent's file calls it.
    pub setting: String,
    /// The prompt as a template: the agent's words in the frame of the strategy's prompt.
    pub text: String,
}
