//! Damaged sessions on the terminal: nothing that a terminal obeys is printed.

use crate::figures::Figures;
use crate::mutate::{damage, nasty};
use crate::pool::Pool;
use crate::program::Program;
use crate::said::Kind;
use palimpsest_testkit::seeded::Rng;
use std::fs;
use std::path::Path;

/// Prints one damaged session in every way there is.
///
/// Errors: what the machine says of the attack's own files.
pub fn attack(
    program: &Path,
    pool: &Pool,
    seed: u64,
    figures: &mut Figures,
) -> std::io::Result<()> {
    let home = tempfile::tempdir()?;
    let mut rng = Rng::new(seed);
    let one = Program::new(program, home.path());
    let unit = loop {
        let unit = pool.pick(&mut rng);
        if unit.files.len() == 1 {
            break unit;
        }
    };
    let (from, to) = &unit.files[0];
    let mut bytes = fs::read(from)?;
    let is_text = !bytes.contains(&0);
    let records = damage(&mut bytes, is_text, &mut rng);
    let path = home.path().join("s").join(to);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(&path, &bytes)?;
    let path = path.display().to_string();
    let words = nasty(&mut rng, 8).replace('\0', "");
    let words = if words.trim().is_empty() || words.starts_with('-') {
        "error".to_owned()
    } else {
        words
    };
    let text = home.path().join("summary.txt").display().to_string();
    fs::write(&text, &words)?;
    let commands: &[&[&str]] = &[
        &["index", &path],
        &["sessions"],
        &["tree", &path],
        &["entry", &path, "leaf"],
        &["entry", &path, "line:2"],
        &["context", &path],
        &["plan", &path],
        &["ledger", &path],
        &["policy", &path],
        &["compact", &path],
        &["branch-summary", &path, "--to", "line:2"],
        &["navigate", &path, "--to", "line:2"],
        &[
            "navigate",
            &path,
            "--to",
            "line:2",
            "--summary",
            &text,
            "--write",
        ],
        &["apply", "latest", "--dry-run"],
        &["apply", "latest"],
        &["written"],
        &["runs"],
        &["star", &path],
        &["note", &path, &words],
        &["note", &path],
        &["label", &path, "leaf", &words],
        &["label", &path],
        &["rename", &path, &words],
        &["sessions"],
        &["find", &path, &words],
        &["search", &words],
        &["sessions", &words],
        &["tree", &words],
        &["tree", &path, "--json"],
        &["context", &path, "--json"],
    ];
    for &arguments in commands {
        let output = one.ran("data", arguments)?;
        let what = format!("seed {seed}: {arguments:?}");
        if output.status.code().is_none_or(|code| code > 2) {
            figures.found(Kind::Panic, &format!("{what} ended with {}", output.status));
        }
        for text in [&output.stdout, &output.stderr] {
            let text = String::from_utf8_lossy(text);
            // The damaged texts themselves speak of panics.
            if text.contains("panicked at crates/") {
                figures.found(Kind::Panic, &format!("{what}: {text}"));
            }
            if let Some(c) = text.chars().find(|&c| is_obeyed(c)) {
                figures.found(
                    Kind::Terminal,
                    &format!("{what} printed U+{:04X}", c as u32),
                );
            }
        }
    }
    if fs::read(&path)? != bytes {
        figures.found(Kind::Source, &format!("seed {seed}: {path}"));
    }
    figures.done(records, 1, commands.len() as u64);
    Ok(())
}

/// Whether a terminal does something for this character other than showing it.
fn is_obeyed(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}')
}
