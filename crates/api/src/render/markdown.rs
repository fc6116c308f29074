//! Markdown as a tree of blocks that an interface can draw without trusting it.
//!
//! Raw HTML becomes text, images become their description, and only http, https and mailto links
//! stay links: what a model or a tool wrote must not be able to run or fetch anything.

use super::code::{code_spans, language_named};
use crate::wire::{MdBlock, MdCell, MdItem, MdRow, MdSpan};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// Quotes, lists and items nested deeper than this are drawn flat: the page draws blocks by
/// recursion, and a line of a thousand `>` or `-` is valid Markdown.
const DEEPEST: usize = 24;

/// Parses `text` with tables, strike-through and task lists.
pub fn markdown(text: &str) -> Vec<MdBlock> {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut builder = Builder::default();
    for event in Parser::new_ext(text, options) {
        builder.event(event);
    }
    builder.finish()
}

/// A container being filled.
enum Frame {
    Quote(Vec<MdBlock>),
    List {
        start: Option<u64>,
        items: Vec<MdItem>,
    },
    Item {
        checked: Option<bool>,
        blocks: Vec<MdBlock>,
    },
    Table {
        head: Vec<MdCell>,
        rows: Vec<MdRow>,
        cells: Vec<MdCell>,
    },
}

#[derive(Default)]
struct Builder {
    done: Vec<MdBlock>,
    frames: Vec<Frame>,
    /// How many containers are open below the deepest frame; their blocks go to that frame.
    flat: usize,
    spans: Vec<MdSpan>,
    code: Option<(Option<String>, String)>,
    heading: Option<u8>,
    strong: usize,
    emphasis: usize,
    strike: usize,
    links: Vec<Option<String>>,
}

impl Builder {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => self.push(&text, false),
            },
            Event::Code(text) => self.push(&text, true),
            // Shown as text: session content never becomes HTML.
            Event::Html(text) | Event::InlineHtml(text) => self.push(&text, false),
            // Markdown shows a line end inside a paragraph as a space.
            Event::SoftBreak => self.push(" ", false),
            Event::HardBreak => self.push("\n", false),
            Event::Rule => {
                self.flush_paragraph();
                self.block(MdBlock::Rule);
            }
            Event::TaskListMarker(ticked) => {
                if let Some(Frame::Item { checked, .. }) = self.frames.last_mut() {
                    *checked = Some(ticked);
                }
            }
            // Extensions that are off do not come here; their events become text so that nothing
            // is lost.
            Event::FootnoteReference(name) => self.push(&format!("[^{name}]"), false),
            Event::InlineMath(text) | Event::DisplayMath(text) => self.push(&text, true),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => {
                self.flush_paragraph();
                self.heading = Some(level as u8);
            }
            Tag::CodeBlock(kind) => {
                self.flush_paragraph();
                // The info string may hold more than the language.
                let language = match kind {
                    CodeBlockKind::Fenced(info) => {
                        info.split_whitespace().next().map(str::to_owned)
                    }
                    CodeBlockKind::Indented => None,
                };
                self.code = Some((language, String::new()));
            }
            Tag::BlockQuote(_) => self.open(Frame::Quote(Vec::new())),
            Tag::List(start) => self.open(Frame::List {
                start,
                items: Vec::new(),
            }),
            Tag::Item => self.open(Frame::Item {
                checked: None,
                blocks: Vec::new(),
            }),
            Tag::Table(_) => self.open(Frame::Table {
                head: Vec::new(),
                rows: Vec::new(),
                cells: Vec::new(),
            }),
            Tag::Strong => self.strong += 1,
            Tag::Emphasis => self.emphasis += 1,
            Tag::Strikethrough => self.strike += 1,
            Tag::Link { dest_url, .. } => self.links.push(safe_link(&dest_url)),
            // An image would be fetched from an address that the content chose.
            Tag::Image { .. } => self.push("[image: ", false),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.flush_paragraph(),
            TagEnd::Heading(_) => {
                let level = self.heading.take().unwrap_or(1);
                let spans = std::mem::take(&mut self.spans);
                self.block(MdBlock::Heading { level, spans });
            }
            TagEnd::CodeBlock => {
                if let Some((language, mut text)) = self.code.take() {
                    // The parser gives every line with its end; the last one would draw an empty
                    // line.
                    if text.ends_with('\n') {
                        text.pop();
                    }
                    let spans = code_spans(&text, language.as_deref().and_then(language_named));
                    self.block(MdBlock::Code {
                        language,
                        text,
                        spans,
                    });
                }
            }
            TagEnd::TableCell => {
                let spans = std::mem::take(&mut self.spans);
                if let Some(Frame::Table { cells, .. }) = self.frames.last_mut() {
                    cells.push(MdCell { spans });
                }
            }
            TagEnd::TableHead => {
                if let Some(Frame::Table { head, cells, .. }) = self.frames.last_mut() {
                    *head = std::mem::take(cells);
                }
            }
            TagEnd::TableRow => {
                if let Some(Frame::Table { rows, cells, .. }) = self.frames.last_mut() {
                    rows.push(MdRow {
                        cells: std::mem::take(cells),
                    });
                }
            }
            TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Item => {
                self.flush_paragraph();
                match self.flat.checked_sub(1) {
                    Some(flat) => self.flat = flat,
                    None => self.close(),
                }
            }
            TagEnd::Table => self.close(),
            TagEnd::Strong => self.strong = self.strong.saturating_sub(1),
            TagEnd::Emphasis => self.emphasis = self.emphasis.saturating_sub(1),
            TagEnd::Strikethrough => self.strike = self.strike.saturating_sub(1),
            TagEnd::Link => {
                self.links.pop();
            }
            TagEnd::Image => self.push("]", false),
            _ => {}
        }
    }

    fn push(&mut self, text: &str, code: bool) {
        let span = MdSpan {
            text: text.to_owned(),
            strong: self.strong > 0,
            emphasis: self.emphasis > 0,
            strike: self.strike > 0,
            code,
            href: self.links.last().cloned().flatten(),
        };
        match self.spans.last_mut() {
            // The parser splits text at every character that could have been markup.
            Some(last) if same_style(last, &span) => last.text.push_str(text),
            _ => self.spans.push(span),
        }
    }

    // Text in an item of a tight list has no paragraph around it, so it is still open here.
    fn open(&mut self, frame: Frame) {
        self.flush_paragraph();
        // A table holds no containers, and a frame below a list has to be an item.
        let is_table = matches!(frame, Frame::Table { .. });
        let takes_blocks = matches!(
            self.frames.last(),
            Some(Frame::Quote(_) | Frame::Item { .. })
        );
        let is_deep = self.frames.len() >= DEEPEST && takes_blocks;
        if !is_table && (self.flat > 0 || is_deep) {
            self.flat += 1;
        } else {
            self.frames.push(frame);
        }
    }

    fn close(&mut self) {
        self.flush_paragraph();
        match self.frames.pop() {
            Some(Frame::Quote(blocks)) => self.block(MdBlock::Quote { blocks }),
            Some(Frame::List { start, items }) => self.block(MdBlock::List { start, items }),
            Some(Frame::Item { checked, blocks }) => {
                if let Some(Frame::List { items, .. }) = self.frames.last_mut() {
                    items.push(MdItem { checked, blocks });
                }
            }
            Some(Frame::Table { head, rows, .. }) => self.block(MdBlock::Table { head, rows }),
            None => {}
        }
    }

    fn flush_paragraph(&mut self) {
        if !self.spans.is_empty() {
            let spans = std::mem::take(&mut self.spans);
            self.block(MdBlock::Paragraph { spans });
        }
    }

    fn block(&mut self, block: MdBlock) {
        match self.frames.last_mut() {
            Some(Frame::Quote(blocks) | Frame::Item { blocks, .. }) => blocks.push(block),
            // A list has items and a table cells, so a block in neither is not lost.
            Some(Frame::List { .. } | Frame::Table { .. }) | None => self.done.push(block),
        }
    }

    fn finish(mut self) -> Vec<MdBlock> {
        self.flush_paragraph();
        while !self.frames.is_empty() {
            self.close();
        }
        self.done
    }
}

fn same_style(a: &MdSpan, b: &MdSpan) -> bool {
    let style = |span: &MdSpan| (span.strong, span.emphasis, span.code, span.strike);
    style(a) == style(b) && a.href == b.href
}

fn safe_link(target: &str) -> Option<String> {
    // `JavaScript:` runs whatever its case, and a list of what is allowed needs no knowledge of
    // what is not.
    let lower = target.to_ascii_lowercase();
    let safe = ["http://", "https://", "mailto:"]
        .iter()
        .any(|scheme| lower.starts_with(scheme));
    safe.then(|| target.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> MdSpan {
        MdSpan {
            text: text.to_owned(),
            strong: false,
            emphasis: false,
            code: false,
            strike: false,
            href: None,
        }
    }

    #[test]
    fn html_is_text_and_script_links_are_not_links() {
        let blocks = markdown("<script>alert(1)</script>\n\n[x](javascript:alert(1)) <b>y</b>");
        let text = format!("{blocks:?}");
        assert!(
            text.contains("<script>alert(1)"),
            "html must be shown: {text}"
        );
        assert!(!text.contains("href: Some"), "no link may survive: {text}");
    }

    #[test]
    fn lists_keep_their_ticks_and_nesting() {
        let blocks = markdown("- [x] done\n- [ ] open\n  1. inner");
        let [MdBlock::List { items, start: None }] = blocks.as_slice() else {
            panic!("expected one list, got {blocks:?}");
        };
        assert_eq!(items[0].checked, Some(true));
        assert_eq!(items[1].checked, Some(false));
        assert!(matches!(
            items[1].blocks[1],
            MdBlock::List { start: Some(1), .. }
        ));
    }

    #[test]
    fn neighbouring_text_is_one_span() {
        assert_eq!(
            markdown("a\nb & c"),
            [MdBlock::Paragraph {
                spans: vec![plain("a b & c")]
            }]
        );
    }

    #[test]
    fn containers_that_are_too_deep_are_drawn_flat() {
        // In JSON a list is three levels: the block, its items, the blocks of each.
        fn depth(blocks: &[MdBlock]) -> usize {
            let below = blocks.iter().map(|block| match block {
                MdBlock::Quote { blocks } => depth(blocks),
                MdBlock::List { items, .. } => {
                    let items = items.iter().map(|item| depth(&item.blocks));
                    items.max().unwrap_or(0) + 1
                }
                _ => 0,
            });
            below.max().map_or(0, |below| below + 1)
        }
        for marker in [">", "> ", "- ", "1. ", "> - ", "- > 1. "] {
            for count in [10, 100, 1_358, 20_000] {
                let text = format!("{}deep\n\nafter", marker.repeat(count));
                let blocks = markdown(&text);
                assert!(depth(&blocks) <= 2 * DEEPEST, "{marker:?} {count}");
                let shown = format!("{blocks:?}");
                assert!(shown.contains("deep") && shown.contains("after"), "{shown}");
            }
        }
        let nested = "- a\n  - b\n    - c\n      - d\n- e";
        assert_eq!(depth(&markdown(nested)), 9);
    }
}
