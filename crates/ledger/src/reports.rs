//! What another reports in words: a page that was read, a subagent.

use crate::candidate::Standing;
use crate::sentence::Sentence;
use crate::told::{Saying, Told};
use crate::under::{LEFT, items_under};
use crate::{asides, prose, statements, words};
use palimpsest_core::ledger::FactKind;

/// Most sentences taken from the report of another.
const MAX_REPORTED: usize = 20;

/// True for tools that report what they found in words: a page that was read, a subagent.
pub(crate) fn reports(tool: &str) -> bool {
    let lower = tool.to_ascii_lowercase();
    matches!(
        lower.as_str(),
        "webfetch" | "web_fetch" | "websearch" | "task" | "agent" | "subagent"
    )
}

/// True for tools that pass work on to a subagent, by their names in lower case.
pub(crate) fn asks_subagent(tool: &str) -> bool {
    matches!(
        tool,
        "task" | "agent" | "subagent" | "spawn_agent" | "invoke_agent" | "new_task" | "runsubagent"
    )
}

/// What the report that `tool` gives tells: what it left to do, and what it found out about something
/// that it names.
pub(crate) fn sayings(text: &str, tool: &str) -> Vec<Saying> {
    let is_page = tool.to_ascii_lowercase().starts_with("web");
    let noticed = |kind, lighter| Told {
        kind,
        standing: Standing::Noticed,
        lighter,
    };
    let mut out = Vec::new();
    for range in items_under(text, LEFT) {
        out.push(Saying::new(text, range, noticed(FactKind::Todo, 0)));
    }
    let most = out.len() + MAX_REPORTED;
    for range in prose::sentences_of(text, &words::prose(text)) {
        if out.len() == most {
            break;
        }
        let sentence = &text[range.clone()];
        // What a report says of a thing begins with it; the rest is advice and courtesy.
        let mut first = sentence.split_whitespace().take(2);
        let begins = first.any(statements::names_code);
        let whole = Sentence::of(sentence);
        let tells = begins && (prose::finds(&whole) || statements::states(&whole));
        let aside = asides::is_inventory(sentence)
            || asides::tells_nothing(&whole)
            || is_page && asides::speaks_of_page(sentence);
        if !aside && !sentence.starts_with('|') && (tells || statements::declares(&whole)) {
            out.push(Saying::new(text, range, noticed(FactKind::Finding, 1)));
        }
    }
    out
}
