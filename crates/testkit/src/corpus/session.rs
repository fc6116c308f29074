//! One generated session, record by record.

use super::text::{Flavour, LinePool, file, sentence};
use super::{CorpusSpec, CorpusStats};
use crate::clock::iso;
use crate::seeded::{IdSequence, Rng};
use palimpsest_core::estimate::tokens_of_units;
use serde_json::json;
use std::io::{self, Write};

/// How many entries of the current path are remembered, for branches and kept tails.
const REMEMBERED: usize = 64;
/// Tokens of system prompt and tools in every reported total.
const UNRECORDED_TOKENS: u64 = 9_000;
/// What a record costs besides its text, measured over a generated session.
const RECORD_OVERHEAD_BYTES: u64 = 330;
/// Huge texts are written in pieces of this size.
const PIECE_BYTES: usize = 64 * 1024;

/// Writes a generated session; the same spec gives the same bytes.
pub fn write_session(spec: &CorpusSpec, out: &mut impl Write) -> io::Result<CorpusStats> {
    let mut rng = Rng::new(spec.seed);
    let pool = LinePool::new(&mut rng);
    let mut writer = SessionWriter {
        spec,
        ids: IdSequence::new(spec.seed),
        at_ms: spec.start.now_ms(),
        rng,
        pool,
        out,
        buffer: Vec::with_capacity(PIECE_BYTES * 2),
        recent: Vec::new(),
        written: 0,
        stats: CorpusStats::default(),
    };
    writer.run()?;
    Ok(writer.stats)
}

/// An entry of the current path: its number, its size and the context with it, in tokens.
#[derive(Clone, Copy)]
struct Step {
    number: u32,
    tokens: u64,
    context: u64,
}

struct SessionWriter<'a, W: Write> {
    spec: &'a CorpusSpec,
    ids: IdSequence,
    at_ms: i64,
    rng: Rng,
    pool: LinePool,
    out: &'a mut W,
    buffer: Vec<u8>,
    /// The newest entries of the path, none older than the newest compaction's kept tail.
    recent: Vec<Step>,
    written: u32,
    stats: CorpusStats,
}

impl<W: Write> SessionWriter<'_, W> {
    fn run(&mut self) -> io::Result<()> {
        let header = json!({
            "type": "session", "version": 3, "id": self.spec.session_id(),
            "timestamp": self.spec.start.iso(), "cwd": self.spec.cwd,
        });
        writeln!(self.buffer, "{header}")?;
        self.flush()?;
        self.plain(
            r#""type":"model_change","provider":"anthropic","modelId":"claude-sonnet-4-5""#,
        )?;
        let huge_at = self.spec.entries / 2;
        let mut huge = self.spec.huge_line_bytes;
        while self.left() > 0 {
            self.user()?;
            let calls = self.rng.between(1, 9);
            for _ in 0..calls {
                if self.left() < 2 {
                    break;
                }
                let call = self.tool_call()?;
                match huge {
                    Some(bytes) if self.written >= huge_at => {
                        huge = None;
                        self.huge_result(call, bytes)?;
                    }
                    _ => self.tool_result(call)?,
                }
                if self.spec.compact_at_tokens > 0 && self.context() > self.spec.compact_at_tokens {
                    self.compaction()?;
                }
            }
            self.answer()?;
            let every = u64::from(self.spec.branch_every);
            if every > 0 && self.rng.between(1, every) <= calls * 2 + 2 {
                self.branch()?;
            }
        }
        self.stats.entries = u64::from(self.written);
        if let Some(last) = self.written.checked_sub(1) {
            self.stats.leaf_id = self.ids.nth(last);
        }
        Ok(())
    }

    fn left(&self) -> u32 {
        self.spec.entries.saturating_sub(self.written)
    }

    fn context(&self) -> u64 {
        self.recent.last().map_or(0, |step| step.context)
    }

    /// Bytes of text the next tool result should have so that the file comes out as asked.
    fn result_bytes(&mut self) -> usize {
        let Some(target) = self.spec.target_bytes else {
            return self.rng.between(100, 700) as usize;
        };
        let huge = self.spec.huge_line_bytes.unwrap_or(0);
        let ordinary = target.saturating_sub(huge);
        // One record in two is a tool result and takes the bulk for both.
        let due = ordinary * u64::from(self.written + 2) / u64::from(self.spec.entries.max(1));
        let huge_written = if self.stats.bytes > huge && self.written > self.spec.entries / 2 {
            huge
        } else {
            0
        };
        let behind = due.saturating_sub(self.stats.bytes - huge_written);
        let wanted = behind.saturating_sub(RECORD_OVERHEAD_BYTES);
        // Uneven on purpose; the next result makes up for it.
        (wanted * self.rng.between(40, 160) / 100).max(20) as usize
    }

    /// Begins a record in the buffer: everything up to its own fields.
    fn begin(&mut self) -> io::Result<()> {
        self.at_ms += self.rng.between(300, 9_000) as i64;
        let parent = match self.recent.last() {
            Some(step) => format!("\"{}\"", self.ids.nth(step.number)),
            None => "null".to_owned(),
        };
        let id = self.ids.nth(self.written);
        write!(
            self.buffer,
            r#"{{"id":"{id}","parentId":{parent},"timestamp":"{}","#,
            iso(self.at_ms)
        )
    }

    /// Ends the record and remembers it; `units` is the length of its text.
    fn end(&mut self, tail: &str, units: u64) -> io::Result<()> {
        self.buffer.extend_from_slice(tail.as_bytes());
        self.buffer.push(b'\n');
        let tokens = tokens_of_units(units);
        let context = self.context() + tokens;
        self.recent.push(Step {
            number: self.written,
            tokens,
            context,
        });
        if self.recent.len() > REMEMBERED * 2 {
            self.recent.drain(..REMEMBERED);
        }
        self.written += 1;
        self.flush()
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.buffer)?;
        self.stats.bytes += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    fn fill(&mut self, flavour: Flavour, bytes: usize) -> u64 {
        let before = self.buffer.len();
        self.pool
            .fill(&mut self.buffer, flavour, bytes, &mut self.rng);
        (self.buffer.len() - before) as u64
    }

    fn plain(&mut self, fields: &str) -> io::Result<()> {
        self.begin()?;
        self.buffer.extend_from_slice(fields.as_bytes());
        self.end("}", 0)
    }

    fn user(&mut self) -> io::Result<()> {
        self.begin()?;
        let at = self.at_ms;
        write!(
            self.buffer,
            r#""type":"message","message":{{"role":"user","timestamp":{at},"content":[{{"type":"text","text":""#
        )?;
        let bytes = self.rng.between(60, 260) as usize;
        let units = self.fill(Flavour::Prose, bytes);
        self.end(r#""}]}}"#, units)
    }

    /// Writes a call and returns its number.
    fn tool_call(&mut self) -> io::Result<u32> {
        self.begin()?;
        let number = self.written;
        let path = file(&mut self.rng);
        let (name, arguments) = match self.rng.below(4) {
            0 => ("bash", format!(r#"{{"command":"rg -n {path} src"}}"#)),
            1 => (
                "edit",
                format!(r#"{{"path":"{path}","edits":[{{"oldText":"a{number}","newText":"b"}}]}}"#),
            ),
            _ => ("read", format!(r#"{{"path":"{path}"}}"#)),
        };
        let thought = sentence(&mut self.rng);
        let units = (thought.len() + name.len() + arguments.len()) as u64;
        write!(
            self.buffer,
            r#""type":"message","message":{{"role":"assistant","content":[{{"type":"text","text":"{thought}"}},{{"type":"toolCall","id":"toolu_{number:08}","name":"{name}","arguments":{arguments}}}],"#
        )?;
        self.reply_fields(units, "toolUse")?;
        self.end("}}", units)?;
        Ok(number)
    }

    fn answer(&mut self) -> io::Result<()> {
        if self.left() == 0 {
            return Ok(());
        }
        self.begin()?;
        self.buffer.extend_from_slice(
            br#""type":"message","message":{"role":"assistant","content":[{"type":"text","text":""#,
        );
        let bytes = self.rng.between(80, 500) as usize;
        let units = self.fill(Flavour::Prose, bytes);
        self.buffer.extend_from_slice(br#""}],"#);
        self.reply_fields(units, "stop")?;
        self.end("}}", units)
    }

    fn reply_fields(&mut self, units: u64, stop_reason: &str) -> io::Result<()> {
        let prompt = UNRECORDED_TOKENS + self.context();
        let output = tokens_of_units(units);
        let cached = prompt * 9 / 10;
        let total = prompt + output;
        write!(
            self.buffer,
            r#""api":"anthropic-messages","provider":"anthropic","model":"claude-sonnet-4-5","usage":{{"input":3,"output":{output},"cacheRead":{cached},"cacheWrite":{},"totalTokens":{total},"cost":{{"input":0.000009,"output":0.001,"cacheRead":0.002,"cacheWrite":0.001,"total":0.004009}}}},"stopReason":"{stop_reason}","timestamp":{}"#,
            prompt - cached - 3,
            self.at_ms
        )
    }

    fn begin_result(&mut self, call: u32) -> io::Result<()> {
        self.begin()?;
        let at = self.at_ms;
        write!(
            self.buffer,
            r#""type":"message","message":{{"role":"toolResult","toolCallId":"toolu_{call:08}","toolName":"read","isError":false,"timestamp":{at},"content":[{{"type":"text","text":""#
        )
    }

    fn tool_result(&mut self, call: u32) -> io::Result<()> {
        let bytes = self.result_bytes();
        self.begin_result(call)?;
        let flavour = *self.rng.pick(&[Flavour::Code, Flavour::Code, Flavour::Log]);
        let units = self.fill(flavour, bytes);
        self.end(r#""}]}}"#, units)
    }

    fn huge_result(&mut self, call: u32, bytes: u64) -> io::Result<()> {
        self.begin_result(call)?;
        let mut units = 0;
        while units < bytes {
            units += self.fill(Flavour::Log, PIECE_BYTES.min((bytes - units) as usize));
            self.flush()?;
        }
        self.end(r#""}]}}"#, units)
    }

    fn compaction(&mut self) -> io::Result<()> {
        if self.left() < 2 {
            return Ok(());
        }
        let mut kept_tokens = 0;
        let first = (0..self.recent.len())
            .rev()
            .find(|&i| {
                kept_tokens += self.recent[i].tokens;
                kept_tokens >= 20_000
            })
            .unwrap_or(0);
        let kept = self.ids.nth(self.recent[first].number);
        let before = UNRECORDED_TOKENS + self.context();
        self.begin()?;
        write!(
            self.buffer,
            r###""type":"compaction","firstKeptEntryId":"{kept}","tokensBefore":{before},"details":{{"readFiles":["src/main.rs"],"modifiedFiles":["src/queue.rs"]}},"fromHook":false,"summary":"## Goal\n"###
        )?;
        let units = self.fill(Flavour::Prose, 4_000);
        self.end("\"}", units)?;
        self.stats.compactions += 1;
        // From here on the context is the summary and the kept tail; nothing older is remembered.
        self.recent.drain(..first);
        let context = self.recent.iter().map(|step| step.tokens).sum();
        if let Some(compaction) = self.recent.last_mut() {
            compaction.context = context;
        }
        Ok(())
    }

    fn branch(&mut self) -> io::Result<()> {
        if self.left() < 2 || self.recent.len() < 4 {
            return Ok(());
        }
        let Some(left) = self.recent.last().copied() else {
            return Ok(());
        };
        let keep = self.recent.len() - 1 - self.rng.below(self.recent.len() / 2);
        self.recent.truncate(keep);
        self.begin()?;
        let from = self.ids.nth(left.number);
        write!(
            self.buffer,
            r###""type":"branch_summary","fromId":"{from}","details":{{"readFiles":[],"modifiedFiles":["src/relay.rs"]}},"fromHook":false,"summary":"## Goal\n"###
        )?;
        let units = self.fill(Flavour::Prose, 900);
        self.end("\"}", units)?;
        self.stats.branch_summaries += 1;
        Ok(())
    }
}
