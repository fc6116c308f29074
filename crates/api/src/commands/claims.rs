//! The claims of a summary, with what a model as judge said of them beside what rules say.

use super::names;
use crate::render::Utf16Offsets;
use crate::wire::*;
use palimpsest_app::claims::{Claim, Verdict};
use palimpsest_app::judge::{ClaimsChecked, FactChecked, SentenceChecked};
use palimpsest_app::summary::JudgedClaims as AppJudged;
use palimpsest_app::{OpenSession, judge};
use palimpsest_core::ledger::Fact;

/// The sentences of `summary`; a verdict of a model stands beside that of rules, and in no count.
pub(crate) fn views(
    open: &OpenSession,
    summary: &str,
    claims: &[Claim],
    judged: Option<&AppJudged>,
) -> Vec<ClaimView> {
    let offsets = Utf16Offsets::new(summary);
    let views = claims.iter().map(|claim| {
        let text = &summary[claim.range.clone()];
        // An edited text has the same sentence elsewhere.
        let found = judged.and_then(|judged| {
            let mut sentences = judged.checked.sentences.iter();
            sentences.find(|own| own.text == text)
        });
        let TextRange { start, end } = offsets.range(&claim.range);
        ClaimView {
            start,
            end,
            text: text.to_owned(),
            verdict: claim.verdict.into(),
            entry_ids: names::ids(&open.session, &claim.entries),
            reason: claim.reason.clone(),
            by_model: found.map(|own| by_model(own, claim.verdict)),
        }
    });
    views.collect()
}

/// The verdict of a model on a fact.
pub(crate) fn of_fact(fact: &Fact, judged: Option<&AppJudged>) -> Option<FactByModel> {
    let mut facts = judged?.checked.facts.iter();
    facts.find(|own| own.is_of(fact)).map(fact_by_model)
}

/// The sums of a judgement.
pub(crate) fn judged(judged: &AppJudged) -> JudgedClaims {
    JudgedClaims {
        judgement_id: judged.judgement.clone(),
        claims: claim_sums(&judged.checked),
        facts: fact_sums(&judged.checked),
    }
}

/// The result of a judgement, whole.
pub(super) fn result(checked: &ClaimsChecked) -> JudgeResult {
    let sentences = checked.sentences.iter().map(|own| JudgedSentence {
        text: own.text.clone(),
        rule: own.rule.into(),
        by_model: by_model(own, own.rule),
    });
    let facts = checked.facts.iter().map(|own| JudgedClaimFact {
        fact_id: own.id.clone(),
        kind: own.kind,
        text: own.text.clone(),
        found_by_model: own.by_model,
        rule: own.rule.into(),
        by_model: fact_by_model(own),
    });
    JudgeResult::Claims {
        claims: claim_sums(checked),
        fact_sums: fact_sums(checked),
        sentences: sentences.collect(),
        facts: facts.collect(),
        unknown: checked.unknown as u64,
    }
}

/// `rule` is what rules say of the sentence now.
fn by_model(own: &SentenceChecked, rule: Verdict) -> ClaimByModel {
    let statements = own.statements.iter().map(|own| JudgedStatement {
        text: own.text.clone(),
        verdict: own.verdict.into(),
        entry_ids: own.entries.clone(),
        quote: own.quote.clone(),
        not_checked: own.not_checked.map(Into::into),
        reason: own.not_checked.map(|why| why.in_words().to_owned()),
    });
    ClaimByModel {
        verdict: own.verdict.into(),
        differs: own.differs_from(rule),
        statements: statements.collect(),
    }
}

fn fact_by_model(own: &FactChecked) -> FactByModel {
    FactByModel {
        verdict: own.verdict.into(),
        differs: own.differs(),
        quote: own.quote.clone(),
        entry_id: own.entry.clone(),
        not_checked: own.not_checked.map(Into::into),
        reason: own.not_checked.map(|why| why.in_words().to_owned()),
    }
}

fn claim_sums(checked: &ClaimsChecked) -> ClaimSums {
    let sums = checked.claim_sums();
    let judge::ClaimSums {
        supported,
        contradicted,
        stale,
        without_source,
        unchecked,
        differ,
    } = sums;
    ClaimSums {
        supported: supported as u64,
        contradicted: contradicted as u64,
        stale: stale as u64,
        without_source: without_source as u64,
        unchecked: unchecked as u64,
        differ: differ as u64,
        precision: sums.precision(),
    }
}

fn fact_sums(checked: &ClaimsChecked) -> FactSums {
    let sums = checked.fact_sums();
    let judge::FactSums {
        kept,
        partly,
        changed,
        dropped,
        unchecked,
        differ,
    } = sums;
    FactSums {
        kept: kept as u64,
        partly: partly as u64,
        changed: changed as u64,
        dropped: dropped as u64,
        unchecked: unchecked as u64,
        differ: differ as u64,
        recall: sums.recall(),
    }
}
