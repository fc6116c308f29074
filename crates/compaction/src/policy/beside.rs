//! What a preset puts into the next request beside its summary, from sizes alone.

use crate::engine::preset::data::Preset;
use crate::policy::growth::{Step, StepKind};
use crate::stages::assemble::definitions::Definitions;
use crate::stages::assemble::edited_files::EditedFiles;
use crate::stages::assemble::next::NextPart;
use crate::stages::assemble::recent_files::RecentFiles;
use crate::vocabulary::estimate::UNITS_PER_TOKEN;
use std::collections::{HashMap, HashSet};

/// One in so many lines of a file defines something (our guess; only its text can tell).
const LINES_PER_DEFINITION: u64 = 10;

/// What a preset gives again of what it summarizes.
#[derive(Default)]
pub(crate) struct Beside {
    /// Tokens of the user's own words that go on (Codex, Zed).
    user_tokens: u64,
    /// Files read last (Claude Code).
    read: Option<RecentFiles>,
    /// Changes to the files edited last (Mux).
    edited: Option<EditedFiles>,
    /// Lines that define something (Roo Code).
    definitions: Option<Definitions>,
    /// The user's last prompt, where it is summarized (Goose).
    last_prompt: bool,
}

impl Beside {
    /// What `preset` gives again.
    pub fn of(preset: &Preset) -> Beside {
        let mut own = Beside::default();
        for part in &preset.assemble.next {
            match part {
                NextPart::UserMessages(part) | NextPart::SummaryWithUserMessages(part) => {
                    own.user_tokens = part.max_user_tokens;
                }
                NextPart::RecentFiles(part) => own.read = Some(part.clone()),
                NextPart::EditedFiles(part) => own.edited = Some(part.clone()),
                NextPart::Definitions(part) => own.definitions = Some(part.clone()),
                NextPart::LastPrompt => own.last_prompt = true,
                _ => {}
            }
        }
        own
    }

    /// Tokens of it, where `gone` is summarized, `kept` stays behind it, and the user has written
    /// `prompts` tokens before what stays.
    pub fn tokens(&self, gone: &[Step<'_>], kept: &[Step<'_>], prompts: u64) -> u64 {
        let is_prompt = |step: &&Step<'_>| step.kind == StepKind::Prompt;
        let last_prompt = if self.last_prompt && !kept.iter().any(|step| is_prompt(&step)) {
            gone.iter().rfind(is_prompt).map_or(0, |step| step.size)
        } else {
            0
        };
        let read = self.read.as_ref().map_or(0, |own| read(own, gone));
        let edited = self.edited.as_ref().map_or(0, |own| edited(own, gone));
        let defined = self.definitions.as_ref();
        let defined = defined.map_or(0, |own| defined_in(own, gone));
        self.user_tokens.min(prompts) + last_prompt + read + edited + defined
    }
}

/// Tokens of the files read last.
fn read(own: &RecentFiles, gone: &[Step<'_>]) -> u64 {
    let mut seen = HashSet::new();
    let mut total = 0;
    for step in gone.iter().rev() {
        let Some(path) = step.read else { continue };
        if seen.len() as u64 == own.max_files {
            break;
        }
        // A larger file is only named, which is next to nothing.
        if seen.insert(path) && step.size <= own.max_file_tokens {
            total += step.size;
        }
    }
    total.min(own.max_total_tokens)
}

/// Tokens of the changes to the files edited last. A call that failed is not told from one that did
/// not.
fn edited(own: &EditedFiles, gone: &[Step<'_>]) -> u64 {
    // The tokens of each file, and whether what was before them is gone.
    let mut files: HashMap<&str, (u64, bool)> = HashMap::new();
    for edit in gone.iter().rev().flat_map(|step| step.edits.iter().rev()) {
        let is_known = files.contains_key(edit.path);
        // Not the end: older changes to the files that count still come.
        if !is_known && files.len() as u64 >= own.max_edited_files {
            continue;
        }
        let (tokens, is_whole) = files.entry(edit.path).or_default();
        // Nothing before a whole writing is shown.
        if !*is_whole {
            *tokens += edit.tokens;
            *is_whole = edit.is_whole;
        }
    }
    let most = own.max_diff_chars / UNITS_PER_TOKEN;
    files.values().map(|(tokens, _)| (*tokens).min(most)).sum()
}

/// Tokens of the lines that define something in the files touched last; a file that goes beyond what
/// they may have is left out.
fn defined_in(own: &Definitions, gone: &[Step<'_>]) -> u64 {
    let most = own.max_definition_chars / UNITS_PER_TOKEN;
    let mut seen = HashSet::new();
    let mut total = 0;
    for step in gone.iter().rev() {
        let written = step.edits.iter().rev().filter(|edit| edit.is_whole);
        let written = written.map(|edit| (edit.path, edit.tokens));
        let contents = step.read.map(|path| (path, step.size)).into_iter();
        for (path, tokens) in contents.chain(written) {
            let lines = tokens / LINES_PER_DEFINITION;
            if seen.insert(path) && total + lines <= most {
                total += lines;
            }
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::growth::Edited;
    use palimpsest_core::EntryIx;

    fn step(kind: StepKind, size: u64) -> Step<'static> {
        Step {
            ix: EntryIx::new(0),
            position: 0,
            kind,
            size,
            extra: 0,
            behind_reply: 0,
            reply: None,
            messages: 1,
            texts: 1,
            calls: 0,
            may_cut: true,
            tool: None,
            read: None,
            failed: false,
            edits: Vec::new(),
        }
    }

    fn edit(path: &'static str, tokens: u64, is_whole: bool) -> Step<'static> {
        let mut own = step(StepKind::Reply, tokens + 10);
        own.edits = vec![Edited {
            path,
            tokens,
            is_whole,
        }];
        own
    }

    fn tokens(preset: &str, gone: &[Step<'_>], kept: &[Step<'_>]) -> u64 {
        Beside::of(Preset::known(preset).unwrap()).tokens(gone, kept, 0)
    }

    #[test]
    fn mux_gives_the_changes_to_ten_files_again() {
        let gone = [
            edit("a", 100, false),
            edit("b", 700, false),
            edit("b", 300, true),
            edit("a", 50, false),
            edit("b", 20, false),
        ];
        assert_eq!(tokens("mux", &gone, &[]), 150 + 320, "a whole file hides");
        // 50,000 characters of one file.
        assert_eq!(tokens("mux", &[edit("a", 20_000, false)], &[]), 12_500);
        let names = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"];
        let many: Vec<Step<'_>> = (1..)
            .zip(names)
            .map(|(n, own)| edit(own, n, true))
            .collect();
        assert_eq!(tokens("mux", &many, &[]), (2..=11).sum::<u64>());
        assert_eq!(tokens("claude-code", &gone, &[]), 0);
    }

    #[test]
    fn roo_gives_definitions_of_the_files_touched_again() {
        let mut read = step(StepKind::Result, 5_000);
        read.read = Some("a");
        let gone = [edit("b", 1_000, true), edit("c", 900, false), read.clone()];
        assert_eq!(tokens("roo", &gone, &[]), 500 + 100);
        // 50,000 characters in all: a file beyond is left out.
        let mut large = read.clone();
        large.size = 130_000;
        large.read = Some("large");
        assert_eq!(tokens("roo", &[large, read], &[]), 500);
    }

    #[test]
    fn a_summarized_prompt_is_said_again_by_goose() {
        let gone = [step(StepKind::Prompt, 300), step(StepKind::Reply, 900)];
        let waiting = [step(StepKind::Prompt, 70)];
        assert_eq!(tokens("goose-auto", &gone, &[]), 300);
        assert_eq!(tokens("goose-auto", &gone, &waiting), 0);
        assert_eq!(tokens("goose", &gone, &[]), 0);
    }
}
