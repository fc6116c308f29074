//! The two SQLite files of Palimpsest.
//!
//! The **index** ([`IndexDb`]) repeats what the session files say, so that lists and searches
//! need not read them. It can be made again at any time: a file of another version or a damaged
//! one is deleted, and the caller is told so by a [`Notice`]. The **user database** ([`UserDb`])
//! holds what exists nowhere else: runs, prompts, labels, stars, notes, settings. It is never
//! deleted, only migrated by additions, and a file written by a newer program is refused.
//!
//! One file per table, with its schema, its migrations and its queries. To add a table: a file
//! beside the others, its schema in the list of `index/mod.rs` (and a higher version there) or
//! its migrations in the list of `user/mod.rs`.
//!
//! Beside them, [`foreign`] asks databases that belong to other programs, without touching them.
//!
//! Nothing here reads a session, a clock or the environment. Times are Unix milliseconds.

mod connection;
mod disk;
mod error;
pub mod foreign;
pub mod index;
pub mod private;
pub mod regular;
pub mod user;

pub use error::StoreError;
pub use index::{IndexDb, IndexReader, IndexWriter, Notice};
pub use user::{Target, UserDb};
