//! A provider as it is set up.

use palimpsest_llm::ProviderConfig;

/// A provider that can be chosen for a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Provider {
    /// Name, kind, address, key variable, models.
    pub config: ProviderConfig,
    /// True for one the user added or changed.
    pub custom: bool,
}

/// Where a provider's key comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyState {
    /// It needs none.
    NoneNeeded,
    /// The environment.
    Environment,
    /// The OS keyring.
    Keyring,
    /// Nowhere: it must be given first.
    Missing,
}
