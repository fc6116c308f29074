//! The headings of a summary: lines with `#` outside of code.

use crate::words;
use std::ops::Range;

/// A heading of a summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// Its text, without the marks.
    pub title: String,
    /// How many `#` it has, 1 to 6.
    pub level: u8,
    /// The byte where its line begins.
    pub start: usize,
    /// True where nothing, or only "(none)", stands between it and the next heading.
    pub empty: bool,
}

/// The headings of a summary in their order.
pub fn headings(summary: &str) -> Vec<Heading> {
    let code = Code::of(summary);
    let mut found: Vec<Heading> = Vec::new();
    for line in words::lines(summary) {
        let text = summary[line.clone()].trim();
        let level = text.bytes().take_while(|&byte| byte == b'#').count();
        // A heading needs the blank: `#!/bin/sh` and `#42` are text. In code, `# word` is a comment.
        let is_heading = (1..=6).contains(&level)
            && text[level..].starts_with(' ')
            && !code.contains(line.start);
        if is_heading {
            found.push(Heading {
                title: text[level..].trim().to_owned(),
                level: u8::try_from(level).unwrap_or(6),
                start: line.start,
                empty: true,
            });
        } else if !text.is_empty()
            // pi's prompts ask for "(none)" in sections that have nothing to say.
            // Models also write it as an item of a list.
            && !text.trim_start_matches("- ").eq_ignore_ascii_case("(none)")
            && let Some(last) = found.last_mut()
        {
            last.empty = false;
        }
    }
    found
}

/// A line of a summary that is an element, by which Copilot, Gemini and Qwen part theirs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Element<'a> {
    /// Its name.
    pub name: &'a str,
    /// The line opens it.
    pub opens: bool,
    /// The line closes it.
    pub closes: bool,
    /// What stands in it on the same line; empty without.
    pub inner: &'a str,
}

/// The element that a line opens, closes or is: `<goal>`, `</goal>`, `<goal>Ship it.</goal>`.
pub(crate) fn element(line: &str) -> Option<Element<'_>> {
    let line = line.trim();
    let is_name = |name: &str| {
        let mut chars = name.chars();
        chars.next().is_some_and(char::is_alphabetic)
            && chars.all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
    };
    let (name, rest) = line.strip_prefix('<')?.split_once('>')?;
    if let Some(name) = name.strip_prefix('/') {
        return (is_name(name) && rest.is_empty()).then_some(Element {
            name,
            opens: false,
            closes: true,
            inner: "",
        });
    }
    let inner = rest.strip_suffix('>').and_then(|rest| {
        let inner = rest.strip_suffix(name)?;
        inner.strip_suffix("</")
    });
    let is_whole = rest.is_empty() || inner.is_some();
    (is_name(name) && is_whole).then_some(Element {
        name,
        opens: true,
        closes: inner.is_some(),
        inner: inner.unwrap_or_default().trim(),
    })
}

/// True where `range` of a text is the name in the tag of an element: `<work_done>` at the beginning of
/// a line, `</work_done>` anywhere.
pub(crate) fn is_tag(text: &str, range: &Range<usize>) -> bool {
    let before = &text[..range.start];
    let opens = || {
        let line = before.strip_suffix('<');
        line.is_some_and(|before| {
            before.trim_end_matches([' ', '\t']).ends_with('\n') || before.trim().is_empty()
        })
    };
    text[range.end..].starts_with('>') && (before.ends_with("</") || opens())
}

/// The fenced code of a text.
pub(crate) struct Code(Vec<Range<usize>>);

impl Code {
    /// Fences in pairs: one that is never closed holds no code, as the text may have been cut.
    pub(crate) fn of(text: &str) -> Code {
        let is_fence = |line: &Range<usize>| {
            let line = text[line.clone()].trim_start();
            line.starts_with("```") || line.starts_with("~~~")
        };
        let fences: Vec<Range<usize>> = words::lines(text).filter(is_fence).collect();
        let pairs = fences.chunks_exact(2);
        Code(pairs.map(|pair| pair[0].start..pair[1].end).collect())
    }

    /// True where the byte `at` lies within code or its fences.
    pub(crate) fn contains(&self, at: usize) -> bool {
        let next = self.0.partition_point(|own| own.end <= at);
        self.0.get(next).is_some_and(|own| own.contains(&at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(summary: &str) -> Vec<String> {
        let shown = |own: &Heading| {
            let empty = if own.empty { ", empty" } else { "" };
            format!("{} {}{empty}", own.level, own.title)
        };
        headings(summary).iter().map(shown).collect()
    }

    #[test]
    fn lines_that_are_elements_are_told() {
        let told = |line| element(line).map(|own| (own.name, own.opens, own.closes, own.inner));
        assert_eq!(told("<work_done>"), Some(("work_done", true, false, "")));
        assert_eq!(told("  </work_done>"), Some(("work_done", false, true, "")));
        let title = "<checkpoint_title>Two rows</checkpoint_title>";
        assert_eq!(
            told(title),
            Some(("checkpoint_title", true, true, "Two rows"))
        );
        for line in [
            "<a> and <b>",
            "<- look",
            "a < b > c",
            "</work_done> x",
            "<>",
            "Vec<u8>",
        ] {
            assert_eq!(told(line), None, "for {line}");
        }
        let text = "<work_done>\nVec<work_done> of rows\n</work_done>";
        let is = |at: usize| is_tag(text, &(at..at + 9));
        assert_eq!((is(1), is(16), is(37)), (true, false, true));
    }

    #[test]
    fn headings_have_their_level_and_whether_something_stands_under_them() {
        let summary = "## Goal\nShip it.\n## Progress\n### Done\n- (none)\n### Blocked\n\n# Last";
        assert_eq!(
            shown(summary),
            [
                "2 Goal",
                "2 Progress, empty",
                "3 Done, empty",
                "3 Blocked, empty",
                "1 Last, empty"
            ]
        );
        assert_eq!(headings(summary)[1].start, 17);
    }

    #[test]
    fn comments_in_code_are_no_headings() {
        let summary = "## Script\n```sh\n# USAGE:\n#!/bin/sh\nrun\n```\n## Next\n#42 is open";
        assert_eq!(shown(summary), ["2 Script", "2 Next"]);
    }

    #[test]
    fn a_fence_that_is_never_closed_hides_no_heading() {
        assert_eq!(shown("```\n# a\n```\n```\n## Next\nx"), ["2 Next"]);
    }
}
