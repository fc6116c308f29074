//! Why a policy cannot be used.

/// Why a policy cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// No policy of that name.
    #[error("there is no policy '{name}'")]
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// A policy has no parameter of that name.
    #[error("the policy '{policy}' has no parameter '{name}'")]
    NoParam {
        /// The policy.
        policy: String,
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// The name fits several parameters.
    #[error("the policy '{policy}' has several parameters of the name '{name}'")]
    Ambiguous {
        /// The policy.
        policy: String,
        /// What was asked for.
        name: String,
        /// Their places.
        places: Vec<String>,
    },
    /// A parameter cannot have that value.
    #[error("the parameter {name}{unit} of the policy '{policy}' cannot be {value}: {reason}")]
    Value {
        /// The policy.
        policy: String,
        /// The parameter, as it was named.
        name: String,
        /// Its unit in brackets, or nothing.
        unit: String,
        /// What was given.
        value: String,
        /// Why not.
        reason: String,
    },
    /// A file is no policy.
    #[error("{reason}")]
    Unreadable {
        /// Why not.
        reason: String,
    },
}
