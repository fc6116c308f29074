//! Editing a summary.

use super::TextRange;

wire! {
    /// Asks for the ledger of a text that may become a summary.
    pub struct SummaryDraftRequest {
        /// The session.
        pub session: String,
        /// The summary it is made from: `entry:ID` for one that the session holds, else a run.
        pub of: String,
        /// The text.
        pub text: String,
    }
}

wire! {
    /// Asks to put facts into a text.
    pub struct SummaryInsertRequest {
        /// The session.
        pub session: String,
        /// The summary it is made from, as in [`SummaryDraftRequest`].
        pub of: String,
        /// The text.
        pub text: String,
        /// The facts, by their ids in the ledger.
        pub facts: Vec<String>,
    }
}

wire! {
    /// A text with facts in it.
    pub struct SummaryInserted {
        /// The text.
        pub text: String,
        /// Where each fact stands, in the order asked for.
        pub ranges: Vec<TextRange>,
    }
}

wire! {
    /// Asks to keep an edited summary as a run.
    pub struct SummaryKeepRequest {
        /// The session.
        pub session: String,
        /// The summary it is made from, as in [`SummaryDraftRequest`].
        pub of: String,
        /// The text.
        pub text: String,
    }
}

wire! {
    /// Asks for custom instructions that ask for facts.
    pub struct FactInstructionsRequest {
        /// The session.
        pub session: String,
        /// The summary that lacks them, as in [`SummaryDraftRequest`].
        pub of: String,
        /// The facts, by their ids in the ledger.
        pub facts: Vec<String>,
        /// The custom instructions there are; empty where there are none.
        #[serde(default)]
        pub instructions: String,
    }
}

wire! {
    /// Custom instructions.
    pub struct FactInstructions {
        /// The text.
        pub instructions: String,
    }
}

wire! {
    /// The summary that was edited.
    pub struct EditedView {
        /// The run whose text was edited.
        pub run: Option<String>,
        /// The entry of the session whose summary it was in the beginning.
        pub entry: Option<String>,
    }
}
