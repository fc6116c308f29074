//! Claims of the made-up summaries, and what a model says of them.

import type * as W from "../../wire/wire";

/** The items of a summary; one of them has a figure that no entry has. */
export function claimsOf(summary: string): W.ClaimView[] {
  return [...summary.matchAll(/^- (.+)$/gm)].map((match, n) => {
    const start = match.index + 2;
    const text = match[1]!;
    const added = text.includes("about 4 %");
    return {
      start,
      end: start + text.length,
      text,
      verdict: added ? "without_source" : n % 3 === 2 ? "unchecked" : "supported",
      entry_ids: added ? [] : ["e1"],
      reason: added ? "no source has about 4 %" : "",
    };
  });
}

/** The first item is stale by the model, the last has an invented quote, the others are supported. */
function byModel(claim: W.ClaimView, n: number, of: number): W.ClaimByModel {
  const stale = n === 0;
  const lost = n === of - 1;
  const verdict = lost ? "unchecked" : stale ? "stale" : "supported";
  return {
    verdict,
    differs: verdict !== "unchecked" && claim.verdict !== "unchecked" && verdict !== claim.verdict,
    statements: [
      {
        text: claim.text,
        verdict,
        entry_ids: lost ? [] : ["e1"],
        quote: lost ? null : "Do not change the wire format of RetryEnvelope",
        not_checked: lost ? "not_quoted" : null,
        reason: lost ? "the quote is not in the cited text" : null,
      },
    ],
  };
}

const ofFact = (fact: W.FactView): W.FactByModel => ({
  verdict: fact.status === "dropped" ? "dropped" : "kept",
  differs: fact.status === "partial",
  quote: fact.status === "dropped" ? null : fact.text,
  entry_id: null,
  not_checked: null,
  reason: null,
});

/** A ledger with the verdicts of a model beside those of rules. */
export function judgedLedger(ledger: W.LedgerView, judgement_id: string): W.LedgerView {
  const claims = ledger.claims.map((claim, n, all) => ({
    ...claim,
    by_model: byModel(claim, n, all.length),
  }));
  const facts = ledger.facts.map((fact) => ({ ...fact, by_model: ofFact(fact) }));
  const of = (verdict: W.ClaimVerdict): number =>
    claims.filter((own) => own.by_model.verdict === verdict).length;
  const kept = facts.filter((own) => own.by_model.verdict === "kept").length;
  const checked = claims.length - of("unchecked");
  return {
    ...ledger,
    claims,
    facts,
    judged_claims: {
      judgement_id,
      claims: {
        supported: of("supported"),
        contradicted: 0,
        stale: of("stale"),
        without_source: 0,
        unchecked: of("unchecked"),
        differ: claims.filter((own) => own.by_model.differs).length,
        precision: checked === 0 ? null : of("supported") / checked,
      },
      facts: {
        kept,
        partly: 0,
        changed: 0,
        dropped: facts.length - kept,
        unchecked: 0,
        differ: facts.filter((own) => own.by_model.differs).length,
        recall: facts.length === 0 ? null : kept / facts.length,
      },
    },
  };
}
