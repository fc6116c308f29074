//! The comparison with the agents themselves, where its reference is at hand.

mod agreement;
mod thresholds;
