//! What the stages work on and what several of them use: the context as a sized to choose from and
//! as a draft to make smaller, messages written out, prompts filled in, the session as memories.

pub(crate) mod answered;
pub(crate) mod chunks;
pub(crate) mod draft;
pub(crate) mod edit;
pub(crate) mod job;
pub(crate) mod memory_stream;
pub(crate) mod named_files;
pub(crate) mod observe;
pub(crate) mod prompts;
pub(crate) mod repeated_reads;
pub(crate) mod results;
pub(crate) mod seen;
pub(crate) mod sized_context;
pub(crate) mod sizes;
pub mod template;
pub(crate) mod tool_groups;
pub(crate) mod transcript;
pub mod vectors;
