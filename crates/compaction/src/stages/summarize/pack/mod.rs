//! The files of the conversation are packed by priority into a number of tokens, as a reviewer
//! packs a large diff (PR-Agent at 0e37fc84, `algo/pr_processing.py`): into one text, for which
//! no call is made, or into several, each with its own call.
//!
//! The original packs the patches of a pull request, by the languages of the repository. Here a
//! file's patch is what the conversation read and wrote of it, and a language's rank is its share
//! of the session's file operations.

mod fill;
pub(crate) mod gather;
mod groups;
mod outline;

use crate::vocabulary::estimate::estimate;
use crate::vocabulary::needs::Needed;
use crate::vocabulary::params::{ParamDoc, ParamType};
use serde::{Deserialize, Serialize};

/// Parameters of the method; the defaults are PR-Agent's.
///
/// Prompts, where calls are made: `system` and `slice`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Pack {
    /// Tokens that the packed text and what goes before it may have (PR-Agent's
    /// `max_model_tokens`).
    pub max_tokens: u64,
    /// Tokens below `max_tokens` from which on files are only named.
    pub soft_buffer: u64,
    /// Tokens below `max_tokens` from which on they are not even named.
    pub hard_buffer: u64,
    /// Tokens that must be left for the lists of names to be begun.
    pub list_slack: u64,
    /// What files are grouped by.
    pub group_by: GroupBy,
    /// The order within a group.
    pub order_within: Order,
    /// Which places where code was only taken away are left out.
    pub drop_deletion_only: Deletions,
    /// What becomes of a file that is too large even by itself.
    pub oversize: Oversize,
    /// Share of the room that a clipped text takes, as characters are no tokens.
    pub clip_factor: f64,
    /// What estimated tokens are multiplied by; PR-Agent adds 30 % where it has no tokenizer of
    /// the model.
    pub count_factor: f64,
    /// Files that are left out: names, `*.ending` or `folder/`, beside lock files, media and what
    /// is built.
    pub ignore_files: Vec<String>,
    /// Most calls, each about as many files as fit into `max_tokens` with its prompts (PR-Agent's
    /// multi-call mode: 5). 0 makes none: the packed files themselves are the summary.
    pub max_calls: u64,
}

/// What files are grouped by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GroupBy {
    /// Their language, by the ending of their name.
    #[default]
    Language,
    /// Their folder.
    Directory,
}

/// The order of files within a group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// The largest first.
    #[default]
    TokensDesc,
    /// Those touched last first.
    Recent,
}

/// Which places where code was only taken away are left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Deletions {
    /// All, which is what PR-Agent says.
    #[default]
    All,
    /// Those behind which nothing is added in the same file: others go along with the next place
    /// that adds, which is what PR-Agent does.
    Trailing,
    /// None.
    None,
}

/// What becomes of a file that is too large even by itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Oversize {
    /// Its beginning is packed.
    #[default]
    Clip,
    /// It is only named.
    Skip,
}

impl Default for Pack {
    fn default() -> Self {
        Pack {
            max_tokens: 32_000,
            soft_buffer: 1_500,
            hard_buffer: 1_000,
            list_slack: 10,
            group_by: GroupBy::Language,
            order_within: Order::TokensDesc,
            drop_deletion_only: Deletions::All,
            oversize: Oversize::Clip,
            clip_factor: 0.9,
            count_factor: 1.3,
            ignore_files: Vec::new(),
            max_calls: 0,
        }
    }
}

impl Pack {
    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::tokens("max_tokens", "token limit for the packed files").at_least(1.0),
        ParamDoc::tokens(
            "soft_buffer",
            "distance below the limit from which files are only listed by name",
        ),
        ParamDoc::tokens(
            "hard_buffer",
            "distance below the limit from which files are omitted",
        ),
        ParamDoc::tokens(
            "list_slack",
            "minimum remaining tokens to start the lists of names",
        ),
        ParamDoc::word(
            "group_by",
            &["language", "directory"],
            "grouping of files; the most used group comes first",
        ),
        ParamDoc::word(
            "order_within",
            &["tokens_desc", "recent"],
            "order in a group: largest files first, or last used first",
        ),
        ParamDoc::word(
            "drop_deletion_only",
            &["all", "trailing", "none"],
            "omit edits that only delete code: all, those without a later addition, or none",
        ),
        ParamDoc::word(
            "oversize",
            &["clip", "skip"],
            "truncate a file that is too large, or only list its name",
        ),
        ParamDoc::new(
            "clip_factor",
            ParamType::Number,
            "share of the remaining tokens for a truncated text",
        )
        .within(0.0, 1.0)
        .unit("share"),
        ParamDoc::new(
            "count_factor",
            ParamType::Number,
            "safety factor for estimated tokens",
        )
        .within(0.1, 10.0),
        ParamDoc::new(
            "ignore_files",
            ParamType::Texts,
            "files to exclude: names, *.extension or folder/",
        ),
        ParamDoc::new(
            "max_calls",
            ParamType::Integer,
            "maximum number of calls that summarize files; 0 means no calls",
        )
        .unit("calls"),
    ];

    pub(super) fn needed(&self) -> Vec<Needed> {
        match self.max_calls {
            0 => Vec::new(),
            _ => vec![("system", &[]), ("slice", &["conversation"])],
        }
    }

    /// Tokens of a text, with what is added to be on the safe side.
    pub(crate) fn count(&self, text: &str) -> u64 {
        (estimate(text) as f64 * self.count_factor.max(0.0)).ceil() as u64
    }
}
