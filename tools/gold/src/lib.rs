//! The fact ledger measured against facts of real compactions that two people labelled by hand.

pub mod error;
pub mod judged;
pub mod labels;
pub mod ledger;
pub mod matching;
pub mod needs;
pub mod own_facts;
pub mod report;
