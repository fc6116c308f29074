//! The clients against a scripted server, every kind through the same stories.

#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

mod calls;
mod documents;
mod failures;
mod harness;
mod listing;
mod programs;
mod retries;
mod vectors;
