//! What a text shows of a set of facts: exactly, in another spelling, in part, or not at all.

use crate::candidate::is_saying;
use crate::echoes::Echoes;
use crate::extract::Candidate;
use crate::identifiers;
use crate::languages::{Language, Shown};
use crate::matching::is_bounded;
use crate::segments::{Found, Segments, squash};
use crate::sentences::is_of_user;
use crate::{
    beside, braces, command_traces, errors, files, meaning, pairs, sentences, short_names,
    test_counts, words,
};
use memchr::memmem;
use palimpsest_core::ledger::{FactKind, FactStatus, ToldOtherwise};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use std::borrow::Cow;
use std::ops::Range;

/// Most ranges kept per fact.
pub const MAX_EVIDENCE: usize = 20;

/// What a text shows of one fact.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// The best that was found.
    pub status: FactStatus,
    /// Where: byte ranges in the text on character boundaries, in order, not overlapping.
    pub ranges: Vec<Range<usize>>,
    /// For a part: what is missing.
    pub missing: Vec<String>,
    /// For a change: what the source says, and what the text says instead.
    pub difference: Option<(String, String)>,
    /// For a saying or an error of which nothing was found: how the text may tell it otherwise.
    pub echo: Option<ToldOtherwise>,
}

impl Evidence {
    fn none() -> Evidence {
        Evidence {
            status: FactStatus::Dropped,
            ranges: Vec::new(),
            missing: Vec::new(),
            difference: None,
            echo: None,
        }
    }

    fn take(&mut self, found: Found) {
        self.missing = found.missing;
        self.difference = found.difference;
        self.offer(found.status, found.range);
    }

    fn offer(&mut self, status: FactStatus, range: Range<usize>) {
        if status > self.status {
            return;
        }
        if status < self.status {
            self.status = status;
            self.ranges.clear();
        }
        if self.ranges.len() < 4 * MAX_EVIDENCE {
            self.ranges.push(range);
        }
    }

    fn settle(&mut self) {
        self.ranges
            .sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
        let mut end = 0;
        self.ranges.retain(|range| {
            let keep = range.start >= end && !range.is_empty();
            if keep {
                end = range.end;
            }
            keep
        });
        self.ranges.truncate(MAX_EVIDENCE);
    }
}

/// Looks for every fact in `text`, in this order of preference: the exact words; the words with
/// white space, case, quotes and backticks evened out; for paths the end of the path or a basename
/// only one fact has, for numbers the same figure and unit, for qualified names their last part;
/// for sentences their names with the words around them, for commands program, subcommand and
/// arguments in one line, for errors their code or their words.
pub fn find(text: &str, facts: &[Candidate]) -> Vec<Evidence> {
    let mut out = vec![Evidence::none(); facts.len()];
    if text.is_empty() || facts.is_empty() {
        return out;
    }
    exact(text, facts, &mut out);
    normalized(text, facts, &mut out, |_| true);
    identifiers_in(text, facts, &mut out);
    in_braces(text, facts, &mut out);
    let is_dropped = |at: usize| out[at].status == FactStatus::Dropped;
    for (at, status, range) in short_names::find(text, facts, is_dropped) {
        out[at].offer(status, range);
    }
    if is_sought(facts, &out, |_| true) {
        let segments = Segments::new(text);
        fuzzy(text, &segments, facts, &mut out, |_| true);
        echoed(text, &segments, facts, &mut out);
    }
    out.iter_mut().for_each(Evidence::settle);
    out
}

/// For each fact whether a kept tail has it. A tail is records of a conversation and no retelling:
/// words of a sentence or a command stand everywhere in its calls and results, so these must be there
/// as they were; names, figures and errors may be spelled otherwise.
pub fn stand_in_tail(tail: &str, facts: &[Candidate]) -> Vec<bool> {
    let mut out = vec![Evidence::none(); facts.len()];
    if !tail.is_empty() && !facts.is_empty() {
        exact(tail, facts, &mut out);
        normalized(tail, facts, &mut out, may_be_reworded);
        identifiers_in(tail, facts, &mut out);
        in_braces(tail, facts, &mut out);
        if is_sought(facts, &out, may_be_reworded) {
            fuzzy(tail, &Segments::new(tail), facts, &mut out, may_be_reworded);
        }
    }
    let there = |(fact, found): (&Candidate, Evidence)| match found.status {
        FactStatus::Verbatim => true,
        FactStatus::Mentioned => may_be_reworded(fact.kind),
        _ => false,
    };
    facts.iter().zip(out).map(there).collect()
}

/// True for the kinds that a kept tail may have in another spelling.
fn may_be_reworded(kind: FactKind) -> bool {
    !is_saying(kind) && kind != FactKind::Command
}

fn exact(text: &str, facts: &[Candidate], out: &mut [Evidence]) {
    let needles = facts.iter().enumerate().flat_map(|(index, fact)| {
        fact.surfaces.iter().flat_map(move |surface| {
            let rest = behind_lead(surface).filter(|_| is_saying(fact.kind));
            let wordings = [Some(surface.as_str()), rest].into_iter().flatten();
            wordings.map(move |wording| (index, Cow::Borrowed(words::without_end(wording))))
        })
    });
    pairs::find(text, needles, |index, range| {
        let fact = &facts[index];
        if is_bounded(text, &range, fact.kind) && (!is_short(fact) || is_quoted(text, &range)) {
            // A name that is an English word as well may be meant as the word.
            let is_word = fact.kind == FactKind::Symbol
                && identifiers::is_plain_word(&fact.key)
                && !identifiers::is_marked(text, &range);
            // The name alone says less than the path that is shown.
            let is_end = fact.kind == FactKind::Path
                && fact.text.contains('/')
                && !text[range.clone()].contains('/');
            let status = if is_word || is_end {
                FactStatus::Mentioned
            } else {
                FactStatus::Verbatim
            };
            out[index].offer(status, range);
        }
    });
}

/// Most words of a lead ("Remember these facts:").
const LEAD_WORDS: usize = 5;

/// Fewest bytes behind a lead that are not met by chance.
const BEHIND_LEAD: usize = 20;

/// What stands behind a few words and a colon: it is what the sentence says, unless they turn it around.
fn behind_lead(sentence: &str) -> Option<&str> {
    let at = memmem::find(sentence.as_bytes(), b": ")?;
    let (lead, rest) = (&sentence[..at], &sentence[at + 2..]);
    let leads = lead.split_whitespace().count() <= LEAD_WORDS
        && !meaning::denies(lead)
        && lead
            .chars()
            .all(|c| c.is_alphabetic() || c == ' ' || c == ',');
    let rest = rest.trim();
    (leads && rest.len() >= BEHIND_LEAD).then_some(rest)
}

/// Files that the text names together in braces.
fn in_braces(text: &str, facts: &[Candidate], out: &mut [Evidence]) {
    let listed = braces::expanded(text);
    if listed.is_empty() {
        return;
    }
    for (index, fact) in facts.iter().enumerate() {
        if fact.kind != FactKind::Path {
            continue;
        }
        for (path, range) in &listed {
            if braces::is_same_file(&fact.key, path) {
                out[index].offer(FactStatus::Mentioned, range.clone());
            }
        }
    }
}

/// True for words of the user that stand anywhere ("yes", "go on"): they count where they are
/// quoted.
fn is_short(fact: &Candidate) -> bool {
    fact.kind == FactKind::UserRequest && fact.text.len() < 12
}

fn is_quoted(text: &str, range: &Range<usize>) -> bool {
    let mark = |c: Option<char>| c.is_some_and(|c| matches!(c, '"' | '“' | '”' | '`' | '\''));
    let behind = text[range.end..].trim_start_matches(['.', '!', '?', ',']);
    mark(text[..range.start].chars().next_back()) && mark(behind.chars().next())
}

fn normalized(
    text: &str,
    facts: &[Candidate],
    out: &mut [Evidence],
    wanted: impl Fn(FactKind) -> bool,
) {
    let is_wanted = |(index, fact): &(usize, &Candidate)| {
        out[*index].status == FactStatus::Dropped && wanted(fact.kind) && !is_short(fact)
    };
    let sought: Vec<(usize, &Candidate)> = facts.iter().enumerate().filter(is_wanted).collect();
    let needles = sought.into_iter().flat_map(|(index, fact)| {
        let wordings = fact.wordings().iter();
        wordings.map(move |wording| (index, Cow::Borrowed(wording.as_str())))
    });
    let haystack = words::Normalized::new(text);
    pairs::find(&haystack.text, needles, |index, range| {
        if is_bounded(&haystack.text, &range, facts[index].kind) {
            out[index].offer(FactStatus::Mentioned, haystack.original(range, text));
        }
    });
}

fn identifiers_in(text: &str, facts: &[Candidate], out: &mut [Evidence]) {
    let mut paths: HashMap<String, Vec<(String, Range<usize>)>> = HashMap::default();
    let mut numbers: HashMap<String, Vec<Range<usize>>> = HashMap::default();
    for found in identifiers::scan(text) {
        match found.kind {
            FactKind::Path => {
                let name = identifiers::basename(&found.key).to_owned();
                paths
                    .entry(name)
                    .or_default()
                    .push((found.key, found.range));
            }
            FactKind::Number => numbers.entry(found.key).or_default().push(found.range),
            _ => {}
        }
    }
    let mut sharing: HashMap<&str, usize> = HashMap::default();
    let mut last_parts: HashMap<&str, Vec<usize>> = HashMap::default();
    for (index, fact) in facts.iter().enumerate() {
        if fact.kind == FactKind::Path {
            *sharing.entry(identifiers::basename(&fact.key)).or_default() += 1;
        }
        if fact.kind == FactKind::Symbol && out[index].status == FactStatus::Dropped {
            let last = fact.key.rsplit(['.', ':', '#']).next().unwrap_or_default();
            if last.len() >= 4 && last.len() < fact.key.len() {
                last_parts.entry(last).or_default().push(index);
            }
        }
    }
    // A bare name means the one of several files that the text names in full elsewhere.
    let told_in_full: HashSet<&str> = facts
        .iter()
        .zip(out.iter())
        .filter(|(fact, evidence)| {
            fact.kind == FactKind::Path && evidence.status != FactStatus::Dropped
        })
        .map(|(fact, _)| identifiers::basename(&fact.key))
        .collect();
    let told = told(text);
    spelled_otherwise(text, facts, out);
    for (fact, evidence) in facts.iter().zip(out.iter_mut()) {
        if evidence.status != FactStatus::Dropped {
            continue;
        }
        match fact.kind {
            FactKind::Path if !files::is_file(&fact.key) => {
                // A folder follows from the files in it. Its key may be longer than what is shown: the
                // name of a package.
                let folder = identifiers::path_key(&fact.text);
                let inside = |key: &str| {
                    folder.contains('/')
                        && key.match_indices(&folder).any(|(at, _)| {
                            key[at + folder.len()..].starts_with('/')
                                && (at == 0 || key[..at].ends_with('/'))
                        })
                };
                let told = paths.values().flatten().filter(|(key, _)| inside(key));
                for (_, range) in told {
                    evidence.offer(FactStatus::Mentioned, range.clone());
                }
            }
            FactKind::Path => {
                let name = identifiers::basename(&fact.key);
                for (key, range) in paths.get(name).into_iter().flatten() {
                    let is_end = fact
                        .key
                        .strip_suffix(key.as_str())
                        .is_some_and(|r| r.ends_with('/'));
                    if is_end && (key.contains('/') || sharing[name] == 1) {
                        evidence.offer(FactStatus::Mentioned, range.clone());
                    } else if is_end && !told_in_full.contains(name) {
                        evidence.offer(FactStatus::Partial, range.clone());
                    }
                }
            }
            FactKind::Number => {
                for range in numbers.get(&fact.key).into_iter().flatten() {
                    evidence.offer(FactStatus::Mentioned, range.clone());
                }
                if evidence.status == FactStatus::Dropped
                    && let Some((_, ranges)) = numbers
                        .iter()
                        .find(|(key, _)| meaning::is_rounded(&fact.key, key))
                    && let Some(range) = ranges.first()
                {
                    let there = text[range.clone()].to_owned();
                    evidence.difference = Some((fact.text.clone(), there));
                    evidence.offer(FactStatus::Changed, range.clone());
                }
                if let Some((figure, passed)) = test_counts::read_key(&fact.key) {
                    let told = if passed { &told.passed } else { &told.failed };
                    for range in told.get(figure).into_iter().flatten() {
                        evidence.offer(FactStatus::Mentioned, range.clone());
                    }
                }
            }
            _ => {}
        }
    }
    if !last_parts.is_empty() {
        for range in words::raw_words(text) {
            for &index in last_parts.get(&text[range.clone()]).into_iter().flatten() {
                out[index].offer(FactStatus::Mentioned, range.clone());
            }
        }
    }
}

/// Names in another convention: `BaseCommit` of the code is `base_commit` in its JSON.
fn spelled_otherwise(text: &str, facts: &[Candidate], out: &mut [Evidence]) {
    let mut wanted: HashMap<String, Vec<usize>> = HashMap::default();
    for (index, fact) in facts.iter().enumerate() {
        if fact.kind == FactKind::Symbol
            && out[index].status == FactStatus::Dropped
            && let Some(squashed) = squashed(&fact.key)
        {
            wanted.entry(squashed).or_default().push(index);
        }
    }
    if wanted.is_empty() {
        return;
    }
    for range in words::raw_words(text) {
        let found = squashed(&text[range.clone()]).and_then(|word| wanted.get(&word));
        for &index in found.into_iter().flatten() {
            out[index].offer(FactStatus::Mentioned, range.clone());
        }
    }
}

/// A name of several parts without what parts them, in lower case; `None` for any other.
fn squashed(name: &str) -> Option<String> {
    let is_plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let humps = name.as_bytes().windows(2);
    let humps = humps.filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    let has_parts = name.trim_matches('_').contains('_') || humps.count() > 0;
    (is_plain && has_parts).then(|| squash(name))
}

/// Where a text tells counts of tests in words of its own ("all 14 importer tests pass"): figures
/// in lines that speak of passing, and of failing.
#[derive(Default)]
struct Told<'a> {
    passed: HashMap<&'a str, Vec<Range<usize>>>,
    failed: HashMap<&'a str, Vec<Range<usize>>>,
}

fn told(text: &str) -> Told<'_> {
    let mut out = Told::default();
    for line in words::lines(text) {
        let lower = text[line.clone()].to_lowercase();
        let passed = ["pass", "green", "succeed"]
            .iter()
            .any(|cue| lower.contains(cue));
        let failed = lower.contains("fail");
        if !passed && !failed {
            continue;
        }
        for word in words::raw_words(&text[line.clone()]) {
            let range = line.start + word.start..line.start + word.end;
            let figure = &text[range.clone()];
            if !figure.bytes().all(|b| b.is_ascii_digit()) {
                continue;
            }
            if passed {
                out.passed.entry(figure).or_default().push(range.clone());
            }
            if failed {
                out.failed.entry(figure).or_default().push(range);
            }
        }
    }
    out
}

/// Other names of facts: the hash of a commit, the rule a linter names. A name that several facts
/// share tells none of them.
fn aliases(text: &str, facts: &[Candidate], out: &mut [Evidence]) {
    let mut sharing: HashMap<&str, usize> = HashMap::default();
    for alias in facts.iter().flat_map(|fact| &fact.aliases) {
        *sharing.entry(alias).or_default() += 1;
    }
    let named = |(index, fact): (usize, &'_ Candidate)| {
        let is_sought = out[index].status == FactStatus::Dropped;
        let aliases = fact.aliases.iter().filter(|_| is_sought);
        let own = aliases.filter(|alias| sharing[alias.as_str()] <= MAX_SHARING);
        own.map(|alias| (index, alias.clone())).collect::<Vec<_>>()
    };
    let sought: Vec<(usize, String)> = facts.iter().enumerate().flat_map(named).collect();
    let needles = sought
        .into_iter()
        .map(|(index, alias)| (index, Cow::Owned(alias)));
    pairs::find(text, needles, |index, range| {
        if is_bounded(text, &range, FactKind::Symbol) {
            out[index].offer(FactStatus::Mentioned, range);
        }
    });
}

/// Most facts that one other name may stand for: a request with the address in it, the address and its end.
const MAX_SHARING: usize = 3;

/// True for what is looked for in other words.
fn is_fuzzy(fact: &Candidate) -> bool {
    !matches!(
        fact.kind,
        FactKind::Path | FactKind::Symbol | FactKind::Number
    )
}

/// True where such a fact was not found yet.
fn is_sought(facts: &[Candidate], out: &[Evidence], wanted: impl Fn(FactKind) -> bool) -> bool {
    facts.iter().zip(out).any(|(fact, found)| {
        is_fuzzy(fact) && wanted(fact.kind) && found.status == FactStatus::Dropped
    })
}

fn fuzzy(
    text: &str,
    segments: &Segments,
    facts: &[Candidate],
    out: &mut [Evidence],
    wanted: impl Fn(FactKind) -> bool,
) {
    let is_fuzzy = |fact: &Candidate| is_fuzzy(fact) && wanted(fact.kind);
    let lower = text.to_lowercase();
    aliases(text, facts, out);
    let sought: Vec<(usize, &Candidate)> = facts
        .iter()
        .enumerate()
        .filter(|(index, fact)| is_fuzzy(fact) && out[*index].status == FactStatus::Dropped)
        .collect();
    let found = beside::each(&sought, |(_, fact)| {
        if fact.kind == FactKind::Command {
            command_traces::find(segments, fact)
        } else {
            sentences::find(text, segments, fact)
        }
    });
    for ((index, fact), found) in sought.into_iter().zip(found) {
        let evidence = &mut out[index];
        if let Some(found) = found {
            evidence.take(found);
        } else if fact.kind == FactKind::Error
            && let Some(code) = errors::error_code(&fact.surfaces[0])
        {
            let code = code.to_lowercase();
            // Lowering may move bytes in rare scripts; then no range is shown rather than a wrong one.
            for (at, _) in lower.match_indices(&code).take(MAX_EVIDENCE) {
                let range = at..at + code.len();
                let shown = text
                    .get(range.clone())
                    .is_some_and(|there| there.eq_ignore_ascii_case(&code));
                if shown && is_bounded(text, &range, fact.kind) {
                    evidence.offer(FactStatus::Partial, range);
                }
            }
        }
    }
}

/// Marks sayings and errors of which nothing was found, and that a line may tell in other words or in another language.
fn echoed(text: &str, segments: &Segments, facts: &[Candidate], out: &mut [Evidence]) {
    let is_dropped = |(index, fact): &(usize, &Candidate)| {
        (is_saying(fact.kind) || fact.kind == FactKind::Error)
            && out[*index].status == FactStatus::Dropped
    };
    let sought: Vec<(usize, &Candidate)> = facts.iter().enumerate().filter(is_dropped).collect();
    if sought.is_empty() {
        return;
    }
    let echoes = Echoes::new(text, segments);
    let sayings = sought.iter().filter(|(_, fact)| is_saying(fact.kind));
    let language = Language::of(text, segments, sayings.map(|(_, fact)| fact.text.as_str()));
    let found = beside::each(&sought, |(_, fact)| {
        let shown = is_saying(fact.kind)
            .then(|| language.shows(&fact.text, is_of_user(fact)))
            .flatten();
        (echoes.may_tell(fact), shown)
    });
    for ((index, _), (echo, shown)) in sought.into_iter().zip(found) {
        let evidence = &mut out[index];
        match shown {
            Some(Shown::Named(range)) => evidence.offer(FactStatus::Mentioned, range),
            Some(Shown::Some(range)) => evidence.echo = Some(ToldOtherwise::Words(range)),
            Some(Shown::Unknown) => evidence.echo = Some(ToldOtherwise::Language),
            None => evidence.echo = echo.map(ToldOtherwise::Words),
        }
    }
}
