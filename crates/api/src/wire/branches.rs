//! The branches of a session, and two of them side by side.

use super::{ContextSide, DiffRow, FileLists};

wire! {
    /// The branches of a session.
    pub struct BranchesView {
        /// The branches beside the active path and the conversations with a root of their own, in
        /// the order of their first entries.
        pub branches: Vec<SessionBranch>,
        /// The branch with the active leaf, behind the last entry from which another one leaves.
        pub active: Option<SessionBranch>,
        /// The entries at which branches leave, in the order of the file.
        pub fork_ids: Vec<String>,
        /// The entry from which the agent would resume.
        pub leaf_id: Option<String>,
    }
}

wire! {
    /// A branch.
    pub struct SessionBranch {
        /// What it is.
        pub kind: BranchKind,
        /// First words of its first prompt, else of its first entry.
        pub name: String,
        /// The entry it leaves from; absent for roots.
        pub from_id: Option<String>,
        /// Its first entry.
        pub first_id: String,
        /// Its last entry: the agent would continue there.
        pub tip_id: String,
        /// Number of entries.
        pub entries: u64,
        /// Number of prompts of the user.
        pub prompts: u64,
        /// Estimated tokens of its entries.
        pub tokens: u64,
        /// When its newest entry was written.
        pub updated_at: Option<i64>,
        /// The branch summaries that tell of it.
        pub summary_ids: Vec<String>,
    }
}

wire! {
    /// What a branch is.
    #[derive(Copy, Eq)]
    #[serde(rename_all = "snake_case")]
    pub enum BranchKind {
        /// It leaves from an entry.
        Branch,
        /// It has a root of its own; its first entry names no parent, or one that is missing.
        Root,
    }
}

wire! {
    /// Asks for two branches side by side.
    pub struct BranchCompareRequest {
        /// The session.
        pub session: String,
        /// The last entry of one.
        pub left: String,
        /// The last entry of the other; the active leaf when absent.
        #[serde(default)]
        #[ts(optional)]
        pub right: Option<String>,
    }
}

wire! {
    /// Two branches since they parted.
    pub struct BranchCompareView {
        /// The deepest entry on both paths.
        pub common_ancestor_id: Option<String>,
        /// One.
        pub left: BranchSide,
        /// The other.
        pub right: BranchSide,
        /// Their last answers, line by line with the words that differ.
        pub rows: Vec<DiffRow>,
    }
}

wire! {
    /// What a branch did since it parted from another.
    pub struct BranchSide {
        /// Its last entry.
        pub tip_id: String,
        /// Number of entries.
        pub entries: u64,
        /// Number of prompts of the user.
        pub prompts: u64,
        /// Number of calls of tools.
        pub calls: u64,
        /// Number of results of tools that failed or show failed tests.
        pub failed: u64,
        /// The shell commands, in order; the first hundred.
        pub commands: Vec<BranchCommand>,
        /// Number of shell commands.
        pub total_commands: u64,
        /// The files it touched.
        pub files: FileLists,
        /// Estimated tokens of its entries.
        pub tokens: u64,
        /// The context at its last entry.
        pub context: ContextSide,
        /// Cost of its requests: as the agent stored it, else by the catalog's prices.
        pub cost_usd: Option<f64>,
        /// True where the catalog's prices gave the cost or a part of it.
        pub cost_computed: bool,
        /// The entry of its last answer.
        pub answer_id: Option<String>,
        /// Its last answer.
        pub answer: String,
    }
}

wire! {
    /// A shell command that a branch ran.
    pub struct BranchCommand {
        /// The entry of the call.
        pub entry_id: String,
        /// The command.
        pub command: String,
        /// True when its result is a failure or shows failed tests.
        pub failed: bool,
    }
}
