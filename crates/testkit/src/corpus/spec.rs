//! What a generated session is to be like, and what came of it.

use crate::clock::FixedClock;
use crate::seeded::uuid_v7;

/// What one generated session looks like.
#[derive(Debug, Clone)]
pub struct CorpusSpec {
    /// Decides everything that is not set here.
    pub seed: u64,
    /// Number of records, the header not counted.
    pub entries: u32,
    /// Size the file should come to; reached within a few percent when it leaves each record at
    /// least 450 bytes. `None` gives short records.
    pub target_bytes: Option<u64>,
    /// The context size, in estimated tokens, at which a compaction is written; 0 for none.
    pub compact_at_tokens: u64,
    /// A new branch, with a summary of the one left, begins about every so many records; 0 for
    /// none.
    pub branch_every: u32,
    /// Length of one huge tool result in the middle of the file.
    pub huge_line_bytes: Option<u64>,
    /// The directory the agent worked in.
    pub cwd: String,
    /// When the session began.
    pub start: FixedClock,
}

impl Default for CorpusSpec {
    fn default() -> Self {
        CorpusSpec {
            seed: 1,
            entries: 200,
            target_bytes: None,
            compact_at_tokens: 150_000,
            branch_every: 0,
            huge_line_bytes: None,
            cwd: "/home/dana/projects/courier".to_owned(),
            start: FixedClock::default(),
        }
    }
}

impl CorpusSpec {
    /// The id in the session's header.
    pub fn session_id(&self) -> String {
        uuid_v7(self.start.now_ms(), self.seed)
    }
}

/// What was written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CorpusStats {
    /// Records, the header not counted.
    pub entries: u64,
    /// Bytes, line ends included.
    pub bytes: u64,
    /// Compaction records among them.
    pub compactions: u64,
    /// Branch summaries among them.
    pub branch_summaries: u64,
    /// Id of the last record.
    pub leaf_id: String,
}
