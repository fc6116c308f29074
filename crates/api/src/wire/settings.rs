//! The program itself: what is set up, models, providers, settings.

use super::{KeyState, ProviderKind, Theme};

wire! {
    /// What the program is and where it keeps things.
    pub struct AppInfo {
        /// Version of the program.
        pub version: String,
        /// Folder of the databases.
        pub data_dir: String,
        /// Folder of the sample sessions: add it to the roots to list them.
        pub samples_dir: String,
        /// The agents' places on this machine.
        pub places: Vec<AgentPlace>,
        /// Folders and files that were named to `palimpsest index`, the oldest first.
        pub named_roots: Vec<String>,
        /// True when nothing has been indexed yet.
        pub first_run: bool,
        /// True when the sample sessions are shown.
        pub samples: bool,
        /// True when the program can start a terminal for its user.
        pub can_start_terminal: bool,
        /// Things the user should know (an index that had to be rebuilt...).
        pub notices: Vec<String>,
    }
}

wire! {
    /// A place where an agent keeps sessions.
    pub struct AgentPlace {
        /// The agent.
        pub agent: String,
        /// The folder.
        pub path: String,
        /// True when it is there.
        pub exists: bool,
        /// Sessions indexed from it.
        pub sessions: u64,
    }
}

wire! {
    /// A model of the catalog.
    pub struct ModelRow {
        /// Provider.
        pub provider: String,
        /// Id as the provider spells it.
        pub id: String,
        /// Name for people.
        pub name: String,
        /// Context window in tokens.
        pub context_window: u64,
        /// Most tokens of a reply.
        pub max_output: Option<u64>,
        /// Dollars per million input tokens.
        pub input_price: Option<f64>,
        /// Dollars per million output tokens.
        pub output_price: Option<f64>,
    }
}

wire! {
    /// A provider that can be chosen for a run.
    pub struct ProviderRow {
        /// Its name.
        pub name: String,
        /// Which API it speaks.
        pub kind: ProviderKind,
        /// Its address; empty for `offline` and `command`.
        pub base_url: String,
        /// The environment variable its key is read from.
        pub key_env: Option<String>,
        /// Where its key comes from.
        pub key_state: KeyState,
        /// Models to offer.
        pub models: Vec<String>,
        /// The program and its arguments, for `command`.
        pub command: Vec<String>,
        /// What the user set instead of the usual limits.
        pub limits: ProviderLimits,
        /// Prices that the user entered.
        pub prices: Vec<ModelPrice>,
        /// True for one the user added or changed.
        pub custom: bool,
    }
}

wire! {
    /// Adds or changes a provider.
    pub struct ProviderSaveRequest {
        /// Its name.
        pub name: String,
        /// Any kind of a provider but `offline`.
        pub kind: ProviderKind,
        /// Its address; empty for `command`.
        #[serde(default)]
        pub base_url: String,
        /// The environment variable its key is read from.
        #[serde(default)]
        pub key_env: Option<String>,
        /// Models to offer.
        #[serde(default)]
        pub models: Vec<String>,
        /// The program and its arguments, for `command`; no shell reads them.
        #[serde(default)]
        pub command: Vec<String>,
        /// What is set instead of the usual limits.
        #[serde(default)]
        pub limits: ProviderLimits,
        /// Prices of its models; absent leaves them as they are.
        #[serde(default)]
        pub prices: Option<Vec<ModelPrice>>,
    }
}

wire! {
    /// Prices of a model that the user entered, in dollars per million tokens.
    pub struct ModelPrice {
        /// The model, or `*` for all models of the provider.
        pub model: String,
        /// Tokens sent.
        pub input: f64,
        /// Tokens generated.
        pub output: f64,
        /// Tokens read from the provider's cache.
        #[serde(default)]
        pub cache_read: f64,
        /// Tokens written to the provider's cache.
        #[serde(default)]
        pub cache_write: f64,
    }
}

wire! {
    /// Limits of a provider's calls; what is absent is as usual.
    #[derive(Default)]
    pub struct ProviderLimits {
        /// Seconds until the first byte of an answer; 300 unless set.
        #[serde(default)]
        pub first_byte_s: Option<u64>,
        /// Seconds of silence between two pieces of an answer; 120 unless set.
        #[serde(default)]
        pub silence_s: Option<u64>,
        /// Seconds for a request as a whole; 1800 unless set.
        #[serde(default)]
        pub timeout_s: Option<u64>,
        /// Most calls at the same time, over all runs; no limit unless set.
        #[serde(default)]
        pub max_concurrent: Option<u32>,
        /// How often a failed request is made again; 3 unless set.
        #[serde(default)]
        pub max_retries: Option<u32>,
    }
}

wire! {
    /// A model server that answers on this machine.
    pub struct LocalServer {
        /// The provider's name.
        pub name: String,
        /// Its address.
        pub base_url: String,
        /// The models it offers.
        pub models: Vec<String>,
    }
}

wire! {
    /// Names a provider.
    pub struct ProviderRequest {
        /// Its name.
        pub name: String,
    }
}

wire! {
    /// Puts a key into the OS keyring, or removes it.
    pub struct ProviderKeyRequest {
        /// The provider's name.
        pub name: String,
        /// The key; absent: remove it.
        #[serde(default)]
        pub key: Option<String>,
    }
}

wire! {
    /// The models a provider offers right now.
    pub struct ProviderModels {
        /// Their ids.
        pub models: Vec<String>,
    }
}

wire! {
    /// The user's settings.
    pub struct Settings {
        /// Further folders to look for sessions in.
        pub roots: Vec<String>,
        /// The colours of the window.
        pub theme: Theme,
        /// State of the window, as the interface stored it.
        pub ui: serde_json::Value,
        /// Provider chosen last.
        pub provider: Option<String>,
        /// Model chosen last.
        pub model: Option<String>,
        /// Where vectors of texts come from: `PROVIDER:MODEL`, or a file of word vectors.
        pub embeddings: Option<String>,
        /// A plan that may cost more, in dollars, is only run when the user agrees; absent is no limit.
        pub ask_above_usd: Option<f64>,
    }
}

wire! {
    /// Changes settings; what is absent stays.
    #[derive(Default)]
    pub struct SettingsChange {
        /// Further folders to look for sessions in.
        #[serde(default)]
        pub roots: Option<Vec<String>>,
        /// The colours of the window.
        #[serde(default)]
        pub theme: Option<Theme>,
        /// State of the window.
        #[serde(default)]
        pub ui: Option<serde_json::Value>,
        /// Provider chosen last.
        #[serde(default)]
        pub provider: Option<String>,
        /// Model chosen last.
        #[serde(default)]
        pub model: Option<String>,
        /// Where vectors of texts come from; blank is nowhere.
        #[serde(default)]
        pub embeddings: Option<String>,
        /// The cost above which a plan is only run when the user agrees; below 0 there is none.
        #[serde(default)]
        pub ask_above_usd: Option<f64>,
    }
}
