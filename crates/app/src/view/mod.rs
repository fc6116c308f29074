//! Views over an open session: rows of the tree, sizes over a path, contexts, images.

#[cfg(test)]
mod agreement;
pub mod branches;
pub mod brief;
pub mod calls;
pub mod context;
pub(crate) mod geometry;
pub mod headline;
pub mod image;
pub mod outline;
pub mod policies;
pub mod queued;
mod sent_trees;
pub mod side_by_side;
pub mod subagents;
pub mod timeline;
pub mod turns;

pub(crate) use sent_trees::SentTrees;
