//! The picture of a session on an egui canvas.
//!
//! Time runs down. At the left the context is a band whose width is its size, by part; it narrows at
//! each compaction, and branches, other roots and subagents run beside it. At the right cards use
//! the room there is: from afar a title for many turns, nearer a card for each turn, and at last
//! each entry with its text ([`blocks`]). [`frame`] shares out the pane.
//!
//! [`TreeView`] is the whole widget: it takes a [`Picture`], draws the part of it that is on screen
//! and reports what the user did as [`TreeEvent`]s; cards and the lines between lanes are drawn
//! through `egui_graphs`. It runs in any egui program, so its tests and its bench need no browser;
//! `web` wraps it for a page.
//!
//! What this crate refuses to do: decide what is a row (the picture says so), handle the keyboard
//! (the page does, and its shortcuts must get through), or move anything that the user or new data
//! did not move.
//!
//! What keeps it quick: the band is drawn at most once per pixel ([`draw::band`]); only cards near the
//! screen are in the graph at all ([`view`]); and on frames without input the shapes of the last one
//! are painted again, so that the repaint which the library asks for after every frame is not asked
//! for twice and the loop stops.

pub mod blocks;
pub mod draw;
pub mod event;
pub mod frame;
#[cfg(not(target_arch = "wasm32"))]
mod frames;
pub mod palette;
pub mod scene;
pub mod view;
#[cfg(target_arch = "wasm32")]
mod web;

pub use event::{RowFacts, RowRef, TreeEvent};
pub use frame::Distance;
#[cfg(not(target_arch = "wasm32"))]
pub use frames::FrameTimes;
pub use palette::{Palette, PaletteError};
pub use palimpsest_core::layout::Picture;
pub use view::{CutLine, Highlight, TreeView, UserMarks};
