//! Telling a person's own words from what the person pasted: logs, stack traces, code, diffs,
//! listings, data, and what an agent wrapped in tags.
//!
//! A line is judged by its form, then by its neighbours: lines that say nothing by themselves go
//! with the material round them, and the first and last lines of a block of material stay the
//! person's when they read like sentences ("I get this:", "why?").

mod line;
mod log;
mod program;
mod terminal;

use crate::words;
pub(crate) use line::starts_with_time;
use line::{Line, announces_output, is_indented, judge};
use rustc_hash::FxHashMap as HashMap;
use std::ops::Range;

/// Own words beyond this many bytes in one message are a document; its beginning and its end, where
/// people say what they want with it, are taken and the middle is not.
const MAX_OWN_BYTES: usize = 6000;
const DOCUMENT_HEAD_BYTES: usize = 3000;
const DOCUMENT_TAIL_BYTES: usize = 1500;

/// The byte ranges of `text` that are the person's own words: whole lines, neighbours joined, in
/// order. The rest is material.
pub fn own_words(text: &str) -> Vec<Range<usize>> {
    let lines: Vec<Range<usize>> = words::lines(text).collect();
    let mut kinds: Vec<Line> = lines
        .iter()
        .map(|line| judge(&text[line.clone()]))
        .collect();
    wrapped(text, &lines, &mut kinds);
    terminal::screens(text, &lines, &mut kinds);
    program::programs(text, &lines, &mut kinds);
    log::logs(text, &lines, &mut kinds);
    by_neighbours(text, &lines, &mut kinds);
    let mut out: Vec<Range<usize>> = Vec::new();
    for (line, kind) in lines.iter().zip(&kinds) {
        if matches!(kind, Line::Words | Line::Unclear) {
            match out.last_mut() {
                Some(last) if last.end + 1 == line.start => last.end = line.end,
                _ => out.push(line.clone()),
            }
        }
    }
    without_middle(text, out)
}

/// The byte ranges of `text` that are not the person's own words.
pub fn material(text: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut at = 0;
    for own in own_words(text) {
        if at < own.start {
            out.push(at..own.start);
        }
        at = own.end;
    }
    if at < text.len() {
        out.push(at..text.len());
    }
    out
}

/// Fenced blocks that are closed, elements in tags that stand at the beginning of a line, and the
/// hunks of a diff are material as a whole. A fence that is never closed covers nothing but its own line.
fn wrapped(text: &str, lines: &[Range<usize>], kinds: &mut [Line]) {
    let content = |at: usize| text[lines[at].clone()].trim();
    // For each closing tag, the lines that have it, so that a message of many tags stays linear.
    let mut closings: HashMap<&str, Vec<usize>> = HashMap::default();
    for at in 0..lines.len() {
        for (start, _) in content(at).match_indices("</") {
            let name = tag_name(&content(at)[start + 2..]);
            closings.entry(name).or_default().push(at);
        }
    }
    let fences: Vec<usize> = (0..lines.len())
        .filter(|&at| content(at).starts_with("```") || content(at).starts_with("~~~"))
        .collect();
    let mut next_fence = 0;
    let mut at = 0;
    while at < lines.len() {
        while fences.get(next_fence).is_some_and(|&fence| fence < at) {
            next_fence += 1;
        }
        let mut end = at;
        if fences.get(next_fence) == Some(&at) {
            end = fences.get(next_fence + 1).copied().unwrap_or(at);
            kinds[at] = Line::Wrapped;
        } else if let Some(tag) = content(at).strip_prefix('<')
            && let name = tag_name(tag)
            && name.len() >= 2
            && let Some(closing) = closings.get(name)
            && let Some(&close) = closing.get(closing.partition_point(|&line| line < at))
        {
            // Words behind the closing tag make the last line the person's.
            let behind = content(close)
                .rsplit_once("</")
                .map_or("", |(_, rest)| rest);
            let behind = behind.split_once('>').map_or("", |(_, rest)| rest);
            let says_more = behind.split_whitespace().count() >= 3;
            kinds[at] = Line::Wrapped;
            end = if says_more && close > at {
                close - 1
            } else {
                close
            };
        }
        if content(at).starts_with("@@ ") {
            let hunk = lines[at + 1..]
                .iter()
                .take_while(|line| text[(*line).clone()].starts_with(['+', '-', ' ', '\\']));
            end = at + hunk.count();
        }
        kinds[at..=end]
            .iter_mut()
            .filter(|_| end > at)
            .for_each(|kind| *kind = Line::Wrapped);
        at = end + 1;
    }
}

fn tag_name(tag: &str) -> &str {
    let end = tag
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':')))
        .unwrap_or(tag.len());
    &tag[..end]
}

/// Settles what lines are that stand next to material.
fn by_neighbours(text: &str, lines: &[Range<usize>], kinds: &mut [Line]) {
    // What a program announces (`thread 'main' panicked at src/a.rs:3:5:`) is its own as well.
    for at in 1..kinds.len() {
        if kinds[at - 1] == Line::Material
            && kinds[at] != Line::Blank
            && text[lines[at - 1].clone()].trim_end().ends_with(':')
        {
            kinds[at] = Line::Material;
        }
    }
    announced(text, lines, kinds);
    let mut at = 0;
    while at < kinds.len() {
        if matches!(kinds[at], Line::Blank | Line::Wrapped) {
            at += 1;
            continue;
        }
        let end = at
            + kinds[at..]
                .iter()
                .take_while(|kind| !matches!(kind, Line::Blank | Line::Wrapped))
                .count();
        let block = &mut kinds[at..end];
        let first = block.iter().position(|kind| *kind == Line::Material);
        let last = block.iter().rposition(|kind| *kind == Line::Material);
        if let (Some(first), Some(last)) = (first, last) {
            let pasted = block[first..=last]
                .iter()
                .filter(|kind| **kind == Line::Material);
            // Single lines of code among sentences spoil nothing round them.
            if 2 * pasted.count() > last - first {
                block[first..=last].fill(Line::Material);
            }
            let spread = |kind: &Line| *kind == Line::Unclear;
            block[last..]
                .iter_mut()
                .skip(1)
                .take_while(|kind| spread(kind))
                .for_each(|kind| {
                    *kind = Line::Material;
                });
            block[..first]
                .iter_mut()
                .rev()
                .take_while(|kind| spread(kind))
                .for_each(|kind| {
                    *kind = Line::Material;
                });
        }
        at = end;
    }
    // An indented block, and blocks of lines without a sentence, between material belong to it.
    let mut before = false;
    for at in 0..kinds.len() {
        match kinds[at] {
            Line::Blank => {}
            Line::Material => before = true,
            Line::Unclear if before && is_indented(&text[lines[at].clone()]) => {
                kinds[at] = Line::Material;
            }
            Line::Words | Line::Unclear | Line::Wrapped => before = false,
        }
    }
}

/// A block that the person announces as what a program printed, where any line of it is material by its form, is
/// material from its first line on: what the program says in sentences is its own as well. So is an indented block
/// without marks below a lead that names an error.
fn announced(text: &str, lines: &[Range<usize>], kinds: &mut [Line]) {
    let mut lead: Option<usize> = None;
    let mut at = 0;
    while at < kinds.len() {
        let is_blank = |kind: &Line| *kind == Line::Blank;
        if is_blank(&kinds[at]) {
            at += 1;
            continue;
        }
        let end = at
            + kinds[at..]
                .iter()
                .take_while(|kind| !is_blank(kind))
                .count();
        let is_set_off = lines[at..end].iter().all(|line| {
            let line = &text[line.clone()];
            let content = line.trim_start();
            is_indented(line) && content.starts_with(char::is_alphabetic)
        });
        let block = &mut kinds[at..end];
        let lead_line = lead.map_or("", |lead| &text[lines[lead].clone()]);
        if announces_output(lead_line) {
            if is_set_off && lead_line.to_lowercase().contains("error") {
                block.fill(Line::Material);
            } else if let Some(last) = block.iter().rposition(|kind| *kind == Line::Material) {
                block[..=last].fill(Line::Material);
            }
        }
        lead = Some(end - 1);
        at = end;
    }
}

/// A very long text without its middle, cut at line ends.
fn without_middle(text: &str, own: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let total: usize = own.iter().map(Range::len).sum();
    if total <= MAX_OWN_BYTES {
        return own;
    }
    let mut out: Vec<Range<usize>> = Vec::new();
    let mut seen = 0;
    let lines = own.iter().flat_map(|range| {
        words::lines(&text[range.clone()])
            .map(|line| range.start + line.start..range.start + line.end)
    });
    for line in lines {
        let begins = seen < DOCUMENT_HEAD_BYTES;
        seen += line.len() + 1;
        if begins || seen + DOCUMENT_TAIL_BYTES >= total {
            match out.last_mut() {
                Some(last) if last.end + 1 == line.start => last.end = line.end,
                _ => out.push(line),
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn own(text: &str) -> Vec<&str> {
        own_words(text)
            .into_iter()
            .flat_map(|range| text[range].lines())
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .collect()
    }

    #[test]
    fn logs_and_traces_are_not_the_persons_words() {
        let text = "I get this when I start it:\n\n➜  app git:(main) npx tsx src/cli.ts -c\nnode:fs:443\n    \
                    return binding.readFileUtf8(path, flags);\n           ^\n\nError: ENOENT: no such file, \
                    open '/x/package.json'\n    at readFileSync (node:fs:443:20)\n    at <anonymous> (/x/a.ts:7:2)\n{\n  \
                    errno: -2,\n  code: 'ENOENT',\n}\n\nNode.js v23.4.0\n\nplease never read package.json there";
        assert_eq!(own(text)[0], "I get this when I start it:");
        assert_eq!(
            own(text).last(),
            Some(&"please never read package.json there")
        );
        assert!(own(text).len() <= 4, "{:?}", own(text));
        let log = "2025-12-09T00:20:16Z INFO must never happen\n[12:03:44] only retry once\nERROR do not panic\nWhy twice?";
        assert_eq!(own(log), ["Why twice?"]);
        let build = "error[E0308]: you must not do this\n  --> src/a.rs:12:5\n   |\n12 | let x: u8 = y;\n   | ^^^ only here\n   = note: never mind\nfix it please";
        assert_eq!(own(build), ["fix it please"]);
        let panic = "thread 'main' panicked at src/a.rs:3:5:\nyou must never do this\nfix that";
        assert_eq!(own(panic), ["fix that"]);
        let python = "Traceback (most recent call last):\n  File \"a.py\", line 3, in run\n    must_not()\nValueError: don't do this\n\nhandle that case";
        assert_eq!(own(python), ["handle that case"]);
    }

    #[test]
    fn code_diffs_and_data_are_not_the_persons_words() {
        let code = "make this generic:\nfn run(x: u8) -> u8 {\n    // never call this twice\n    if only(x) {\n        return x;\n    }\n}\nbut keep the name";
        assert_eq!(own(code), ["make this generic:", "but keep the name"]);
        let json = "what is wrong here?\n{\"type\":\"message\",\"text\":\"you must always add tests, don't skip\"}";
        assert_eq!(own(json), ["what is wrong here?"]);
        let diff = "review it\n\ndiff --git a/x b/x\n@@ -1,2 +1,2 @@\n-never do a\n+always do b\n context line\n\nthanks for that";
        assert_eq!(own(diff).last(), Some(&"thanks for that"));
        assert!(!own(diff).contains(&"+always do b"), "{:?}", own(diff));
    }

    #[test]
    fn the_screen_of_another_session_is_not_the_persons_words() {
        let screen = "other window:\n\n ▐▛███▜▌   Claude Code v2.1.81\n❯ never drop rows\n\n⏺ I looked at the rows.\n\n  \
                      You must sort them first.\n\n⏺ Bash(make rows)\n  ⎿  3 rows\n     … +4 lines\n\n✻ Cooked for 5m \
                      41s\n\nplease do the same here";
        assert_eq!(own(screen).first(), Some(&"other window:"));
        assert_eq!(own(screen).last(), Some(&"please do the same here"));
        assert!(own(screen).len() <= 3, "{:?}", own(screen));
    }

    #[test]
    fn fences_and_tags_are_wrapped_material() {
        let fence = "look:\n```\nyou must do it\n```\nand fix it";
        assert_eq!(own(fence), ["look:", "and fix it"]);
        let open = "```json\n{\n  \"apiKeys\": {\n    \"a\": \"b\"\n  }\n}\n\nshould list all the key names here";
        assert_eq!(own(open), ["should list all the key names here"]);
        let tags = "<environment_context>\n  You must use bash.\n</environment_context>\n\nAdd a test for it.";
        assert_eq!(own(tags), ["Add a test for it."]);
        let one_line = "<command-name>/compact</command-name>\nonly the facts please";
        assert_eq!(own(one_line), ["only the facts please"]);
        let behind = "<file name=\"a\">\nnever\n</file> what does this file do?";
        assert_eq!(own(behind), ["</file> what does this file do?"]);
    }

    #[test]
    fn own_words_stay_whole() {
        for text in [
            "Never change parse_rows, and don't add new dependencies.",
            "i actually want you to:\n\n- copy the tui components to modes/interactive, so the old one still works\n- we have a bunch of things in src/ directly",
            "no, that's horrible.\n\ntools -> core/tools\ntui -> modes/interactive/components\n\nor do you have other suggestions?",
            "1. Run `cargo test --workspace` first.\n2. src/a.rs:12 is wrong\n3. Use port 5433, not 5432.",
            "must be < 200 ms (p99), always",
            "## Rules\n**Never:**\n- `a_b` in tests",
            "  Indented, but still what I want from you.",
            "Nie die Datei löschen!\n必须始终运行测试。",
            "fix",
            "",
        ] {
            let lines: Vec<_> = text
                .lines()
                .map(str::trim)
                .filter(|line| !line.is_empty())
                .collect();
            assert_eq!(own(text), lines);
        }
    }

    #[test]
    fn what_a_program_printed_under_a_lead_is_not_the_persons_words() {
        let help = "I run it and get the following error:\n\n\nshop sync north\nLoading rows of the remote...\n\
                    error: no row of the remote can be read\nYou can try it by hand: shop load\nUsage:\n  shop sync <name> \
                    [flags]\n\nFlags:\n  -f, --force   Sync older rows without confirmation\n  -h, --help    help for sync\n\n\
                    Let's look at why first.";
        assert_eq!(
            own(help),
            [
                "I run it and get the following error:",
                "Let's look at why first."
            ]
        );
        let form = "I get these errors:\n\nThe form has errors:\n\n    Name is not allowed. Must be short\n    Name \
                    is taken\n\nPlease fix it.";
        assert_eq!(own(form).first(), Some(&"I get these errors:"));
        assert!(
            !own(form).iter().any(|line| line.contains("Must be")),
            "{:?}",
            own(form)
        );
        let diff = "+       // Rows is the number of rows in this table.\n+       // Always written as \"rows\".\n\nCan you help \
                    me with that?";
        assert_eq!(own(diff), ["Can you help me with that?"]);
        let list = "the error says two things:\n\n-  do not drop rows\n-  keep the order";
        assert_eq!(own(list).len(), 3);
    }

    #[test]
    fn a_document_keeps_its_beginning_and_end() {
        let middle = "The importer must never drop a row of the table.\n".repeat(300);
        let text = format!("Please implement this specification.\n{middle}Begin with the parser.");
        let own = own_words(&text);
        let kept: usize = own.iter().map(Range::len).sum();
        assert!(kept < MAX_OWN_BYTES, "{kept}");
        assert!(text[own[0].clone()].starts_with("Please implement"));
        assert!(text[own[own.len() - 1].clone()].ends_with("Begin with the parser."));
        let both: usize = kept + material(&text).iter().map(Range::len).sum::<usize>();
        assert_eq!(both, text.len());
    }
}
