//! The two databases as their users see them.

// Helpers of tests may unwrap like the tests themselves.
#![allow(clippy::unwrap_used)]

mod foreign;
mod hits;
mod index;
mod index_file;
mod readers;
mod sample;
mod user;
mod vocabulary;
