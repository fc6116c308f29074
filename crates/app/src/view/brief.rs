//! The first words of entries, for cards on the canvas: more than a preview, less than a page.

use crate::session::OpenSession;
use palimpsest_core::{Bodies as _, EntryIx, EntryKind, Role};

/// Longest text, in characters: about four lines of a wide card.
const MOST_CHARS: usize = 600;

/// The first words of an entry: of prompts, replies and summaries from its text, of all others its
/// preview. Empty where there are none.
pub fn brief(open: &OpenSession, ix: EntryIx) -> String {
    let entry = open.session.entry(ix);
    let is_said = matches!(
        entry.kind,
        EntryKind::Message(Role::User | Role::Assistant)
            | EntryKind::Compaction(_)
            | EntryKind::BranchSummary(_)
    );
    let body = if is_said {
        open.bodies.body(ix).ok()
    } else {
        None
    };
    let said = body.and_then(|body| {
        let texts = body.messages.iter().filter(|m| m.role != Role::Tool);
        let mut texts = texts.map(|message| message.text(" "));
        texts.find(|text| !text.trim().is_empty())
    });
    // What stands before the words of a prompt in the record is not in its preview.
    let begins = |text: &String| {
        let words = entry.preview.split_whitespace().next();
        words.is_none_or(|word| text.trim_start().starts_with(word))
    };
    match said.filter(begins) {
        Some(text) => clipped(&unmarked(&text)),
        None => clipped(without_tool(open, ix)),
    }
}

/// The preview of an entry without the name of the tool it calls, which stands before it already.
fn without_tool(open: &OpenSession, ix: EntryIx) -> &str {
    let entry = open.session.entry(ix);
    let preview = entry.preview.trim();
    let rest = entry.tool_calls.first().and_then(|call| {
        let rest = preview.strip_prefix(&*call.name)?;
        let begins = rest.is_empty() || rest.starts_with([' ', ':']);
        begins.then(|| rest.trim_start_matches([' ', ':']))
    });
    rest.unwrap_or(preview)
}

/// Without the marks of bold text, code and headings, on one line.
fn unmarked(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let line = line.trim();
        let words = line.trim_start_matches('#');
        if words.len() < line.len() && words.starts_with(' ') {
            words.trim_start()
        } else {
            line
        }
    });
    let mut plain = String::new();
    for line in lines.filter(|line| !line.is_empty()) {
        if !plain.is_empty() {
            plain.push(' ');
        }
        plain.push_str(&line.replace("**", "").replace('`', ""));
        if plain.len() > 8 * MOST_CHARS {
            break;
        }
    }
    plain
}

fn clipped(text: &str) -> String {
    match text.char_indices().nth(MOST_CHARS) {
        Some((end, _)) => format!("{}\u{2026}", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use palimpsest_testkit::session::PiSession;

    #[test]
    fn a_prompt_is_told_by_its_text() {
        let home = tempfile::tempdir().unwrap();
        let mut session = PiSession::new();
        session.user("Please make **it** work.\n\n- first\n- second");
        let path = home.path().join("short.jsonl");
        std::fs::write(&path, session.to_jsonl()).unwrap();
        let open = OpenSession::read(&path).unwrap();
        let leaf = open.session.active_leaf.unwrap();
        assert_eq!(brief(&open, leaf), "Please make it work. - first - second");
    }

    #[test]
    fn marks_of_markdown_are_left_out() {
        let text = "## Goal\n\nMake **it** work with `serve`.\n#tag stays";
        assert_eq!(unmarked(text), "Goal Make it work with serve. #tag stays");
    }

    #[test]
    fn long_texts_end_in_an_ellipsis() {
        let long = "\u{e4}".repeat(MOST_CHARS + 5);
        let short = clipped(&long);
        assert_eq!(short.chars().count(), MOST_CHARS + 1);
        assert!(short.ends_with('\u{2026}'));
        assert_eq!(clipped("short"), "short");
    }
}
