//! What is done with a reply: whether it is accepted, and what is taken off it.

use crate::text::shorter::head;
use crate::vocabulary::params::{ParamDoc, ParamType};
use palimpsest_core::call::ModelReply;
use palimpsest_core::json::utf16_len;
use serde::{Deserialize, Serialize};

/// Rules for replies. By default a reply that was cut off, calls a tool or is empty is refused
/// (pi since 0.84.3).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReplyRules {
    /// A reply that ran into its output limit is used as it is (pi before 0.84.3).
    pub accept_truncated: bool,
    /// The text of a reply that also calls a tool is used.
    pub accept_tool_call: bool,
    /// A reply without text is used (Codex before its newest code).
    pub accept_empty: bool,
    /// A reply that is nothing but a JSON object is refused: a call that came as text (Mux).
    pub refuse_json: bool,
    /// Most tokens of a reply that is used; 0 is no limit (GitHub Copilot Chat has its own).
    pub max_reply_tokens: u64,
    /// A summary with which the context would be larger than before is refused (Gemini CLI).
    pub refuse_inflated: bool,
    /// Texts without which a reply is refused, upper and lower case alike: headings that were asked
    /// for (OpenClaw looks a summary's sections over before it takes it).
    pub required_texts: Vec<String>,
    /// UTF-16 units of a cleaned reply that are used; what is behind them is cut off and the reply is
    /// not refused (Letta's `clip_chars`). 0 is no limit.
    pub clip_chars: u64,
    /// What stands for a reply without text, where such is used (Codex, early 2026).
    pub empty_becomes: String,
    /// What stands between the blocks of text in a reply, each of which is then trimmed and left out
    /// where it is empty (Coder: a space). Empty puts them together as they came.
    pub block_separator: String,
    /// What is taken off, step by step, before a reply is quoted or stored.
    pub clean: Vec<Clean>,
}

/// A step of taking something off a reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Clean {
    /// White space at both ends.
    Trim,
    /// Everything between `<tag>` and `</tag>`, the tags included.
    DropTag(String),
    /// Everything but what is between `<tag>` and `</tag>`, trimmed; a text without both stays as it
    /// is.
    TakeTag(String),
    /// The tags `<tag>` and `</tag>`: a heading and a line end take the place of the first, and what
    /// is between them is trimmed; what is outside stays (Claude Code).
    HeadTag {
        /// The tag's name.
        tag: String,
        /// What stands above its content.
        heading: String,
    },
    /// All but one of several blank lines in a row.
    CollapseBlankLines,
    /// The lines of a section behind this many UTF-16 units, with a mark in their place. A section
    /// begins with a line that begins with `heading` (Claude Code 2.1: running notes, `# `).
    CapSections {
        /// What a heading begins with.
        heading: String,
        /// The most a section may have, its heading aside.
        max_chars: u64,
    },
}

impl ReplyRules {
    pub(crate) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::yes_no("accept_truncated", "accept a truncated reply"),
        ParamDoc::yes_no(
            "accept_tool_call",
            "accept the text of a reply that calls a tool",
        ),
        ParamDoc::yes_no("accept_empty", "accept a reply without text"),
        ParamDoc::yes_no("refuse_json", "refuse a reply that is only a JSON object"),
        ParamDoc::tokens(
            "max_reply_tokens",
            "length above which a reply is refused; 0 means no \
            limit",
        ),
        ParamDoc::yes_no(
            "refuse_inflated",
            "refuse a summary that makes the context larger",
        ),
        ParamDoc::new(
            "required_texts",
            ParamType::Texts,
            "texts, such as headings, that a reply must contain",
        ),
        ParamDoc::new(
            "clip_chars",
            ParamType::Integer,
            "length at which a reply is truncated; 0 means no limit",
        )
        .unit("UTF-16 units"),
        ParamDoc::new(
            "empty_becomes",
            ParamType::Text,
            "replacement for an accepted reply without text",
        ),
        ParamDoc::new(
            "block_separator",
            ParamType::Text,
            "separator between the text blocks of a reply; empty concatenates them",
        ),
    ];

    /// The reply with its blocks put together. What is kept of a run is this text, so that it is the
    /// same again when the run is replayed.
    pub(crate) fn joined(&self, mut reply: ModelReply) -> ModelReply {
        let starts = std::mem::take(&mut reply.block_starts);
        if self.block_separator.is_empty() || starts.is_empty() {
            return reply;
        }
        let ends = starts.iter().copied().chain([reply.text.len()]);
        let ranges = [0].into_iter().chain(starts.iter().copied()).zip(ends);
        let blocks = ranges.filter_map(|(start, end)| reply.text.get(start..end));
        let said: Vec<&str> = blocks
            .map(str::trim)
            .filter(|own| !own.is_empty())
            .collect();
        reply.text = said.join(&self.block_separator);
        reply
    }

    /// The reply as it is quoted and stored.
    pub fn cleaned(&self, reply: &str) -> String {
        let mut text = reply.to_owned();
        for step in &self.clean {
            text = step.apply(text);
        }
        // After cleaning, which may leave nothing of a reply.
        if text.trim().is_empty() && self.accept_empty && !self.empty_becomes.is_empty() {
            text.clone_from(&self.empty_becomes);
        }
        if self.clip_chars > 0 {
            let (clipped, _) = head(&text, self.clip_chars);
            text.truncate(clipped.len());
        }
        text
    }

    /// The required texts that a cleaned reply does not have.
    pub fn missing(&self, text: &str) -> Vec<&str> {
        let text = text.to_lowercase();
        let required = self.required_texts.iter().map(String::as_str);
        required
            .filter(|own| !text.contains(&own.to_lowercase()))
            .collect()
    }

    /// True when the text is nothing but a JSON object.
    pub fn is_json_object(text: &str) -> bool {
        let text = text.trim();
        // Most replies are prose and need no parsing.
        text.starts_with('{')
            && serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(text).is_ok()
    }
}

impl Clean {
    fn apply(&self, text: String) -> String {
        match self {
            Clean::Trim => text.trim().to_owned(),
            Clean::DropTag(tag) => match tagged(&text, tag) {
                Some((start, inner, end)) => {
                    debug_assert!(inner.start >= start);
                    format!("{}{}", &text[..start], &text[end..])
                }
                None => text,
            },
            Clean::TakeTag(tag) => match tagged(&text, tag) {
                Some((_, inner, _)) => text[inner].trim().to_owned(),
                None => text,
            },
            Clean::HeadTag { tag, heading } => match tagged(&text, tag) {
                Some((start, inner, end)) => {
                    let (before, behind) = (&text[..start], &text[end..]);
                    format!("{before}{heading}\n{}{behind}", text[inner].trim())
                }
                None => text,
            },
            Clean::CollapseBlankLines => {
                let mut out = text;
                // `replace` does not look at what it has put in.
                while out.contains("\n\n\n") {
                    out = out.replace("\n\n\n", "\n\n");
                }
                out
            }
            Clean::CapSections { heading, max_chars } => capped(&text, heading, *max_chars),
        }
    }
}

/// `text` with each section cut at the last line that ends within `most` UTF-16 units.
fn capped(text: &str, heading: &str, most: u64) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut used, mut is_cut) = (0, false);
    for line in text.split_inclusive('\n') {
        if line.starts_with(heading) {
            (used, is_cut) = (0, false);
            out.push_str(line);
            continue;
        }
        // Counted also after the cut, so that no shorter line follows the mark.
        used += utf16_len(line);
        if used <= most {
            out.push_str(line);
        } else if !is_cut {
            is_cut = true;
            out.push_str("[... the rest of this section was cut off ...]\n");
        }
    }
    out
}

/// Start of the opening tag, what is inside, end of the closing tag.
fn tagged(text: &str, tag: &str) -> Option<(usize, std::ops::Range<usize>, usize)> {
    let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
    let start = text.find(&open)?;
    let inner = start + open.len();
    let end = inner + text[inner..].find(&close)?;
    Some((start, inner..end, end + close.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use palimpsest_core::Usage;
    use palimpsest_core::call::StopReason;

    #[test]
    fn a_reply_is_cleaned_step_by_step() {
        let rules = ReplyRules {
            clean: vec![
                Clean::DropTag("analysis".into()),
                Clean::TakeTag("summary".into()),
                Clean::CollapseBlankLines,
            ],
            ..ReplyRules::default()
        };
        let reply = "<analysis>x\ny</analysis>\n<summary>\nA\n\n\n\nB\n</summary> bye";
        assert_eq!(rules.cleaned(reply), "A\n\nB");
        assert_eq!(rules.cleaned("<summary>open"), "<summary>open");
        assert_eq!(
            ReplyRules::default().cleaned(" as it came "),
            " as it came "
        );
    }

    #[test]
    fn a_reply_is_clipped_and_an_empty_one_has_a_text() {
        let rules = ReplyRules {
            clip_chars: 5,
            empty_becomes: "(none)".into(),
            accept_empty: true,
            ..ReplyRules::default()
        };
        assert_eq!(rules.cleaned("abcdefg"), "abcde");
        assert_eq!(rules.cleaned("äöü🙂x"), "äöü🙂");
        assert_eq!(rules.cleaned(" "), "(none");
        let refused = ReplyRules {
            accept_empty: false,
            clip_chars: 0,
            ..rules
        };
        assert_eq!(refused.cleaned(" "), " ");
    }

    #[test]
    fn a_long_section_loses_its_end() {
        let step = Clean::CapSections {
            heading: "# ".into(),
            max_chars: 8,
        };
        let notes = "intro\n# One\nabc\ndef\nghi\njkl\n# Two\nabc\n";
        assert_eq!(
            step.apply(notes.into()),
            "intro\n# One\nabc\ndef\n[... the rest of this section was cut off ...]\n# Two\nabc\n"
        );
    }

    #[test]
    fn blocks_are_joined_by_a_separator() {
        let joined = |block_separator: &str, text: &str, block_starts: &[usize]| {
            let rules = ReplyRules {
                block_separator: block_separator.into(),
                ..ReplyRules::default()
            };
            let reply = ModelReply {
                text: text.into(),
                block_starts: block_starts.to_vec(),
                stop: StopReason::Stop,
                usage: Usage::default(),
                model: None,
            };
            rules.joined(reply)
        };
        let coder = joined(" ", " first  second ", &[7]);
        assert_eq!(coder.text, "first second");
        assert!(coder.block_starts.is_empty());
        assert_eq!(joined(" ", "a\u{fc} \n b", &[3, 5]).text, "a\u{fc} b");
        assert_eq!(joined("", " first  second ", &[7]).text, " first  second ");
        // One block is as it came.
        assert_eq!(joined(" ", " first ", &[]).text, " first ");
    }

    #[test]
    fn headings_can_be_required() {
        let rules = ReplyRules {
            required_texts: vec!["## Goal".into(), "## Next".into()],
            ..ReplyRules::default()
        };
        assert_eq!(rules.missing("## GOAL\nx"), ["## Next"]);
    }

    #[test]
    fn a_heading_takes_the_place_of_a_tag() {
        let step = Clean::HeadTag {
            tag: "summary".into(),
            heading: "Summary:".into(),
        };
        assert_eq!(
            step.apply("Well. <summary>\n A \n</summary> Bye.".into()),
            "Well. Summary:\nA Bye."
        );
        assert_eq!(step.apply("no tags".into()), "no tags");
    }

    #[test]
    fn a_leaked_call_is_a_json_object() {
        assert!(ReplyRules::is_json_object(" {\"tool\": \"x\"}\n"));
        assert!(!ReplyRules::is_json_object("[1]"));
        assert!(!ReplyRules::is_json_object("{not json}"));
        assert!(!ReplyRules::is_json_object("see {\"a\":1}"));
    }
}
