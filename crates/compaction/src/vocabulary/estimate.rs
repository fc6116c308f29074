//! Estimates of sizes in tokens: pi's, and that of a reply that is not written yet.

pub(crate) use palimpsest_core::estimate::UNITS_PER_TOKEN;
pub use palimpsest_core::estimate::{message_tokens as estimate_message, text_tokens as estimate};

/// Tokens a reply is taken to have while it is not written (our guess: what models write when
/// they are asked for a checkpoint).
pub const ASSUMED_REPLY_TOKENS: u64 = 2_000;
