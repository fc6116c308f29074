//! One API for every host: the desktop shell, the loopback server and the command line.

pub mod wire;

pub use wire::{ErrorCode, Event, WireError};
