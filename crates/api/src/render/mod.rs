//! Text made ready to show: markdown as a sanitized block tree, code and terminal output as spans,
//! changes of files as lines, offsets in UTF-16 units.

mod ansi;
mod blocks;
mod calls;
mod code;
mod edits;
mod markdown;
mod offsets;

pub use blocks::{Answer, Shown, block_view, pretty};
pub use calls::call_shape;
pub use edits::file_diffs;
pub use markdown::markdown;
pub use offsets::{Utf16Offsets, utf16_len, utf16_slice};
