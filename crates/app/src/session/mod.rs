//! Sessions being looked at: found, read, kept, and read on when their source grows.

mod bodies;
mod cache;
mod open;
mod recorded;

pub(crate) use bodies::lock;
pub use cache::SessionCache;
pub use open::OpenSession;
