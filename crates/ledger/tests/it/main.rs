//! The ledger over conversations written for the purpose.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::print_stdout)]

mod claims;
mod conversation;
mod examples;
mod first_facts;
mod forms;
mod kept_tail;
mod known_subset;
mod metamorphic;
mod model_facts;
mod outputs;
mod passing;
mod planted;
mod planted_claims;
mod regret;
mod score;
mod spellings;
mod standing;
mod users_words;
mod weights;
