//! The readers of all agents over fixtures, generated sessions and recorded ones.

mod agents_page;
mod claude_code;
mod claude_code_samples;
mod coder;
mod codex_assembly;
mod codex_disk;
mod codex_samples;
mod codex_sizes;
mod common;
mod continue_dev;
mod copilot;
mod copilot_chat;
mod copilot_samples;
mod factory_droid;
mod factory_droid_samples;
mod fixtures;
mod largest_numbers;
mod mux;
mod mux_samples;
mod opencode;
mod opencode_samples;
mod places;
mod properties;
mod samples;
mod sizes_along;
mod sizing;
