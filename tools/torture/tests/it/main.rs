//! The attacks, for a short time: `scripts/torture HOURS` goes on for long.

// A failed assumption of a test should stop it, and what a test skips is said on its output.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod short;
