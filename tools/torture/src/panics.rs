//! Panics of any thread, told as findings.

use crate::said::{Kind, finding};

/// From now on every panic is a finding with its place; the thread goes on to unwind.
pub fn report() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic
            .location()
            .map(ToString::to_string)
            .unwrap_or_default();
        let text = panic.payload_as_str().unwrap_or("a panic without a text");
        let short: String = text.chars().take(400).collect();
        finding(Kind::Panic, format!("{place}: {short}"));
    }));
}
