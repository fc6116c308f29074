//! What a model as judge said of the claims of a summary, beside what rules say.

use super::{ClaimVerdict, FactKind, FactVerdict, NotChecked};

wire! {
    /// Statements of a summary by the verdict of a model. They are in no figure of rules.
    #[derive(Copy)]
    pub struct ClaimSums {
        /// Supported.
        pub supported: u64,
        /// Contradicted.
        pub contradicted: u64,
        /// Stale.
        pub stale: u64,
        /// Without a source.
        pub without_source: u64,
        /// Those without a verdict.
        pub unchecked: u64,
        /// Sentences on which rules and the model differ.
        pub differ: u64,
        /// The share of the checked statements that is supported; absent where none was checked.
        pub precision: Option<f64>,
    }
}

wire! {
    /// Facts of a span by the verdict of a model. They are in no figure of rules.
    #[derive(Copy)]
    pub struct FactSums {
        /// Kept.
        pub kept: u64,
        /// Partly kept.
        pub partly: u64,
        /// Changed.
        pub changed: u64,
        /// Dropped.
        pub dropped: u64,
        /// Those without a verdict.
        pub unchecked: u64,
        /// Facts on which rules and the model differ.
        pub differ: u64,
        /// The share of the checked facts that is kept, where a partly kept or changed one counts half;
        /// absent where none was checked.
        pub recall: Option<f64>,
    }
}

wire! {
    /// The sums of the newest judgement of a summary's claims.
    pub struct JudgedClaims {
        /// The judgement.
        pub judgement_id: String,
        /// Its statements.
        pub claims: ClaimSums,
        /// The facts of its span.
        pub facts: FactSums,
    }
}

wire! {
    /// A single statement of a sentence with the verdict of a model.
    pub struct JudgedStatement {
        /// The statement in the model's words.
        pub text: String,
        /// What the model says, as far as its citation bears it out.
        pub verdict: ClaimVerdict,
        /// The entries that it cites, that of the quote first.
        pub entry_ids: Vec<String>,
        /// Words of one of them.
        pub quote: Option<String>,
        /// Why there is no verdict.
        pub not_checked: Option<NotChecked>,
        /// The same in words.
        pub reason: Option<String>,
    }
}

wire! {
    /// The verdict of a model on a sentence.
    pub struct ClaimByModel {
        /// That of its statements together: the worst.
        pub verdict: ClaimVerdict,
        /// True where rules have another.
        pub differs: bool,
        /// Its statements.
        pub statements: Vec<JudgedStatement>,
    }
}

wire! {
    /// A sentence of a summary with the verdicts of rules and of a model.
    pub struct JudgedSentence {
        /// The sentence.
        pub text: String,
        /// What rules said of it when the judgement was planned.
        pub rule: ClaimVerdict,
        /// What the model says.
        pub by_model: ClaimByModel,
    }
}

wire! {
    /// The verdict of a model on a fact: whether the agent still has it.
    pub struct FactByModel {
        /// What the model says, as far as its quote bears it out.
        pub verdict: FactVerdict,
        /// True where rules have another.
        pub differs: bool,
        /// Words of the summary or of the kept tail that show it.
        pub quote: Option<String>,
        /// The entry of the kept tail that has the quote; absent where the summary has it.
        pub entry_id: Option<String>,
        /// Why there is no verdict.
        pub not_checked: Option<NotChecked>,
        /// The same in words.
        pub reason: Option<String>,
    }
}

wire! {
    /// A fact of a span with the verdicts of rules and of a model.
    pub struct JudgedClaimFact {
        /// Its id in the ledger.
        pub fact_id: String,
        /// What kind of thing it is.
        pub kind: FactKind,
        /// The thing.
        pub text: String,
        /// True for a fact that only a model found.
        pub found_by_model: bool,
        /// What rules said of it when the judgement was planned.
        pub rule: FactVerdict,
        /// What the model says.
        pub by_model: FactByModel,
    }
}
