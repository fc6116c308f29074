//! Sessions made up for measuring: any number, any size, the same bytes for the same numbers.
//!
//! The text imitates what sessions are full of: prose with a Zipf-like vocabulary, paths,
//! identifiers, code, compiler output and numbers, in pi's session format, version 3.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// How many sessions to make, and how large.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CorpusSize {
    /// Number of session files.
    pub sessions: u32,
    /// Number of lines of all files together, headers included.
    pub lines: u32,
    /// Size of all files together in bytes, reached within a few per cent.
    pub bytes: u64,
}

impl CorpusSize {
    /// The corpus of the indexing target: 1,000 sessions, 200,000 lines, 200 MB.
    pub const THOUSAND_SESSIONS: CorpusSize = CorpusSize {
        sessions: 1_000,
        lines: 200_000,
        bytes: 200_000_000,
    };
    /// One long session: 50,000 lines, 55 MB.
    pub const ONE_LARGE: CorpusSize = CorpusSize {
        sessions: 1,
        lines: 50_000,
        bytes: 55_000_000,
    };

    /// The same in small.
    pub fn divided_by(self, by: u32) -> CorpusSize {
        CorpusSize {
            sessions: (self.sessions / by).max(1),
            lines: self.lines / by,
            bytes: self.bytes / u64::from(by),
        }
    }
}

/// Name of the file that says which corpus a folder holds. It is no session by its name.
const MARK: &str = "corpus.txt";

/// The corpus in `dir` if it is the one of `size`, else a new one there.
pub fn kept_or_generated(dir: &Path, size: CorpusSize) -> io::Result<Corpus> {
    let mark = dir.join(MARK);
    let wanted = format!("{size:?}\n");
    let kept = fs::read_to_string(&mark).unwrap_or_default();
    if let Some(rest) = kept.strip_prefix(&wanted) {
        let mut corpus = Corpus {
            files: Vec::new(),
            bytes: 0,
            lines: u64::from(size.lines),
        };
        for name in rest.lines() {
            let path = dir.join(name);
            corpus.bytes += fs::metadata(&path)?.len();
            corpus.files.push(path);
        }
        return Ok(corpus);
    }
    // Only a folder that has the mark is deleted; anything else in `dir` stays.
    if !kept.is_empty() {
        fs::remove_dir_all(dir)?;
    }
    let corpus = generate(dir, size)?;
    let mut text = wanted;
    for path in &corpus.files {
        let name = path.strip_prefix(dir).unwrap_or(path);
        let _ = writeln!(text, "{}", name.display());
    }
    fs::write(mark, text)?;
    Ok(corpus)
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Corpus {
    /// The files, oldest session first.
    pub files: Vec<PathBuf>,
    /// Their size together in bytes.
    pub bytes: u64,
    /// Their lines together.
    pub lines: u64,
}

/// Writes a corpus of `size` into `dir`, which is made when missing.
fn generate(dir: &Path, size: CorpusSize) -> io::Result<Corpus> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let words = Words::new(&mut random);
    let mut corpus = Corpus {
        files: Vec::new(),
        bytes: 0,
        lines: 0,
    };
    for session in 0..size.sessions {
        let left = size.sessions - session;
        // Shared out over the sessions that are left, so that rounding does not add up.
        let lines = (u64::from(size.lines) - corpus.lines) / u64::from(left);
        let bytes = size.bytes.saturating_sub(corpus.bytes) / u64::from(left);
        // Folders as pi makes them: one for each working directory.
        let project = words.get(&mut random, 40).to_owned();
        let folder = dir.join(format!("--home-dev-{project}--"));
        fs::create_dir_all(&folder)?;
        let path = folder.join(format!("2026-10-01T00-00-00-000Z_{session:08x}.jsonl"));
        let mut writer = SessionWriter {
            out: BufWriter::new(fs::File::create(&path)?),
            // A seed for each session: its bytes do not depend on how many there are.
            random: Random(u64::from(session) + 1),
            words: &words,
            project,
            written: 0,
            last_id: None,
            at_ms: 1_760_000_000_000 + i64::from(session) * 3_600_000,
        };
        writer.header(session)?;
        for line in 1..lines {
            let room = bytes.saturating_sub(writer.written) / (lines - line);
            writer.entry(line, room)?;
        }
        writer.out.flush()?;
        corpus.lines += lines;
        corpus.bytes += writer.written;
        corpus.files.push(path);
    }
    Ok(corpus)
}

/// One more line as pi would append it to the last session entry, for measuring appends.
pub fn appended_line(parent_id: &str, id: &str) -> String {
    format!(
        "{{\"type\":\"message\",\"id\":\"{id}\",\"parentId\":\"{parent_id}\",\
         \"timestamp\":\"2026-11-01T00:00:00.000Z\",\"message\":{{\"role\":\"user\",\
         \"content\":[{{\"type\":\"text\",\"text\":\"one more thing about zanzibar\"}}],\
         \"timestamp\":1793491200000}}}}\n"
    )
}

/// The id of the entry on `line` of a generated session.
pub fn entry_id(line: u64) -> String {
    format!("{:08x}", line.wrapping_mul(0x9e37_79b1) & 0xffff_ffff)
}

/// SplitMix64: small, seedable, good enough for text nobody reads.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// A vocabulary in which the word of rank r is drawn about as often as 1/r.
struct Words(Vec<String>);

impl Words {
    const COUNT: usize = 60_000;

    fn new(random: &mut Random) -> Words {
        const ONSETS: [&str; 16] = [
            "b", "c", "d", "f", "g", "l", "m", "n", "p", "r", "s", "t", "v", "st", "tr", "pl",
        ];
        const RIMES: [&str; 12] = [
            "a", "e", "i", "o", "u", "an", "er", "in", "or", "ent", "ate", "ion",
        ];
        let mut list: Vec<String> = [
            "the", "of", "to", "and", "in", "is", "it", "for", "error", "file", "test", "fn",
        ]
        .map(str::to_owned)
        .to_vec();
        let mut seen: std::collections::HashSet<String> = list.iter().cloned().collect();
        while list.len() < Words::COUNT {
            let mut word = String::new();
            for _ in 0..1 + random.below(4) {
                word.push_str(ONSETS[random.below(16) as usize]);
                word.push_str(RIMES[random.below(12) as usize]);
            }
            if seen.insert(word.clone()) {
                list.push(word);
            }
        }
        Words(list)
    }

    /// A word among the `top` most frequent ones.
    fn get(&self, random: &mut Random, top: usize) -> &str {
        // Inverse of the logarithm, which is what the sum of 1/r grows like.
        let rank = ((top as f64).ln() * random.unit()).exp();
        &self.0[(rank as usize).min(top) - 1]
    }
}

struct SessionWriter<'a> {
    out: BufWriter<fs::File>,
    random: Random,
    words: &'a Words,
    project: String,
    written: u64,
    last_id: Option<String>,
    at_ms: i64,
}

impl SessionWriter<'_> {
    fn line(&mut self, line: &str) -> io::Result<()> {
        self.out.write_all(line.as_bytes())?;
        self.out.write_all(b"\n")?;
        self.written += line.len() as u64 + 1;
        Ok(())
    }

    fn header(&mut self, session: u32) -> io::Result<()> {
        let line = format!(
            "{{\"type\":\"session\",\"version\":3,\"id\":\"bench-{session:08x}\",\
             \"timestamp\":\"{}\",\"cwd\":\"/home/dev/{}\"}}",
            iso(self.at_ms),
            self.project
        );
        self.line(&line)
    }

    /// Writes the entry for `line`, of about `room` bytes on average over a few entries.
    fn entry(&mut self, line: u64, room: u64) -> io::Result<()> {
        self.at_ms += 2_000 + self.random.below(20_000) as i64;
        let id = entry_id(line);
        let parent = match &self.last_id {
            Some(parent) => format!("\"{parent}\""),
            None => "null".to_owned(),
        };
        let mut text = format!(
            "{{\"type\":\"message\",\"id\":\"{id}\",\"parentId\":{parent},\"timestamp\":\"{}\",\
             \"message\":",
            iso(self.at_ms)
        );
        // A user speaks once in ten entries; otherwise the model calls and a tool answers. Results
        // are the long ones, and a few are very long.
        let room = room.saturating_sub(280);
        match line % 10 {
            1 => self.user(&mut text, room / 3),
            n if n % 2 == 0 => self.assistant(&mut text, line, room / 2),
            _ => {
                let spread = [1, 1, 2, 3, 8][self.random.below(5) as usize];
                self.tool_result(&mut text, line, room * spread * 13 / 30);
            }
        }
        text.push('}');
        self.last_id = Some(id);
        self.line(&text)
    }

    fn user(&mut self, out: &mut String, size: u64) {
        out.push_str("{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"");
        self.prose(out, size);
        let _ = write!(out, "\"}}],\"timestamp\":{}}}", self.at_ms);
    }

    fn assistant(&mut self, out: &mut String, line: u64, size: u64) {
        out.push_str("{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"");
        self.prose(out, size / 3);
        out.push_str("\"},{\"type\":\"text\",\"text\":\"");
        self.prose(out, size / 3);
        let path = self.path();
        let _ = write!(
            out,
            "\"}},{{\"type\":\"toolCall\",\"id\":\"call_{line}\",\"name\":\"{}\",\
             \"arguments\":{{\"path\":\"{path}\",\"content\":\"",
            ["read", "edit", "write", "read"][self.random.below(4) as usize],
        );
        self.code(out, size / 3);
        let context = 2_000 + line * 90 % 150_000;
        let _ = write!(
            out,
            "\"}}}}],\"api\":\"openai-completions\",\"provider\":\"bench\",\"model\":\"bench-1\",\
             \"usage\":{{\"input\":{context},\"output\":{},\"cacheRead\":0,\"cacheWrite\":0,\
             \"totalTokens\":{},\"cost\":{{\"input\":0.001,\"output\":0.002,\"cacheRead\":0,\
             \"cacheWrite\":0,\"total\":0.003}}}},\"stopReason\":\"toolUse\",\"timestamp\":{}}}",
            size / 4,
            context + size / 4,
            self.at_ms
        );
    }

    fn tool_result(&mut self, out: &mut String, line: u64, size: u64) {
        let is_error = self.random.below(25) == 0;
        let _ = write!(
            out,
            "{{\"role\":\"toolResult\",\"toolCallId\":\"call_{}\",\"toolName\":\"read\",\
             \"content\":[{{\"type\":\"text\",\"text\":\"",
            line.saturating_sub(1)
        );
        if self.random.below(3) == 0 {
            self.listing(out, size);
        } else {
            self.code(out, size);
        }
        let _ = write!(
            out,
            "\"}}],\"isError\":{is_error},\"timestamp\":{}}}",
            self.at_ms
        );
    }

    fn path(&mut self) -> String {
        let depth = 1 + self.random.below(3);
        let mut path = String::from("src");
        for _ in 0..depth {
            let _ = write!(path, "/{}", self.words.get(&mut self.random, 300));
        }
        path.push_str([".rs", ".ts", ".py"][self.random.below(3) as usize]);
        path
    }

    fn prose(&mut self, out: &mut String, size: u64) {
        let end = out.len() + size as usize;
        while out.len() < end {
            let word = self.words.get(&mut self.random, Words::COUNT);
            out.push_str(word);
            out.push_str(match self.random.below(14) {
                0 => ". ",
                1 => ", ",
                2 => "\\n",
                _ => " ",
            });
            if self.random.below(40) == 0 {
                let path = self.path();
                let _ = write!(out, "`{path}` ");
            }
        }
    }

    fn code(&mut self, out: &mut String, size: u64) {
        let end = out.len() + size as usize;
        while out.len() < end {
            let mut word = || self.words.get(&mut self.random, 8_000).to_owned();
            let (a, b, c, d) = (word(), word(), word(), word());
            let number = self.random.below(5_000);
            let _ = match number % 4 {
                0 => write!(out, "    let {a}_{b} = self.{c}({d}, {number})?;\\n"),
                1 => write!(
                    out,
                    "    if {a}.{b}() {{ return Err(\\\"{c} {d}\\\"); }}\\n"
                ),
                2 => write!(out, "    // {a} {b} {c} the {d}\\n"),
                _ => write!(out, "fn {a}_{b}({c}: &str) -> Option<{d}> {{\\n"),
            };
        }
    }

    fn listing(&mut self, out: &mut String, size: u64) {
        let end = out.len() + size as usize;
        while out.len() < end {
            let path = self.path();
            let (line, hash) = (self.random.below(900), self.random.next());
            let word = self.words.get(&mut self.random, 2_000);
            let _ = write!(
                out,
                "{path}:{line}:9: warning: {word} {:06x}\\n",
                hash >> 40
            );
        }
    }
}

/// `at_ms` as pi writes times: ISO 8601, milliseconds, UTC.
fn iso(at_ms: i64) -> String {
    match jiff::Timestamp::from_millisecond(at_ms) {
        Ok(time) => time.strftime("%Y-%m-%dT%H:%M:%S.000Z").to_string(),
        Err(_) => "1970-01-01T00:00:00.000Z".to_owned(),
    }
}
