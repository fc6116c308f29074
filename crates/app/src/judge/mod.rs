//! A model as judge of sessions and summaries: planned and priced, run only when asked, stored with
//! every prompt and reply, replayed without the model.

mod attached;
mod claims;
mod executing;
mod kept;
mod planning;
mod replaying;
#[cfg(test)]
mod tests;

pub use kept::{JudgedCall, Judgement};
pub use palimpsest_judge::claims::{
    ClaimSums, ClaimsChecked, FactChecked, FactSums, FactVerdict, NotChecked, SentenceChecked,
    StatementChecked,
};
pub use palimpsest_judge::facts::{FactsFound, FoundFact, Rejected, Rejection};
pub use palimpsest_judge::pair::{Preference, Verdict};
pub use palimpsest_judge::probes::{Probe, ProbeKind, ProbeScore, ProbeScores};
pub use palimpsest_judge::{Call, Outcome, Plan, Task, What};
pub use planning::{JudgeSpec, PlannedJudgement};
