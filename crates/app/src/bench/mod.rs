//! Measuring the program on generated sessions, against the figures it is built for.
//!
//! The corpora are written to disk, so everything is measured as a user meets it: files, the
//! index in a file, threads. Times vary with the machine and what else runs on it; the aims are
//! for two cores of a few years ago.

mod claude_code;
mod corpus;
mod ledgers;
mod measure;
mod planning;
mod storage;

use crate::error::{AppError, Result};
use crate::index::{self, Control};
use crate::options::Options;
use crate::search::{self, HitSort, ListOptions, ListSort};
use crate::session::OpenSession;
use crate::view::geometry::picture_of;
use crate::view::outline::{self, TreeFilter};
use crate::watch::Watcher;
use corpus::{Corpus, CorpusSize};
use measure::{Spent, peak_mb, reset_peak, spent};
use palimpsest_core::layout::{GraphBytes, PictureOptions};
use palimpsest_core::{Bodies as _, EntryIx};
use palimpsest_store::index::{SessionFilter, SessionSort};
use palimpsest_store::{IndexDb, StoreError};
use serde::Serialize;
use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Sessions that a first start lists soon.
const FIRST_LISTED: u64 = 200;
/// A page as the interface asks for one.
const PAGE: u64 = 50;

/// What was measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// True for smaller corpora, whose aims are scaled with them.
    pub quick: bool,
    /// Processors the system offers.
    pub processors: usize,
    /// The figures, in the order measured.
    pub figures: Vec<Figure>,
    /// The largest ratio of all figures: above 1 is over the aim.
    pub worst_ratio: f64,
}

/// One figure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figure {
    /// What was measured.
    pub name: &'static str,
    /// What came out.
    pub measured: f64,
    /// Of what: `CPU s`, `ms`, `MB`, `KB`, `x`.
    pub unit: &'static str,
    /// What it should be at most.
    pub aim: f64,
    /// `measured` over `aim`.
    pub ratio: f64,
    /// What else is worth knowing.
    pub note: String,
}

/// What a host sends for one thing the user does.
#[derive(Debug, Clone, PartialEq)]
pub struct Sent {
    /// What the user did.
    pub name: &'static str,
    /// The answers together, in thousands of bytes.
    pub kilobytes: f64,
    /// The bytes of each answer.
    pub note: String,
}

/// Measures what a host sends for the session in a file; the second argument appends a line to it.
/// The first is a folder for the host's data.
pub type MeasureSent<'a> =
    &'a dyn Fn(&Path, &Path, &mut dyn FnMut() -> Result<()>) -> Result<Vec<Sent>>;

/// Most kilobytes sent to open the large session, and when a line is appended to it.
const MOST_SENT: [f64; 2] = [1_500.0, 250.0];

/// Measures everything. The corpora are kept in `dir` when one is given, and used again from
/// there; else they go to the system's folder for temporary files and are deleted at the end.
///
/// Every figure is told to `progress` as a line when it is there.
///
/// Errors: when the corpora cannot be written (1 GB is needed), or the index cannot.
pub fn run(
    options: &Options,
    quick: bool,
    dir: Option<PathBuf>,
    sent: MeasureSent<'_>,
    progress: &mut dyn FnMut(&str),
) -> Result<Report> {
    let temporary = dir.is_none();
    let dir = dir.unwrap_or_else(|| {
        std::env::temp_dir().join(format!("palimpsest-bench-{}", std::process::id()))
    });
    // Nothing of the user's is touched: the databases are in the corpus folder.
    progress(&format!(
        "generating sessions in {} (the user's data in {} is not looked at)",
        dir.display(),
        options.data_dir.display()
    ));
    let mut bench = Bench {
        dir,
        quick,
        figures: Vec::new(),
        sent,
        progress,
    };
    let outcome = bench.all();
    if temporary {
        fs::remove_dir_all(&bench.dir).ok();
    }
    // After the folder is deleted: a failed measurement must not leave gigabytes behind.
    outcome?;
    let figures = bench.figures;
    let worst_ratio = figures
        .iter()
        .map(|figure| figure.ratio)
        .fold(0.0, f64::max);
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    Ok(Report {
        quick,
        processors,
        figures,
        worst_ratio,
    })
}

struct Bench<'a> {
    dir: PathBuf,
    quick: bool,
    figures: Vec<Figure>,
    sent: MeasureSent<'a>,
    progress: &'a mut dyn FnMut(&str),
}

impl Bench<'_> {
    fn all(&mut self) -> Result<()> {
        let scale = if self.quick { 10 } else { 1 };
        // First, as memory that the rest has used does not all go back to the system.
        let browse = CorpusSize {
            sessions: 10_000,
            lines: 100_000,
            bytes: 100_000_000,
        };
        let browse = self.corpus("browse", browse.divided_by(scale))?;
        self.browse(&browse)?;
        // Claude Code's records are longer than pi's: 3 to 5 KB on average in published sessions.
        let claude = CorpusSize {
            sessions: 1,
            lines: 11_000,
            bytes: 46_000_000,
        };
        let large = self.corpus("claude-large", claude.divided_by(scale))?;
        self.open_claude_code("open a 55 MB Claude Code session", &large, 500.0)?;
        let huge = CorpusSize {
            lines: claude.lines * 3,
            bytes: claude.bytes * 3,
            ..claude
        };
        let huge = self.corpus("claude-huge", huge.divided_by(scale))?;
        self.open_claude_code("open a 165 MB Claude Code session", &huge, 2_000.0)?;
        let many = self.corpus("sessions", CorpusSize::THOUSAND_SESSIONS.divided_by(scale))?;
        let index = self.first_index(&many, f64::from(scale))?;
        self.index_again(&index)?;
        self.idle(&index);
        self.searches(&index)?;
        drop(index);
        let storage = CorpusSize {
            sessions: 20,
            lines: 8_000,
            bytes: 20_000_000,
        };
        let storage = self.corpus("storage", storage.divided_by(scale))?;
        self.storage_kinds(&storage)?;
        let large = self.corpus("large", CorpusSize::ONE_LARGE.divided_by(scale))?;
        self.append(&large)?;
        self.open_large(&large)?;
        self.sent(&large)?;
        self.plan_large(&large)?;
        self.ledgers(scale)?;
        let tree = CorpusSize {
            sessions: 1,
            lines: 20_001,
            bytes: 10_000_000,
        };
        let tree = self.corpus("tree", tree.divided_by(scale))?;
        self.geometry(&tree)
    }

    fn figure(
        &mut self,
        name: &'static str,
        measured: f64,
        unit: &'static str,
        aim: f64,
        note: String,
    ) {
        let ratio = measured / aim;
        (self.progress)(&format!(
            "{name}: {measured:.3} {unit} (aim {aim:.3}, {ratio:.2}x) {note}"
        ));
        self.figures.push(Figure {
            name,
            measured,
            unit,
            aim,
            ratio,
            note,
        });
    }

    fn corpus(&mut self, name: &str, size: CorpusSize) -> Result<Corpus> {
        let dir = self.dir.join(name);
        let path = dir.display().to_string();
        let corpus = corpus::kept_or_generated(&dir, size);
        corpus.map_err(|source| AppError::Write { path, source })
    }

    fn database(&self, name: &str) -> Result<IndexDb> {
        let path = self.dir.join(name);
        // Without a file of an earlier measurement, so that everything is read.
        for suffix in ["", "-wal", "-shm"] {
            fs::remove_file(format!("{}{suffix}", path.display())).ok();
        }
        Ok(IndexDb::open(&path)?.0)
    }

    fn first_index(&mut self, corpus: &Corpus, scale: f64) -> Result<IndexDb> {
        let db = self.database("bench-index.db")?;
        let root = self.dir.join("sessions");
        reset_peak();
        // As the program does it.
        let (report, took) = spent(|| {
            db.fill_words()?;
            let report = index::run(&db, &[root], &Control::QUIET)?;
            db.merge_words(|| false)?;
            Ok::<_, StoreError>(report)
        });
        let report = report?;
        let peak = peak_mb();
        let note = format!(
            "{} sessions, {} entries, {:.0} MB, {:.1} s on the clock",
            report.sessions,
            report.entries,
            corpus.bytes as f64 / 1e6,
            took.wall_ms / 1_000.0
        );
        self.figure("first index", took.cpu_s, "CPU s", 6.0 / scale, note);
        if let Some(peak) = peak {
            self.figure("first index, memory", peak, "MB", 150.0, String::new());
        }
        let size = db.size_bytes() as f64;
        let note = format!("{:.0} MB, as a part of the sessions", size / 1e6);
        self.figure("index size", size / corpus.bytes as f64, "x", 1.0, note);
        Ok(db)
    }

    /// What a megabyte of each kind of storage costs, with Claude Code's for comparison: no other
    /// may cost more than twice as much.
    fn storage_kinds(&mut self, corpus: &Corpus) -> Result<()> {
        let mut claude_code = None;
        for kind in &storage::KINDS {
            let written = kind.written(&corpus.files, &self.dir.join("kinds"));
            let (root, bytes) = written.map_err(|source| AppError::Write {
                path: self.dir.display().to_string(),
                source,
            })?;
            let mut all = Vec::new();
            let mut counted = (0, 0);
            for _ in 0..3 {
                let db = self.database("bench-kinds.db")?;
                let roots = [root.clone()];
                let (report, took) = spent(|| index::run(&db, &roots, &Control::QUIET));
                let report = report?;
                counted = (report.sessions, report.entries);
                all.push(took);
            }
            let per_mb = median(all, |took| took.cpu_s).cpu_s * 1e9 / bytes as f64;
            let (sessions, entries) = counted;
            let note = format!(
                "{sessions} sessions, {entries} entries, {:.0} MB",
                bytes as f64 / 1e6
            );
            // The first index of a hundred megabytes may take 6 seconds.
            let aim = claude_code.map_or(60.0, |base: f64| 2.0 * base);
            claude_code.get_or_insert(per_mb);
            self.figure(kind.figure, per_mb, "CPU ms/MB", aim, note);
        }
        Ok(())
    }

    fn index_again(&mut self, db: &IndexDb) -> Result<()> {
        let root = self.dir.join("sessions");
        let (report, took) = spent(|| index::run(db, &[root], &Control::QUIET));
        let note = format!(
            "{} files unchanged, {:.0} ms",
            report?.unchanged, took.wall_ms
        );
        self.figure(
            "index again, nothing changed",
            took.cpu_s,
            "CPU s",
            0.1,
            note,
        );
        Ok(())
    }

    fn idle(&mut self, db: &IndexDb) {
        let watcher = Watcher::start(
            db.clone(),
            Arc::default(),
            vec![self.dir.join("sessions")],
            |_| (),
        );
        // The watcher looks at everything once when it starts.
        std::thread::sleep(Duration::from_secs(2));
        let ((), took) = spent(|| std::thread::sleep(Duration::from_secs(3)));
        drop(watcher);
        let note = "3 seconds of watching, nothing written".to_owned();
        self.figure(
            "watching, idle",
            took.cpu_s * 1_000.0 / 3.0,
            "ms CPU/s",
            1.0,
            note,
        );
    }

    fn searches(&mut self, db: &IndexDb) -> Result<()> {
        for (name, query) in [
            ("search, a word in most entries", "the"),
            ("search, two frequent words", "error file"),
            ("search, a rare word", "plorforsti"),
            ("search, no hit", "zanzibar"),
            (
                "search, a frequent word with a filter",
                "the project:test has:error",
            ),
            ("search, a phrase", "\"the of\""),
        ] {
            let mut found = 0;
            let took = typical(7, || -> Result<()> {
                found = search::hits(db, None, query, HitSort::Newest, 0, PAGE)?
                    .hits
                    .len();
                Ok(())
            })?;
            let note = format!("{found} hits on the page for '{query}'");
            self.figure(name, took.wall_ms, "ms", 30.0, note);
        }
        // The window shows that there is no hit first, and what to change when it is found.
        let took = typical(7, || -> Result<()> {
            search::search(db, None, "zanzibar", HitSort::Newest, 0, PAGE)?;
            Ok(())
        })?;
        let name = "search, what to change where there is no hit";
        self.figure(
            name,
            took.wall_ms,
            "ms",
            50.0,
            "near spellings and forms".to_owned(),
        );
        Ok(())
    }

    fn append(&mut self, corpus: &Corpus) -> Result<()> {
        let Some(path) = corpus.files.first() else {
            return Ok(());
        };
        let failed = |source| AppError::Write {
            path: path.display().to_string(),
            source,
        };
        let db = self.database("bench-append.db")?;
        let root = std::slice::from_ref(path);
        index::run(&db, root, &Control::QUIET)?;
        let before = fs::metadata(path).map_err(failed)?.len();
        let mut times = Vec::new();
        let mut parent = corpus::entry_id(corpus.lines - 1);
        for n in 0..7 {
            let id = format!("appended{n}");
            let line = corpus::appended_line(&parent, &id);
            parent = id;
            let mut file = OpenOptions::new().append(true).open(path).map_err(failed)?;
            file.write_all(line.as_bytes()).map_err(failed)?;
            let (report, took) = spent(|| index::run(&db, root, &Control::QUIET));
            // Otherwise the time would be that of reading the whole file.
            if report?.bytes != line.len() as u64 {
                return Err(AppError::Internal(
                    "an appended line was not read alone".to_owned(),
                ));
            }
            times.push(took);
        }
        // The corpus may be used again.
        OpenOptions::new()
            .write(true)
            .open(path)
            .and_then(|file| file.set_len(before))
            .map_err(failed)?;
        let took = median(times, |took| took.cpu_s);
        let note = format!("to {:.0} MB, {:.1} ms", before as f64 / 1e6, took.wall_ms);
        self.figure("index one appended line", took.cpu_s, "CPU s", 0.05, note);
        Ok(())
    }

    fn open_large(&mut self, corpus: &Corpus) -> Result<()> {
        let Some(path) = corpus.files.first() else {
            return Ok(());
        };
        let ((open, nodes), took) = {
            let (result, took) = spent(|| -> Result<_> {
                let open = OpenSession::read(path)?;
                let model = model_of(&open);
                let rows =
                    outline::rows(&open, TreeFilter::Default, &HashSet::new(), &HashSet::new());
                Ok((open, model + rows.len()))
            });
            (result?, took)
        };
        let entries = open.session.entries.len();
        let note = format!(
            "{entries} entries, {:.0} MB; read, tree, {nodes} nodes and rows",
            corpus.bytes as f64 / 1e6
        );
        self.figure("open a large session", took.wall_ms, "ms", 500.0, note);
        let mut worst: f64 = 0.0;
        for page in 0..10 {
            let from = entries * page / 10;
            let (texts, took) = spent(|| -> Result<usize> {
                let mut texts = 0;
                for ix in from..(from + 100).min(entries) {
                    texts += open.bodies.body(EntryIx::new(ix))?.messages.len();
                }
                Ok(texts)
            });
            texts?;
            worst = worst.max(took.wall_ms);
        }
        let note = "100 entries; the slowest of 10 pages".to_owned();
        self.figure("a page of its transcript", worst, "ms", 30.0, note);
        Ok(())
    }

    fn sent(&mut self, corpus: &Corpus) -> Result<()> {
        let Some(path) = corpus.files.first() else {
            return Ok(());
        };
        let failed = |source| AppError::Write {
            path: path.display().to_string(),
            source,
        };
        let before = fs::metadata(path).map_err(failed)?.len();
        let line = corpus::appended_line(&corpus::entry_id(corpus.lines - 1), "appended");
        let mut append = || {
            let file = OpenOptions::new().append(true).open(path);
            file.and_then(|mut file| file.write_all(line.as_bytes()))
                .map_err(failed)
        };
        let sent = (self.sent)(&self.dir.join("host"), path, &mut append);
        // The corpus may be used again.
        OpenOptions::new()
            .write(true)
            .open(path)
            .and_then(|file| file.set_len(before))
            .map_err(failed)?;
        for (own, most) in sent?.into_iter().zip(MOST_SENT) {
            self.figure(own.name, own.kilobytes, "KB", most, own.note);
        }
        Ok(())
    }

    /// The same as Claude Code would have written it: more and other records.
    fn open_claude_code(&mut self, name: &'static str, corpus: &Corpus, aim_ms: f64) -> Result<()> {
        let Some(from) = corpus.files.first() else {
            return Ok(());
        };
        let to = from.with_file_name("claude-code.jsonl");
        let shown = to.display().to_string();
        let bytes = claude_code::rewrite(from, &to).map_err(|source| AppError::Write {
            path: shown,
            source,
        })?;
        reset_peak();
        let (opened, took) = spent(|| -> Result<_> {
            let open = OpenSession::read(&to)?;
            let rows = outline::rows(&open, TreeFilter::Default, &HashSet::new(), &HashSet::new());
            let nodes = model_of(&open) + rows.len();
            Ok((
                open.session.entries.len(),
                open.session.warnings.len(),
                nodes,
            ))
        });
        let (entries, warnings, nodes) = opened?;
        let note = format!(
            "{entries} entries, {:.0} MB, {warnings} warnings; read, tree, {nodes} nodes and rows",
            bytes as f64 / 1e6
        );
        self.figure(name, took.wall_ms, "ms", aim_ms, note);
        if let Some(peak) = peak_mb() {
            self.figure("its memory", peak, "MB", 200.0, String::new());
        }
        Ok(())
    }

    fn geometry(&mut self, corpus: &Corpus) -> Result<()> {
        let Some(path) = corpus.files.first() else {
            return Ok(());
        };
        let open = OpenSession::read(path)?;
        let mut bytes = GraphBytes::default();
        let took = typical(5, || -> Result<()> {
            bytes = GraphBytes::of(&picture_of(&open, PictureOptions::default()));
            Ok(())
        })?;
        let entries = open.session.entries.len();
        let note = format!(
            "{entries} entries as {} KB, made once for a session; frames and panning are measured by \
             `cargo bench -p palimpsest-graph`",
            bytes.bytes().len() / 1_000
        );
        self.figure(
            "far view of a large session",
            took.wall_ms,
            "ms",
            100.0,
            note,
        );
        Ok(())
    }

    /// Indexes new sessions as at the first start, until the newest 200 can be listed.
    fn first_start(&mut self, db: &IndexDb) -> Result<()> {
        let started = Instant::now();
        let first = OnceLock::new();
        let see = || {
            let listed = || -> Result<u64> {
                let reader = db.reader()?;
                let newest = SessionSort::Updated;
                let page = reader.sessions(&SessionFilter::default(), newest, 0, FIRST_LISTED)?;
                Ok(page.sessions.len() as u64)
            };
            if first.get().is_none() && listed().is_ok_and(|count| count >= FIRST_LISTED) {
                let _ = first.set(started.elapsed());
            }
        };
        let control = Control {
            listed: &see,
            ..Control::QUIET
        };
        let report = index::run(db, &[self.dir.join("browse")], &control)?;
        see();
        let whole = started.elapsed();
        let took = first.get().copied().unwrap_or(whole);
        let note = format!(
            "the newest {FIRST_LISTED} of {} new sessions; all of them after {:.1} s",
            report.sessions,
            whole.as_secs_f64()
        );
        self.figure(
            "first sessions listed",
            took.as_secs_f64() * 1_000.0,
            "ms",
            2_000.0,
            note,
        );
        Ok(())
    }

    fn browse(&mut self, corpus: &Corpus) -> Result<()> {
        let db = self.database("bench-browse.db")?;
        self.first_start(&db)?;
        drop(db);
        // Opened again: what the indexing kept in memory is not part of browsing.
        let (db, _) = IndexDb::open(&self.dir.join("bench-browse.db"))?;
        reset_peak();
        let mut worst: f64 = 0.0;
        for page in 0..20 {
            let (list, took) = spent(|| {
                let options = ListOptions {
                    sort: ListSort::By(SessionSort::Updated),
                    offset: page * 500,
                    limit: Some(PAGE),
                    hide_subagents: false,
                };
                search::sessions(&db, None, "", options)
            });
            worst = worst.max(took.wall_ms);
            if let Some(row) = list?.sessions.first() {
                let open = OpenSession::read(Path::new(&row.path))?;
                model_of(&open);
            }
            search::search(&db, None, "the", HitSort::Newest, page * PAGE, PAGE)?;
        }
        if let Some(peak) = peak_mb() {
            let note = format!(
                "{} sessions; lists, searches, sessions opened",
                corpus.files.len()
            );
            self.figure("memory while browsing", peak, "MB", 200.0, note);
        }
        self.figure(
            "a page of the session list",
            worst,
            "ms",
            30.0,
            "the slowest of 20".to_owned(),
        );
        Ok(())
    }
}

/// Rows of the picture.
fn model_of(open: &OpenSession) -> usize {
    picture_of(open, PictureOptions::default()).rows.len()
}

/// The median by wall time of several runs, the first of which pays for cold caches as well.
fn typical(times: usize, mut work: impl FnMut() -> Result<()>) -> Result<Spent> {
    let mut all = Vec::new();
    for _ in 0..times {
        let (done, took) = spent(&mut work);
        done?;
        all.push(took);
    }
    Ok(median(all, |took| took.wall_ms))
}

fn median(mut all: Vec<Spent>, by: impl Fn(&Spent) -> f64) -> Spent {
    all.sort_by(|a, b| by(a).total_cmp(&by(b)));
    all.get(all.len() / 2).copied().unwrap_or(Spent {
        cpu_s: 0.0,
        wall_ms: 0.0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_corpus_is_read_without_a_warning_and_used_again() {
        let dir = tempfile::tempdir().unwrap();
        let size = CorpusSize {
            sessions: 5,
            lines: 400,
            bytes: 400_000,
        };
        let corpus = corpus::kept_or_generated(dir.path(), size).unwrap();
        assert_eq!((corpus.files.len(), corpus.lines), (5, 400));
        assert!(
            corpus.bytes.abs_diff(size.bytes) < size.bytes / 10,
            "{}",
            corpus.bytes
        );
        assert_eq!(corpus::kept_or_generated(dir.path(), size).unwrap(), corpus);
        let db = IndexDb::init_in_memory().unwrap();
        let report = index::run(&db, &[dir.path().to_path_buf()], &Control::QUIET).unwrap();
        assert_eq!(
            (report.sessions, report.entries, report.warnings),
            (5, 395, 0)
        );
        assert!(report.failed.is_empty(), "{:?}", report.failed);
        for kind in &storage::KINDS {
            let db = IndexDb::init_in_memory().unwrap();
            let kinds = dir.path().join("kinds");
            let (root, bytes) = kind.written(&corpus.files, &kinds).unwrap();
            assert!(bytes > size.bytes / 2, "{}: {bytes} bytes", kind.figure);
            let report = index::run(&db, &[root], &Control::QUIET).unwrap();
            assert_eq!(
                (report.sessions, report.warnings),
                (5, 0),
                "{}",
                kind.figure
            );
            assert!(report.entries >= 160, "{}", kind.figure);
        }
    }
}
