//! What it cost that a summary dropped facts which were needed (D11): the calls that fetched them
//! again, and their tokens.

use crate::concern::{SLIGHT, is_missed};
use crate::span::{Call, Part, PartKind, Span};
use crate::{files, identifiers, scripts, words};
use palimpsest_core::EntryIx;
use palimpsest_core::estimate::text_tokens;
use palimpsest_core::ledger::{Fact, FactKind, FactStatus, FileRole, Ledger};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use std::collections::BTreeMap;

/// How the session came back to a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Again {
    /// The user said it again.
    Said,
    /// A file was read again.
    Read,
    /// A command was run again.
    Run,
    /// An error was made again.
    Failed,
    /// A name or a figure was looked up or used.
    LookedUp,
    /// The agent told it again.
    Told,
}

impl Again {
    /// All of them, in the order of a sentence.
    pub const ALL: [Again; 6] = [
        Again::Said,
        Again::Read,
        Again::Run,
        Again::Failed,
        Again::LookedUp,
        Again::Told,
    ];

    /// How a fact of this kind is needed.
    pub fn of(kind: FactKind) -> Again {
        match kind {
            FactKind::UserRequest | FactKind::Constraint => Again::Said,
            FactKind::Path => Again::Read,
            FactKind::Command => Again::Run,
            FactKind::Error => Again::Failed,
            FactKind::Symbol | FactKind::Number => Again::LookedUp,
            FactKind::Decision | FactKind::Finding | FactKind::Todo => Again::Told,
        }
    }

    /// In words, of one thing.
    pub fn in_words(self) -> &'static str {
        match self {
            Again::Said => "said again by the user",
            Again::Read => "read again",
            Again::Run => "run again",
            Again::Failed => "occurred again",
            Again::LookedUp => "looked up or used again",
            Again::Told => "told again",
        }
    }
}

/// One return to a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Return {
    /// The fact, by its position in the ledger.
    pub fact: usize,
    /// The entry that came back to it.
    pub entry: EntryIx,
    /// Estimated tokens of it; 0 where another fact of the list has the same call.
    pub tokens: u64,
    /// Prompts of the user between the compaction and the entry.
    pub prompts: u64,
}

/// What returns of one way cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cost {
    /// How the session came back.
    pub how: Again,
    /// The facts, by their positions in the ledger.
    pub facts: Vec<usize>,
    /// Each return.
    pub returns: Vec<Return>,
    /// Calls made for it.
    pub calls: u64,
    /// Estimated tokens of the calls with their results, and of what was said again. A call that
    /// serves several facts counts once.
    pub tokens: u64,
}

/// What it cost that facts were dropped, by how they were needed; `later` is what came after the
/// compaction.
pub fn costs(ledger: &Ledger, later: &Span<'_>) -> Vec<Cost> {
    costs_of(ledger, later, is_missed, &mut Paid::default())
}

/// What it cost that files were read again that the summary names: they are no loss of it, but it did not hold what
/// of them was needed. `None` where there are none.
pub fn named_and_read_again(ledger: &Ledger, later: &Span<'_>) -> Option<Cost> {
    // A file that was never opened is read for the first time.
    let is_known = |fact: &Fact| {
        matches!(
            fact.details.file_role,
            Some(FileRole::Read | FileRole::Edited)
        )
    };
    let is_named = |fact: &Fact| {
        fact.kind == FactKind::Path
            && fact.status != FactStatus::Dropped
            && !fact.in_kept_tail
            && fact.weight >= SLIGHT
            && is_known(fact)
            && !fact.needed_later.is_empty()
    };
    // Most ledgers have none, and reading what came later takes time.
    if !ledger.facts.iter().any(is_named) {
        return None;
    }
    // A call that fetched a lost fact as well is paid for there.
    let mut paid = Paid::default();
    costs_of(ledger, later, is_missed, &mut paid);
    // Files are needed in one way: they are read.
    costs_of(ledger, later, is_named, &mut paid).pop()
}

/// The calls that are paid for: entry, message and block of each.
type Paid = HashSet<(EntryIx, usize, usize)>;

/// The costs of the facts that `counts`, by how they were needed.
fn costs_of(
    ledger: &Ledger,
    later: &Span<'_>,
    counts: impl Fn(&Fact) -> bool,
    paid: &mut Paid,
) -> Vec<Cost> {
    let facts = ledger.facts_by_rules();
    let needed: Vec<(usize, &Fact)> = facts.filter(|(_, fact)| counts(fact)).collect();
    if needed.is_empty() {
        return Vec::new();
    }
    let after = After::read(later, &needed);
    let mut made: BTreeMap<Again, Cost> = BTreeMap::new();
    for (at, fact) in needed {
        let how = Again::of(fact.kind);
        let cost = made.entry(how).or_insert_with(|| Cost {
            how,
            facts: Vec::new(),
            returns: Vec::new(),
            calls: 0,
            tokens: 0,
        });
        cost.facts.push(at);
        for &entry in &fact.needed_later {
            let fetched = after.calls_for(fact, entry);
            let mut tokens = 0;
            if fetched.is_empty() {
                tokens = text_tokens(&fact.text);
            }
            for call in fetched {
                if paid.insert(call.place) {
                    cost.calls += 1;
                    tokens += call.tokens;
                }
            }
            cost.tokens += tokens;
            cost.returns.push(Return {
                fact: at,
                entry,
                tokens,
                prompts: after.prompts.get(&entry).copied().unwrap_or(0),
            });
        }
    }
    made.into_values().collect()
}

/// A call after the compaction.
struct MadeCall<'a> {
    place: (EntryIx, usize, usize),
    part: Part<'a>,
    /// Of the call and its result.
    tokens: u64,
}

/// The calls of the entries that came back to something, and the prompts before them.
struct After<'a> {
    calls: HashMap<EntryIx, Vec<MadeCall<'a>>>,
    prompts: HashMap<EntryIx, u64>,
    /// For the entry of a result, the entries of its calls.
    asked_by: HashMap<EntryIx, Vec<EntryIx>>,
}

impl<'a> After<'a> {
    fn read(later: &Span<'a>, needed: &[(usize, &Fact)]) -> After<'a> {
        let wanted = needed.iter().flat_map(|(_, fact)| &fact.needed_later);
        let wanted: HashSet<EntryIx> = wanted.copied().collect();
        let mut out = After {
            calls: HashMap::default(),
            prompts: HashMap::default(),
            asked_by: HashMap::default(),
        };
        let mut results: HashMap<&str, u64> = HashMap::default();
        let mut caller: HashMap<&str, EntryIx> = HashMap::default();
        let (mut prompts, mut last_prompt) = (0, None);
        for part in later.parts() {
            if part.kind == PartKind::UserText && last_prompt != Some(part.entry) {
                last_prompt = Some(part.entry);
                prompts += 1;
            }
            if wanted.contains(&part.entry) {
                out.prompts.entry(part.entry).or_insert(prompts);
            }
            match (part.kind, part.call_id) {
                (PartKind::ToolOutput, Some(id)) => {
                    *results.entry(id).or_default() += text_tokens(part.text);
                    if let Some(&from) = caller.get(id)
                        && wanted.contains(&part.entry)
                    {
                        out.asked_by.entry(part.entry).or_default().push(from);
                    }
                }
                (PartKind::ToolCall, id) => {
                    if let Some(id) = id {
                        caller.insert(id, part.entry);
                    }
                    out.calls.entry(part.entry).or_default().push(MadeCall {
                        place: (part.entry, part.message, part.block),
                        part,
                        tokens: text_tokens(part.text),
                    });
                }
                _ => {}
            }
        }
        for call in out.calls.values_mut().flatten() {
            let result = call.part.call_id.and_then(|id| results.get(id));
            call.tokens += result.copied().unwrap_or(0);
        }
        out
    }

    /// The calls at `entry` that fetch a fact; all calls there where none names it. For the entry of
    /// a result the calls that it answers.
    fn calls_for(&self, fact: &Fact, entry: EntryIx) -> Vec<&MadeCall<'a>> {
        let direct = self.calls.get(&entry).into_iter().flatten();
        let asked = self.asked_by.get(&entry).into_iter().flatten();
        let asked = asked.filter_map(|from| self.calls.get(from)).flatten();
        let all: Vec<&MadeCall<'a>> = direct.chain(asked).collect();
        let fitting = all.iter().copied().filter(|call| serves(fact, &call.part));
        let fitting: Vec<_> = fitting.collect();
        if fitting.is_empty() { all } else { fitting }
    }
}

/// True for a call that names the fact.
fn serves(fact: &Fact, part: &Part<'_>) -> bool {
    match fact.kind {
        FactKind::Path => {
            let name = identifiers::basename(&fact.text);
            let named = files::of_call(&Call::read(part), part.text);
            named
                .iter()
                .any(|(file, _)| identifiers::basename(&identifiers::path_key(file)) == name)
        }
        FactKind::Command => {
            let Some(script) = Call::read(part).script else {
                return false;
            };
            let key = scripts::key(&fact.text);
            let same =
                |name: &str| scripts::key(&words::one_line(name, fact.text.len() + 3)) == key;
            let done = scripts::deeds(&script).into_iter();
            done.chain(scripts::asked(&script))
                .any(|deed| same(&deed.name) || scripts::key(&deed.name) == key)
        }
        FactKind::Symbol | FactKind::Number => part.text.contains(&fact.text),
        _ => false,
    }
}
