//! One ledger, and the chain over all compactions of a long session.

use super::measure::spent;
use super::{Bench, CorpusSize, median};
use crate::error::{AppError, Result};
use crate::session::OpenSession;
use crate::summary::{Material, follow};
use palimpsest_core::Bodies as _;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use tokio_util::sync::CancellationToken;

/// Compactions of the long session.
const COMPACTIONS: usize = 10;
/// Entries that a compaction keeps.
const KEPT: usize = 40;

impl Bench<'_> {
    /// The ledger of a span of 2 MB, and the chain of a session of 50,000 entries with ten compactions.
    pub(super) fn ledgers(&mut self, scale: u32) -> Result<()> {
        let size = CorpusSize {
            sessions: 1,
            lines: 1_900,
            bytes: 2_000_000,
        };
        let small = self.worked("worked-small", size.divided_by(scale), 1)?;
        let open = OpenSession::read(&small)?;
        let material = Material::of_compaction(&open, None)?;
        let mut facts = 0;
        let mut times = Vec::new();
        for _ in 0..5 {
            let (ledger, took) = spent(|| material.ledger());
            facts = ledger.facts.len();
            times.push(took);
        }
        let took = median(times, |took| took.wall_ms);
        let bytes = small.metadata().map_or(0, |own| own.len());
        let note = format!("{:.1} MB, {facts} facts", bytes as f64 / 1e6);
        self.figure("a ledger of a 2 MB span", took.wall_ms, "ms", 150.0, note);

        let large = CorpusSize::ONE_LARGE.divided_by(scale);
        let large = self.worked("worked-large", large, COMPACTIONS)?;
        let open = OpenSession::read(&large)?;
        let leaf = open.session.active_leaf;
        let never = CancellationToken::new();
        let (made, took) = spent(|| follow(&open, leaf, &never, &|_, _| ()));
        let (chain, columns) = made?;
        let note = format!(
            "{} entries, {} compactions, {} facts, {:.1} CPU s",
            open.session.entries.len(),
            columns.len(),
            chain.lives.len(),
            took.cpu_s
        );
        self.figure(
            "the chain of a 50,000-entry session",
            took.wall_ms,
            "ms",
            5_000.0,
            note,
        );
        Ok(())
    }

    /// A generated session in which the user asks, the agent works, and the context is compacted
    /// `times` times.
    fn worked(&mut self, name: &str, size: CorpusSize, times: usize) -> Result<PathBuf> {
        let corpus = self.corpus(name, size)?;
        let path = self.dir.join(format!("{name}.jsonl"));
        let from = corpus.files.first().cloned().unwrap_or_default();
        let failed = |source| AppError::Write {
            path: path.display().to_string(),
            source,
        };
        rewrite(&from, &path, times, corpus.lines as usize).map_err(failed)?;
        // Every text is read once before: a cold disk is not measured.
        let open = OpenSession::read(&path)?;
        for ix in open.session.indices().take(100) {
            open.bodies.body(ix)?;
        }
        Ok(path)
    }
}

const VERBS: [&str; 6] = ["reads", "writes", "sorts", "drops", "checks", "merges"];
const THINGS: [&str; 8] = [
    "row", "table", "index", "header", "cursor", "page", "lock", "cache",
];

/// What a turn is about.
struct Topic {
    name: String,
    file: String,
    verb: &'static str,
    thing: &'static str,
}

fn topic(turn: usize) -> Topic {
    let (verb, thing) = (VERBS[turn % VERBS.len()], THINGS[turn % THINGS.len()]);
    Topic {
        name: format!("{verb}_{thing}_{}", turn % 300),
        file: format!("src/{thing}/part_{}.rs", turn % 150),
        verb,
        thing,
    }
}

/// Writes the generated session in `from` with requests that ask for something, calls of several tools
/// and compactions after equal parts.
fn rewrite(from: &Path, to: &Path, times: usize, lines: usize) -> io::Result<()> {
    let unfinished = to.with_extension("part");
    let mut out = BufWriter::new(File::create(&unfinished)?);
    let every = (lines / times.max(1)).max(KEPT + 2);
    let mut ids: Vec<String> = Vec::new();
    let mut parent = Value::Null;
    // The last part is what followed the last compaction.
    let until = every.saturating_sub(every / 10);
    for (at, line) in BufReader::new(File::open(from)?).lines().enumerate() {
        let mut record: Value = serde_json::from_str(&line?)?;
        if record["type"] == "message" {
            record["parentId"] = parent;
            work(&mut record, at);
            ids.push(record["id"].as_str().unwrap_or_default().to_owned());
            parent = record["id"].clone();
        }
        serde_json::to_writer(&mut out, &record)?;
        out.write_all(b"\n")?;
        if at % every == until && ids.len() > KEPT {
            let id = format!("c{at:07x}");
            let compaction = json!({
                "type": "compaction", "id": id, "parentId": parent,
                "timestamp": record["timestamp"], "summary": summary(at),
                "firstKeptEntryId": ids[ids.len() - KEPT], "tokensBefore": 150_000,
            });
            parent = json!(id);
            serde_json::to_writer(&mut out, &compaction)?;
            out.write_all(b"\n")?;
        }
    }
    out.into_inner()?.sync_all()?;
    std::fs::rename(&unfinished, to)
}

fn summary(at: usize) -> String {
    let mut text = String::from("## Goal\nMake the readers faster.\n\n## Done\n");
    for turn in at.saturating_sub(1_200)..at {
        if turn % 10 == 1 {
            let Topic {
                name,
                file,
                verb,
                thing,
            } = topic(turn / 10);
            text += &format!("- `{name}` in {file} {verb} the {thing} once\n");
        }
    }
    text
}

/// Gives a generated record something to ask, to say or to do; its long texts stay.
fn work(record: &mut Value, at: usize) {
    let Topic {
        name,
        file,
        verb,
        thing,
    } = topic(at / 10);
    let message = &mut record["message"];
    let blocks = message["content"].as_array_mut();
    let Some(blocks) = blocks else { return };
    for block in blocks {
        match block["type"].as_str() {
            Some("text") if at % 10 == 1 => {
                let asked = format!(
                    "Please make `{name}` in {file} return the {thing} within {} ms. Never touch the \
                     {verb} path.",
                    at % 90 + 10
                );
                block["text"] = json!(asked);
            }
            Some("toolCall") => {
                let (tool, arguments) = match at / 2 % 4 {
                    0 => ("read", json!({"path": file, "offset": at % 400})),
                    1 => (
                        "edit",
                        json!({"path": file, "oldText": format!("fn {name}()"),
                            "newText": block["arguments"]["content"]}),
                    ),
                    2 => (
                        "bash",
                        json!({"command": format!("cargo test -p app {name} 2>&1 | tail -40")}),
                    ),
                    _ => ("grep", json!({"pattern": name, "path": "src"})),
                };
                block["name"] = json!(tool);
                block["arguments"] = arguments;
            }
            _ => {}
        }
    }
    if message["role"] == "toolResult" {
        let tool = ["read", "edit", "bash", "grep"][at.saturating_sub(1) / 2 % 4];
        message["toolName"] = json!(tool);
        if tool == "bash" && message["isError"] == true {
            let text = message["content"][0]["text"].as_str().unwrap_or_default();
            let failed = format!(
                "{text}\nerror[E0308]: mismatched types in {name}\n  --> {file}:{at}:9\ntest result: \
                 FAILED. 12 passed; 1 failed"
            );
            message["content"][0]["text"] = json!(failed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::corpus;

    #[test]
    fn the_session_at_work_has_its_compactions_and_facts_of_several_kinds() {
        let dir = tempfile::tempdir().unwrap();
        let size = CorpusSize {
            sessions: 1,
            lines: 900,
            bytes: 600_000,
        };
        let made = corpus::kept_or_generated(dir.path(), size).unwrap();
        let to = dir.path().join("worked.jsonl");
        rewrite(&made.files[0], &to, 3, 900).unwrap();
        let open = OpenSession::read(&to).unwrap();
        assert_eq!(open.session.warnings.len(), 0);
        let never = CancellationToken::new();
        let heard = std::cell::RefCell::new(Vec::new());
        let tell = |done, total| heard.borrow_mut().push((done, total));
        let (chain, columns) = follow(&open, open.session.active_leaf, &never, &tell).unwrap();
        assert_eq!(columns.len(), 3);
        assert_eq!(heard.into_inner(), [(0, 3), (1, 3), (2, 3), (3, 3)]);
        let kinds: std::collections::HashSet<_> =
            chain.lives.iter().map(|life| life.fact.kind).collect();
        assert!(kinds.len() >= 6, "{kinds:?}");
        assert!(chain.lives.iter().any(|life| life.died().is_some()));
        never.cancel();
        let stopped = follow(&open, open.session.active_leaf, &never, &|_, _| ());
        assert!(matches!(stopped, Err(AppError::Cancelled)));
    }
}
