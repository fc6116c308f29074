//! A model as judge: what it is asked about a session, and what its replies are worth.
//!
//! A [`Plan`] holds the calls as they will be sent. [`Plan::check`] says whether a reply has the form
//! that was asked for, and [`Plan::outcome`] makes the result of all replies. Everything is pure and
//! reads nothing but the plan and the replies, so that a stored judgement can be replayed without its
//! session and without a model.
//!
//! What a model states counts only as far as the texts that it was given bear it out: a fact cites
//! entries, and its quote or its names must stand in them; a verdict on a claim has a quote.

mod call;
mod cited;
pub mod claims;
mod excerpt;
pub mod facts;
mod fence;
pub mod pair;
mod passage;
mod plan;
pub mod probes;
mod reply;

pub use call::{Call, Cite};
pub use excerpt::{Limits, Speaker};
pub use plan::{Outcome, Plan, Task, What};
pub use reply::ReplyError;
