//! Strategies and plans.

use std::collections::BTreeMap;

wire! {
    /// A way to make a context smaller.
    pub struct StrategyInfo {
        /// Its name.
        pub name: String,
        /// What it does, in one line.
        pub description: String,
        /// Where its rules come from.
        pub source: String,
        /// What it needs: `nothing`, or `model` (for which the offline summarizer can stand in).
        pub needs: String,
        /// Its parameters.
        pub params: Vec<ParamInfo>,
    }
}

wire! {
    /// A parameter of a strategy.
    pub struct ParamInfo {
        /// Its name.
        pub name: String,
        /// The stage it belongs to: `select`, `reduce`, `summarize`, `assemble`, `prompts`.
        pub stage: String,
        /// `integer`, `number`, `boolean`, `word` (one of `words`), `integer_or_word`, `text`, or
        /// `texts` (a list).
        pub kind: String,
        /// Words it takes instead of a number.
        pub words: Vec<String>,
        /// Its default, as JSON.
        pub default: serde_json::Value,
        /// Its unit.
        pub unit: Option<String>,
        /// What it does.
        pub description: String,
    }
}

wire! {
    /// Asks for a plan.
    pub struct PlanRequest {
        /// The session.
        pub session: String,
        /// Where to compact; the active leaf when absent.
        #[serde(default)]
        pub at: Option<String>,
        /// True: when `at` is a compaction, plan at the state just before it, to do it again.
        #[serde(default)]
        pub redo: bool,
        /// The strategy; `pi` when absent.
        #[serde(default)]
        pub strategy: Option<String>,
        /// Parameters that differ from the defaults.
        #[serde(default)]
        pub set: BTreeMap<String, serde_json::Value>,
        /// Own instructions.
        #[serde(default)]
        pub instructions: Option<String>,
        /// True: the instructions replace the prompt; false: they are added to it.
        #[serde(default)]
        pub replace_prompt: bool,
        /// The provider it will run on, for the cost; `offline` when absent.
        #[serde(default)]
        pub provider: Option<String>,
        /// The model it will run on.
        #[serde(default)]
        pub model: Option<String>,
    }
}

wire! {
    /// A plan: what would be summarized, what kept, and the very calls.
    pub struct PlanView {
        /// `compaction`, or `nothing` when there is nothing to do.
        pub kind: String,
        /// Why there is nothing to do.
        pub reason: Option<String>,
        /// The strategy.
        pub strategy: String,
        /// All its parameters.
        pub params: BTreeMap<String, serde_json::Value>,
        /// The entry planned at.
        pub at: Option<String>,
        /// Context size before, in tokens.
        pub tokens_before: u64,
        /// First entry of the kept tail.
        pub first_kept_id: Option<String>,
        /// Where the split turn starts.
        pub turn_start_id: Option<String>,
        /// True when the cut falls inside a turn.
        pub is_split_turn: bool,
        /// Entries summarized, in order.
        pub summarize_ids: Vec<String>,
        /// Entries of the turn prefix, in order.
        pub turn_prefix_ids: Vec<String>,
        /// Entries kept, in order.
        pub kept_ids: Vec<String>,
        /// The summary this one builds on.
        pub previous_summary: Option<String>,
        /// Files of the span.
        pub files: FileLists,
        /// The calls, in the order made.
        pub calls: Vec<PlannedCallView>,
        /// Estimated context size after, in tokens, with the summary at its full budget.
        pub estimated_tokens_after: u64,
        /// Estimated cost with the chosen model; absent when its price is not known.
        pub estimated_cost_usd: Option<f64>,
        /// Where the calls would go, in words.
        pub destination: String,
    }
}

wire! {
    /// Files read and modified.
    #[derive(Default)]
    pub struct FileLists {
        /// Read and not modified.
        pub read: Vec<String>,
        /// Written or edited.
        pub modified: Vec<String>,
    }
}

wire! {
    /// A call of a plan.
    pub struct PlannedCallView {
        /// What it is for: `history` or `turn_prefix`.
        pub purpose: String,
        /// The system prompt.
        pub system: String,
        /// The user message, whole.
        pub prompt: String,
        /// The serialized span inside the prompt.
        pub conversation: String,
        /// Most tokens of the reply; absent: the model's own limit.
        pub max_output_tokens: Option<u64>,
        /// Estimated size of the request in tokens.
        pub input_tokens: u64,
    }
}
