//! The presets by agent: the numbers, rules and prompts of each.

mod claude;
mod claude_request;
mod clients;
mod coder;
mod codex;
mod memory;
mod opencode;
mod pi;
