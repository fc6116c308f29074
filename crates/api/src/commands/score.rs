//! The overall score of a summary.

use crate::wire::OverallScore;
use palimpsest_core::score::Score;

/// The overall score for the wire.
pub(crate) fn overall(score: &Score) -> OverallScore {
    OverallScore {
        score: score.overall,
        parts: score.parts.clone(),
    }
}
