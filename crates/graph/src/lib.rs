//! The branch tree on an egui canvas.
//!
//! [`TreeView`] is the whole widget: it takes a placed [`GraphModel`], draws the part of it that
//! is on screen through `egui_graphs`, and reports what the user did as [`TreeEvent`]s. It runs in
//! any egui program, so its tests and its bench need no browser; `web` wraps it for a page.
//!
//! What this crate refuses to do: lay out (positions come with the model), handle the keyboard
//! (the outline beside the canvas does, and page shortcuts must get through), or move anything
//! that the user or new data did not move.
//!
//! Three things keep it quick where `egui_graphs` alone is not. Only nodes near the screen are in
//! its graph at all ([`scene`]); straight runs of the tree are one edge each; and on frames
//! without input the shapes of the last one are painted again, so that the repaint which the
//! library asks for after every frame is not asked for twice and the loop stops ([`view`]).

pub mod draw;
pub mod event;
pub mod palette;
pub mod scene;
pub mod view;
#[cfg(target_arch = "wasm32")]
mod web;

pub use event::{NodeRef, TreeEvent};
pub use palette::{Palette, PaletteError};
pub use palimpsest_core::layout::GraphModel;
pub use view::{CutLine, Highlight, TreeView, UserMarks};
