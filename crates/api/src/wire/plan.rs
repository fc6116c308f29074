//! Strategies and plans.

use super::{
    CallBlockKind, ItemFate, Needs, NextKind, NextStepView, ParamKind, PlanKind, PromptUseView,
    Purpose, RecordKind, RequestForm, Role, Stage, StagePlace, StepKind, Worker,
};
use std::collections::BTreeMap;

wire! {
    /// Asks for strategies.
    pub struct StrategiesRequest {
        /// Only this one; all when absent.
        // With its prompts the whole list has two thousand lines.
        #[serde(default)]
        #[ts(optional)]
        pub name: Option<String>,
    }
}

wire! {
    /// A way to make a context smaller.
    #[derive(Default)]
    pub struct StrategyInfo {
        /// Its name.
        pub name: String,
        /// What it does, in one line.
        pub description: String,
        /// Where its rules come from.
        pub source: String,
        /// What of its agent is left out, and what is assumed where it cannot be told, in sentences.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub assumed: Option<Vec<String>>,
        /// What it needs to run.
        pub needs: Needs,
        /// Its parameters.
        pub params: Vec<ParamInfo>,
        /// The kind of each of its stages.
        pub stages: StageNames,
        /// The file of a custom preset; absent for a built-in one.
        pub path: Option<String>,
        /// Why a custom preset cannot be used.
        pub error: Option<String>,
        /// What to do about it, in words that hold in every host.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub hint: Option<String>,
        /// What to do about it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub next: Option<NextStepView>,
    }
}

wire! {
    /// The kinds a strategy names for its stages, as presets spell them: `stage_kinds` lists them
    /// all with what they mean.
    #[derive(Default)]
    pub struct StageNames {
        /// What is summarized and what is kept.
        pub select: String,
        /// What is made smaller without a model, step by step.
        pub reduce: Vec<String>,
        /// Which calls are made.
        pub summarize: String,
        /// What the next request contains, in order.
        pub next: Vec<String>,
    }
}

wire! {
    /// A kind that a stage can be switched to: `STAGE.kind` sets it.
    pub struct StageKindInfo {
        /// Where it can stand in a preset.
        pub stage: StagePlace,
        /// The kind, as presets and settings name it; the list of kinds is this answer.
        pub kind: String,
        /// What it does, in one line.
        pub meaning: String,
        /// Its parameters with the defaults they have where it is switched to.
        pub params: Vec<ParamInfo>,
    }
}

wire! {
    /// A parameter of a strategy.
    pub struct ParamInfo {
        /// Its name.
        pub name: String,
        /// What it is called on a form.
        pub label: String,
        /// Its place in the preset, such as `select.keep_recent_tokens`; settings take it too.
        pub path: String,
        /// The stage it belongs to.
        // A preset has some twenty parameters, which a form groups by this.
        pub stage: Stage,
        /// What values it takes.
        pub kind: ParamKind,
        /// Words it takes instead of a number.
        pub words: Vec<String>,
        /// Its default, as JSON.
        pub default: serde_json::Value,
        /// Its unit, in a word to be shown.
        pub unit: Option<String>,
        /// The least number it may be; absent where it takes none.
        // A form refuses by it what planning would refuse.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub min: Option<f64>,
        /// The most; absent where there is no bound worth showing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub max: Option<f64>,
        /// What it does.
        pub description: String,
    }
}

wire! {
    /// Asks for a plan.
    #[derive(Default)]
    pub struct PlanRequest {
        /// The session.
        pub session: String,
        /// Where to compact; the active leaf when absent.
        #[serde(default)]
        pub at: Option<String>,
        /// The entry to go to: asks for the summary of what is left behind, instead of a
        /// compaction at `at`.
        #[serde(default)]
        #[ts(optional = nullable)]
        pub to: Option<String>,
        /// The entry left for `to`; the active leaf when absent.
        #[serde(default)]
        #[ts(optional = nullable)]
        pub from: Option<String>,
        /// True: when `at` is a compaction, plan at the state just before it, to do it again.
        #[serde(default)]
        pub redo: bool,
        /// The strategy; `pi` when absent, and `pi-branch` for the summary of a branch.
        #[serde(default)]
        pub strategy: Option<String>,
        /// Parameters that differ from the defaults.
        #[serde(default)]
        pub set: BTreeMap<String, serde_json::Value>,
        /// Custom instructions.
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
        /// Overrides the provider's address.
        // Part of the plan, so that it names the address where prompts really go.
        #[serde(default)]
        #[ts(optional = nullable)]
        pub base_url: Option<String>,
        /// Where vectors of texts come from, for parameters that ask for embeddings:
        /// `PROVIDER:MODEL` or a file of word vectors; what is set up when absent.
        #[serde(default)]
        #[ts(optional)]
        pub embeddings: Option<String>,
        /// Saved prompts by place: one of the strategy's prompts, `instructions`, or `request`
        /// for instructions that replace it; each is `NAME` or `NAME@VERSION`.
        #[serde(default)]
        #[ts(optional)]
        pub prompts: Option<BTreeMap<String, String>>,
        /// True leaves the texts of the prompts out of the answer.
        // While a cut is dragged nobody reads the prompts, and they can be as long as the
        // session.
        #[serde(default)]
        #[ts(optional)]
        pub brief: Option<bool>,
    }
}

wire! {
    /// Asks for one call of a plan, its texts included.
    pub struct PlannedCallRequest {
        /// The plan.
        #[serde(flatten)]
        pub plan: PlanRequest,
        /// The hash of the plan that was shown. Without it the request is planned again.
        // Lines that are appended meanwhile do not change the hash.
        #[serde(default)]
        #[ts(optional)]
        pub plan_hash: Option<String>,
        /// Which of its calls, from 0.
        pub call: u64,
    }
}

wire! {
    /// Asks where a context could be cut.
    pub struct CutPointsRequest {
        /// The session.
        pub session: String,
        /// Where to compact; the active leaf when absent.
        #[serde(default)]
        pub at: Option<String>,
        /// True: when `at` is a compaction, at the state just before it.
        #[serde(default)]
        pub redo: bool,
    }
}

wire! {
    /// A place where a cut may fall.
    pub struct CutPoint {
        /// The first entry that would stay.
        pub entry_id: String,
        /// Its place on the path from the root, from 0.
        pub position: u64,
        /// Estimated tokens of what would stay.
        pub tokens: u64,
        /// True where the user says something, so that no turn would be split.
        pub starts_turn: bool,
    }
}

wire! {
    /// A plan: what would be summarized, what kept, and the very calls.
    pub struct PlanView {
        /// What it would do.
        pub kind: PlanKind,
        /// Why there is nothing to do.
        pub reason: Option<String>,
        /// What to do then, in words that hold in every host.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub hint: Option<String>,
        /// What to do then.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub next_step: Option<NextStepView>,
        /// The strategy.
        pub strategy: String,
        /// All its parameters.
        pub params: BTreeMap<String, serde_json::Value>,
        /// The entry planned at.
        pub at: Option<String>,
        /// Context size before, in tokens, as the agent takes it: where it trusts what a provider
        /// reported that, system prompt and tools included, with an estimate of what came after.
        pub tokens_before: u64,
        /// The sum of the estimates before, to be held against `estimated_tokens_after`; absent
        /// in runs of earlier versions.
        pub estimated_tokens_before: Option<u64>,
        /// Both sizes on one basis, to be shown.
        // On two bases the gain looked too large: only the size before held the system prompt.
        pub sizes: PlanSizes,
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
        /// Entries neither kept nor summarized, in order.
        pub dropped_ids: Vec<String>,
        /// What is made smaller without a model, in order.
        pub cleared: Vec<ClearedView>,
        /// What becomes of the path, from root to leaf; neighbours differ.
        pub bands: Vec<PlanBand>,
        /// Tokens of the context by what becomes of them.
        pub shares: Vec<PlanShare>,
        /// What the next request would contain, in order.
        pub next: Vec<NextPartView>,
        /// True when the context would be larger than before.
        pub may_grow: bool,
        /// Most calls made at the same time; 0 is no limit.
        pub max_concurrent: u64,
        /// The calls, in the order made.
        pub calls: Vec<PlannedCallView>,
        /// The sum of the estimates after, in tokens, with a summary of the usual size; what is
        /// comparable with the agent's count is in `sizes`.
        pub estimated_tokens_after: u64,
        /// Estimated cost with the chosen model; absent when its price is not known.
        pub estimated_cost_usd: Option<f64>,
        /// What it may cost when every attempt is made and every fallback is used; absent where a price
        /// is unknown.
        pub most_cost_usd: Option<f64>,
        /// True where a price that the user entered was used.
        pub user_prices: bool,
        /// Where the calls would go, in words.
        pub destination: String,
        /// The prompts used, by hash and version.
        pub prompts: Vec<PromptUseView>,
        /// The deepest entry on both paths, of a branch's summary.
        pub common_ancestor_id: Option<String>,
        /// The branch, where its summary was asked for.
        pub branch: Option<BranchView>,
        /// Fallbacks for a failed run, in the order they are tried; absent when there are none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub fallbacks: Option<Vec<FallbackView>>,
        /// What is to be said of the plan beside what it shows, in sentences.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub notes: Option<Vec<String>>,
        /// Where the offline summarizer answers in place of a model: a hash of what its summary
        /// depends on. It reads no prompt, so custom instructions are only topics, a prompt cannot be
        /// replaced, and two plans with the same hash have the same summary: they differ at most in
        /// prompts and are not compared.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub offline_key: Option<String>,
        /// The plan's hash, over the entries it uses and what it would send. A run with this hash
        /// executes this plan. Absent where there is nothing to do, and in a run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub plan_hash: Option<String>,
        /// Prompts that other strategies lend this one as it is set; absent where none does, and
        /// in a run.
        // Shown with their lender, as a switched stage sends prompts that the strategy does not
        // have.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub lent: Option<Vec<LentPromptView>>,
    }
}

wire! {
    /// A prompt that a strategy lacks as it is set, and another one lends.
    pub struct LentPromptView {
        /// The prompt, with the lent text as its default; it is set by its path.
        pub param: ParamInfo,
        /// The strategy that lends it.
        pub from: String,
        /// The stage that wants it.
        pub stage: Stage,
    }
}

wire! {
    /// The plan used when the run of another plan fails.
    pub struct FallbackView {
        /// When it is taken and what is done then, in words.
        pub meaning: String,
        /// The strategy that takes over.
        pub strategy: String,
        /// Its calls.
        pub calls: Vec<PlannedCallView>,
        /// Entries it keeps, in order.
        pub kept_ids: Vec<String>,
        /// Estimated context size after it, in tokens.
        pub estimated_tokens_after: u64,
        /// What takes over from it in turn.
        pub fallbacks: Vec<FallbackView>,
    }
}

wire! {
    /// Sizes of the context on one basis, that of the agent's own count: what that is above the
    /// estimates is in part sent with every request, the rest goes with the messages in proportion
    /// to their estimates.
    pub struct PlanSizes {
        /// Tokens before.
        pub before: u64,
        /// Estimated tokens after, with a summary of the usual size.
        pub after: u64,
        /// Tokens of both that are no part of the session: the system prompt and the tools, where
        /// it does not hold them, and what the agent sends again after a compaction.
        pub unseen: u64,
    }
}

wire! {
    /// What is left behind when one entry is left for another.
    pub struct BranchView {
        /// The entry left.
        pub from_id: Option<String>,
        /// The target entry.
        pub to_id: String,
        /// The entry under which the summary would stand; absent before the first.
        pub new_leaf_id: Option<String>,
        /// True when the target entry is a user prompt, whose text the user edits.
        pub written_anew: bool,
        /// The deepest entry on both paths.
        pub common_ancestor_id: Option<String>,
        /// The entries left behind, oldest first.
        pub left_behind_ids: Vec<String>,
        /// Those among them whose messages do not fit the budget.
        pub over_budget_ids: Vec<String>,
        /// Most tokens of them that are summarized; 0 is no limit.
        pub budget_tokens: u64,
        /// Estimated tokens of what is summarized.
        pub taken_tokens: u64,
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
    /// An entry made smaller without a model.
    pub struct ClearedView {
        /// The entry, where it belongs to one.
        pub entry_id: Option<String>,
        /// Its place on the path from the root, from 0.
        pub position: Option<u64>,
        /// The kind of the reduce step that does it, as `stage_kinds` lists them.
        pub by: String,
        /// Estimated tokens before.
        pub tokens_before: u64,
        /// Estimated tokens after; 0 when it is taken out.
        pub tokens_after: u64,
    }
}

wire! {
    /// A stretch of the path with one fate.
    pub struct PlanBand {
        /// What becomes of it; never `system`.
        pub fate: ItemFate,
        /// Its first place on the path from the root, from 0.
        pub first: u64,
        /// Its last.
        pub last: u64,
    }
}

wire! {
    /// How much of the context has one fate.
    pub struct PlanShare {
        /// The fate.
        pub fate: ItemFate,
        /// Number of messages.
        pub items: u64,
        /// Estimated tokens.
        pub tokens: u64,
    }
}

wire! {
    /// A part of the next request: one text, or neighbouring messages of the context.
    pub struct NextPartView {
        /// What it is.
        pub kind: NextKind,
        /// Who says it; absent for messages of the context.
        pub role: Option<Role>,
        /// Number of messages.
        pub items: u64,
        /// Estimated tokens.
        pub tokens: u64,
        /// The beginning of its text.
        pub text: Option<String>,
        /// True when the text goes on.
        pub cut: bool,
    }
}

wire! {
    /// The place in a prompt where the reply of another call goes.
    pub struct ReplySlotView {
        /// Where the mark begins, in the prompt.
        pub start: u64,
        /// Where it ends.
        pub end: u64,
        /// Which call's reply, from 0.
        pub call: u64,
    }
}

wire! {
    /// A call of a plan.
    pub struct PlannedCallView {
        /// What it is for.
        pub purpose: Purpose,
        /// What it does, in words.
        pub label: String,
        /// Which step of its purpose it is.
        pub step: StepKind,
        /// The calls that must be answered before, from 0.
        pub after: Vec<u64>,
        /// Where replies of those go in the prompt.
        pub slots: Vec<ReplySlotView>,
        /// Who answers it.
        pub worker: Worker,
        /// The weaker model, where one is named; absent: the chosen one.
        pub model: Option<String>,
        /// The system prompt.
        pub system: String,
        /// The user message, whole.
        pub prompt: String,
        /// The serialized span inside the prompt.
        pub conversation: String,
        /// Most tokens of the reply; absent: the model's own limit.
        pub max_output_tokens: Option<u64>,
        /// The temperature it asks for; absent: the provider's own.
        pub temperature: Option<f64>,
        /// Estimated size of the request in tokens.
        pub input_tokens: u64,
        /// In which form the conversation is sent. As a conversation, the system prompt stands in
        /// the place of the agent's own, which no session holds.
        pub request: RequestForm,
        /// In the form of a conversation, the messages as they are sent, the request last; their
        /// texts are parts of the prompt. Empty in a brief plan.
        pub messages: Vec<CallMessageView>,
        /// Of the input tokens, those that the session's provider has in its cache since the last
        /// reply.
        pub cached_tokens: u64,
        /// How it would be made smaller when the provider says that it does not fit: the first
        /// attempts and the last. Absent from a brief plan.
        pub retries: Vec<CallRetryView>,
        /// Most requests that are sent after one that does not fit, where no provider states its
        /// limit. 0 in a brief plan.
        pub most_smaller: u64,
        /// How often it is made in all when it fails or its reply is refused; 0 and 1 are once.
        pub attempts: u64,
    }
}

wire! {
    /// A message of a call.
    pub struct CallMessageView {
        /// Who says it.
        pub role: Role,
        /// Its blocks.
        pub blocks: Vec<CallBlockView>,
    }
}

wire! {
    /// A block of a message of a call.
    pub struct CallBlockView {
        /// What it is.
        pub kind: CallBlockKind,
        /// The tool called; absent for other blocks.
        pub tool: Option<String>,
        /// Where its text begins in the prompt, in UTF-16 units.
        pub start: u64,
        /// Where it ends.
        pub end: u64,
    }
}

wire! {
    /// A call as it would be made again, smaller.
    pub struct CallRetryView {
        /// Which attempt, from 1.
        pub attempt: u64,
        /// Messages left out.
        pub left_out: u64,
        /// Characters that no message may go beyond; absent where none is cut.
        pub max_chars: Option<u64>,
        /// Estimated size of the request in tokens.
        pub input_tokens: u64,
    }
}

wire! {
    /// Asks what would be left behind.
    pub struct LeaveRequest {
        /// The session.
        pub session: String,
        /// The entry left; the active leaf when absent.
        #[serde(default)]
        pub from: Option<String>,
        /// The target entry.
        pub to: String,
    }
}

wire! {
    /// What would be left behind, and where one would go on.
    pub struct LeaveView {
        /// The entry left; absent in a session without entries.
        pub from_id: Option<String>,
        /// The target entry.
        pub to_id: String,
        /// The parent of the next entry; absent before the first entry.
        pub new_leaf_id: Option<String>,
        /// First words of the prompt to edit, when `to_id` is one.
        pub prompt: Option<String>,
        /// The deepest entry on both paths.
        pub common_ancestor_id: Option<String>,
        /// What would be left behind, oldest first.
        pub entries: Vec<LeftEntry>,
        /// Size of the context at the entry left, in tokens.
        pub tokens_from: u64,
        /// Size of the context where one would go on, in tokens.
        pub tokens_to: u64,
    }
}

wire! {
    /// An entry that would be left behind.
    pub struct LeftEntry {
        /// The entry.
        pub entry_id: String,
        /// What the record is.
        pub kind: RecordKind,
        /// Who speaks in it.
        pub role: Option<Role>,
        /// True for what failed.
        pub is_error: bool,
        /// The tool whose result it is, or the tools it calls.
        pub tools: Vec<String>,
        /// Tokens by the agent's own estimate.
        pub tokens: u64,
        /// First words.
        pub preview: String,
    }
}
