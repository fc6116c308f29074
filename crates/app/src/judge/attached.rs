//! Facts that models found, put beside those of rules.

use crate::session::OpenSession;
use crate::summary::Material;
use crate::workspace::App;
use palimpsest_judge::facts::FoundFact;
use palimpsest_judge::{Outcome, What};
use palimpsest_ledger::ModelFact;

impl App {
    /// The same material with the facts that models found in entries of its session.
    pub fn with_judged(&self, open: &OpenSession, mut material: Material) -> Material {
        let results = self.judged(open).into_iter();
        let found = results.filter_map(|(_, result)| serde_json::from_str(&result).ok());
        let facts = found.flat_map(|outcome| match outcome {
            Outcome::Facts(found) => found.facts,
            Outcome::Pair(_) | Outcome::Probes(_) => Vec::new(),
        });
        material.by_model = facts.map(|fact| attached(open, fact)).collect();
        material
    }

    /// What tells a ledger of a session from one made before a model was asked.
    pub fn judged_key(&self, open: &OpenSession) -> String {
        let ids = self.judged(open).into_iter().map(|(id, _)| id);
        ids.collect::<Vec<_>>().join(",")
    }

    fn judged(&self, open: &OpenSession) -> Vec<(String, String)> {
        let judged = self
            .user_db()
            .and_then(|user| Ok(user.judged(&open.id, What::Facts.name())?));
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
