//! What is written, read again by the readers.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::print_stdout)]

mod other_samples;
mod pi;
mod pi_samples;
mod reading;
