//! What an agent puts before a person's words in one message: the file that is open in the editor, what is selected, a
//! reminder (Claude Code 1.0 to 2.1 with its extension for VS Code; in a block of its own, or before the words in one text),
//! the open tabs (Codex with its extension).

/// Names of the elements.
const TAGS: [&str; 4] = [
    "ide_opened_file",
    "ide_selection",
    "ide_diagnostics",
    "system-reminder",
];

/// The heading of what the extension of Codex puts before a prompt.
const SETUP: &str = "# Context from my IDE setup:";

/// The headings behind which the prompt stands; lower case.
pub(crate) const REQUESTS: [&str; 2] = ["## my request for codex:", "## my request:"];

/// Where a person's words begin in `text`, in bytes: behind the elements at its beginning and the white space round
/// them. The length of the text where it has nothing else, 0 where it begins with no such element, or with one that does
/// not end.
pub fn end(text: &str) -> usize {
    if text.starts_with(SETUP) {
        let lower = text.to_ascii_lowercase();
        let request = REQUESTS
            .iter()
            .find_map(|mark| lower.find(mark).map(|at| at + mark.len()));
        return request.map_or(0, |at| text.len() - text[at..].trim_start().len());
    }
    let mut at = 0;
    loop {
        let rest = text[at..].trim_start();
        let start = text.len() - rest.len();
        let Some(tag) = opening(rest) else {
            return if at == 0 { 0 } else { start };
        };
        let closing = format!("</{tag}>");
        let Some(close) = rest.find(&closing) else {
            return at;
        };
        at = start + close + closing.len();
    }
}

/// The name of the element with which `text` begins.
fn opening(text: &str) -> Option<&'static str> {
    let inner = text.strip_prefix('<')?;
    let is_opened = |tag: &&str| {
        let behind = inner.strip_prefix(tag);
        behind.is_some_and(|behind| behind.starts_with(['>', ' ']))
    };
    TAGS.into_iter().find(|tag| is_opened(tag))
}

/// True for a text that begins with such an element, whether it ends or not.
pub fn opens(text: &str) -> bool {
    opening(text).is_some()
}

/// True for a text of such elements alone.
pub fn is_context(text: &str) -> bool {
    !text.is_empty() && end(text) == text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_behind_what_the_editor_shows() {
        let opened = "<ide_opened_file>The user opened the file /src/a.rs.</ide_opened_file>";
        let behind = |text: &str| text[end(text)..].to_owned();
        assert_eq!(behind(&format!("{opened}\nyes, adjust")), "yes, adjust");
        assert_eq!(
            behind(&format!(
                "{opened}\n<system-reminder>be brief</system-reminder> why?"
            )),
            "why?"
        );
        assert!(is_context(opened) && is_context(&format!("{opened}\n")));
        for own in ["why?", "<row>x</row>", "<ide_opened_file>it never ends", ""] {
            assert_eq!(end(own), 0);
            assert!(!is_context(own));
        }
        let tabs = "# Context from my IDE setup:\n\n## Open tabs:\n- a.rs: src/a.rs\n\n## My request for Codex:\nnever rename it\n";
        assert_eq!(behind(tabs), "never rename it\n");
        // White space alone before words is the person's.
        assert_eq!(end("  why?"), 0);
    }
}
