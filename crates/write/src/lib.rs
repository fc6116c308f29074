//! What a session file holds that an agent can resume: plans of bytes, without I/O.
//!
//! A [`Request`] names a session, the entry at which the agent continues, and a [`Change`] of what
//! the model gets there. [`new_session`] answers with the bytes of a new session, [`addition`] with
//! bytes to append to the original. Both come with the context that the agent must read from
//! them, item by item ([`ExpectedItem`]), so that the caller can read what it wrote and compare. What an
//! agent cannot resume is a [`Refusal`], before anything is done. One folder per agent.

mod claude_code;
mod codex;
mod expected;
mod fresh;
mod members;
mod opencode;
mod parts;
mod pi;
mod planned;
mod refusal;
mod request;

pub use expected::{ExpectedItem, same_message};
pub use fresh::Fresh;
pub use planned::{Addition, NewSession};
pub use refusal::Refusal;
pub use request::{Change, Files, Kept, NewCompaction, Records, Request};

use palimpsest_core::Agent;

const CLAUDE_CODE: Agent = Agent::named("claude-code");
const CODEX: Agent = Agent::named("codex");
const OPENCODE: Agent = Agent::named("opencode");

/// The bytes of a new session that the agent resumes at the requested entry.
///
/// Errors: a [`Refusal`] that says why the agent could not resume it.
pub fn new_session(request: &Request<'_>) -> Result<NewSession, Refusal> {
    match request.session.meta.agent {
        Agent::PI => pi::new_session(request),
        CLAUDE_CODE => claude_code::new_session(request),
        CODEX => codex::new_session(request),
        OPENCODE => opencode::new_session(request),
        other => Err(Refusal::Agent { agent: other }),
    }
}

/// The bytes to append to the original, which then resumes at the requested entry.
///
/// Errors: as of [`new_session`]; [`Refusal::NoAppend`] for agents whose files hold no tree.
pub fn addition(request: &Request<'_>) -> Result<Addition, Refusal> {
    match request.session.meta.agent {
        Agent::PI => pi::addition(request),
        agent if can_write(agent) => Err(Refusal::NoAppend { agent }),
        agent => Err(Refusal::Agent { agent }),
    }
}

/// True for an agent whose files hold a tree, so that a branch can be appended.
pub fn can_append(agent: Agent) -> bool {
    agent == Agent::PI
}

/// True for an agent whose sessions can be written.
pub fn can_write(agent: Agent) -> bool {
    [Agent::PI, CLAUDE_CODE, CODEX, OPENCODE].contains(&agent)
}
