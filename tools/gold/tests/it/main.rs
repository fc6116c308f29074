//! The labels and what is measured with them.

mod judged;
mod labels;
