//! The clients against a scripted server, every kind through the same stories.

mod calls;
mod failures;
mod harness;
mod listing;
mod programs;
mod retries;
mod vectors;
