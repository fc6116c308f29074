//! A model as judge: what it would be asked, and what it said.

use super::{
    ClaimSums, FactKind, FactSums, JudgeWhat, JudgedClaimFact, JudgedSentence, NextStepView,
    ProbeKind, Rejection, RunStatus, UsageView,
};

wire! {
    /// Asks to plan or make a judgement.
    pub struct JudgeRequest {
        /// The session.
        pub session: String,
        /// The question.
        pub what: JudgeWhat,
        /// The summaries it is about: ids of runs, or `entry:ID`. Without any the newest summary on
        /// the active path.
        #[serde(default)]
        pub of: Vec<String>,
        /// The provider.
        pub provider: String,
        /// The model; the first of the provider where none is given.
        #[serde(default)]
        pub model: Option<String>,
        /// Another address of the provider.
        #[serde(default)]
        pub base_url: Option<String>,
        /// The model's context window in tokens, in place of the catalog's.
        #[serde(default)]
        pub window: Option<u64>,
        /// Most tokens of the session in one call.
        #[serde(default)]
        pub chunk: Option<u64>,
        /// Leaves the prompts out of a plan.
        #[serde(default)]
        pub brief: bool,
        /// A name the caller chose, under which it gets the events and can cancel.
        #[serde(default)]
        pub stream: Option<String>,
        /// Whether it may cost more than the limit of the settings.
        #[serde(default)]
        pub above_limit: bool,
    }
}

wire! {
    /// A judgement as it would be made.
    pub struct JudgePlanView {
        /// The question.
        pub what: JudgeWhat,
        /// What is judged, in words.
        pub title: String,
        /// The provider.
        pub provider: String,
        /// The model.
        pub model: String,
        /// The calls.
        pub calls: Vec<JudgeCallView>,
        /// Estimated tokens of all requests.
        pub input_tokens: u64,
        /// Tokens that all replies are assumed to have.
        pub output_tokens: u64,
        /// Estimated cost; absent where the price is unknown.
        pub estimated_cost_usd: Option<f64>,
        /// What it may cost at most; absent where the price is unknown.
        pub most_cost_usd: Option<f64>,
        /// Where the prompts would go, in words.
        pub destination: String,
        /// What else is to be said, in sentences.
        pub notes: Vec<String>,
    }
}

wire! {
    /// A planned call of a judgement.
    pub struct JudgeCallView {
        /// What it asks, in a few words.
        pub label: String,
        /// The system prompt; empty in a brief plan.
        pub system: String,
        /// The prompt; empty in a brief plan.
        pub prompt: String,
        /// Estimated tokens of the request.
        pub input_tokens: u64,
        /// Most tokens of the reply.
        pub max_output_tokens: u64,
    }
}

wire! {
    /// Names a stored judgement.
    pub struct JudgementRequest {
        /// Its id, or a unique prefix of it.
        pub judgement: String,
    }
}

wire! {
    /// A judgement that was made.
    pub struct JudgementView {
        /// Its id.
        pub judgement_id: String,
        /// The question.
        pub what: JudgeWhat,
        /// The session.
        pub session: String,
        /// The summaries it is about, as they were named.
        pub of: Vec<String>,
        /// How it ended.
        pub status: RunStatus,
        /// What went wrong.
        pub error: Option<String>,
        /// What to do about it, in words that hold in every host.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub hint: Option<String>,
        /// What to do about it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub next: Option<NextStepView>,
        /// The provider.
        pub provider: String,
        /// The model.
        pub model: String,
        /// When it was started.
        pub started_at: i64,
        /// How long it took; absent while it is under way.
        pub elapsed_ms: Option<i64>,
        /// Tokens used.
        pub usage: UsageView,
        /// What the calls cost; absent where the price is unknown.
        pub cost_usd: Option<f64>,
        /// The calls as they were made; left out in lists.
        pub calls: Vec<JudgedCallView>,
        /// The result, where it is done.
        pub result: Option<JudgeResult>,
    }
}

wire! {
    /// A call of a judgement as it was made.
    pub struct JudgedCallView {
        /// What it asked, in a few words.
        pub label: String,
        /// The reply.
        pub reply: String,
        /// Why the model stopped.
        pub stop_reason: String,
        /// Its usage.
        pub usage: UsageView,
        /// How long it took.
        pub elapsed_ms: u64,
        /// How often the request was repeated.
        pub retries: u32,
        /// Why the reply was not used.
        pub refused: Option<String>,
        /// The earlier judgement that paid for the reply.
        pub from: Option<String>,
    }
}

wire! {
    /// What a model said, as far as it can be used.
    #[serde(tag = "what", rename_all = "snake_case")]
    pub enum JudgeResult {
        /// Facts.
        Facts {
            /// Those that stand in the entries they cite.
            facts: Vec<JudgedFactView>,
            /// Those that do not.
            rejected: Vec<RejectedFactView>,
        },
        /// Which of two summaries is better.
        Pair {
            /// The side preferred in both orders, 0 or 1 as they were named; absent for a tie.
            better: Option<u64>,
            /// True where the two orders say different things.
            disagree: bool,
            /// The verdict on the sides in the order they were named, and on the other order.
            verdicts: Vec<PairVerdictView>,
        },
        /// Answers to questions, by what rules know.
        Probes {
            /// The mean of the shares answered right, 0 to 1.
            share: f64,
            /// Each question.
            probes: Vec<ProbeView>,
        },
        /// Verdicts on statements of a summary and on facts of its span.
        Claims {
            /// The statements, counted.
            claims: ClaimSums,
            /// The facts, counted.
            fact_sums: FactSums,
            /// The sentences of the summary with their statements, in order.
            sentences: Vec<JudgedSentence>,
            /// The facts, the heaviest first.
            facts: Vec<JudgedClaimFact>,
            /// Verdicts on ids that were not asked about.
            unknown: u64,
        },
    }
}

wire! {
    /// What a model said to one order of two summaries.
    pub struct PairVerdictView {
        /// The side that it prefers, as they were named; absent for neither.
        pub better: Option<u64>,
        /// Its reason, in which A is the first summary that it saw.
        pub reason: String,
    }
}

wire! {
    /// How a question was answered.
    pub struct ProbeView {
        /// What it asks.
        pub kind: ProbeKind,
        /// The question as it was asked.
        pub question: String,
        /// What the answer had to name.
        pub expected: Vec<String>,
        /// What of it the answer names.
        pub found: Vec<String>,
        /// What the answer names beside it.
        pub wrong: Vec<String>,
    }
}

wire! {
    /// A fact that a model found.
    pub struct JudgedFactView {
        /// What kind of thing it is.
        pub kind: FactKind,
        /// The fact in the model's words.
        pub text: String,
        /// The entries that bear it out.
        pub entry_ids: Vec<String>,
        /// Words of one of them; absent where only names of the fact stand in them.
        pub quote: Option<String>,
    }
}

wire! {
    /// A fact that a model stated and its entries do not bear out.
    pub struct RejectedFactView {
        /// Why.
        pub why: Rejection,
        /// The same in words.
        pub reason: String,
        /// Its text.
        pub text: String,
    }
}
