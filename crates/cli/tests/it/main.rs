//! The program as a user runs it: the built binary, a folder of its own, files on disk.

// A failed assumption of a test should stop it, and what a test skips is said on its output.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod bad_input;
mod branches;
mod circles;
mod contract;
mod contract_ledger;
mod directions;
mod failures;
mod finding;
mod hits;
mod human;
mod judge;
mod lab;
mod licences;
mod limits;
mod marks;
mod messages;
mod policies;
mod program;
mod prompts;
mod providers;
mod refused;
mod scripted;
mod serve;
mod storage;
mod suites;
mod terminal;
mod writing;
