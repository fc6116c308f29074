//! What tests of every crate share: sessions made to order, a home to put them in, a clock that
//! stands still, proof that files were left alone, and a scripted model server.
//!
//! Nothing here reads the real clock, the real home or a source of chance: the same call makes
//! the same bytes on every machine. To support another agent, add a builder beside
//! [`session`] and a folder to [`home::TempHome`].

pub mod beside;
pub mod cases;
pub mod clock;
pub mod corpus;
pub mod failure;
pub mod hash;
pub mod home;
pub mod llm_server;
pub mod samples;
pub mod script;
pub mod seeded;
pub mod session;
