//! `palimpsest-gold [--shared DIR] [--gold DIR] [work | final | all] [--draw N]
//! [--each] [--cases] [--first] [--needs] [--kind KIND] [--ask DIR]`: how right the ledger is about facts that were labelled by
//! hand, and of its own first facts how many are facts. `--ask` writes those that nobody has judged to files.
//! `palimpsest-gold judged [--each]`: how often the overall score orders summaries as a person did.

use palimpsest_gold::error::GoldError;
use palimpsest_gold::judged::command;
use palimpsest_gold::labels::{Half, Label, Labelled, read_all};
use palimpsest_gold::ledger::ledger_of;
use palimpsest_gold::matching::Found;
use palimpsest_gold::needs::{self, Needs};
use palimpsest_gold::own_facts::{self, OwnReport, Question};
use palimpsest_gold::report::{Report, Share, agreement, cases, first_seen, of_kind};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What to measure.
struct Asked {
    shared: PathBuf,
    gold: PathBuf,
    half: Option<Half>,
    draw: Option<u8>,
    each: bool,
    cases: bool,
    first: bool,
    needs: bool,
    kind: Option<String>,
    ask: Option<PathBuf>,
}

fn main() -> ExitCode {
    let mut asked = Asked {
        shared: "../shared".into(),
        gold: "tests/gold".into(),
        half: Some(Half::Work),
        draw: None,
        each: false,
        cases: false,
        first: false,
        needs: false,
        kind: None,
        ask: None,
    };
    let mut arguments = std::env::args().skip(1).peekable();
    if arguments.next_if(|first| first == "judged").is_some() {
        return match command::read(arguments) {
            Some(asked) => told(command::run(&asked)),
            None => usage(),
        };
    }
    while let Some(argument) = arguments.next() {
        match (argument.as_str(), &mut arguments) {
            ("--shared", rest) => asked.shared = rest.next().unwrap_or_default().into(),
            ("--gold", rest) => asked.gold = rest.next().unwrap_or_default().into(),
            ("--draw", rest) => asked.draw = rest.next().and_then(|draw| draw.parse().ok()),
            ("--each", _) => asked.each = true,
            ("--cases", _) => asked.cases = true,
            ("--first", _) => asked.first = true,
            ("--needs", _) => asked.needs = true,
            ("--kind", rest) => asked.kind = rest.next(),
            ("--ask", rest) => asked.ask = rest.next().map(PathBuf::from),
            ("work", _) => asked.half = Some(Half::Work),
            ("final", _) => asked.half = Some(Half::Final),
            ("all", _) => asked.half = None,
            _ => {
                return usage();
            }
        }
    }
    told(measure(&asked))
}

fn usage() -> ExitCode {
    eprintln!(
        "usage: palimpsest-gold [work | final | all] [--draw N] [--each] \
         [--cases] [--first] [--needs] [--kind KIND] [--ask DIR] [--shared DIR] [--gold DIR]   (default: work, \
         every draw, ../shared, tests/gold)\n       \
         palimpsest-gold judged [--each] [--show DIR] [--write] [--shared DIR] [--judged DIR] \
         [--written DIR]   (default: ../shared, tests/judged, tests/judged/written)"
    );
    ExitCode::from(2)
}

fn told(report: Result<String, GoldError>) -> ExitCode {
    match report {
        Ok(text) => {
            // A closed pipe (`| head`) is fine.
            let _ = writeln!(std::io::stdout(), "{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("palimpsest-gold: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(asked: &Asked) -> Result<String, GoldError> {
    let all = read_all(&asked.gold, &asked.shared)?;
    if all.is_empty() {
        return Ok(format!("SKIPPED: no samples in {}", asked.shared.display()));
    }
    let mut text = String::new();
    let mut sum = Report::default();
    let (mut facts, mut fates) = (Share::default(), Share::default());
    let mut firsts = OwnReport::default();
    let mut counted = (0, 0);
    let mut draws: Vec<(&Labelled, Vec<Found>)> = Vec::new();
    for labelled in all
        .iter()
        .filter(|own| asked.half.is_none_or(|half| own.half == half))
        .filter(|own| asked.draw.is_none_or(|draw| own.draw == draw))
    {
        let found = ledger_of(labelled)?;
        if !labelled.uncompacted && !labelled.needs && labelled.draw == 1 {
            let known = own_facts::read(
                &asked.gold.join("own_facts"),
                &labelled.source,
                labelled.summary_line,
                labelled.half,
            )?;
            firsts.add(&known, &found);
            if let Some(folder) = &asked.ask {
                ask(folder, labelled, &own_facts::questions(&found, &known))?;
            }
        }
        let mut own = Report::default();
        own.add_labelled(labelled, &found);
        sum.add_labelled(labelled, &found);
        counted = (counted.0 + 1, counted.1 + labelled.first.labels.len());
        if let Some(second) = &labelled.second {
            let (same, alike) = agreement(&labelled.first, second);
            facts = Share {
                right: facts.right + same.right,
                of: facts.of + same.of,
            };
            fates = Share {
                right: fates.right + alike.right,
                of: fates.of + alike.of,
            };
        }
        // The other half is measured and not looked at.
        if asked.cases && labelled.half == Half::Work && !labelled.needs {
            text += &format!("{}\n{}", labelled.name, cases(&labelled.first, &found));
        }
        if asked.first && labelled.half == Half::Work {
            text += &format!("{}\n{}", labelled.name, first_seen(&found));
        }
        if let Some(kind) = asked
            .kind
            .as_deref()
            .filter(|_| labelled.half == Half::Work)
        {
            text += &format!("{}\n{}", labelled.name, of_kind(&found, kind));
        }
        if asked.each {
            text += &format!(
                "{}: {} facts in the ledger\n{own}\n",
                labelled.name,
                found.len()
            );
        }
        draws.push((labelled, found));
    }
    let (apart, all, listed) = needed(&draws, asked.needs);
    text += &listed;
    text += &format!(
        "{} compactions, {} labels\n{sum}\n{firsts}\n",
        counted.0, counted.1
    );
    text += &format!("  two labellers, facts     {facts}\n  two labellers, fates     {fates}");
    text += &format!("\n  needs by continuation    {apart}\n  needs of all draws       {all}");
    Ok(text)
}

/// Writes facts that nobody has judged, one JSON object a line, for people to judge.
fn ask(folder: &Path, labelled: &Labelled, questions: &[Question<'_>]) -> Result<(), GoldError> {
    let path = own_facts::file_of(folder, &labelled.source, labelled.summary_line);
    let lines: Result<Vec<String>, _> = questions.iter().map(serde_json::to_string).collect();
    let failed = |reason: String| GoldError::Labels {
        path: path.clone(),
        reason,
    };
    let text = lines.map_err(|error| failed(error.to_string()))?.join("\n");
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&path, text))
        .map_err(|error| failed(error.to_string()))
}

/// The needs that were labelled by reading what came after, apart and with those of the other draws on
/// the same compactions.
fn needed(draws: &[(&Labelled, Vec<Found>)], lists: bool) -> (Needs, Needs, String) {
    let (mut apart, mut all, mut text) = (Needs::default(), Needs::default(), String::new());
    for (own, found) in draws.iter().filter(|(own, _)| own.needs) {
        apart.add(&own.first.labels, found);
        let same = |other: &Labelled| other.name == own.name && !other.uncompacted;
        let others = draws
            .iter()
            .filter(|(other, _)| !other.needs && same(other));
        // A draw without a need says nothing of what was needed.
        let tells = |labels: &[Label]| labels.iter().any(|label| label.needed_line.is_some());
        let mut sets = vec![own.first.labels.as_slice()];
        sets.extend(
            others
                .map(|(other, _)| other.first.labels.as_slice())
                .filter(|labels| tells(labels)),
        );
        let labels = needs::together(&sets);
        all.add(&labels, found);
        // The other half is measured and not looked at.
        if lists && own.half == Half::Work {
            text += &format!("{}\n{}", own.name, needs::listed(&labels, found));
        }
    }
    (apart, all, text)
}
