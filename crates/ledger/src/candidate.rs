//! Facts while they are gathered: each once, with its places, spellings and weight.

use crate::content::Content;
use crate::retold::Retold;
use crate::span::{Part, PartKind};
use crate::{slight, words};
use palimpsest_core::EntryIx;
use palimpsest_core::ledger::{FactDetails, FactKind, SourcePlace};
use rustc_hash::{FxBuildHasher, FxHashMap as HashMap};
use std::ops::Range;
use std::sync::OnceLock;

/// Most places kept per fact.
pub const MAX_PLACES: usize = 50;

/// Longest text of a fact for display, in bytes.
const MAX_TEXT_BYTES: usize = 400;

/// Most wordings kept of a fact.
const MAX_SURFACES: usize = 8;

/// Role weights: the person's words, errors and edits count more than what was merely read.
pub mod role_weight {
    /// The person said it.
    pub const USER: f64 = 3.0;
    /// It failed.
    pub const ERROR: f64 = 2.0;
    /// A file was changed, a command run, a choice made.
    pub const EDIT: f64 = 2.0;
    /// It was read or mentioned.
    pub const READ: f64 = 1.0;
}

/// How a fact came into the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// Only shown: it stands in outputs and pasted material and nobody took it up, or it is a
    /// command that merely looked. Worth keeping only if it was used again.
    Shown,
    /// Worth a line at the end: a command that only looked, what a tool refused, a file that a search
    /// listed, what the model only thought or announced. It weighs [`NOTICED`] ranks less, a command
    /// one.
    Noticed,
    /// Someone said or did it.
    Said,
}

/// How many ranks lighter a fact is that was only noticed.
pub const NOTICED: i32 = 3;

/// A fact of a span before it is held against a summary.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// What kind of thing it is.
    pub kind: FactKind,
    /// The form under which two appearances are the same fact.
    pub key: String,
    /// The thing itself for display.
    pub text: String,
    /// The spellings the span uses, first used first, at most eight, of a command 40.
    pub surfaces: Vec<String>,
    /// Where it stands, in order.
    pub places: Vec<SourcePlace>,
    /// How often it stands there in all.
    pub count: usize,
    /// Where someone first took it up, rather than an output showing it: entry, message, block, byte.
    pub taken_from: Option<(EntryIx, usize, usize, usize)>,
    /// How often someone said it: its appearances outside outputs and pasted material.
    pub said: usize,
    /// How often it stands in the arguments of calls.
    pub worked: usize,
    /// How it came into the conversation.
    pub standing: Standing,
    /// Its weight, by kind first; see [`weight`].
    pub weight: f64,
    /// Index of the first item of the span that has it.
    pub first_item: usize,
    /// Index of the last item of the span that has it.
    pub last_item: usize,
    /// Highest role weight among its appearances.
    pub role: f64,
    /// How many ranks lighter than its kind it is: a finished task, a file that was only read, a
    /// prompt that only agrees.
    pub lighter: i32,
    /// Other names under which a summary may tell it: the hash of a commit, the rule that a linter
    /// names.
    pub aliases: Vec<String>,
    /// True for a name by which commands reach what is outside of the project.
    pub is_endpoint: bool,
    /// What is shown behind it because it says too little alone, with the word that says how it belongs there.
    pub lead: Option<String>,
    /// What else is known of it.
    pub details: FactDetails,
    /// Its text taken apart, once that was asked.
    pub read: TextRead,
}

/// The texts of a fact read at most once: they are held against the summary, the kept tail and every other summary
/// of the span.
#[derive(Debug, Default)]
pub struct TextRead {
    content: OnceLock<Box<Content>>,
    wordings: OnceLock<Box<[String]>>,
}

/// A copy may get another text.
impl Clone for TextRead {
    fn clone(&self) -> TextRead {
        TextRead::default()
    }
}

/// It follows from the text, which does not change once it was read.
impl PartialEq for TextRead {
    fn eq(&self, _: &TextRead) -> bool {
        true
    }
}

impl Candidate {
    /// Its text taken apart; the text does not change any more.
    pub(crate) fn content(&self) -> &Content {
        self.read
            .content
            .get_or_init(|| Box::new(Content::of(&self.text)))
    }

    /// Its spellings without their last full stops, each once, with white space, case and quotes evened out.
    pub(crate) fn wordings(&self) -> &[String] {
        self.read.wordings.get_or_init(|| {
            let wordings = self.surfaces.iter().chain([&self.key]);
            let wordings = wordings.map(|wording| words::normalize(words::without_end(wording)));
            let mut wordings: Vec<String> = wordings.collect();
            wordings.sort_unstable();
            wordings.dedup();
            wordings.into()
        })
    }
}

/// The facts found so far.
#[derive(Default)]
pub(crate) struct Registry {
    /// In the order in which they were found.
    pub facts: Vec<Candidate>,
    by_key: HashMap<(FactKind, String), usize>,
    /// The sentences of the model.
    retold: Retold,
}

impl Registry {
    /// None so far, with room for `facts` of them: they are large, and moving them as they become more costs
    /// as much as finding them.
    pub fn with_room(facts: usize) -> Registry {
        Registry {
            facts: Vec::with_capacity(facts),
            by_key: HashMap::with_capacity_and_hasher(facts, FxBuildHasher),
            retold: Retold::default(),
        }
    }

    /// The fact of a sentence that was said before in nearly the same words.
    pub fn said_before(&self, item: usize, words: &[String]) -> Option<usize> {
        self.retold.find(item, words)
    }

    /// Keeps a sentence for [`Registry::said_before`].
    pub fn remember(&mut self, index: usize, item: usize, words: Vec<String>) {
        self.retold.remember(index, item, words);
    }

    /// Keeps another wording of a fact.
    pub fn reword(&mut self, index: usize, surface: &str) {
        let surfaces = &mut self.facts[index].surfaces;
        if surfaces.len() < MAX_SURFACES && !surfaces.iter().any(|known| known == surface) {
            surfaces.push(surface.to_owned());
        }
    }

    /// Makes the fact known, without a place, and gives its index.
    pub fn note(&mut self, kind: FactKind, key: String, surface: &str) -> usize {
        let next = self.facts.len();
        let index = *self
            .by_key
            .entry((kind, key))
            .or_insert_with_key(|(kind, key)| {
                self.facts.push(Candidate {
                    kind: *kind,
                    key: key.clone(),
                    text: words::one_line(surface, MAX_TEXT_BYTES),
                    surfaces: Vec::new(),
                    places: Vec::new(),
                    count: 0,
                    taken_from: None,
                    said: 0,
                    worked: 0,
                    standing: Standing::Shown,
                    weight: 0.0,
                    first_item: usize::MAX,
                    last_item: 0,
                    role: 0.0,
                    lighter: 0,
                    aliases: Vec::new(),
                    is_endpoint: false,
                    lead: None,
                    details: FactDetails::default(),
                    read: TextRead::default(),
                });
                next
            });
        // Replies to many comments are one command, and told apart when they are run again.
        let most = if kind == FactKind::Command {
            40
        } else {
            MAX_SURFACES
        };
        let surfaces = &mut self.facts[index].surfaces;
        if surfaces.len() < most && !surfaces.iter().any(|known| known == surface) {
            surfaces.push(surface.to_owned());
        }
        index
    }

    /// Notes an appearance of a fact.
    pub fn place(
        &mut self,
        index: usize,
        part: &Part<'_>,
        range: Range<usize>,
        role: f64,
        standing: Standing,
    ) {
        let fact = &mut self.facts[index];
        fact.count += 1;
        fact.said += usize::from(standing == Standing::Said);
        fact.worked += usize::from(part.kind == PartKind::ToolCall);
        fact.standing = fact.standing.max(standing);
        fact.first_item = fact.first_item.min(part.item);
        fact.last_item = fact.last_item.max(part.item);
        fact.role = fact.role.max(role);
        if standing >= Standing::Noticed {
            let start = part.base + range.start;
            let at = (part.entry, part.message, part.block, start);
            let first = fact.taken_from.get_or_insert(at);
            *first = at.min(*first);
        }
        // Texts are read in two passes, so more are kept than shown until they can be sorted.
        if fact.places.len() < 8 * MAX_PLACES {
            fact.places.push(part.place(range));
        }
    }

    /// Notes an appearance of something that was said or done, and gives its index.
    pub fn add(
        &mut self,
        kind: FactKind,
        key: String,
        part: &Part<'_>,
        range: Range<usize>,
        role: f64,
    ) -> usize {
        let index = self.note(kind, key, &part.text[range.clone()]);
        self.place(index, part, range, role, Standing::Said);
        index
    }
}

/// What the loss of a fact of this kind hurts, relative to the next lighter kind: what people want
/// before what went wrong, that before files, and these before commands, names and figures.
pub(crate) fn tier(kind: FactKind) -> i32 {
    match kind {
        FactKind::Constraint => 8,
        FactKind::UserRequest => 7,
        FactKind::Decision => 6,
        FactKind::Todo => 5,
        FactKind::Error | FactKind::Finding => 4,
        FactKind::Path => 3,
        FactKind::Command => 2,
        FactKind::Symbol => 1,
        FactKind::Number => 0,
    }
}

/// The lowest rank: what a search listed and what was only thought stand behind figures.
const LOWEST: i32 = -3;

/// Growth of the weight from one kind to the next heavier one.
const TIER: f64 = 1.5;

/// The weight of a fact: 1.5 to the power of its kind's rank (numbers 0, then symbols, commands,
/// paths, errors and findings, things to do, decisions, requests, constraints 8), times 1 to 1.5 by what it
/// has to say within its kind, which is (1 + ln times said) x `recency` x `role`. So of facts that are not
/// lighter than their kinds none weighs more than one of a heavier kind, and all weights are below 40.
///
/// A fact that is `lighter` than its kind weighs as one of a kind so many ranks below, and above where it is
/// negative: an edited file, a command that did something.
pub fn weight(kind: FactKind, lighter: i32, said: usize, recency: f64, role: f64) -> f64 {
    let own = (1.0 + (said.max(1) as f64).ln()) * recency * role;
    TIER.powi((tier(kind) - lighter).max(LOWEST)) * (1.0 + (TIER - 1.0) * own / (own + 1.0))
}

/// The least that a fact weighs which is not lighter than its kind.
pub(crate) fn least(kind: FactKind) -> f64 {
    TIER.powi(tier(kind))
}

/// True for kinds whose text is a sentence.
pub(crate) fn is_saying(kind: FactKind) -> bool {
    matches!(
        kind,
        FactKind::UserRequest
            | FactKind::Constraint
            | FactKind::Decision
            | FactKind::Finding
            | FactKind::Todo
    )
}

/// Which part of a span is its end: an error from before it that never came again is not open any more. Of the eleven
/// errors that were put first on unseen sessions, one of the six earlier ones was worth a line and two of the five others.
const LATE: usize = 7;

/// Fewest items of the end.
const LATE_ITEMS: usize = 3;

/// Weighs and orders the facts; those without a place are left out.
pub(crate) fn finish(mut facts: Vec<Candidate>, items: usize) -> Vec<Candidate> {
    let half_life = (items as f64 / 2.0).max(10.0);
    facts.retain(|fact| fact.count > 0);
    for fact in &mut facts {
        // Before the marks of code are gone.
        let by_user = fact.role >= role_weight::USER;
        let slight = slight::ranks(
            fact.kind,
            &fact.text,
            by_user,
            fact.details.answers.is_some(),
        );
        if is_saying(fact.kind) {
            fact.text = words::without_markup(&fact.text);
        }
        fact.places
            .sort_by_key(|place| (place.entry, place.message, place.block, place.range.start));
        fact.places.dedup();
        // A name or a file that somebody took up begins there, not in an output that showed it.
        if let Some(first) = fact.taken_from
            && matches!(fact.kind, FactKind::Symbol | FactKind::Path)
        {
            fact.places.retain(|place| {
                (place.entry, place.message, place.block, place.range.start) >= first
            });
        }
        fact.places.truncate(MAX_PLACES);
        let distance = items.saturating_sub(1).saturating_sub(fact.last_item);
        let came_again = fact.last_item > fact.first_item;
        fact.details.is_late = came_again || distance <= (items / LATE).max(LATE_ITEMS);
        let recency = 0.5_f64.powf(distance as f64 / half_life);
        let lighter = match fact.standing {
            Standing::Said => fact.lighter,
            // Of what was only noticed, people name most of the commands (48 of 54 in two draws of
            // stretches) and few of the sentences (56 of 146).
            _ if fact.kind == FactKind::Command => fact.lighter + 1,
            Standing::Noticed | Standing::Shown => fact.lighter + NOTICED,
        };
        let lighter = lighter + slight;
        fact.weight = weight(fact.kind, lighter, fact.said, recency, fact.role);
    }
    facts.sort_by(|a, b| {
        let key = |fact: &Candidate| {
            let place = &fact.places[0];
            (
                fact.first_item,
                place.message,
                place.block,
                place.range.start,
                fact.kind,
            )
        };
        key(a).cmp(&key(b)).then_with(|| a.key.cmp(&b.key))
    });
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_fact_outweighs_one_of_a_heavier_kind() {
        let order = [
            FactKind::Constraint,
            FactKind::UserRequest,
            FactKind::Decision,
            FactKind::Todo,
            FactKind::Error,
            FactKind::Path,
            FactKind::Command,
            FactKind::Symbol,
            FactKind::Number,
        ];
        for pair in order.windows(2) {
            let least = weight(pair[0], 0, 1, 0.25, role_weight::READ);
            let most = weight(pair[1], 0, 100_000, 1.0, role_weight::USER);
            assert!(least > most, "{pair:?}: {least} and {most}");
        }
        let often = weight(FactKind::Path, 0, 9, 0.5, role_weight::READ);
        assert!(often > weight(FactKind::Path, 0, 1, 0.5, role_weight::READ));
        assert!(weight(FactKind::Constraint, 0, usize::MAX, 1.0, role_weight::USER) < 40.0);
    }
}
