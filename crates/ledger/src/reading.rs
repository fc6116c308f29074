//! What a text shows by itself. Most of the time of a ledger goes into this, and no text needs another
//! one for it: texts are read on several threads, and what they show is noted in their order.

use crate::called::Called;
use crate::comments::{self, Comment};
use crate::identifiers::{self, Identifier};
use crate::requests::Prompt;
use crate::span::{Call, Part, PartKind, ToolAction};
use crate::told::{self, Saying, Voice};
use crate::{
    carried, diagnostics, error_forms, errors, failed_runs, files, headings, outcome, pasted,
    reports, scripts, tool_action, tool_failures, words,
};
use palimpsest_core::ledger::FactKind;
use std::ops::Range;

/// Beginning of a tool's output, in bytes, in which identifiers are looked for that nobody speaks
/// of; pi gives a summarizer the first 2,000 characters of an output.
pub(crate) const OUTPUT_HEAD_BYTES: usize = 2000;

/// What a text shows.
#[derive(Default)]
pub(crate) struct Reading {
    /// What it tells: sentences of the model, of a report.
    pub sayings: Vec<Saying>,
    /// Identifiers that it speaks of, or that stand at the beginning of an output.
    pub names: Vec<Identifier>,
    /// The lines of an output that are errors.
    pub errors: Vec<Range<usize>>,
    /// True where these are only noticed: a look that found nothing hinders no one, and what a tool
    /// refused is asked again at once.
    pub minor_errors: bool,
    /// The files that the output of a search or a look lists.
    pub listed: Vec<Range<usize>>,
    /// Messages of failures that somebody quotes.
    pub quoted: Vec<Range<usize>>,
    /// What the user says.
    pub prompt: Option<Box<Prompt>>,
    /// Paths and figures at the beginning of what the user pasted.
    pub pasted: Vec<Identifier>,
    /// What a call names.
    pub called: Called,
    /// The comments that a call adds to code.
    pub comments: Vec<Comment>,
}

impl Reading {
    /// Reads the text of `part`; `call` is the call that it is or belongs to.
    pub fn of(part: &Part<'_>, call: Option<&Call<'_>>) -> Reading {
        let text = part.text;
        let mut reading = Reading::default();
        match part.kind {
            PartKind::AssistantText => {
                reading.sayings = told::sayings(text, Voice::Aloud);
                reading.names = names_in(text, &words::prose(text));
                reading.quoted = tool_failures::quoted(part);
            }
            PartKind::Summary => {
                reading.names = names_in(text, &[carried::written(text)]);
                // The elements by which it is parted are its form.
                let names = &mut reading.names;
                names.retain(|found| !headings::is_tag(text, &found.range));
            }
            PartKind::Thinking => {
                reading.sayings = told::sayings(text, Voice::Thought);
                reading.quoted = tool_failures::quoted(part);
            }
            PartKind::UserText => reading.read_user(part),
            PartKind::ToolCall => {
                if let Some(call) = call {
                    reading.called = Called::of(part, call);
                    if call.action.changes_files() {
                        reading.comments = comments::read(part, call);
                    }
                }
            }
            PartKind::ToolOutput => {
                let output = Output::of(part, call);
                reading.errors = output.errors(part, call);
                reading.minor_errors = !output.shows_log && (output.looks_only || !output.runs);
                let reports = |call: &&Call<'_>| reports::reports(call.tool) && !part.is_error;
                if call.filter(reports).is_some() {
                    reading.sayings = reports::sayings(text, part.tool.unwrap_or_default());
                }
                let looks = |call: &&Call<'_>| call.action == ToolAction::Search || call.looks_only;
                if call.filter(looks).is_some() {
                    reading.listed = files::listed(text);
                }
                if output.runs && !output.looks_only {
                    let head = &text[..words::floor_boundary(text, OUTPUT_HEAD_BYTES)];
                    reading.names = identifiers::scan(head);
                }
            }
            PartKind::Injected => {}
        }
        reading
    }

    fn read_user(&mut self, part: &Part<'_>) {
        let text = part.text;
        self.prompt = Some(Box::new(Prompt::of(text)));
        self.quoted = tool_failures::quoted(part);
        let own = pasted::own_words(text);
        self.errors = errors::error_lines(text, false);
        // A sentence of the user speaks of errors; what is pasted is one.
        self.errors.retain(|range| {
            let line = &text[range.clone()];
            let within = |own: &Range<usize>| own.start <= range.start && range.end <= own.end;
            errors::error_code(line).is_some()
                || line.to_lowercase().contains("error: ")
                || line.starts_with('`')
                || !own.iter().any(within)
        });
        self.errors
            .retain(|range| !error_forms::is_in_code(text, range));
        self.names = names_in(text, &own);
        let mut left = OUTPUT_HEAD_BYTES;
        for range in pasted::material(text) {
            let end = words::floor_boundary(text, range.end.min(range.start + left));
            left -= end - range.start;
            let shown = range.start..end;
            self.pasted
                .extend(names_in(text, std::slice::from_ref(&shown)));
        }
        let counts = |found: &Identifier| matches!(found.kind, FactKind::Path | FactKind::Number);
        self.pasted.retain(counts);
    }
}

/// The identifiers in `ranges` of a text.
pub(crate) fn names_in(text: &str, ranges: &[Range<usize>]) -> Vec<Identifier> {
    let scanned = ranges.iter().flat_map(|range| {
        let found = identifiers::scan(&text[range.clone()]).into_iter();
        found.map(|found| Identifier {
            range: range.start + found.range.start..range.start + found.range.end,
            ..found
        })
    });
    scanned.collect()
}

/// What kind of output a tool returned.
struct Output {
    action: ToolAction,
    /// True where its call only looks at things.
    looks_only: bool,
    /// True for the output of a program that was run.
    runs: bool,
    /// True where a log is shown.
    shows_log: bool,
}

impl Output {
    /// What the output in `part` is; `call` is the one that it answers.
    fn of(part: &Part<'_>, call: Option<&Call<'_>>) -> Output {
        let action = call.map_or_else(|| part.action(), |call| call.action);
        let looks_only = match call {
            Some(call) => call.looks_only,
            None => matches!(action, ToolAction::Read | ToolAction::Search),
        };
        let tool = part.tool.unwrap_or_default();
        // Commands of the person are stored without a tool.
        let runs =
            part.tool.is_none() || action == ToolAction::Shell || tool_action::shows_output(tool);
        let shows_log = call.is_some_and(|call| {
            call.script.as_deref().is_some_and(scripts::shows_log)
                || action == ToolAction::Read
                    && call.path.as_deref().is_some_and(scripts::is_log_file)
        });
        Output {
            action,
            looks_only,
            runs,
            shows_log,
        }
    }

    /// The lines that are errors. What tools return that run nothing is material: pages, reports of
    /// subagents, texts of files. If they fail, they say so in their first line.
    fn errors(&self, part: &Part<'_>, call: Option<&Call<'_>>) -> Vec<Range<usize>> {
        let tool = part.tool.unwrap_or_default();
        if self.runs && self.looks_only && !self.shows_log {
            complaints_of_a_look(part, call)
        } else if self.runs || self.shows_log || tool_action::shows_problems(tool) {
            let listed = if self.runs {
                Vec::new()
            } else {
                tool_failures::listed(part.text)
            };
            if listed.is_empty() {
                // Agents that do not mark a failure put the exit code into the output.
                let code = outcome::exit_code(part.text);
                errors::error_lines(
                    part.text,
                    part.is_error || code.is_some_and(|code| code != 0),
                )
            } else {
                listed
            }
        } else if part.is_error || tool_failures::says_it_failed(part, self.action) {
            errors::complaint(part.text).into_iter().collect()
        } else {
            Vec::new()
        }
    }
}

/// What a look shows is no error; what it complains of is.
fn complaints_of_a_look(part: &Part<'_>, call: Option<&Call<'_>>) -> Vec<Range<usize>> {
    if !part.is_error {
        let script = call.and_then(|call| call.script.as_deref());
        return script.map_or_else(Vec::new, |script| {
            failed_runs::own_complaints(part.text, script)
        });
    }
    let mut found = failed_runs::failed_rows(part.text);
    if found.is_empty() {
        found = errors::error_lines(part.text, false);
    }
    if found.is_empty() {
        let complaint = errors::complaint(part.text);
        let complains = |line: &Range<usize>| diagnostics::complains(&part.text[line.clone()]);
        found = complaint.filter(complains).into_iter().collect();
    }
    found
}
