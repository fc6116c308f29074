//! Numbers as texts for people have them.

use palimpsest_core::words::{noun, thousands};

/// `82 %`.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// `8,100 tokens`.
pub(crate) fn tokens(count: u64) -> String {
    format!("{} {}", thousands(count), noun(count, "token", "tokens"))
}
