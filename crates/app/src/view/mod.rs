//! Views over an open session that need no text: rows of the tree, sizes over a path.

pub mod context;
pub mod measure;
pub mod outline;
pub mod policies;
pub mod timeline;
