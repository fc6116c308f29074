//! What can be wrong with a compaction, as a word with its rule.

use serde::{Deserialize, Serialize};

/// Something unusual about a compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export_to = "wire.ts"))]
#[serde(rename_all = "kebab-case")]
pub enum Flag {
    /// One compaction follows the other.
    Loop,
    /// The context grew.
    Grown,
    /// There is no summary.
    Empty,
    /// The kept tail begins inside a turn.
    SplitTurn,
    /// A call and its result are on different sides of the cut.
    PartedCall,
    /// The request for a summary shows in what follows it.
    LeakedRequest,
    /// Many files are read again.
    Reread,
    /// The summary and the list of files do not agree.
    FileList,
    /// The user had to repeat a constraint.
    BrokenConstraint,
    /// Only the provider can read the summary.
    Opaque,
    /// The file holds little of what was summarized.
    Incomplete,
}

impl Flag {
    /// All of them, in the order of a list.
    pub const ALL: [Flag; 11] = [
        Flag::Loop,
        Flag::Grown,
        Flag::Empty,
        Flag::BrokenConstraint,
        Flag::Reread,
        Flag::FileList,
        Flag::LeakedRequest,
        Flag::PartedCall,
        Flag::SplitTurn,
        Flag::Opaque,
        Flag::Incomplete,
    ];

    /// The word that `flag:` takes.
    pub fn name(self) -> &'static str {
        match self {
            Flag::Loop => "loop",
            Flag::Grown => "grown",
            Flag::Empty => "empty",
            Flag::SplitTurn => "split-turn",
            Flag::PartedCall => "parted-call",
            Flag::LeakedRequest => "leaked-request",
            Flag::Reread => "reread",
            Flag::FileList => "file-list",
            Flag::BrokenConstraint => "broken-constraint",
            Flag::Opaque => "opaque",
            Flag::Incomplete => "incomplete",
        }
    }

    /// The flag called `name`.
    pub fn from_name(name: &str) -> Option<Flag> {
        Flag::ALL.into_iter().find(|flag| flag.name() == name)
    }

    /// What it says of a compaction, on one short line.
    pub fn brief(self) -> &'static str {
        match self {
            Flag::Loop => "three compactions follow each other closely",
            Flag::Grown => "the context did not become smaller",
            Flag::Empty => "the summary has fewer than five words",
            Flag::SplitTurn => "the kept tail begins inside a turn",
            Flag::PartedCall => "a call and its result are on different sides of the cut point",
            Flag::LeakedRequest => "the request for the summary shows in what follows it",
            Flag::Reread => "at least five files are read again",
            Flag::FileList => "the list of changed files lacks a file that was edited",
            Flag::BrokenConstraint => "the user had to repeat a constraint",
            Flag::Opaque => "only the provider can read the summary",
            Flag::Incomplete => "the file holds little of what was summarized",
        }
    }

    /// When a compaction has it, in words.
    pub fn rule(self) -> &'static str {
        match self {
            Flag::Loop => {
                "Three compactions follow each other with at most three replies between two of them."
            }
            Flag::Grown => {
                "The first request after the compaction is as large as the last one before it, or \
                 larger."
            }
            Flag::Empty => "The summary has fewer than five words.",
            Flag::SplitTurn => "The kept tail begins with a reply or a result, not with a prompt.",
            Flag::PartedCall => {
                "The kept tail has the result of a call that was summarized, or a call whose result \
                 was summarized."
            }
            Flag::LeakedRequest => {
                "The summary or the first reply after it repeats the request for a summary, or \
                 repeats the user's instructions for it as a task."
            }
            Flag::Reread => {
                "At least five files that were read before the compaction are read again before the \
                 next one, with no change in between."
            }
            Flag::FileList => {
                "The summary says that no file was changed, or its list of changed files lacks a \
                 file that was edited."
            }
            Flag::BrokenConstraint => {
                "The summary lost or changed a constraint, and the user had to say it again before \
                 the next compaction."
            }
            Flag::Opaque => "Only the provider can read the summary.",
            Flag::Incomplete => {
                "The file holds less than a fifth of the context size that the agent recorded, or more \
                 than half of that size was there before the first request in the file."
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flag_has_a_name_of_its_own_that_leads_back() {
        for flag in Flag::ALL {
            assert_eq!(Flag::from_name(flag.name()), Some(flag));
            let word = serde_json::to_value(flag).unwrap();
            assert_eq!(word, flag.name());
        }
    }
}
