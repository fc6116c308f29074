//! Sessions written for their agents: new files, additions to an original, and taking them back.
//!
//! `palimpsest_write` plans the bytes. Here they reach the disk: a new file is linked into its
//! folder whole (`new_file.rs`), an addition is one write behind a backup (`append.rs`). Both are
//! read again, and their context is compared with the prediction, before they count as done.

mod append;
mod error;
mod exported;
mod hashes;
mod in_use;
mod left;
mod new_file;
mod planning;
mod standing;
mod steps;
mod terminal;
#[cfg(test)]
mod tests;
mod verify;
mod written;

pub use error::{FileState, WriteError};
pub(crate) use hashes::KeptHashes;
pub use left::files_of;
pub use palimpsest_write::{ExpectedItem, Files, can_append, can_write};
pub use planning::{Prepared, Source, Target, WriteSpec};
pub use standing::Standing;
pub use written::{Foreseen, Written};
