//! Warnings about lines of the document.

use crate::Reading;
use palimpsest_core::Warning;

/// Notes what is wrong with a line.
pub(super) fn warn_at(reading: &mut Reading, line: u32, reason: String) {
    reading.session.warnings.push(Warning {
        line: Some(line),
        reason,
    });
}
