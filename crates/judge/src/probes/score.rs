//! Answers to probes, held against what rules know.

use super::known::{Expected, Probe, ProbeKind};
use crate::fence::plain;
use crate::reply::{ReplyError, read};
use palimpsest_core::ledger::{FactDetails, FactStatus};
use palimpsest_ledger::candidate::{Candidate, Standing, TextRead};
use palimpsest_ledger::evidence;
use serde::{Deserialize, Serialize};

/// How a probe was answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeScore {
    /// What it asked.
    pub kind: ProbeKind,
    /// What the answer had to name.
    pub expected: Vec<String>,
    /// What of it the answer names.
    pub found: Vec<String>,
    /// What the answer names beside it.
    pub wrong: Vec<String>,
}

impl ProbeScore {
    /// The share of the right answer that was given.
    pub fn share(&self) -> f64 {
        self.found.len() as f64 / self.expected.len().max(1) as f64
    }
}

/// How the probes were answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProbeScores {
    /// Each probe.
    pub probes: Vec<ProbeScore>,
    /// The mean of their shares, 0 to 1.
    pub share: f64,
}

#[derive(Deserialize)]
struct Reply {
    answers: Vec<Answer>,
}

#[derive(Deserialize)]
struct Answer {
    probe: String,
    #[serde(default)]
    answer: Vec<String>,
}

/// Whether a reply has the form that was asked for.
pub(crate) fn reads(reply: &str) -> Result<(), ReplyError> {
    read::<Reply>(reply).map(drop)
}

/// The scores of a reply; a question that it leaves out counts as not answered.
pub(crate) fn scored(probes: &[Probe], replies: &[String]) -> Result<ProbeScores, ReplyError> {
    let reply: Reply = read(replies.first().ok_or(ReplyError::Missing(0))?)?;
    let scores: Vec<ProbeScore> = probes
        .iter()
        .enumerate()
        .map(|(number, probe)| {
            let id = format!("p{}", number + 1);
            let mut answers = reply.answers.iter();
            let answer = answers.find(|answer| answer.probe.trim() == id);
            let given = answer.map_or(&[][..], |answer| &answer.answer);
            score(probe, given)
        })
        .collect();
    let sum: f64 = scores.iter().map(ProbeScore::share).sum();
    Ok(ProbeScores {
        share: sum / scores.len().max(1) as f64,
        probes: scores,
    })
}

fn score(probe: &Probe, given: &[String]) -> ProbeScore {
    let wanted: Vec<Candidate> = probe.expected.iter().map(candidate).collect();
    let mut found = vec![false; wanted.len()];
    let mut wrong = Vec::new();
    // Each on its own: an answer must not be found in the words of two others.
    for given in given.iter().map(|given| plain(given.trim())) {
        let shown = evidence::find(&given, &wanted);
        let is_there =
            |status: FactStatus| matches!(status, FactStatus::Verbatim | FactStatus::Mentioned);
        let mut names_any = false;
        for (place, evidence) in shown.iter().enumerate() {
            if is_there(evidence.status) {
                found[place] = true;
                names_any = true;
            }
        }
        if !names_any && !given.is_empty() {
            wrong.push(given);
        }
    }
    let named = probe.expected.iter().zip(&found);
    ProbeScore {
        kind: probe.kind,
        expected: probe.expected.iter().map(|own| own.text.clone()).collect(),
        found: named
            .filter(|(_, found)| **found)
            .map(|(own, _)| own.text.clone())
            .collect(),
        wrong,
    }
}

/// As the ledger looks for a fact in a summary.
fn candidate(expected: &Expected) -> Candidate {
    Candidate {
        kind: expected.kind,
        key: expected.key.clone(),
        text: expected.text.clone(),
        surfaces: if expected.spelled.is_empty() {
            vec![expected.text.clone()]
        } else {
            expected.spelled.clone()
        },
        places: Vec::new(),
        count: 1,
        taken_from: None,
        said: 1,
        worked: 0,
        standing: Standing::Said,
        weight: 1.0,
        first_item: 0,
        last_item: 0,
        role: 1.0,
        lighter: 0,
        aliases: Vec::new(),
        is_endpoint: false,
        lead: None,
        details: FactDetails::default(),
        read: TextRead::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use palimpsest_core::ledger::FactKind;

    fn expected(kind: FactKind, text: &str) -> Expected {
        Expected {
            kind,
            key: text.to_owned(),
            text: text.to_owned(),
            spelled: vec![text.to_owned()],
        }
    }

    fn probes() -> Vec<Probe> {
        vec![
            Probe {
                kind: ProbeKind::FilesEdited,
                expected: ["src/relay.rs", "src/queue.rs"]
                    .map(|path| expected(FactKind::Path, path))
                    .to_vec(),
            },
            Probe {
                kind: ProbeKind::LastCheck,
                expected: vec![expected(FactKind::Command, "cargo test -p relay")],
            },
        ]
    }

    fn of(reply: &str) -> ProbeScores {
        scored(&probes(), &[reply.to_owned()]).unwrap()
    }

    #[test]
    fn an_answer_is_right_as_far_as_it_names_what_was_asked_for() {
        let all = of(
            r#"{"answers": [{"probe": "p1", "answer": ["relay.rs", "/home/dev/app/src/queue.rs", "src/other.rs"]},
                {"probe": "p2", "answer": ["cargo test -p relay"]}]}"#,
        );
        assert_eq!(all.share, 1.0);
        assert_eq!(all.probes[0].wrong, ["src/other.rs"]);
        let half = of(
            r#"{"answers": [{"probe": "p1", "answer": ["src/relay.rs"]}, {"probe": "p2", "answer": ["cargo build"]}]}"#,
        );
        assert_eq!(half.share, 0.25);
        assert_eq!(half.probes[0].found, ["src/relay.rs"]);
        assert_eq!(half.probes[1].wrong, ["cargo build"]);
        assert_eq!(of(r#"{"answers": []}"#).share, 0.0);
    }

    #[test]
    fn a_reply_without_answers_is_refused() {
        assert!(reads(r#"{"answer": []}"#).is_err());
        assert!(reads("p1: src/relay.rs").is_err());
        assert_eq!(scored(&probes(), &[]), Err(ReplyError::Missing(0)));
    }
}
