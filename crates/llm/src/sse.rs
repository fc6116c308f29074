//! Server-sent events out of a byte stream that may be cut anywhere.
//!
//! Follows the event-stream grammar of the HTML standard: lines end with LF, CRLF or CR, `data`
//! lines of one event are joined by LF, comments and unknown fields are skipped, a leading BOM is
//! dropped, bytes that are not UTF-8 become U+FFFD. `id` and `retry` are ignored: no model
//! provider resumes a stream.

/// One event: its `event` field (empty when it has none) and its data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SseEvent {
    /// The `event` field; empty for an unnamed event.
    pub name: String,
    /// The `data` lines, joined by line feeds.
    pub data: String,
}

/// Reads events out of chunks; how the stream is cut into chunks makes no difference.
#[derive(Debug, Default)]
pub struct SseParser {
    line: Vec<u8>,
    /// The last line ended with CR: a LF that follows belongs to it.
    after_cr: bool,
    past_first_line: bool,
    name: String,
    data: Option<String>,
}

impl SseParser {
    /// Takes the next bytes and returns the events they complete.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<SseEvent> {
        let mut events = Vec::new();
        for &byte in bytes {
            // CR and LF may come in two chunks, so the state survives the call.
            let after_cr = std::mem::take(&mut self.after_cr);
            match byte {
                b'\n' if after_cr => {}
                b'\n' | b'\r' => {
                    self.after_cr = byte == b'\r';
                    events.extend(self.end_line());
                }
                _ => self.line.push(byte),
            }
        }
        events
    }

    /// The event the stream ended in, when it ended without the closing blank line. The standard
    /// drops it; servers that forget the last line feed are common enough to ask for it.
    pub fn finish(mut self) -> Option<SseEvent> {
        let at_line = if self.line.is_empty() {
            None
        } else {
            self.end_line()
        };
        at_line.or_else(|| self.end_event())
    }

    fn end_line(&mut self) -> Option<SseEvent> {
        let bytes = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&bytes);
        let mut line = line.as_ref();
        if !std::mem::replace(&mut self.past_first_line, true) {
            line = line.strip_prefix('\u{feff}').unwrap_or(line);
        }
        if line.is_empty() {
            return self.end_event();
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.name),
            "data" => match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            },
            // Comments have an empty field name; other fields have no meaning here.
            _ => {}
        }
        None
    }

    fn end_event(&mut self) -> Option<SseEvent> {
        let name = std::mem::take(&mut self.name);
        let data = self.data.take()?;
        Some(SseEvent { name, data })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(chunks: &[&[u8]]) -> Vec<(String, String)> {
        let mut parser = SseParser::default();
        let mut events: Vec<SseEvent> =
            chunks.iter().flat_map(|chunk| parser.push(chunk)).collect();
        events.extend(parser.finish());
        events
            .into_iter()
            .map(|event| (event.name, event.data))
            .collect()
    }

    fn event(name: &str, data: &str) -> (String, String) {
        (name.to_owned(), data.to_owned())
    }

    #[test]
    fn reads_fields_comments_and_every_line_ending() {
        let stream =
            "\u{feff}: hello\nevent: a\r\ndata: 1\rdata:2\n\ndata:  3\nid: 7\nretry: 9\r\n\r\n";
        assert_eq!(
            parse(&[stream.as_bytes()]),
            [event("a", "1\n2"), event("", " 3")]
        );
    }

    #[test]
    fn an_event_without_data_is_none_and_forgets_its_name() {
        assert_eq!(parse(&[b"event: ping\n\ndata: x\n\n"]), [event("", "x")]);
    }

    #[test]
    fn the_last_event_counts_without_its_blank_line() {
        assert_eq!(parse(&[b"data: [DONE]"]), [event("", "[DONE]")]);
        assert_eq!(parse(&[b"data: [DONE]\n"]), [event("", "[DONE]")]);
    }

    #[test]
    fn a_character_cut_in_two_stays_whole() {
        assert_eq!(
            parse(&[b"data: caf\xc3", b"\xa9\n\n"]),
            [event("", "caf\u{e9}")]
        );
    }

    proptest! {
        #[test]
        fn any_cutting_gives_the_same_events(
            lines in prop::collection::vec("(data|event|id|)(: ?)?[a-zé日\u{1f600} :]{0,8}", 0..12),
            ends in prop::collection::vec(prop::sample::select(vec!["\n", "\r\n", "\r"]), 12),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
        ) {
            let stream: String =
                lines.iter().zip(&ends).flat_map(|(line, end)| [line.as_str(), end]).collect();
            let bytes = stream.as_bytes();
            let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
            at.push(0);
            at.push(bytes.len());
            at.sort_unstable();
            let chunks: Vec<&[u8]> = at.windows(2).map(|w| &bytes[w[0]..w[1]]).collect();
            let one_by_one: Vec<&[u8]> = bytes.chunks(1).collect();
            let whole = parse(&[bytes]);
            prop_assert_eq!(&parse(&chunks), &whole);
            prop_assert_eq!(&parse(&one_by_one), &whole);
        }

        #[test]
        fn written_events_are_read_back(
            events in prop::collection::vec(("[a-z]{0,4}", "[a-z é{}\n]{0,12}"), 0..6),
        ) {
            let mut stream = String::new();
            for (name, data) in &events {
                if !name.is_empty() {
                    stream.push_str(&format!("event: {name}\n"));
                }
                for line in data.split('\n') {
                    stream.push_str(&format!("data: {line}\n"));
                }
                stream.push('\n');
            }
            prop_assert_eq!(parse(&[stream.as_bytes()]), events);
        }

        #[test]
        fn any_bytes_give_no_more_text_than_they_have(
            bytes in prop::collection::vec(any::<u8>(), 0..200),
        ) {
            let events = parse(&[&bytes]);
            // A byte that is no UTF-8 becomes U+FFFD, which takes three.
            let text: usize = events.iter().map(|(name, data)| name.len() + data.len()).sum();
            prop_assert!(text <= 3 * bytes.len());
        }
    }
}
