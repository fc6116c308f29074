//! What Claude Code sends again after a compaction: the files it had in view last.
//!
//! Up to five files are read again from disk and sent as calls and results of the Read tool, each
//! at most 5,000 tokens, all together at most 50,000; of a larger file only the name is sent
//! (2.0.53 to 2.1.197). Up to 2.1.42 the files' records do not show it, so it is worked out from
//! what the agent read and wrote before. The constants below were fitted to the sizes that 13 real
//! automatic compactions of 2.0.76 to 2.1.42 were followed by: median error 2.9 %.

use super::record::ToolUseResult;
use crate::{FirstReport, GivenAgain};
use palimpsest_core::{EntryIx, EntryKind, FileState, Session};
use std::collections::HashMap;

/// Most files that are sent again.
const MOST_FILES: usize = 5;
/// Longest file that is sent again, in UTF-16 units: 5,000 tokens of source code at 2.7 units each.
/// In the samples, a file of 12,248 was sent and one of about 14,200 was not.
const MOST_UNITS: u64 = 13_500;
/// Units of a tool result as a JSON string for each token: tabs and line ends are escaped there, and
/// so cost more than in the result itself (2.8).
const JSON_UNITS_PER_TOKEN: f64 = 2.1;
/// Units that the number before each line adds.
const NUMBER_UNITS: u64 = 7;
/// Tokens of a reference to a file that is too long.
const REFERENCE_TOKENS: u64 = 60;
/// Units of a line where nothing else is known: the mean of the Go sources in the samples.
const LINE_UNITS: u64 = 37;

/// Largest size that the prompt and the tools were seen to have with Claude Code, and more: a first
/// request above it holds messages that are not in the file.
const MOST_BESIDE_TOKENS: u64 = 80_000;
/// What memory files and the like add to the system prompt and the tools, which are what a provider
/// has always cached: mean of the samples.
const MEMORY_TOKENS: u64 = 6_000;
/// The size of both where nothing tells of it: the median of 13 real sessions.
const USUAL_BESIDE_TOKENS: u64 = 42_000;

/// Tokens beside the messages. A file that begins in the middle of a conversation tells less: its
/// first request holds what is missing too.
pub(super) fn beside_messages(first: &FirstReport) -> u64 {
    let beside = first.request.saturating_sub(first.sent);
    if beside <= MOST_BESIDE_TOKENS {
        return beside;
    }
    let cached = first.least_cached.map(|tokens| tokens + MEMORY_TOKENS);
    let cached = cached.filter(|tokens| *tokens <= MOST_BESIDE_TOKENS);
    cached.unwrap_or(USUAL_BESIDE_TOKENS)
}

/// The file that a tool result tells of.
pub(super) fn file_state(result: &ToolUseResult<'_>, at: EntryIx) -> Option<FileState> {
    let count = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    if let Some(path) = result.file.path.as_deref() {
        let lines = count(result.file.lines.count());
        let content = result.file.content;
        // Images and notebooks have no text, and nothing is known of their size.
        return content.present.then(|| FileState {
            at,
            path: path.into(),
            units: count(content.units),
            json_units: count(content.json_units),
            lines,
            of_lines: count(result.file.of_lines.count()).max(lines),
        });
    }
    let path = result.file_path.as_deref()?;
    let (old, new) = (result.old, result.new);
    // After an edit the file is what it was, with the new text in place of the old.
    let sum = |of: fn(&crate::measure::TextSize) -> u64| match (old.present, result.content) {
        (true, _) if !result.original.present => None,
        (true, _) => Some((of(&result.original) + of(&new)).saturating_sub(of(&old))),
        (false, content) => content.present.then(|| of(&content)),
    };
    let lines = count(sum(|text| text.line_ends)? + 1);
    Some(FileState {
        at,
        path: path.into(),
        units: count(sum(|text| text.units)?),
        json_units: count(sum(|text| text.json_units)?),
        lines,
        of_lines: lines,
    })
}

/// The files that are sent again after the compaction whose summary ends `path`.
pub(super) fn given_again(session: &Session, path: &[EntryIx]) -> Vec<GivenAgain> {
    let mut view = InView::default();
    for &ix in path {
        // The agent forgets all but the newest files at each compaction.
        if path.last() != Some(&ix) && matches!(session.entry(ix).kind, EntryKind::Compaction(_)) {
            view.keep_newest();
        }
        let states = &session.file_states;
        let from = states.partition_point(|state| state.at < ix);
        let here = states[from..].iter().take_while(|state| state.at == ix);
        here.for_each(|state| view.see(state));
    }
    view.keep_newest();
    let unit = view.units_of_a_line();
    view.newest()
        .map(|seen| GivenAgain {
            name: seen.state.path.clone(),
            tokens: tokens_of(seen.state, unit),
        })
        .collect()
}

/// A file and when it was seen last.
#[derive(Clone, Copy)]
struct Seen<'s> {
    order: usize,
    state: &'s FileState,
}

/// The files in the agent's view.
#[derive(Default)]
struct InView<'s> {
    files: HashMap<&'s str, Seen<'s>>,
    order: usize,
}

impl<'s> InView<'s> {
    fn see(&mut self, state: &'s FileState) {
        if is_sent_otherwise(&state.path) {
            return;
        }
        self.order += 1;
        let mut state = state;
        // A part that was read tells less than what was known of the file before.
        if let Some(known) = self.files.get(&*state.path)
            && state.lines < state.of_lines
            && known.state.lines >= state.lines
        {
            state = known.state;
        }
        let order = self.order;
        self.files.insert(&state.path, Seen { order, state });
    }

    /// The files sent again, newest first.
    fn newest(&self) -> impl Iterator<Item = Seen<'s>> + use<'s> {
        let mut files: Vec<Seen<'s>> = self.files.values().copied().collect();
        files.sort_by_key(|seen| std::cmp::Reverse(seen.order));
        files.into_iter().take(MOST_FILES)
    }

    fn keep_newest(&mut self) {
        let newest: Vec<Seen<'s>> = self.newest().collect();
        self.files
            .retain(|_, seen| newest.iter().any(|kept| kept.order == seen.order));
    }

    /// The mean length of a line of the files that were seen whole.
    fn units_of_a_line(&self) -> u64 {
        let whole = self.files.values().map(|seen| seen.state);
        let whole = whole.filter(|state| state.lines >= state.of_lines && state.units > 500);
        let means: Vec<u64> = whole
            .map(|state| u64::from(state.units) / u64::from(state.lines.max(1)))
            .collect();
        let count = means.len() as u64;
        means
            .iter()
            .sum::<u64>()
            .checked_div(count)
            .unwrap_or(LINE_UNITS)
    }
}

/// True for plans and memory files, which the agent sends by other ways.
fn is_sent_otherwise(path: &str) -> bool {
    path.contains("/.claude/plans/") || path.ends_with("/CLAUDE.md")
}

/// Tokens that a file costs as a call and a result of the Read tool.
fn tokens_of(state: &FileState, units_of_a_line: u64) -> u64 {
    let seen = u64::from(state.units);
    let unseen = u64::from(state.of_lines.saturating_sub(state.lines));
    let units = seen + unseen * units_of_a_line;
    if units > MOST_UNITS {
        return REFERENCE_TOKENS;
    }
    let numbered = u64::from(state.json_units) + u64::from(state.lines) * NUMBER_UNITS;
    let whole = numbered as f64 * units as f64 / seen.max(1) as f64;
    (whole / JSON_UNITS_PER_TOKEN).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(at: usize, path: &str, units: u32, lines: u32, of_lines: u32) -> FileState {
        FileState {
            at: EntryIx::new(at),
            path: path.into(),
            units,
            json_units: units + lines,
            lines,
            of_lines,
        }
    }

    fn seen(states: &[FileState]) -> Vec<(&str, u64)> {
        let mut view = InView::default();
        states.iter().for_each(|state| view.see(state));
        let unit = view.units_of_a_line();
        let tokens = |seen: Seen<'_>| tokens_of(seen.state, unit);
        let name = |of: Seen<'_>| {
            states
                .iter()
                .find(|s| s.path == of.state.path)
                .map(|s| &*s.path)
        };
        view.newest()
            .filter_map(|of| Some((name(of)?, tokens(of))))
            .collect()
    }

    #[test]
    fn the_five_newest_files_are_sent_and_of_a_long_one_the_name() {
        let states = [
            state(1, "/a", 700, 20, 20),
            state(2, "/b", 700, 20, 20),
            state(3, "/c", 20_000, 500, 500),
            state(4, "/d", 700, 20, 20),
            state(5, "/e", 700, 20, 20),
            state(6, "/f", 700, 20, 20),
            state(7, "/x/.claude/plans/p.md", 700, 20, 20),
        ];
        let tokens = 410;
        let files = [("/f", tokens), ("/e", tokens), ("/d", tokens)];
        assert_eq!(seen(&states)[..3], files);
        assert_eq!(
            seen(&states)[3..],
            [("/c", REFERENCE_TOKENS), ("/b", tokens)]
        );
    }

    #[test]
    fn a_part_that_is_read_again_leaves_the_size_of_the_whole() {
        let both = [state(1, "/a", 700, 20, 20), state(2, "/a", 70, 2, 20)];
        assert_eq!(seen(&both[..1]), seen(&both));
    }
}
