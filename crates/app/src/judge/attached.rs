//! What models found and said of summaries, put beside what rules say.

use crate::judge::planning::JudgeSpec;
use crate::session::OpenSession;
use crate::summary::{JudgedClaims, Material};
use crate::workspace::App;
use palimpsest_judge::facts::FoundFact;
use palimpsest_judge::{Outcome, What};
use palimpsest_ledger::ModelFact;
use palimpsest_store::user::Judged;

impl App {
    /// The same material with the facts that models found in entries of its session, and the newest
    /// verdicts of a model on its claims.
    pub fn with_judged(&self, open: &OpenSession, mut material: Material) -> Material {
        let results = self.judged(open, What::Facts).into_iter();
        let found = results.filter_map(|own| serde_json::from_str(&own.result).ok());
        let facts = found.flat_map(|outcome| match outcome {
            Outcome::Facts(found) => found.facts,
            Outcome::Pair(_) | Outcome::Probes(_) | Outcome::Claims(_) => Vec::new(),
        });
        material.by_model = facts.map(|fact| attached(open, fact)).collect();
        material.judged_claims = self.judged_claims(open, &material);
        material
    }

    fn judged_claims(&self, open: &OpenSession, material: &Material) -> Option<JudgedClaims> {
        let name = material.name(open)?;
        let is_about = |own: &Judged| {
            let spec = serde_json::from_str::<JudgeSpec>(&own.spec);
            spec.is_ok_and(|spec| spec.of == [name.as_str()])
        };
        let all = self.judged(open, What::Claims).into_iter();
        let newest = all.rev().find(is_about)?;
        match serde_json::from_str(&newest.result).ok()? {
            Outcome::Claims(checked) => Some(JudgedClaims {
                judgement: newest.id,
                checked,
            }),
            Outcome::Facts(_) | Outcome::Pair(_) | Outcome::Probes(_) => None,
        }
    }

    /// What tells a ledger of a session from one made before a model was asked.
    pub fn judged_key(&self, open: &OpenSession) -> String {
        let all = [What::Facts, What::Claims].map(|what| self.judged(open, what));
        let ids = all.into_iter().flatten().map(|own| own.id);
        ids.collect::<Vec<_>>().join(",")
    }

    fn judged(&self, open: &OpenSession, what: What) -> Vec<Judged> {
        let judged = self
            .user_db()
            .and_then(|user| Ok(user.judged(&open.id, what.name())?));
        // A ledger is shown also where the user database cannot be used.
        judged.unwrap_or_default()
    }
}

fn attached(open: &OpenSession, fact: FoundFact) -> ModelFact {
    let entries = fact.entries.iter();
    ModelFact {
        kind: fact.kind,
        text: fact.text,
        // An entry that the session no longer has bears nothing out.
        entries: entries
            .filter_map(|name| open.session.resolve(name).ok())
            .collect(),
        quote: fact.quote,
    }
}
