//! Saved prompts, their import, and custom presets.

use std::collections::BTreeMap;

wire! {
    /// A prompt of a plan or a run.
    pub struct PromptUseView {
        /// Which of the strategy's prompts, `instructions`, or `request` where those replace it;
        /// presets name their prompts.
        pub place: String,
        /// Its hash: 16 hex digits.
        pub hash: String,
        /// True for a custom prompt, false for one of the strategy.
        pub own: bool,
        /// The name under which it is saved.
        pub name: Option<String>,
        /// The version of that name.
        pub version: Option<u32>,
        /// The label of that version.
        pub label: Option<String>,
    }
}

wire! {
    /// One version of a saved prompt.
    pub struct PromptRow {
        /// Its name.
        pub name: String,
        /// Counts from 1 within the name.
        pub version: u32,
        /// The prompt.
        pub text: String,
        /// Its hash: 16 hex digits.
        pub hash: String,
        /// When it was saved.
        pub created_at: i64,
        /// The strategy it was written for.
        pub strategy: Option<String>,
        /// Which of the strategy's prompts it is, `instructions` or `request`.
        pub place: Option<String>,
        /// The file it was imported from.
        pub source: Option<String>,
        /// What the user calls this version.
        pub label: Option<String>,
    }
}

wire! {
    /// Labels one version of a saved prompt.
    pub struct PromptLabelRequest {
        /// `NAME@VERSION`, or `NAME` for the newest.
        pub name: String,
        /// The label; blank removes it.
        pub label: String,
    }
}

wire! {
    /// Asks for the prompts in the files of installed agents.
    #[derive(Default)]
    pub struct PromptsFindRequest {
        /// Only in this folder or file; in the usual places when absent.
        #[serde(default)]
        pub folder: Option<String>,
    }
}

wire! {
    /// Imports prompts of installed agents as versions of saved prompts.
    #[derive(Default)]
    pub struct PromptsTakeRequest {
        /// Only from this folder or file; from the usual places when absent.
        #[serde(default)]
        pub folder: Option<String>,
        /// The names of the prompts; all when empty.
        #[serde(default)]
        pub names: Vec<String>,
    }
}

wire! {
    /// The installed agents, with the prompts in their files.
    pub struct InstalledPromptsView {
        /// The agents, each place once.
        pub agents: Vec<InstalledAgentView>,
        /// Agents without a prompt that was found, by the name of their strategy.
        pub without: Vec<String>,
    }
}

wire! {
    /// An installed agent.
    pub struct InstalledAgentView {
        /// Its name.
        pub agent: String,
        /// Its version, where a file states it.
        pub version: Option<String>,
        /// Its package or program.
        pub path: String,
        /// The prompts that were found.
        pub prompts: Vec<FoundPromptView>,
        /// Why there are none, in a sentence.
        pub problem: Option<String>,
    }
}

wire! {
    /// Asks for saved prompts.
    pub struct PromptsRequest {
        /// Of this name; of all names when absent.
        #[serde(default)]
        pub name: Option<String>,
    }
}

wire! {
    /// Saves a prompt as the next version of its name.
    pub struct PromptSaveRequest {
        /// The name.
        pub name: String,
        /// The prompt.
        pub text: String,
        /// The strategy it is for.
        #[serde(default)]
        pub strategy: Option<String>,
        /// Which of the strategy's prompts it is, `instructions` or `request`.
        #[serde(default)]
        pub place: Option<String>,
    }
}

wire! {
    /// Names a saved prompt.
    pub struct PromptRequest {
        /// `NAME`, or `NAME@VERSION` where one version is asked for.
        pub name: String,
    }
}

wire! {
    /// Asks for what agents' settings say about compaction.
    pub struct PromptImportRequest {
        /// A project's folder, to look there as well.
        #[serde(default)]
        pub project: Option<String>,
        /// True only looks and takes nothing over.
        #[serde(default)]
        pub dry_run: bool,
    }
}

wire! {
    /// What was found in agents' settings.
    pub struct PromptImportView {
        /// What was found.
        pub found: Vec<FoundPromptView>,
        /// Settings that could not be read, with file and reason.
        pub warnings: Vec<String>,
    }
}

wire! {
    /// A prompt or parameters in an agent's settings.
    pub struct FoundPromptView {
        /// The agent's strategy.
        pub strategy: String,
        /// The file.
        pub source: String,
        /// Which setting, in the agent's words.
        pub setting: String,
        /// The name it is saved under.
        pub name: String,
        /// Where a prompt belongs; absent for parameters.
        pub place: Option<String>,
        /// A prompt's text.
        pub text: Option<String>,
        /// Parameters.
        pub params: BTreeMap<String, serde_json::Value>,
        /// The version under which a prompt is saved.
        pub version: Option<u32>,
        /// The file of the preset made of parameters.
        pub preset: Option<String>,
    }
}

wire! {
    /// Saves a strategy with parameters set as a custom preset.
    pub struct PresetSaveRequest {
        /// Its name.
        pub name: String,
        /// What it does, in one line.
        #[serde(default)]
        pub description: String,
        /// The strategy it goes out from.
        pub strategy: String,
        /// Parameters that differ from the strategy's.
        #[serde(default)]
        pub set: BTreeMap<String, serde_json::Value>,
        /// True replaces a preset of that name.
        #[serde(default)]
        pub replace: bool,
    }
}

wire! {
    /// Where a preset was saved.
    pub struct PresetSaved {
        /// The file.
        pub path: String,
    }
}

wire! {
    /// Names a custom preset.
    pub struct PresetRequest {
        /// Its name.
        pub name: String,
    }
}
