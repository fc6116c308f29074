//! When agents would have compacted by themselves.

use super::{Counting, NextStepView, PolicyCheck, PolicyUnit};
use std::collections::BTreeMap;

wire! {
    /// Asks where policies would have fired along a path.
    #[derive(Default)]
    pub struct PolicyRequest {
        /// The session.
        pub session: String,
        /// The entry the path leads to; the active leaf when absent.
        #[serde(default)]
        pub at: Option<String>,
        /// Names of policies; all when empty.
        #[serde(default)]
        pub policies: Vec<String>,
        /// The model's window in tokens, in place of the known one.
        #[serde(default)]
        pub window: Option<u64>,
        /// The model's longest reply in tokens, in place of the known one.
        #[serde(default)]
        pub max_output: Option<u64>,
        /// Numbers that are another than the policies', as `POLICY.PARAMETER`.
        #[serde(default)]
        #[ts(optional)]
        pub set: Option<BTreeMap<String, serde_json::Value>>,
        /// Leaves the single firings out; their number is told anyway.
        #[serde(default)]
        pub totals_only: bool,
    }
}

wire! {
    /// The policies there are.
    pub struct PolicyList {
        /// The built-in ones, then those of the user's files.
        pub policies: Vec<PolicyInfo>,
        /// Files of the user that give no policy.
        pub broken: Vec<BrokenPolicyView>,
    }
}

wire! {
    /// A policy, and what can be set of it.
    pub struct PolicyInfo {
        /// Its name.
        pub name: String,
        /// The agent whose policy it is.
        pub agent: String,
        /// The agent's version that has it.
        pub version: String,
        /// When it fires, in one line.
        pub description: String,
        /// Where its numbers come from.
        pub source: String,
        /// The preset it runs.
        pub preset: String,
        /// Its file, for one of the user's.
        pub path: Option<String>,
        /// Its numbers and switches.
        pub params: Vec<PolicyParamView>,
    }
}

wire! {
    /// A number or a switch of a policy.
    pub struct PolicyParamView {
        /// The shortest name that means no other.
        pub name: String,
        /// Its place in the policy.
        pub path: String,
        /// What it is; `null` where it is not set.
        pub value: serde_json::Value,
        /// Its unit; absent for a switch and for what has none.
        pub unit: Option<PolicyUnit>,
    }
}

wire! {
    /// A file of the user that gives no policy.
    pub struct BrokenPolicyView {
        /// The file.
        pub path: String,
        /// Why.
        pub reason: String,
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
    /// What policies would have done along a path.
    pub struct PolicyReport {
        /// The session.
        pub session: String,
        /// The entry the path leads to.
        pub at: Option<String>,
        /// The model there.
        pub model: Option<String>,
        /// Its window in tokens; `null` when it is not known.
        pub window: Option<u64>,
        /// Its longest reply in tokens; `null` when it is not known.
        pub max_output: Option<u64>,
        /// Number of entries on the path.
        pub length: u64,
        /// The policies.
        pub policies: Vec<PolicyCourse>,
        /// The session's own compactions.
        pub actual: Vec<ActualCompaction>,
        /// What to know about the figures.
        pub notes: Vec<String>,
    }
}

wire! {
    /// What one policy would have done.
    pub struct PolicyCourse {
        /// Its name.
        pub name: String,
        /// The agent whose policy it is.
        pub agent: String,
        /// The agent's version that has it.
        pub version: String,
        /// When it fires, in one line.
        pub description: String,
        /// Where its numbers come from.
        pub source: String,
        /// True for a policy of the agent that wrote the session.
        pub is_own: bool,
        /// The size at which it fires, in tokens; `null` when it has none here.
        pub threshold_tokens: Option<u64>,
        /// The number of messages above which it fires.
        pub threshold_messages: Option<u64>,
        /// True when it fires at the threshold, false when it fires above it.
        pub inclusive: bool,
        /// The context window it assumes.
        pub window: Option<u64>,
        /// Its rule with its parameters.
        pub rule: serde_json::Value,
        /// What is held against the threshold.
        pub counting: Counting,
        /// When it looks.
        pub checks: Vec<PolicyCheck>,
        /// What turns it off, in words.
        pub off: Vec<String>,
        /// The preset it runs.
        pub preset: String,
        /// Sizes at which something else happens.
        pub levels: Vec<PolicyLevel>,
        /// How often it would have fired.
        pub fire_count: u64,
        /// Where, in order.
        pub fires: Vec<PolicyFire>,
        /// Tokens lost by all of it.
        pub lost_tokens: u64,
        /// Largest context on the way, in tokens.
        pub peak_tokens: u64,
        /// Why it does not fire at all; `null` when it may.
        pub off_reason: Option<String>,
        /// The entry at which it would have given up.
        pub stopped_at: Option<String>,
        /// Why it would have.
        pub stop_reason: Option<String>,
    }
}

wire! {
    /// A size at which something else happens than a compaction.
    pub struct PolicyLevel {
        /// Its name.
        pub name: String,
        /// What happens there.
        pub meaning: String,
        /// The size in tokens.
        pub tokens: Option<u64>,
    }
}

wire! {
    /// A compaction that would have been.
    pub struct PolicyFire {
        /// The last entry of the context that is compacted.
        pub entry_id: String,
        /// 0-based physical line of its file, where that has lines.
        pub line: Option<u32>,
        /// Its position on the path.
        pub position: u64,
        /// When it was looked at.
        pub check: PolicyCheck,
        /// True when it was the policy's second line that was reached.
        pub forced: bool,
        /// Size of the context before, in tokens.
        pub tokens_before: u64,
        /// Estimated size after, in tokens.
        pub tokens_after: u64,
        /// Tokens that are gone.
        pub lost_tokens: u64,
        /// Entries that are summarized, dropped or cleared.
        pub summarized: u64,
        /// Entries that stay.
        pub kept: u64,
    }
}

wire! {
    /// A compaction that the session holds.
    pub struct ActualCompaction {
        /// The compaction.
        pub entry_id: String,
        /// Its position on the path.
        pub position: u64,
        /// Size of the context before, in tokens.
        pub tokens_before: u64,
        /// Size after, in tokens.
        pub tokens_after: u64,
    }
}
