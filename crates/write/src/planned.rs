//! The answers: bytes, where they belong, and what an agent reads from them.

use crate::expected::ExpectedItem;

/// A session that exists only as bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct NewSession {
    /// The whole file.
    pub bytes: Vec<u8>,
    /// Its name in the agent's folder.
    pub file_name: String,
    /// Its id as the agent spells it.
    pub native_id: String,
    /// Where the agent looks for it, below its folder of sessions; `None` where the agent is given the
    /// path.
    pub found_as: Option<String>,
    /// The context at its leaf.
    pub context: Vec<ExpectedItem>,
    /// The program and its arguments that resume it. `{path}` stands for the path of the file, a
    /// word `&&` stands between two programs.
    pub resume: Vec<String>,
}

/// Bytes that follow the last byte of the original.
#[derive(Debug, Clone, PartialEq)]
pub struct Addition {
    /// The records, each with its line end.
    pub bytes: Vec<u8>,
    /// The context at the new leaf.
    pub context: Vec<ExpectedItem>,
    /// The program and its arguments that resume the session. `{path}` stands for its path.
    pub resume: Vec<String>,
}
