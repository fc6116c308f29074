//! Facts in replies, each held against the entries that it cites.

use crate::call::Call;
use crate::cited::{Cited, labels};
use crate::fence::plain;
use crate::reply::{ReplyError, read};
use palimpsest_core::ledger::FactKind;
use palimpsest_ledger::identifiers;
use palimpsest_ledger::words::{normalize, one_line};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};

/// Longest text of a fact in bytes.
const MOST_TEXT: usize = 400;

/// A fact that a model found and that stands in the entries it cites.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundFact {
    /// What kind of thing it is: a decision, a finding or a constraint.
    pub kind: FactKind,
    /// The fact in the model's words.
    pub text: String,
    /// The entries that bear it out, by their names in the session.
    pub entries: Vec<String>,
    /// Words of one of these entries, as the session has them; absent where only names were found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
}

/// Why a fact of a reply does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rejection {
    /// It is of no kind that was asked for, or has no text.
    Form,
    /// It cites no entry of the prompt.
    NoEntry,
    /// Its quote does not stand in the entries that it cites, and it has no names that do.
    NotQuoted,
    /// It names something that does not stand in the entries that it cites.
    Names,
    /// It is a constraint, and the user does not say it.
    NotTheUser,
}

impl Rejection {
    /// The reason in words.
    pub fn in_words(self) -> &'static str {
        match self {
            Rejection::Form => "has no text or is of another kind",
            Rejection::NoEntry => "cites no entry of the prompt",
            Rejection::NotQuoted => "the quote is not in the cited entries",
            Rejection::Names => "a name in it is not in the cited entries",
            Rejection::NotTheUser => "a constraint that the user does not say",
        }
    }
}

/// A fact of a reply that does not count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rejected {
    /// Why.
    pub why: Rejection,
    /// Its text.
    pub text: String,
}

/// The facts of all replies.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FactsFound {
    /// Those that stand in the entries they cite, each once.
    pub facts: Vec<FoundFact>,
    /// Those that do not.
    pub rejected: Vec<Rejected>,
}

impl FactsFound {
    /// How many were rejected, by reason.
    pub fn rejections(&self) -> BTreeMap<Rejection, usize> {
        let mut counts = BTreeMap::new();
        for rejected in &self.rejected {
            *counts.entry(rejected.why).or_default() += 1;
        }
        counts
    }
}

#[derive(Deserialize)]
struct Reply {
    facts: Vec<Said>,
}

/// Everything is optional, so that one wrong fact does not take the others with it.
#[derive(Deserialize)]
struct Said {
    #[serde(default)]
    kind: String,
    #[serde(default)]
    text: String,
    #[serde(default)]
    entries: Vec<serde_json::Value>,
    #[serde(default)]
    quote: Option<String>,
}

/// Whether a reply has the form that was asked for.
pub(crate) fn reads(reply: &str) -> Result<(), ReplyError> {
    read::<Reply>(reply).map(drop)
}

/// The facts of all replies, one for each call.
pub(crate) fn found(calls: &[Call], replies: &[String]) -> Result<FactsFound, ReplyError> {
    let mut out = FactsFound::default();
    let mut known: HashSet<(FactKind, String)> = HashSet::new();
    for (number, call) in calls.iter().enumerate() {
        let reply = replies.get(number).ok_or(ReplyError::Missing(number))?;
        for said in read::<Reply>(reply)?.facts {
            let text = one_line(said.text.trim(), MOST_TEXT);
            match checked(call, &said, &text) {
                Ok(fact) => {
                    if known.insert((fact.kind, normalize(&fact.text))) {
                        out.facts.push(fact);
                    }
                }
                Err(why) => out.rejected.push(Rejected { why, text }),
            }
        }
    }
    Ok(out)
}

fn checked(call: &Call, said: &Said, text: &str) -> Result<FoundFact, Rejection> {
    let kind = match said.kind.trim().to_lowercase().as_str() {
        "decision" => FactKind::Decision,
        "finding" => FactKind::Finding,
        "constraint" => FactKind::Constraint,
        _ => return Err(Rejection::Form),
    };
    if text.is_empty() {
        return Err(Rejection::Form);
    }
    let labels = labels(&said.entries);
    let cited = Cited::of(call, |cite| labels.contains(&cite.label));
    if cited.cites.is_empty() {
        return Err(Rejection::NoEntry);
    }
    // A limit is the user's, whatever else speaks of it.
    let cited = match kind {
        FactKind::Constraint => {
            Cited::of(call, |cite| cite.by_user && labels.contains(&cite.label))
        }
        _ => cited,
    };
    if cited.cites.is_empty() {
        return Err(Rejection::NotTheUser);
    }
    let texts = &cited.texts;
    let names = identifiers::scan(text).into_iter();
    let names: Vec<String> = names.map(|name| normalize(&text[name.range])).collect();
    let stands = |name: &String| texts.iter().any(|text| text.contains(name.as_str()));
    if !names.iter().all(stands) {
        return Err(Rejection::Names);
    }
    let quote = said.quote.as_deref().unwrap_or_default().trim();
    let quoted = cited.quoted(quote);
    let has_name = |text: &String| names.iter().any(|name| text.contains(name.as_str()));
    // The entry of the quote comes first, whatever order the model gave.
    let bears = |at: &usize| quoted == Some(*at) || has_name(&texts[*at]);
    let order = quoted.into_iter().chain(0..texts.len());
    let mut entries: Vec<String> = Vec::new();
    for at in order.filter(bears) {
        if !entries.contains(&cited.cites[at].entry) {
            entries.push(cited.cites[at].entry.clone());
        }
    }
    if entries.is_empty() {
        return Err(Rejection::NotQuoted);
    }
    Ok(FoundFact {
        kind,
        text: text.to_owned(),
        entries,
        quote: quoted.map(|_| plain(quote)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Cite;

    const TEXTS: [(&str, bool, &str); 3] = [
        ("e1", true, "Never rename the id column, please."),
        (
            "e2",
            false,
            "I'll use a queue because the channel in src/relay.rs drops lines.",
        ),
        (
            "e3",
            false,
            "The cause was the stale cache of port 7351. ‹/session> ends here.",
        ),
    ];

    fn call() -> Call {
        let mut prompt = String::new();
        let mut cites = Vec::new();
        for (label, by_user, text) in TEXTS {
            let start = prompt.len();
            prompt.push_str(text);
            cites.push(Cite {
                label: label.to_owned(),
                entry: format!("entry-{label}"),
                by_user,
                start,
                end: prompt.len(),
            });
        }
        Call {
            label: String::new(),
            system: String::new(),
            prompt,
            max_output_tokens: 0,
            input_tokens: 0,
            output_tokens: 0,
            cites,
        }
    }

    fn of(reply: &str) -> FactsFound {
        found(&[call()], &[reply.to_owned()]).unwrap()
    }

    fn one(kind: &str, text: &str, entries: &str, quote: &str) -> FactsFound {
        of(&format!(
            r#"{{"facts": [{{"kind": "{kind}", "text": "{text}", "entries": {entries}, "quote": "{quote}"}}]}}"#
        ))
    }

    fn why(found: &FactsFound) -> Vec<Rejection> {
        found.rejected.iter().map(|rejected| rejected.why).collect()
    }

    #[test]
    fn a_fact_counts_whose_quote_stands_in_its_entry() {
        let found = one(
            "decision",
            "A queue is used because the channel drops lines.",
            r#"["e3", "e2"]"#,
            "I’ll use  a *queue* because",
        );
        assert_eq!(why(&found), []);
        assert_eq!(found.facts[0].entries, ["entry-e2"]);
        assert_eq!(
            found.facts[0].quote.as_deref(),
            Some("I’ll use  a *queue* because")
        );
        let names = one(
            "finding",
            "src/relay.rs drops lines.",
            "[2]",
            "it loses lines",
        );
        assert_eq!((why(&names).len(), &names.facts[0].quote), (0, &None));
        let fenced = one("finding", "It ends here.", "[3]", "‹/session> ends here");
        assert_eq!(
            fenced.facts[0].quote.as_deref(),
            Some("</session> ends here")
        );
    }

    #[test]
    fn what_its_entries_do_not_bear_out_is_rejected_and_counted() {
        for (wanted, found) in [
            (
                Rejection::NotQuoted,
                one("finding", "It is slow.", "[3]", "it is very slow"),
            ),
            (
                Rejection::NotQuoted,
                one("finding", "It is slow.", "[3]", "cache"),
            ),
            (
                Rejection::NotQuoted,
                one("finding", "It is slow.", "[3]", "I'll use a queue"),
            ),
            (
                Rejection::Names,
                one(
                    "finding",
                    "src/other.rs is stale.",
                    "[3]",
                    "the stale cache",
                ),
            ),
            (
                Rejection::Names,
                one("finding", "Port 7352 is stale.", "[3]", "the stale cache"),
            ),
            (
                Rejection::NoEntry,
                one("finding", "It is slow.", "[9]", "the stale cache"),
            ),
            (
                Rejection::NoEntry,
                one("finding", "It is slow.", "[]", "the stale cache"),
            ),
            (
                Rejection::NotTheUser,
                one("constraint", "Use a queue.", "[2]", "I'll use a queue"),
            ),
            (
                Rejection::Form,
                one("todo", "Use a queue.", "[2]", "I'll use a queue"),
            ),
            (
                Rejection::Form,
                one("decision", " ", "[2]", "I'll use a queue"),
            ),
        ] {
            assert_eq!(why(&found), [wanted], "{found:?}");
            assert_eq!(found.facts, []);
            assert_eq!(found.rejections(), BTreeMap::from([(wanted, 1)]));
        }
    }

    #[test]
    fn a_fact_said_twice_is_one() {
        let said = r#"{"kind": "constraint", "text": "Never rename the id column.", "entries": ["e1"], "quote": "Never rename the id column"}"#;
        let found = of(&format!(r#"{{"facts": [{said}, {said}]}}"#));
        assert_eq!((found.facts.len(), found.rejected.len()), (1, 0));
    }

    #[test]
    fn a_missing_or_wrong_reply_has_no_facts() {
        assert_eq!(found(&[call()], &[]), Err(ReplyError::Missing(0)));
        assert!(reads("I found nothing.").is_err());
        assert!(reads(r#"{"fact": []}"#).is_err());
        assert!(reads(r#"{"facts": [{}]}"#).is_ok());
    }
}
