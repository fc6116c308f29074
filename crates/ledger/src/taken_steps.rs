//! Next steps of an earlier summary that were taken since.
//!
//! The first thing an agent does behind a compaction is the next step of its summary: to commit, to push, to
//! open a pull request. Where such a command ran since, nothing of the step is left.

use crate::candidate::Candidate;
use palimpsest_core::ledger::{FactKind, TaskState};

/// A step and the commands that take it, by their beginning.
struct Step {
    /// Turns that name it, each a line of words between blanks.
    turns: &'static [&'static str],
    commands: &'static [&'static str],
}

const STEPS: [Step; 3] = [
    Step {
        turns: &[
            " commit the ",
            " commit these ",
            " commit them ",
            " commit this ",
            " create a commit ",
            " commit and ",
            " commit it ",
            " the git commit ",
            " a git commit ",
        ],
        commands: &["git commit"],
    },
    Step {
        turns: &[
            " push the ",
            " push it ",
            " push to ",
            " push them ",
            " and push ",
            " push both ",
        ],
        commands: &["git push"],
    },
    Step {
        turns: &[
            " create a draft pr ",
            " create a pr ",
            " create the pr ",
            " open a pr ",
            " pull request ",
        ],
        commands: &["gh pr create", "glab mr create"],
    },
];

/// Closes the tasks that only an earlier summary names and of which every step was taken in the span;
/// `lighter` is how many ranks lighter a finished task is.
pub(crate) fn close(facts: &mut [Candidate], lighter: i32) {
    let ran = |step: &Step, facts: &[Candidate]| {
        let mut commands = facts.iter().filter(|fact| fact.kind == FactKind::Command);
        commands.any(|fact| {
            step.commands
                .iter()
                .any(|start| fact.text.starts_with(start))
                && fact.details.generation == 0
        })
    };
    let taken: Vec<bool> = STEPS.iter().map(|step| ran(step, facts)).collect();
    let open = facts.iter_mut().filter(|fact| {
        fact.kind == FactKind::Todo
            && fact.details.generation > 0
            && fact.details.task != Some(TaskState::Closed)
    });
    for fact in open {
        let words = crate::prose::spaced(&fact.text);
        let named = |step: &Step| step.turns.iter().any(|turn| words.contains(turn));
        let mut steps = STEPS
            .iter()
            .zip(&taken)
            .filter(|(step, _)| named(step))
            .peekable();
        if steps.peek().is_some() && steps.all(|(_, taken)| *taken) {
            fact.details.task = Some(TaskState::Closed);
            fact.lighter += lighter;
        }
    }
}
