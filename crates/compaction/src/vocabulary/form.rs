//! The form a reply must have, where it is not the summary itself.

use serde::{Deserialize, Serialize};

/// The form of a reply.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ReplyForm {
    /// It is the summary.
    #[default]
    Text,
    /// A JSON object whose `summary` is the summary (a program of the user).
    Summary,
    /// A JSON object with these fields, each of which becomes a section (OpenHands'
    /// `structured`, which has a tool called with them).
    Fields {
        /// Their names.
        fields: Vec<String>,
    },
    /// A JSON object whose `ids` are the numbers of messages that stay verbatim, those that matter
    /// most first (OpenHands' `llm_attention`).
    Chosen {
        /// Most that stay. When fewer are named the newest others stay as well.
        most: u64,
    },
    /// Numbers from 1 to 10, one for each of several memories, in whatever form; what it does not
    /// rate has the importance of its kind (Generative Agents).
    Ratings,
}
