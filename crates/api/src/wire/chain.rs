//! What became of each fact over all compactions of a session.

use super::{FactKind, FactStatus, FileRole, Trigger};

wire! {
    /// Asks for the chain of a session.
    #[derive(Default)]
    pub struct ChainRequest {
        /// The session.
        pub session: String,
        /// The last entry of the path; the active leaf when absent or on the active path.
        #[serde(default)]
        pub at: Option<String>,
        /// Only facts of this kind.
        #[serde(default)]
        pub kind: Option<FactKind>,
        /// Only facts that are lost at the end.
        #[serde(default)]
        pub lost: bool,
        /// Only facts that were lost and then needed.
        #[serde(default)]
        pub needed: bool,
        /// Number of facts to skip.
        #[serde(default)]
        pub offset: u64,
        /// How many facts to return; all when absent.
        #[serde(default)]
        pub limit: Option<u64>,
    }
}

wire! {
    /// The chain of a session: facts as rows, compactions as columns.
    pub struct ChainView {
        /// The compactions, in the order of the path.
        pub compactions: Vec<ChainCompaction>,
        /// Facts that fit the request in all.
        pub total: u64,
        /// Position of the first fact of this page.
        pub offset: u64,
        /// The facts: those that were needed after their loss first, then lost ones, the heaviest of
        /// each first.
        pub facts: Vec<ChainFact>,
        /// The kinds that occur, in the order of their weight.
        pub kinds: Vec<FactKind>,
    }
}

wire! {
    /// A column of a chain.
    pub struct ChainCompaction {
        /// The entry.
        pub entry_id: String,
        /// When it was written.
        pub timestamp: Option<i64>,
        /// What started it, where stored.
        pub trigger: Option<Trigger>,
        /// Size of its summary in tokens, estimated.
        pub summary_tokens: u64,
        /// True where the file holds little of what it summarized.
        pub incomplete: bool,
        /// Facts that its span says first.
        pub born: u64,
        /// Facts of earlier spans that its context still has.
        pub carried: u64,
        /// Facts that its context no longer has.
        pub died: u64,
        /// Lost facts that were needed before the next compaction.
        pub needed: u64,
        /// Share of the facts of the first span that its context still has, 0 to 1.
        pub first_share: f64,
    }
}

wire! {
    /// A row of a chain.
    pub struct ChainFact {
        /// What kind of thing it is.
        pub kind: FactKind,
        /// The thing itself.
        pub text: String,
        /// Where it first stands.
        pub entry_id: Option<String>,
        /// For a path: what was done with the file.
        pub file_role: Option<FileRole>,
        /// Its weight.
        pub weight: f64,
        /// The compaction whose span says it first, from 0.
        pub born: u64,
        /// The compaction that lost it; absent where the last one still has it.
        pub died: Option<u64>,
        /// One cell for each compaction from `born` to the loss, or to the end.
        pub cells: Vec<ChainCellView>,
    }
}

wire! {
    /// What a compaction did with a fact.
    pub struct ChainCellView {
        /// What its summary shows.
        pub status: FactStatus,
        /// True when its span says the fact, for the first time or again.
        pub said: bool,
        /// True when its kept tail still shows it.
        pub in_kept_tail: bool,
        /// Entries up to the next compaction that needed the fact, where it is in neither the summary nor
        /// the kept tail.
        pub needed_later: Vec<String>,
    }
}
