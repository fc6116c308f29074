//! The attacks besides damaged sessions.

pub mod growth;
pub mod index;
pub mod kill;
pub mod requests;
pub mod terminal;
