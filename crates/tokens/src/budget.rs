//! How much of a model's window a context takes, and when an agent compacts.

/// A model's window with the room an agent keeps free in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// The model's context window in tokens.
    pub window: u64,
    /// The agent compacts when the context is larger than this, in tokens.
    pub threshold: u64,
    /// Tokens kept free for the reply.
    pub reserve: u64,
}

impl Budget {
    /// A budget whose threshold is the window less the reserve (pi 1.5, `shouldCompact`); the
    /// threshold of a window smaller than the reserve is 0.
    pub fn with_reserve(window: u64, reserve: u64) -> Budget {
        Budget {
            window,
            threshold: window.saturating_sub(reserve),
            reserve,
        }
    }

    /// True when a context of so many tokens makes the agent compact: strictly above the
    /// threshold.
    pub fn is_exceeded_by(&self, tokens: u64) -> bool {
        tokens > self.threshold
    }

    /// Tokens left before the threshold.
    pub fn free(&self, tokens: u64) -> u64 {
        self.threshold.saturating_sub(tokens)
    }

    /// The share of the window that so many tokens take; above 1 when they do not fit, `None` for
    /// an empty window.
    pub fn share(&self, tokens: u64) -> Option<f64> {
        (self.window > 0).then(|| tokens as f64 / self.window as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compacts_only_above_the_threshold() {
        let budget = Budget::with_reserve(100_000, 10_000);
        assert!(!budget.is_exceeded_by(90_000));
        assert!(budget.is_exceeded_by(90_001));
        assert_eq!(budget.free(89_000), 1_000);
        assert_eq!(budget.free(95_000), 0);
    }

    #[test]
    fn a_window_smaller_than_the_reserve_leaves_nothing() {
        assert_eq!(Budget::with_reserve(8_192, 16_384).threshold, 0);
        assert_eq!(Budget::with_reserve(0, 0).share(5), None);
    }
}
