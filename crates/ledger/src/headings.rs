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
