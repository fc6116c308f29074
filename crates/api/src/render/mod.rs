//! Text made ready to show: markdown as a sanitized block tree, offsets in UTF-16 units.

mod blocks;
mod markdown;
mod offsets;

pub use blocks::block_view;
pub use markdown::markdown;
pub use offsets::{Utf16Offsets, utf16_len, utf16_slice};
