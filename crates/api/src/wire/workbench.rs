//! The workbench: what runs differ in, runs under way, notes on runs, what prompts came to.

use super::{DiffRow, PlanKind, Purpose};

wire! {
    /// What a run was made with, in one respect.
    pub struct RunSettingView {
        /// `strategy`, `provider`, `model`, `cut`, `prompts.PLACE`, or the place of a parameter.
        pub key: String,
        /// What a person calls it.
        pub label: String,
        /// Its value in a few words: for a prompt its name and version.
        pub value: String,
    }
}

wire! {
    /// A setting in which compared runs differ.
    pub struct DifferingSetting {
        /// `strategy`, `provider`, `model`, `cut`, `prompts.PLACE`, or the place of a parameter.
        pub key: String,
        /// What a person calls it.
        pub label: String,
        /// Its value for each side; absent for one that does not have it.
        pub values: Vec<Option<String>>,
        /// The whole texts of a prompt, for each side where it is known; empty for other settings.
        pub texts: Vec<Option<String>>,
    }
}

wire! {
    /// Asks for the difference of two texts.
    pub struct TextDiffRequest {
        /// One text.
        pub left: String,
        /// The other.
        pub right: String,
    }
}

wire! {
    /// Two texts side by side.
    pub struct TextDiffView {
        /// Line by line, section by section.
        pub rows: Vec<DiffRow>,
    }
}

wire! {
    /// Gives a run a name and a note.
    pub struct RunNoteRequest {
        /// The run.
        pub run: String,
        /// Its name; empty takes it away.
        pub name: String,
        /// A free text; empty takes it away.
        pub note: String,
    }
}

wire! {
    /// A call of a run under way.
    pub struct RunningCall {
        /// Its place in the plan.
        pub call: u64,
        /// What it is for.
        pub purpose: Purpose,
        /// The text received so far.
        pub text: String,
    }
}

wire! {
    /// A run under way.
    pub struct RunningRun {
        /// The name that its events carry; it is cancelled by it.
        pub stream: String,
        /// What it makes.
        pub kind: PlanKind,
        /// The session.
        pub session: String,
        /// The entry it was planned at.
        pub at: Option<String>,
        /// The strategy.
        pub strategy: String,
        /// The provider.
        pub provider: String,
        /// The model.
        pub model: Option<String>,
        /// Custom instructions.
        pub instructions: Option<String>,
        /// How many calls its plan has.
        pub calls: u64,
        /// When it began.
        pub started_at: i64,
        /// When anything was last heard of a call.
        pub heard_at: i64,
        /// The calls that have begun to answer.
        pub texts: Vec<RunningCall>,
        /// Why attempts failed so far, oldest first.
        pub failures: Vec<String>,
    }
}

wire! {
    /// What the runs with one prompt of the user came to. Means are over runs of different cuts: a
    /// comparison of one cut decides.
    pub struct PromptScoreView {
        /// The hash of the prompt.
        pub hash: String,
        /// Finished runs with it.
        pub done: u64,
        /// Failed and cancelled runs with it.
        pub failed: u64,
        /// The strategies it was used in.
        pub strategies: Vec<String>,
        /// Who ran it: provider and model.
        pub models: Vec<String>,
        /// Mean share of the facts' weight that the summaries retain, 0 to 1; absent where no
        /// finished run was measured.
        pub retained: Option<f64>,
        /// Mean number of dropped facts that were needed later.
        pub needed_later: Option<f64>,
        /// When it was last used.
        pub last_used: i64,
    }
}

wire! {
    /// A place in prompts that is filled when a call is made.
    pub struct PlaceholderInfo {
        /// Its name, written `{{name}}`, for a section `{{#name}}...{{/name}}`.
        pub name: String,
        /// What is put there.
        pub meaning: String,
    }
}

wire! {
    /// Renames a saved prompt or a custom preset.
    pub struct RenamedRequest {
        /// Its name.
        pub name: String,
        /// Its new name.
        pub to: String,
    }
}
