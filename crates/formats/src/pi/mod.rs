//! The pi coding agent.
