//! How far tasks are, as a text of the model shows it.

use crate::{lists, prose, task_lists, words};
use palimpsest_core::ledger::TaskState;
use std::ops::Range;

/// The lines that show how far a task is, and their state: by a sign in front (`⏳ text`, `- [ ] text`)
/// or by the cell of a table. Where nothing is open, the list tells what was done.
pub(crate) fn states(text: &str) -> Vec<(Range<usize>, TaskState)> {
    let mut out: Vec<(Range<usize>, TaskState)> = Vec::new();
    let mut failed = Vec::new();
    for prose in words::prose(text) {
        for line in words::lines(&text[prose.clone()]) {
            let line = prose.start + line.start..prose.start + line.end;
            let content = &text[line.clone()];
            let at = |inner: &str| {
                let start = inner.as_ptr() as usize - text.as_ptr() as usize;
                start..start + inner.len()
            };
            if let Some(task) = task_lists::in_line(content) {
                out.push((at(task.text), task.state));
            } else if let Some((cell, state)) = lists::row_with_state(content) {
                out.push((at(cell), state));
            } else if let Some(rest) = content.trim_start().strip_prefix('❌') {
                failed.push((at(rest.trim()), TaskState::Open));
            }
        }
    }
    // A cross stands for what is not done where other signs say how far things are.
    if !out.is_empty() {
        out.extend(failed);
    }
    out.retain(|(range, _)| prose::says_something(&text[range.clone()]));
    if out.iter().all(|(_, state)| *state == TaskState::Closed) {
        out.clear();
    }
    out
}
