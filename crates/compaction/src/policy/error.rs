//! Why a policy cannot be used.

/// Why a policy cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// No policy of that name.
    #[error("no policy '{name}'; there are: {known}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// A policy has no parameter of that name.
    #[error("the policy '{policy}' has no parameter '{name}'; it has: {known}")]
    NoParam {
        /// The policy.
        policy: String,
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// The name fits several parameters.
    #[error("'{name}' means several parameters of the policy '{policy}'; give one of {places}")]
    Ambiguous {
        /// The policy.
        policy: String,
        /// What was asked for.
        name: String,
        /// Their places.
        places: String,
    },
    /// A parameter cannot have that value.
    #[error("{name}{unit} of the policy '{policy}' cannot be {value}; {reason}")]
    Value {
        /// The policy.
        policy: String,
        /// The parameter's place.
        name: String,
        /// Its unit in brackets, or nothing.
        unit: String,
        /// What was given.
        value: String,
        /// Why not.
        reason: String,
    },
    /// A file is no policy.
    #[error("it is no policy: {reason}")]
    Unreadable {
        /// Why not.
        reason: String,
    },
}
