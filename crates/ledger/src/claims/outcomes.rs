//! Claims about how something ended: commands, what was committed or pushed, checks and counts.

use crate::claims::log::{Check, Counted, Deed, Log, Ran};
use crate::claims::told::{DENYING, PLANNED, any_of, outcome_of, plain_words};
use crate::claims::verdict::{Decided, Verdict};
use crate::{commands, test_counts};
use palimpsest_core::EntryIx;

/// Most words of a sentence that claims one thing.
const BRIEF: usize = 16;

/// The outcome of a command that the sentence names in code: the whole command, or its program with
/// the verb, such as `git commit`.
pub(super) fn exit_state(sentence: &str, log: &Log) -> Option<Decided> {
    let told = outcome_of(sentence)?;
    let mut named = sentence.split('`').skip(1).step_by(2);
    let runs = named.find_map(|code| {
        let whole = log.by_command.get(&commands::key(code));
        whole.or_else(|| {
            let head = commands::head(code);
            log.by_head.get(&head).filter(|_| head == code.trim())
        })
    })?;
    let last = runs.last()?;
    if last.well == told {
        return Some((Verdict::Supported, vec![last.entry], String::new()));
    }
    let was_so = runs.iter().rev().find(|run| run.well == told);
    let how = if last.well { "succeeded" } else { "failed" };
    Some(match was_so {
        Some(_) => (
            Verdict::Stale,
            vec![last.entry],
            format!("the last run of the command {how}"),
        ),
        None => (
            Verdict::Contradicted,
            vec![last.entry],
            format!("the command {how}"),
        ),
    })
}

/// A count of tests that the last run of the command changed.
pub(super) fn count(sentence: &str, log: &Log) -> Option<Decided> {
    let told = counts(sentence);
    let key = told.first()?;
    let has = |counted: &Counted| counted.keys.contains(key);
    let last = |counted: &&Counted| {
        let later = log.counted.iter().rev();
        later
            .filter(|other| other.command == counted.command)
            .map(|other| other.entry)
            .next()
            == Some(counted.entry)
    };
    if let Some(found) = log.counted.iter().filter(last).find(|own| has(own)) {
        return Some((Verdict::Supported, vec![found.entry], String::new()));
    }
    // History is told with words of time.
    if outcome_of(sentence).is_none() || told.len() > 1 {
        return None;
    }
    let word = key.split(' ').nth(1)?;
    let Some(old) = log.counted.iter().rev().find(|own| has(own)) else {
        return other_count(key, word, log);
    };
    let new = log.counted.iter().filter(last);
    let new = new
        .filter(|own| own.command == old.command)
        .find_map(|own| Some((own, own.keys.iter().find(|key| key.ends_with(word))?)))?;
    let reason = format!("the last run of the command has {}", new.1);
    Some((Verdict::Stale, vec![new.0.entry], reason))
}

/// The counts of a sentence: "14 passed", and "14 tests pass".
fn counts(sentence: &str) -> Vec<String> {
    let found = test_counts::counts(sentence).into_iter();
    let mut found: Vec<String> = found.map(|(_, key)| key).collect();
    let all = plain_words(sentence);
    for three in all.windows(3) {
        let [figure, what, how] = three else { continue };
        let counts = figure.bytes().all(|b| b.is_ascii_digit()) && figure != "0";
        let word = match how.as_str() {
            "pass" | "passes" | "passed" | "passing" => "passed",
            "fail" | "fails" | "failed" | "failing" => "failed",
            _ => continue,
        };
        if counts && matches!(what.as_str(), "tests" | "test" | "specs") {
            found.push(format!("{figure} {word}"));
        }
    }
    found
}

/// A count that no run had, where only one command counts and its last run has another.
fn other_count(key: &str, word: &str, log: &Log) -> Option<Decided> {
    let last = log.counted.last()?;
    if log.counted.iter().any(|own| own.command != last.command) {
        return None;
    }
    let new = last
        .keys
        .iter()
        .find(|own| own.ends_with(word) && *own != key)?;
    let reason = format!("the last run of the command has {new}");
    Some((Verdict::Contradicted, vec![last.entry], reason))
}

/// What a sentence says of one kind of deed: `Some(true)` that it came about.
struct Claimed {
    done: bool,
    /// True where it speaks of everything.
    of_all: bool,
}

fn claimed(all: &[String], named: &[&str], participles: &[&str]) -> Option<Claimed> {
    if all.len() > BRIEF || any_of(all, PLANNED) || all.iter().any(|word| word == "and") {
        return None;
    }
    let done = any_of(all, participles);
    let denied = any_of(all, DENYING);
    let speaks = any_of(all, named) || done;
    (speaks && (done || denied)).then(|| Claimed {
        done: !denied,
        of_all: any_of(all, &["all", "everything"]),
    })
}

/// What was committed, pushed, merged, opened, applied or installed.
pub(super) fn deed(sentence: &str, log: &Log) -> Option<Decided> {
    if quotes(sentence) {
        return None;
    }
    let all = plain_words(sentence);
    let has = |words: &[&str]| any_of(&all, words);
    // "uncommitted changes" are named, "still uncommitted" is claimed.
    let named = |pair: &[String]| {
        pair[1] == "uncommitted"
            && !matches!(
                pair[0].as_str(),
                "is" | "are" | "still" | "remain" | "remains"
            )
    };
    if all.windows(2).any(named) {
        return None;
    }
    let last_change = log.last_change();
    if let Some(own) = claimed(&all, &["commit", "uncommitted"], &["committed"])
        && (has(&["committed", "uncommitted"]) || (has(&["commit"]) && !own.done))
    {
        return committed(&own, log, last_change);
    }
    let kinds: [(&[&str], &[&str], Deed); 4] = [
        (
            &["push", "force-push", "unpushed"],
            &["pushed", "force-pushed"],
            Deed::Push,
        ),
        (&["merge"], &["merged", "through", "succeeded"], Deed::Merge),
        (
            &["migration", "migrations"],
            &["applied", "ran", "succeeded", "migrated"],
            Deed::Migrate,
        ),
        (
            &["pr", "request"],
            &["opened", "created"],
            Deed::PullRequest,
        ),
    ];
    for (named, participles, kind) in kinds {
        // A word like "applied" speaks of many things.
        let speaks = match kind {
            Deed::Push => has(participles) || has(named),
            Deed::PullRequest => {
                has(participles) && (has(&["pr"]) || (has(&["pull"]) && has(&["request"])))
            }
            _ => has(named) && has(participles),
        };
        if speaks && let Some(own) = claimed(&all, named, participles) {
            return came_about(&own, log, |deed| *deed == kind);
        }
    }
    if let Some(own) = claimed(&all, &[], &["installed"]) {
        let names = |deed: &Deed| matches!(deed, Deed::Install(names) if names.iter().any(|name| all.contains(name)));
        return came_about(&own, log, names);
    }
    None
}

fn came_about(own: &Claimed, log: &Log, is_kind: impl Fn(&Deed) -> bool) -> Option<Decided> {
    let runs: Vec<Ran> = log
        .deeds
        .iter()
        .filter(|(deed, _)| is_kind(deed))
        .map(|(_, ran)| *ran)
        .collect();
    let last = runs.last()?;
    let ever = runs.iter().any(|ran| ran.well);
    match (own.done, ever, last.well) {
        (true, false, _) => Some((
            Verdict::Contradicted,
            vec![last.entry],
            "it failed, or was refused".to_owned(),
        )),
        (false, _, true) => {
            let failed = runs.iter().any(|ran| !ran.well);
            let verdict = if failed {
                Verdict::Stale
            } else {
                Verdict::Contradicted
            };
            Some((verdict, vec![last.entry], "it came about".to_owned()))
        }
        _ => None,
    }
}

fn committed(own: &Claimed, log: &Log, last_change: Option<EntryIx>) -> Option<Decided> {
    let decided = came_about(own, log, |deed| *deed == Deed::Commit);
    let last = log
        .deeds
        .iter()
        .rev()
        .find(|(deed, ran)| *deed == Deed::Commit && ran.well);
    let since = last.is_some_and(|(_, ran)| last_change.is_some_and(|change| change > ran.entry));
    match decided {
        // What was changed behind the last commit is not committed.
        Some((_, _, _)) if !own.done && since => None,
        None if own.done && own.of_all && since => {
            let reason = "files were changed after the last commit".to_owned();
            Some((Verdict::Stale, last_change.into_iter().collect(), reason))
        }
        other => other,
    }
}

/// True for a question, and for a sentence with words that somebody else said.
fn quotes(sentence: &str) -> bool {
    sentence.contains(['?', '"', '\u{201c}', '\u{201d}'])
}

/// What a sentence says of the tests, the linter or the build as such.
pub(super) fn check(sentence: &str, log: &Log) -> Option<Decided> {
    let told = outcome_of(sentence)?;
    let all = plain_words(sentence);
    if all.len() > BRIEF || quotes(sentence) {
        return None;
    }
    let has = |words: &[&str]| any_of(&all, words);
    let kind = if has(&["tests", "suite"]) {
        Check::Tests
    } else if has(&["lint", "linter", "linting"]) {
        Check::Lint
    } else if has(&["build", "compilation"]) {
        Check::Build
    } else {
        return None;
    };
    let runs = log.checks.iter().filter(|(own, ..)| *own == kind);
    let runs: Vec<(Ran, bool)> = runs.map(|(_, ran, whole)| (*ran, *whole)).collect();
    let (last, whole) = runs.last()?;
    if last.well == told {
        return Some((Verdict::Supported, vec![last.entry], String::new()));
    }
    // A narrow run that passed says nothing of the others.
    if last.well && !whole {
        return None;
    }
    let was_so = runs.iter().any(|(ran, _)| ran.well == told);
    let verdict = if was_so {
        Verdict::Stale
    } else {
        Verdict::Contradicted
    };
    let how = if last.well { "passed" } else { "failed" };
    Some((verdict, vec![last.entry], format!("the last run {how}")))
}
