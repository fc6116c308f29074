//! The ledger over conversations written for the purpose.

mod conversation;
mod metamorphic;
mod planted;
mod regret;
mod speed;
